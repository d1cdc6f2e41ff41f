"""The comparison of the MAPTree paper on the CP4IM data: accuracy, log-likelihood and size over 10 folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import data
from benchmarks.papers import maptree
from benchmarks.papers.measure import Records, write_report
from benchmarks.papers.rivals import CANDIDATES, COLORS, OTHER_DEPTHS, fit_and_judge
from benchmarks.report.plots import picture

_DEPTHS = ", other depths"
_LONGER = ", MAPTree for 60 s"
FILES = {name: f"cp4im_{name}.bin" for name in maptree.PUBLISHED}
_CHANGED_BY_TIME = ("anneal", "kr-vs-kp", "splice-1")  # what the search finds on the whole tables
_SECONDS_OF_PAPER = 60
SOURCES = (*FILES, *(f"{name}{_DEPTHS}" for name in FILES), *(f"{name}{_LONGER}" for name in _CHANGED_BY_TIME))
METHODS = [method for method in COLORS if method != "GOSDT, λ tuned"]
FOLDS = 10
_BASE = "CART, depth 4"
_OTHER = "#DDDDDD"
# Of each figure: title and decimals of its table, label of its panel, whether more is better.
_FIGURES = {
    "accuracy": ("Test accuracy", 4, "test accuracy\nless that of\nCART, depth 4", 1),
    "log_likelihood": (
        "Test log-likelihood a row",
        4,
        "test log-likelihood\na row (nats) less that\nof CART, depth 4",
        1,
    ),
    "marginal": (
        "Marginal test log-likelihood a row",
        4,
        "marginal likelihood\na row (nats) less that\nof CART, depth 4",
        1,
    ),
    "nodes": ("Nodes", 1, "nodes of the tree", -1),
}
_COMPARED = ("accuracy", "log_likelihood", "nodes")

Means: TypeAlias = dict[str, dict[tuple[str, str], float]]


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit methods to the folds of a data set, `limit` in user CPU; figures are lists with an entry a fold."""
    dataset = _dataset_of(name)
    if name.endswith(_LONGER):
        yield from records_of_methods(dataset, ["MAPTree"], _SECONDS_OF_PAPER)
    else:
        yield from records_of_methods(dataset, METHODS if dataset == name else OTHER_DEPTHS, limit)


def _dataset_of(source: str) -> str:
    return source.removesuffix(_DEPTHS).removesuffix(_LONGER)


def records_of_methods(dataset: str, methods: Iterable[str], limit: float) -> Iterator[dict[str, Any]]:
    """Fit some methods to the folds of a data set."""
    X, y = data.read_binary(FILES[dataset])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=84).split(X, y)
    problems = [(X[rows], X[others], y[rows], y[others]) for rows, others in folds]
    for method in methods:
        yield {"method": method, **fit_and_judge(method, problems, limit)}


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-maptree-folds.md`` and its pictures."""
    means = means_of(records)
    names = [name for name in FILES if all((name, method) in means["accuracy"] for method in METHODS)]
    every = [
        method
        for method in CANDIDATES
        if method in METHODS or (method in OTHER_DEPTHS and all((name, method) in means["accuracy"] for name in names))
    ]
    draw_boxes(directory / "paper-maptree-folds.png", means, names, METHODS, _COMPARED)
    draw_boxes(directory / "paper-maptree-folds-all.png", means, names, every, tuple(_FIGURES))
    others = [method for method in every if method not in METHODS]
    return write_report(
        directory,
        "maptree-folds",
        records,
        folds=FOLDS,
        n_sets=len(FILES),
        changed_by_time=_CHANGED_BY_TIME,
        summaries=[_summary(means, names, method) for method in every],
        tables=[(title, *table_of(means, names, METHODS, figure)) for figure, (title, *_) in _FIGURES.items()],
        others=table_of(means, names, others, "accuracy"),
    )


def means_of(records: Records) -> Means:
    """Return of each figure the means over the folds, by data set and method; those of longer searches count."""
    records = sorted(records, key=lambda one: one["dataset"].endswith(_LONGER))
    return {
        figure: {(_dataset_of(one["dataset"]), one["method"]): mean(one[figure]) for one in records}
        for figure in (*_FIGURES, "user_seconds", "proven")
    }


def table_of(means: Means, names: list[str], methods: list[str], figure: str) -> tuple[list[str], list[list[str]]]:
    """Return the heads and the rows of a table of a figure, with a row for each data set."""
    digits = _FIGURES[figure][1]
    return ["data", *methods], [
        [name, *(f"{means[figure][name, method]:.{digits}f}" for method in methods)] for name in names
    ]


def _summary(means: Means, names: list[str], method: str) -> dict[str, Any]:
    against = []
    for figure in _COMPARED:
        sign = _FIGURES[figure][-1]
        gains = np.round([sign * (means[figure][name, method] - means[figure][name, "MAPTree"]) for name in names], 9)
        against.append(f"{(gains > 0).sum()} / {(gains == 0).sum()} / {(gains < 0).sum()}")
    return {**medians(means, names, method), "against": "; ".join(against)}


def medians(means: Means, names: list[str], method: str) -> dict[str, Any]:
    """Return of each figure the median over the data sets of a method's means, and how many searches were proven."""
    return {
        **{figure: float(np.median([of[name, method] for name in names])) for figure, of in means.items()},
        "method": method,
        "proven": f"{100 * mean(means['proven'][name, method] for name in names):.0f} %",
    }


def draw_boxes(path: Path, means: Means, names: list[str], methods: list[str], figures: tuple[str, ...]) -> None:
    """Draw figures over the data sets, a panel for each, with a box for each method; relative to CART of depth 4."""
    methods = methods[::-1]
    with picture(path, 1.2 + 0.4 * len(methods)) as figure:
        cells = figure.subplots(1, len(figures), sharey=True)
        cells[0].set_yticks(range(1, len(methods) + 1), methods)
        for axes, field in zip(cells, figures, strict=True):
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
                box.set(facecolor=COLORS.get(method, _OTHER), alpha=0.6)
            axes.set_xlabel(_FIGURES[field][2])
