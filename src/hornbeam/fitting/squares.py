"""Convert targets and weights to the exact integers of the search for squared error, and its costs back.

The search predicts integers from 0 to M, and a row of target t and weight w loses ``w * (t - k)**2`` ticks by the
prediction k. A target y becomes ``t = (y - least) / step``. It is *exact* if all targets are decimals of up to nine
places and their differences multiples of a step that leaves M small enough; otherwise the step is the range of the
targets divided by M, and t is rounded to the nearest integer. Weights are exact if they are proportional to integers
that are small enough, and otherwise rounded.

All of this makes the search's optimum differ from the user's, by little, and `SquaredErrorScale.rounding` says by how
much at most. Let T be any tree, S(T) the sum of the squared errors of its means in ticks, before any rounding, and C(T)
what the search says that it loses. With W, the sum of the weights of the search:

- Predictions are integers. Per unit of weight, the best one loses at most 1/4 more than the mean: ``C(T) <= S''(T) +
  W/4``, where S'' is of rounded targets and weights.
- Weights are rounded. No row loses more than its largest squared error, so the sum E of these, times the changes of the
  weights, is the most that the loss may rise; neither does it rise by more than its weights, whose largest quotient is
  1 + r: ``S''(T) <= S'(T) + min(E, r S'(T))``, where S' is of rounded targets only.
- Targets are rounded by 1/2 at most. The square root of a loss is the distance of the targets from the vectors that are
  constant in each leaf, so ``sqrt(S'(T)) <= sqrt(S(T)) + D`` with ``D = sqrt(W) / 2``, or 0 if targets are exact.
- The leaf penalty is rounded down.

A tree whose objective is less than U, in ticks, has ``S(T) < U``; this bounds all three terms.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, isqrt, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.fitting.scales import as_integers, as_shares, share_of_single_leaf

_Integers = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

_LARGEST_LOSS = 2**_core.SQUARED_ERROR_BITS - 1
_LARGEST_SUM = 2**_core.COST_BITS - 1
_LARGEST_PREDICTION = 2**31 - 1
_PLACES = 9
_FINE = 2**16  # predictions; weights that leave fewer are rounded
_WEIGHT_BITS = 13  # of the mean of rounded weights
_LOW_BITS = 20  # of squares that are added on their own, for up to 2^32 rows
_CONSTANT_LEAF_COST = 2**30  # of a constant target, in a set of trees
_SAFE = 1 + 2.0**-18  # more than all rounding of floating point in the terms above


@dataclass(frozen=True, slots=True)
class SquaredErrorScale:
    """One problem of squared error in ticks.

    Attributes
    ----------
    sums : ndarray of int64 of shape (n_rows, 3)
        Weight, weight times target, and weight times the square of the target of each row.
    n_predictions : int
        Predictions are integers from 0 up to, but not including, this.
    leaf_cost : int
        Ticks of one leaf.
    one : float
        Ticks of an objective of 1, the loss of a single leaf.
    targets, weights : ndarray of float64 of shape (n_rows,)
        The same before any rounding, in the units of the search.
    is_exact : bool
        Whether nothing but the predictions of the search was rounded.
    of_predictions, of_targets, of_weights, ratio : float
        W / 4, D, E and r, see above.
    """

    sums: _Integers
    n_predictions: int
    leaf_cost: int
    one: float
    targets: _Floats
    weights: _Floats
    is_exact: bool
    of_predictions: float
    of_targets: float
    of_weights: float
    ratio: float

    @property
    def regularization(self) -> float:
        """The leaf penalty after rounding, as a fraction of the loss of a single leaf."""
        return self.leaf_cost / self.one

    def problem(self, *_: Any) -> _core.Problem:
        """Return the rows and their costs for the core."""
        return _core.Problem.squared_error(self.sums, self.n_predictions, self.leaf_cost)

    def largest_loss(self, _: npt.NDArray[np.int32] | None = None) -> int:
        """Return what a single leaf loses, in ticks; no tree need lose more."""
        return int(self._losses(self.sums.sum(axis=0)))

    def loss_of_leaf(self, rows: npt.NDArray[np.intp], _: npt.NDArray[np.int32] | None = None) -> int:
        """Return what some rows lose in one leaf, in ticks."""
        return int(self._losses(self.sums[rows].sum(axis=0)))

    def best_predictions(
        self, whole: _core.TreeArrays, _: npt.NDArray[np.int32] | None = None
    ) -> npt.NDArray[np.int32]:
        """Return what each node of a tree best predicts, an integer of the search."""
        means: npt.NDArray[np.int32] = _nearest_means(self._sums_of_nodes(whole)).astype(np.int32)
        return means

    def losses_of_nodes(self, whole: _core.TreeArrays, _: npt.NDArray[np.int32] | None = None) -> _Integers:
        """Return what each node of a tree would lose as a leaf with its best prediction, in ticks."""
        return self._losses(self._sums_of_nodes(whole))

    @staticmethod
    def _losses(sums: _Integers) -> _Integers:
        """Return what rows lose by their best prediction, from their three sums."""
        weight, first, second = np.moveaxis(sums, -1, 0)
        best = _nearest_means(sums)
        losses: _Integers = second - best * (2 * first - best * weight)
        return losses

    def _sums_of_nodes(self, whole: _core.TreeArrays) -> _Integers:
        """Return the three sums of each node; shape (n_nodes, 3)."""
        links = whole["left"], whole["right"], whole["leaf_of_row"]
        # Sums of squares reach 2^58. Those of their two parts are exact in float64, in which the core adds.
        parts = np.column_stack([self.sums[:, :2], self.sums[:, 2] >> _LOW_BITS, self.sums[:, 2] & (2**_LOW_BITS - 1)])
        _, sums = _core.node_statistics(*links, None, np.ascontiguousarray(parts), 4)
        whole_sums = sums.astype(np.int64)
        return np.column_stack([whole_sums[:, :2], (whole_sums[:, 2] << _LOW_BITS) + whole_sums[:, 3]])

    def objective(self, ticks: int) -> float:
        """Convert the ticks of a tree, or of a bound, to an objective, without the correction for rounding."""
        return ticks / self.one

    def loss(self, leaf_of_row: npt.NDArray[np.int32]) -> float:
        """Return the loss of a tree with the mean in each leaf, as a fraction of that of a single leaf."""
        weight = np.bincount(leaf_of_row, self.weights)
        total = np.bincount(leaf_of_row, self.weights * self.targets)
        means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
        errors = self.targets - means[leaf_of_row]
        return float((self.weights * errors**2).sum()) / self.one

    def rounding(self, objective: float) -> float:
        """Return how far a bound of the search may lie above the objective of a better tree than one with this one."""
        most = objective * self.one
        of_rounded = (sqrt(most) + self.of_targets) ** 2
        by_weights = min(self.of_weights, self.ratio * of_rounded)
        terms = (self.of_predictions + (of_rounded - most) + by_weights) * _SAFE
        return terms / self.one + (0.0 if self.is_exact else 2.0**-40 * objective)

    def for_sets(self) -> SquaredErrorScale:
        """Return a scale in which every row loses something by some prediction, and leaves cost many ticks."""
        if self.n_predictions > 1:
            return self
        penalty = self.regularization
        one = _CONSTANT_LEAF_COST / penalty if penalty else self.one
        return replace(self, n_predictions=2, leaf_cost=_CONSTANT_LEAF_COST if penalty else 0, one=one)

    def excess(self, objective: float) -> float:
        """Return how far the objective of a tree may lie above that of its ticks, if this is at most the one given.

        The square roots of losses differ by D at most, whichever targets are the rounded ones, and the changes of the
        weights add E at most.
        """
        most = objective * self.one
        terms = ((sqrt(most + self.of_weights) + self.of_targets) ** 2 - most) * _SAFE
        return terms / self.one + (0.0 if self.is_exact else 2.0**-40 * objective)


def make_squared_error_scale(targets: _Floats, weights: npt.NDArray[Any], regularization: float) -> SquaredErrorScale:
    """Turn a problem into ticks.

    Parameters
    ----------
    targets : ndarray of float64 of shape (n_rows,)
        Finite.
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero.
    regularization : float
        Leaf penalty, a fraction of the loss of a single leaf.

    Returns
    -------
    SquaredErrorScale

    Raises
    ------
    ValueError
        If the leaf penalty is more than 1.
    """
    penalty = share_of_single_leaf(regularization)
    whole, exact_weights = _whole_weights(weights)
    total = int(whole.sum())
    units, exact_targets = _units(targets, _largest_prediction(total))
    is_exact = np.array_equal(whole, exact_weights) and np.array_equal(units, exact_targets)
    highest = int(units.max())
    far = np.maximum(units, highest - units).astype(np.float64)
    changes = np.abs(whole - exact_weights)
    one = _spread(whole, units) if is_exact else Fraction(_rounded_spread(exact_weights, exact_targets))
    return SquaredErrorScale(
        sums=np.ascontiguousarray(np.column_stack([whole, whole * units, whole * units**2])),
        n_predictions=highest + 1,
        leaf_cost=floor(penalty * one * (1 if is_exact else 1 - Fraction(1, 2**40))) if one else int(penalty > 0),
        one=float(one) if one else 1 / (float(penalty) or 1.0),  # of a constant target, trees differ in leaves alone
        targets=exact_targets,
        weights=exact_weights,
        is_exact=is_exact,
        of_predictions=total / 4 if one else 0.0,
        of_targets=0.0 if np.array_equal(units, exact_targets) else sqrt(total + float(changes.sum())) / 2,
        of_weights=float((changes * far**2).sum()),
        ratio=max(0.0, float((whole / exact_weights).max()) - 1),
    )


def _nearest_means(sums: _Integers) -> _Integers:
    """Return the integer next to the mean, from sums of weights and of weights times targets."""
    weight, first = sums[..., 0], sums[..., 1]
    means: _Integers = (2 * first + weight - 1) // (2 * weight)
    return means


def _largest_prediction(total: int) -> int:
    return int(min(isqrt(_LARGEST_LOSS // total), _LARGEST_SUM // total, _LARGEST_PREDICTION))


def _whole_weights(weights: npt.NDArray[Any]) -> tuple[_Integers, _Floats]:
    """Return weights as integers of the search, and the exact ones on the same scale."""
    whole = as_integers(weights)
    if whole is not None and (_largest_prediction(int(whole.sum())) >= _FINE or whole.sum() <= 2 * len(whole)):
        return whole, whole.astype(np.float64)
    shares = as_shares(weights)
    exact = shares * ((len(shares) << _WEIGHT_BITS) / float(shares.sum()))
    return np.maximum(1, np.rint(exact)).astype(np.int64), exact


def _units(targets: _Floats, largest: int) -> tuple[_Integers, _Floats]:
    """Return targets as integers from 0 to `largest` at most, and the exact ones on the same scale."""
    whole = _decimals(targets)
    if whole is not None:
        whole = whole - whole.min()
        divisor = int(np.gcd.reduce(whole))
        highest = int(whole.max()) // max(1, divisor)
        if highest == 0:
            return whole, whole.astype(np.float64)
        if highest <= largest:
            # A finer grid of predictions costs the search nothing: its sums have as many bits that are set.
            units = (whole // divisor) << ((largest // highest).bit_length() - 1)
            return units, units.astype(np.float64)
    _, exponent = np.frexp(np.abs(targets).max())
    scaled = np.ldexp(targets, -int(exponent))  # so that no difference overflows
    span = float(scaled.max() - scaled.min())
    exact = (scaled - scaled.min()) / span * largest if span > 0 else np.zeros_like(scaled)
    return np.rint(exact).astype(np.int64), exact


def _decimals(targets: _Floats) -> _Integers | None:
    """Return the targets times the least power of ten, up to 10^9, that makes them integers; None if there is none."""
    with np.errstate(over="ignore"):
        for places in range(_PLACES + 1):
            scaled = np.rint(targets * 10.0**places)
            if np.abs(scaled).max() >= 2**52:
                return None
            if np.array_equal(scaled / 10.0**places, targets):
                return scaled.astype(np.int64)
    return None


def _spread(weights: _Integers, units: _Integers) -> Fraction:
    """Return the sum of squared errors of a single leaf, exactly."""
    weight, first, second = (int(part.sum()) for part in (weights, weights * units, weights * units**2))
    return second - Fraction(first**2, weight)


def _rounded_spread(weights: _Floats, targets: _Floats) -> float:
    """Return the sum of squared errors of a single leaf."""
    mean = float((weights * targets).sum()) / float(weights.sum())
    return float((weights * (targets - mean) ** 2).sum())
