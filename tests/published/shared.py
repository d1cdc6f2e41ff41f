"""Reads the data sets of the ``shared`` folder beside the repository, and solves them as the papers state them."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from core.calls import call
from hornbeam import _core

SHARED = Path(__file__).resolve().parents[3] / "shared"

SCALE = 2**30
"""Ticks per row: fine enough that rounding lambda to ticks does not show in six decimals."""


@cache
def read(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the feature values (n_rows, n_features) as floats, and the codes of the classes."""
    with open(SHARED / "data" / f"{data}.csv", newline="") as file:
        _, *lines = csv.reader(file)
    classes = np.unique([line[-1] for line in lines], return_inverse=True)[1].astype(np.int32)
    return np.array([line[:-1] for line in lines], dtype=np.float64), classes


@cache
def as_is(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of 0/1 columns as it is: matrix (n_rows, n_columns) of uint8, class codes."""
    values, classes = read(data)
    assert set(np.unique(values)) == {0.0, 1.0}
    return values.astype(np.uint8), classes


@cache
def all_midpoints(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return one column ``value <= midpoint`` for each pair of neighboring values of each feature."""
    values, classes = read(data)
    columns = []
    for column in values.T:
        distinct = np.unique(column)
        columns += [column <= cut for cut in (distinct[1:] + distinct[:-1]) / 2]
    return np.array(columns, dtype=np.uint8).T, classes


def solve(matrix: np.ndarray, classes: np.ndarray, regularization: float, **limits: Any) -> _core.Outcome:
    """Minimize misclassified rows / n + regularization * leaves; costs are in units of 1 / SCALE rows."""
    n_rows, n_classes = len(classes), int(classes.max()) + 1
    outcome: _core.Outcome = call(
        _core.solve,
        columns=np.packbits(np.ascontiguousarray(matrix.T), axis=1, bitorder="little"),
        n_rows=n_rows,
        class_codes=classes,
        weights=np.ones(n_rows, np.int64),
        costs=SCALE * (1 - np.eye(n_classes, dtype=np.int64)),
        leaf_cost=round(regularization * n_rows * SCALE),
        **limits,
    )
    return outcome


def proven_objective(matrix: np.ndarray, classes: np.ndarray, regularization: float, **limits: Any) -> float:
    """Return the optimum, proven, as a fraction of the rows, rounded to the six decimals of the published values."""
    outcome = solve(matrix, classes, regularization, **limits)
    assert (outcome["status"], outcome["lower"]) == ("optimal", outcome["upper"])
    return round(outcome["upper"] / (len(classes) * SCALE), 6)
