"""Lookahead search and primal heuristics for squared error: against plain Python and the optimum."""

import itertools
from dataclasses import replace

import pytest

from core.solving import check_tree
from core.squared_errors import random_ordered_regression, random_regression, solve_ordered, solve_regression
from hornbeam import _core
from oracles.lookahead import greedy_cost, licketysplit_cost, lookahead_cost


def problems(n_seeds, **limits):
    """Return random problems with all their rows."""
    for seed in range(n_seeds):
        problem = random_regression(seed, n_rows=(4, 30), n_columns=(1, 6), **limits)
        yield problem, tuple(range(len(problem.rows)))


def solve_lookahead(problem, steps, *, recursive=False, keep_greedy=False, **options):
    """Run SPLIT, or LicketySPLIT if `recursive`."""
    how = {"lookahead_depth": steps, "recursive": recursive, "keep_greedy": keep_greedy}
    callback = {name: options.pop(name) for name in ("callback", "callback_interval") if name in options}
    return solve_regression(problem, _core.solve_lookahead, how | callback, **options)


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("min_samples_leaf", [1, 2])
def test_licketysplit_is_the_recursion_of_the_paper_with_greedy_trees_by_squared_error(max_depth, min_samples_leaf):
    for steps in (1, 2):
        for problem, rows in problems(10, max_depth=max_depth, min_samples_leaf=min_samples_leaf):
            outcome = solve_lookahead(problem, steps, recursive=True)
            check_tree(problem, outcome)
            assert outcome["upper"] == licketysplit_cost(problem, rows, max_depth, steps, max_depth)


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("min_samples_leaf", [1, 2])
def test_split_keeps_what_theorems_a1_to_a3_promise(max_depth, min_samples_leaf):
    for steps in (1, 2, 3):
        for problem, rows in problems(6, max_depth=max_depth, min_samples_leaf=min_samples_leaf):
            split = solve_lookahead(problem, steps)
            optimum = solve_regression(problem)["upper"]
            greedy = greedy_cost(problem, rows, max_depth, max_depth)
            prefix, _ = lookahead_cost(problem, rows, max_depth, min(steps, max_depth), max_depth)
            shallow = solve_regression(replace(problem, max_depth=min(steps, max_depth)))["upper"]
            check_tree(problem, split)
            assert split["lower"] <= optimum <= split["upper"] <= min(greedy, prefix, shallow)
            if steps >= max_depth:
                assert split["upper"] == split["lower"] == optimum
            else:
                assert solve_lookahead(problem, steps, keep_greedy=True)["upper"] == prefix


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("n_polls", [0, 1, 3])
def test_a_stopped_search_is_no_worse_than_greedy(n_polls, recursive):
    for problem, rows in problems(6, max_depth=4):
        left = itertools.count(n_polls, -1)
        outcome = solve_lookahead(
            problem, 2, recursive=recursive, callback=lambda _, left=left: next(left) <= 0, callback_interval=0.0
        )
        check_tree(problem, outcome)
        assert outcome["upper"] <= greedy_cost(problem, rows, 4, 4)


LIMITS = [{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 3}, {"max_depth": 3, "min_samples_leaf": 2}]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_near_optimal_trees_cost_no_less_than_the_optimum_and_keep_the_limits(limits):
    for seed in range(20):
        ordered = random_ordered_regression(seed, n_rows=(2, 14), most_thresholds=4, **limits)
        optimum = ordered.problem.optimum()
        outcome = solve_ordered(ordered, _core.near_optimal, {"work": 50_000})
        check_tree(ordered.problem, outcome)
        assert outcome["lower"] <= optimum <= outcome["upper"]
        proven = solve_ordered(ordered, _core.near_optimal, {"idle_rounds": 0, "exact_if_small": True})
        assert proven["lower"] == proven["upper"] == optimum


def test_near_optimal_trees_of_small_tables_are_optimal_as_a_rule():
    n_optimal = 0
    for seed in range(30):
        ordered = random_ordered_regression(seed, n_rows=(8, 14), most_thresholds=5, max_depth=3)
        outcome = solve_ordered(ordered, _core.near_optimal, {"work": 100_000})
        n_optimal += outcome["upper"] == ordered.problem.optimum()
    assert n_optimal >= 28


def test_the_heuristics_next_to_an_exact_search_change_no_proof():
    problem = random_regression(5, n_rows=(150, 150), n_columns=(14, 14), largest=(300, 300), max_depth=4)
    with_, without = (solve_regression(problem, bounds={"primal": on}) for on in (True, False))
    assert with_["lower"] == with_["upper"] == without["lower"] == without["upper"]
    check_tree(problem, with_)
