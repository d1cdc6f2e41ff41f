"""A cutoff and a known lower bound: what they save, what they prove, and what a wrong one does."""

from __future__ import annotations

import numpy as np
import pytest

from core.hard import random_labels
from core.ordered import OrderedProblem, random_ordered
from core.solving import arguments, check_interval, check_proven, check_tree, solve
from hornbeam import _core
from oracles.problems import Problem, random_problem


def searches(ordered: OrderedProblem):
    return (lambda **options: solve(ordered.problem, **options)), ordered.solve


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_cutoff_from_the_optimum_on_changes_nothing(n_threads):
    for seed in range(150):
        ordered = random_ordered(seed)
        optimum = ordered.problem.optimum()
        for search in searches(ordered):
            for cutoff in (optimum, optimum + 1 + seed):
                check_proven(ordered.problem, search(cutoff=cutoff, n_threads=n_threads), optimum)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_cutoff_below_the_optimum_proves_that_no_tree_is_as_good(n_threads):
    n_cut = 0
    for seed in range(150):
        ordered = random_ordered(seed)
        optimum = ordered.problem.optimum()
        for search in searches(ordered):
            for cutoff in {optimum - 1, optimum // 2, 0, -1} - {optimum}:
                outcome = search(cutoff=cutoff, n_threads=n_threads)
                assert outcome["status"] in ("cutoff", "optimal")
                assert cutoff < outcome["lower"] <= optimum <= outcome["upper"]
                assert (outcome["status"] == "optimal") == (outcome["lower"] == outcome["upper"])
                check_tree(ordered.problem, outcome)
                n_cut += outcome["status"] == "cutoff"
    assert n_cut > 50


def test_larger_problems_are_cut_off_one_tick_below_the_optimum():
    for seed in range(40):
        ordered = random_ordered(seed, most_rows=80, most_thresholds=40)
        optimum = ordered.solve()["upper"]
        for search in searches(ordered):
            check_proven(ordered.problem, search(cutoff=optimum), optimum)
            if optimum > 0:
                assert search(cutoff=optimum - 1)["lower"] == optimum


def test_a_cutoff_saves_work():
    problem = random_labels(0, n_rows=120, n_columns=12, leaf_cost=4)
    optimum = solve(problem)
    cut = solve(problem, cutoff=optimum["upper"] // 2)
    assert cut["status"] == "cutoff"
    assert cut["statistics"]["subproblems"] < optimum["statistics"]["subproblems"] / 4


def test_a_cutoff_is_not_a_proof_with_a_reference():
    problem = random_problem(0, "zero_one", n_rows=(6, 6), n_columns=(3, 3))
    with pytest.raises(ValueError, match="cutoff: not with a reference"):
        solve(problem, cutoff=1, reference=np.zeros(6, dtype=np.int32))


def test_a_true_lower_bound_is_kept_and_ends_the_search_where_a_tree_attains_it():
    n_known = 0
    for seed in range(150):
        ordered = random_ordered(seed)
        optimum = ordered.problem.optimum()
        for search in searches(ordered):
            outcome = search(known_lower=optimum)
            assert outcome["status"] in ("optimal", "known_bound")
            assert outcome["lower"] == outcome["upper"] == optimum
            check_tree(ordered.problem, outcome)
            n_known += outcome["status"] == "known_bound"
            if optimum > 0:
                check_proven(ordered.problem, search(known_lower=optimum - 1), optimum)
    assert n_known > 20


def test_a_stopped_search_reports_the_known_bound():
    for seed in range(60):
        ordered = random_ordered(seed)
        optimum = ordered.problem.optimum()
        for search in searches(ordered):
            outcome = search(known_lower=optimum, time_limit=0.0)
            check_interval(ordered.problem, outcome, optimum)
            assert outcome["lower"] == optimum


def test_a_lower_bound_that_a_tree_refutes_is_ignored():
    for seed in range(150):
        ordered = random_ordered(seed)
        optimum = ordered.problem.optimum()
        for search in searches(ordered):
            outcome = search(known_lower=optimum + 1)
            check_interval(ordered.problem, {**outcome, "lower": min(outcome["lower"], optimum)}, optimum)
            # A tree that costs what no tree can: only this ends the search with the wrong bound.
            assert outcome["status"] == ("known_bound" if outcome["upper"] == optimum + 1 else "optimal")
            assert outcome["lower"] == outcome["upper"]


def test_a_known_bound_closes_the_gap_that_a_gap_limit_asks_for():
    problem = random_labels(1, n_rows=120, n_columns=12, leaf_cost=4)
    optimum = solve(problem)["upper"]
    without, known = (solve(problem, gap_limit=0.1, **one) for one in ({}, {"known_lower": optimum}))
    assert known["status"] in ("gap_limit", "known_bound")
    assert known["statistics"]["subproblems"] <= without["statistics"]["subproblems"]


@pytest.mark.parametrize("option", ["cutoff", "known_lower"])
def test_a_negative_bound_is_refused(option):
    with pytest.raises(ValueError, match=f"{option}: must be"):
        solve(random_problem(0, "zero_one"), **{option: -2})


@pytest.mark.parametrize("option", ["cutoff", "known_lower"])
def test_searches_without_known_bounds_refuse_them(option):
    options = _core.SearchOptions(**{option: 3})
    with pytest.raises(ValueError, match=f"{option}: this search does not accept it"):
        _core.solve_lookahead(
            *_columns_and_problem(random_problem(0, "zero_one", n_columns=(2, 3))),
            options,
            lookahead_depth=1,
            recursive=False,
        )


def _columns_and_problem(problem: Problem):
    given = arguments(problem)
    columns = _core.PackedColumns(given["columns"], given["n_rows"])
    return columns, _core.Problem(given["class_codes"], given["weights"], given["costs"], given["leaf_cost"])
