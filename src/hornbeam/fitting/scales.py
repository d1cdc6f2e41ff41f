"""Convert the user's weights and costs to exact integers, and back.

The search counts in ticks. A tree costs ``sum_r weights[r] * costs[class_r, prediction_r] + leaf_cost * n_leaves``
ticks, all integers. Weights and costs are taken over *exactly* if

- the weights are integers, decimals of up to six places, or multiples of 2^-20, and
- the costs (fractions, see `objectives`) have a common denominator that keeps the largest possible loss below 2^52.

Otherwise the largest cost of its class is multiplied into each row's weight, and the products are *rounded* to 2^-51 of
the largest possible loss; or to 2^-31 of it if a class has costs other than 0 and its largest, and these are then
rounded to 2^-20 of the largest. No weight is rounded to zero, nor counts as less than 2^-500 of the largest.

Every tree pays at least the smallest cost of each row's class. It is subtracted before the search and added to all
reported objectives.

For Rashomon sets the lowest bits of every cost count leaves: costs are multiples of ``2**leaf_bits``, and
the cost of a leaf is one more than such a multiple, so that trees are in the order of objective, then of leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, fsum, gcd, lcm
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._checks import shown
from hornbeam.fitting.progress import Scale
from hornbeam.objectives import Costs, Exact, Loss, exact_fraction
from hornbeam.tree.pruning import best_predictions, losses_of_nodes

_LIMIT_BITS = _core.COST_BITS
_COST_BITS = 20
_DECIMALS = 10**6
_BINARY_PLACES = 2**20
_LEAST_SHARE = 2.0**-500
_RATIO_BITS = 25  # the square of twice a total below 2^25 is below 2^52

_Integers: TypeAlias = npt.NDArray[np.int64]
_Scaled: TypeAlias = tuple[_Integers, _Integers, int]


class RegularizedScale(Scale, Protocol):
    """A `Scale` of an objective with a leaf penalty."""

    @property
    def leaf_cost(self) -> Any:
        """What one leaf adds to the cost of a tree, in the numbers of the search."""

    @property
    def regularization(self) -> float:
        """The leaf penalty after rounding, in the user's unit."""


@dataclass(frozen=True, slots=True)
class AdditiveScale:
    """One problem in ticks.

    Attributes
    ----------
    weights : ndarray of int64 of shape (n_rows,)
        Weights of the rows, all greater than zero; or of each row for every target, at least zero (`RewardScale`).
    costs : ndarray of int64 of shape (n_classes, n_classes)
        Ticks lost for a row of weight 1 of the class of the row, if the class of the column is predicted.
    leaf_cost : int
        Ticks of one leaf.
    one : Fraction
        Ticks of an objective of 1.
    offset : int or Fraction
        Loss that no tree avoids, in the user's unit.
    leaf_bits : int
        How many of the lowest bits of a tree's ticks count its leaves; `one` refers to the bits above them.
    """

    weights: _Integers
    costs: _Integers
    leaf_cost: int
    one: Fraction
    offset: Exact
    leaf_bits: int = 0

    def largest_loss(self, codes: npt.NDArray[np.int32] | None) -> int:
        """Return a loss that no tree exceeds, in ticks; `codes` are the classes of the rows, if they have one each."""
        largest = self.costs.max(axis=1)
        return int((self.weights @ largest if codes is None else self.weights * largest[codes]).sum())

    def problem(
        self, codes: npt.NDArray[np.int32] | None, reference: npt.NDArray[np.int32] | None, counts: _Integers | None
    ) -> _core.Problem:
        """Return the rows and their costs for the core; see `TrainingRows`."""
        return _core.Problem(codes, self.weights, self.costs, self.leaf_cost, reference, counts)

    def loss_of_leaf(self, rows: npt.NDArray[np.intp], codes: npt.NDArray[np.int32] | None) -> int:
        """Return what some rows lose in one leaf, in ticks."""
        weights = self.weights[rows]
        # Sums of weights are below 2^52: exact in float64.
        totals = weights.sum(axis=0) if codes is None else np.bincount(codes[rows], weights, len(self.costs))
        return int((totals.astype(np.int64) @ self.costs).min())

    def best_predictions(self, whole: _core.TreeArrays, codes: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
        """Return what each node of a tree best predicts."""
        return best_predictions(whole, self.weights, self.costs, codes)

    def losses_of_nodes(self, whole: _core.TreeArrays, codes: npt.NDArray[np.int32] | None) -> _Integers:
        """Return what each node of a tree, with its prediction, would lose as a leaf, in ticks."""
        return losses_of_nodes(whole, self.weights, self.costs, codes)

    @property
    def regularization(self) -> float:
        """The leaf penalty after rounding, in the user's unit."""
        return (self.leaf_cost >> self.leaf_bits) * self.one.denominator / self.one.numerator

    def objective(self, ticks: int) -> float:
        """Convert the ticks of a tree, or of a bound, to an objective."""
        # ticks / one + offset as one quotient of integers, which is rounded once.
        one, offset = self.one, self.offset
        sum_of_ticks = (
            ticks >> self.leaf_bits
        ) * one.denominator * offset.denominator + offset.numerator * one.numerator
        return sum_of_ticks / (one.numerator * offset.denominator)

    def exact_objective(self, ticks: int) -> Fraction:
        """Return the same without rounding."""
        return (ticks >> self.leaf_bits) / self.one + self.offset

    def nearest_ticks(self, objective: float) -> int:
        """Return the ticks whose objective is the nearest to a given one, which may be less than that of any tree."""
        return round((Fraction(objective) - self.offset) * self.one) << self.leaf_bits

    def most_ticks(self, objective: Fraction) -> int:
        """Return the largest number of ticks of a tree with at most this objective, whatever its number of leaves."""
        return ((floor((objective - self.offset) * self.one) + 1) << self.leaf_bits) - 1


@dataclass(frozen=True, slots=True)
class FScoreScale:
    """One problem of the F-score in integers: here a tick is a whole unit of weight, and costs are exact fractions.

    Attributes
    ----------
    weights : ndarray of int64 of shape (n_rows,)
        Weights of the rows times those of their classes, all greater than zero; their total is below 2^25.
    positives, total : int
        Weight of the positive class and of all rows.
    leaf_cost : Fraction
        Leaf penalty.
    """

    weights: _Integers
    positives: int
    total: int
    leaf_cost: Fraction

    @property
    def costs(self) -> _Integers:
        """Every mistake counts its weight."""
        return 1 - np.eye(2, dtype=np.int64)

    @property
    def regularization(self) -> float:
        """The leaf penalty, in the user's unit."""
        return float(self.leaf_cost)

    def objective(self, ticks: Fraction) -> float:
        """Return the objective of a tree, or of a bound."""
        return float(ticks)

    def fit(self, slope: Fraction, leaf_penalty: Fraction) -> tuple[Fraction, Fraction, int]:
        """Return a slope, a leaf penalty, and the factor that makes them integers of the search.

        They are returned unchanged if these integers stay below 2^52; otherwise the slope is rounded up and the
        leaf penalty down. The search proves a bound for whatever it gets, so rounding weakens the bound at most.
        """
        scale = lcm(slope.denominator, leaf_penalty.denominator)
        largest = max(self.total + slope * (2 * self.positives - self.total), leaf_penalty)
        if scale * largest < 1 << _LIMIT_BITS:
            return slope, leaf_penalty, scale
        scale = 1 << (_LIMIT_BITS - 1 - (2 * self.total).bit_length())
        return Fraction(ceil(slope * scale), scale), Fraction(floor(leaf_penalty * scale), scale), scale


def make_scale(
    weights: npt.NDArray[np.float64] | _Integers,
    codes: npt.NDArray[np.int32],
    n_classes: int,
    make_loss: Callable[[tuple[Exact, ...]], Loss],
    regularization: float,
    leaf_bits: int = 0,
    *,
    is_share: bool = False,
    counts: _Integers | None = None,
) -> AdditiveScale:
    """Turn a problem into ticks.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero.
    codes : ndarray of int32 of shape (n_rows,)
        Class of each row, 0 to n_classes - 1; every class occurs.
    n_classes : int
    make_loss : callable
        From the total weight of each class to the loss.
    regularization : float
        Leaf penalty in the unit of the objective; rounded once, to a tick.
    leaf_bits : int, default=0
        See `AdditiveScale`. If greater than 0, the leaf penalty is a whole number of ticks wherever it can be.
    is_share : bool, default=False
        Whether the leaf penalty is a share of the largest possible loss instead. Only "cost" makes a difference.
    counts : ndarray of int64 of shape (n_rows,) or None, default=None
        How many equal rows each row stands for: the ticks are those of a table that holds each row so many times.
        None: 1.

    Returns
    -------
    AdditiveScale

    Raises
    ------
    ValueError
        If every tree loses the same, or a leaf would cost more than the largest possible loss.
    """
    whole = _integers_within(_LIMIT_BITS, weights, counts)
    weights = as_shares(weights) if whole is None else whole
    totals = _totals(weights, codes, n_classes, counts)
    loss = make_loss(totals)
    # What a row costs whatever is predicted would take bits without telling trees apart: it becomes the offset.
    least = [min(row) for row in loss.costs]
    costs = tuple(tuple(cost - low for cost in row) for row, low in zip(loss.costs, least, strict=True))
    largest = sum(total * max(row) for total, row in zip(totals, costs, strict=True))
    if largest == 0:
        raise ValueError("cost_matrix holds the same cost for every prediction, so that all trees are equally good.")
    limit_bits = _LIMIT_BITS - leaf_bits
    scaled = None if whole is None else _exact(whole, costs, largest, limit_bits)
    integers, matrix, total = scaled or _rounded(weights, codes, costs, largest, limit_bits, counts)
    if counts is not None:
        integers = integers * counts
    leaf_penalty = exact_fraction(regularization, "regularization")
    if is_share:
        leaf_penalty *= Fraction(largest, loss.scale)
    one = Fraction(loss.scale * total, largest)
    # A set of trees has a bound that users give as a number: where the leaf penalty is exact, trees on the bound are
    # in the set. If that takes too fine a tick, the penalty is rounded as for a single tree.
    factor = (leaf_penalty * one).denominator if leaf_bits else 1
    if factor * total >= 1 << limit_bits:
        factor = 1
    # The bits that are left make the tick finer, so that rounding the leaf penalty changes it least.
    factor <<= limit_bits - (factor * total).bit_length()
    one *= factor
    leaf_cost = round(leaf_penalty * one)
    if leaf_cost > total * factor:
        raise penalty_error(regularization, float(largest / loss.scale))
    offset = Fraction(sum(t * low for t, low in zip(totals, least, strict=True)), loss.scale) if any(least) else 0
    leaf_ticks = (leaf_cost << leaf_bits) + (1 if leaf_bits else 0)
    return AdditiveScale(integers, matrix * (factor << leaf_bits), leaf_ticks, one, offset, leaf_bits)


def make_fscore_scale(
    weights: npt.NDArray[np.float64] | _Integers,
    codes: npt.NDArray[np.int32],
    multipliers: Callable[[tuple[Exact, ...]], tuple[Exact, ...]],
    regularization: float,
    counts: _Integers | None = None,
) -> FScoreScale:
    """Turn a problem of the F-score into integers.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero.
    codes : ndarray of int32 of shape (n_rows,)
        1 for rows of the positive class, 0 for the others; both occur.
    multipliers : callable
        From the total weight of each class to the weights of the two classes.
    regularization : float
        Leaf penalty.
    counts : ndarray of int64 of shape (n_rows,) or None, default=None
        How many equal rows each row stands for; None: 1.

    Returns
    -------
    FScoreScale

    Raises
    ------
    ValueError
        If a leaf would cost more than the largest possible loss, or there are 2^24 rows or more.
    """
    if len(codes) >= 1 << (_RATIO_BITS - 1):  # each row weighs 1 at least, which must leave bits for rounding
        raise ValueError(f"objective='f1' supports fewer than 2^24 rows, but X has {len(codes)}.")
    leaf_penalty = Fraction(exact_fraction(regularization, "regularization"))
    if leaf_penalty > 1:
        raise penalty_error(regularization, 1)
    whole = _integers_within(_LIMIT_BITS, weights, counts)
    weights = as_shares(weights) if whole is None else whole
    totals = _totals(weights, codes, 2, counts)
    factors = multipliers(totals)
    costs = ((0, factors[0]), (factors[1], 0))
    largest = totals[0] * factors[0] + totals[1] * factors[1]
    scaled = None if whole is None else _exact(whole, costs, largest, _LIMIT_BITS)
    if scaled is not None:
        whole, matrix, total = scaled
        if total < 1 << _RATIO_BITS:
            merged = whole if counts is None else whole * counts
            return _fscore_scale(merged * matrix.max(axis=1)[codes], codes, leaf_penalty)
    shares = np.array([float(Fraction(factor, max(factors))) for factor in factors])  # factors may be huge
    products = weights * shares[codes]
    return _fscore_scale(_rounded_to_small(products, counts), codes, leaf_penalty)


def _fscore_scale(weights: _Integers, codes: npt.NDArray[np.int32], leaf_penalty: Fraction) -> FScoreScale:
    return FScoreScale(weights, int(weights[codes == 1].sum()), int(weights.sum()), leaf_penalty)


def small_integers(weights: npt.NDArray[np.float64] | _Integers, counts: _Integers | None = None) -> _Integers:
    """Return weights of a total below 2^25: in exact proportion if possible, else rounded to 2^-24 of the total.

    Parameters
    ----------
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero, of less than 2^24 rows.
    counts : ndarray of int64 of shape (n_rows,) or None, default=None
        How many equal rows each row stands for; None: 1.

    Returns
    -------
    ndarray of int64 of shape (n_rows,)
        Of all rows that each row stands for.
    """
    whole = _integers_within(_RATIO_BITS, weights, counts)
    if whole is None:
        return _rounded_to_small(as_shares(weights), counts)
    return whole if counts is None else whole * counts


def _integers_within(bits: int, weights: npt.NDArray[Any], counts: _Integers | None) -> _Integers | None:
    """Return weights as `as_integers`, or None if the total of all rows has more than so many bits."""
    whole = as_integers(weights)
    total = 0 if whole is None else int(whole.sum()) if counts is None else _sum(whole, counts)
    return whole if total < 1 << bits else None


def _rounded_to_small(shares: npt.NDArray[np.float64], counts: _Integers | None) -> _Integers:
    """Round to integers of a total of about 2^24 and at least 1 for each row, for which half of the range is left.

    Merged rows get the sum of what each of them is rounded to in memory, unless they are too many for that.
    """
    total = 1 << (_RATIO_BITS - 1)
    if counts is not None and counts.sum() >= total:
        shares, counts = shares * counts, None
    factor = total / (fsum(shares) if counts is None else _exact_sum(shares, counts))
    rounded = np.maximum(1, np.rint(shares * factor)).astype(np.int64)
    return rounded if counts is None else rounded * counts


def _exact_sum(numbers: npt.NDArray[np.float64], counts: _Integers) -> float:
    """Return the sum of numbers times counts, rounded once, as `fsum` rounds."""
    distinct, number = np.unique(numbers, return_inverse=True)
    totals = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(totals, number, counts)
    return float(sum(Fraction(value) * n for value, n in zip(distinct.tolist(), totals.tolist(), strict=True)))


def penalty_error(regularization: Any, largest: float, what: str = "the largest possible loss") -> ValueError:
    """Return the error for a leaf penalty that is so large that the best tree is a single leaf."""
    return ValueError(
        f"regularization={shown(regularization)} is more than {what}, {largest:g}; no split can lower the objective. "
        "Use a smaller value."
    )


def share_of_single_leaf(regularization: Any) -> Fraction:
    """Return a leaf penalty that is a fraction of the loss of a single leaf.

    Raises
    ------
    ValueError
        If it is more than 1, or as `exact_fraction`.
    TypeError
        If it is not a number.
    """
    penalty = Fraction(exact_fraction(regularization, "regularization"))
    if penalty > 1:
        raise penalty_error(regularization, 1, "the loss of a single leaf")
    return penalty


def as_integers(weights: npt.NDArray[Any]) -> _Integers | None:
    """Return weights as proportional integers without common divisor, or None if they have too many places."""
    whole: _Integers | None = weights if weights.dtype.kind == "i" else None
    if whole is None:
        # The first of these that makes all weights whole; what is too much is divided out again below.
        for scale in (1, _BINARY_PLACES, _DECIMALS):
            scaled = np.rint(weights * scale)
            if scaled.max() < 2**_LIMIT_BITS and np.array_equal(scaled / scale, weights):
                whole = scaled.astype(np.int64)
                break
    if whole is None:
        return None
    divisor, total = _core.divisor_and_total(whole)
    # The core's total is rounded only above the limit, so no total that reaches the limit passes for a smaller one.
    if total >= 2**_LIMIT_BITS:
        return None
    return whole if divisor == 1 else np.floor_divide(whole, divisor)


def as_shares(weights: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Scale weights by a power of two so that the largest is about 1 and no quotient of two overflows."""
    _, exponent = np.frexp(float(weights.max()))
    shares: npt.NDArray[np.float64] = np.ldexp(weights.astype(np.float64), -exponent)
    return np.maximum(shares, _LEAST_SHARE)


def _sum(weights: _Integers, counts: _Integers) -> int:
    """Return the exact sum of weights times counts, also above 2^63."""
    if float(np.dot(weights.astype(np.float64), counts)) < 2**62:
        return int(np.dot(weights, counts))
    return sum(weight * n for weight, n in zip(weights.tolist(), counts.tolist(), strict=True))


def _totals(
    weights: npt.NDArray[Any], codes: npt.NDArray[np.int32], n_classes: int, counts: _Integers | None
) -> tuple[Exact, ...]:
    """Add up the weight of each class; the sums do not depend on the order of the rows."""
    if counts is not None and weights.dtype.kind != "i":
        return tuple(Fraction(_exact_sum(weights[codes == code], counts[codes == code])) for code in range(n_classes))
    if counts is not None:
        weights = weights * counts
    if weights.dtype.kind == "i":  # less than 2^52 together
        return tuple(_core.class_totals(codes, weights, n_classes))
    return tuple(Fraction(fsum(weights[codes == code])) for code in range(n_classes))


def _exact(weights: _Integers, costs: Costs, largest: Exact, limit_bits: int) -> _Scaled | None:
    """Return weights, costs over their common denominator and the largest possible loss, if that is small enough."""
    cells = [cost for row in costs for cost in row]
    denominator = lcm(*[cost.denominator for cost in cells])
    integers = [int(cost * denominator) for cost in cells]
    divisor = gcd(*integers)
    total = int(largest * denominator) // divisor
    if total.bit_length() > limit_bits:
        return None
    matrix = np.array([integer // divisor for integer in integers], dtype=np.int64)
    return weights, matrix.reshape(len(costs), -1), total


def _rounded(
    weights: npt.NDArray[Any],
    codes: npt.NDArray[np.int32],
    costs: Costs,
    largest: Exact,
    limit_bits: int,
    counts: _Integers | None,
) -> _Scaled:
    """Return weights times the largest cost of their class, costs as parts of that, and the largest possible loss."""
    # With the largest cost of the class in the weight, most matrices hold only 0 and 1 and leave all bits to weights.
    peaks = [max(row) for row in costs]
    parts = [[Fraction(cost, peak) if peak else 0 for cost in row] for row, peak in zip(costs, peaks, strict=True)]
    unit = 1 if all(part in (0, 1) for row in parts for part in row) else 1 << _COST_BITS
    budget = (1 << (limit_bits - 1)) // unit  # the other half of the range is for weights that are rounded up
    factors = np.array([float(Fraction(budget * peak, largest)) for peak in peaks])
    integers = np.maximum(1, np.rint(weights * factors[codes])).astype(np.int64)
    matrix = np.array([[round(part * unit) for part in row] for row in parts], dtype=np.int64)
    most = integers * matrix.max(axis=1)[codes]
    total = int((most if counts is None else most * counts).sum())
    return integers, matrix, total
