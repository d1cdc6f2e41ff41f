"""Of equally good trees the core takes the smaller one, the same one every time."""

import pytest

from core.solving import BOUNDS, costs_in_nodes, n_leaves, solve
from oracles.problems import OBJECTIVES, Problem, random_problem


def subtree_costs(problem, tree):
    """Return for each node the cost of its subtree and the cost of the node closed as a leaf."""
    as_leaf = [min(costs) + problem.leaf_cost for costs in costs_in_nodes(problem, tree)]
    subtree = list(as_leaf)
    for node in reversed(range(len(as_leaf))):
        if tree["column"][node] != -1:
            subtree[node] = subtree[tree["left"][node]] + subtree[tree["right"][node]]
    return subtree, as_leaf


@pytest.mark.parametrize("off", [None, *BOUNDS])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_no_node_is_split_without_gain(objective, off):
    for seed in range(40):
        problem = random_problem(seed, objective, n_rows=(2, 20), n_columns=(1, 6))
        tree = solve(problem, bounds={} if off is None else {off: False})["tree"]
        subtree, as_leaf = subtree_costs(problem, tree)
        assert all(subtree[node] < as_leaf[node] for node, column in enumerate(tree["column"]) if column != -1), problem


@pytest.mark.parametrize("position", range(6))
def test_one_column_that_separates_the_classes_is_found_before_deeper_trees_of_the_same_cost(position):
    noise = random_problem(7, "zero_one", n_rows=(30, 30), n_columns=(6, 6))
    rows = [[*row[:position], r % 2, *row[position:]] for r, row in enumerate(noise.rows)]
    outcome = solve(Problem(rows, [r % 2 for r in range(30)], [1] * 30, [[0, 1], [1, 0]], 0))
    assert (outcome["upper"], n_leaves(outcome)) == (0, 2)


def test_a_pure_node_is_a_leaf_even_if_leaves_are_free():
    outcome = solve(Problem([[0, 1], [1, 0], [1, 1]], [1, 1, 1], [1, 2, 3], [[0, 1], [1, 0]], 0))
    assert (outcome["upper"], n_leaves(outcome)) == (0, 1)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_one_thread_gives_the_same_tree_and_the_same_work_every_time(objective):
    for seed in range(5):
        problem = random_problem(seed, objective, n_rows=(30, 60), n_columns=(7, 9))
        first, *others = (solve(problem) for _ in range(3))
        for other in others:
            assert other["statistics"]["subproblems"] == first["statistics"]["subproblems"]
            assert all((other["tree"][name] == first["tree"][name]).all() for name in first["tree"])
