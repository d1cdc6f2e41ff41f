"""Parity of some bits among irrelevant ones, with noise."""

from __future__ import annotations

from itertools import product

import numpy as np

from hornbeam.datasets.dataset import Array, check_at_least, check_probability, flip


def make_parity(
    n_samples: int | None = 100,
    *,
    n_features: int = 10,
    n_relevant: int = 2,
    noise: float = 0.0,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Array, Array]:
    """Sample uniform bits whose class is the parity (exclusive or) of the first ones.

    No single feature is informative, so a greedy tree learns nothing; the optimal tree is the full one on the relevant
    features.

    Parameters
    ----------
    n_samples : int or None, default=100
        Number of rows. None: every combination of the features once, ``2**n_features`` rows in lexicographic order.
    n_features : int, default=10
        Number of bits in a row.
    n_relevant : int, default=2
        The class is the parity of the first `n_relevant` features; 2 is the exclusive or.
    noise : float, default=0.0
        Probability with which the class of a row is flipped.
    random_state : int, numpy.random.Generator or None, default=None
        Seed or generator; None draws differently every time.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        Bits, 0 or 1.
    y : ndarray of shape (n_samples,)
        Classes, 0 or 1.

    Raises
    ------
    ValueError
        If a number is negative, `n_features` or `n_samples` is 0, `n_relevant` exceeds `n_features`, or `noise` is not
        in [0, 1].

    Examples
    --------
    >>> X, y = make_parity(None, n_features=2)
    >>> X.tolist(), y.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    """
    check_at_least(1, n_features=n_features, n_samples=1 if n_samples is None else n_samples)
    check_at_least(0, n_relevant=n_relevant)
    check_probability(noise=noise)
    if n_relevant > n_features:
        raise ValueError(f"n_relevant must be at most n_features = {n_features}, got {n_relevant}")
    rng = np.random.default_rng(random_state)
    if n_samples is None:
        X = np.array(list(product((0, 1), repeat=n_features)))
    else:
        X = rng.integers(2, size=(n_samples, n_features))
    return X, flip(X[:, :n_relevant].sum(axis=1) % 2, noise, rng)
