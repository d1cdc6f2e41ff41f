"""Dates, times and durations as numbers of seconds, and these numbers as text.

Each of these kinds of columns is kept as seconds in float64, whole microseconds (exact from 1700 to 2240), NaN for
missing:

================  ===================================  ==========================
kind              seconds                              text
================  ===================================  ==========================
``date``          from 1970-01-01 to midnight          ``2023-05-01``
``datetime``      from 1970-01-01 00:00:00             ``2023-05-01 12:30:00``
``datetime_utc``  the same in UTC, with a time zone    ``2023-05-01 12:30:00 UTC``
``duration``      of the duration                      ``1 day 02:30:00``
``time``          since midnight                       ``12:30:00``
================  ===================================  ==========================
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

DateKind: TypeAlias = Literal["date", "datetime", "datetime_utc", "duration", "time"]

DATE_KINDS: tuple[DateKind, ...] = ("date", "datetime", "datetime_utc", "duration", "time")
PLURALS = {
    "number": "numbers",
    "category": "categories",
    "date": "dates",
    "datetime": "dates and times",
    "datetime_utc": "dates and times with a time zone",
    "duration": "durations",
    "time": "times of day",
}

Seconds: TypeAlias = npt.NDArray[np.float64]

_DAY = 86400
# Thresholds are rounded to the first of these units (in microseconds) that separates the same values.
_UNITS = (_DAY * 10**6, 3600 * 10**6, 60 * 10**6, 10**6, 10**3, 1)
_FAMILIES: tuple[tuple[type, ...], ...] = (
    (dt.date, np.datetime64),
    (dt.timedelta, np.timedelta64),
    (dt.time,),
)


def seconds_of_array(values: npt.NDArray[Any]) -> tuple[DateKind, Seconds]:
    """Return kind and seconds of an array of datetime64 or timedelta64; midnights only are dates."""
    is_duration = values.dtype.kind == "m"
    missing = np.isnat(values)
    seconds = values.astype("m8[us]" if is_duration else "M8[us]").astype(np.int64) / 1e6
    seconds[missing] = np.nan
    if is_duration:
        return "duration", seconds
    return ("date" if not np.any(seconds[~missing] % _DAY) else "datetime"), seconds


def seconds_of_cells(name: str, cells: Sequence[Any]) -> tuple[DateKind, Seconds] | None:
    """Return kind and seconds of Python objects, None for missing; None unless all are dates, durations or times.

    Raises
    ------
    ValueError
        If only some of the values have a time zone, or times of day have one.
    """
    present = [cell for cell in cells if cell is not None]
    types = set(map(type, present))
    families = [family for family in _FAMILIES if all(issubclass(cell_type, family) for cell_type in types)]
    if not present or not families:
        return None
    zoned = [getattr(cell, "tzinfo", None) is not None for cell in present]
    if families[0] == (dt.time,):
        if any(zoned):
            raise ValueError(f"Column {name!r} of X holds times of day with a time zone. Remove the time zone.")
        return "time", np.array([np.nan if cell is None else _seconds_of_day(cell) for cell in cells])
    if any(zoned):
        if not all(zoned):
            raise ValueError(
                f"Column {name!r} of X holds dates and times with and without a time zone. Give all of them one, or "
                "none."
            )
        cells = [None if cell is None else cell.astimezone(dt.timezone.utc).replace(tzinfo=None) for cell in cells]
    dtype = "m8[us]" if families[0] == _FAMILIES[1] else "M8[us]"
    missing = "NaT"
    kind, seconds = seconds_of_array(np.array([missing if cell is None else cell for cell in cells], dtype=dtype))
    return ("datetime_utc" if any(zoned) else kind), seconds


def is_date_type(cell_type: type) -> bool:
    """Return whether a type of Python objects holds dates, durations or times of day."""
    return any(issubclass(cell_type, family) for family in _FAMILIES)


def as_date_kind(seconds: Seconds, found: str, expected: str) -> Seconds | None:
    """Return the seconds of a column as another kind, or None if that is not possible.

    Dates and datetimes without a time zone are interchangeable; where dates are expected, the time of day is dropped.
    """
    if found == expected:
        return seconds
    if {found, expected} != {"date", "datetime"}:
        return None
    return seconds if expected == "datetime" else np.floor(seconds / _DAY) * _DAY


def date_text(seconds: float, kind: str) -> str:
    """Write seconds as text, see the table above."""
    micro = _micro(seconds)
    if kind == "duration":
        return _duration_text(micro)
    moment = np.datetime64(micro, "us")
    if kind == "date":
        return str(moment.astype("M8[D]"))
    day, time = str(moment).split("T")
    time = time.removesuffix(".000000")
    if kind == "time":
        return time
    return f"{day} {time}{' UTC' if kind == 'datetime_utc' else ''}"


def _duration_text(micro: int) -> str:
    days, rest = divmod(abs(micro), _DAY * 10**6)
    sign, time = "-" if micro < 0 else "", str(np.datetime64(rest, "us")).split("T")[1].removesuffix(".000000")
    if days == 0:
        return sign + time
    return f"{sign}{days} day{'s' if days != 1 else ''}{f' {time}' if rest else ''}"


def round_thresholds(thresholds: Seconds, values: Seconds) -> Seconds:
    """Return thresholds that separate the same values and are short to write: midnights if possible.

    Parameters
    ----------
    thresholds : ndarray of float64 of shape (n_thresholds,)
    values : ndarray of float64 of shape (n_values,)
        Values of the column, without missing ones; sorted.

    Returns
    -------
    ndarray of float64 of shape (n_thresholds,)
    """
    if not len(thresholds) or not len(values):
        return thresholds
    below = np.searchsorted(values, thresholds, side="right")
    between = (below > 0) & (below < len(values))
    low, high = (np.rint(values[below[between] + side] * 1e6).astype(np.int64) for side in (-1, 0))
    rounded, middle = low.copy(), np.rint(thresholds[between] * 1e6).astype(np.int64)
    for unit in reversed(_UNITS):  # the largest one that fits wins
        floor = middle // unit * unit
        for candidate in (floor + unit, floor):
            fits = (low <= candidate) & (candidate < high)
            rounded[fits] = candidate[fits]
    found = thresholds.copy()
    found[between] = rounded / 1e6
    return found


def thresholds_in_seconds(name: str, kind: str, values: Any) -> list[float]:
    """Read a user's thresholds for a column of dates: dates, durations or times of Python or NumPy, or strings.

    Raises
    ------
    ValueError
        If they are none of these, or of a different kind than the column.
    """
    try:
        cells = list(values)
        if kind in ("date", "datetime"):
            cells = [np.datetime64(cell, "us") if isinstance(cell, str) else cell for cell in cells]
        read = seconds_of_cells(name, cells)
        seconds = None if read is None else as_date_kind(read[1], read[0], kind)
    except (TypeError, ValueError):
        seconds = None
    if seconds is None or not np.isfinite(seconds).all():
        raise ValueError(f"thresholds[{name!r}] must be a sequence of {PLURALS[kind]}, got {values!r}.")
    return sorted(set(seconds.tolist()))


def datetime_of(seconds: float) -> dt.datetime:
    """Return seconds since 1970-01-01 as a Python object without time zone.

    Raises
    ------
    ValueError
        If it is outside the years 1 to 9999, which Python supports.
    """
    try:
        return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=_micro(seconds))
    except OverflowError:
        raise ValueError(f"{date_text(seconds, 'datetime')} is outside the years 1 to 9999.") from None


def _micro(seconds: float) -> int:
    return round(seconds * 1e6)


def _seconds_of_day(time: dt.time) -> float:
    return time.hour * 3600 + time.minute * 60 + time.second + time.microsecond / 1e6
