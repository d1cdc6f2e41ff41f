"""The conditions of a binarizer, and their evaluation one after another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import AtMost, Condition, IsIn, IsOne
from hornbeam.table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterator


class Thresholds:
    """Conditions ``column <= threshold`` on one column with ascending thresholds, stored as one array.

    Parameters
    ----------
    column : int
    thresholds : array-like of shape (n_thresholds,)
        Strictly ascending.
    """

    __slots__ = ("column", "thresholds")

    def __init__(self, column: int, thresholds: npt.ArrayLike) -> None:
        self.column = column
        self.thresholds = np.asarray(thresholds, dtype=np.float64)

    def __len__(self) -> int:
        """Return the number of conditions."""
        return len(self.thresholds)

    def condition(self, index: int) -> AtMost:
        """Return one of the conditions."""
        return AtMost(self.column, float(self.thresholds[index]))


Run: TypeAlias = "Thresholds | Condition"


class Conditions(Sequence[Condition]):
    """A list of conditions that makes the object of a threshold only on access: there may be 10^5 of them.

    Parameters
    ----------
    parts : iterable of Condition or Thresholds

    Attributes
    ----------
    runs : tuple of Condition or Thresholds
        The same conditions in order: each longest run of `AtMost` on one column with ascending thresholds as one
        `Thresholds`, every other condition by itself.

    Examples
    --------
    >>> from hornbeam.conditions import AtMost, IsMissing
    >>> conditions = Conditions([AtMost(0, 1.5), AtMost(0, 2.5), IsMissing(0)])
    >>> len(conditions), len(conditions.runs), conditions[1]
    (3, 2, AtMost(column=0, threshold=2.5))
    """

    def __init__(self, parts: Iterable[Run]) -> None:
        self._runs = tuple(_join_thresholds(parts))
        self._ends = list(accumulate(map(_length, self._runs)))

    @property
    def runs(self) -> tuple[Run, ...]:
        """The conditions in runs."""
        return self._runs

    @property
    def n_runs(self) -> int:
        """Number of runs."""
        return len(self._runs)

    def take(self, indices: Sequence[int]) -> Conditions:
        """Return the conditions of these indices, which must ascend."""
        if len(indices) == len(self):
            return self
        wanted = np.asarray(indices, dtype=np.intp)
        starts = [0, *self._ends[:-1]]
        parts: list[Run] = []
        for run, first, end in zip(self._runs, starts, self._ends, strict=True):
            kept = wanted[np.searchsorted(wanted, first) : np.searchsorted(wanted, end)] - first
            if isinstance(run, Thresholds):
                parts.append(Thresholds(run.column, run.thresholds[kept]))
            elif len(kept) > 0:
                parts.append(run)
        return Conditions(parts)

    def adding(self, others: Iterable[Condition]) -> Conditions:
        """Return these conditions and others, each threshold in order among those of its column."""
        parts = list(self.runs)
        for condition in others:
            same = [i for i, run in enumerate(parts) if run.column == condition.column and len(_thresholds(run)) > 0]
            if isinstance(condition, AtMost) and same:
                merged = np.union1d(_thresholds(parts[same[0]]), condition.threshold)
                parts[same[0]] = Thresholds(condition.column, merged)
            else:
                parts.append(condition)
        return Conditions(parts)

    def __len__(self) -> int:
        """Return the number of conditions."""
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Condition: ...
    @overload
    def __getitem__(self, index: slice) -> list[Condition]: ...
    def __getitem__(self, index: int | slice) -> Condition | list[Condition]:
        """Return one condition, or the list of those of a slice."""
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        position = range(len(self))[index]
        at = bisect_right(self._ends, position)
        run = self.runs[at]
        return run.condition(position - self._ends[at]) if isinstance(run, Thresholds) else run

    def __iter__(self) -> Iterator[Condition]:
        """Make the conditions one after another."""
        for run in self.runs:
            if isinstance(run, Thresholds):
                yield from (AtMost(run.column, threshold) for threshold in run.thresholds.tolist())
            else:
                yield run

    def __eq__(self, other: object) -> bool:
        """Compare condition by condition; the other may be a list."""
        return isinstance(other, (Conditions, list, tuple)) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show a list."""
        return repr(list(self))


class Ones(Conditions):
    """The conditions ``column = 1`` on some columns, each made on access.

    Parameters
    ----------
    columns : sequence of int
        In ascending order.
    condition : type of IsOne, default=IsOne
        `IsOne`, or `IsTrue` for booleans.
    """

    def __init__(self, columns: Sequence[int], condition: type[IsOne] = IsOne) -> None:
        self.columns = columns
        self._condition = condition

    def take(self, indices: Sequence[int]) -> Ones:
        """Return the conditions of these indices, which must ascend."""
        return Ones([self.columns[index] for index in indices])

    @property
    def runs(self) -> tuple[IsOne, ...]:
        """Every condition by itself."""
        return tuple(map(self._condition, self.columns))

    @property
    def n_runs(self) -> int:
        """Number of conditions."""
        return len(self)

    def __len__(self) -> int:
        """Return the number of conditions."""
        return len(self.columns)

    @overload
    def __getitem__(self, index: int) -> IsOne: ...
    @overload
    def __getitem__(self, index: slice) -> list[Condition]: ...
    def __getitem__(self, index: int | slice) -> IsOne | list[Condition]:
        """Return one condition, or the list of those of a slice."""
        if isinstance(index, slice):
            return list(map(self._condition, self.columns[index]))
        return self._condition(self.columns[index])

    def __iter__(self) -> Iterator[IsOne]:
        """Make the conditions one after another."""
        return map(self._condition, self.columns)


def _thresholds(run: Run) -> npt.NDArray[np.float64]:
    if isinstance(run, Thresholds):
        return run.thresholds
    return np.array([run.threshold] if isinstance(run, AtMost) else [], dtype=np.float64)


def _length(run: Run) -> int:
    return len(run) if isinstance(run, Thresholds) else 1


def _join_thresholds(parts: Iterable[Run]) -> Iterator[Run]:
    rising: list[AtMost] = []
    for part in parts:
        if isinstance(part, AtMost):
            if rising and not (rising[-1].column == part.column and rising[-1].threshold < part.threshold):
                yield _joined(rising)
                rising = []
            rising.append(part)
            continue
        if rising:
            yield _joined(rising)
            rising = []
        if not isinstance(part, Thresholds) or len(part) > 0:
            yield part
    if rising:
        yield _joined(rising)


def _joined(rising: list[AtMost]) -> Run:
    if len(rising) == 1:  # kept as it is: its threshold may be NaN, which `check_tree` reports
        return rising[0]
    return Thresholds(rising[0].column, [condition.threshold for condition in rising])


def evaluate_conditions(conditions: Conditions, table: Table) -> Iterator[npt.NDArray[np.bool_]]:
    """Return for each condition in turn whether it holds for each row; shape (n_rows,)."""
    for categories, runs in by_categories(conditions):
        column = table.column(runs[0].column)
        if categories:  # one pass over the Python objects of a column instead of one for each category
            numbers = numbers_of(categories, column)
            yield from (numbers == number for number in range(len(runs)))
        elif isinstance(runs[0], Thresholds):
            values = column.values.astype(np.float64, copy=False)
            yield from (values <= threshold for threshold in runs[0].thresholds.tolist())
        else:
            yield runs[0].holds(column)


def by_categories(conditions: Conditions) -> Iterator[tuple[dict[object, int], list[Run]]]:
    """Return each run by itself, except that runs that test single categories of one column come together, numbered."""
    categories: dict[object, int] = {}
    runs: list[Run] = []
    for run in conditions.runs:
        category = run.values[0] if isinstance(run, IsIn) and len(run.values) == 1 else None
        if runs and (category is None or run.column != runs[0].column or category in categories):
            yield categories, runs
            categories, runs = {}, []
        if category is None:
            yield {}, [run]
            continue
        categories[category] = len(runs)
        runs.append(run)
    if runs:
        yield categories, runs


def numbers_of(categories: dict[object, int], column: Column) -> npt.NDArray[np.intp]:
    """Return the number of each row's category, and ``len(categories)`` for all others."""
    other = len(categories)
    return np.fromiter((categories.get(value, other) for value in column.values), np.intp, len(column.values))
