"""The filters of the explorer, and the sets of trees that they stand for.

The trees that test every one of some columns are counted by inclusion and exclusion: all trees, less those without one
of the columns, plus those without two of them, and so on. Each term is a restricted set.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import isfinite
from typing import Any

from hornbeam._checks import is_integer, shown
from hornbeam.explorer.restricted_sets import Restriction

MOST_ALWAYS = 4  # columns; 16 sets have to be found for them
_NAMES = {"never", "always", "max_leaves", "max_depth", "min_rows", "max_objective"}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which trees of the set are wanted.

    Attributes
    ----------
    never, always : frozenset of int
        Columns of the table that no tree tests, and that every tree tests.
    max_leaves, max_depth : int or None
        Largest number of leaves, and of edges from the root to a leaf. None: as in the set.
    min_rows : int
        Least number of rows in a leaf.
    max_objective : float or None
        Largest objective. None: the bound of the set.
    """

    never: frozenset[int] = frozenset()
    always: frozenset[int] = frozenset()
    max_leaves: int | None = None
    max_depth: int | None = None
    min_rows: int = 1
    max_objective: float | None = None

    def terms(self) -> list[tuple[int, Restriction]]:
        """Return the restricted sets whose numbers of trees are added (1) or subtracted (-1)."""
        columns = sorted(self.always)
        return [
            ((-1) ** size, Restriction(self.never | set(left_out), self.max_depth, self.min_rows))
            for size in range(len(columns) + 1)
            for left_out in combinations(columns, size)
        ]


def read_filters(record: Any, n_columns: int) -> Filters:
    """Read filters from plain values of a message.

    Parameters
    ----------
    record : dict or None
        Of the attributes of `Filters` that are not at their defaults; None: no filter.
    n_columns : int
        Number of columns of the table.

    Returns
    -------
    Filters

    Raises
    ------
    ValueError
        If a filter is unknown or out of range, or asks for columns that are always and never used.
    """
    record = {} if record is None else record
    if not isinstance(record, dict) or set(record) - _NAMES:
        raise ValueError(f"filters: expected some of {', '.join(sorted(_NAMES))}, got {shown(record)}.")
    never, always = (_columns(name, record.get(name), n_columns) for name in ("never", "always"))
    if never & always:
        raise ValueError("filters: a column cannot be both always and never used.")
    if len(always) > MOST_ALWAYS:
        raise ValueError(f"filters: at most {MOST_ALWAYS} columns can be always used, got {len(always)}.")
    objective = record.get("max_objective")
    if objective is not None and not (isinstance(objective, int | float) and isfinite(objective)):
        raise ValueError(f"max_objective: expected a number, got {shown(objective)}.")
    return Filters(
        never,
        always,
        _least("max_leaves", record.get("max_leaves"), 1),
        _least("max_depth", record.get("max_depth"), 0),
        _least("min_rows", record.get("min_rows"), 1) or 1,
        objective,
    )


def ticks_of(filters: Filters, bound: int, scale: Any) -> int:
    """Return the largest ticks of a wanted tree."""
    if filters.max_objective is None:
        return bound
    return min(bound, int(scale.most_ticks(Fraction(filters.max_objective) + Fraction(1, 10**12))))


def _columns(name: str, value: Any, n_columns: int) -> frozenset[int]:
    if value is None:
        return frozenset()
    if not isinstance(value, list) or not all(is_integer(one) and 0 <= one < n_columns for one in value):
        raise ValueError(
            f"{name}: expected a list of numbers of columns from 0 to {n_columns - 1}, got {shown(value)}."
        )
    return frozenset(map(int, value))


def _least(name: str, value: Any, least: int) -> int | None:
    if value is None:
        return None
    if not is_integer(value) or not least <= value < 1 << 31:
        raise ValueError(f"{name}: expected a whole number of at least {least}, got {shown(value)}.")
    return int(value)
