"""The synthetic experiment of the MAPTree paper: test accuracy against training rows and noise, on random trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import colormaps

from benchmarks.papers.measure import Records, write_report
from benchmarks.papers.rivals import CANDIDATES, COLORS, OTHER_DEPTHS, fit_and_judge
from benchmarks.report.markdown import NOTHING
from benchmarks.report.plots import panels, picture
from hornbeam.datasets import make_random_trees

NOISES = (0.0, 0.1, 0.25)
SIZES = (100, 300, 600, 1000, 200, 400, 800, 500, 700, 900)  # the coarse ones first
TREES = 20
_DEPTHS = ", other depths"
_CELLS = {f"noise {noise:g}, {rows} rows": (noise, rows) for rows in SIZES for noise in NOISES}
SOURCES = (*_CELLS, *(f"{name}{_DEPTHS}" for name in _CELLS))
METHODS = list(COLORS)
_OURS = "MAPTree"
_RIVALS = [method for method in METHODS if method != _OURS]

Runs = dict[tuple[float, int, str], dict[str, Any]]


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit methods to the problems of one noise and one number of rows, `limit` in user CPU; an entry a tree."""
    noise, rows = _CELLS[name.removesuffix(_DEPTHS)]
    trees = make_random_trees(noise=noise)[:TREES]
    problems = [(X[:rows], X_test, y[:rows], y_test) for X, X_test, y, y_test in trees]
    for method in OTHER_DEPTHS if name.endswith(_DEPTHS) else METHODS:
        lists = fit_and_judge(method, problems, limit)
        fields = {field: lists[field] for field in ("accuracy", "nodes", "proven", "user_seconds")}
        yield {"noise": noise, "rows": rows, "method": method, **fields}


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-maptree-synthetic.md`` and its pictures."""
    runs = {(one["noise"], one["rows"], one["method"]): one for one in records}
    noises = sorted({noise for noise, *_ in runs})
    sizes, with_depths = (
        {noise: sorted(rows for other, rows, one in runs if (other, one) == (noise, method)) for noise in noises}
        for method in (_OURS, OTHER_DEPTHS[-1])
    )
    _draw(runs, sizes, directory)
    families = [family for family in ("CART", "DL8.5") if any(with_depths.values())]
    if families:
        _draw_depths(runs, with_depths, families, directory)
    return write_report(
        directory,
        "maptree-synthetic",
        records,
        n_trees=TREES,
        tables=[
            (noise, *_table(runs, noise, of, METHODS, ["proven", "seconds", "nodes"])) for noise, of in sizes.items()
        ],
        depths=[(noise, *_table(runs, noise, of, [_OURS, *OTHER_DEPTHS])) for noise, of in with_depths.items() if of],
        tally_heads=["rival", *(f"noise {noise:g}" for noise in sizes)],
        tallies=[(rival, *(_tally(runs, noise, of, rival) for noise, of in sizes.items())) for rival in _RIVALS]
        + [
            (rival, *(_tally(runs, noise, of, rival) for noise, of in with_depths.items()))
            for rival in OTHER_DEPTHS
            if families
        ],
    )


def interval(values: Any) -> tuple[float, float]:
    """Return the 95 % interval of a mean, bootstrapped with a fixed seed."""
    values = np.asarray(values, dtype=np.float64)
    samples = np.random.default_rng(0).integers(len(values), size=(2000, len(values)))
    low, high = np.percentile(values[samples].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def _sign(runs: Runs, noise: float, rows: int, method: str) -> str:
    """Return whether a rival is better than MAPTree, worse, or neither."""
    ours, theirs = (np.array(runs[noise, rows, one]["accuracy"]) for one in (_OURS, method))
    low, high = interval(theirs - ours)
    return " +" if low > 0 else " -" if high < 0 else ""


def _tally(runs: Runs, noise: float, sizes: list[int], rival: str) -> str:
    signs = [_sign(runs, noise, rows, rival) for rows in sizes]
    return " / ".join(str(signs.count(sign)) for sign in (" -", "", " +")) if signs else NOTHING


def _table(
    runs: Runs, noise: float, sizes: list[int], methods: list[str], ours: Sequence[str] = ()
) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows, one for each number of training rows; `ours` names columns on MAPTree's fits."""
    return ["rows", *methods, *ours], [
        [
            str(rows),
            *_accuracies(runs, noise, rows, methods),
            *(_of_ours(runs[noise, rows, _OURS])[one] for one in ours),
        ]
        for rows in sizes
    ]


def _accuracies(runs: Runs, noise: float, rows: int, methods: list[str]) -> list[str]:
    means = {method: float(np.mean(runs[noise, rows, method]["accuracy"])) for method in methods}
    return [
        (f"**{value:.3f}**" if value == max(means.values()) else f"{value:.3f}")
        + ("" if method == _OURS else _sign(runs, noise, rows, method))
        for method, value in means.items()
    ]


def _of_ours(run: dict[str, Any]) -> dict[str, str]:
    return {
        "proven": f"{sum(run['proven'])} of {len(run['proven'])}",
        "seconds": f"{np.mean(run['user_seconds']):.2f}",
        "nodes": f"{np.mean(run['nodes']):.1f}",
    }


def _draw(runs: Runs, sizes: dict[float, list[int]], directory: Path) -> None:
    with picture(directory / "paper-maptree-synthetic.png", 4.4) as figure:
        cells = panels(figure, len(sizes), len(sizes), sharey=True)
        for axes, (noise, of_noise) in zip(cells, sizes.items(), strict=True):
            for method, color in COLORS.items():
                accuracies = [np.array(runs[noise, rows, method]["accuracy"]) for rows in of_noise]
                low, high = zip(*map(interval, accuracies), strict=True)
                is_ours = method == _OURS
                axes.fill_between(of_noise, low, high, color=color, alpha=0.2 if is_ours else 0.08, linewidth=0)
                axes.plot(
                    of_noise,
                    [one.mean() for one in accuracies],
                    color=color,
                    linewidth=2.6 if is_ours else 1.3,
                    linestyle=(0, (4, 1.5)) if "tuned" in method else "-",
                    label=method,
                    zorder=3 if is_ours else 2,
                )
            axes.set(title=f"label noise {noise:g}", xlabel="training rows")
        cells[0].set_ylabel("test accuracy, mean over random trees")
        figure.legend(*cells[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)


def _draw_depths(runs: Runs, sizes: dict[float, list[int]], families: list[str], directory: Path) -> None:
    """Draw all depths of CART and DL8.5, a row of panels for each, darker the deeper."""
    with picture(directory / "paper-maptree-synthetic-all.png", 6.6) as figure:
        cells = figure.subplots(len(families), len(sizes), sharex=True, sharey=True, squeeze=False)
        for row, family in zip(cells, families, strict=True):
            methods = [method for method in CANDIDATES if method.startswith(family) and "tuned" not in method]
            for axes, (noise, of_noise) in zip(row, sizes.items(), strict=True):
                for shade, method in zip(np.linspace(0.25, 1.0, len(methods)), methods, strict=True):
                    means = [np.mean(runs[noise, rows, method]["accuracy"]) for rows in of_noise]
                    axes.plot(of_noise, means, color=colormaps["Oranges"](shade), label=method)
                means = [np.mean(runs[noise, rows, _OURS]["accuracy"]) for rows in of_noise]
                axes.plot(of_noise, means, color=COLORS[_OURS], linewidth=2.6, label=_OURS)
                axes.set(title=f"{family}, label noise {noise:g}")
            row[-1].legend(fontsize=8)
        figure.supxlabel("training rows", fontsize=10)
        figure.supylabel("test accuracy, mean over random trees", fontsize=10)
