"""Problems of squared error: small random ones, the core's answer, and what is proven of it by brute force.

Squared error with integer predictions is a cost matrix with a prediction for each integer, which brute force knows.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np

from core.calls import COLUMNS
from core.solving import arguments
from hornbeam import _core
from oracles.problems import Problem, random_leaf_cost, random_table


def squared_errors(largest: int) -> list[list[int]]:
    """Return the cost matrix of the targets and the predictions from 0 to `largest`."""
    return [[(target - prediction) ** 2 for prediction in range(largest + 1)] for target in range(largest + 1)]


def random_regression(
    seed: int,
    *,
    n_rows: tuple[int, int] = (1, 12),
    n_columns: tuple[int, int] = (0, 5),
    largest: tuple[int, int] = (0, 9),
    **limits: Any,
) -> Problem:
    """Return a random problem; its classes are the targets."""
    draw = random.Random(f"{seed} {n_rows} {n_columns} {largest} {sorted(limits.items())}")
    rows = draw.randint(*n_rows)
    table = random_table(draw, rows, draw.randint(*n_columns))
    most = draw.randint(*largest)
    targets = [draw.randint(0, most) for _ in table]
    if draw.random() < 0.6:  # a function of the row, with noise
        steps = [draw.randint(0, most) for _ in table[0]]
        noise = draw.choice([0, 1, 2])
        at = [sum(s * v for s, v in zip(steps, row, strict=True)) + draw.randint(-noise, noise) for row in table]
        targets = [min(most, max(0, y // max(1, len(steps) // 2))) for y in at]
    weights = [draw.randint(1, draw.choice([1, 1, 3, 50])) for _ in table]
    problem = Problem(table, targets, weights, squared_errors(most), 0, **limits)
    mean = sum(w * y for w, y in zip(weights, targets, strict=True)) / sum(weights)
    spread = round(sum(w * (y - mean) ** 2 for w, y in zip(weights, targets, strict=True)))
    penalties = [0, 1, spread // 100, spread // 20, spread // 8, random_leaf_cost(draw, problem.total(), rows)]
    return replace(problem, leaf_cost=draw.choice(penalties))


def sums(problem: Problem) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return w, w y and w y^2 of each row."""
    weight, target = np.array(problem.weights), np.array(problem.classes)
    return np.ascontiguousarray(np.column_stack([weight, weight * target, weight * target**2]), dtype=np.int64)


def solve_regression(problem: Problem, **options: Any) -> _core.Outcome:
    """Solve a problem of squared error with the core."""
    given = {**arguments(problem), **options}
    columns = _core.PackedColumns(*(given[name] for name in COLUMNS[_core.PackedColumns]))
    of_search = {name: given[name] for name in given if hasattr(_core.SearchOptions, name)}
    core_problem = _core.Problem.squared_error(sums(problem), len(problem.costs), problem.leaf_cost)
    return _core.solve(columns, core_problem, _core.SearchOptions(**of_search))
