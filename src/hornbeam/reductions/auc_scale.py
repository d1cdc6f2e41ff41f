"""Convert weights, pairs of rows and the leaf penalty of the ranking objectives to integers, and back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._checks import shown
from hornbeam.fitting.scales import penalty_error, small_integers
from hornbeam.fitting.training import TrainingData
from hornbeam.objectives import exact_fraction

_MOST_BITS = _core.COST_BITS - 1


@dataclass(frozen=True, slots=True)
class AucScale:
    """One problem in ticks; half a pair of a positive and a negative row of weight 1 costs `half_pair_cost` of them.

    Attributes
    ----------
    weights : ndarray of int64 of shape (n_rows,)
        Weights of the rows, all greater than zero.
    half_pair_cost, leaf_cost : int
        Ticks of half a pair, a power of 2, and of one leaf.
    max_false_positives : int
        The most false positives that count, in 2^-20 of a negative row of weight 1.
    one : int
        Ticks of all pairs: an objective of 1.
    """

    weights: npt.NDArray[np.int64]
    half_pair_cost: int
    leaf_cost: int
    max_false_positives: int
    one: int

    @property
    def regularization(self) -> float:
        """The leaf penalty after rounding, as a share of all pairs."""
        return self.leaf_cost / self.one

    def objective(self, ticks: int) -> float:
        """Convert the ticks of a tree, or of a bound, to an objective."""
        return ticks / self.one

    def cost(self, leaves: npt.NDArray[np.int64]) -> int:
        """Return the ticks of a tree; the area up to `max_false_positives` is rounded down.

        Parameters
        ----------
        leaves : ndarray of int64 of shape (n_leaves, 2)
            Weights of the negatives and the positives in each leaf.
        """
        area = negatives = positives = 0
        for negative, positive in sorted(leaves.tolist(), key=_order, reverse=True):
            rest = self.max_false_positives - (negatives << _core.FALSE_POSITIVE_BITS)
            # The last false positive is inside this leaf, whose positives and negatives are in no order: of its
            # trapezoid the part up to it counts.
            if rest < negative << _core.FALSE_POSITIVE_BITS:
                halves = rest * (2 * positives * negative << _core.FALSE_POSITIVE_BITS) + rest**2 * positive
                area += self.half_pair_cost * halves // (negative << 2 * _core.FALSE_POSITIVE_BITS)
                break
            area += self.half_pair_cost * negative * (2 * positives + positive)
            negatives, positives = negatives + negative, positives + positive
        return self.one - area + self.leaf_cost * len(leaves)


def _order(leaf: tuple[int, int]) -> int:
    """Return the share of positives in 2^-105: two different shares of totals below 2^52 differ by 2^-104 or more."""
    negative, positive = leaf
    return (positive << 105) // (negative + positive)


def check_theta(objective: str, theta: Any) -> None:
    """Check that `theta` is given if and only if the objective needs it.

    Raises
    ------
    ValueError
        If it is not, or is out of range.
    TypeError
        If it is not a number.
    """
    if objective != "partial_auc":
        if theta is not None:
            raise ValueError(f"theta is used by objective='partial_auc' only, but objective={objective!r}.")
    elif theta is None or not 0 < exact_fraction(theta, "theta") <= 1:
        raise ValueError(f"objective='partial_auc' needs theta, greater than 0 and at most 1, got {shown(theta)}.")


def make_auc_scale(training: TrainingData, objective: str, regularization: float, theta: Any) -> AucScale:
    """Turn a problem into ticks; `theta` None stands for the whole curve.

    Raises
    ------
    ValueError
        If there are not two classes, or a leaf would cost more than the largest possible loss.
    """
    if len(training.classes) != 2:
        raise ValueError(
            f"objective={objective!r} needs two classes, of which the second of classes_ is positive, but y holds "
            f"{len(training.classes)}."
        )
    whole = small_integers(training.weights, training.counts)
    negative, positive = (int(whole[training.codes == code].sum()) for code in (0, 1))
    half_pair_cost = _half_pair_cost(objective, negative, positive)
    one = half_pair_cost * 2 * negative * positive
    leaf_cost = round(exact_fraction(regularization, "regularization") * Fraction(one))
    if leaf_cost > one:
        raise penalty_error(regularization, 1)
    max_false_positives = round(
        exact_fraction(1 if theta is None else theta, "theta") * (negative << _core.FALSE_POSITIVE_BITS)
    )
    # A `theta` of more than 0 must not be rounded to 0, where every tree has the same area.
    return AucScale(whole, half_pair_cost, leaf_cost, max(1, max_false_positives), one)


def _half_pair_cost(objective: str, negative: int, positive: int) -> int:
    """Return the ticks of half a pair, given the weights of the two classes.

    A tie of a positive and a negative counts as half a pair, so half pairs are the unit. Their cost uses up the bits
    that the search has, so that `regularization` is rounded as little as possible.
    """
    free_bits = _MOST_BITS - (2 * negative * positive).bit_length()
    if free_bits < 0:
        raise ValueError(
            f"objective={objective!r} counts pairs of rows of the two classes, at most 2^{_MOST_BITS - 1} of them, but "
            f"y has {negative} x {positive}. Use fewer rows, or a polars LazyFrame, whose equal rows are merged."
        )
    return 1 << free_bits
