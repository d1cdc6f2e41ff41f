"""Problems whose columns are thresholds of ordered variables, for both searches of the core."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from core.calls import call
from core.solving import solve
from hornbeam import _core
from oracles.problems import OBJECTIVES, Problem


@dataclass(frozen=True)
class OrderedProblem:
    """Bins with as many thresholds as they need or more; `problem` is the same in plain columns."""

    bins: list[list[int]]
    n_thresholds: list[int]
    problem: Problem

    def arguments(self) -> dict[str, Any]:
        """Return the problem as keywords of `call`."""
        return {
            "bins": np.array(self.bins, dtype=np.uint32).reshape(len(self.bins), len(self.problem.classes)),
            "n_thresholds": np.array(self.n_thresholds, dtype=np.uint32),
            "class_codes": np.array(self.problem.classes, dtype=np.int32),
            "weights": np.array(self.problem.weights, dtype=np.int64),
            "costs": np.array(self.problem.costs, dtype=np.int64),
            "leaf_cost": self.problem.leaf_cost,
            "max_depth": self.problem.max_depth,
            "max_leaves": self.problem.max_leaves,
            "min_samples_leaf": self.problem.min_samples_leaf,
        }

    def solve(self, **options: Any) -> _core.Outcome:
        """Run the ordered search."""
        outcome: _core.Outcome = call(_core.solve, **(self.arguments() | options))
        return outcome


def make_ordered(
    bins: list[list[int]],
    n_thresholds: list[int],
    classes: list[int],
    weights: list[int],
    error_costs: list[int],
    leaf_cost: int,
    max_depth: int | None,
) -> OrderedProblem:
    """Return a problem; wrong predictions cost `error_costs`, in turn for the classes."""
    n_classes = max(classes) + 1 if max(classes) > 0 else 2
    costs = [[0 if k == c else error_costs[c % len(error_costs)] for k in range(n_classes)] for c in range(n_classes)]
    rows = [[int(bins[v][r] <= t) for v, n in enumerate(n_thresholds) for t in range(n)] for r in range(len(classes))]
    return OrderedProblem(bins, n_thresholds, Problem(rows, classes, weights, costs, leaf_cost, max_depth))


def random_ordered(
    seed: int, *, most_rows: int = 14, most_thresholds: int = 5, most_depth: int = 4, unlimited: bool = False
) -> OrderedProblem:
    """Return a small problem: ties, gaps and unused bins, weights of either kind of sums, any leaf penalty."""
    draw = random.Random(seed)
    n_rows = max(draw.randint(1, most_rows) for _ in range(2))
    n_thresholds = [draw.choice([1, 1, draw.randint(0, most_thresholds)]) for _ in range(draw.randint(1, 4))]
    bins = [[draw.randint(0, n) for _ in range(n_rows)] for n in n_thresholds]
    n_classes = draw.choice([2, 2, 3, 4])
    classes = [
        draw.randrange(n_classes) if draw.random() < 0.4 else sum(column[r] for column in bins) % n_classes
        for r in range(n_rows)
    ]
    heaviest = draw.choice([1, 1, 4, 2**15, (2**28 - 1) // n_rows, 2**38 // n_rows])
    weights = [draw.randint(1, heaviest) for _ in range(n_rows)]
    error_cost = draw.choice([1, 2, 1000])
    error_costs = [error_cost * factor for factor in draw.choice([[1], [1], [1, 3], [2, 3], [2, 0]])]
    leaf_cost = draw.choice([0, 0, 1, error_cost, error_cost * sum(weights) // 50, error_cost * sum(weights) // 10])
    return make_ordered(
        bins,
        n_thresholds,
        classes,
        weights,
        error_costs,
        leaf_cost,
        None if unlimited else draw.randint(0, most_depth),
    )


def with_costs(ordered: OrderedProblem, seed: int, objective: str, **limits: Any) -> OrderedProblem:
    """Return the same rows with the costs of an objective of `oracles.problems`, and with other limits."""
    draw = random.Random(f"{seed} {objective}")
    problem = ordered.problem
    n_classes = len(problem.costs)
    costs = OBJECTIVES[objective](draw, n_classes, problem.classes)
    return replace(ordered, problem=replace(problem, costs=costs, **limits))


@cache
def hard_ordered(seed: int) -> tuple[OrderedProblem, int]:
    """Return a problem of depth three that takes some hundred subproblems, and its optimum by the other search."""
    draw = random.Random(seed)
    bins = [[draw.randint(0, 30) for _ in range(200)] for _ in range(3)]
    classes = [draw.randint(0, 1) for _ in range(200)]
    ordered = make_ordered(bins, [30] * 3, classes, [1] * 200, [2], seed % 3, 3)
    outcome = solve(ordered.problem)
    assert outcome["status"] == "optimal"
    return ordered, outcome["upper"]


@cache
def unsolvable_ordered() -> OrderedProblem:
    """Return a problem that no search finishes in a minute."""
    draw = random.Random(0)
    bins = [[draw.randint(0, 100) for _ in range(3000)] for _ in range(8)]
    classes = [draw.randint(0, 1) for _ in range(3000)]
    return make_ordered(bins, [100] * 8, classes, [1] * 3000, [2], 0, 6)
