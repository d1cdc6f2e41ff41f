"""A pass over a lazy table for some of its rows, or all, as a table in memory has them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam.binarizers._base import LabeledRows
from hornbeam.fitting.training import read_labels
from hornbeam.streaming.passes import Source
from hornbeam.table import Table
from hornbeam.table.column import as_kind, column_of_series

_BYTES_OF_CATEGORY = 64  # an object of Python, and the pointer to it
_REMEDY = "Use binarizer='auto', which needs 8,192 rows only, or 'quantile', which needs none."


class StreamedRowReader:
    """Reads rows of weight greater than zero, once more for each call of `read`.

    Parameters
    ----------
    source : Source
        Its budget holds the memory of the rows.
    distinct : Table
        The schema of the table, and which of its columns are booleans; its rows are not used.
    n_rows : int
    """

    def __init__(self, source: Source, distinct: Table, n_rows: int) -> None:
        self._source, self._distinct = source, distinct
        self.n_rows = n_rows
        self._held = 0

    def read(self, numbers: npt.NDArray[np.intp]) -> LabeledRows:
        """Return the rows with these ascending numbers.

        Raises
        ------
        MemoryError
            If `memory_limit` has no room for them.
        TimeoutError
            If the time limit is over.
        """
        layout, schema = self._source.layout, self._distinct.schema
        values: list[list[npt.NDArray[Any]]] = [[] for _ in layout.columns]
        labels, weights = [], []
        n_before = 0

        def add(frame: nw.DataFrame[Any], of_batch: npt.NDArray[Any]) -> None:
            nonlocal n_before
            first, last = np.searchsorted(numbers, [n_before, n_before + len(frame)])
            chosen = numbers[first:last] - n_before
            n_before += len(frame)
            if len(chosen) == 0:
                return
            if len(chosen) < len(frame):
                frame, of_batch = frame[chosen.tolist()], of_batch[chosen]
            for name, kind, parts in zip(layout.columns, schema.kinds, values, strict=True):
                parts.append(as_kind(column_of_series(name, frame[name], None), kind).values)
            labels.append(read_labels(frame[layout.target].to_native()))
            weights.append(of_batch)
            self._hold(sum(_bytes_of(part[-1]) for part in (*values, labels, weights)))

        self._source.read("rows for the conditions", add)
        # The parts of a column go when it is joined, so that no more than one column is in memory twice.
        joined = tuple(np.concatenate(values.pop(0)) for _ in layout.columns)
        table = Table(schema, joined, self._distinct.booleans)
        return LabeledRows(table, np.concatenate(labels), np.concatenate(weights))

    def release(self) -> None:
        """Stop counting the memory of the rows."""
        self._source.budget.release(self._held)
        self._held = 0

    def _hold(self, n_bytes: int) -> None:
        self._source.hold(n_bytes, "all rows, which the binarizer needs,", _REMEDY)
        self._held += n_bytes


def _bytes_of(values: npt.NDArray[Any]) -> int:
    return _BYTES_OF_CATEGORY * len(values) if values.dtype == object else values.nbytes
