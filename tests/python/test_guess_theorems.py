"""Theorems 4.1 and A.1 of the guesses paper on small random tables, against the optimum over all trees."""

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer
from oracles.exhaustive import optimal_cost

ERROR, LEAF = 10, 7  # costs of an error and of a leaf; the regularization is LEAF / ERROR / n_rows
ZERO_ONE = [[0, ERROR], [ERROR, 0]]


def draw_table(seed, n_rows=12):
    """Return two columns of numbers and noisy labels of both classes."""
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 6, (n_rows, 2)).astype(float)
    y = ((X[:, 0] > 2) ^ (X[:, 1] > 2) ^ (draw.random(n_rows) < 0.25)).astype(int)
    y[:2] = 0, 1
    return X, y


def optimum(columns, y, max_depth=None):
    return optimal_cost(columns.astype(int).tolist(), y.tolist(), [1] * len(y), ZERO_ONE, LEAF, max_depth)


def fit(columns, y, max_depth=None):
    return GOSDTClassifier(LEAF / ERROR / len(y), max_depth, binarizer=None).fit(columns, y)


def reference_of(seed):
    boosting = {"n_estimators": 4, "max_depth": 3, "random_state": seed}
    return GradientBoostingClassifier(**boosting, learning_rate=0.3, subsample=0.7)


@pytest.mark.parametrize("eliminate", [True, False])
def test_with_keep_accuracy_the_optimum_costs_no_more_than_theorem_4_1_says(eliminate):
    is_repeated, premise_fails_without = [], []
    for seed in range(12):
        X, y = draw_table(seed)
        binarizer = ThresholdGuessBinarizer(reference_of(seed), keep_accuracy=True, eliminate=eliminate).fit(X, y)
        columns = binarizer.transform(X)
        predictions = binarizer.reference_.predict(columns)
        on_table = reference_of(seed).fit(X, y).predict(X)
        assert binarizer.scores_["table"] == accuracy_score(y, on_table)
        assert accuracy_score(y, predictions) == binarizer.scores_["conditions"] >= binarizer.scores_["table"]
        same = DecisionTreeClassifier(random_state=0).fit(columns, predictions)
        assert np.array_equal(same.predict(columns), predictions)
        promised = ERROR * int(np.sum(on_table != y)) + LEAF * same.get_n_leaves()
        found = optimum(columns, y)
        assert found <= promised
        assert round(fit(columns, y).objective_ * ERROR * len(y)) == found
        is_repeated.append(isinstance(binarizer.reference_, DecisionTreeClassifier))
        plain = ThresholdGuessBinarizer(reference_of(seed), eliminate=eliminate).fit(X, y).scores_
        premise_fails_without.append(plain["conditions"] < plain["table"])
        if is_repeated[-1]:
            assert np.array_equal(predictions, on_table)
            assert len(binarizer.conditions_) == binarizer.n_thresholds_
    # The tables are such that the option matters, in both of its ways.
    assert 0 < sum(is_repeated) < len(is_repeated)
    assert sum(premise_fails_without) >= sum(is_repeated)


def test_keep_accuracy_stops_the_tolerance_at_the_score_on_the_table():
    X, y = draw_table(1, n_rows=60)
    reference = GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0)
    free, bound = (
        ThresholdGuessBinarizer(reference, 0.2, keep_accuracy=keep).fit(X, y).scores_ for keep in (False, True)
    )
    assert free["conditions"] < free["table"] <= bound["conditions"]


@pytest.mark.parametrize(
    "reference",
    [
        HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=2, random_state=0),
        GradientBoostingRegressor(n_estimators=5, max_depth=3, subsample=0.6, random_state=0),
    ],
    ids=lambda reference: type(reference).__name__,
)
def test_other_references_keep_their_accuracy_too(reference):
    for seed in range(3):
        X, y = draw_table(seed, n_rows=40)
        X[::7, 0] = np.nan
        X[:, 1] += 1e-9 * np.arange(40)  # values that single precision does not tell apart
        scores = ThresholdGuessBinarizer(reference, keep_accuracy=True).fit(X, y).scores_
        assert scores["conditions"] >= scores["table"] - (1e-12 if is_regressor(reference) else 0)


def test_keep_accuracy_says_when_the_given_thresholds_cannot_hold_it():
    X, y = draw_table(0, n_rows=60)
    reference = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
    with pytest.raises(ValueError, match="keep_accuracy=True, but fitted on the 2 conditions"):
        ThresholdGuessBinarizer(reference, thresholds={0: [2.5], 1: [4.5]}, keep_accuracy=True).fit(X, y)
    every = {0: np.arange(0.5, 6), 1: np.arange(0.5, 6)}
    scores = ThresholdGuessBinarizer(reference, thresholds=every, keep_accuracy=True).fit(X, y).scores_
    assert scores["conditions"] >= scores["table"]


def test_a_depth_that_is_too_small_costs_no_more_than_theorem_a_1_says():
    n_checked = n_strict = 0
    for seed in range(40):
        draw = np.random.default_rng(seed)
        columns = draw.integers(0, 2, (24, 4))
        y = columns[:, 0] ^ (columns[:, 1] & columns[:, 2]) ^ (draw.random(24) < 0.1)
        best = fit(columns, y).tree_
        least = optimum(columns, y)
        errors = best.class_weights.sum(axis=1) - best.class_weights.max(axis=1)
        assert ERROR * errors[best.left < 0].sum() + LEAF * best.n_leaves == least
        classes = [y[(columns == row).all(axis=1)] for row in np.unique(columns, axis=0)]
        in_minority = sum(min(np.sum(of == 0), np.sum(of == 1)) for of in classes)
        for depth in range(best.depth):
            pruned = leaves_at(best, 0, depth)
            cost = ERROR * errors[pruned].sum() + LEAF * len(pruned)
            shallow = optimum(columns, y, depth)
            assert round(fit(columns, y, depth).objective_ * ERROR * len(y)) == shallow
            promised = ERROR * (errors[pruned].sum() - in_minority) - LEAF * (best.n_leaves - len(pruned))
            assert 0 <= shallow - least <= cost - least <= promised
            n_checked += 1
            n_strict += shallow < cost
    assert n_checked > 50
    assert n_strict > 0


def leaves_at(tree, node, depth):
    """Return the leaves of a tree that is cut off at a depth."""
    if tree.left[node] < 0 or depth == 0:
        return [node]
    return leaves_at(tree, tree.left[node], depth - 1) + leaves_at(tree, tree.right[node], depth - 1)
