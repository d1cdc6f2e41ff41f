"""Single values that are probably not meant as written: codes of missing values, varying spellings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

_LOW_CODES = frozenset({-99.0, -999.0, -9999.0, -99999.0, -999999.0})
_HIGH_CODES = frozenset({999.0, 9999.0, 99999.0, 999999.0})
_FEWEST_ROWS = 2
_FAR = 10  # a high code is so many ranges of the other values above them; it may be just a large value


def missing_code(values: npt.NDArray[Any]) -> tuple[int, int] | None:
    """Return a number that probably stands for a missing value, and the number of its rows; None if there is none.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        Numbers; NaN where missing.
    """
    low, high = float(values.min()), float(values.max())
    if low != low:  # NaN
        low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    # A code is the only extreme value: negative among numbers that are not, or far away from all others.
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
    """Return the first two strings, in order, that differ only in capitals or in surrounding spaces; None if none."""
    if len({str(value).strip().lower() for value in values}) == len(values):
        return None
    seen: dict[str, str] = {}
    for value in sorted(map(str, values)):
        first = seen.setdefault(value.strip().lower(), value)
        if first != value:
            return first, value
    return None
