"""Distributions on which trees that look ahead are far better than greedy ones."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hornbeam.datasets.dataset import Array, check_at_least, check_probability, flip


def make_tribes_majority(
    n_samples: int = 1000,
    *,
    lookahead: int = 4,
    n_majority: int = 16,
    noise: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Array, Array]:
    """Sample uniform bits whose class is mostly Tribes of the first ones, and else the majority of the others.

    Tribes divides its bits into groups of `width` bits and is 1 if some group is all ones; `width` is the largest
    integer with ``(1 - 2**-width) ** (lookahead / width) <= 1/2``. Bits left over belong to no group. A greedy tree
    prefers the bits of the majority, each of which carries a little information about the class, to those of Tribes,
    which together decide it (this holds in the limit of large `lookahead`; for small ones Tribes is far from
    balanced).

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    lookahead : int, default=4
        Number of bits of Tribes, the first features.
    n_majority : int, default=16
        Number of bits of the majority, the other features. The majority is 1 if at least half of them are.
    noise : float, default=0.1
        Probability with which a row takes its class from the majority instead of from Tribes.
    random_state : int, numpy.random.Generator or None, default=None
        Seed or generator; None draws differently every time.

    Returns
    -------
    X : ndarray of shape (n_samples, lookahead + n_majority)
        Bits, 0 or 1.
    y : ndarray of shape (n_samples,)
        Classes, 0 or 1.

    Raises
    ------
    ValueError
        If a number is not positive, or `noise` is not in [0, 1].

    References
    ----------
    .. [1] V. Babbar et al., "Near-optimal decision trees in a SPLIT second", ICML 2025: Theorem 6.5, equations 107
           and 108.

    Examples
    --------
    >>> from hornbeam.datasets import make_tribes_majority
    >>> X, y = make_tribes_majority(100, lookahead=4, n_majority=6, random_state=0)
    >>> X.shape, y.shape
    ((100, 10), (100,))
    """
    check_at_least(1, n_samples=n_samples, lookahead=lookahead, n_majority=n_majority)
    check_probability(noise=noise)
    rng = np.random.default_rng(random_state)
    X = rng.integers(2, size=(n_samples, lookahead + n_majority))
    width = _width_of_tribes(lookahead)
    n_tribes = lookahead // width
    tribes = np.any(np.all(X[:, : n_tribes * width].reshape(n_samples, n_tribes, width), axis=2), axis=1)
    is_noisy = rng.random(n_samples) < noise
    return X, np.where(is_noisy, _majority(X[:, lookahead:]), tribes).astype(np.int64)


def make_parity_majority(
    n_samples: int = 1000,
    *,
    depth: int = 4,
    lookahead: int = 1,
    noise: float = 0.1,
    n_copies: int = 0,
    copy_noise: float = 0.1,
    combine: Literal["xor", "and"] = "xor",
    random_state: int | np.random.Generator | None = None,
) -> tuple[Array, Array]:
    """Sample bits whose class is mostly the parity of some combined with the majority of others, and else of decoys.

    The first ``2 * depth`` features are uniform bits: `lookahead` bits of a parity, ``depth - lookahead`` bits of a
    majority, and `depth` decoys. The class is the parity XOR the majority, or, in noisy rows, the majority of the
    decoys. Only the decoys are correlated with the class, so a greedy tree splits on them. With the defaults this is
    the distribution of Theorem A.7; with copies it is that of Theorem A.6.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    depth : int, default=4
        Number of bits that decide the class of a row without noise, and number of decoys.
    lookahead : int, default=1
        Number of bits of the parity, at least 1 and less than `depth`.
    noise : float, default=0.1
        Probability with which a row takes its class from the decoys.
    n_copies : int, default=0
        Number of further features; each is a copy of one bit of the parity, which is drawn once per feature.
    copy_noise : float, default=0.1
        Probability with which a value of a copy is flipped.
    combine : {"xor", "and"}, default="xor"
        How parity and majority are combined. Equation 112 prints "and", but then the bits of the majority are more
        correlated with the class than the decoys are, against the proof; its text describes "xor".
    random_state : int, numpy.random.Generator or None, default=None
        Seed or generator; None draws differently every time.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 * depth + n_copies)
        Bits, 0 or 1.
    y : ndarray of shape (n_samples,)
        Classes, 0 or 1.

    Raises
    ------
    ValueError
        If a number is out of range, `noise` or `copy_noise` is not in [0, 1], or `combine` is unknown.

    References
    ----------
    .. [1] V. Babbar et al., "Near-optimal decision trees in a SPLIT second", ICML 2025: Theorems A.6 and A.7,
           equations 111 and 112.

    Examples
    --------
    >>> from hornbeam.datasets import make_parity_majority
    >>> X, y = make_parity_majority(100, depth=3, lookahead=2, n_copies=2, random_state=0)
    >>> X.shape, y.shape
    ((100, 8), (100,))
    """
    check_at_least(1, n_samples=n_samples, lookahead=lookahead)
    check_at_least(lookahead + 1, depth=depth)
    check_at_least(0, n_copies=n_copies)
    check_probability(noise=noise, copy_noise=copy_noise)
    if combine not in ("xor", "and"):
        raise ValueError(f"combine must be 'xor' or 'and', got {combine!r}")
    rng = np.random.default_rng(random_state)
    bits = rng.integers(2, size=(n_samples, 2 * depth))
    copies = flip(bits[:, rng.integers(lookahead, size=n_copies)], copy_noise, rng)
    parity, majority = bits[:, :lookahead].sum(axis=1) % 2, _majority(bits[:, lookahead:depth])
    clean = parity ^ majority if combine == "xor" else parity & majority
    is_noisy = rng.random(n_samples) < noise
    return np.hstack([bits, copies]), np.where(is_noisy, _majority(bits[:, depth:]), clean)


def _majority(bits: Array) -> Array:
    """Return for each row whether at least half of its bits are 1, as 0 or 1."""
    return np.asarray(2 * bits.sum(axis=1) >= bits.shape[1], dtype=np.int64)


def _width_of_tribes(n_bits: int) -> int:
    """Return the largest width of a group for which Tribes is 1 at least half of the time."""
    return max(w for w in range(1, n_bits + 1) if (1 - 2.0**-w) ** (n_bits / w) <= 0.5)
