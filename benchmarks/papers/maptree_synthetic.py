"""The synthetic experiment of the MAPTree paper: test accuracy against training rows and noise, on random trees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.papers.measure import Records, write_report
from benchmarks.papers.rivals import COLORS, OTHER_DEPTHS, fit_and_judge
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
    """Write ``paper-maptree-synthetic.md`` and its picture."""
    runs = {(one["noise"], one["rows"], one["method"]): one for one in records}
    sizes = {
        noise: sorted({rows for other, rows, _ in runs if other == noise}) for noise in sorted({key[0] for key in runs})
    }
    _draw(runs, sizes, directory)
    return write_report(
        directory,
        "maptree-synthetic",
        records,
        n_trees=TREES,
        methods=list(CANDIDATES),
        tables=[(noise, [_row(runs, noise, size) for size in of]) for noise, of in sizes.items()],
        tally_heads=["rival", *(f"noise {noise:g}" for noise in sizes)],
        tallies=[(rival, *(_tally(runs, noise, of, rival) for noise, of in sizes.items())) for rival in _RIVALS],
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


def _row(runs: Runs, noise: float, rows: int) -> list[str]:
    means = {method: float(np.mean(runs[noise, rows, method]["accuracy"])) for method in CANDIDATES}
    written = {
        method: f"**{value:.3f}**" if value == max(means.values()) else f"{value:.3f}"
        for method, value in means.items()
    }
    ours = runs[noise, rows, _OURS]
    return [
        str(rows),
        written[_OURS],
        *(written[method] + _sign(runs, noise, rows, method) for method in _RIVALS),
        f"{sum(ours['proven'])} of {len(ours['proven'])}",
        f"{np.mean(ours['user_seconds']):.2f}",
        f"{np.mean(ours['nodes']):.1f}",
    ]


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
