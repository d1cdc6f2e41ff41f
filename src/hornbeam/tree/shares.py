"""Shares of the classes in a leaf as probabilities: smoothed, and with confidence intervals."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import beta, norm

from hornbeam._checks import as_float, check_choice, is_number, shown

Smoothing: TypeAlias = "float | Literal['laplace'] | None"


def check_smoothing(smoothing: object) -> None:
    """Check the parameter `smoothing`.

    Raises
    ------
    TypeError
        If it is neither None, nor "laplace", nor a number.
    ValueError
        If it is another string, negative or infinite.
    """
    if smoothing is None or (isinstance(smoothing, str) and smoothing == "laplace"):
        return
    if isinstance(smoothing, str):
        raise ValueError(f"smoothing must be None, 'laplace' or a number, got {shown(smoothing)}.")
    if not is_number(smoothing):
        raise TypeError(f"smoothing must be None, 'laplace' or a number, got {shown(smoothing)}.")
    if not 0 <= as_float(smoothing) < np.inf:
        raise ValueError(f"smoothing must be at least 0 and finite, got {shown(smoothing)}.")


def class_shares(class_weights: npt.NDArray[np.float64], smoothing: Smoothing) -> npt.NDArray[np.float64]:
    """Return the shares of the classes in each node.

    Parameters
    ----------
    class_weights : ndarray of shape (n_nodes, n_classes)
        Training weight of each class; the first row is the root.
    smoothing : float, "laplace" or None
        See `Tree.predict_proba`.

    Returns
    -------
    ndarray of float of shape (n_nodes, n_classes)
    """
    totals = class_weights.sum(axis=1, keepdims=True)
    if smoothing is None:
        return np.asarray(class_weights / totals)
    if smoothing == "laplace":
        return np.asarray((class_weights + 1) / (totals + class_weights.shape[1]))
    prior = class_weights[0] / totals[0]
    return np.asarray((class_weights + float(smoothing) * prior) / (totals + float(smoothing)))


def share_intervals(
    class_weights: npt.NDArray[np.float64], n_samples: npt.NDArray[np.int64], confidence: Any, method: Any
) -> npt.NDArray[np.float64]:
    """Return a confidence interval of each share, see `Tree.share_intervals`."""
    check_choice("method", method, ("wilson", "clopper-pearson"))
    if not is_number(confidence) or not 0 < as_float(confidence) < 1:
        raise ValueError(f"confidence must be greater than 0 and less than 1, got {shown(confidence)}.")
    tail = (1 - float(confidence)) / 2
    n = n_samples[:, np.newaxis].astype(np.float64)
    shares = class_shares(class_weights, None)
    if method == "wilson":
        z = norm.isf(tail)
        center = (shares + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * np.sqrt(shares * (1 - shares) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        low, high = center - half, center + half
    else:
        hits = shares * n
        with np.errstate(invalid="ignore"):  # no share of 0 has a lower end, and none of 1 an upper one
            low, high = beta.ppf(tail, hits, n - hits + 1), beta.isf(tail, hits + 1, n - hits)
    # Rounding must not keep an end from 0 or 1.
    low, high = np.where(shares <= 0, 0.0, low), np.where(shares >= 1, 1.0, high)
    return np.stack([np.clip(low, 0, 1), np.clip(high, 0, 1)], axis=-1)
