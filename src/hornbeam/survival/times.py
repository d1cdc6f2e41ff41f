"""Read right-censored times: scikit-survival's structured array, or two columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_array


class Times(NamedTuple):
    """Right-censored times: whether each is that of an event, the times, and what the times are called."""

    events: npt.NDArray[np.bool_]
    times: npt.NDArray[np.float64]
    name: str


def read_times(y: Any) -> Times:
    """Return events and times.

    Parameters
    ----------
    y : structured array of shape (n_rows,), or array-like or data frame of shape (n_rows, 2)
        First whether the row had the event (booleans, or 0 and 1), then the time of the event or of censoring.

    Raises
    ------
    ValueError
        If there are not two fields or columns, an event is none of 0 and 1, or a time is negative, missing or infinite.
    TypeError
        If they are not numbers.
    """
    if hasattr(y, "to_records") and not isinstance(y, np.ndarray):  # pandas, whose columns have types of their own
        y = y.to_records(index=False)
    given = as_array("y", y)
    if given.dtype.names is not None:
        if len(given.dtype.names) != 2 or given.ndim != 1:
            raise ValueError(
                f"y has the fields {list(given.dtype.names)}; expected two: the event (bool), and the time (float)."
            )
        first, second = given.dtype.names
        return Times(_events(given[first], repr(first)), _times(given[second], repr(second)), str(second))
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(
            f"y has the shape {given.shape}; expected a structured array of events and times, as in scikit-survival, "
            "or two columns: whether the row had the event (0 or 1), and the time of the event or of censoring."
        )
    names = [str(name) for name in getattr(y, "columns", ("0", "1"))]
    return Times(
        _events(given[:, 0], f"column {names[0]}"),
        _times(given[:, 1], f"column {names[1]}"),
        names[1] if hasattr(y, "columns") else "time",
    )


def _numbers(values: npt.NDArray[Any], where: str) -> npt.NDArray[np.float64]:
    if values.dtype.kind not in "biufO":
        raise TypeError(f"y must hold numbers, got {where} of dtype {values.dtype}.")
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"y must hold numbers, got in {where}: {error}.") from None
    _refuse(np.isnan(numbers), numbers, f"Input y contains NaN: {where}", "a number")
    return numbers


def _refuse(is_wrong: npt.NDArray[np.bool_], values: npt.NDArray[Any], what: str, expected: str) -> None:
    rows = np.flatnonzero(is_wrong)
    if len(rows):
        raise ValueError(f"{what} is {values[rows[0]]:g} in row {rows[0]}; expected {expected}.")


def _events(values: npt.NDArray[Any], where: str) -> npt.NDArray[np.bool_]:
    if values.dtype.kind == "b":
        return values.astype(np.bool_)
    numbers = _numbers(values, where)
    what, expected = f"The event of y, {where},", "0 (censored) or 1, before the column of times"
    _refuse((numbers != 0) & (numbers != 1), numbers, what, expected)
    return np.asarray(numbers == 1)


def _times(values: npt.NDArray[Any], where: str) -> npt.NDArray[np.float64]:
    times = _numbers(values, where)
    _refuse(np.isinf(times), times, f"Input y contains infinity: {where}", "a finite time")
    _refuse(times < 0, times, f"The time of y, {where},", "a time of at least 0")
    return times
