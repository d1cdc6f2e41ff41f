"""Convert targets and weights to the exact integers of the search for quantile loss, and its costs back.

A row of target y loses ``quantile * (y - c)`` by a prediction c below it, and ``(1 - quantile) * (c - y)`` by one
above: the pinball loss of Koenker and Bassett ("Regression Quantiles", Econometrica 46, 1978), for the median half the
absolute error. The search predicts numbers of a grid, so that the loss is one of actions, as that of a policy tree. The
grid has all targets if they are few: then it loses nothing, since in every leaf some target is a best prediction.

Otherwise the best prediction c of a leaf may lie between two neighbors of the grid, a and b. The loss of each row is
convex in the prediction. So the better one of a and b loses at most the mean of what both lose, weighted so that the
mean of a and b is c. For a row with a target outside of a and b this is what c loses, and for one between them at most
``(y - a) (b - y) / (b - a)`` more, whatever the quantile. So a leaf loses at most the sum of this over its rows between
two neighbors, and a tree of k leaves at most the k largest sums over all rows. The grid is chosen to make them small.

Everything else is rounded *down*: no tree costs the search more than its best predictions on the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, frexp, inf
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.fitting.reward_scale import whole_numbers
from hornbeam.fitting.scales import AdditiveScale, as_integers, as_shares, share_of_single_leaf
from hornbeam.objectives import exact_fraction
from hornbeam.tree.quantiles import pinball_losses, quantiles_of_groups

_Integers = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

_MOST_PREDICTIONS = 64
_MOST_CELLS = 2**25  # rows times predictions, unless that leaves too few predictions
_LEAST_PREDICTIONS = 16
_CANDIDATES = 4096  # for the grid
_BITS = _core.COST_BITS - 1
_SAFE = 1 + 2.0**-30  # more than all rounding of floating point in the terms above


@dataclass(frozen=True, slots=True)
class QuantileScale(AdditiveScale):
    """One problem of quantile loss in ticks: what each row loses by each prediction of the grid.

    Attributes
    ----------
    targets, row_weights : ndarray of float64 of shape (n_rows,)
        Targets, in a unit that lets no difference overflow, and weights before any rounding.
    quantile : float
        0.5 is the median.
    single : float
        What a single leaf loses; 1 if that is 0.
    of_grid : ndarray of float64 of shape (n_predictions,)
        By how much the best predictions of the grid can be worse in a tree of so many leaves, as a share of `single`.
    most_leaves : float
        What the limits of the search allow.
    """

    targets: _Floats = None  # type: ignore[assignment]
    row_weights: _Floats = None  # type: ignore[assignment]
    quantile: float = 0.5
    single: float = 1.0
    of_grid: _Floats = None  # type: ignore[assignment]
    most_leaves: float = inf

    def rounding(self, objective: float) -> float:
        """Return how far a bound of the search may lie above the objective of a better tree than one with this one."""
        # The penalties of such a tree alone are less than this objective.
        most = min(self.most_leaves, objective * _SAFE / self.regularization if self.leaf_cost else inf)
        return float(self.of_grid[int(min(most, len(self.of_grid) - 1))])

    def loss(self, leaf_of_row: npt.NDArray[np.int32]) -> float:
        """Return the loss of a tree with the best prediction in each leaf, as a share of that of a single leaf."""
        return _loss(leaf_of_row, self.targets, self.row_weights, self.quantile) / self.single


def make_quantile_scale(
    targets: _Floats, weights: npt.NDArray[Any], quantile: float, regularization: float, most_leaves: float = inf
) -> QuantileScale:
    """Turn a problem into ticks.

    Parameters
    ----------
    targets : ndarray of float64 of shape (n_rows,)
        Finite.
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero.
    quantile : float
        Above 0 and below 1.
    regularization : float
        Leaf penalty, a fraction of the loss of a single leaf.
    most_leaves : float, default=inf
        No tree within the limits has more leaves.

    Returns
    -------
    QuantileScale

    Raises
    ------
    ValueError
        If the leaf penalty is more than 1.
    """
    penalty = share_of_single_leaf(regularization)
    whole_weights = as_integers(weights)
    row_weights = as_shares(weights) if whole_weights is None else whole_weights.astype(np.float64)
    exponent = frexp(float(np.abs(targets).max()))[1]
    scaled = np.ldexp(targets, -exponent)
    grid = _make_grid(scaled, row_weights)
    single = _loss(np.zeros(len(scaled), dtype=np.intp), scaled, row_weights, quantile)
    if single == 0:
        return _scale_of_no_losses(scaled, row_weights, quantile, penalty)
    of_grid = _loss_of_grid(scaled, row_weights, grid)
    exact = None if of_grid.any() else _exact_losses(targets, np.ldexp(grid, exponent), whole_weights, quantile)
    if exact is None:
        losses, unit = _rounded_losses(scaled, grid, row_weights, quantile)
        one = unit * Fraction(single)
    else:
        losses = exact << max(0, _BITS - int(exact.sum()).bit_length())
        one = Fraction(int(losses.sum(axis=0).min()))
    return QuantileScale(
        losses,
        np.eye(len(grid), dtype=np.int64),
        floor(penalty * one),
        one,
        0,
        0,
        scaled,
        row_weights,
        quantile,
        single,
        of_grid / single * _SAFE + (2.0**-40 if exact is None else 0.0),
        most_leaves,
    )


def _loss(groups: npt.NDArray[Any], targets: _Floats, weights: _Floats, quantile: float) -> float:
    """Return what rows lose by the best prediction for each group."""
    best = quantiles_of_groups(groups, targets, weights, quantile)
    return float((weights * pinball_losses(targets - best[groups], quantile)).sum())


def _scale_of_no_losses(targets: _Floats, weights: _Floats, quantile: float, penalty: Fraction) -> QuantileScale:
    """Return the scale of a constant target: a search needs something to lose, so each row loses a tick."""
    losses = np.ones((len(targets), 2), dtype=np.int64)
    one, leaf_cost = (1 / penalty, 1) if penalty else (Fraction(1), 0)
    costs = np.eye(2, dtype=np.int64)
    return QuantileScale(
        losses, costs, leaf_cost, one, -len(losses) / one, 0, targets, weights, quantile, of_grid=np.zeros(1)
    )


def _make_grid(targets: _Floats, weights: _Floats) -> _Floats:
    """Return the predictions: all targets, or so few of them that rows between two of them matter little."""
    values, places = np.unique(targets, return_inverse=True)
    n_most = max(_LEAST_PREDICTIONS, min(_MOST_PREDICTIONS, _MOST_CELLS // len(targets)))
    if len(values) <= n_most:
        return values
    sums = np.array([np.bincount(places, weights * targets**power) for power in range(3)])
    # Sums up to each of some candidates, of equal weight between them.
    up_to = np.cumsum(sums, axis=1)
    wanted = np.linspace(0, up_to[0, -1], _CANDIDATES)
    chosen = np.unique(np.r_[0, np.searchsorted(up_to[0], wanted), len(values) - 1].clip(0, len(values) - 1))
    points, up_to = values[chosen], up_to[:, chosen]

    def lost(start: Any, end: Any) -> _Floats:
        """Return what the grid may lose between neighbors, by their numbers."""
        weight, first, second = (part[end] - part[start] for part in up_to)
        low, high = points[start], points[end]
        bounds: _Floats = np.maximum(0.0, (low + high) * first - low * high * weight - second) / (high - low)
        return bounds

    ends = [0, len(points) - 1]
    losses = {(0, len(points) - 1): float(lost(0, len(points) - 1))}
    while len(ends) < n_most:
        start, end = max((pair for pair in losses if pair[1] - pair[0] > 1), key=losses.__getitem__)
        inside = np.arange(start + 1, end)
        middle = int(inside[np.argmin(lost(start, inside) + lost(inside, end))])
        del losses[start, end]
        losses |= {pair: float(lost(*pair)) for pair in ((start, middle), (middle, end))}
        ends.append(middle)
    grid: _Floats = points[np.sort(ends)]
    return grid


def _loss_of_grid(targets: _Floats, weights: _Floats, grid: _Floats) -> _Floats:
    """Return by how much the best predictions of the grid can be worse in a tree of 0, 1, 2, ... leaves."""
    if len(grid) == 1:
        return np.zeros(1)
    after = np.searchsorted(grid, targets, side="left").clip(1, len(grid) - 1)
    low, high = grid[after - 1], grid[after]
    sums = np.bincount(after, weights * (targets - low) * (high - targets) / (high - low), len(grid))
    of_leaves: _Floats = np.cumsum(np.append(0.0, np.sort(sums[1:])[::-1]))
    return of_leaves


def _exact_losses(targets: _Floats, grid: _Floats, weights: _Integers | None, quantile: float) -> _Integers | None:
    """Return the losses as integers, in a unit of their own; None if they are not decimals or too large."""
    found = whole_numbers(np.append(targets, grid))
    share = Fraction(exact_fraction(quantile, "quantile"))
    if found is None or weights is None or share.denominator > 1000:
        return None
    whole = found[0]
    above = whole[: len(targets), np.newaxis] - whole[len(targets) :]
    if float(weights.sum()) * float(np.abs(above).max()) * share.denominator * len(grid) >= 2.0**_BITS:
        return None
    numerator, denominator = share.numerator, share.denominator
    losses: _Integers = np.where(above >= 0, numerator * above, (numerator - denominator) * above)
    return losses * weights[:, np.newaxis]


def _rounded_losses(targets: _Floats, grid: _Floats, weights: _Floats, quantile: float) -> tuple[_Integers, Fraction]:
    """Return the losses in ticks, each rounded down, and how many make a loss of 1."""
    losses = weights[:, np.newaxis] * pinball_losses(targets[:, np.newaxis] - grid, quantile) * (1 - 2.0**-50)
    shift = _BITS - frexp(float(losses.sum()))[1]
    return np.floor(np.ldexp(losses, shift)).astype(np.int64), Fraction(2) ** shift
