"""Hands a problem in plain lists to the core, and checks what comes back against the raw rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.calls import call
from hornbeam import _core
from oracles.exhaustive import Flat, members_of_nodes
from oracles.problems import Problem

BOUNDS = tuple(_core.BOUNDS["exact"])


def arguments(problem: Problem) -> dict[str, Any]:
    """Return a problem as keywords of `call`."""
    matrix = np.array(problem.rows, dtype=np.uint8).reshape(len(problem.rows), -1)
    return {
        "columns": np.packbits(np.ascontiguousarray(matrix.T), axis=1, bitorder="little"),
        "n_rows": len(problem.rows),
        "class_codes": np.array(problem.classes, dtype=np.int32),
        "weights": np.array(problem.weights, dtype=np.int64),
        "costs": np.array(problem.costs, dtype=np.int64),
        "leaf_cost": problem.leaf_cost,
        "max_depth": problem.max_depth,
        "max_leaves": problem.max_leaves,
        "min_samples_leaf": problem.min_samples_leaf,
    }


def solve(problem: Problem, **options: Any) -> _core.Outcome:
    """Solve a problem with the core."""
    outcome: _core.Outcome = call(_core.solve, **arguments(problem), **options)
    return outcome


def solve_guessed(problem: Problem, reference: list[int], **options: Any) -> _core.Outcome:
    """Solve a problem with the bounds that a reference's predictions guess."""
    return solve(problem, reference=np.array(reference, dtype=np.int32), **options)


def solve_lookahead(problem: Problem, steps: int, *, recursive: bool = False, **options: Any) -> _core.Outcome:
    """Solve a problem by lookahead search: SPLIT, or LicketySPLIT if `recursive`."""
    how = {"lookahead_depth": steps, "recursive": recursive, **options}
    outcome: _core.Outcome = call(_core.solve_lookahead, **arguments(problem), **how)
    return outcome


def solve_leaf_sets(problem: Problem, **options: Any) -> _core.Outcome:
    """Solve a problem by the search over sets of leaves."""
    outcome: _core.Outcome = call(_core.solve_leaf_sets, **arguments(problem), **options)
    return outcome


def check_proven(problem: Problem, outcome: _core.Outcome, optimum: int) -> None:
    """Assert that the outcome is a proof of this optimum and its tree attains it within the limits."""
    assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", optimum, optimum), problem
    check_tree(problem, outcome)


def check_interval(problem: Problem, outcome: _core.Outcome, optimum: int) -> None:
    """Assert that the optimum lies between the bounds and the tree attains the upper one within the limits."""
    assert outcome["lower"] <= optimum <= outcome["upper"], problem
    assert (outcome["status"] == "optimal") <= (outcome["lower"] == outcome["upper"]), problem
    check_tree(problem, outcome)


def check_tree(problem: Problem, outcome: _core.Outcome) -> None:
    """Assert that the tree is well-formed, keeps the limits, costs `upper`, and that its nodes predict the best."""
    tree = outcome["tree"]
    assert all(array.dtype == np.int32 and array.ndim == 1 for array in tree.values())
    assert problem.cost(tree) == outcome["upper"], problem
    for prediction, costs in zip(tree["prediction"], costs_in_nodes(problem, tree), strict=True):
        assert costs[prediction] == min(costs), problem


def costs_in_nodes(problem: Problem, tree: Flat) -> list[list[int]]:
    """Return for each node the cost of its rows under each prediction, without the leaf penalty."""
    return [
        [sum(problem.weights[r] * problem.costs[problem.classes[r]][k] for r in members) for k in range(n_predictions)]
        for n_predictions in [len(problem.costs[0])]
        for members in members_of_nodes(tree, problem.rows)
    ]


def n_leaves(outcome: _core.Outcome) -> int:
    """Return the number of leaves of the tree that was found."""
    return int((outcome["tree"]["column"] == -1).sum())
