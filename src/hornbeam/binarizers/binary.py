"""Columns that are 0 and 1 already."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.binarizers._base import Binarizer
from hornbeam.binarizers._conditions import Ones
from hornbeam.table import Column, Table


class BinaryColumns(Binarizer):
    """Take columns that hold only 0 and 1 (or False and True) as they are: one condition ``column = 1`` each.

    Attributes
    ----------
    conditions_ : Conditions
        An `IsOne` for each column, in their order; also for constant columns.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only there if `fit` was given a data frame whose names are texts.

    Examples
    --------
    >>> from hornbeam.binarizers import BinaryColumns
    >>> BinaryColumns().fit([[0, 1], [1, 1]]).get_feature_names_out().tolist()
    ['x0 = 1', 'x1 = 1']
    """

    def _find_conditions(self, table: Table, y: Any, weights: npt.NDArray[Any]) -> Ones:
        if table.flags is None:
            for column in table.columns:
                _check_binary(column)
        return Ones(range(len(table.names)))


def _check_binary(column: Column) -> None:
    other = (column.values != 0) & (column.values != 1)
    if column.kind == "category" or np.any(other):
        found = "missing values" if column.is_missing().any() else repr(column.values[other].tolist()[0])
        raise ValueError(
            f"Column {column.name!r} of X must hold only 0 and 1 when binarizer=None, but holds {found}. Use "
            "binarizer='exact' or 'quantile', or binarize it first."
        )
