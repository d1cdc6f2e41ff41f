"""The comparison of the MAPTree paper on the CP4IM data: accuracy, log-likelihood and size over 10 folds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

from benchmarks import data
from benchmarks.papers import maptree
from benchmarks.papers.measure import write_report
from benchmarks.papers.rivals import COLOURS, fit_and_judge
from benchmarks.report.markdown import render, table
from benchmarks.report.plots.canvas import save

SOURCES = {name: f"cp4im_{name}.bin" for name in maptree.published()}
METHODS = [method for method in COLOURS if method != "GOSDT, λ tuned"]
FOLDS = 10
_BASE = "CART, depth 4"
_FIGURES = {
    "accuracy": "test accuracy\nless that of CART, depth 4",
    "log_likelihood": "test log-likelihood a row (nats)\nless that of CART, depth 4",
    "nodes": "nodes of the tree",
}
_EXPLANATION = """\
Stratified {folds}-fold cross-validation, shuffled with seed 84 as in the authors' program, means over the folds; each
search has {limit:g} s of user CPU, in the paper 60 s. MAPTree has the prior of the paper: alpha 0.95, beta 0.5, rho
2.5. CART is scikit-learn's; *tuned*, which the paper has not: depth 1 to 8 by 5-fold cross-validation on the training
part. *DL8.5* is here the tree of least training error within the depth, *GOSDT* that of least error with a price λ a
leaf, both by hornbeam's exact search. *Log-likelihood*: mean over test rows of the logarithm of the probability of
their class, (c + 2.5) / (n + 5) for c of the n training rows of the leaf, for all methods alike. *Marginal*: that of
the authors' program, the logarithm of the probability of all test labels under the prior of the leaves, whatever the
training labels there, divided by the number of test rows. {n_sets} of the paper's 16 data sets are at hand.
"""
_OF_PICTURE = """\
A box holds the middle half of the data sets, with their median; the whiskers reach to the last one within one and a
half lengths of the box.
"""
_OF_TABLE = """\
Medians over the data sets of the means over the folds; *proven*: of all its searches. *Against MAPTree*: on how many
data sets accuracy, log-likelihood and number of nodes of the method are better / equal / worse than MAPTree's.
"""
_TABLE = """\
method = {method} | accuracy = {accuracy:.4f} | log-likelihood = {log_likelihood:.4f} | marginal = {marginal:.4f}
nodes = {nodes:.1f} | seconds = {user_seconds:n} | proven = {proven} | against MAPTree = {against}
"""


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all methods to the folds of a data set, `limit` in user CPU; figures are lists with an entry a fold."""
    X, labels = data.read(SOURCES[name])
    X, y = np.asarray(X, dtype=np.uint8), np.unique(labels, return_inverse=True)[1]
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=84).split(X, y)
    problems = [(X[rows], X[others], y[rows], y[others]) for rows, others in folds]
    for method in METHODS:
        lists = fit_and_judge(method, problems, limit)
        yield {"dataset": name, "limit": limit, "method": method, **lists}


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-maptree-folds.md`` and its picture."""
    names = [name for name in SOURCES if any(one["dataset"] == name for one in records)]
    means = {
        figure: {(one["dataset"], one["method"]): mean(one[figure]) for one in records}
        for figure in (*_FIGURES, "marginal", "user_seconds", "proven")
    }
    picture = save(lambda figure: _draw(figure, means, names), 4.0, directory / "paper-maptree-folds.png")
    sections = []
    for figure, title, digits in (
        ("accuracy", "Test accuracy", 4),
        ("log_likelihood", "Test log-likelihood a row", 4),
        ("nodes", "Nodes", 1),
    ):
        rows = [(name, *(f"{means[figure][name, method]:.{digits}f}" for method in METHODS)) for name in names]
        sections += [f"## {title}\n", table(("data", *METHODS), rows)]
    return write_report(
        directory,
        "maptree-folds",
        "MAPTree paper, 10 folds of the CP4IM data",
        records,
        _EXPLANATION.format(folds=FOLDS, limit=max(one["limit"] for one in records), n_sets=len(SOURCES)),
        f"![Accuracy, log-likelihood and nodes over the data sets]({picture.name})\n",
        _OF_PICTURE,
        "## Over the data sets\n",
        _OF_TABLE,
        render(_TABLE, [_summary(means, names, method) for method in METHODS]),
        *sections,
    )


def _summary(means: dict[str, dict[tuple[str, str], float]], names: list[str], method: str) -> dict[str, Any]:
    against = []
    for figure, sign in (("accuracy", 1), ("log_likelihood", 1), ("nodes", -1)):
        gains = np.round([sign * (means[figure][name, method] - means[figure][name, "MAPTree"]) for name in names], 9)
        against.append(f"{(gains > 0).sum()} / {(gains == 0).sum()} / {(gains < 0).sum()}")
    return {
        **{figure: float(np.median([of[name, method] for name in names])) for figure, of in means.items()},
        "method": method,
        "proven": f"{mean(means['proven'][name, method] for name in names):.0%}".replace("%", " %"),
        "against": "; ".join(against),
    }


def _draw(figure: Figure, means: dict[str, dict[tuple[str, str], float]], names: list[str]) -> None:
    methods = METHODS[::-1]
    cells = figure.subplots(1, 3, sharey=True)
    cells[0].set_yticks(range(1, len(methods) + 1), methods)
    for axes, (field, title) in zip(cells, _FIGURES.items(), strict=True):
        base = {name: 0.0 if field == "nodes" else means[field][name, _BASE] for name in names}
        boxes = axes.boxplot(
            [[means[field][name, method] - base[name] for name in names] for method in methods],
            orientation="horizontal",
            patch_artist=True,
            manage_ticks=False,
            widths=0.6,
            medianprops={"color": "black"},
            flierprops={"markersize": 4},
        )
        for box, method in zip(boxes["boxes"], methods, strict=True):
            box.set(facecolor=COLOURS[method], alpha=0.6)
        axes.set_xlabel(title)
