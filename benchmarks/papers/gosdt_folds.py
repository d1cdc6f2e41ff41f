"""Sections I.6 and I.9 of the GOSDT paper: accuracy against leaves on the authors' folds, and the trees it prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.model_selection import KFold

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers.measure import Records, fit_seconds, grouped, read_rows
from benchmarks.report.plots import panels, picture
from hornbeam import GOSDTClassifier

SOURCES = {f"I.6 {name}": name for name in ("monk1", "monk2", "monk3", "tic-tac-toe", "car", "compas")}
PUBLISHED = read_rows("gosdt_folds_published")
REGULARIZATIONS = tuple(row["setting"] for row in PUBLISHED if (row["dataset"], row["method"]) == ("car", "GOSDT"))
DEPTHS = range(1, 7)
N_FOLDS = 5
MEASURES = ("leaves", "training", "test")
# The trees that the paper prints, as [column, its subtree of 1, its subtree of 0], and what it says of them.
PRINTED_TREES: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("gosdt_trees.json").read_text())
# A weight of the test rows that decides between trees that are equally good on the training rows, and nothing else.
TIE_WEIGHT = Fraction(1, 2**20)
Node: TypeAlias = "int | list[Any]"


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit the folds of a data set: each leaf penalty, each depth, and trees as large as the printed one."""
    X, y = data.read_binary(f"{SOURCES[name]}.bin")
    # The rows of the files are not shuffled.
    folds = [(X[train], y[train], X[test], y[test]) for train, test in KFold(N_FOLDS).split(X)]
    for number, fold in enumerate(folds, 1):
        for regularization in REGULARIZATIONS:
            fitted = _fit(fold, limit, regularization)
            ties = _ties(fold, limit, regularization, fitted)
            yield {"fold": number, "method": "GOSDT", "setting": regularization, **fitted, **ties}
        for depth in DEPTHS:
            yield {"fold": number, "method": "depth", "setting": depth, **_fit(fold, limit, 0.0, max_depth=depth)}
        if printed := PRINTED_TREES.get(SOURCES[name]):
            columns = list(data.read(f"{SOURCES[name]}.bin")[0].columns)
            leaves = count_leaves(printed["tree"])
            yield {
                "fold": number,
                "method": "printed",
                "setting": leaves,
                **_fit(fold, limit, 0.0, max_leaves=leaves),
                "printed_training": _accuracy(printed["tree"], columns, fold[0], fold[1]),
                "printed_test": _accuracy(printed["tree"], columns, fold[2], fold[3]),
            }


def _fit(fold: tuple[Array, ...], limit: float, regularization: float, **limits: Any) -> dict[str, Any]:
    X, y, X_test, y_test = fold
    classifier = GOSDTClassifier(regularization, binarizer=None, time_limit=limit, **limits)
    seconds = fit_seconds(classifier, X, y)
    return {
        "leaves": classifier.n_leaves_,
        "training": 100 * float(classifier.score(X, y)),
        "test": 100 * float(classifier.score(X_test, y_test)),
        "proven": classifier.status_ == "optimal",
        "user_seconds": seconds,
    }


def _ties(fold: tuple[Array, ...], limit: float, regularization: float, best: dict[str, Any]) -> dict[str, Any]:
    """Return the lowest and the highest test accuracy of the trees that are optimal on the training rows.

    The test rows take part with a weight that is too small to make a tree optimal that is not; their classes are right
    for the highest and wrong for the lowest accuracy.
    """
    X, y, X_test, y_test = fold
    weight = TIE_WEIGHT * len(y_test)
    penalty = Fraction(str(regularization)) * len(y) / (len(y) + weight)
    weights = np.concatenate([np.ones(len(y)), np.full(len(y_test), float(TIE_WEIGHT))])
    found = {}
    for end, classes in (("lowest", 1 - y_test), ("highest", y_test)):
        classifier = GOSDTClassifier(float(penalty), binarizer=None, time_limit=limit)
        classifier.fit(np.concatenate([X, X_test]), np.concatenate([y, classes]), sample_weight=weights)
        if not best["proven"] or classifier.status_ != "optimal":
            raise RuntimeError(f"{limit:g} s are too short to find the {end} test accuracy; use a longer --limit.")
        loss, own = (
            (100 - accuracy) / 100 + regularization * leaves
            for accuracy, leaves in (
                (100 * float(classifier.score(X, y)), classifier.n_leaves_),
                (best["training"], best["leaves"]),
            )
        )
        assert abs(loss - own) < 1e-9
        found[end] = 100 * float(classifier.score(X_test, y_test))
    return found


def count_leaves(node: Node) -> int:
    """Return the number of leaves of a printed tree."""
    return 1 if isinstance(node, int) else count_leaves(node[1]) + count_leaves(node[2])


def predict(node: Node, columns: list[str], X: Array) -> Array:
    """Return the classes that a printed tree predicts for rows of 0 and 1."""
    if isinstance(node, int):
        return np.full(len(X), node)
    column, of_one, of_zero = node
    is_one = X[:, columns.index(column)] == 1
    return np.where(is_one, predict(of_one, columns, X), predict(of_zero, columns, X))


def _accuracy(node: Node, columns: list[str], X: Array, y: Array) -> float:
    return 100 * float(np.mean(predict(node, columns, X) == y))


def section(records: Records, directory: Path) -> dict[str, Any]:
    """Draw the pictures, and return what the sections show."""
    runs = [run for run in records if run["dataset"] in SOURCES]
    if not runs:
        return {"folds": [], "printed_trees": []}
    medians = {
        (SOURCES[source], method, setting): _medians(of)
        for (source, method, setting), of in grouped(runs, "dataset", "method", "setting").items()
        if method != "printed"
    }
    published = {(row["dataset"], row["method"], row["setting"]): row for row in PUBLISHED}
    for part in ("training", "test"):
        _draw(medians, part, directory / f"paper-gosdt-{part}.png")
    rows = [
        {"dataset": name, "setting": setting, **ours, "them": published[name, "GOSDT", setting]}
        for (name, method, setting), ours in medians.items()
        if method == "GOSDT"
    ]
    for row in rows:
        row["equal"] = {measure: _same(row[measure], row["them"][measure]) for measure in MEASURES}
    by_name = {name: {row["setting"]: row for row in of} for (name,), of in grouped(rows, "dataset").items()}
    depths = [
        {"dataset": name, "depth": setting, **ours, **_rivals(published, name, setting)}
        for (name, method, setting), ours in medians.items()
        if method == "depth"
    ]
    return {
        "folds": rows,
        "fold_heads": ["λ", *by_name],
        "fold_cells": [
            [f"{penalty:g}", *(_cell(of[penalty]) if penalty in of else "" for of in by_name.values())]
            for penalty in REGULARIZATIONS
        ],
        "tied": [row for row in rows if not row["equal"]["test"]],
        "inside": sum(row["lowest"] - 0.005 <= row["them"]["test"] <= row["highest"] + 0.005 for row in rows),
        "depths": depths,
        "depths_equal": [row for row in depths if row["dl85_folds"] == N_FOLDS and _same(row["training"], row["dl85"])],
        "depths_whole": [row for row in depths if row["dl85_folds"] == N_FOLDS],
        "fold_seconds": sum(run["user_seconds"] for run in runs if run["method"] == "GOSDT"),
        "all_proven": all(run["proven"] for run in runs),
        "printed_trees": _printed(runs),
    }


def _medians(runs: Records) -> dict[str, Any]:
    names = [name for name in (*MEASURES, "lowest", "highest", "user_seconds") if name in runs[0]]
    of_name = {name: [run[name] for run in runs] for name in names}
    quarters = {f"{name}_quarters": np.percentile(of_name[name], [25, 75]).tolist() for name in MEASURES}
    return {**{name: float(np.median(values)) for name, values in of_name.items()}, **quarters}


def _same(value: float, printed: float) -> bool:
    return f"{value:.2f}" == f"{printed:.2f}"


def _cell(row: dict[str, Any]) -> str:
    test = f"{row['test']:.2f}" + ("" if row["equal"]["test"] else f" ({row['them']['test']:.2f})")
    return f"{row['leaves']:g} / {row['training']:.2f} / {test}"


def _rivals(published: dict[tuple[Any, ...], Any], name: str, depth: int) -> dict[str, Any]:
    cart, binoct, dl85 = (published[name, method, depth] for method in ("CART", "BinOCT", "DL8.5"))
    return {
        "cart": cart["training"],
        "binoct": binoct["training"],
        "dl85": dl85["training"],
        "dl85_folds": dl85["folds"],
        "dl85_seconds": dl85["seconds"],
    }


def _printed(runs: Records) -> Records:
    """Return of each printed tree the fold on which it has the accuracies that the paper prints."""
    shown = []
    for (source,), of in grouped((run for run in runs if run["method"] == "printed"), "dataset").items():
        printed = PRINTED_TREES[SOURCES[source]]
        values = printed["training"], printed["test"]
        same = [run for run in of if (round(run["printed_training"], 1), round(run["printed_test"], 1)) == values]
        # Of folds on which it is as good as printed, one where no smaller tree is.
        same.sort(key=lambda run: (-run["leaves"], run["fold"]))
        names = {"training_printed": values[0], "test_printed": values[1], "best": same[0]["training"]}
        shown.append({**printed, **same[0], **names, "n_same": len(same), "data": SOURCES[source]})
    return shown


def _draw(medians: dict[tuple[Any, ...], dict[str, Any]], part: str, path: Path) -> None:
    looks = {"CART": "x", "BinOCT": "+", "DL8.5": "^", "OSDT": "s", "GOSDT": "o"}
    names = list(SOURCES.values())
    names = [name for name in names if any(key[0] == name for key in medians)]
    with picture(path, 2.7 * -(-len(names) // 2) + 0.5) as figure:
        for axes, name in zip(panels(figure, len(names), 2), names, strict=True):
            for method, look in looks.items():
                of = [row for row in PUBLISHED if (row["dataset"], row["method"]) == (name, method)]
                fill: dict[str, Any] = {"fillstyle": "none"} if look in "so^" else {}
                points = [row["leaves"] for row in of], [row[part] for row in of]
                axes.plot(*points, look, markersize=5, label=f"{method}, published", **fill)
            ours = sorted(
                (of["leaves"], of[part], *of[f"{part}_quarters"])
                for key, of in medians.items()
                if key[:2] == (name, "GOSDT")
            )
            leaves, middle, low, high = (np.array(values) for values in zip(*ours, strict=True))
            bars = [middle - low, high - middle]
            style: dict[str, Any] = {
                "color": "black",
                "linewidth": 1,
                "elinewidth": 0.6,
                "markersize": 2.5,
                "zorder": 3,
            }
            axes.errorbar(leaves, middle, bars, fmt=".-", label="hornbeam, median and quartiles", **style)
            axes.set(title=name, xlabel="leaves", ylabel=f"{part} accuracy (%)")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
