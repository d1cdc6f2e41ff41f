"""Thresholds between neighboring values, with as few digits as possible or with a given number of decimals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hornbeam import _core

MOST_DECIMALS = 22  # 10^22 is the largest power of ten that a double holds exactly

# In units of the last decimal: from here on doubles are at least a unit apart, so that each is nearest to a multiple.
_EVERY_DOUBLE = 2.0**53


def thresholds_between(values: npt.NDArray[np.float64], decimals: int | None) -> npt.NDArray[np.float64]:
    """Return a threshold ``low <= threshold < high`` for every two neighbors that have one of these decimals.

    Parameters
    ----------
    values : ndarray of float64 of shape (n_values,)
        Finite, strictly ascending.
    decimals : int or None
        Thresholds are multiples of ``10 ** -decimals``, each the double nearest to it. None: any number is allowed.

    Returns
    -------
    ndarray of float64 of shape (n_thresholds,)
        Ascending. The number with the fewest digits in the middle half of the gap if it is such a multiple, else the
        multiple nearest to the middle.
    """
    shortest = _core.thresholds_between(values)
    if decimals is None:
        return shortest
    low, high = values[:-1], values[1:]
    with np.errstate(over="ignore"):
        # Halves are added, because the sum of two huge numbers is infinite.
        wanted = np.rint(_in_units(low / 2 + high / 2, decimals))
        is_coarse = np.abs(wanted) < _EVERY_DOUBLE
        found = np.where(is_coarse, np.nan, shortest)
        # If there is a multiple in the gap, one is less than a unit from the middle; rounding errors move the middle by
        # less than two more. The nearest is written last.
        for step in (2, -2, 1, -1, 0):
            multiple = _of_units(wanted + step, decimals)
            fits = is_coarse & (low <= multiple) & (multiple < high)
            found[fits] = multiple[fits]
        is_short = is_coarse & (_of_units(np.rint(_in_units(shortest, decimals)), decimals) == shortest)
    found[is_short] = shortest[is_short]
    return found[~np.isnan(found)]


def _in_units(numbers: npt.NDArray[np.float64], decimals: int) -> npt.NDArray[np.float64]:
    power = 10.0 ** abs(decimals)
    return numbers * power if decimals >= 0 else numbers / power


def _of_units(multiples: npt.NDArray[np.float64], decimals: int) -> npt.NDArray[np.float64]:
    """Return the doubles nearest to these multiples of the unit; a zero has no sign, which would be written."""
    power = 10.0 ** abs(decimals)
    return (multiples / power if decimals >= 0 else multiples * power) + 0.0
