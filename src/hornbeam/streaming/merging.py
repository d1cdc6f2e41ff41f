"""Read a lazy table in batches: rows become codes, and the core merges and counts equal ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers import Binarizer, Conditions
from hornbeam.binarizers._conditions import Thresholds, evaluate_conditions
from hornbeam.fitting.reference import codes_of_predictions as codes_among_classes
from hornbeam.fitting.start_tree import Splits, tested_conditions
from hornbeam.fitting.training import TrainingData
from hornbeam.fitting.triples import MOST_LEVELS, least_distinct
from hornbeam.streaming.coding import (
    ColumnCoder,
    FlagCoder,
    MissingFlagError,
    ValueCoder,
    classes_of_labels,
    codes_of_labels,
    codes_of_predictions,
    codes_of_weights,
    streams_of_flags,
    values_of_rows,
)
from hornbeam.streaming.flags import PackedFlags
from hornbeam.streaming.passes import Report, Source, layout_of
from hornbeam.streaming.rows import StreamedRowReader
from hornbeam.streaming.source import boolean_columns
from hornbeam.streaming.spilling import SpilledRows
from hornbeam.streaming.triples import MOST_CONDITIONS, CountedTriples, TooManyClassesError, fill_cells
from hornbeam.streaming.values import Coder, DistinctValues
from hornbeam.table import Column, Table, TableSchema
from hornbeam.table.column import column_of_series

# Of a distinct row, besides what the core keeps: the codes of a column, its label, class, weight and count.
_BYTES_OF_ROW = 32
_REMEDY = "Use fewer conditions, for example binarizer='quantile', so that more rows are equal."
# Of what memory_limit leaves for merged rows before they go to disk; the search needs the rest.
_SHARE_OF_MEMORY = 0.5
# Where so many distinct rows are more than half of all, most of a larger table will be distinct. Rows may differ in
# their label alone: these are enough for the counts of triples of a table in memory, whatever its classes.
_LEAST_DISTINCT = 1 << 22


class StreamedRows(NamedTuple):
    """What the passes over a lazy table found."""

    training: TrainingData
    binarizer: Binarizer


def read_streamed(
    X: Any,
    y: Any,
    sample_weight: Any,
    binarizer: Binarizer,
    budget: Budget,
    report: Report,
    levels: int | None = None,
    start_trees: Sequence[Splits] = (),
    temporary_folder: str | os.PathLike[str] | None = None,
    reference: Any = None,
) -> StreamedRows:
    """Read a lazy table, and merge the rows that no condition tells apart.

    It is read once if all columns are booleans, else twice. Booleans whose rows hardly repeat are read once more, and
    kept as they are, one bit for each. A binarizer that needs rows, and not only distinct values, reads them once more.

    Parameters
    ----------
    X : lazy table
        See `is_streamed`.
    y : str
        Name of the column of labels.
    sample_weight : str or None
        Name of the column of weights.
    binarizer : Binarizer
        Unfitted; it is fitted on the distinct values of each column and, where it needs them, on rows.
    budget : Budget
        Its memory limits the distinct values and the merged rows.
    report : callable
        Called after each batch with the name of the pass and the rows read in it so far.
    levels : int or None, default=None
        Of the tree, if the counts of triples of conditions are enough where rows hardly repeat and all weigh the same.
    start_trees : sequence of Splits, default=()
        Trees from which the search may start: rows that they tell apart are not merged either.
    temporary_folder : str, path or None, default=None
        For rows that memory has no room for; see `ScratchFile`.
    reference : fitted estimator or None, default=None
        Predicts the rows of each batch; rows with different predictions are not merged.

    Returns
    -------
    StreamedRows
        One row for each different combination of results of the conditions, label and weight, in the order of first
        appearance; its numbers and categories are those of one of the rows that it stands for, or thresholds for
        sketched columns. Or all rows of a table of booleans, if they hardly repeat; the binarizer is then not fitted
        yet.

    Raises
    ------
    TypeError
        If `y` or `sample_weight` is not the name of a column.
    ValueError
        If there is no such column, no row or a single class, a column changes its type between batches, or a start tree
        tests a column that there is not.
    TimeoutError
        If the time limit of the budget is over before all rows have been read.
    MemoryError
        If `memory_limit` has no room for the distinct values, or for the label, weight and count of each merged row.
    OSError
        If rows cannot be written to the temporary folder.
    """
    source = Source(X, layout_of(X, y, sample_weight), budget, report, temporary_folder, reference)
    columns = source.layout.columns
    may_count = levels is not None and sample_weight is None and reference is None
    only_pairs = levels is not None and levels < MOST_LEVELS
    if set(columns) <= boolean_columns(X):
        of_flags = _read_flags(source, binarizer, may_count, only_pairs)
        if of_flags is not None:
            return StreamedRows(of_flags, binarizer)
    found, n_rows = _distinct_values(source, are_sketches=not binarizer._needs_all_values)
    distinct = [values.column() for values in found]
    table = _fit_binarizer(binarizer, source, distinct, n_rows)
    conditions = binarizer.conditions_.adding(tested_conditions(start_trees, table.schema))
    coders = _coders(conditions, [column for column, _ in distinct], [values.is_sketched for values in found])
    may_count = may_count and len(binarizer.conditions_) <= MOST_CONDITIONS
    try:
        merged = _merge_rows(source, coders, may_stop=may_count, may_spill=not may_count)
    except _HardlyRepeatError:
        triples = CountedTriples.of(binarizer.conditions_, [coder.answers for coder in coders], source, only_pairs)
        try:
            source.read("triples of conditions", lambda frame, _: triples.add(frame, coders))
            return StreamedRows(triples.training(table, *triples.triples()), binarizer)
        except TooManyClassesError:
            may_count = False
            merged = _merge_rows(source, coders, may_stop=False, may_spill=True)
    counted = None
    if may_count and merged.fill_cells(len(binarizer.conditions_)):
        counted = merged.triples(table, binarizer.conditions_, [coder.answers for coder in coders], only_pairs)
    return StreamedRows(counted or merged.training(table), binarizer)


def _read_flags(source: Source, binarizer: Binarizer, may_count: bool, only_pairs: bool) -> TrainingData | None:
    """Return the rows of columns of booleans; None if they hardly repeat, and cannot be counted or packed as bits."""
    flags = [FlagCoder(name) for name in source.layout.columns]
    try:
        merged = _merge_rows(source, flags, may_stop=source.reference is None, may_spill=not may_count)
        weights = None  # those of the counts, as rows weigh 1
        if source.layout.weight is not None:
            weights = (merged.weights() * merged.counter.counts()).astype(np.float64)
        totals = merged.counter.totals(weights, len(flags))
        distinct = [flag.distinct(total) for flag, total in zip(flags, totals, strict=True)]
        table = _fit_binarizer(binarizer, source, distinct, merged.n_rows)
        counted = None
        if may_count and merged.fill_cells(len(binarizer.conditions_)):
            answers = _answers(binarizer.conditions_, [flag.column() for flag in flags])
            counted = merged.triples(table, binarizer.conditions_, answers, only_pairs)
        return counted or merged.training(table)
    except _HardlyRepeatError:
        pass
    if may_count and len(flags) > MOST_CONDITIONS:
        return None
    if may_count:
        try:
            return _triples_of_flags(source, binarizer, only_pairs)
        except TooManyClassesError:
            pass
    return _packed_flags(source)


def _distinct_values(source: Source, *, are_sketches: bool) -> tuple[list[DistinctValues], int]:
    """Return the distinct values of each column, or sketches of those that have very many; and the number of rows."""
    found = [DistinctValues(name, are_sketches) for name in source.layout.columns]
    held = 0

    def add(frame: nw.DataFrame[Any], weights: npt.NDArray[Any]) -> None:
        nonlocal held
        for values in found:
            values.add(column_of_series(values.name, frame[values.name], None), weights)
        needed = sum(values.n_bytes() for values in found)
        remedy = "Round columns of many values, or use binarizer='quantile'."
        source.hold(needed - held, "the distinct values of the columns", remedy)
        held = needed

    return found, source.read("distinct values", add)


def _fit_binarizer(
    binarizer: Binarizer, source: Source, distinct: Sequence[tuple[Column, npt.NDArray[np.float64]]], n_rows: int
) -> Table:
    """Fit the binarizer on the distinct values of each column; return them as a table with columns of these lengths."""
    columns = [column for column, _ in distinct]
    schema = TableSchema(tuple(source.layout.columns), tuple(column.kind for column in columns), named=True)
    booleans = frozenset(index for index, column in enumerate(columns) if column.is_boolean)
    table = Table(schema, tuple(column.values for column in columns), booleans)
    rows = StreamedRowReader(source, table, n_rows)
    binarizer._fit_stream(table, [weights for _, weights in distinct], rows, source.budget)
    rows.release()
    return table


def _coders(conditions: Conditions, columns: Sequence[Column], are_sketched: Sequence[bool]) -> list[Coder]:
    """Return what turns each column into numbers, from the conditions on it."""
    runs = {run.column: run for run in conditions.runs if isinstance(run, Thresholds)}
    columns = [
        _with_thresholds(column, runs[index].thresholds) if is_sketched and index in runs else column
        for index, (column, is_sketched) in enumerate(zip(columns, are_sketched, strict=True))
    ]
    answers = _answers(conditions, columns)
    return [Coder(column, answer.view(bool)) for column, answer in zip(columns, answers, strict=True)]


def _answers(conditions: Conditions, columns: Sequence[Column]) -> list[npt.NDArray[np.uint8]]:
    """Return for each column whether each condition on it holds for its values; shape (n_conditions, n_values)."""
    results: list[list[npt.NDArray[np.bool_]]] = [[] for _ in columns]
    for run in conditions.runs:
        column = columns[run.column]
        # Each column is a table of its own here, since their distinct values differ in number.
        table = Table(
            TableSchema(tuple(each.name for each in columns), tuple(each.kind for each in columns)),
            tuple(column.values for _ in columns),
        )
        results[run.column] += list(evaluate_conditions(Conditions([run]), table))
    return [
        np.array(each, dtype=bool).reshape(len(each), len(column.values)).view(np.uint8)
        for column, each in zip(columns, results, strict=True)
    ]


def _with_thresholds(column: Column, thresholds: npt.NDArray[np.float64]) -> Column:
    """Return a sketched column with its thresholds in place of its values, which stand for all values below them."""
    missing = column.is_missing()
    above = column.values[~missing].max(initial=thresholds[-1])
    missing_value = [np.nan] if missing.any() else []
    values = np.concatenate([thresholds, [above] if above > thresholds[-1] else [], missing_value])
    return replace(column, values=values)


class _HardlyRepeatError(Exception):
    """Most rows of a table are distinct, and need not be kept."""


class _MergedRows:
    """Merged rows: their codes in each column, then those of their label, weight and prediction by a reference.

    Parameters
    ----------
    coders : sequence of ColumnCoder
    source : Source
        Its budget holds the memory of the rows.
    may_stop : bool
        Whether to raise `_HardlyRepeatError` when most rows are distinct, or no memory is left and they may not spill.
    may_spill : bool
        Whether rows go to temporary files when they take more than `_SHARE_OF_MEMORY`.
    """

    def __init__(self, coders: Sequence[ColumnCoder], source: Source, may_stop: bool, may_spill: bool) -> None:
        self._coders, self._source, self._may_stop, self._may_spill = coders, source, may_stop, may_spill
        self._are_flags = all(isinstance(coder, FlagCoder) for coder in coders)
        self.n_rows = 0
        self._labels, self._weights, self._predictions = ValueCoder(), ValueCoder(), ValueCoder()
        self._widths = self._needed_widths()
        self.counter: Any = _core.RowCounter(self._widths)
        self._spilled: SpilledRows | None = None
        self._held = 0

    def add(self, frame: nw.DataFrame[Any], weights: npt.NDArray[Any]) -> None:
        """Add the rows of a batch."""
        layout = self._source.layout
        others: list[Any] = [codes_of_weights(self._weights, weights)]
        if self._source.reference is not None:
            of_model = frame.select(layout.columns)
            others.append(codes_of_predictions(self._predictions, self._source.reference, of_model))
        if not (self._are_flags and self._add_flags(frame, others)):
            series = {column.name: column for column in frame.iter_columns()}  # one by one by name takes much longer
            codes = [coder.codes_of(series[name]) for name, coder in zip(layout.columns, self._coders, strict=True)]
            codes.append(codes_of_labels(self._labels, series[layout.target]))
            self._widen()
            self.counter.add([*codes, *others])
        self.n_rows += len(frame)
        needed = self.counter.n_bytes + _BYTES_OF_ROW * self.counter.n_rows
        budget = self._source.budget
        hardly_repeat = self._spilled is None and _LEAST_DISTINCT < self.counter.n_rows > self.n_rows / 2
        if self._may_stop and (hardly_repeat or not (self._may_spill or budget.fits(needed - self._held))):
            budget.release(self._held)
            raise _HardlyRepeatError
        if self._may_spill and not budget.fits(int(needed / _SHARE_OF_MEMORY) - self._held):
            self._spill()
            return
        self._source.hold(needed - self._held, "the distinct rows", _REMEDY)
        self._held = needed

    def _add_flags(self, frame: nw.DataFrame[Any], others: list[Any]) -> bool:
        """Add rows whose flags are counted as bits where they lie; none if a column has bytes or misses values."""
        layout = self._source.layout
        columns, labels = layout.columns, frame.get_column(layout.target)
        label: Any = layout.target
        if self._labels.are_flags and labels.dtype == nw.Boolean:
            streams = streams_of_flags(frame, [*columns, layout.target])
        else:
            streams, label = streams_of_flags(frame, columns), codes_of_labels(self._labels, labels)
        self._widen()
        return streams is not None and self.counter.add_flags(streams, [*columns, label, *others])

    def finish(self) -> None:
        """Merge what is on disk."""
        if self._spilled is None:
            return
        self._spill()
        self.counter = self._spilled.merged(self._source)
        self._source.hold(
            _BYTES_OF_ROW * self.counter.n_rows, "labels, weights and counts of the distinct rows", _REMEDY
        )

    def fill_cells(self, n_conditions: int) -> bool:
        """Return whether counting triples of conditions may take less time than a search over the rows."""
        n_codes = [*(coder.n_codes for coder in self._coders), self._labels.n_codes]
        return fill_cells(self.counter.n_rows, n_conditions, n_codes, self._source.budget)

    def triples(
        self, distinct: Table, conditions: Conditions, answers: Sequence[npt.NDArray[np.uint8]], only_pairs: bool
    ) -> TrainingData | None:
        """Return counts of triples of conditions in place of the rows, which all weigh the same; None of few rows."""
        counted = CountedTriples.of(conditions, answers, self._source, only_pairs, self._labels)
        n_distinct = counted.add_merged(self.counter, self._coders)
        if n_distinct <= least_distinct(len(conditions), self._labels.n_codes):
            counted.release()
            return None
        self._source.budget.release(self._held)
        return counted.training(distinct, *counted.triples())

    def weights(self) -> npt.NDArray[Any]:
        """Return the weight of one row of each of the merged rows."""
        weights: npt.NDArray[Any] = self._weights.values[self.counter.codes(len(self._coders) + 1)]
        return weights

    def training(self, distinct: Table) -> TrainingData:
        """Return the rows for the searches; their schema is that of the table of distinct values."""
        classes, class_of_code = classes_of_labels(self._labels)
        codes = class_of_code[self.counter.codes(len(self._coders))]
        counts = self.counter.counts()
        return TrainingData(
            Table(
                distinct.schema, values_of_rows(self._coders, self.counter), distinct.booleans, distinct.has_missing()
            ),
            classes[codes],
            codes,
            self.weights(),
            classes,
            self._source.layout.target,
            int(counts.sum()),
            slice(None),
            self._source.budget,
            self._reference(classes),
            counts,
        )

    def _reference(self, classes: npt.NDArray[Any]) -> npt.NDArray[np.int32] | None:
        """Return what the reference predicts for the rows."""
        if self._source.reference is None:
            return None
        code = self.counter.codes(len(self._coders) + 2)
        predictions: npt.NDArray[np.int32] = codes_among_classes(self._predictions.values, classes)[code]
        return predictions

    def _needed_widths(self) -> list[int]:
        """Return how many bits the codes of each column need."""
        sizes = [*(coder.n_codes for coder in self._coders), self._labels.n_codes, self._weights.n_codes]
        if self._source.reference is not None:
            sizes.append(self._predictions.n_codes)
        return [max(0, size - 1).bit_length() for size in sizes]

    def _spill(self) -> None:
        if self._spilled is None:
            self._spilled = SpilledRows(self._widths, self._source.temporary_folder)
        self._spilled.add(self.counter)
        self.counter = _core.RowCounter(self._widths)
        self._source.budget.release(self._held)
        self._held = 0

    def _widen(self) -> None:
        """Make room for codes that were not expected; the rows so far keep their order."""
        widths = self._needed_widths()
        if widths == self._widths:
            return
        if self._spilled is not None:
            self._spilled = self._spilled.widened(widths)
        wider = _core.RowCounter(widths)
        wider.add([self.counter.codes(column) for column in range(len(widths))], self.counter.counts())
        self.counter, self._widths = wider, widths


def _packed_flags(source: Source) -> TrainingData | None:
    """Return the rows of a table of booleans one by one; None if any value is missing."""
    rows = PackedFlags(source)
    try:
        source.read("rows", rows.add)
    except MissingFlagError:
        rows.release()
        return None
    return rows.training()


def _triples_of_flags(source: Source, binarizer: Binarizer, only_pairs: bool) -> TrainingData | None:
    """Return counts of triples of columns of booleans, read once.

    None if a value is missing, or the binarizer makes other conditions than the columns themselves: those that it
    leaves out may be what tells most rows apart.
    """
    flags = [FlagCoder(name) for name in source.layout.columns]
    counted = CountedTriples(range(len(flags)), [np.array([0, 1], dtype=np.uint8)] * len(flags), source, only_pairs)
    try:
        source.read("triples of conditions", lambda frame, _: counted.add_flags(frame, flags))
    except MissingFlagError:
        counted.release()
        return None
    classes, triples = counted.triples()
    n_rows = int(triples.totals.sum())
    totals = [triples.rows_of(((number, True),)).sum() for number in range(len(flags))]
    distinct = [flag.distinct(np.array([n_rows - n, n], np.float64)) for flag, n in zip(flags, totals, strict=True)]
    table = _fit_binarizer(binarizer, source, distinct, n_rows)
    answers = _answers(binarizer.conditions_, [flag.column() for flag in flags])
    are_flags = [answer.tolist() == [[0, 1]] for answer in answers]
    are_constant = [answer.size == 0 and total in (0, n_rows) for answer, total in zip(answers, totals, strict=True)]
    if not np.logical_or(are_flags, are_constant).all():
        counted.release()
        return None
    chosen = [condition.column for condition in binarizer.conditions_]
    return counted.training(table, classes, triples.of_conditions(chosen))


def _merge_rows(source: Source, coders: Sequence[ColumnCoder], *, may_stop: bool, may_spill: bool) -> _MergedRows:
    merged = _MergedRows(coders, source, may_stop, may_spill)
    source.read("distinct rows", merged.add)
    merged.finish()
    return merged
