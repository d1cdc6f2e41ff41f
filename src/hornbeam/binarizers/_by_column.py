"""Parameters of binarizers that may differ from column to column: thresholds of the user's own, and decimals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hornbeam._checks import is_integer, shown
from hornbeam._dates import DATE_KINDS, PLURALS, thresholds_in_seconds
from hornbeam.binarizers._rounding import MOST_DECIMALS
from hornbeam.table import Column, Table


def own_thresholds(thresholds: Any, table: Table) -> dict[int, list[float]]:
    """Check the user's thresholds and return them by index of the column, sorted."""
    if thresholds is None:
        return {}
    if not isinstance(thresholds, Mapping):
        raise TypeError(
            "thresholds must be a dict from a column's name or index to a sequence of numbers, got "
            f"{type(thresholds).__name__}."
        )
    by_index = _by_index("thresholds", thresholds, table)
    return {index: _check_thresholds(table.column(index), values) for index, values in by_index.items()}


def decimals_of(decimals: Any, table: Table) -> list[int | None]:
    """Check the parameter `decimals` and return it for each column; None where thresholds have any number of digits.

    Raises
    ------
    TypeError
        If it is neither None, an integer nor a dict of integers.
    ValueError
        If an integer is out of range, or a key of the dict is not a column of numbers.
    """
    if not isinstance(decimals, Mapping):
        number = None if decimals is None else _check_decimals("decimals", decimals)
        return [number if kind == "number" else None for kind in table.schema.kinds]
    found: list[int | None] = [None] * len(table.names)
    for index, value in _by_index("decimals", decimals, table).items():
        name, kind = table.names[index], table.schema.kinds[index]
        if kind != "number":
            raise ValueError(f"decimals names column {name!r}, which holds {PLURALS[kind]}, not numbers.")
        found[index] = _check_decimals(f"decimals[{name!r}]", value)
    return found


def _check_decimals(name: str, value: Any) -> int:
    if not is_integer(value):
        either = "" if "[" in name else "None, a dict or "
        raise TypeError(f"{name} must be {either}an integer, got {shown(value)}.")
    if abs(value) > MOST_DECIMALS:
        raise ValueError(f"{name} must be between -{MOST_DECIMALS} and {MOST_DECIMALS}, got {shown(value)}.")
    return int(value)


def _by_index(parameter: str, values: Mapping[Any, Any], table: Table) -> dict[int, Any]:
    """Return the values of a dict by the index of the column that a key names."""
    found: dict[int, Any] = {}
    for key, value in values.items():
        index = _index_of(parameter, key, table)
        if index in found:
            raise ValueError(f"{parameter} names column {table.names[index]!r} twice, by name and by index.")
        found[index] = value
    return found


def _index_of(parameter: str, key: Any, table: Table) -> int:
    if isinstance(key, str) and key in table.names:
        return table.names.index(key)
    if is_integer(key) and int(key) in range(len(table.names)):
        return int(key)
    known = ", ".join(map(repr, table.names[:10])) + (", ..." if len(table.names) > 10 else "")
    raise ValueError(f"{parameter} names the unknown column {shown(key)}; the columns of X are {known}.")


def _check_thresholds(column: Column, values: Any) -> list[float]:
    if column.kind == "category":
        raise ValueError(f"thresholds names column {column.name!r}, which holds categories, not numbers.")
    if column.kind in DATE_KINDS:
        return thresholds_in_seconds(column.name, column.kind, values)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ValueError(f"thresholds[{column.name!r}] must be a sequence of finite numbers, got {shown(values)}.")
    return [float(number) for number in np.unique(numbers)]
