"""The first pass over a lazy table: the distinct values of each column with their weights."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam._dates import PLURALS
from hornbeam.streaming.sketches import DistinctNumbers
from hornbeam.table import Column, Kind
from hornbeam.table.column import as_kind, column_of_series

_DATES = {"date", "datetime"}  # the first are datetimes that are all at midnight


def type_error(name: str, kind: Kind, other: Kind) -> ValueError:
    """Return the error that a column changes its type between batches."""
    return ValueError(
        f"Column {name!r} of X holds {PLURALS[other]} in some of its rows, and {PLURALS[kind]} in others. Convert it "
        "to one type in all files."
    )


class DistinctValues:
    """The distinct values of one column, added batch by batch, with the sum of the weights of each.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    is_sketch : bool, default=False
        Whether neighboring numbers may be added up where there are very many; see `DistinctNumbers`.
    """

    def __init__(self, name: str, is_sketch: bool = False) -> None:
        self.name = name
        self._kind: Kind | None = None
        self._is_boolean: bool | None = None
        self._has_missing, self._missing_weight = False, 0.0
        self._categories: dict[object, float] = {}
        self._numbers = DistinctNumbers(is_sketch)

    def add(self, column: Column, weights: npt.NDArray[Any]) -> None:
        """Add the rows of a batch.

        Raises
        ------
        ValueError
            If the values are of another kind than those of earlier batches.
        """
        missing = column.is_missing()
        if missing.any():
            self._has_missing = True
            self._missing_weight += float(weights[missing].sum())
            if missing.all():
                return
            column, weights = column.take(~missing), weights[~missing]
        self._join_kind(column)
        if column.kind == "category":
            for value, weight in zip(column.values.tolist(), weights.tolist(), strict=True):
                self._categories[value] = self._categories.get(value, 0.0) + weight
            return
        self._numbers.add(column.values, np.asarray(weights, dtype=np.float64))

    @property
    def is_sketched(self) -> bool:
        """Whether neighboring numbers were added up, so that some numbers of the column are not among the values."""
        return self._numbers.n_levels > 0

    def n_bytes(self) -> int:
        """Return the memory of the values, roughly."""
        return self._numbers.n_bytes() + 128 * len(self._categories)

    def column(self) -> tuple[Column, npt.NDArray[np.float64]]:
        """Return the distinct values as a column, ascending and the missing value last, and the weight of each."""
        if self._kind == "category":
            values = np.empty(len(self._categories) + self._has_missing, dtype=object)
            values[: len(self._categories)] = list(self._categories)
            weights = np.array([*self._categories.values(), *[self._missing_weight] * self._has_missing])
            return Column(self.name, "category", values), weights
        values, weights = self._numbers.result()
        if self._has_missing:
            values = np.append(values.astype(np.result_type(values.dtype, np.float32)), np.nan)
            weights = np.append(weights, self._missing_weight)
        return Column(self.name, self._kind or "number", values, bool(self._is_boolean)), weights

    def _join_kind(self, column: Column) -> None:
        self._is_boolean = column.is_boolean and self._is_boolean is not False
        if self._kind in (None, column.kind):
            self._kind = column.kind
        elif {self._kind, column.kind} == _DATES:
            self._kind = "datetime"
        else:
            raise type_error(self.name, self._kind, column.kind)


class Coder:
    """Turns the values of one column into small numbers: equal numbers where all conditions have equal results.

    Parameters
    ----------
    column : Column
        The distinct values.
    results : ndarray of bool of shape (n_conditions, n_values)
        Whether each condition on the column holds for each of them.
    """

    def __init__(self, column: Column, results: npt.NDArray[np.bool_]) -> None:
        packed = np.packbits(results, axis=0) if len(results) else np.zeros((1, len(column.values)), dtype=np.uint8)
        _, first, code = np.unique(packed, axis=1, return_index=True, return_inverse=True)
        self.n_codes = len(first)
        self._code: npt.NDArray[Any] = code.ravel().astype(np.uint8 if self.n_codes <= 1 << 8 else np.uint32)
        self._representatives = column.values[first]
        self.answers = np.ascontiguousarray(results[:, first]).view(np.uint8)
        """Whether each condition on the column holds, by code; shape (n_conditions, n_codes)."""
        self._column, self._missing = column, column.is_missing()
        self._number_of: dict[object, int] = {}
        if column.kind == "category":
            self._number_of = {value: index for index, value in enumerate(column.values)}
        # Then the flag is its own number: False sorts first, and its code is 0 if no condition holds for it.
        self._is_plain_flag = column.values.dtype == bool and self._code.tolist() == [0, 1]
        self._known = column.values[~self._missing] if column.kind != "category" else column.values

    def codes_of(self, series: nw.Series[Any]) -> npt.NDArray[Any]:
        """Return the number of each row of a batch, of type uint8 or uint32; shape (n_rows,)."""
        if self.n_codes == 1:  # a column without conditions is not even converted
            return np.zeros(len(series), dtype=np.uint8)
        column = column_of_series(self._column.name, series, None)
        if column.values.dtype == bool and self._is_plain_flag:
            return column.values.view(np.uint8)
        column = as_kind(column, self._column.kind)
        if self._column.kind == "category":
            number = np.fromiter(map(self._number_of.__getitem__, column.values), np.intp, len(column.values))
        elif len(self._known) == 2 and not self._missing.any() and column.values.dtype.kind in "biu":
            number = (column.values != self._known[0]).astype(np.intp)
        else:  # NaN, the last of the distinct values, comes after all numbers
            number = np.searchsorted(self._known, column.values)
        codes: npt.NDArray[Any] = self._code[number]
        return codes

    def values_of(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return for each number one of the values that it stands for."""
        values: npt.NDArray[Any] = self._representatives[codes]
        return values
