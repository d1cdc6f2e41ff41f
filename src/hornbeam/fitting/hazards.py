"""Convert survival times to the exact integers of the search, and its costs back.

The cumulative hazard H of each row is the Nelson-Aalen estimate of all rows at its time. A leaf with the hazard ratio q
loses ``H q - d log q`` for each row, where d is 1 for an event and 0 for a censored row; less what q = 1 / H would
lose, this is half the deviance of the exponential model of LeBlanc and Crowley ("Relative Risk Trees for Censored
Survival Data", Biometrics 48, 1992). A row weighs H for one target and d for the other, so hazard ratios on a grid are
the predictions of a cost matrix, with the costs q and ``log(largest q) - log q``. No cost is negative, and every bound
for additive losses holds as it stands.

Hazard ratios of the grid are multiples of 1 / `_RATIO`, at most `_STEPS` in an octave, and 0. Everything else is
rounded *down*: no tree costs the search more than its best hazard ratios on the grid. `SurvivalScale.rounding` is by
how much these can be worse than the best ones of all. Let e be what a leaf of best hazard ratio r loses more by q, per
event ``q/r - 1 - log(q/r)`` and per cumulative hazard r times as much:

- Between two grid points the worst r is that for which both lose the same. From `_FINE` on, e per event is bounded,
  and below it e per cumulative hazard; the leaves together have all events and all hazards at most once.
- Below the least q above 0, a leaf with an event loses at most its cumulative hazard times this q more; a leaf without
  events has the hazard ratio 0.
- Above the largest q, each row loses at most what its own best hazard ratio would save: the leaf's saves no more.

`SurvivalScale.excess` is the other side: by how much a tree with best hazard ratios can lose more than its ticks. The
cumulative hazard of each row is rounded down by less than one cell, which counts q times; q is at most twice D / H of
its leaf, or 1 / `_RATIO`. A leaf of m rows with hazards, D events and a sum of hazards H thus has at most 2 m D / H
cells too few: not more than with the m least hazards and the m largest weights of events of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, fsum, log
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.fitting.scales import AdditiveScale, as_integers, as_shares, share_of_single_leaf
from hornbeam.survival.curves import cumulative_hazards

_Integers = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

_STEPS = 16  # of the grid in an octave
_RATIO = 2**11  # hazard ratios are multiples of its inverse
_FINE = 2.0**-5  # from this ratio on, the grid is as fine as wanted
_LARGEST_RATIO = 2**12
_WEIGHT_BITS = 10  # of the mean of rounded weights
_SAFE = 1 + 2.0**-30  # more than all rounding of floating point in the terms above


@dataclass(frozen=True, slots=True)
class SurvivalScale(AdditiveScale):
    """The losses of a survival tree in ticks: each row weighs for its cumulative hazard and for its event.

    Attributes
    ----------
    hazards, events : ndarray of float64 of shape (n_rows,)
        Cumulative hazard and event of each row, times its weight, before any rounding.
    deviance : float
        What a single leaf loses; 1 if that is 0.
    constant : float
        What is added to the loss of a tree, which leaves do not change.
    of_grid : float
        By how much the best hazard ratios of the grid can be worse, as a share of `deviance`.
    too_few_of_leaf, too_few_of_tree : float
        By how much ticks can be too few, in each leaf and in addition in all leaves together, as shares of `deviance`.
    """

    hazards: _Floats = None  # type: ignore[assignment]
    events: _Floats = None  # type: ignore[assignment]
    deviance: float = 1.0
    constant: float = 0.0
    of_grid: float = 0.0
    too_few_of_leaf: float = 0.0
    too_few_of_tree: float = 0.0

    def excess(self, n_leaves: int) -> float:
        """Return how far the objective of a tree with at most so many leaves may lie above that of its ticks."""
        return n_leaves * self.too_few_of_leaf + self.too_few_of_tree

    def rounding(self, objective: float) -> float:
        """Return how far a bound of the search may lie above that of a better tree, whatever the objective."""
        return self.of_grid

    def loss(self, leaf_of_row: npt.NDArray[np.int32]) -> float:
        """Return the deviance of a tree with the best hazard ratio in each leaf, as a share of a single leaf's."""
        hazards, events = np.bincount(leaf_of_row, self.hazards), np.bincount(leaf_of_row, self.events)
        has_events = events > 0
        ratios = events[has_events] / hazards[has_events]
        gained = events[has_events] * (1 - np.log(ratios))
        return max(0.0, fsum([*gained.tolist(), self.constant])) / self.deviance


def make_survival_scale(
    events: npt.NDArray[np.bool_], times: _Floats, weights: npt.NDArray[Any], regularization: float
) -> SurvivalScale:
    """Turn a problem into ticks.

    Parameters
    ----------
    events : bool ndarray of shape (n_rows,)
        Whether the time of a row is that of its event; at least one is.
    times : float64 ndarray of shape (n_rows,)
        Times of event or censoring, finite and at least 0.
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero.
    regularization : float
        Leaf penalty, a fraction of the deviance of a single leaf.

    Returns
    -------
    SurvivalScale

    Raises
    ------
    ValueError
        If the leaf penalty is more than 1.
    """
    penalty = share_of_single_leaf(regularization)
    whole, exact = _whole_weights(weights)
    hazard_of_row = cumulative_hazards(events, times, exact)
    hazards, of_events = exact * hazard_of_row, exact * events
    total, n_events = float(hazards.sum()), float(of_events.sum())
    own = hazard_of_row[events]
    ratios = _grid(float(own.min()))
    largest = float(ratios[-1]) / _RATIO
    constant = -fsum((exact[events] * (1 + np.log(own))).tolist())
    single = max(0.0, n_events * (1 - log(n_events / total)) + constant)
    deviance = single if single > 1e-12 * n_events else 1.0
    # The least hazard ratio is 0. An event there costs so much that a leaf with an event does better with 1 / _RATIO.
    logs = np.log(largest) - np.log(ratios[1:] / _RATIO)
    logs = np.append(logs[0] + 1 + total / _RATIO / float(exact.min()), logs)
    most = float(total * largest + n_events * logs[0])
    bits = _core.COST_BITS - 1 - int(np.ceil(np.log2(most))) - (_RATIO.bit_length() - 1)
    if bits < 1:
        raise ValueError(f"X has {len(times)} rows; a survival tree takes up to about 2^28, of equal weights.")
    unit = _RATIO << bits  # ticks of a loss of 1
    costs = np.ascontiguousarray(np.vstack([ratios, np.floor(logs * unit * (1 - 2.0**-40)).astype(np.int64)]))
    cells = np.floor(np.ldexp(hazards, bits) * (1 - 2.0**-40)).astype(np.int64)
    weights_of_events = np.where(events, whole, 0)
    lost_weight = fsum((exact - whole)[events].tolist())
    of_costs = n_events * (1 / unit + 2.0**-40 * float(logs[0])) + lost_weight * float(logs[0])
    of_cells = np.ldexp(float(len(times)) / _RATIO, -bits) + 2.0**-38 * n_events
    one = Fraction(unit) * Fraction(deviance)
    return SurvivalScale(
        np.ascontiguousarray(np.column_stack([cells, weights_of_events])),
        costs,
        floor(penalty * one),
        one,
        (Fraction(constant) - Fraction(n_events) * Fraction(log(largest))) / Fraction(deviance),
        0,
        hazards,
        of_events,
        deviance,
        constant,
        _loss_of_grid(ratios / _RATIO, total, n_events, own, exact[events]) * _SAFE / deviance + 2.0**-40,
        np.ldexp(_most_of_leaf(hazards, of_events), -bits) * _SAFE / deviance,
        (of_costs + of_cells) * _SAFE / deviance + 2.0**-40,
    )


def _most_of_leaf(hazards: _Floats, events: _Floats) -> float:
    """Return the largest 2 m D / H of the module's docstring."""
    least_hazards = np.cumsum(np.sort(hazards[hazards > 0]))
    largest_events = np.cumsum(np.sort(events[hazards > 0])[::-1])
    n_rows = np.arange(1, len(least_hazards) + 1)
    return float(np.max(2 * n_rows * largest_events / least_hazards))


def _whole_weights(weights: npt.NDArray[Any]) -> tuple[_Integers, _Floats]:
    """Return weights as integers of the search, at most the exact ones, and these on the same scale."""
    whole = as_integers(weights)
    if whole is not None and whole.sum() <= len(whole) << _WEIGHT_BITS:
        return whole, whole.astype(np.float64)
    shares = as_shares(weights)
    exact = shares * ((len(shares) << _WEIGHT_BITS) / float(shares.sum()))
    return np.floor(exact).astype(np.int64), exact


def _grid(least_hazard: float) -> _Integers:
    """Return the hazard ratios of the grid, times `_RATIO`."""
    largest = min(float(_LARGEST_RATIO), 1 / least_hazard)
    octaves = np.log2(_RATIO * max(largest, 1.0))
    points = np.exp2(np.arange(int(np.ceil(octaves * _STEPS)) + 1) / _STEPS)
    return np.unique(np.append(0, np.rint(points))).astype(np.int64)


def _loss_of_grid(ratios: _Floats, total: float, n_events: float, own: _Floats, weights: _Floats) -> float:
    """Return by how much the best hazard ratios of the grid can be worse than the best ones of all."""
    least_event = float(weights.min())
    low, high = ratios[1:-1], ratios[2:]
    worst = (high - low) / (np.log(high) - np.log(low))  # where both ends lose the same
    per_event = low / worst - 1 - np.log(low / worst)
    is_fine = low >= _FINE
    of_events = float(per_event[is_fine].max(initial=0.0)) * n_events
    of_hazards = float((per_event * worst)[~is_fine].max(initial=0.0)) * total
    if total * ratios[1] > least_event:  # else no leaf with an event has a hazard ratio below ratios[1]
        of_hazards = max(of_hazards, float(ratios[1]) * total)
    beyond = own * ratios[-1]
    is_beyond = beyond < 1
    of_largest = (weights * (beyond - 1 - np.log(beyond)))[is_beyond]
    return of_events + of_hazards + float(of_largest.sum())
