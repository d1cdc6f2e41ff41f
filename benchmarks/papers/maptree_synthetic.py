"""The synthetic experiment of the MAPTree paper: test accuracy against training rows and noise, on random trees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.data import Array
from benchmarks.papers.measure import write_report
from benchmarks.papers.rivals import CANDIDATES, COLOURS, fit_and_judge
from benchmarks.report.markdown import NOTHING, table
from benchmarks.report.plots.canvas import save
from hornbeam.datasets import make_random_trees

NOISES = (0.0, 0.1, 0.25)
SIZES = (100, 300, 600, 1000, 200, 400, 800, 500, 700, 900)  # the coarse ones first
TREES = 20
SOURCES = {f"noise {noise:g}, {rows} rows": (noise, rows) for rows in SIZES for noise in NOISES}
_OURS = "MAPTree"
_EXPLANATION = """\
The problems of the paper bit by bit (`hornbeam.datasets.make_random_trees`): {trees} random trees of 15 splits on 40
uniform bits, training labels flipped with the probability of the noise, the first ones of 1000 training rows, 1000
test rows without noise. The paper has every hundred from 100 to 1000; here stand those that were run. Each search has
{limit:g} s of user CPU, in the paper 60 s; MAPTree's last better tree came within the first 4 % of the subproblems on
nine problems that it was given 4 s for. MAPTree has the prior of the paper: alpha 0.95, beta 0.5, rho 2.5. CART is
scikit-learn's. *DL8.5* is here the tree of least training error within the depth, *GOSDT* that of least error with a
price λ a leaf, both by hornbeam's exact search. Depths and prices are the paper's representative ones; it has 10/32
for GOSDT, perhaps a misprint for 1/32. The tuned ones are not in the paper: by 5-fold cross-validation on the
training rows, CART has a depth from 1 to 8; GOSDT, within depth 4, a price of 1/32, 0.01 or 0.003. The paper has
figures only, no numbers.
"""
_OF_TABLE = """\
Mean test accuracy over the trees; the best mean of a row is bold. A + stands where a rival is better than MAPTree on
the same problems, a - where it is worse: the 95 % interval of the mean difference, bootstrapped over the trees as the
bands of the picture, leaves out 0. *Proven*: how many searches of MAPTree were; *seconds*: user CPU of one fit of it.
"""


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all methods to the problems of one noise and one number of rows, `limit` in user CPU; an entry a tree."""
    noise, rows = SOURCES[name]
    trees = make_random_trees(noise=noise)[:TREES]
    problems = [(X[:rows], X_test, y[:rows], y_test) for X, X_test, y, y_test in trees]
    for method in CANDIDATES:
        lists = fit_and_judge(method, problems, limit)
        yield {
            "dataset": name,
            "limit": limit,
            "noise": noise,
            "rows": rows,
            "method": method,
            **{field: lists[field] for field in ("accuracy", "nodes", "proven", "user_seconds")},
        }


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-maptree-synthetic.md`` and its picture."""
    runs = {(one["noise"], one["rows"], one["method"]): one for one in records}
    picture = save(lambda figure: _draw(figure, runs), 4.4, directory / "paper-maptree-synthetic.png")
    sections = []
    for noise in sorted({noise for noise, _, _ in runs}):
        heads = ("rows", *CANDIDATES, "proven", "seconds", "nodes")
        sizes = sorted({rows for other, rows, _ in runs if other == noise})
        sections += [f"## Noise {noise:g}\n", table(heads, [_row(runs, noise, rows) for rows in sizes])]
    return write_report(
        directory,
        "maptree-synthetic",
        "MAPTree paper, synthetic data",
        records,
        _EXPLANATION.format(trees=TREES, limit=max(one["limit"] for one in records)),
        f"![Test accuracy against training rows, for each noise]({picture.name})\n",
        _OF_TABLE,
        *sections,
        "## MAPTree against each rival\n",
        "On how many of the sizes MAPTree is better, neither, worse in the sense above.\n",
        _tally(runs),
    )


def interval(values: Any) -> tuple[float, float]:
    """Return the 95 % interval of a mean, bootstrapped with a fixed seed."""
    values = np.asarray(values, dtype=np.float64)
    draws = np.random.default_rng(0).integers(len(values), size=(2000, len(values)))
    low, high = np.percentile(values[draws].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def _sign(runs: dict[Any, dict[str, Any]], noise: float, rows: int, method: str) -> str:
    """Return whether a rival is better than MAPTree, worse, or neither."""
    ours, theirs = (np.array(runs[noise, rows, one]["accuracy"]) for one in (_OURS, method))
    low, high = interval(theirs - ours)
    return " +" if low > 0 else " -" if high < 0 else ""


def _row(runs: dict[Any, dict[str, Any]], noise: float, rows: int) -> tuple[str, ...]:
    means = {method: float(np.mean(runs[noise, rows, method]["accuracy"])) for method in CANDIDATES}
    best = max(means.values())
    ours = runs[noise, rows, _OURS]
    return (
        str(rows),
        *(
            (f"**{value:.3f}**" if value == best else f"{value:.3f}")
            + ("" if method == _OURS else _sign(runs, noise, rows, method))
            for method, value in means.items()
        ),
        f"{sum(ours['proven'])} of {len(ours['proven'])}",
        f"{np.mean(ours['user_seconds']):.2f}",
        f"{np.mean(ours['nodes']):.1f}",
    )


def _tally(runs: dict[Any, dict[str, Any]]) -> str:
    noises = sorted({noise for noise, _, _ in runs})

    def cell(method: str, noise: float) -> str:
        signs = [_sign(runs, noise, rows, method) for other, rows, one in runs if (other, one) == (noise, method)]
        return " / ".join(str(signs.count(sign)) for sign in (" -", "", " +")) if signs else NOTHING

    rows = [(method, *(cell(method, noise) for noise in noises)) for method in CANDIDATES if method != _OURS]
    return table(("rival", *(f"noise {noise:g}" for noise in noises)), rows)


def _draw(figure: Figure, runs: dict[Any, dict[str, Any]]) -> None:
    noises = sorted({noise for noise, _, _ in runs})
    cells = figure.subplots(1, len(noises), squeeze=False, sharey=True)[0]
    for axes, noise in zip(cells, noises, strict=True):
        sizes = sorted({rows for other, rows, _ in runs if other == noise})
        for method, colour in COLOURS.items():
            accuracies: list[Array] = [np.array(runs[noise, rows, method]["accuracy"]) for rows in sizes]
            low, high = zip(*map(interval, accuracies), strict=True)
            is_ours = method == _OURS
            axes.fill_between(sizes, low, high, color=colour, alpha=0.2 if is_ours else 0.08, linewidth=0)
            axes.plot(
                sizes,
                [one.mean() for one in accuracies],
                color=colour,
                linewidth=2.6 if is_ours else 1.3,
                linestyle=(0, (4, 1.5)) if "tuned" in method else "-",
                label=method,
                zorder=3 if is_ours else 2,
            )
        axes.set(title=f"label noise {noise:g}", xlabel="training rows")
    cells[0].set_ylabel("test accuracy, mean over random trees")
    figure.legend(*cells[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
