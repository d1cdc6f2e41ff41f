"""Figure 1 and theorem 3.1 of the GOSDT paper: thresholds at changes of class alone lose the optimum."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers.measure import Records
from hornbeam import GOSDTClassifier, ThresholdBinarizer

SOURCES = {"figure 1": "gosdt_fig1_bucketization"}
MAX_DEPTH = 2
PRINTED = {"every threshold": 93.5, "bucketization": 92.2}  # accuracy in per cent


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Find the most accurate trees over both kinds of thresholds."""
    X, labels = data.read(SOURCES[name])
    X, y = np.asarray(X, dtype=float), data.codes(labels)
    for thresholds, columns in (
        ("every threshold", ThresholdBinarizer().fit_transform(X)),
        ("bucketization", bucketized(X, y)),
    ):
        columns = np.asarray(columns, dtype=np.uint8)
        model = GOSDTClassifier(0, max_depth=MAX_DEPTH, binarizer=None, time_limit=limit).fit(columns, y)
        yield {
            "thresholds": thresholds,
            "columns": columns.shape[1],
            "rows": len(y),
            "correct": int((model.predict(columns) == y).sum()),
            "leaves": model.n_leaves_,
            "proven": model.status_ == "optimal",
        }


def bucketized(X: Array, y: Array) -> Array:
    """Return a column for each threshold between two neighboring values unless all their rows have one class."""
    columns = []
    for column in X.T:
        distinct = np.unique(column)
        classes = [set(y[column == value]) for value in distinct]
        cuts = (distinct[1:] + distinct[:-1]) / 2
        is_kept = [len(left | right) > 1 for left, right in pairwise(classes)]
        columns += [column <= cut for cut in cuts[is_kept]]
    return np.array(columns, dtype=np.uint8).T


def section(records: Records) -> list[dict[str, Any]]:
    """Return the rows of the table."""
    runs = [run for run in records if run["dataset"] in SOURCES]
    return [
        {**run, "accuracy": 100 * run["correct"] / run["rows"], "printed": PRINTED[run["thresholds"]]} for run in runs
    ]
