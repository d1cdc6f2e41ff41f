"""Rows that weigh for every target, against the same weights as rows of one target each."""

import random
from dataclasses import replace

import numpy as np
import pytest

from core.calls import call
from core.solving import arguments, check_proven, solve, solve_lookahead
from hornbeam import _core
from oracles.problems import Problem, random_problem

OBJECTIVES = ["zero_one", "class_weighted", "omega", "cost_matrix", "reduced_matrix"]


def spread(seed: int, objective: str, **limits: int) -> tuple[Problem, np.ndarray]:
    """Return a problem with a row for each weight, and the weights by row and target of the rows put together."""
    problem = random_problem(seed, objective, n_rows=(2, 8), n_columns=(1, 4), **limits)
    draw = random.Random(seed)
    weights = np.array([[draw.choice([0, 1, 1, 2, 5]) for _ in problem.costs] for _ in problem.rows])
    weights[weights.sum(axis=1) == 0, 0] = 1
    rows, targets = np.nonzero(weights)
    costs = [[min(cost, 2**30) for cost in of_target] for of_target in problem.costs]
    spread_out = replace(
        problem,
        rows=[problem.rows[row] for row in rows],
        classes=targets.tolist(),
        weights=weights[rows, targets].tolist(),
        costs=costs,
        leaf_cost=min(problem.leaf_cost, 2**30),
    )
    return spread_out, weights


def together(problem: Problem, weights: np.ndarray) -> dict[str, object]:
    """Return the keywords of the rows put together."""
    n_targets = np.count_nonzero(weights, axis=1)
    firsts = np.concatenate([[0], np.cumsum(n_targets)[:-1]])
    rows = [problem.rows[first] for first in firsts]
    of_rows = arguments(replace(problem, rows=rows, classes=[0] * len(rows), weights=[1] * len(rows)))
    return of_rows | {"class_codes": None, "weights": weights.astype(np.int64)}


@pytest.mark.parametrize("max_depth", [None, 2])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_weights_by_target_are_a_row_for_each_of_them(objective, max_depth):
    for seed in range(60):
        problem, weights = spread(seed, objective, max_depth=max_depth)
        outcome = call(_core.solve, **together(problem, weights))
        assert (outcome["status"], outcome["lower"]) == ("optimal", outcome["upper"])
        assert outcome["upper"] == problem.optimum()
        check_proven(problem, solve(problem), outcome["upper"])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_lookahead_takes_weights_by_target(objective):
    for seed in range(40):
        problem, weights = spread(seed, objective, max_depth=3)
        outcome = call(_core.solve_lookahead, **together(problem, weights), lookahead_depth=1, recursive=False)
        assert outcome["upper"] == solve_lookahead(problem, 1)["upper"]


def test_losses_of_each_prediction_are_a_problem_with_a_target_for_each():
    draw = np.random.default_rng(0)
    for _ in range(60):
        n_rows, n_predictions = draw.integers(2, 9), draw.integers(2, 5)
        losses = draw.integers(0, 20, (n_rows, n_predictions))
        rows = draw.integers(0, 2, (n_rows, 3)).tolist()
        problem = Problem(rows, [0] * n_rows, [1] * n_rows, np.eye(n_predictions, dtype=int).tolist(), 3)
        found = call(_core.solve, **arguments(problem) | {"class_codes": None, "weights": losses})
        # The same with a class for each row, whose costs are the losses of the row.
        own = Problem(rows, list(range(n_rows)), [1] * n_rows, losses.tolist(), 3)
        assert found["status"] == "optimal"
        assert found["upper"] == own.optimum()


@pytest.mark.parametrize(
    "weights",
    [
        np.ones((9, 2), np.int64),
        np.ones((10, 3), np.int64),
        np.ones(10, np.int64),
        np.full((10, 2), -1),
        np.zeros((10, 2), np.int64),
    ],
)
def test_weights_that_do_not_suit_the_targets_are_refused(weights):
    problem = Problem([[0], [1]] * 5, [0, 1] * 5, [1] * 10, [[0, 1], [1, 0]], 1)
    with pytest.raises(ValueError, match="weights"):
        call(_core.solve, **arguments(problem) | {"class_codes": None, "weights": weights})


def test_statistics_of_nodes_add_up_the_weights_of_each_target():
    children = np.array([1, -1, -1], np.int32), np.array([2, -1, -1], np.int32)
    leaf_of_row, weights = np.array([1, 2, 2], np.int32), np.array([[1.0, 2.0], [0.5, 0.0], [4.0, 1.0]])
    n_rows, sums = _core.node_statistics(*children, leaf_of_row, None, weights, 2)
    assert n_rows.tolist() == [3, 1, 2]
    assert sums.tolist() == [[5.5, 3.0], [1.0, 2.0], [4.5, 1.0]]
