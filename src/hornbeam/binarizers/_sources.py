"""Columns of the table that a reference is fitted on, and the conditions that its splits become."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._dates import DATE_KINDS, round_thresholds
from hornbeam.binarizers._conditions import Conditions, evaluate_conditions
from hornbeam.binarizers._ensembles import Splits
from hornbeam.binarizers._rounding import thresholds_between
from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne, IsTrue, condition_of_ones
from hornbeam.table import Column, Table

Source = int | Condition
"""Source of a column of the reference's table: the numbers of a column, or whether a condition holds."""


def sources_of(table: Table) -> list[Source]:
    """Return the sources of the columns of the reference's table; constant columns have none."""
    return [source for index, column in enumerate(table.columns) for source in _of_column(index, column)]


def _of_column(index: int, column: Column) -> list[Source]:
    missing = column.is_missing()
    values = column.values[~missing]
    asks_missing: list[Source] = [IsMissing(index)] if missing.any() and not missing.all() else []
    if column.kind == "category":
        return [IsIn(index, (category,)) for category in sorted(set(values), key=str)] + asks_missing
    distinct = np.unique(values)
    if len(distinct) < 2:
        return asks_missing
    if column.kind == "number" and np.array_equal(distinct, [0, 1]):
        return [condition_of_ones(column.is_boolean)(index), *asks_missing]
    return [index, *asks_missing]


def values_of(sources: list[Source], table: Table) -> npt.NDArray[np.float64]:
    """Return the table that the reference is fitted on; shape (n_rows, n_sources)."""
    values = np.empty((table.n_rows, len(sources)))
    answers = evaluate_conditions(Conditions(source for source in sources if not isinstance(source, int)), table)
    for index, source in enumerate(sources):
        values[:, index] = _numbers(source, table) if isinstance(source, int) else next(answers)
    return values


def _numbers(index: int, table: Table) -> npt.NDArray[np.float64]:
    values = table.column(index).values.astype(np.float64) - _origin(index, table)
    missing = np.isnan(values)
    return np.where(missing, _above(values[~missing]), values) if missing.any() else values


def _origin(source: int, table: Table) -> float:
    """Return what is subtracted from a column for the reference: its float32 is too coarse for dates in seconds."""
    if table.schema.kinds[source] not in DATE_KINDS:
        return 0.0
    return float(np.nanmin(table.column(source).values))


def _above(values: npt.NDArray[np.float64]) -> float:
    """Return a number that is above all of these for float32, too."""
    most = float(values.max())
    return most + max(1.0, abs(most))


def conditions_of(splits: Splits, sources: Sequence[Source | None], table: Table) -> list[Condition]:
    """Return the conditions that the splits of a model become, in their order.

    Parameters
    ----------
    splits : Splits
    sources : sequence of Source or None
        What the columns of the model are; a split of a column that is None is left out.
    table : Table

    Returns
    -------
    list of Condition
    """
    found = {
        _condition(source, threshold, splits.precision, table)
        for index, threshold in splits.pairs
        if (source := sources[index]) is not None
    }
    conditions = sorted((condition for condition in found if condition is not None), key=order_of)
    if splits.are_cuts:
        return list({(one.column, _neighbors(one, table) or one): one for one in conditions}.values())
    return conditions


def _condition(source: Source, threshold: float, precision: type[np.floating[Any]], table: Table) -> Condition | None:
    """Return the condition of a split of the reference; None if all values of the column are above it."""
    if not isinstance(source, int):
        return source
    origin = _origin(source, table)
    values = table.column(source).values.astype(np.float64) - origin
    values = np.unique(values[~np.isnan(values)])
    n_below = int(np.searchsorted(values.astype(precision), threshold, side="right"))
    if n_below == 0:
        return None
    if n_below == len(values):  # only missing values are above all others
        return IsMissing(source) if table.column(source).is_missing().any() else None
    if not values[n_below - 1] <= threshold < values[n_below]:  # in another precision it has other neighbors
        threshold = float(_core.thresholds_between(values[n_below - 1 : n_below + 1])[0])
    if table.schema.kinds[source] in DATE_KINDS:
        threshold = float(round_thresholds(np.array([threshold + origin]), values + origin)[0])
    return AtMost(source, threshold)


def with_decimals(conditions: list[Condition], decimals: Sequence[int | None], table: Table) -> list[Condition]:
    """Move the thresholds of some columns to numbers of so many decimals; as few values as possible change sides.

    Parameters
    ----------
    conditions : list of Condition
    decimals : sequence of int or None
        Of each column; None: its thresholds stay.
    table : Table

    Returns
    -------
    list of Condition
        Sorted, without those of columns that have no such threshold, and without repetitions.
    """
    offered: dict[int, tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = {}
    moved: list[Condition] = []
    for condition in conditions:
        places = decimals[condition.column]
        if not isinstance(condition, AtMost) or places is None:
            moved.append(condition)
            continue
        if condition.column not in offered:
            column = table.column(condition.column)
            values = np.unique(column.values[~column.is_missing()]).astype(np.float64)
            offered[condition.column] = values, thresholds_between(values, places)
        values, thresholds = offered[condition.column]
        if len(thresholds) > 0:
            n_below = np.searchsorted(values, thresholds, side="right")
            n_moved = np.abs(n_below - np.searchsorted(values, condition.threshold, side="right"))
            moved.append(AtMost(condition.column, float(thresholds[np.argmin(n_moved)])))
    return sorted(set(moved), key=order_of)


def rounded(conditions: list[Condition], decimals: Sequence[int | None], table: Table) -> list[Condition]:
    """Round the thresholds to few digits, except those between the same two values, which would become equal.

    No row of the table changes sides. Columns with a number of decimals stay as they are.
    """
    gaps = [(condition.column, _neighbors(condition, table)) for condition in conditions]
    return [
        AtMost(column, float(_core.thresholds_between(np.array(neighbors))[0]))
        if neighbors and decimals[column] is None and gaps.count((column, neighbors)) == 1
        else condition
        for condition, (column, neighbors) in zip(conditions, gaps, strict=True)
    ]


def _neighbors(condition: Condition, table: Table) -> tuple[float, ...]:
    """Return the largest value up to a threshold and the smallest above it; nothing without both, or for dates."""
    if not isinstance(condition, AtMost) or table.schema.kinds[condition.column] in DATE_KINDS:  # rounded already
        return ()
    values = table.column(condition.column).values.astype(np.float64)
    below, above = values[values <= condition.threshold], values[values > condition.threshold]
    return (float(below.max()), float(above.min())) if below.size and above.size else ()


def order_of(condition: Condition) -> tuple[int, int, float, str]:
    """Return what sorts conditions by column, kind and threshold."""
    kind = (AtMost, IsOne, IsTrue, IsIn, IsMissing).index(type(condition))
    return condition.column, kind, getattr(condition, "threshold", 0.0), str(getattr(condition, "values", ""))
