"""The tree that is found without a proof is no worse than what others find as fast."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.datasets import load_breast_cancer, load_wine, make_classification, make_moons
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier, ThresholdGuessBinarizer

Rows = tuple[npt.NDArray[Any], npt.NDArray[Any]]


def blobs(seed: int, n_classes: int) -> Rows:
    return make_classification(
        400, 6, n_informative=4, n_redundant=1, n_classes=n_classes, flip_y=0.1, random_state=seed
    )


def with_missing(seed: int) -> Rows:
    """Return numbers with ties and missing values, and a noisy label."""
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 200, (400, 5)).astype(float)
    y = ((X[:, 0] > 80) & (X[:, 1] < 140) | (X[:, 2] < 30)) ^ (draw.random(400) < 0.1)
    X[draw.random(X.shape) < 0.05] = np.nan
    return X, y.astype(int)


TABLES = {
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "moons": make_moons(400, noise=0.3, random_state=0),
    **{f"{n_classes} classes, seed {seed}": blobs(seed, n_classes) for n_classes in (2, 3, 5) for seed in range(5)},
    **{f"missing values, seed {seed}": with_missing(seed) for seed in range(6)},
}


def test_there_are_24_tables():
    assert len(TABLES) == 24


def pruned_cart(
    X: npt.NDArray[Any], y: npt.NDArray[Any], regularization: float, max_depth: int, criterion: str
) -> float:
    """Return the least objective of all prunings of CART's tree."""
    tree = DecisionTreeClassifier(criterion=criterion, max_depth=max_depth, random_state=0).fit(X, y).tree_
    shares = tree.value[:, 0, :] / tree.value[:, 0, :].sum(axis=1, keepdims=True)
    losses = tree.n_node_samples * (1 - shares.max(axis=1)) / len(y)

    def least(node: int) -> float:
        leaf = float(losses[node]) + regularization
        left, right = tree.children_left[node], tree.children_right[node]
        return leaf if left < 0 else min(leaf, least(left) + least(right))

    return least(0)


@cache
def guessed(name: str) -> npt.NDArray[Any]:
    """Return the columns of the guessed thresholds, which are the same for every leaf penalty."""
    return ThresholdGuessBinarizer().fit_transform(*TABLES[name])


@pytest.mark.parametrize("regularization", [0.01, 0.002])
@pytest.mark.parametrize("name", TABLES)
def test_a_tree_over_all_thresholds_is_no_worse_than_what_others_find_as_fast(name, regularization):
    X, y = TABLES[name]
    found = SPLITClassifier(regularization, lookahead_depth=3, max_depth=4).fit(X, y)
    others = [min(np.mean(y != label) for label in np.unique(y)) + regularization]
    others += [pruned_cart(X, y, regularization, 4, criterion) for criterion in ("gini", "entropy")]
    quantiles = [LicketySPLITClassifier(regularization, depth, binarizer="quantile") for depth in (2, 3, 4)]
    exact = [GOSDTClassifier(regularization, max_depth=depth) for depth in (2, 3)]
    others += [classifier.fit(X, y).objective_ for classifier in (*quantiles, *exact)]
    others += [GOSDTClassifier(regularization, max_depth=4, binarizer=None).fit(guessed(name), y).objective_]
    assert found.objective_ <= min(others) + 1e-9


def test_trees_over_all_thresholds_keep_the_limits():
    X, y = blobs(9, 2)
    for limits in ({"max_depth": 3}, {"min_samples_leaf": 20, "max_depth": 5}):
        found = SPLITClassifier(0.001, binarizer="exact", **limits).fit(X, y)
        assert found.get_depth() <= limits["max_depth"]
        leaves, n_rows = np.unique(found.apply(X), return_counts=True)
        assert len(leaves) == found.n_leaves_
        assert n_rows.min() >= limits.get("min_samples_leaf", 1)
