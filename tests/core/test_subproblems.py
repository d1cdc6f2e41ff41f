"""Subproblems that are searched one by one: whole, by their splits, by their sides, and with the news of others."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from core.calls import call
from core.hard import random_labels
from core.solving import arguments
from hornbeam import _core
from oracles.problems import OBJECTIVES, Problem, random_problem

ANY_BUDGET = 2**60


def subproblems(problem: Problem, **options: Any) -> _core.Subproblems:
    made: _core.Subproblems = call(_core.Subproblems, **arguments(problem), **options)
    return made


def whole(problem: Problem, search: _core.Subproblems, budget: int, splits: Any = None) -> Any:
    return search.solve([], problem.max_depth, problem.max_leaves, budget, splits)


def some_problems(n_each: int) -> list[Problem]:
    limits: list[dict[str, int]] = [{}, {"max_depth": 3}, {"max_leaves": 4}, {"max_leaves": 5, "max_depth": 2}]
    limits.append({"min_samples_leaf": 3})
    return [
        random_problem(seed, objective, n_rows=(10, 18), n_columns=(3, 6), **limits[seed % len(limits)])
        for objective in OBJECTIVES
        for seed in range(n_each)
    ]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_whole_problem_has_the_optimum_of_brute_force(objective):
    for problem in (random_problem(seed, objective, n_rows=(1, 12)) for seed in range(20)):
        outcome = whole(problem, subproblems(problem), ANY_BUDGET)
        optimum = problem.optimum()
        assert (outcome["lower"], outcome["upper"], outcome["tree_cost"]) == (optimum, optimum, optimum), problem
        assert (outcome["status"], outcome["open"]) == ("optimal", [])
        assert problem.cost(outcome["tree"]) == optimum


def test_a_bound_below_the_optimum_leaves_splits_that_contain_the_optimum():
    n_open = 0
    for problem in some_problems(40):
        search, optimum = subproblems(problem), problem.optimum()
        first = whole(problem, search, 1)
        if not first["open"]:
            assert first["tree_cost"] == optimum
            continue
        n_open += 1
        assert first["lower"] <= optimum <= first["tree_cost"]
        alone = [whole(problem, search, ANY_BUDGET, [name]) for name, *_ in first["open"]]
        # The tree is the best known of all splits, and the bound that of the trees with this split.
        assert min(one["lower"] for one in alone) == optimum == min(one["tree_cost"] for one in alone), problem
        assert not any(one["open"] for one in alone)
        assert all(problem.cost(one["tree"]) == one["tree_cost"] for one in alone)
    assert n_open > 30


def test_the_sides_of_a_split_cost_together_what_the_best_tree_with_that_split_costs():
    n_checked = 0
    for problem in some_problems(50):
        first = whole(problem, subproblems(problem), 1)
        for name, lower, sides in first["open"]:
            if sides is None:
                continue
            n_checked += 1
            search = subproblems(problem)
            costs = []
            for value, (_, depth, leaves, least, most) in enumerate(sides):
                side = search.solve([(name[0], bool(value))], depth, leaves, ANY_BUDGET)
                assert least <= side["lower"] == side["upper"] <= most
                costs.append(side["lower"])
            alone = whole(problem, search, ANY_BUDGET, [name])
            # Nothing is proven beyond the best tree known, which may have another split.
            assert alone["lower"] == min(alone["tree_cost"], sum(costs)) >= min(alone["tree_cost"], lower), problem
    assert n_checked > 100


def test_the_news_of_one_search_are_true_in_another():
    rng = random.Random(3)
    for problem in some_problems(6):
        optimum, others = problem.optimum(), [subproblems(problem) for _ in range(3)]
        for search in others:
            whole(problem, search, rng.randrange(1, max(2, optimum)))
        news = [search.take_news() for search in others]
        for search in others:
            for each in news:
                search.read_news(each)
            outcome = whole(problem, search, ANY_BUDGET)
            assert (outcome["lower"], outcome["tree_cost"]) == (optimum, optimum), problem
            assert problem.cost(outcome["tree"]) == optimum


def test_news_spare_another_search_most_of_the_work():
    problem = random_labels(0, n_rows=150, n_columns=14, leaf_cost=2)
    first, second = subproblems(problem), subproblems(problem)
    done = whole(problem, first, ANY_BUDGET)
    second.read_news(first.take_news())
    assert len(first.take_news()) == 0  # each bound is news once
    again = whole(problem, second, ANY_BUDGET)
    assert again["lower"] == done["lower"] == again["tree_cost"]
    assert again["subproblems"] < done["subproblems"] / 5
    assert len(second.take_news()) < 100  # what was read is no news of its own


def test_torn_news_and_impossible_paths_are_refused():
    problem = random_problem(5, "zero_one", n_rows=(8, 12), n_columns=(3, 5))
    search = subproblems(problem)
    with pytest.raises(ValueError, match="news: the last entry is torn"):
        search.read_news(np.array([1, 2, 3, 4], dtype=np.uint64))
    with pytest.raises(ValueError, match="path: there is no such column"):
        search.solve([(1000, True)], None, None, 1)
    with pytest.raises(ValueError, match="path: no row satisfies it"):
        search.solve([(0, True), (0, False)], None, None, 1)
    open_problem = random_labels(0, n_rows=50, n_columns=8, leaf_cost=1)
    with pytest.raises(ValueError, match="splits: there is no such candidate"):
        subproblems(open_problem).solve([], None, None, 2**40, [(1000, 1, 1)])
    with pytest.raises(ValueError, match="reference: not for subproblems"):
        subproblems(problem, reference=np.zeros(len(problem.rows), dtype=np.int32))


def test_a_stop_leaves_an_interval_and_a_search_that_can_go_on():
    problem = random_labels(0, n_rows=150, n_columns=14, leaf_cost=2)
    optimum = call(_core.solve, **arguments(problem))["upper"]
    search = subproblems(problem)
    stopped = search.solve([], None, None, ANY_BUDGET, callback=lambda _: True, callback_interval=0.0)
    assert stopped["status"] == "interrupted"
    assert stopped["lower"] <= optimum <= stopped["tree_cost"]
    assert problem.cost(stopped["tree"]) == stopped["tree_cost"]
    out_of_time = search.solve([], None, None, ANY_BUDGET, seconds=0.0)
    assert (out_of_time["status"], out_of_time["open"], out_of_time["tree"]) == ("time_limit", None, None)
    assert whole(problem, search, ANY_BUDGET)["lower"] == optimum


def test_a_memory_limit_is_kept_and_the_bounds_stay_true():
    problem = random_labels(0, n_rows=150, n_columns=14, leaf_cost=2)
    optimum = call(_core.solve, **arguments(problem))["upper"]
    search = subproblems(problem, memory_limit=300_000)
    outcome = whole(problem, search, ANY_BUDGET)
    assert outcome["bytes"] <= 300_000
    assert outcome["lower"] <= optimum <= outcome["tree_cost"]
    with pytest.raises(MemoryError):
        subproblems(problem, memory_limit=1000)
