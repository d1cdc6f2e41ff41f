"""Single values of a column that are probably not meant as they stand: codes of missing values, varying spellings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

_LOW_CODES = frozenset({-99.0, -999.0, -9999.0, -99999.0, -999999.0})
_HIGH_CODES = frozenset({999.0, 9999.0, 99999.0, 999999.0})
_FEWEST_ROWS = 2
_FAR = 10  # ranges of the other values, for high codes, which may be large values


def missing_code(values: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Return a number that probably stands for a missing value, and in how many rows; None if there is none.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers; NaN where missing.
    """
    low, high = float(values.min()), float(values.max())
    if low != low:  # NaN
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if low in _LOW_CODES:
        rest = values[values > low]
        if len(rest) and (np.fmin.reduce(rest) >= 0 or np.fmin.reduce(rest) - low > np.ptp(rest)):
            return _counted(values, low)
    if high in _HIGH_CODES:
        rest = values[values < high]
        if len(rest) and high - np.fmax.reduce(rest) > _FAR * np.ptp(rest) > 0:
            return _counted(values, high)
    return None


def _counted(values: npt.NDArray[Any], code: float) -> tuple[int, int] | None:
    n_rows = int(np.count_nonzero(values == code))
    return (int(code), n_rows) if n_rows >= _FEWEST_ROWS else None


def spellings(values: Collection[Any]) -> tuple[str, str] | None:
    """Return two strings that differ only in capitals or in spaces around them, the first in order; None if none do."""
    if len({str(value).strip().lower() for value in values}) == len(values):
        return None
    seen: dict[str, str] = {}
    for value in sorted(map(str, values)):
        first = seen.setdefault(value.strip().lower(), value)
        if first != value:
            return first, value
    return None
