"""The objectives of the GOSDT paper: time to the proven optimum, trees of the FourClass data, times of PyGOSDT."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import auc, balanced_accuracy_score, f1_score, roc_curve, zero_one_loss

from benchmarks import data
from benchmarks.papers.measure import Records, attributes, fit_seconds, grouped, read_rows, write_report
from benchmarks.report.markdown import number
from benchmarks.report.plots import picture
from hornbeam import GOSDTClassifier, ThresholdBinarizer
from hornbeam.plotting import plot_roc, plot_tree
from hornbeam.tree import Tree

FOUR_CLASS, PUBLISHED = "fourclass", "times of PyGOSDT"
SOURCES = (
    *(f"{name}.bin" for name in ("monk1", "monk2", "monk3", "tic-tac-toe", "car", "balance-scale", "compas", "bar7")),
    *(FOUR_CLASS, PUBLISHED),
)
REGULARIZATIONS = (0.1, 0.05, 0.02, 0.01, 0.005)
FOUR_CLASS_REGULARIZATION = 0.01
FOUR_CLASS_BINARIZER = ThresholdBinarizer(thresholds=dict.fromkeys(("feature1", "feature2"), (50, 100, 150)))
# How a data set is made binary, and the largest fit of it for which PyGOSDT's time is published.
TIMES = {row["dataset"]: row for row in read_rows("gosdt_published")}
TIMES_REGULARIZATION = 1 / 32
REPEATS = 3  # of a fit of less than a second, of which the fastest counts
THETA = 0.3


def _area(y: data.Array, shares: data.Array, most: float = 1.0) -> float:
    """Return the area under the ROC curve of the leaves' shares up to a false positive rate."""
    false, true, _ = roc_curve(y, shares, drop_intermediate=False)
    is_within = false < most
    return float(auc([*false[is_within], most], [*true[is_within], np.interp(most, false, true)]))


# Parameters of the classifier, and its loss counted from the predictions and the leaves' shares for the rows.
OBJECTIVES: dict[str, tuple[dict[str, Any], Callable[..., float]]] = {
    "accuracy": ({}, lambda y, predicted, shares: zero_one_loss(y, predicted)),
    "balanced": ({}, lambda y, predicted, shares: 1 - balanced_accuracy_score(y, predicted)),
    "weighted": ({"omega": 2}, lambda y, predicted, shares: zero_one_loss(y, predicted, sample_weight=1 + y)),
    "f1": ({}, lambda y, predicted, shares: 1 - f1_score(y, predicted)),
    "auc": ({}, lambda y, predicted, shares: 1 - _area(y, shares)),
    "partial_auc": ({"theta": THETA}, lambda y, predicted, shares: 1 - _area(y, shares, THETA)),
}


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all objectives to a data set."""
    if name == PUBLISHED:
        for source, row in TIMES.items():
            X, labels = data.read(source)
            columns = data.binarize(X, row["binarization"])
            _, fitted = _fit(columns, data.codes(labels), "accuracy", TIMES_REGULARIZATION, limit)
            yield {"source": source, **fitted}
        return
    is_four_class = name == FOUR_CLASS
    X, labels = data.read(name)
    X = X if is_four_class else np.asarray(X, dtype=np.uint8)
    for objective in OBJECTIVES:
        for regularization in (FOUR_CLASS_REGULARIZATION,) if is_four_class else REGULARIZATIONS:
            binarizer = FOUR_CLASS_BINARIZER if is_four_class else None
            classifier, fitted = _fit(X, data.codes(labels), objective, regularization, limit, binarizer)
            tree = {"tree": classifier.tree_.to_json()} if is_four_class else {}
            yield {"objective_name": objective, "regularization": regularization, **fitted, **tree}


def _fit(
    X: Any,
    y: data.Array,
    name: str,
    regularization: float,
    limit: float,
    binarizer: ThresholdBinarizer | None = None,
) -> tuple[GOSDTClassifier, dict[str, Any]]:
    parameters, loss_of = OBJECTIVES[name]
    parameters = {"objective": name, **parameters, "time_limit": limit}
    classifier = GOSDTClassifier(regularization, binarizer=binarizer, **parameters)
    seconds: list[float] = []
    cpu_seconds = []
    while not seconds or (len(seconds) < REPEATS and max(seconds) < 1):
        begin = time.process_time()
        seconds.append(fit_seconds(classifier, X, y))
        cpu_seconds.append(time.process_time() - begin)
    shares = classifier.predict_proba(X)[:, 1]
    loss = float(loss_of(y, classifier.predict(X), shares))
    return classifier, {
        "rows": len(y),
        "columns": classifier.statistics_["n_binary_columns"],
        "objective": loss + regularization * classifier.n_leaves_,
        "loss": loss,
        "area": _area(y, shares),
        "claimed_objective": classifier.objective_,
        **attributes(classifier, "lower_bound", leaves="n_leaves"),
        "proven": classifier.status_ == "optimal",
        "searches": classifier.statistics_.get("additive_searches", 1),
        "user_seconds": min(seconds),
        "cpu_seconds": min(cpu_seconds),
    }


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-gosdt.md`` and its pictures."""
    by_source = grouped(records, "dataset")
    trees, fits = by_source.get((FOUR_CLASS,), []), by_source.get((PUBLISHED,), [])
    order, names = SOURCES.index, list(OBJECTIVES).index
    timed = sorted(
        (one for one in records if one["dataset"] not in (FOUR_CLASS, PUBLISHED)),
        key=lambda one: (order(one["dataset"]), names(one["objective_name"])),
    )
    by_row = {
        key: {run["regularization"]: run for run in runs}
        for key, runs in grouped(timed, "dataset", "objective_name").items()
    }
    with picture(directory / "paper-gosdt.png", 3.6) as figure:
        axes = figure.subplots()
        for name in OBJECTIVES:
            runs = [run for run in timed if run["objective_name"] == name and run["proven"]]
            seconds = sorted(max(1e-4, run["user_seconds"]) for run in runs)
            axes.step(seconds, range(1, len(seconds) + 1), where="post", label=name)
        axes.set(xscale="log", xlabel="user CPU seconds of a fit", ylabel="fits proven within it")
        axes.legend()
    if trees:
        _draw_trees(trees, directory)
    for run in (*trees, *fits):
        run["seconds"] = ("" if run["proven"] else "> ") + number(run["cpu_seconds"])
    for run in fits:
        run["them"] = TIMES[run["source"]]
        run["ratio"] = run["them"]["seconds"] / run["cpu_seconds"] if run["proven"] else None
    return write_report(
        directory,
        "gosdt",
        records,
        repeats=REPEATS,
        limits=_limits(records),
        omega=OBJECTIVES["weighted"][0]["omega"],
        theta=THETA,
        heads=["data", "objective", *(f"λ {regularization:g}" for regularization in REGULARIZATIONS)],
        seconds=[
            (*key, *_cells(runs, _time), ", ".join(_cells(runs, lambda run: str(run["searches"]))))
            for key, runs in by_row.items()
        ],
        objectives=[(*key, *_cells(runs, lambda run: f"{run['objective']:.6f}")) for key, runs in by_row.items()],
        trees=trees,
        regularization=FOUR_CLASS_REGULARIZATION,
        fits=fits,
    )


def _limits(records: Records) -> str:
    """Return the limits, with their objectives if they differ."""
    names = {
        limit: dict.fromkeys(one["objective_name"] for one in of_limit if "objective_name" in one)
        for (limit,), of_limit in grouped(records, "limit").items()
    }
    if len(names) == 1:
        return f"{next(iter(names)):g} s"
    return " or ".join(f"{limit:g} s ({', '.join(of)})" for limit, of in sorted(names.items()))


def _cells(runs: Mapping[float, dict[str, Any]], write: Callable[[dict[str, Any]], str]) -> list[str]:
    return [write(runs[one]) if one in runs else "" for one in REGULARIZATIONS]


def _time(run: dict[str, Any]) -> str:
    if not run["proven"]:
        return f"> {number(run['user_seconds'])} ({run['lower_bound']:.4f} to {run['objective']:.4f})"
    return f"{number(run['user_seconds'])} ({run['leaves']})"


def _draw_trees(runs: Sequence[dict[str, Any]], directory: Path) -> None:
    trees = [Tree.from_json(run["tree"]) for run in runs]
    heights = [1 + tree.depth for tree in trees]
    with picture(directory / "paper-gosdt-fourclass.png", 0.9 * sum(heights)) as figure:
        parts = figure.subplots(len(runs), 2, width_ratios=(5, 3), height_ratios=heights, squeeze=False)
        for run, tree, (place, axes) in zip(runs, trees, parts, strict=True):
            place.axis("off")
            counts = tree.class_weights[tree.left < 0].round().astype(int)
            shares = counts[:, 1] / counts.sum(axis=1)
            classes = np.repeat([0, 1], counts.sum(axis=0))
            plot_roc(classes, np.concatenate([np.repeat(shares, column) for column in counts.T]), axes)
            axes.get_legend().remove()  # it would lie on the curve
            axes.set_title(f"{run['objective_name']}: area {run['area']:.4f}")
        for run, tree, place in zip(runs, trees, parts[:, 0], strict=True):
            plot_tree(tree, place, title=f"{run['objective_name']}: loss {run['loss']:.4f}")
