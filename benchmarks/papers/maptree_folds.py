"""The comparison of the MAPTree paper on the CP4IM data: accuracy, log-likelihood and size over 10 folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks import data
from benchmarks.papers import maptree
from benchmarks.papers.measure import Records, write_report
from benchmarks.papers.rivals import CANDIDATES, COLORS, OTHER_DEPTHS, PRIORS, fit_and_judge
from benchmarks.report.plots import picture

_DEPTHS = ", other depths"
FILES = {name: f"cp4im_{name}.bin" for name in maptree.PUBLISHED}
SOURCES = (*FILES, *(f"{name}{_DEPTHS}" for name in FILES))
METHODS = [method for method in COLORS if method != "GOSDT, λ tuned"]
FOLDS = 10
_BASE = "CART, depth 4"
# Of each figure: title and decimals of its table, label of its panel, whether more is better.
_FIGURES = {
    "accuracy": ("Test accuracy", 4, "test accuracy\nless that of CART, depth 4", 1),
    "log_likelihood": (
        "Test log-likelihood a row",
        4,
        "test log-likelihood a row (nats)\nless that of CART, depth 4",
        1,
    ),
    "nodes": ("Nodes", 1, "nodes of the tree", -1),
}


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit methods to the folds of a data set, `limit` in user CPU; figures are lists with an entry a fold."""
    dataset = name.removesuffix(_DEPTHS)
    yield from records_of_methods(dataset, METHODS if dataset == name else OTHER_DEPTHS, limit)


def records_of_methods(dataset: str, methods: Iterable[str], limit: float) -> Iterator[dict[str, Any]]:
    """Fit some methods to the folds of a data set."""
    X, y = data.read_binary(FILES[dataset])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=84).split(X, y)
    problems = [(X[rows], X[others], y[rows], y[others]) for rows, others in folds]
    for method in methods:
        yield {"method": method, **fit_and_judge(method, problems, limit)}


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-maptree-folds.md`` and its picture."""
    measured = {record["dataset"] for record in records}
    names = [name for name in SOURCES if name in measured]
    means = {
        figure: {(one["dataset"], one["method"]): mean(one[figure]) for one in records}
        for figure in (*_FIGURES, "marginal", "user_seconds", "proven")
    }
    _draw(means, names, directory)
    return write_report(
        directory,
        "maptree-folds",
        records,
        folds=FOLDS,
        n_sets=len(SOURCES),
        methods=METHODS,
        summaries=[_summary(means, names, method) for method in METHODS],
        tables=[
            (title, [(name, *(f"{means[figure][name, method]:.{digits}f}" for method in METHODS)) for name in names])
            for figure, (title, digits, _, _) in _FIGURES.items()
        ],
    )


def _summary(means: dict[str, dict[tuple[str, str], float]], names: list[str], method: str) -> dict[str, Any]:
    against = []
    for figure, (*_, sign) in _FIGURES.items():
        gains = np.round([sign * (means[figure][name, method] - means[figure][name, "MAPTree"]) for name in names], 9)
        against.append(f"{(gains > 0).sum()} / {(gains == 0).sum()} / {(gains < 0).sum()}")
    return {
        **{figure: float(np.median([of[name, method] for name in names])) for figure, of in means.items()},
        "method": method,
        "proven": f"{100 * mean(means['proven'][name, method] for name in names):.0f} %",
        "against": "; ".join(against),
    }


def _draw(means: dict[str, dict[tuple[str, str], float]], names: list[str], directory: Path) -> None:
    methods = METHODS[::-1]
    with picture(directory / "paper-maptree-folds.png", 4.0) as figure:
        cells = figure.subplots(1, 3, sharey=True)
        cells[0].set_yticks(range(1, len(methods) + 1), methods)
        for axes, (field, (_, _, label, _)) in zip(cells, _FIGURES.items(), strict=True):
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
                box.set(facecolor=COLORS[method], alpha=0.6)
            axes.set_xlabel(label)
