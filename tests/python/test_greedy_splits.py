"""The share of the splits of near-optimal trees that are greedy, by level: equation 3 of the SPLIT paper."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hornbeam import RashomonSetClassifier, greedy_splits
from oracles.lookahead import impurity, is_allowed, sides
from oracles.problems import random_problem
from oracles.rashomon import trees_within


def by_definition(problem, bound):
    """Return the greedy splits and all splits of each level, over all trees within a bound, in exact decimals."""
    n_greedy, n_splits = Counter(), Counter()

    def add(tree, rows, level):
        if len(tree) == 1:
            return
        gains = {
            column: round(sum(impurity(problem, side) for side in sides(problem, rows, column)), 9)
            for column in range(len(problem.rows[0]))
            if is_allowed(problem, rows, column)
        }
        n_splits[level] += 1
        n_greedy[level] += gains[tree[0]] == min(gains.values())
        for side, below in zip(tree[1:], sides(problem, rows, tree[0]), strict=True):
            add(side, below, level + 1)

    for tree in trees_within(problem, bound):
        add(tree, tuple(range(len(problem.rows))), 0)
    levels = range(len(n_splits))
    return [n_greedy[level] for level in levels], [n_splits[level] for level in levels]


@pytest.mark.parametrize("objective", ["accuracy", "cost"])
@pytest.mark.parametrize("min_samples_leaf", [1, 3])
def test_counts_are_those_of_the_definition_over_all_trees(objective, min_samples_leaf):
    n_mixed = 0
    for seed in range(25):
        draw = random_problem(seed, "zero_one", n_rows=(8, 30), n_columns=(2, 4))
        n_rows, n_classes = len(draw.rows), len(draw.costs)
        if len(set(draw.classes)) < n_classes:
            continue
        errors = range(1, n_classes + 1) if objective == "cost" else [1] * n_classes
        costs = [[0 if a == b else error for b in range(n_classes)] for a, error in enumerate(errors)]
        problem = replace(
            draw, weights=[1] * n_rows, costs=costs, leaf_cost=1, max_depth=3, min_samples_leaf=min_samples_leaf
        )
        trees = RashomonSetClassifier(
            Fraction(2, n_rows),
            "absolute",
            regularization=Fraction(1, n_rows),
            max_depth=3,
            min_samples_leaf=min_samples_leaf,
            distinct="columns",
            objective=objective,
            cost_matrix=costs if objective == "cost" else None,
            binarizer=None,
        )
        found = greedy_splits(trees.fit(problem.rows, problem.classes).rashomon_set_)
        n_greedy, n_splits = by_definition(problem, problem.optimum() + 2)
        assert (found.n_greedy, found.n_splits) == (n_greedy, n_splits)
        np.testing.assert_allclose(found.shares, np.array(n_greedy) / np.array(n_splits))
        n_mixed += sum(0 < greedy < every for greedy, every in zip(n_greedy, n_splits, strict=True))
    assert n_mixed > 10


@pytest.fixture(scope="module")
def parity():
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, size=(400, 5))
    return RashomonSetClassifier(0.3, regularization=0.01, max_depth=3, binarizer=None).fit(X, X[:, 0] ^ X[:, 1])


def test_the_last_splits_of_the_best_tree_of_a_parity_are_greedy(parity):
    best = greedy_splits(parity.rashomon_set_, [0])
    assert (best.n_splits, best.n_greedy[1], best.shares[1]) == ([1, 2], 2, 1.0)


def test_a_tree_counts_as_often_as_it_is_named(parity):
    trees = parity.rashomon_set_
    once, twice = (greedy_splits(trees, [1] * times) for times in (1, 2))
    assert twice.n_splits == [2 * n for n in once.n_splits]
    assert twice.shares.tolist() == once.shares.tolist()
    assert greedy_splits(trees, []).shares.shape == (0,)


def test_a_row_of_weight_three_counts_as_three_rows():
    draw = np.random.default_rng(1)
    X, y, weights = draw.integers(0, 2, (40, 5)), draw.integers(0, 3, 40), draw.integers(1, 4, 40)
    estimator = RashomonSetClassifier(0.2, regularization=Fraction(1, 50), max_depth=3, binarizer=None)
    weighted = greedy_splits(estimator.fit(X, y, sample_weight=weights).rashomon_set_)
    repeated = greedy_splits(estimator.fit(X.repeat(weights, axis=0), y.repeat(weights)).rashomon_set_)
    unweighted = greedy_splits(estimator.fit(X, y).rashomon_set_)
    assert weighted.n_greedy == repeated.n_greedy != unweighted.n_greedy
    assert weighted.n_splits == repeated.n_splits


def test_wrong_arguments_are_named(parity):
    with pytest.raises(TypeError, match="trees must be a RashomonSet"):
        greedy_splits(parity)
    with pytest.raises(TypeError, match="indices must hold numbers of trees"):
        greedy_splits(parity.rashomon_set_, [0.5])
    with pytest.raises(IndexError, match="is not in a set"):
        greedy_splits(parity.rashomon_set_, [parity.n_trees_])


def test_a_set_for_a_loss_that_is_no_sum_over_the_rows_is_refused():
    draw = np.random.default_rng(2)
    X, y = draw.integers(0, 2, (20, 3)), draw.integers(0, 2, 20)
    trees = RashomonSetClassifier(0.1, regularization=0.05, objective="f1", binarizer=None).fit(X, y).rashomon_set_
    with pytest.raises(ValueError, match="greedy splits need a loss that is a sum over the rows"):
        greedy_splits(trees)
