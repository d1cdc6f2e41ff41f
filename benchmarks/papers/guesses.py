"""The guesses paper on compas and spiral: exact search over all thresholds, over guessed ones, with guessed bounds."""

from __future__ import annotations

from collections.abc import Iterator
from operator import ge
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks import data
from benchmarks.papers.measure import Records, grouped, mean_of, measure, read_rows, write_report
from benchmarks.report.markdown import number, times
from benchmarks.report.plots import panels, picture
from benchmarks.worker import stopwatch
from hornbeam import ThresholdGuessBinarizer

ALL, THRESHOLDS, BOTH = "all thresholds", "guessed thresholds", "guessed thresholds and bounds"
REFERENCES = ((40, 1), (30, 2), (50, 2), (20, 3))
MAX_DEPTHS = (5, None)
# Seconds and training accuracy of the paper at depth 5: tables 4 and 6.
PUBLISHED = {
    (row["dataset"], 5, (row["n_trees"], row["tree_depth"]) if row["n_trees"] else None, row["method"]): row
    for row in read_rows("guesses_published")
}


class Source(NamedTuple):
    """The leaf penalty for a data set, and whether it is fitted on 5 folds instead of on all rows."""

    regularization: float
    folds: bool


SOURCES = {"compas": Source(0.001, folds=True), "spiral": Source(0.01, folds=False)}


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Search a data set in the three ways."""
    X, labels = data.read(name)
    X, y = np.asarray(X, dtype=np.float64), data.codes(labels)
    folds = KFold(5, shuffle=True, random_state=2021).split(X) if SOURCES[name].folds else [(np.arange(len(X)), [])]
    for fold, (rows, _) in enumerate(folds):
        for record in _records_of_fold(X[rows], y[rows], SOURCES[name].regularization, limit):
            yield {"fold": fold, "rows": len(rows), **record}


def _records_of_fold(X: data.Array, y: data.Array, penalty: float, limit: float) -> Iterator[dict[str, Any]]:
    def search(X: data.Array, max_depth: int | None, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        outcome, fields = measure("hornbeam", X, y, penalty, max_depth, limit, options)
        accuracy = float(1 - fields["objective"] + penalty * fields["leaves"])
        return outcome.tree or {}, {"max_depth": max_depth, **fields, "accuracy": accuracy}

    for max_depth in MAX_DEPTHS:
        yield {"method": ALL, **search(X, max_depth)[1]}
    for n_trees, tree_depth in REFERENCES:
        boosting = {"n_estimators": n_trees, "max_depth": tree_depth}
        user_seconds = stopwatch()
        binarizer = ThresholdGuessBinarizer(GradientBoostingClassifier(**boosting, random_state=2021)).fit(X, y)
        guess_seconds = user_seconds()
        columns = binarizer.transform(X).astype(np.uint8)
        predictions = binarizer.reference_.predict(columns)
        n_leaves = DecisionTreeClassifier(random_state=0).fit(columns, predictions).get_n_leaves()
        shared = {
            "reference": [n_trees, tree_depth],
            "columns": columns.shape[1],
            "reference_accuracy": [binarizer.scores_["table"], binarizer.scores_["conditions"]],
            "guess_seconds": guess_seconds,
        }
        for max_depth in MAX_DEPTHS:
            tree, fields = search(columns, max_depth)
            bound = 1 - binarizer.scores_["table"] + penalty * n_leaves
            yield {"method": THRESHOLDS, **shared, **fields, "bound": bound}
            wrong = (_predict(tree, columns) != y) | (predictions != y)
            bound = float(np.mean(wrong)) + penalty * fields["leaves"]
            _, fields = search(columns, max_depth, reference=predictions)
            yield {"method": BOTH, **shared, **fields, "bound": bound}


def _predict(tree: dict[str, Any], X: data.Array) -> data.Array:
    if "class" in tree:
        return np.full(len(X), tree["class"])
    is_left = X[:, tree["feature"]] <= tree["threshold"]
    return np.where(is_left, _predict(tree["left"], X), _predict(tree["right"], X))


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-guesses.md`` and its picture."""
    groups = grouped(records, "dataset", "max_depth", "reference", "method")
    names = list(dict.fromkeys(key[0] for key in groups))
    with picture(directory / "paper-guesses.png", 3.6) as figure:
        for axes, name in zip(panels(figure, len(names), len(names)), names, strict=True):
            for method, marker in ((ALL, "s"), (THRESHOLDS, "^"), (BOTH, "o")):
                chosen = [runs for key, runs in groups.items() if (key[0], key[1], key[3]) == (name, 5, method)]
                seconds = [max(1e-3, mean_of(runs, "user_seconds")) for runs in chosen]
                objectives = [mean_of(runs, "objective") for runs in chosen]
                axes.plot(seconds, objectives, marker, label=method, alpha=0.7, clip_on=False)
            axes.set(xscale="log", title=f"{name}, depth 5", xlabel="user CPU seconds to search", ylabel="objective")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    rows = [_row(key, runs, groups[key[0], key[1], None, ALL]) for key, runs in groups.items()]
    return write_report(directory, "guesses", records, rows=rows)


def _row(key: tuple[Any, ...], runs: Records, over_all: Records) -> dict[str, Any]:
    _, _, reference, method = key
    paper = PUBLISHED.get(key, {"seconds": None, "accuracy": None})
    seconds = mean_of(runs, "user_seconds")
    row = {
        **runs[0],
        "reference": " trees of depth ".join(map(str, reference)) if reference else None,
        "accuracy": mean_of(runs, "accuracy"),
        "objective": mean_of(runs, "objective"),
        "seconds": ("> " if _stopped(runs) else "") + number(seconds),
        "paper_accuracy": paper["accuracy"],
        "paper_seconds": paper["seconds"] if isinstance(paper["seconds"], str) else number(paper["seconds"]),
    }
    if not reference:
        return row | dict.fromkeys(("columns", "accuracies", "bound", "guess_seconds", "speed_up"))
    first, kept = zip(*(run["reference_accuracy"] for run in runs), strict=True)
    bound = f"{4.1 if method == THRESHOLDS else 4.3}: {mean_of(runs, 'bound'):.4f}"
    if method == THRESHOLDS:
        bound += f" ({sum(map(ge, kept, first))} of {len(runs)})"
    sign = "≥ " if _stopped(over_all) and not _stopped(runs) else ""
    return row | {
        "columns": mean_of(runs, "columns"),
        "accuracies": f"{mean(first):.4f}, {mean(kept):.4f}",
        "bound": bound,
        "guess_seconds": mean_of(runs, "guess_seconds"),
        "speed_up": sign + times(mean_of(over_all, "user_seconds") / max(seconds, 1e-3)),
    }


def _stopped(runs: Records) -> bool:
    """Return whether a run without guessed bounds did not prove its tree."""
    return any(not run["proven"] and run["method"] != BOTH for run in runs)
