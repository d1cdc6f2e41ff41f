"""Counts of triples of conditions in place of the rows of a lazy table, which hardly repeat or are very many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers import Conditions
from hornbeam.fitting.training import TrainingData
from hornbeam.fitting.triples import Triples, least_distinct
from hornbeam.streaming.coding import (
    ColumnCoder,
    FlagCoder,
    MissingFlagError,
    ValueCoder,
    classes_of_labels,
    codes_of_labels,
    streams_of_flags,
)
from hornbeam.streaming.passes import Source
from hornbeam.table import Table

MOST_CONDITIONS = _core.MOST_TRIPLE_COLUMNS
_MOST_CLASSES = _core.MOST_TRIPLE_TARGETS
_REMEDY = "Use fewer conditions."
# Where merged rows fill the cells of all results of the conditions, triples are sums of the cells: there may be four
# cells for a row, and a number is kept for each.
_MOST_CELLS_OF_ROW = 4
_BYTES_OF_CELL = 16
_MOST_CELL_BITS = 24
_MOST_CODES = 1 << 16


def fill_cells(n_rows: int, n_conditions: int, n_codes: Sequence[int], budget: Budget) -> bool:
    """Return whether counting triples in the cells of all results of the conditions may take less than a search.

    Parameters
    ----------
    n_rows : int
        Of the merged rows.
    n_conditions : int
    n_codes : sequence of int
        Of each column, and of the labels.
    budget : Budget
    """
    n_cells = n_codes[-1] << min(n_conditions, _MOST_CELL_BITS + 1)
    is_dense = n_conditions <= _MOST_CELL_BITS and n_cells <= _MOST_CELLS_OF_ROW * n_rows
    are_few = n_codes[-1] <= _MOST_CLASSES and max(n_codes) <= _MOST_CODES
    may_be_enough = n_rows > least_distinct(n_conditions, n_codes[-1])
    return may_be_enough and is_dense and are_few and budget.fits(_BYTES_OF_CELL * n_cells)


class TooManyClassesError(Exception):
    """There are more classes than those for which triples of conditions are counted."""


class CountedTriples:
    """The rows of a lazy table, counted by triples of conditions.

    Parameters
    ----------
    columns : sequence of int
        The column of each condition.
    answers : sequence of ndarray of uint8 of shape (n_codes,)
        Whether each condition holds, by the code of a value.
    source : Source
        Its budget holds the memory of the counts.
    only_pairs : bool
        Whether the tree has at most two levels, which needs no triple of three different conditions.
    labels : ValueCoder or None, default=None
        Of the labels that have codes already.
    """

    def __init__(
        self,
        columns: Sequence[int],
        answers: Sequence[npt.NDArray[np.uint8]],
        source: Source,
        only_pairs: bool,
        labels: ValueCoder | None = None,
    ) -> None:
        self._source, self._only_pairs, self._labels = source, only_pairs, labels or ValueCoder()
        self._columns, self._answers = columns, answers
        self._counters: list[Any] = []
        self._held = 0

    @classmethod
    def of(
        cls,
        conditions: Conditions,
        answers: Sequence[npt.NDArray[np.uint8]],
        source: Source,
        only_pairs: bool,
        labels: ValueCoder | None = None,
    ) -> CountedTriples:
        """Return the counts of conditions, given their answers for each column; shape (n_conditions, n_codes)."""
        columns = [condition.column for condition in conditions]
        of_columns = [iter(each) for each in answers]  # of each in the order of the conditions
        return cls(columns, [next(of_columns[column]) for column in columns], source, only_pairs, labels)

    def add(self, frame: nw.DataFrame[Any], coders: Sequence[ColumnCoder]) -> None:
        """Add the rows of a batch, which all weigh the same.

        Raises
        ------
        TooManyClassesError
            If the classes of all batches so far are too many.
        """
        codes = [coder.codes_of(frame[name]) for name, coder in zip(self._source.layout.columns, coders, strict=True)]
        answers = zip(self._columns, self._answers, strict=True)
        columns = [answer[codes[column]] for column, answer in answers]
        labels = self._labels_of(frame)
        self._counters[-1].add(columns, labels)

    def add_flags(self, frame: nw.DataFrame[Any], flags: Sequence[FlagCoder]) -> None:
        """Add the rows of a batch, where the conditions are columns of booleans.

        Raises
        ------
        MissingFlagError
            If a value is missing.
        TooManyClassesError
            If the classes of all batches so far are too many.
        """
        layout = self._source.layout
        labels = self._labels_of(frame)
        streams = streams_of_flags(frame, layout.columns)
        if streams is not None and self._counters[-1].add_flags(streams, list(layout.columns), labels):
            return
        columns = [flag.codes_of(frame[name]) for name, flag in zip(layout.columns, flags, strict=True)]
        if any(flag.has_missing for flag in flags):
            raise MissingFlagError
        self._counters[-1].add(columns, labels)

    def _labels_of(self, frame: nw.DataFrame[Any]) -> npt.NDArray[np.uint8]:
        """Return the codes of the labels, for which the last counter has room."""
        labels: npt.NDArray[np.uint8] = codes_of_labels(self._labels, frame[self._source.layout.target])
        if self._labels.n_codes > _MOST_CLASSES:
            self.release()
            raise TooManyClassesError
        if not self._counters or self._labels.n_codes > self._counters[-1].totals().size:
            self._add_counter()
        return labels

    def add_merged(self, rows: Any, coders: Sequence[ColumnCoder]) -> int:
        """Add the rows of a `RowCounter`, whose first columns are those of the coders, and the next the labels.

        Return how many of them differ in the conditions.
        """
        self._add_counter()
        bits = [np.zeros(1 << (coder.n_codes - 1).bit_length(), dtype=np.uint32) for coder in coders]
        for number, (column, answer) in enumerate(zip(self._columns, self._answers, strict=True)):
            bits[column][: len(answer)] |= answer.astype(np.uint32) << np.uint32(number)
        n_distinct: int = self._counters[-1].add_merged(rows, bits)
        return n_distinct

    def _add_counter(self) -> None:
        n_bytes = 8 * self._labels.n_codes * len(self._columns) ** 3
        self._source.hold(n_bytes, "the counts of triples of conditions", _REMEDY)
        self._held += n_bytes
        self._counters.append(_core.TripleCounter(len(self._columns), self._labels.n_codes, self._only_pairs))

    def release(self) -> None:
        """Give back the memory of the counts, which are not needed."""
        self._source.budget.release(self._held)

    def triples(self) -> tuple[npt.NDArray[Any], Triples]:
        """Return the classes, and the counts of triples by class."""
        classes, class_of_code = classes_of_labels(self._labels)
        counts = np.zeros((len(classes), *[len(self._columns)] * 3), dtype=np.int64)
        totals = np.zeros(len(classes), dtype=np.int64)
        for counter in self._counters:
            for code, total in enumerate(counter.totals().tolist()):
                counts[class_of_code[code]] += counter.counts(code)
                totals[class_of_code[code]] += total
        return classes, Triples.of_sorted(counts, totals)

    def training(self, distinct: Table, classes: npt.NDArray[Any], triples: Triples) -> TrainingData:
        """Return a row for each class, which stands for all of its rows, with the triples of all or some conditions."""
        ones = np.ones(len(classes), dtype=np.int64)
        any_values = [values[[0] * len(classes)] for values in distinct.values]
        return TrainingData(
            Table(distinct.schema, any_values, distinct.booleans, distinct.has_missing()),
            classes,
            np.arange(len(classes), dtype=np.int32),
            ones,
            classes,
            self._source.layout.target,
            int(triples.totals.sum()),
            slice(None),
            self._source.budget,
            counts=triples.totals,
            triples=triples,
        )
