"""The second pass over a lazy table: rows become numbers, and equal numbers are merged and counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam._budget import Budget
from hornbeam._checks import read_weights, shown
from hornbeam.binarizers import Binarizer, Conditions
from hornbeam.binarizers._conditions import evaluate_conditions
from hornbeam.fitting.training import TrainingData, check_classes, encode_labels, read_labels
from hornbeam.streaming.source import batches_of, column_names
from hornbeam.streaming.values import Coder, DistinctValues
from hornbeam.table import Column, Table, TableSchema
from hornbeam.table.column import column_of_series

_MOST_OF_WORD = 1 << 63
_LEAST_PENDING = 1 << 22
_BYTES_OF_MERGE = 3  # copies of the keys while they are sorted
Report = Callable[[str, int], None]


class StreamedRows(NamedTuple):
    """What two passes over a lazy table found."""

    training: TrainingData
    binarizer: Binarizer


class _Layout(NamedTuple):
    columns: list[str]
    target: str
    weight: str | None


class _Coding(NamedTuple):
    """What the numbers of a row stand for: those of its columns, then of its label and its weight."""

    columns: list[Coder]
    labels: npt.NDArray[Any]
    weights: npt.NDArray[Any]


def read_streamed(
    X: Any, y: Any, sample_weight: Any, binarizer: Binarizer, budget: Budget, report: Report
) -> StreamedRows:
    """Read a lazy table twice, and merge the rows that no condition tells apart.

    Parameters
    ----------
    X : lazy table
        See `is_streamed`.
    y : str
        Name of the column of labels.
    sample_weight : str or None
        Name of the column of weights.
    binarizer : Binarizer
        Unfitted; it is fitted on the distinct values of each column.
    budget : Budget
        Its memory limits the distinct values and the merged rows.
    report : callable
        Called after each batch with the name of the pass and the rows read in it so far.

    Returns
    -------
    StreamedRows
        One row for each different combination of results of the conditions, label and weight, in the order of first
        appearance; its numbers and categories are those of one of the rows that it stands for.

    Raises
    ------
    TypeError
        If `y` or `sample_weight` is no name of a column, or the binarizer needs whole rows.
    ValueError
        If there is no such column, no row or a single class, or a column changes its type between batches.
    MemoryError
        If `memory_limit` has no room for the distinct values or for the merged rows.
    """
    layout = _layout(X, y, sample_weight)
    found, labels, weight_values = _first_pass(X, layout, budget, report)
    columns, weights = zip(*(values.column() for values in found), strict=True)
    schema = TableSchema(tuple(layout.columns), tuple(column.kind for column in columns), named=True)
    booleans = frozenset(index for index, column in enumerate(columns) if column.is_boolean)
    table = Table(schema, tuple(column.values for column in columns), booleans)
    binarizer._fit_distinct_values(table, weights)
    coding = _Coding(_coders(binarizer, columns), labels, weight_values)
    codes, counts = _second_pass(X, layout, coding, budget, report)
    return StreamedRows(_training(codes, counts, coding, table, layout.target, budget), binarizer)


def _layout(X: Any, y: Any, sample_weight: Any) -> _Layout:
    names = column_names(X)
    for parameter, name in (("y", y), ("sample_weight", sample_weight)):
        if name is None and parameter == "sample_weight":
            continue
        if not isinstance(name, str):
            raise TypeError(
                f"{parameter} must be the name of a column of X, since X is a {type(X).__name__}, which is read in "
                f"batches; got {shown(name)}."
            )
        if name not in names:
            known = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
            raise ValueError(f"{parameter}={name!r} is no column of X, whose columns are {known}.")
    columns = [name for name in names if name not in (y, sample_weight)]
    if not columns:
        raise ValueError(f"X has no column but the target {y!r} and the weights.")
    return _Layout(columns, y, sample_weight)


def _weights_of(frame: nw.DataFrame[Any], layout: _Layout) -> npt.NDArray[Any]:
    return read_weights(None if layout.weight is None else frame[layout.weight].to_numpy(), len(frame))


def _present(frame: nw.DataFrame[Any], layout: _Layout) -> tuple[nw.DataFrame[Any], npt.NDArray[Any]]:
    """Return the rows of weight greater than zero, and their weights."""
    weights = _weights_of(frame, layout)
    if layout.weight is None or weights.min() > 0:
        return frame, weights
    rows = np.flatnonzero(weights > 0)
    return frame[rows.tolist()], weights[rows]


def _first_pass(
    X: Any, layout: _Layout, budget: Budget, report: Report
) -> tuple[list[DistinctValues], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the distinct values of the columns, the classes, and the distinct weights."""
    found = [DistinctValues(name) for name in layout.columns]
    labels: npt.NDArray[Any] | None = None
    all_weights: npt.NDArray[Any] = np.empty(0, dtype=np.int64)
    n_rows = held = 0
    for frame in batches_of(X):
        n_rows += len(frame)
        frame, weights = _present(frame, layout)
        if len(frame) > 0:
            for name, values in zip(layout.columns, found, strict=True):
                values.add(column_of_series(name, frame[name], None), weights)
            new = encode_labels(read_labels(frame[layout.target].to_native()))[0]
            labels = new if labels is None else encode_labels(read_labels(np.concatenate([labels, new])))[0]
            all_weights = np.unique(np.concatenate([all_weights, np.unique(weights)]))
        needed = sum(values.n_bytes() for values in found)
        _hold(budget, needed - held, "the distinct values of the columns", "Round columns of many values.")
        held = needed
        report("distinct values", n_rows)
    if labels is None:
        raise ValueError("X holds no row" + (" of a weight greater than zero." if n_rows else "."))
    check_classes(labels)
    return found, labels, all_weights


def _hold(budget: Budget, n_bytes: int, what: str, remedy: str) -> None:
    if n_bytes > 0 and not budget.fits(n_bytes):
        raise MemoryError(f"memory_limit has no room for {what} of X. {remedy} Or set a larger memory_limit.")
    budget.hold(n_bytes)


def _coders(binarizer: Binarizer, columns: Sequence[Column]) -> list[Coder]:
    """Return what turns each column into numbers, from the conditions on it."""
    results: list[list[npt.NDArray[np.bool_]]] = [[] for _ in columns]
    for run in binarizer.conditions_.runs:
        column = columns[run.column]
        # Each column is a table of its own here, since their distinct values differ in number.
        table = Table(
            TableSchema(tuple(each.name for each in columns), tuple(each.kind for each in columns)),
            tuple(column.values for _ in columns),
        )
        results[run.column] += list(evaluate_conditions(Conditions([run]), table))
    return [
        Coder(column, np.array(each, dtype=bool).reshape(len(each), len(column.values)))
        for column, each in zip(columns, results, strict=True)
    ]


class _Merged:
    """Rows as numbers in mixed radix, in as many words as they need, merged and counted."""

    def __init__(self, sizes: Sequence[int], budget: Budget) -> None:
        self._budget, self._held = budget, 0
        self._groups: list[list[int]] = [[]]
        for index, size in enumerate(sizes):
            if prod(sizes[other] for other in self._groups[-1]) * size >= _MOST_OF_WORD:
                self._groups.append([])
            self._groups[-1].append(index)
        self._sizes = sizes
        self._parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []
        self._n_merged = self._n_pending = self._n_rows = 0

    def add(self, codes: Sequence[npt.NDArray[Any]]) -> None:
        n_rows = len(codes[0])
        words = np.zeros((len(self._groups), n_rows), dtype=np.int64)
        for word, group in zip(words, self._groups, strict=True):
            for index in group:
                word *= self._sizes[index]
                word += codes[index]
        first = np.arange(self._n_rows, self._n_rows + n_rows)
        self._parts.append(_merge(words, np.ones(n_rows, dtype=np.int64), first))
        self._n_rows += n_rows
        self._n_pending += len(self._parts[-1][1])
        if self._n_pending > max(_LEAST_PENDING, self._n_merged):
            self._merge_all()
        self._check_memory()

    def finish(self) -> tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
        """Return the codes of each column and the counts of the distinct rows, in the order of first appearance."""
        self._merge_all()
        words, counts, first = self._parts.pop()
        order = np.argsort(first)
        codes: list[npt.NDArray[np.int64]] = [np.empty(0, dtype=np.int64)] * len(self._sizes)
        for word, group in zip(words[:, order], self._groups, strict=True):
            for index in reversed(group):
                word, codes[index] = np.divmod(word, self._sizes[index])
        self._budget.release(self._held)
        return codes, counts[order]

    def _merge_all(self) -> None:
        words, counts, first = zip(*self._parts, strict=True)
        self._parts = [_merge(np.concatenate(words, axis=1), np.concatenate(counts), np.concatenate(first))]
        self._n_merged, self._n_pending = len(self._parts[0][1]), 0

    def _check_memory(self) -> None:
        needed = _BYTES_OF_MERGE * 8 * (len(self._groups) + 2) * (self._n_merged + self._n_pending)
        remedy = "Use fewer conditions, for example binarizer='quantile', so that more rows are equal."
        _hold(self._budget, needed - self._held, "the distinct rows", remedy)
        self._held = needed


def _merge(
    words: npt.NDArray[np.int64], counts: npt.NDArray[np.int64], first: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Merge equal rows: sum their counts, and keep the number of the first one."""
    order = np.argsort(words[0], kind="stable") if len(words) == 1 else np.lexsort(words)
    words = words[:, order]
    starts = np.flatnonzero(np.append(True, (words[:, 1:] != words[:, :-1]).any(axis=0)))
    return words[:, starts], np.add.reduceat(counts[order], starts), np.minimum.reduceat(first[order], starts)


def _second_pass(
    X: Any, layout: _Layout, coding: _Coding, budget: Budget, report: Report
) -> tuple[list[npt.NDArray[np.int64]], npt.NDArray[np.int64]]:
    sizes = [*(coder.n_codes for coder in coding.columns), len(coding.labels), len(coding.weights)]
    merged, n_rows = _Merged(sizes, budget), 0
    for frame in batches_of(X):
        n_rows += len(frame)
        frame, weights = _present(frame, layout)
        if len(frame) > 0:
            zeros = np.zeros(len(frame), dtype=np.intp)  # a column without conditions is not even converted
            codes: list[npt.NDArray[Any]] = [
                coder.codes(column_of_series(name, frame[name], None)) if coder.n_codes > 1 else zeros
                for name, coder in zip(layout.columns, coding.columns, strict=True)
            ]
            codes.append(np.searchsorted(coding.labels, read_labels(frame[layout.target].to_native())))
            codes.append(np.searchsorted(coding.weights, weights))
            merged.add(codes)
        report("distinct rows", n_rows)
    return merged.finish()


def _training(
    codes: Sequence[npt.NDArray[np.int64]],
    counts: npt.NDArray[np.int64],
    coding: _Coding,
    values: Table,
    target: str,
    budget: Budget,
) -> TrainingData:
    *of_columns, classes, weights = codes
    columns = tuple(coder.representatives.values[code] for coder, code in zip(coding.columns, of_columns, strict=True))
    return TrainingData(
        Table(values.schema, columns, values.booleans),
        coding.labels[classes],
        classes.astype(np.int32),
        coding.weights[weights],
        coding.labels,
        target,
        int(counts.sum()),
        slice(None),
        budget,
        counts=counts,
    )
