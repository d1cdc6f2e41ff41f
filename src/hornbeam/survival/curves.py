"""Step functions of right-censored times: Nelson-Aalen and Kaplan-Meier, also weighted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class StepFunction:
    """A function that is constant between the times at which it jumps.

    Parameters
    ----------
    x : float64 ndarray of shape (n_times,)
        Rising times.
    y : float64 ndarray of shape (n_times,)
        The value from each time on, up to the next one.
    before : float
        The value before the first time.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam import StepFunction
    >>> curve = StepFunction(np.array([1.0, 3.0]), np.array([0.8, 0.5]), 1.0)
    >>> curve([0, 1, 2, 5]).tolist()
    [1.0, 0.8, 0.8, 0.5]
    """

    x: _Floats
    y: _Floats
    before: float

    def __repr__(self) -> str:
        """Say how many steps there are, and from which value to which; `x` and `y` may be long."""
        ends = f"from {self.before:g} to {self.y[-1]:g}" if len(self.y) else f"always {self.before:g}"
        return f"<StepFunction of {len(self.x)} {'step' if len(self.x) == 1 else 'steps'}, {ends}>"

    def __call__(self, times: Any) -> _Floats:
        """Return the values at these times; the last one for all later times."""
        at = np.searchsorted(self.x, np.asarray(times, dtype=np.float64), side="right")
        return np.asarray(np.append(self.before, self.y)[at])


def risk_tables(
    events: npt.NDArray[np.bool_],
    times: _Floats,
    weights: _Floats,
    at: _Floats,
    group: npt.NDArray[np.int32] | None = None,
    n_groups: int = 1,
) -> tuple[_Floats, _Floats]:
    """Return the weight of the events at each of some times, and of the rows that reach it, for each group of rows.

    Parameters
    ----------
    events : bool ndarray of shape (n_rows,)
        Whether the time of a row is that of its event.
    times, weights : float64 ndarray of shape (n_rows,)
        Time of event or censoring, and weight of each row.
    at : float64 ndarray of shape (n_times,)
        Rising times, which include those of all events.
    group : int32 ndarray of shape (n_rows,) or None, default=None
        The group of each row. None: all rows are in group 0.
    n_groups : int, default=1
        Number of groups.

    Returns
    -------
    happened, at_risk : float64 ndarray of shape (n_groups, n_times)
    """
    n_cells = len(at) + 1  # the rows of a cell reach as many times
    cells = _reached(at, times)
    if group is not None:
        cells += group * n_cells

    def by_cell(part: npt.NDArray[np.intp], weight: _Floats) -> _Floats:
        return np.bincount(part, weight, n_groups * n_cells).reshape(n_groups, n_cells).astype(np.float64)

    at_risk = np.cumsum(by_cell(cells, weights)[:, ::-1], axis=1)[:, ::-1]
    return by_cell(cells[events], weights[events])[:, 1:], at_risk[:, 1:]


def _reached(at: _Floats, times: _Floats) -> npt.NDArray[np.intp]:
    """Return how many of some rising times each time reaches; sorted times are looked up several times as fast."""
    order = np.argsort(times)
    reached = np.empty(len(times), dtype=np.intp)
    reached[order] = np.searchsorted(at, times[order], side="right")
    return reached


def _hazards(happened: _Floats, at_risk: _Floats) -> _Floats:
    return np.divide(happened, at_risk, out=np.zeros_like(happened), where=happened > 0)


def nelson_aalen(happened: _Floats, at_risk: _Floats) -> _Floats:
    """Return the cumulative hazard of each group at each time of its risk table."""
    return np.asarray(np.cumsum(_hazards(happened, at_risk), axis=1))


def kaplan_meier(happened: _Floats, at_risk: _Floats) -> _Floats:
    """Return the share of each group that survives each time of its risk table."""
    # All that are left may have an event, and sums of weights are rounded.
    return np.asarray(np.cumprod(np.clip(1 - _hazards(happened, at_risk), 0.0, 1.0), axis=1))


def cumulative_hazards(events: npt.NDArray[np.bool_], times: _Floats, weights: _Floats) -> _Floats:
    """Return the Nelson-Aalen estimate of all rows at the time of each."""
    at = np.unique(times[events])
    steps = np.append(0.0, nelson_aalen(*risk_tables(events, times, weights, at)))
    return np.asarray(steps[_reached(at, times)])
