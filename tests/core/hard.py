"""Problems on which the search has to work: some that brute force can still solve, one that nobody can."""

from __future__ import annotations

import random
from functools import cache

from core.solving import solve
from oracles.problems import Problem

ZERO_TWO = [[0, 2], [2, 0]]


def random_labels(seed: int, n_rows: int, n_columns: int, leaf_cost: int) -> Problem:
    """Return random 0/1 rows whose classes have nothing to do with them: the bounds cannot close it early."""
    draw = random.Random(seed)
    rows = [[draw.randint(0, 1) for _ in range(n_columns)] for _ in range(n_rows)]
    return Problem(rows, [draw.randint(0, 1) for _ in rows], [1] * n_rows, ZERO_TWO, leaf_cost)


@cache
def hard(seed: int) -> tuple[Problem, int]:
    """Return a problem that takes the core many steps, and its optimum by brute force."""
    problem = random_labels(seed, n_rows=70, n_columns=8, leaf_cost=1)
    return problem, problem.optimum()


@cache
def harder(seed: int) -> tuple[Problem, int]:
    """Return a problem too large for brute force, and its optimum as the core proves it when it is left alone."""
    problem = random_labels(seed, n_rows=150, n_columns=14, leaf_cost=2)
    return problem, solve(problem)["upper"]


@cache
def unsolvable() -> Problem:
    """Return a problem that no search finishes while a test runs."""
    return random_labels(0, n_rows=400, n_columns=60, leaf_cost=1)
