"""Convert rewards to the integers of the search.

A row loses by an action what the best action for this row earns more. These losses, times the weights of the rows, are
taken over exactly if rewards and weights are integers, decimals of up to six places, or multiples of 2^-20, and the sum
of all losses of all actions stays below 2^52. Otherwise each loss is rounded *down* to a power of two of which less
than 2^51 make that sum. So no tree costs the search more than it truly loses, and each lower bound that the search
proves holds for the rewards as given; a tree loses less than a tick a row more than the search counts.

An action that is not available for a row costs twice the largest loss of all rows together.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.fitting.scales import AdditiveScale, as_integers, penalty_error
from hornbeam.objectives import exact_fraction

_LIMIT_BITS = _core.COST_BITS
_ANY_LEAF_COST = 1 << 20
_FIRST_ROWS = 100
_Integers = npt.NDArray[np.int64]
_Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RewardScale(AdditiveScale):
    """The losses of a policy in ticks: `weights` has one for each row and action, and `costs` is the identity.

    Attributes
    ----------
    is_exact : bool
        Whether the ticks are the losses, and not rounded down.
    """

    is_exact: bool = True


def whole_numbers(values: _Numbers) -> tuple[_Integers, int] | None:
    """Return values as integers of 1, 2^-20 or 10^-6, NaN as 0, and how many make 1; None if they have more places."""
    known = np.nan_to_num(values, nan=0.0)
    for scale in (1, 2**20, 10**6):
        # The first rows mostly tell that the scale is another one.
        for some in (known[:_FIRST_ROWS], known):
            with np.errstate(over="ignore"):
                scaled = np.rint(some * scale)
            if np.abs(scaled).max() >= 2 ** (_LIMIT_BITS - 1) or not np.array_equal(scaled / scale, some):
                break
        else:
            return scaled.astype(np.int64), scale
    return None


def make_reward_scale(
    rewards: _Numbers, weights: npt.NDArray[Any], regularization: float, *, is_share: bool
) -> RewardScale:
    """Turn a problem into ticks.

    Parameters
    ----------
    rewards : float64 ndarray of shape (n_rows, n_actions)
        NaN where an action is not available; every row has one that is.
    weights : ndarray of shape (n_rows,)
        Weights as read by `hornbeam._checks.check_weights`, all greater than zero.
    regularization : float
        Leaf penalty in the unit of the mean reward of a row; rounded once, to a tick.
    is_share : bool
        Whether it is a share of what the best single action loses instead.

    Returns
    -------
    RewardScale

    Raises
    ------
    ValueError
        If a leaf would cost more than the largest possible loss, unless no action earns more than another.
    """
    is_missing = np.isnan(rewards)
    costs = np.eye(rewards.shape[1], dtype=np.int64)
    exact = _exact_losses(rewards, is_missing, weights)
    losses, one = exact or _rounded_losses(rewards, is_missing, weights)
    largest = int(losses.max(axis=1).sum())
    penalty = Fraction(exact_fraction(regularization, "regularization"))
    if largest == 0:
        return _scale_of_no_losses(is_missing, costs, Fraction(0) if is_share else penalty)
    losses[is_missing] = 2 * largest
    if is_share:
        penalty *= min(int(losses.sum(axis=0).min()), largest) / one
    # The bits that are left make the tick finer, so that rounding the leaf penalty changes it least.
    factor = 1 << (_LIMIT_BITS - int(losses.sum()).bit_length())
    leaf_cost = round(penalty * one * factor)
    if leaf_cost > largest * factor:
        raise penalty_error(regularization, float(largest / one))
    return RewardScale(losses * factor, costs, leaf_cost, one * factor, 0, is_exact=exact is not None)


def _scale_of_no_losses(is_missing: npt.NDArray[np.bool_], costs: _Integers, penalty: Fraction) -> RewardScale:
    """Return the scale where no action that is available earns more than another: then any tick will do.

    A search needs something to lose, so each row loses a tick by every action, which the offset takes back.
    """
    one, leaf_cost = (_ANY_LEAF_COST / penalty, _ANY_LEAF_COST) if penalty else (Fraction(1), 0)
    losses = np.where(is_missing, 2 * leaf_cost + 2, 1).astype(np.int64)
    return RewardScale(losses, costs, leaf_cost, one, -len(losses) / one)


def _exact_losses(
    rewards: _Numbers, is_missing: npt.NDArray[np.bool_], weights: npt.NDArray[Any]
) -> tuple[_Integers, Fraction] | None:
    """Return the losses as integers, 0 where missing, and how many make a mean loss of 1; None if they are too many."""
    found, whole_weights = whole_numbers(rewards), as_integers(weights)
    if found is None or whole_weights is None:
        return None
    whole, scale = found
    losses = np.where(is_missing, np.iinfo(np.int64).min, whole).max(axis=1, keepdims=True) - whole
    losses[is_missing] = 0
    if _total_with_missing(losses.astype(np.float64) * whole_weights[:, np.newaxis], is_missing) >= 2**_LIMIT_BITS:
        return None
    losses *= whole_weights[:, np.newaxis]
    divisor = int(np.gcd.reduce(losses, axis=None)) or 1
    return losses // divisor, Fraction(int(whole_weights.sum()) * scale, divisor)


def _rounded_losses(
    rewards: _Numbers, is_missing: npt.NDArray[np.bool_], weights: npt.NDArray[Any]
) -> tuple[_Integers, Fraction]:
    """Return the same, each loss rounded down."""
    # In units of powers of two, differences and products neither overflow nor lose a bit to the unit.
    reward_bits = int(np.frexp(np.nanmax(np.abs(rewards)))[1])
    weight_bits = int(np.frexp(float(weights.max()))[1])
    scaled, shares = np.ldexp(rewards, -reward_bits), np.ldexp(weights.astype(np.float64), -weight_bits)
    losses = (np.nanmax(scaled, axis=1, keepdims=True) - scaled) * shares[:, np.newaxis]
    losses[is_missing] = 0
    # Difference and product are rounded to the nearest number: two units in the last place less are at most what they
    # are.
    losses -= losses * 2.0**-51
    shift = _LIMIT_BITS - 1 - int(np.frexp(_total_with_missing(losses, is_missing))[1])
    ticks = np.floor(np.ldexp(losses, shift)).astype(np.int64)
    return ticks, Fraction(fsum(shares.tolist())) * Fraction(2) ** (shift - reward_bits)


def _total_with_missing(losses: _Numbers, is_missing: npt.NDArray[np.bool_]) -> float:
    """Return the sum of the losses, with actions that are not available, or a little more."""
    n_missing = int(np.count_nonzero(is_missing))
    return float(losses.sum() + n_missing * 2 * losses.max(axis=1).sum()) * (1 + 2.0**-40)
