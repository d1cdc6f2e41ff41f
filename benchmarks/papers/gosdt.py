"""The objectives of the GOSDT paper on its binary data: time to the proven optimum for each price of a leaf."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from benchmarks import data
from benchmarks.papers.measure import setting, user_seconds
from benchmarks.report.markdown import number, table
from benchmarks.report.plots.canvas import save
from hornbeam import GOSDTClassifier
from hornbeam.exceptions import NotProvenWarning

SOURCES = (
    "monk1.bin",
    "monk2.bin",
    "monk3.bin",
    "tic-tac-toe.bin",
    "car.bin",
    "balance-scale.bin",
    "compas.bin",
    "bar7.bin",
)
REGULARIZATIONS = (0.1, 0.05, 0.02, 0.01, 0.005)
REPEATS = 3  # of a fit of less than a second, of which the fastest counts


class Counts(NamedTuple):
    """Rows that are predicted wrongly, and rows of each class."""

    false_positives: int
    false_negatives: int
    positives: int
    negatives: int


class Objective(NamedTuple):
    """Parameters of the classifier, and its loss counted from what the tree says of the rows."""

    parameters: Mapping[str, Any]
    loss: Callable[[Counts], float]


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
}
_EXPLANATION = """\
User CPU seconds of a whole fit until its tree is proven best, in brackets the leaves of that tree; the fastest of
{repeats} fits where one takes less than a second. A fit that {limit:g} s of wall clock ended before its proof shows the
interval that holds the optimum. No limit of depth, all columns of the authors' binary files. *weighted*: a missed
positive costs {omega} false alarms. *f1*: 1 minus the F-score, exact over trees and labels of the leaves; *searches*:
how many searches for sums it took at each price of a leaf. Objectives are counted again from the rows.
"""


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all objectives to a data set.

    Parameters
    ----------
    name : str
        Of `SOURCES`.
    limit : float
        Seconds of wall clock for each search.

    Yields
    ------
    dict
        One for each objective and price of a leaf.
    """
    table, labels = data.read(name)
    X, y = np.asarray(table, dtype=np.uint8), np.unique(np.asarray(labels), return_inverse=True)[1]
    for objective in OBJECTIVES:
        for price in REGULARIZATIONS:
            yield {
                "paper": "gosdt",
                "dataset": name,
                "objective_name": objective,
                "regularization": price,
                "limit": limit,
                "rows": len(y),
                "columns": X.shape[1],
                **_fit(X, y, objective, price, limit),
            }


def _fit(X: data.Array, y: data.Array, name: str, price: float, limit: float) -> dict[str, Any]:
    objective = OBJECTIVES[name]
    parameters: dict[str, Any] = {"objective": name, **objective.parameters, "binarizer": None, "time_limit": limit}
    classifier = GOSDTClassifier(price, **parameters)
    seconds: list[float] = []
    while not seconds or (len(seconds) < REPEATS and max(seconds) < 1):
        begin = user_seconds()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotProvenWarning)
            classifier.fit(X, y)
        seconds.append(user_seconds() - begin)
    wrong = classifier.predict(X) != y
    positive = y == 1
    sets = (wrong & ~positive, wrong & positive, positive, ~positive)
    counts = Counts(*(int(np.count_nonzero(rows)) for rows in sets))
    return {
        "objective": objective.loss(counts) + price * classifier.n_leaves_,
        "claimed_objective": classifier.objective_,
        "lower_bound": classifier.lower_bound_,
        "leaves": classifier.n_leaves_,
        "proven": classifier.status_ == "optimal",
        "searches": classifier.statistics_.get("additive_searches", 1),
        "user_seconds": min(seconds),
    }


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-gosdt.md`` and its picture.

    Parameters
    ----------
    records : list of dict
        What `records_of` gave.
    directory : Path
        Where to.

    Returns
    -------
    Path
        The Markdown file.
    """
    by_row: dict[tuple[str, str], dict[float, dict[str, Any]]] = {}
    for record in records:
        by_row.setdefault((record["dataset"], record["objective_name"]), {})[record["regularization"]] = record
    order = sorted(by_row, key=lambda key: (SOURCES.index(key[0]), list(OBJECTIVES).index(key[1])))
    heads = [f"λ {price:g}" for price in REGULARIZATIONS]
    seconds = [(*key, *_cells(by_row[key], _time), _searches(by_row[key])) for key in order]
    objectives = [(*key, *_cells(by_row[key], lambda one: f"{one['objective']:.6f}")) for key in order]
    picture = _draw(by_row, directory / "paper-gosdt.png")
    explanation = _EXPLANATION.format(
        repeats=REPEATS,
        limit=max(record["limit"] for record in records),
        omega=OBJECTIVES["weighted"].parameters["omega"],
    )
    path = directory / "paper-gosdt.md"
    path.write_text(
        "\n".join(
            [
                "# GOSDT paper, time to the proven optimum of each objective\n",
                setting(records),
                explanation,
                table(("data", "objective", *heads, "searches"), seconds, 2),
                f"![Fits proven within a time]({picture.name})\n",
                "## Objectives of the trees\n",
                table(("data", "objective", *heads), objectives, 2),
            ]
        ),
        encoding="utf-8",
    )
    return path


def _cells(runs: Mapping[float, dict[str, Any]], write: Callable[[dict[str, Any]], str]) -> list[str]:
    return [write(runs[price]) if price in runs else "" for price in REGULARIZATIONS]


def _time(run: dict[str, Any]) -> str:
    if not run["proven"]:
        return f"> {number(run['user_seconds'])} ({run['lower_bound']:.4f} to {run['objective']:.4f})"
    return f"{number(run['user_seconds'])} ({run['leaves']})"


def _searches(runs: Mapping[float, dict[str, Any]]) -> str:
    return ", ".join(_cells(runs, lambda run: str(run["searches"])))


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
