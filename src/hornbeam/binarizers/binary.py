"""Columns that already hold only 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.binarizers._base import Binarizer
from hornbeam.binarizers._conditions import Ones, Run
from hornbeam.conditions import condition_of_ones
from hornbeam.table import Column, Table


class BinaryColumns(Binarizer):
    """Use columns that hold only 0 and 1, or False and True, as they are: ``column = 1`` or ``column is true``.

    Attributes
    ----------
    conditions_ : Conditions
        One `IsOne` per column, or `IsTrue` for booleans; also for constant columns.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `fit` was given a data frame whose column names are strings.

    Examples
    --------
    >>> from hornbeam.binarizers import BinaryColumns
    >>> BinaryColumns().fit([[0, 1], [1, 1]]).get_feature_names_out().tolist()
    ['x0 = 1', 'x1 = 1']
    """

    def _find_conditions(self, table: Table, y: Any, weights: npt.NDArray[Any]) -> Iterable[Run]:
        if table.flags is not None:
            return Ones(range(len(table.names)), condition_of_ones(table.flags.are_boolean))
        for column in table.columns:
            _check_binary(column)
        return [condition_of_ones(column.is_boolean)(index) for index, column in enumerate(table.columns)]

    def _of_distinct_values(self, table: Table, weights: Sequence[npt.NDArray[Any]]) -> Iterable[Run]:
        return self._find_conditions(table, None, np.empty(0))


def _check_binary(column: Column) -> None:
    other = (column.values != 0) & (column.values != 1)
    if column.kind == "category" or np.any(other):
        found = "missing values" if column.is_missing().any() else repr(column.values[other].tolist()[0])
        raise ValueError(
            f"Column {column.name!r} of X must hold only 0 and 1 when binarizer=None, but holds {found}. Use "
            "binarizer='exact' or 'quantile', or binarize it first."
        )
