"""The core finds and proves exactly the cost that brute force over all trees finds."""

import itertools

import pytest

from core.solving import check_proven, check_tree, solve
from oracles.problems import OBJECTIVES, Problem, random_problem

DEPTHS = [None, 0, 1, 2, 3, 4]
LEAVES = [None, 1, 2, 3, 5]
SAMPLES = [1, 2, 3]
SIZES = [(1, 1), (5, 2), (8, 3), (12, 5), (12, 5), (20, 6)]
"""Largest numbers of rows and columns of the random problems: one problem per entry and combination of limits."""


@pytest.mark.parametrize("max_depth", DEPTHS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_optimum_equals_brute_force_under_every_combination_of_limits(objective, max_depth):
    for max_leaves, samples, seed in itertools.product(LEAVES, SAMPLES, range(len(SIZES))):
        limits = {"max_depth": max_depth, "max_leaves": max_leaves, "min_samples_leaf": samples}
        n_rows, n_columns = SIZES[seed]
        problem = random_problem(seed, objective, n_rows=(1, n_rows), n_columns=(0, n_columns), **limits)
        check_proven(problem, solve(problem), problem.optimum())


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_optimum_equals_brute_force_without_limits(objective):
    for seed in range(150):
        problem = random_problem(seed, objective, n_rows=(1, 24), n_columns=(1, 7))
        check_proven(problem, solve(problem), problem.optimum())


@pytest.mark.parametrize("max_depth", [None, 2, 3])
@pytest.mark.parametrize("objective", ["zero_one", "balanced", "cost_matrix"])
def test_optimum_equals_brute_force_on_more_rows_than_a_machine_word_has_bits(objective, max_depth):
    for seed in range(5):
        problem = random_problem(seed, objective, n_rows=(60, 200), n_columns=(5, 8), max_depth=max_depth)
        check_proven(problem, solve(problem), problem.optimum())


@pytest.mark.parametrize("seed", range(6))
def test_optimum_equals_brute_force_on_more_columns_than_a_machine_word_has_bits(seed):
    problem = random_problem(seed, "class_weighted", n_rows=(8, 20), n_columns=(65, 140), max_depth=2)
    check_proven(problem, solve(problem), problem.optimum())


@pytest.mark.parametrize("seed", range(4))
def test_optimum_equals_brute_force_on_a_thousand_rows_of_few_kinds(seed):
    problem = random_problem(seed, "zero_one", n_rows=(900, 1100), n_columns=(3, 4), max_depth=3)
    check_proven(problem, solve(problem), problem.optimum())


ZERO_ONE = [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("problem", "optimum"),
    [
        pytest.param(Problem([[0]], [1], [3], ZERO_ONE, 2), 2, id="one row"),
        pytest.param(Problem([[], []], [0, 1], [1, 5], ZERO_ONE, 2), 3, id="no column"),
        pytest.param(Problem([[1], [1], [1]], [0, 1, 1], [9, 2, 3], ZERO_ONE, 0), 5, id="constant column"),
        pytest.param(Problem([[0], [1], [1]], [0, 1, 0], [1, 1, 1], ZERO_ONE, 0), 1, id="contradiction"),
        pytest.param(Problem([[0], [1]], [0, 0], [1, 1], ZERO_ONE, 0), 0, id="one class only"),
        pytest.param(Problem([[0], [1]], [0, 1], [1, 1], [[7], [2]], 3), 12, id="one prediction only"),
        pytest.param(Problem([[0], [1]], [0, 1], [1, 1], [[0, 0], [0, 0]], 0), 0, id="all costs zero"),
        pytest.param(Problem([[0], [1]], [2, 5], [1, 1], [[1, 1]] * 6, 0), 2, id="classes without rows"),
        pytest.param(
            Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], [1] * 4, ZERO_ONE, 0), 0, id="exclusive or"
        ),
        pytest.param(
            Problem([[0], [1]], [0, 1], [2**51, 2**51 - 1], ZERO_ONE, 2**50), 2**51, id="largest total, one leaf ticks"
        ),
        pytest.param(Problem([[0], [1]], [0, 1], [1, 1], ZERO_ONE, 2**52 - 1), 2**52, id="leaf dearer than any loss"),
    ],
)
def test_optimum_of_a_corner_case_is_the_one_found_by_hand(problem, optimum):
    assert problem.optimum() == optimum
    check_proven(problem, solve(problem), optimum)


@pytest.mark.parametrize("seed", range(3))
def test_two_solves_in_a_row_do_not_disturb_each_other(seed):
    first, second = (random_problem(s, "zero_one", n_rows=(10, 20)) for s in (seed, seed + 100))
    once = solve(first)
    check_tree(second, solve(second))
    again = solve(first)
    assert all((once["tree"][name] == again["tree"][name]).all() for name in once["tree"])
