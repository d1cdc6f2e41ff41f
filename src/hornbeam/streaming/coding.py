"""Codes: small numbers for the values of a batch, from which the core packs and merges rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Protocol

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._checks import as_array
from hornbeam._flags import Flags
from hornbeam.fitting.training import check_classes, encode_labels, read_labels
from hornbeam.streaming.values import DistinctValues, type_error
from hornbeam.table import Column
from hornbeam.table.column import column_of_series

Codes = npt.NDArray[Any]
"""Of shape (n_rows,), of type uint8 or uint32."""
_MISSING = 2
_LEAST_CHUNK = 1 << 16  # mean number of rows of chunks from which on joining them takes longer than passing each


class ColumnCoder(Protocol):
    """Gives each row of a batch the code of its value in one column."""

    @property
    def n_codes(self) -> int:
        """How many codes there are so far."""

    def codes_of(self, series: nw.Series[Any]) -> Codes:
        """Return the code of each row."""

    def values_of(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values that codes stand for."""


def as_codes(numbers: npt.NDArray[Any], n_codes: int) -> Codes:
    """Return numbers below `n_codes` in the type that the core takes."""
    return np.ascontiguousarray(numbers, dtype=np.uint8 if n_codes <= 1 << 8 else np.uint32)


class MissingFlagError(Exception):
    """A column of booleans has missing values, for which one bit is not enough."""


class FlagCoder:
    """The codes of a column of booleans, which are known before it is read: False, True, missing.

    Parameters
    ----------
    name : str
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.n_codes = 2

    @property
    def has_missing(self) -> bool:
        """Whether a value was missing so far."""
        return self.n_codes > _MISSING

    def codes_of(self, series: nw.Series[Any]) -> Codes:
        """Return the code of each row."""
        if series.dtype == nw.Boolean and (values := series.to_numpy()).dtype == bool:
            return np.ascontiguousarray(values).view(np.uint8)
        column = column_of_series(self._name, series, None)
        missing = column.is_missing()
        if missing.any():
            self.n_codes = _MISSING + 1
        if not missing.all() and not column.is_boolean:
            raise type_error(self._name, "number", column.kind)
        return np.where(missing, _MISSING, column.values == 1).astype(np.uint8)

    def values_of(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the values that codes stand for."""
        known: npt.NDArray[Any] = np.array([False, True])
        if self.has_missing:
            known = np.array([0, 1, np.nan], dtype=np.float32)
        values: npt.NDArray[Any] = known[codes]
        return values

    def distinct(self, totals: npt.NDArray[np.float64]) -> tuple[Column, npt.NDArray[np.float64]]:
        """Return the distinct values of rows, given the total weight of each code, and their weights."""
        found, present = DistinctValues(self._name), np.flatnonzero(totals)
        found.add(Column(self._name, "number", self.values_of(present), True), totals[present])
        return found.column()

    def column(self) -> Column:
        """Return the values of all codes, by code."""
        return Column(self._name, "number", self.values_of(np.arange(self.n_codes)), True)


def streams_of_flags(frame: nw.DataFrame[Any], columns: Sequence[str]) -> list[Any] | None:
    """Return Arrow streams of columns of booleans, which hand their bits over; None if each takes a byte."""
    if not (frame.implementation.is_polars() or frame.implementation.is_pyarrow()):
        return None
    if len(columns) < len(frame.columns):
        frame = frame.select(columns)
    native = frame.to_native()
    if not hasattr(native, "__arrow_c_stream__"):
        return None
    return [part.__arrow_c_stream__() for part in (_chunks(native) if frame.implementation.is_polars() else [native])]


def _chunks(frame: Any) -> list[Any]:
    """Return a polars frame chunk by chunk, if these are large: its stream would first join them, bit by bit."""
    lengths = frame.to_series(0).chunk_lengths()
    if len(frame) < len(lengths) * _LEAST_CHUNK:
        return [frame]
    ends = accumulate(lengths)
    return [frame.slice(end - length, length) for end, length in zip(ends, lengths, strict=True)]


class ValueCoder:
    """The codes of labels or weights, given in the order of first appearance."""

    def __init__(self) -> None:
        self._code_of: dict[Any, int] = {}
        self._parts: list[npt.NDArray[Any]] = []

    @property
    def n_codes(self) -> int:
        """How many values there are so far."""
        return len(self._code_of)

    @property
    def are_flags(self) -> bool:
        """Whether False and True have the codes 0 and 1, and there are no others."""
        return list(self._code_of) == [False, True]

    @property
    def values(self) -> npt.NDArray[Any]:
        """The values by code."""
        return np.concatenate(self._parts) if self._parts else np.empty(0)

    def codes_of(self, distinct: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> Codes:
        """Return the code of each row, given the distinct values of a batch and the number of each row among them."""
        new = [place for place, value in enumerate(distinct.tolist()) if value not in self._code_of]
        for value in distinct[new].tolist():
            self._code_of[value] = len(self._code_of)
        self._parts += [distinct[new]] if new else []
        codes = np.array([self._code_of[value] for value in distinct.tolist()])
        of_rows: Codes = as_codes(codes, self.n_codes)[numbers]
        return of_rows

    def repeated(self, value: npt.NDArray[Any], n_rows: int) -> Codes | None:
        """Return the code of a value, an array of one, for so many rows; None if it is 0."""
        code = self.codes_of(value, np.zeros(1, dtype=np.intp))
        return np.full(n_rows, code[0]) if code[0] else None


def codes_of_labels(coder: ValueCoder, series: nw.Series[Any]) -> Codes:
    """Return the code of the label of each row."""
    if series.dtype == nw.Boolean and (values := series.to_numpy()).dtype == bool and 0 < values.sum() < len(values):
        return coder.codes_of(np.array([False, True]), values.view(np.uint8))
    return coder.codes_of(*encode_labels(read_labels(series.to_native())))


def classes_of_labels(coder: ValueCoder) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return the classes in order, and the number of the class that each code of a label stands for."""
    classes, class_of_code = encode_labels(read_labels(coder.values))
    check_classes(classes)
    return classes, class_of_code


def codes_of_predictions(coder: ValueCoder, reference: Any, X: nw.DataFrame[Any]) -> Codes:
    """Return the code of what a fitted model predicts for each row.

    Raises
    ------
    ValueError
        If it does not predict one label for each row.
    """
    predicted = as_array("reference", reference.predict(X.to_native()))
    if predicted.shape != (len(X),):
        raise ValueError(
            f"reference must predict one label for each row, got an array of shape {predicted.shape} for {len(X)} rows."
        )
    return coder.codes_of(*encode_labels(read_labels(predicted)))


def codes_of_weights(coder: ValueCoder, weights: npt.NDArray[Any]) -> Codes | None:
    """Return the code of the weight of each row; None if all are 0."""
    if weights.strides == (0,) or (weights == weights[0]).all():  # the first: one weight that stands for all rows
        return coder.repeated(weights[:1], len(weights))
    return coder.codes_of(*np.unique(weights, return_inverse=True))


def values_of_rows(coders: Sequence[ColumnCoder], counter: Any) -> Flags | CodedValues:
    """Return the columns of merged rows: as bits, which take less memory than their codes, if all are of one bit."""
    are_flags = all(isinstance(coder, FlagCoder) and not coder.has_missing for coder in coders)
    if not are_flags or not isinstance(counter, _core.RowCounter):  # those on disk stay there
        return CodedValues(coders, counter)
    bits = [np.packbits(counter.codes(column).astype(np.uint8), bitorder="little") for column in range(len(coders))]
    return Flags(np.array(bits), counter.n_rows, are_boolean=True)


class CodedValues(Sequence[npt.NDArray[Any]]):
    """The columns of merged rows: their values are made from codes on every access, since all would take much memory.

    Parameters
    ----------
    coders : sequence of ColumnCoder
    counter : RowCounter
        Its first columns are those of the coders.
    """

    def __init__(self, coders: Sequence[ColumnCoder], counter: Any) -> None:
        self._coders, self._counter = coders, counter

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self._coders)

    def __getitem__(self, index: Any) -> Any:
        """Return one column of shape (n_rows,), or the list of those of a slice."""
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        return self._coders[index].values_of(self._counter.codes(index))
