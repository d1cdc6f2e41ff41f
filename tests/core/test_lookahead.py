"""Lookahead search: the trees of SPLIT and LicketySPLIT against plain Python, and what the paper promises of them."""

import itertools
from dataclasses import replace

import pytest

from core.solving import check_tree, solve, solve_lookahead
from oracles.lookahead import greedy_cost, licketysplit_cost, lookahead_cost
from oracles.problems import random_problem

OBJECTIVES = ["zero_one", "class_weighted", "balanced", "omega", "cost_matrix", "reduced_matrix"]


def problems(objective, n_seeds, **limits):
    """Return random problems of two classes or more with all their rows."""
    for seed in range(n_seeds):
        problem = random_problem(seed, objective, n_rows=(4, 40), n_columns=(1, 7), **limits)
        yield problem, tuple(range(len(problem.rows)))


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_licketysplit_is_the_recursion_of_the_paper(objective, max_depth):
    for min_samples_leaf, steps, last_by_loss in itertools.product([1, 2], [1, 2], [False, True]):
        for problem, rows in problems(objective, 12, max_depth=max_depth, min_samples_leaf=min_samples_leaf):
            outcome = solve_lookahead(problem, steps, recursive=True, last_by_loss=last_by_loss)
            check_tree(problem, outcome)
            assert outcome["upper"] == licketysplit_cost(problem, rows, max_depth, steps, last_by_loss)


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_guarantees_of_theorems_a1_to_a3(objective, max_depth):
    for min_samples_leaf, steps, last_by_loss in itertools.product([1, 2], [1, 2, 3], [False, True]):
        for problem, rows in problems(objective, 8, max_depth=max_depth, min_samples_leaf=min_samples_leaf):
            split = solve_lookahead(problem, steps, last_by_loss=last_by_loss)
            lickety = solve_lookahead(problem, steps, recursive=True, last_by_loss=last_by_loss)
            check_tree(problem, split)
            optimum = solve(problem)["upper"]
            greedy = greedy_cost(problem, rows, max_depth, last_by_loss)
            assert greedy <= greedy_cost(problem, rows, max_depth)
            for outcome in (split, lickety):
                assert outcome["lower"] <= optimum <= outcome["upper"] <= greedy
                assert outcome["status"] == ("optimal" if outcome["lower"] == outcome["upper"] else "heuristic")
            prefix, _ = lookahead_cost(problem, rows, max_depth, min(steps, max_depth), last_by_loss)
            assert split["upper"] <= prefix
            assert split["upper"] <= solve(replace(problem, max_depth=min(steps, max_depth)))["upper"]
            if steps >= max_depth:
                assert split["upper"] == split["lower"] == optimum
            if prefix == optimum:  # some optimal tree is greedy below the lookahead depth
                assert split["upper"] == optimum


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("n_polls", [0, 1, 2, 5])
def test_a_stopped_search_is_no_worse_than_greedy(n_polls, recursive):
    for problem, rows in problems("zero_one", 10, max_depth=4):
        left = itertools.count(n_polls, -1)
        outcome = solve_lookahead(
            problem, 2, recursive=recursive, callback=lambda _, left=left: next(left) <= 0, callback_interval=0.0
        )
        check_tree(problem, outcome)
        assert outcome["upper"] <= greedy_cost(problem, rows, 4)


@pytest.mark.parametrize("recursive", [False, True])
@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}, {"memory_limit": 3000}])
def test_limits_end_in_a_valid_tree(limit, recursive):
    for problem, _ in problems("class_weighted", 10, max_depth=4):
        outcome = solve_lookahead(problem, 2, recursive=recursive, **limit)
        check_tree(problem, outcome)
        assert outcome["lower"] <= solve(problem)["upper"]
        assert outcome["status"] in {"optimal", "heuristic", next(iter(limit))}


@pytest.mark.parametrize(
    ("steps", "limits", "message"),
    [(0, {}, "lookahead_depth"), (1025, {}, "lookahead_depth"), (1, {"max_depth": -1}, "max_depth")],
)
def test_wrong_arguments_are_named(steps, limits, message):
    problem, _ = next(problems("zero_one", 1, max_depth=2))
    with pytest.raises(ValueError, match=message):
        solve_lookahead(replace(problem, **limits), steps)
