"""The oracles are tested too: against each other, by hand, and with trees that must be rejected."""

import itertools
import random

import pytest

from oracles.exhaustive import InvalidTreeError, all_trees, cost_of_tree, flatten, members_of_nodes, optimal_cost

XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]
ZERO_ONE = [[0, 1], [1, 0]]
STUMP = {"column": [0, -1, -1], "left": [1, -1, -1], "right": [2, -1, -1], "prediction": [0, 1, 0]}


@pytest.mark.parametrize(
    ("leaf_cost", "limits", "cost"),
    [
        (0, {}, 0),
        (1, {}, 3),
        (1, {"max_depth": 1}, 3),
        (1, {"max_leaves": 3}, 3),
        (0, {"max_depth": 1}, 2),
        (0, {"max_depth": 0}, 2),
        (0, {"max_leaves": 3}, 1),
        (0, {"max_leaves": 1}, 2),
        (0, {"min_samples_leaf": 2}, 2),
    ],
)
def test_optimal_cost_of_xor_is_the_one_found_by_hand(leaf_cost, limits, cost):
    assert optimal_cost(XOR, [0, 1, 1, 0], [1] * 4, ZERO_ONE, leaf_cost, **limits) == cost


def test_optimal_cost_uses_weights_and_costs_exactly():
    huge = 2**60 + 1
    assert optimal_cost([[0], [0]], [0, 1], [huge, 1], ZERO_ONE, 5) == 6
    assert optimal_cost([[0], [1]], [0, 1], [3, 5], [[7, 2], [1, 4]], 0) == 3 * 2 + 5 * 1


@pytest.mark.parametrize("seed", range(60))
def test_optimal_cost_is_the_least_cost_of_all_enumerated_trees(seed):
    draw = random.Random(seed)
    n_rows, n_columns, n_classes = draw.randint(1, 5), draw.randint(0, 3), draw.randint(2, 3)
    rows = [[draw.randint(0, 1) for _ in range(n_columns)] for _ in range(n_rows)]
    classes = [draw.randrange(n_classes) for _ in range(n_rows)]
    weights = [draw.randint(1, 4) for _ in range(n_rows)]
    costs = [[draw.randint(0, 3) for _ in range(2)] for _ in range(n_classes)]
    leaf_cost = draw.randint(0, 3)
    limits = {
        "max_depth": draw.choice([None, 0, 1, 2, 3]),
        "max_leaves": draw.choice([None, 1, 2, 3, 4]),
        "min_samples_leaf": draw.randint(1, 3),
    }
    found = [
        cost_of_tree(tree, rows, classes, weights, costs, leaf_cost, **limits) for tree in all_trees(rows, 2, **limits)
    ]
    assert optimal_cost(rows, classes, weights, costs, leaf_cost, **limits) == min(found)


def test_all_trees_lists_each_tree_on_two_full_columns_once():
    trees = [str(tree) for tree in all_trees(XOR, 2)]
    shapes_on_one_column = 2**2  # two leaves, two labels each
    per_child = 2 + shapes_on_one_column
    assert len(trees) == len(set(trees)) == 2 + 2 * per_child**2


def test_all_trees_keeps_the_limits_and_misses_no_tree_within_them():
    def sizes(**limits):
        return sorted(str(tree) for tree in all_trees(XOR, 2, **limits))

    everything = list(all_trees(XOR, 2))
    small = sorted(str(tree) for tree in everything if len(tree["column"]) <= 5)
    assert sizes(max_leaves=3) == small
    assert sizes(max_depth=1) == sorted(str(tree) for tree in everything if len(tree["column"]) <= 3)
    assert sizes(min_samples_leaf=2) == sizes(max_depth=1)


def test_flatten_gives_preorder_with_the_true_child_to_the_left():
    tree = flatten((1, (0, (1,), (0,)), (1,)))
    assert tree == {
        "column": [1, 0, -1, -1, -1],
        "left": [1, 2, -1, -1, -1],
        "right": [4, 3, -1, -1, -1],
        "prediction": [0, 0, 1, 0, 1],
    }
    assert members_of_nodes(tree, XOR) == [[0, 1, 2, 3], [1, 3], [3], [1], [0, 2]]


def test_cost_of_tree_sends_rows_with_a_one_to_the_left():
    rows, classes = [[1], [0], [0]], [1, 0, 1]
    assert cost_of_tree(STUMP, rows, classes, [10, 20, 3], ZERO_ONE, 100) == 203


@pytest.mark.parametrize(
    "damage",
    [
        {"column": [1, -1, -1]},
        {"column": [-2, -1, -1]},
        {"column": [-1, -1, -1]},
        {"column": [0, -1]},
        {"left": [2, -1, -1], "right": [1, -1, -1]},
        {"left": [0, -1, -1]},
        {"left": [-1, -1, -1]},
        {"left": [1, 2, -1]},
        {"right": [1, -1, -1]},
        {"right": [3, -1, -1]},
        {"prediction": [0, 2, 0]},
        {"prediction": [0, -1, 0]},
        {"column": [], "left": [], "right": [], "prediction": []},
        {"column": [-1, -1, -1], "left": [-1] * 3, "right": [-1] * 3},
    ],
)
def test_cost_of_tree_rejects_a_damaged_tree(damage):
    with pytest.raises(InvalidTreeError):
        cost_of_tree(STUMP | damage, [[1], [0]], [0, 1], [1, 1], ZERO_ONE, 0)


@pytest.mark.parametrize("limits", [{"max_depth": 0}, {"max_leaves": 1}, {"min_samples_leaf": 2}])
def test_cost_of_tree_rejects_a_tree_that_breaks_a_limit(limits):
    problem = ([[1], [0], [0]], [0, 1, 1], [1, 1, 1], ZERO_ONE, 0)
    assert cost_of_tree(STUMP, *problem) == 3
    with pytest.raises(InvalidTreeError):
        cost_of_tree(STUMP, *problem, **limits)


@pytest.mark.parametrize("value", [0, 1])
def test_cost_of_tree_rejects_a_leaf_without_rows(value):
    with pytest.raises(InvalidTreeError, match="0 rows"):
        cost_of_tree(STUMP, [[value], [value]], [0, 1], [1, 1], ZERO_ONE, 0)


def test_a_single_leaf_is_allowed_whatever_the_least_number_of_rows():
    leaf = flatten((0,))
    assert cost_of_tree(leaf, [[0]], [1], [4], ZERO_ONE, 1, min_samples_leaf=9) == 5
    assert optimal_cost([[0]], [1], [4], ZERO_ONE, 1, min_samples_leaf=9) == 1


def test_optimal_cost_of_every_table_of_three_rows_and_two_columns_is_the_least_cost_of_all_trees():
    for bits in itertools.product([0, 1], repeat=6):
        rows = [bits[:2], bits[2:4], bits[4:]]
        problem = (rows, [0, 1, 0], [2, 3, 2], ZERO_ONE, 1)
        assert optimal_cost(*problem) == min(cost_of_tree(tree, *problem) for tree in all_trees(rows, 2))
