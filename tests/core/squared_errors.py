"""Problems of squared error: small random ones, the core's answer, and what is proven of it by brute force.

Squared error with integer predictions is a cost matrix with a prediction for each integer, which brute force knows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.calls import COLUMNS
from core.ordered import OrderedProblem
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


def solve_regression(
    problem: Problem,
    search: Callable[..., _core.Outcome] = _core.solve,
    how: Mapping[str, Any] | None = None,
    **options: Any,
) -> _core.Outcome:
    """Solve a problem of squared error by a search over binary columns; `how` has the arguments of this search."""
    given = {**arguments(problem), **options}
    columns = _core.PackedColumns(*(given[name] for name in COLUMNS[_core.PackedColumns]))
    of_search = {name: given[name] for name in given if hasattr(_core.SearchOptions, name)}
    core_problem = _core.Problem.squared_error(sums(problem), len(problem.costs), problem.leaf_cost)
    return search(columns, core_problem, _core.SearchOptions(**of_search), **(how or {}))


def random_ordered_regression(
    seed: int,
    *,
    n_rows: tuple[int, int] = (1, 14),
    most_thresholds: int = 5,
    largest: tuple[int, int] = (0, 40),
    **limits: Any,
) -> OrderedProblem:
    """Return targets that depend on some bins, with noise; ties, gaps, heavy rows and any leaf penalty."""
    draw = random.Random(f"{seed} {n_rows} {most_thresholds} {largest} {sorted(limits.items())}")
    plain = random_regression(seed, n_rows=n_rows, n_columns=(1, 2), largest=largest, **limits)
    rows = range(len(plain.classes))
    n_thresholds = [
        draw.choice([1, draw.randint(0, most_thresholds), most_thresholds]) for _ in range(draw.randint(1, 4))
    ]
    bins = [[draw.randint(0, n) for _ in rows] for n in n_thresholds]
    most = len(plain.costs) - 1
    targets = plain.classes
    if draw.random() < 0.6:
        noise = draw.choice([0, 1, most // 4])
        step = most // max(1, n_thresholds[0])
        targets = [min(most, max(0, step * bins[0][r] + draw.randint(-noise, noise))) for r in rows]
    table = [[int(bins[v][r] <= t) for v, n in enumerate(n_thresholds) for t in range(n)] for r in rows]
    return OrderedProblem(bins, n_thresholds, replace(plain, rows=table, classes=targets))


def solve_ordered(
    ordered: OrderedProblem,
    search: Callable[..., _core.Outcome] = _core.solve,
    how: Mapping[str, Any] | None = None,
    **options: Any,
) -> _core.Outcome:
    """Run a search over sorted values for squared error; `how` has the arguments of this search."""
    given = ordered.arguments() | options
    columns = _core.OrderedColumns(given["bins"], given["n_thresholds"])
    of_search = {name: given[name] for name in given if hasattr(_core.SearchOptions, name)}
    problem = _core.Problem.squared_error(sums(ordered.problem), len(ordered.problem.costs), ordered.problem.leaf_cost)
    return search(columns, problem, _core.SearchOptions(**of_search), **(how or {}))
