"""Problems whose labels come from random trees, as in the experiments of MAPTree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hornbeam.datasets.dataset import Array, check_at_least, check_probability


class TrainTest(NamedTuple):
    """One problem: training and test part, in the order of scikit-learn's `train_test_split`."""

    X_train: Array
    X_test: Array
    y_train: Array
    y_test: Array


class _Split(NamedTuple):
    """Rows with 0 in the feature go left; None stands for a leaf."""

    feature: int
    left: _Split | None
    right: _Split | None


def make_random_trees(
    n_problems: int = 20,
    *,
    n_splits: int = 15,
    n_features: int = 40,
    n_samples: int = 1000,
    noise: float = 0.0,
    tree_seed: int = 42,
    data_seed: int = 21,
) -> list[TrainTest]:
    """Make the synthetic problems of the MAPTree paper: uniform bits labeled by random trees.

    A tree divides its splits uniformly between the two sides of the root, and recursively below. Each split uses a
    feature that no ancestor has. The labels of the leaves alternate, so no subtree can be collapsed. With the default
    arguments, and any `noise`, the problems are bit by bit those of the authors' program.

    Parameters
    ----------
    n_problems : int, default=20
        Number of trees.
    n_splits : int, default=15
        Number of inner nodes of each tree.
    n_features : int, default=40
        Number of bits in a row, at least `n_splits`.
    n_samples : int, default=1000
        Number of rows of each training part and of each test part.
    noise : float, default=0.0
        Probability with which a training label is flipped; the paper uses 0, 0.1 and 0.25. Test labels stay clean.
    tree_seed, data_seed : int, default=42 and 21
        Seeds of the trees, and of the bits and the noise.

    Returns
    -------
    list of TrainTest
        ``X_train, X_test, y_train, y_test`` for each problem; all entries are 0 or 1.

    Raises
    ------
    ValueError
        If a number is not positive, there are fewer features than splits, or `noise` is not in [0, 1].

    References
    ----------
    .. [1] C. Sullivan, M. Tiwari, S. Thrun, "MAPTree: beating 'optimal' decision trees with Bayesian decision trees",
           AAAI 2024: section 6.2.
    .. [2] L. Devroye, P. Kruszewski, "The botanical beauty of random binary trees", Graph Drawing 1995.

    Examples
    --------
    >>> X_train, X_test, y_train, y_test = make_random_trees(noise=0.1)[0]
    >>> X_train.shape, y_test.shape
    ((1000, 40), (1000,))
    """
    check_at_least(1, n_problems=n_problems, n_splits=n_splits, n_samples=n_samples)
    check_at_least(n_splits, n_features=n_features)
    check_probability(noise=noise)
    X = np.random.default_rng(data_seed).integers(2, size=(2, n_problems, n_samples, n_features))
    is_flipped = np.random.default_rng(data_seed).random((n_problems, n_samples)) < noise
    rng = np.random.default_rng(tree_seed)
    problems = []
    for train, test, flips in zip(*X, is_flipped, strict=True):
        tree, first = _random_tree(rng, n_splits, list(range(n_features))), int(rng.integers(2))
        problems.append(TrainTest(train, test, _labels(tree, train, first) ^ flips, _labels(tree, test, first)))
    return problems


def _random_tree(rng: np.random.Generator, n_splits: int, free: list[int]) -> _Split | None:
    """Sample a tree that may split on the features `free`, in the same order as the authors' program."""
    if n_splits == 0:
        return None
    feature = free[int(rng.integers(len(free)))]
    n_left = int(rng.integers(n_splits))
    rest = [other for other in free if other != feature]
    left = _random_tree(rng, n_left, rest)
    return _Split(feature, left, _random_tree(rng, n_splits - 1 - n_left, rest))


def _labels(tree: _Split | None, X: Array, first: int) -> Array:
    """Return the label of each row; leaves are labeled from left to right with `first`, its opposite, and so on."""
    labels = np.empty(len(X), dtype=np.int64)
    n_leaves = 0

    def fill(node: _Split | None, rows: np.ndarray[Any, np.dtype[np.intp]]) -> None:
        nonlocal n_leaves
        if node is None:
            labels[rows] = first ^ (n_leaves % 2)
            n_leaves += 1
            return
        is_right = X[rows, node.feature] == 1
        fill(node.left, rows[~is_right])
        fill(node.right, rows[is_right])

    fill(tree, np.arange(len(X)))
    return labels
