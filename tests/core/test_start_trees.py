"""A start tree never changes what a search proves, and no search returns a worse tree."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from core.ordered import hard_ordered, random_ordered, unsolvable_ordered
from core.solving import check_interval, check_proven, solve, solve_guessed
from hornbeam import _core
from oracles.exhaustive import InvalidTreeError
from oracles.problems import OBJECTIVES, Problem, random_problem
from oracles.rule_lists import optimal_list_cost

LIMITS: list[dict[str, Any]] = [
    {},
    {"max_depth": 2},
    {"max_leaves": 3},
    {"min_samples_leaf": 2},
    {"max_depth": 3, "max_leaves": 4, "min_samples_leaf": 2},
]


def random_start(problem: Problem, seed: int) -> tuple[npt.NDArray[np.int32], int]:
    """Return a random tree within the limits as the core takes it, and its cost with the best predictions.

    Children come after their parents, in any order.
    """
    draw = random.Random(seed)
    while True:
        start = _grown(problem, draw)
        labeled = _labeled(problem, start)
        try:
            return start, problem.cost(labeled)
        except InvalidTreeError:  # a limit
            continue


def splits_of(outcome: _core.Outcome) -> npt.NDArray[np.int32]:
    """Return the tree that a search has found as another one takes it."""
    return np.array([outcome["tree"][name] for name in ("column", "left", "right")])


def _grown(problem: Problem, draw: random.Random) -> npt.NDArray[np.int32]:
    column, left, right = [-1], [-1], [-1]
    n_columns = len(problem.rows[0])
    for _ in range(draw.randint(0, 4) if n_columns else 0):
        leaf = draw.choice([node for node in range(len(column)) if column[node] < 0])
        column[leaf] = draw.randrange(n_columns)
        sides = [len(column), len(column) + 1]
        draw.shuffle(sides)
        left[leaf], right[leaf] = sides
        for array in (column, left, right):
            array += [-1, -1]
    return np.array([column, left, right], dtype=np.int32)


def _labeled(problem: Problem, start: npt.NDArray[np.int32]) -> dict[str, list[int]]:
    column, left, right = (array.tolist() for array in start)
    losses = [[0] * len(problem.costs[0]) for _ in column]
    for row, label, weight in zip(problem.rows, problem.classes, problem.weights, strict=True):
        node = 0
        while column[node] >= 0:
            node = left[node] if row[column[node]] else right[node]
        losses[node] = [loss + weight * cost for loss, cost in zip(losses[node], problem.costs[label], strict=True)]
    best = [loss.index(min(loss)) for loss in losses]
    return {"column": column, "left": left, "right": right, "prediction": best}


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimum_is_that_of_brute_force_from_any_start_tree(objective, limits):
    for seed in range(20):
        problem = random_problem(9000 + seed, objective, n_rows=(4, 14), n_columns=(1, 6), **limits)
        start, _ = random_start(problem, seed)
        check_proven(problem, solve(problem, start=start), problem.optimum())


def test_the_ordered_search_proves_the_optimum_of_brute_force_from_any_start_tree():
    for seed in range(200):
        ordered = random_ordered(seed, unlimited=seed % 4 == 0)
        start, _ = random_start(ordered.problem, seed)
        check_proven(ordered.problem, ordered.solve(start=start), ordered.problem.optimum())


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_optimal_tree_as_a_start_is_proven(n_threads):
    for seed in range(30):
        ordered = random_ordered(seed, most_rows=60, most_thresholds=30)
        found = ordered.solve()
        start = splits_of(found)
        check_proven(ordered.problem, ordered.solve(start=start, n_threads=n_threads), found["upper"])
        check_proven(ordered.problem, solve(ordered.problem, start=start, n_threads=n_threads), found["upper"])


@pytest.mark.parametrize("n_threads", [1, 2])
def test_hard_problems_are_solved_from_a_start_tree_on_any_number_of_threads(n_threads):
    for seed in range(2):
        ordered, optimum = hard_ordered(seed)
        start, _ = random_start(ordered.problem, seed)
        check_proven(ordered.problem, ordered.solve(start=start, n_threads=n_threads), optimum)
        check_proven(ordered.problem, solve(ordered.problem, start=start, n_threads=n_threads), optimum)


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}], ids=str)
def test_a_search_stopped_at_once_returns_no_worse_tree_than_the_start(limit):
    n_better = 0
    for seed in range(60):
        ordered = random_ordered(seed, most_rows=40, most_thresholds=10)
        problem = ordered.problem
        best = ordered.solve()
        for start, cost in (random_start(problem, seed), (splits_of(best), best["upper"])):
            for search in (partial(solve, problem), ordered.solve):
                outcome = search(start=start, **limit)
                check_interval(problem, outcome, best["upper"])
                assert outcome["upper"] <= cost
                n_better += cost < search(**limit)["upper"]
    assert n_better > 30


def test_the_trace_begins_with_the_start_tree_and_ends_with_the_result():
    ordered = unsolvable_ordered()
    found = ordered.solve(time_limit=0.3)
    start = splits_of(found)
    for outcome in (
        ordered.solve(start=start, time_limit=0.05, trace=True),
        solve(ordered.problem, start=start, time_limit=0.05, trace=True),
        ordered.solve(start=start, time_limit=0.0, trace=True),
        solve(ordered.problem, start=start, time_limit=0.0, trace=True),
    ):
        uppers = [upper for _, upper, *_ in outcome["trace"]]
        assert uppers == sorted(uppers, reverse=True)
        assert found["upper"] >= uppers[0]
        assert uppers[-1] == outcome["upper"]


def test_guesses_do_not_lose_the_start_tree():
    n_worse = 0
    for seed in range(150):
        problem = random_problem(seed, "zero_one", n_rows=(4, 14), n_columns=(1, 6))
        start, cost = random_start(problem, seed)
        reference = [random.Random(f"{seed} {row}").randrange(len(problem.costs)) for row in range(len(problem.rows))]
        guessed, best = solve_guessed(problem, reference), solve(problem)
        n_worse += guessed["upper"] > best["upper"]
        for tree, its_cost in ((start, cost), (splits_of(best), best["upper"])):
            outcome = solve_guessed(problem, reference, start=tree)
            check_interval(problem, outcome, best["upper"])
            assert outcome["upper"] <= min(its_cost, guessed["upper"])
    assert n_worse > 10


def test_a_rule_list_starts_from_a_rule_list():
    for seed in range(60):
        problem = random_problem(seed, "zero_one", n_rows=(4, 12), n_columns=(1, 5))
        start, cost = random_start(problem, seed)
        column, left, right = start
        if any(column[left[node]] >= 0 <= column[right[node]] for node in np.flatnonzero(column >= 0)):
            with pytest.raises(RuntimeError, match="a side of each split of a rule list is a leaf"):
                solve(problem, start=start, rule_list=True)
            continue
        outcome = solve(problem, start=start, rule_list=True)
        assert outcome["status"] == "optimal"
        assert outcome["upper"] == optimal_list_cost(problem) <= cost


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ([[0], [-1], [-1]], "a child stands after its parent"),
        ([[9, -1, -1], [1, -1, -1], [2, -1, -1]], "a node tests a column of the data"),
        ([[0, 0, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1]], "the tree is deeper than allowed"),
    ],
)
def test_what_is_no_tree_within_the_limits_is_refused(start, message):
    problem = Problem([[0, 1], [1, 0]], [0, 1], [1, 1], [[0, 1], [1, 0]], 0, max_depth=1)
    with pytest.raises(RuntimeError, match=message):
        solve(problem, start=np.array(start, dtype=np.int32))
