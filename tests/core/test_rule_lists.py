"""The search for rule lists finds and proves exactly the cost that brute force over all rule lists finds."""

import itertools

import numpy as np
import pytest

from core.calls import call
from core.solving import BOUNDS, arguments, check_interval, check_proven, solve
from hornbeam import _core
from oracles.problems import OBJECTIVES, Problem, random_problem
from oracles.rule_lists import is_rule_list, optimal_list_cost

DEPTHS = [None, 0, 1, 2, 3, 4]
LEAVES = [None, 1, 2, 3, 5]
SAMPLES = [1, 2, 3]
ZERO_ONE = [[0, 1], [1, 0]]

# Four kinds of rows by two columns, and a class for each: a tree of four leaves is right, every list of three is wrong.
FOUR_KINDS = Problem(
    [[a, b, a ^ b] for a in (0, 1) for b in (0, 1) for _ in range(5)],
    [2 * a + b for a in (0, 1) for b in (0, 1) for _ in range(5)],
    [1] * 20,
    [[int(c != k) for k in range(4)] for c in range(4)],
    1,
)


def check_list(problem, **options):
    outcome = solve(problem, rule_list=True, **options)
    check_proven(problem, outcome, optimal_list_cost(problem))
    assert is_rule_list(outcome["tree"]), problem


@pytest.mark.parametrize("max_depth", DEPTHS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimal_list_is_that_of_brute_force_under_every_combination_of_limits(objective, max_depth):
    for max_leaves, samples, seed in itertools.product(LEAVES, SAMPLES, range(4)):
        limits = {"max_depth": max_depth, "max_leaves": max_leaves, "min_samples_leaf": samples}
        check_list(random_problem(seed, objective, n_rows=(1, 14), n_columns=(0, 5), **limits))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimal_list_is_that_of_brute_force_without_limits(objective):
    for seed in range(100):
        check_list(random_problem(seed, objective, n_rows=(1, 24), n_columns=(1, 7)))


@pytest.mark.parametrize("max_depth", [None, 3, 5])
@pytest.mark.parametrize("objective", ["zero_one", "balanced", "cost_matrix"])
def test_the_optimal_list_is_that_of_brute_force_on_many_rows(objective, max_depth):
    for seed in range(5):
        check_list(random_problem(seed, objective, n_rows=(60, 200), n_columns=(5, 8), max_depth=max_depth))


@pytest.mark.parametrize("bound", BOUNDS)
def test_the_optimal_list_is_the_same_without_any_one_bound(bound):
    for seed in range(40):
        objective = "zero_one" if seed % 2 else "cost_matrix"
        check_list(random_problem(seed, objective, n_rows=(10, 30), n_columns=(3, 7)), bounds={bound: False})


def test_the_optimal_list_is_the_same_with_several_threads():
    for seed in range(30):
        check_list(random_problem(seed, "zero_one", n_rows=(20, 60), n_columns=(4, 8)), n_threads=2)


def test_a_list_costs_more_where_the_best_tree_splits_both_sides():
    assert solve(FOUR_KINDS)["upper"] == 4
    assert solve(FOUR_KINDS, rule_list=True)["upper"] == optimal_list_cost(FOUR_KINDS) == 8


def test_a_stopped_search_returns_a_list_and_a_bound():
    n_checked = 0
    for seed in range(20):
        problem = random_problem(seed, "zero_one", n_rows=(40, 60), n_columns=(6, 9))
        outcome = solve(problem, rule_list=True, callback=lambda _: True, callback_interval=0.0)
        assert is_rule_list(outcome["tree"])
        check_interval(problem, outcome, optimal_list_cost(problem))
        n_checked += outcome["status"] == "interrupted"
    assert n_checked > 0


def test_searches_with_other_leaf_penalties_and_limits_share_what_they_prove_of_lists():
    for seed in range(20):
        first = random_problem(seed, "zero_one", n_rows=(10, 30), n_columns=(3, 7))
        earlier = _core.EarlierSearches()
        largest = max(1, first.total() // 2)
        for leaf_cost, max_leaves in [(largest // 9, None), (largest // 3, None), (largest // 9, 3), (0, 4), (1, None)]:
            problem = Problem(first.rows, first.classes, first.weights, first.costs, leaf_cost, None, max_leaves)
            check_list(problem, earlier=earlier)


def test_searches_of_trees_and_of_lists_do_not_share():
    earlier = _core.EarlierSearches()
    solve(FOUR_KINDS, earlier=earlier)
    with pytest.raises(ValueError, match="earlier"):
        solve(FOUR_KINDS, earlier=earlier, rule_list=True)


def test_a_reference_that_errs_where_the_best_list_errs_keeps_the_optimum():
    for seed in range(20):
        problem = random_problem(seed, "zero_one", n_rows=(10, 30), n_columns=(3, 6))
        reference = np.array(problem.classes, dtype=np.int32)  # never wrong: the guess is a true bound
        outcome = solve(problem, rule_list=True, reference=reference)
        assert outcome["upper"] == optimal_list_cost(problem)
        assert is_rule_list(outcome["tree"])


def test_searches_that_know_no_lists_refuse_them():
    given = arguments(FOUR_KINDS)
    for search, more in [
        (_core.solve_leaf_sets, {}),
        (_core.solve_lookahead, {"lookahead_depth": 1, "recursive": False}),
        (_core.rashomon_set, {"optimum": 1, "bound": 1}),
    ]:
        with pytest.raises(ValueError, match="rule_list: this search does not accept it"):
            call(search, **{**given, "rule_list": True}, **more)
