"""Quantiles of groups of rows, and what their rows lose by them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]


def quantiles_of_groups(
    groups: npt.NDArray[np.integer], targets: _Floats, weights: _Floats, quantile: float
) -> _Floats:
    """Return the weighted quantile of the targets of each group of rows, the middle one of all if there are several.

    Parameters
    ----------
    groups : ndarray of int of shape (n_rows,)
        Group of each row, from 0.
    targets, weights : ndarray of float64 of shape (n_rows,)
        Finite targets; weights greater than 0.
    quantile : float
        Above 0 and below 1.

    Returns
    -------
    ndarray of float64 of shape (groups.max() + 1,)
        NaN for a group without rows.
    """
    order = np.lexsort((targets, groups))
    of_group, sorted_targets = groups[order], targets[order]
    up_to = np.cumsum(weights[order])
    ends = np.flatnonzero(np.append(of_group[1:] != of_group[:-1], True))
    starts = np.append(0, ends[:-1] + 1)
    before = np.append(0.0, up_to[ends[:-1]])
    wanted = before + quantile * (up_to[ends] - before)
    # Where the weight below a row is exactly what is wanted, this row and the one before are equally good.
    low = np.clip(np.searchsorted(up_to, wanted, side="left"), starts, ends)
    high = np.clip(np.searchsorted(up_to, wanted, side="right"), starts, ends)
    found = np.full(int(groups.max()) + 1, np.nan)
    found[of_group[ends]] = sorted_targets[low] / 2 + sorted_targets[high] / 2
    return found


def pinball_losses(errors: _Floats, quantile: float) -> _Floats:
    """Return what rows lose whose targets are so much larger than their prediction."""
    losses: _Floats = np.where(errors >= 0, quantile * errors, (quantile - 1) * errors)
    return losses
