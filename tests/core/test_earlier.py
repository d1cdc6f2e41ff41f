"""Searches of one problem with several leaf penalties and limits on leaves share what they prove, and nothing else."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from core.hard import random_labels, unsolvable
from core.solving import check_interval, check_proven, solve, solve_guessed
from hornbeam import _core
from oracles.problems import MAX_TOTAL, OBJECTIVES, Problem, random_problem

LIMITS: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 2},
    {"max_depth": 4, "min_samples_leaf": 2},
]


def variations(problem: Problem, seed: int, n: int) -> list[Problem]:
    """Return the problem with other leaf costs, between 0 and three times its own, and limits on leaves."""
    draw = random.Random(seed)
    return [
        replace(
            problem,
            leaf_cost=draw.choice([0, draw.randint(0, min(3 * problem.leaf_cost, MAX_TOTAL - 1)), problem.leaf_cost]),
            max_leaves=draw.choice([None, None, draw.randint(1, 7)]),
        )
        for _ in range(n)
    ]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_search_of_a_sequence_has_the_optimum_of_brute_force(objective, limits):
    for seed in range(25):
        problem = random_problem(7000 + seed, objective, n_rows=(6, 16), n_columns=(3, 7), **limits)
        earlier = _core.EarlierSearches()
        for one in variations(problem, seed, 5):
            check_proven(one, solve(one, earlier=earlier), one.optimum())


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("max_depth", [None, 4])
def test_searches_of_large_problems_prove_what_they_prove_alone(max_depth, n_threads):
    for seed in range(6):
        labels = random_labels(seed, n_rows=120, n_columns=9 + seed, leaf_cost=6)
        earlier = _core.EarlierSearches()
        for one in variations(replace(labels, max_depth=max_depth), seed, 6):
            one = replace(one, leaf_cost=one.leaf_cost + 2)
            check_proven(one, solve(one, earlier=earlier, n_threads=n_threads), solve(one)["upper"])


def test_what_a_search_leaves_open_misleads_no_later_one():
    for seed in range(40):
        problem = random_labels(seed, n_rows=60, n_columns=8, leaf_cost=3)
        earlier = _core.EarlierSearches()
        for number, one in enumerate(variations(problem, seed, 6)):
            gap_limit = [0.3, 0.1, 0.0][number % 3]
            check_interval(one, solve(one, earlier=earlier, gap_limit=gap_limit), solve(one)["upper"])


def test_a_search_goes_on_where_one_with_the_same_leaf_cost_has_stopped():
    problem = replace(unsolvable(), leaf_cost=4)
    earlier = _core.EarlierSearches()
    first = solve(problem, earlier=earlier, time_limit=0.5)
    second = solve(problem, earlier=earlier, time_limit=0.2)
    assert second["lower"] >= first["lower"] > 0
    assert second["upper"] <= first["upper"]


def test_a_solved_problem_is_solved_at_once_again():
    problem = random_labels(0, n_rows=120, n_columns=12, leaf_cost=4)
    earlier = _core.EarlierSearches()
    first, again = solve(problem, earlier=earlier), solve(problem, earlier=earlier)
    assert (again["lower"], again["upper"]) == (first["lower"], first["upper"])
    assert again["statistics"]["subproblems"] == 1 < first["statistics"]["subproblems"]


def test_the_bounds_of_another_leaf_cost_fire_and_save_subproblems_unless_they_are_off():
    problem = random_labels(0, n_rows=150, n_columns=14, leaf_cost=3)
    other = replace(problem, leaf_cost=4)

    def second_of_two(bounds: dict[str, bool]) -> _core.Outcome:
        earlier = _core.EarlierSearches()
        solve(problem, earlier=earlier, bounds=bounds)
        return solve(other, earlier=earlier, bounds=bounds)

    on, off, alone = second_of_two({}), second_of_two({"leaf_penalty": False}), solve(other)
    assert on["upper"] == off["upper"] == alone["upper"]
    assert on["statistics"]["bounds"]["leaf_penalty"] > 0 == off["statistics"]["bounds"]["leaf_penalty"]
    assert off["statistics"]["subproblems"] == alone["statistics"]["subproblems"]
    assert 2 * on["statistics"]["subproblems"] < alone["statistics"]["subproblems"]


@pytest.mark.parametrize(
    "other",
    [
        {"max_depth": 3},
        {"min_samples_leaf": 2},
        {"costs": [[0, 3], [2, 0]]},
        {"weights": [2] * 60},
        {"classes": [0] * 59 + [1]},
        {"rows": [[row % 2] * 8 for row in range(60)]},
    ],
    ids=lambda other: next(iter(other)),
)
def test_searches_of_another_problem_are_refused(other):
    problem = random_labels(0, n_rows=60, n_columns=8, leaf_cost=3)
    earlier = _core.EarlierSearches()
    solve(problem, earlier=earlier)
    with pytest.raises(ValueError, match="earlier: the searches were of other rows, costs or limits"):
        solve(replace(problem, **other), earlier=earlier)
    assert solve(problem, earlier=earlier)["status"] == "optimal"


def test_a_reference_is_refused():
    problem = random_labels(0, n_rows=60, n_columns=8, leaf_cost=3)
    with pytest.raises(ValueError, match="reference: not with earlier searches"):
        solve_guessed(problem, [0] * 60, earlier=_core.EarlierSearches())


def test_the_bytes_of_earlier_searches_count_for_the_memory_limit():
    problem = random_labels(0, n_rows=150, n_columns=14, leaf_cost=2)
    earlier = _core.EarlierSearches()
    assert earlier.bytes == 0
    first = solve(problem, earlier=earlier)
    assert 56 * first["statistics"]["table_entries"] <= earlier.bytes <= first["statistics"]["bytes"]
    limited = solve(replace(problem, leaf_cost=3), earlier=earlier, memory_limit=earlier.bytes)
    assert limited["status"] == "memory_limit"
