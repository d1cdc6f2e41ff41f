"""Each bound only saves work: without it, or without all of them, the optimum is the same."""

from dataclasses import replace
from functools import cache

import pytest

from core.solving import BOUNDS, check_proven, solve
from oracles.problems import OBJECTIVES, Problem, random_problem

LIMITS = [
    {},
    {"max_depth": 3},
    {"max_leaves": 4},
    {"min_samples_leaf": 2},
    {"max_depth": 2, "max_leaves": 3},
    {"max_depth": 4, "min_samples_leaf": 2},
    {"max_leaves": 5, "min_samples_leaf": 3},
]
OFF = {name: {name: False} for name in BOUNDS}
OFF |= {f"all but {name}": {other: other == name for other in BOUNDS} for name in BOUNDS}
OFF |= {"all": dict.fromkeys(BOUNDS, False)}


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("off", OFF)
def test_switching_bounds_off_never_changes_the_optimum(off, objective):
    for limits in LIMITS:
        for seed in range(6):
            problem = random_problem(1000 + seed, objective, n_rows=(4, 16), n_columns=(2, 6), **limits)
            check_proven(problem, solve(problem, bounds=OFF[off]), problem.optimum())


def test_switches_that_are_on_are_the_default():
    problem = random_problem(0, "zero_one", n_rows=(30, 40), n_columns=(7, 8))
    default, named = solve(problem), solve(problem, bounds=dict.fromkeys(BOUNDS, True))
    assert default["statistics"]["subproblems"] == named["statistics"]["subproblems"]
    assert all((default["tree"][name] == named["tree"][name]).all() for name in default["tree"])


TIGHT_LIMITS = [
    {},
    {"max_depth": 3},
    {"max_depth": 4},
    {"max_depth": 5},
    {"max_leaves": 6},
    {"max_depth": 3, "max_leaves": 7},
    {"max_depth": 4, "max_leaves": 6},
    {"min_samples_leaf": 2},
]
ALONE = {"all bounds": {}} | {f"{name} alone": {other: other == name for other in BOUNDS} for name in BOUNDS}


@cache
def large_problem(seed: int, limits_index: int) -> tuple[Problem, int]:
    """Return a problem whose optimal tree is large and whose limits bind, and its optimum."""
    objective = ["zero_one", "class_weighted", "cost_matrix"][seed % 3]
    limits = TIGHT_LIMITS[limits_index]
    problem = random_problem(seed, objective, n_rows=(15, 40), n_columns=(5, 8), **limits)
    per_row = problem.total() // len(problem.rows)
    problem = replace(problem, leaf_cost=[0, 1, per_row // 2, per_row, 2 * per_row][seed % 5])
    return problem, problem.optimum()


@pytest.mark.parametrize("on", ALONE)
@pytest.mark.parametrize("limits_index", range(len(TIGHT_LIMITS)))  # one after the other, since their optima are kept
def test_each_bound_alone_keeps_the_optimum_of_large_trees_under_tight_limits(on, limits_index):
    for seed in range(200):
        problem, optimum = large_problem(seed, limits_index)
        check_proven(problem, solve(problem, bounds=ALONE[on]), optimum)
