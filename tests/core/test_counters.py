"""Every bound and technique does something on a fixed problem, and those with a switch save work there."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from core import test_ranking, test_rashomon, test_resplit
from core.hard import random_labels
from core.ordered import hard_ordered, unsolvable_ordered
from core.posteriors import search
from core.solving import solve, solve_guessed, solve_leaf_sets, solve_lookahead
from hornbeam import GOSDTClassifier, RashomonSetClassifier, _core
from oracles.posterior import Posterior
from oracles.problems import Problem


def thresholds() -> Problem:
    """Return thresholds of two numbers, and labels that have nothing to do with them: all bounds have much to do."""
    draw = random.Random(0)
    numbers = [[draw.randrange(21) for _ in range(80)] for _ in range(2)]
    rows = [[int(number[row] <= k) for number in numbers for k in range(20)] for row in range(80)]
    return Problem(rows, [draw.randint(0, 1) for _ in rows], [1] * 80, [[0, 2], [2, 0]], 4)


def some_tenths_of_a_second() -> Problem:
    """Return a problem that takes long enough for the primal heuristics to start."""
    return random_labels(1, n_rows=200, n_columns=30, leaf_cost=3)


def counted(*outcomes: _core.Outcome) -> Counter[str]:
    """Add up the counters of searches that were all finished."""
    assert all(outcome["status"] in ("optimal", "guessed", "heuristic") for outcome in outcomes)
    return sum((Counter(outcome["statistics"]["bounds"]) for outcome in outcomes), Counter())


def n_subproblems(outcome: _core.Outcome) -> int:
    return int(outcome["statistics"]["subproblems"])


def test_every_counter_of_the_exact_search_is_above_0_on_fixed_problems():
    shallow = replace(random_labels(0, n_rows=200, n_columns=20, leaf_cost=2), max_depth=4)
    few = random_labels(0, n_rows=70, n_columns=8, leaf_cost=1)
    ordered, _ = hard_ordered(0)
    found = counted(
        replace(ordered, problem=replace(ordered.problem, max_depth=5, leaf_cost=8)).solve(),
        solve(thresholds(), n_threads=2),
        solve(shallow),
        solve(some_tenths_of_a_second()),
        solve_guessed(few, [row % 2 for row in range(70)]),
    )
    unfired = [name for name in _core.COUNTERS["exact"] if found[name] == 0]
    assert unfired == [
        "packing_blocks",
        "row_prices",
        "clusters",
        "leaf_penalty",
        "cells",
        "forgotten",
    ]  # see TESTED_ELSEWHERE


# The number of subproblems may rise or fall with the heuristics: budgets follow from the best tree.
def test_primal_heuristics_find_better_trees_unless_they_are_off():
    problem = some_tenths_of_a_second()
    on, off = solve(problem), solve(problem, bounds={"primal": False})
    assert on["statistics"]["bounds"]["primal"] > 0
    assert off["statistics"]["bounds"]["primal"] == 0
    assert on["upper"] == off["upper"]


# The heuristics are tested above; packing within blocks and prices of rows begin after seconds, so packing_test.cpp and
# row_prices_test.cpp test them; and several leaf penalties need several searches, so test_earlier.py tests their bound.
# Clusters and cells are for squared error, and tested in test_squared_error.py. What the table forgets, which is no
# bound, is tested in test_anytime.py.
TESTED_ELSEWHERE = ("primal", "packing_blocks", "row_prices", "clusters", "leaf_penalty")


@pytest.mark.parametrize("bound", [bound for bound in _core.BOUNDS["exact"] if bound not in TESTED_ELSEWHERE])
def test_a_bound_of_the_exact_search_fires_and_saves_subproblems(bound):
    on, off = solve(thresholds()), solve(thresholds(), bounds={bound: False})
    assert on["statistics"]["bounds"][bound] > 0
    assert off["statistics"]["bounds"][bound] == 0
    assert on["upper"] == off["upper"]
    assert n_subproblems(on) < n_subproblems(off)


def test_bounds_of_a_frame_pass_to_its_children():
    # Between the splits of one frame, similarity raises less than one side for each subproblem of such labels.
    outcome = solve(random_labels(0, n_rows=150, n_columns=14, leaf_cost=2))
    assert counted(outcome)["similarity"] > n_subproblems(outcome)


def test_budgets_of_sides_grow_so_that_finer_costs_need_few_more_of_them():
    def n_budgets(most_weight: int) -> int:
        draw = random.Random(0)
        labels = random_labels(0, n_rows=300, n_columns=8, leaf_cost=1)
        weights = [1 + int(draw.random() * most_weight) for _ in labels.rows]
        problem = replace(labels, weights=weights, max_depth=6)
        return solve(problem, bounds={"pair_stage": False})["statistics"]["bounds"]["budgets"]

    coarse, fine = n_budgets(2**4), n_budgets(2**20)
    assert 0 < coarse < fine < 4 * coarse


def test_the_ordered_search_counts_thresholds_that_it_closes_untried_and_saves_subproblems_by_that():
    ordered, _ = hard_ordered(0)
    on, off = ordered.solve(), ordered.solve(bounds={"similarity": False})
    assert counted(on)["similarity"] > 0
    assert counted(on)["two_levels"] > 0
    assert counted(off)["similarity"] == 0
    assert n_subproblems(on) < n_subproblems(off)


def test_the_ordered_search_solves_the_same_rows_once_whatever_splits_select_them():
    ordered, _ = hard_ordered(0)
    outcome = replace(ordered, problem=replace(ordered.problem, max_depth=5, leaf_cost=8)).solve()
    assert counted(outcome)["known_rows"] > 0
    assert outcome["statistics"]["table_entries"] > 0


def test_the_ordered_search_counts_the_thresholds_that_other_threads_try():
    assert unsolvable_ordered().solve(n_threads=2, time_limit=1.0)["statistics"]["bounds"]["helpers"] > 0


def test_lookahead_search_counts_what_its_optimal_trees_take():
    problem = replace(random_labels(0, n_rows=150, n_columns=14, leaf_cost=2), max_depth=6)
    assert counted(solve_lookahead(problem, 1))["pair_stage"] > 0


def test_every_counter_of_prefixes_is_above_0_on_a_fixed_problem():
    problem = replace(random_labels(0, n_rows=150, n_columns=14, leaf_cost=2), max_depth=6)
    found = counted(solve_lookahead(problem, 2))
    assert [name for name in _core.COUNTERS["lookahead"] if found[name] == 0] == []


def test_every_counter_of_the_search_for_a_set_of_trees_is_above_0_on_a_fixed_problem():
    problem = replace(random_labels(0, n_rows=80, n_columns=9, leaf_cost=6), max_depth=4)
    best = solve(problem)["upper"]
    found = _core.describe_set(test_rashomon.find(problem, best + 12, best))["bounds"]
    assert list(found) == _core.COUNTERS["tree_sets"]
    assert min(found["set_bound"], found["least_trees"]) > 0
    prefix = solve_lookahead(problem, 2, keep_greedy=True)["upper"]
    of_resplit = _core.describe_set(test_resplit.find_resplit(problem, 2, prefix + 6, prefix))["bounds"]
    assert [name for name, count in of_resplit.items() if count == 0] == []


@pytest.mark.parametrize("method", ["exact", "resplit"])
def test_a_set_of_trees_tells_the_counters_of_both_its_searches(method):
    problem = random_labels(0, n_rows=60, n_columns=6, leaf_cost=1)
    trees = RashomonSetClassifier(regularization=0.02, max_depth=4, method=method, binarizer=None)
    found = trees.fit(problem.rows, problem.classes).statistics_["bounds"]
    assert found.keys() == {*_core.COUNTERS["exact"], *_core.COUNTERS["tree_sets"]}
    assert found["set_bound"] > 0


def leaf_sets(problem: Problem, **bounds: bool) -> _core.Outcome:
    return solve_leaf_sets(problem, bounds=bounds)


def test_every_counter_of_the_search_over_leaf_sets_is_above_0_on_fixed_problems():
    problem = random_labels(1, n_rows=40, n_columns=5, leaf_cost=4)
    draw = random.Random(0)
    rows = [[draw.randint(0, 1) for _ in range(5)] for _ in range(40)]
    ranked = {"rows": rows, "classes": [draw.randint(0, 1) for _ in rows], "weights": [1] * 40}
    found = counted(
        leaf_sets(problem),
        leaf_sets(problem, split_lookahead=False),
        leaf_sets(problem, split_lookahead=False, lookahead=False),
        leaf_sets(random_labels(0, 80, 6, 4), split_lookahead=False, similar_support=True),
        test_ranking.solve({**ranked, "half_pair_cost": 1, "leaf_cost": 20}),
    )
    assert [name for name in _core.COUNTERS["leaf_sets"] if found[name] == 0] == []


def test_every_counter_of_the_posterior_search_is_above_0_and_pairs_save_expansions():
    draw = np.random.default_rng(3)
    matrix = draw.integers(0, 2, (400, 12))
    noisy = matrix[:, 0] ^ matrix[:, 1] ^ (draw.random(400) < 0.2)
    plain = np.where(matrix[:, 0] & matrix[:, 1], matrix[:, 2], np.where(matrix[:, 0], matrix[:, 3], matrix[:, 4]))
    outcomes = [search(matrix, classes, Posterior(matrix, classes, [2.5, 2.5])) for classes in (noisy, plain)]
    found = counted(*outcomes)
    assert [name for name in _core.COUNTERS["posterior"] if found[name] == 0] == []
    off = search(matrix, plain, Posterior(matrix, plain, [2.5, 2.5]), bounds={"separated_pairs": False})
    assert counted(off)["separated_pairs"] == 0
    assert n_subproblems(outcomes[1]) < n_subproblems(off)


@pytest.mark.parametrize("objective", ["accuracy", "f1", "auc"])
def test_a_classifier_tells_the_counters_of_all_its_searches(objective):
    problem = random_labels(0, n_rows=60, n_columns=6, leaf_cost=1)
    classifier = GOSDTClassifier(0.02, objective=objective, binarizer=None).fit(problem.rows, problem.classes)
    found = classifier.statistics_["bounds"]
    assert list(found) == _core.COUNTERS["exact"]
    assert found["pair_stage"] > 0
