"""The objectives of the GOSDT paper on its binary data: time to the proven optimum for each price of a leaf."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from sklearn.metrics import auc, roc_curve

from benchmarks import data
from benchmarks.papers import gosdt_four_class as four_class
from benchmarks.papers.measure import write_report
from benchmarks.report.markdown import number, table
from benchmarks.report.plots.canvas import save
from benchmarks.worker import stopwatch
from hornbeam import GOSDTClassifier, ThresholdBinarizer
from hornbeam.exceptions import NotProvenWarning

_BINARY = ("monk1", "monk2", "monk3", "tic-tac-toe", "car", "balance-scale", "compas", "bar7")
SOURCES = (*(f"{name}.bin" for name in _BINARY), four_class.NAME, four_class.PUBLISHED)
REGULARIZATIONS = (0.1, 0.05, 0.02, 0.01, 0.005)
REPEATS = 3  # of a fit of less than a second, of which the fastest counts


class Counts(NamedTuple):
    """Rows that are predicted wrongly, rows of each class, and rates of the curve that the leaves' shares make."""

    false_positives: int
    false_negatives: int
    positives: int
    negatives: int
    false_rates: data.Array
    true_rates: data.Array


class Objective(NamedTuple):
    """Parameters of the classifier, and its loss counted from what the tree says of the rows."""

    parameters: Mapping[str, Any]
    loss: Callable[[Counts], float]


def _area(n: Counts, largest: float) -> float:
    """Return the area under the curve up to a false positive rate."""
    within = n.false_rates < largest
    end = np.interp(largest, n.false_rates, n.true_rates)
    return float(auc(np.append(n.false_rates[within], largest), np.append(n.true_rates[within], end)))


THETA = 0.3
OBJECTIVES = {
    "accuracy": Objective({}, lambda n: (n.false_positives + n.false_negatives) / (n.positives + n.negatives)),
    "balanced": Objective({}, lambda n: (n.false_positives / n.negatives + n.false_negatives / n.positives) / 2),
    "weighted": Objective(
        {"omega": 2}, lambda n: (n.false_positives + 2 * n.false_negatives) / (2 * n.positives + n.negatives)
    ),
    "f1": Objective(
        {},
        lambda n: (n.false_positives + n.false_negatives) / (2 * n.positives + n.false_positives - n.false_negatives),
    ),
    "auc": Objective({}, lambda n: 1 - _area(n, 1.0)),
    "partial_auc": Objective({"theta": THETA}, lambda n: 1 - _area(n, THETA)),
}
_EXPLANATION = """\
User CPU seconds of a whole fit until its tree is proven best, in brackets the leaves of that tree; the fastest of
{repeats} fits where one takes less than a second. A fit that the limit of wall clock ended before its proof shows the
interval that holds the optimum; the limit was {limits}.
No limit of depth, all columns of the authors' binary files. *weighted*: a missed
positive costs {omega} false alarms. *f1*: 1 minus the F-score, exact over trees and labels of the leaves. *auc*: 1
minus the area under the ROC curve of the leaves' shares; *partial_auc*: 1 minus that up to a false positive rate of
{theta}. *searches*: how many searches for sums it took at each price of a leaf. Objectives are counted again from the
rows.
A time of 0 is one too short for the system's count of user CPU, which is unsure below some milliseconds.
"""


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all objectives to a data set."""
    common: dict[str, Any] = {"dataset": name, "limit": limit}
    if name == four_class.PUBLISHED:
        for source, (binarization, *_) in four_class.TIMES.items():
            table, labels = data.read(source)
            X, y = data.binarize(table, binarization), _codes(labels)
            _, fitted = _fit(X, y, "accuracy", four_class.PRICE_OF_TIMES, limit)
            yield {**common, "source": source, **fitted}
        return
    is_four_class = name == four_class.NAME
    table, labels = data.read(name)
    X, y = table if is_four_class else np.asarray(table, dtype=np.uint8), _codes(labels)
    for objective in OBJECTIVES:
        for price in (four_class.PRICE,) if is_four_class else REGULARIZATIONS:
            classifier, fitted = _fit(X, y, objective, price, limit, four_class.BINARIZER if is_four_class else None)
            tree = {"tree": classifier.tree_.to_json()} if is_four_class else {}
            yield {**common, "objective_name": objective, "regularization": price, **fitted, **tree}


def _codes(labels: Any) -> data.Array:
    return np.unique(np.asarray(labels), return_inverse=True)[1]


def _fit(
    X: Any, y: data.Array, name: str, price: float, limit: float, binarizer: ThresholdBinarizer | None = None
) -> tuple[GOSDTClassifier, dict[str, Any]]:
    objective = OBJECTIVES[name]
    parameters: dict[str, Any] = {"objective": name, **objective.parameters, "time_limit": limit}
    classifier = GOSDTClassifier(price, binarizer=binarizer, **parameters)
    seconds: list[float] = []
    cpu_seconds = []
    while not seconds or (len(seconds) < REPEATS and max(seconds) < 1):
        user_seconds, begin = stopwatch(), time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotProvenWarning)
            classifier.fit(X, y)
        seconds.append(user_seconds())
        cpu_seconds.append(time.process_time() - begin)
    wrong = classifier.predict(X) != y
    positive = y == 1
    sets = (wrong & ~positive, wrong & positive, positive, ~positive)
    false, true, _ = roc_curve(positive, classifier.predict_proba(X)[:, 1], drop_intermediate=False)
    false_positives, false_negatives, positives, negatives = (int(np.count_nonzero(rows)) for rows in sets)
    counts = Counts(false_positives, false_negatives, positives, negatives, false, true)
    loss = objective.loss(counts)
    return classifier, {
        "rows": len(y),
        "columns": classifier.statistics_["n_binary_columns"],
        "objective": loss + price * classifier.n_leaves_,
        "loss": loss,
        "area": _area(counts, 1.0),
        "claimed_objective": classifier.objective_,
        "lower_bound": classifier.lower_bound_,
        "leaves": classifier.n_leaves_,
        "proven": classifier.status_ == "optimal",
        "searches": classifier.statistics_.get("additive_searches", 1),
        "user_seconds": min(seconds),
        "cpu_seconds": min(cpu_seconds),
    }


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-gosdt.md`` and its picture."""
    by_row: dict[tuple[str, str], dict[float, dict[str, Any]]] = {}
    for record in records:
        if record["dataset"] not in (four_class.NAME, four_class.PUBLISHED):
            by_row.setdefault((record["dataset"], record["objective_name"]), {})[record["regularization"]] = record
    order = sorted(by_row, key=lambda key: (SOURCES.index(key[0]), list(OBJECTIVES).index(key[1])))
    heads = [f"λ {price:g}" for price in REGULARIZATIONS]
    seconds = [(*key, *_cells(by_row[key], _time), ", ".join(_cells(by_row[key], _searches))) for key in order]
    objectives = [(*key, *_cells(by_row[key], lambda one: f"{one['objective']:.6f}")) for key in order]
    picture = _draw(by_row, directory / "paper-gosdt.png")
    omega = OBJECTIVES["weighted"].parameters["omega"]
    return write_report(
        directory,
        "gosdt",
        "GOSDT paper, time to the proven optimum of each objective",
        records,
        _EXPLANATION.format(repeats=REPEATS, limits=_limits(records), omega=omega, theta=THETA),
        table(("data", "objective", *heads, "searches"), seconds, 2),
        f"![Fits proven within a time]({picture.name})\n",
        "## Objectives of the trees\n",
        table(("data", "objective", *heads), objectives, 2),
        *four_class.sections(records, directory),
    )


def _limits(records: list[dict[str, Any]]) -> str:
    """Return the limits, with their objectives if they differ."""
    names: dict[float, dict[str, None]] = {}
    for record in records:
        of_limit = names.setdefault(record["limit"], {})
        if "objective_name" in record:
            of_limit[record["objective_name"]] = None
    if len(names) == 1:
        return f"{next(iter(names)):g} s"
    return " or ".join(f"{limit:g} s ({', '.join(of)})" for limit, of in sorted(names.items()))


def _cells(runs: Mapping[float, dict[str, Any]], write: Callable[[dict[str, Any]], str]) -> list[str]:
    return [write(runs[price]) if price in runs else "" for price in REGULARIZATIONS]


def _searches(run: dict[str, Any]) -> str:
    return str(run["searches"])


def _time(run: dict[str, Any]) -> str:
    if not run["proven"]:
        return f"> {number(run['user_seconds'])} ({run['lower_bound']:.4f} to {run['objective']:.4f})"
    return f"{number(run['user_seconds'])} ({run['leaves']})"


def _draw(by_row: Mapping[tuple[str, str], Mapping[float, dict[str, Any]]], path: Path) -> Path:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for name in OBJECTIVES:
            runs = [run for key, row in by_row.items() if key[1] == name for run in row.values() if run["proven"]]
            times = sorted(max(1e-4, run["user_seconds"]) for run in runs)
            axes.step(times, range(1, len(times) + 1), where="post", label=name)
        axes.set(xscale="log", xlabel="user CPU seconds of a fit", ylabel="fits proven within it")
        axes.legend()

    return save(draw, 3.6, path)
