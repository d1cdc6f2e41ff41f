"""Read the training data of a regressor: table, numbers to predict, and sample weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils import column_or_1d

from hornbeam._budget import Budget
from hornbeam._checks import as_array, as_float, shown
from hornbeam.columns import warn_of_columns
from hornbeam.fitting.training import name_of_target, weighted_rows
from hornbeam.table import Table, is_missing_value, read_table
from hornbeam.tree.words import count


class NumericTraining(NamedTuple):
    """Rows of weight greater than zero, with the number to predict for each; see `TrainingRows`."""

    table: Table
    targets: npt.NDArray[np.float64]
    weights: npt.NDArray[Any]
    target_name: str
    budget: Budget
    codes: None = None
    counts: None = None
    triples: None = None
    reference: None = None

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.n_rows

    @property
    def labels(self) -> npt.NDArray[np.float64]:
        """The targets, for the binarizer."""
        return self.targets


def read_numeric_training(X: Any, y: Any, sample_weight: Any, user: str, budget: Budget) -> NumericTraining:
    """Read and check what `fit` was given, on behalf of `user` (a class name); rows of weight 0 are dropped.

    Raises
    ------
    ValueError
        If lengths differ, y is None or holds missing or infinite numbers, or weights are wrong.
    TypeError
        If `y` does not hold numbers, or a column of `X` holds values that are not numbers, strings or dates.

    Warns
    -----
    ColumnWarning
        If a column was probably not read as it is meant.
    """
    if y is None:
        raise ValueError(f"{user} requires y to be passed, but the target y is None")
    table = read_table(X)
    targets = read_targets(y)
    table, targets, weights, _ = weighted_rows(table, targets, sample_weight)
    warn_of_columns(table, X, None, 0)
    return NumericTraining(table, targets, weights, name_of_target(y), budget)


def read_targets(y: Any) -> npt.NDArray[np.float64]:
    """Return the numbers to predict; shape (n_rows,).

    Raises
    ------
    ValueError
        If a number is missing or infinite, or there are several columns.
    TypeError
        If they are not numbers.
    """
    given = as_array("y", y)
    if given.ndim != 1:
        if given.ndim == 2 and given.shape[1] > 1:
            raise ValueError(f"y has {given.shape[1]} columns, but a regressor of hornbeam predicts one number a row.")
        given = column_or_1d(given, warn=True)
    if given.dtype.kind not in "biufO":
        raise TypeError(f"y must hold numbers, got an array of dtype {given.dtype}.")
    targets = _from_objects(given) if given.dtype.kind == "O" else given.astype(np.float64)
    for wrong, what in ((np.isnan(targets), "NaN"), (np.isinf(targets), "infinity")):
        rows = np.flatnonzero(wrong)
        if len(rows):
            raise ValueError(
                f"Input y contains {what}: in {count(len(rows))}, first in row {rows[0]}. Remove or replace these "
                "targets."
            )
    return targets


def _from_objects(given: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return Python's numbers as float64, missing ones as NaN."""
    targets = np.empty(len(given))
    for row, value in enumerate(given.tolist()):
        try:
            targets[row] = np.nan if is_missing_value(value) else as_float(value)
        except (TypeError, ValueError):
            raise TypeError(f"y must hold numbers, got {shown(value)} in row {row}.") from None
    return targets
