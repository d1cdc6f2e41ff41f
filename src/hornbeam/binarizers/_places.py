"""Where conditions of any origin stand among those of a binarizer, by the rows that they separate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam.binarizers._conditions import Conditions, Run, Thresholds
from hornbeam.conditions import Condition
from hornbeam.table import Column, Table


class Place(NamedTuple):
    """A condition that separates the same rows as another one."""

    position: int
    is_opposite: bool
    """Whether it holds where the other one fails."""


def places_of(wanted: Sequence[Condition], conditions: Conditions, table: Table) -> list[Place | None]:
    """Return for each condition one on the same column that separates the rows of a table in the same way.

    Parameters
    ----------
    wanted : sequence of Condition
    conditions : Conditions
        Among which to look.
    table : Table

    Returns
    -------
    list of Place or None
        None where there is no such condition.
    """
    columns = {condition.column for condition in wanted}
    runs: dict[int, list[_Counted]] = defaultdict(list)
    first = 0
    for run in conditions.runs:
        if run.column in columns:
            runs[run.column].append(_counted(run, first, table.column(run.column)))
        first += len(run) if isinstance(run, Thresholds) else 1
    return [_place(condition, runs[condition.column], table.column(condition.column)) for condition in wanted]


class _Counted(NamedTuple):
    """Conditions on one column, the position of the first, and in how many rows each threshold holds."""

    run: Run
    first: int
    n_at_most: npt.NDArray[np.intp]


def _counted(run: Run, first: int, column: Column) -> _Counted:
    if not isinstance(run, Thresholds):
        return _Counted(run, first, np.empty(0, dtype=np.intp))
    rising = np.sort(column.values.astype(np.float64, copy=False))  # missing values, which no threshold holds for, last
    return _Counted(run, first, np.searchsorted(rising, run.thresholds, side="right"))


def _place(condition: Condition, runs: Sequence[_Counted], column: Column) -> Place | None:
    holds = condition.holds(column)
    for run in runs:
        for index, answers in _candidates(run, column, int(np.count_nonzero(holds))):
            if np.array_equal(answers, holds):
                return Place(run.first + index, is_opposite=False)
            if np.array_equal(answers, ~holds):
                return Place(run.first + index, is_opposite=True)
    return None


def _candidates(counted: _Counted, column: Column, n_holds: int) -> Iterator[tuple[int, npt.NDArray[np.bool_]]]:
    """Return the conditions of a run that may hold in so many rows, or in all others, and where they hold."""
    run = counted.run
    if not isinstance(run, Thresholds):
        yield 0, run.holds(column)
        return
    values = column.values.astype(np.float64, copy=False)
    for n_rows in (n_holds, len(values) - n_holds):
        index = int(np.searchsorted(counted.n_at_most, n_rows))
        if index < len(run):
            yield index, values <= run.thresholds[index]
