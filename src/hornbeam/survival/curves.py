"""Step functions of right-censored times: Nelson-Aalen and Kaplan-Meier, also weighted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
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

    def __call__(self, times: Any) -> _Floats:
        """Return the values at these times; the last one for all later times."""
        at = np.searchsorted(self.x, np.asarray(times, dtype=np.float64), side="right")
        return np.asarray(np.append(self.before, self.y)[at])


def _risk_table(
    events: npt.NDArray[np.bool_], times: _Floats, weights: _Floats, at: _Floats
) -> tuple[_Floats, _Floats]:
    """Return the weight of the events at each of the rising times `at`, and of the rows that reach it."""
    order = np.argsort(times, kind="stable")
    ordered, later = times[order], np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
    at_risk = later[np.searchsorted(ordered, at, side="left")]
    happened = np.bincount(np.searchsorted(at, times[events]), weights[events], len(at)).astype(np.float64)
    return happened, at_risk.astype(np.float64)


def nelson_aalen(events: npt.NDArray[np.bool_], times: _Floats, weights: _Floats, at: _Floats) -> _Floats:
    """Return the cumulative hazard at each of the rising times `at`, which include those of all events."""
    happened, at_risk = _risk_table(events, times, weights, at)
    return np.asarray(np.cumsum(np.divide(happened, at_risk, out=np.zeros_like(at), where=happened > 0)))


def kaplan_meier(events: npt.NDArray[np.bool_], times: _Floats, weights: _Floats, at: _Floats) -> _Floats:
    """Return the share that survives each of the rising times `at`, which include those of all events."""
    happened, at_risk = _risk_table(events, times, weights, at)
    hazard = np.divide(happened, at_risk, out=np.zeros_like(at), where=happened > 0)
    # All that are left may have an event, and sums of weights are rounded.
    return np.asarray(np.cumprod(np.clip(1 - hazard, 0.0, 1.0)))


def cumulative_hazards(events: npt.NDArray[np.bool_], times: _Floats, weights: _Floats) -> _Floats:
    """Return the Nelson-Aalen estimate of all rows at the time of each."""
    at = np.unique(times[events])
    steps = np.append(0.0, nelson_aalen(events, times, weights, at))
    return np.asarray(steps[np.searchsorted(at, times, side="right")])
