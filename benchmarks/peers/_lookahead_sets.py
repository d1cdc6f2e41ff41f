"""What PRAXIS and ArborEnum share: sets of good trees by looking ahead; with a lookahead of the whole depth, exact.

Option: "epsilon" for the set of all trees within so much of the optimum; without it one tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.peers import Outcome, Problem, State, is_whole_price, require, tree_from_paths


def prepare_with(problem: Problem, make: Callable[[], Any], fit: Callable[[State], None]) -> State:
    """Check that the peer can solve the problem; its exact search knows no time limit."""
    require(problem, binary=True, at_least=1)
    state = State(problem, make(), problem.X, problem.y.astype(int))
    if problem.options:  # sets are found in milliseconds: one fit before loads what fits load
        fit(replace(state, model=make(), X=np.eye(2, dtype=np.uint8), y=np.arange(2)))
    return state


def settings(problem: Problem) -> dict[str, Any]:
    """Return what both are told by the same names."""
    assert problem.max_depth
    return {
        "lambda_reg": problem.regularization,
        "depth_budget": problem.max_depth,
        "lookahead_k": max(1, problem.max_depth - 1),
        "rashomon_mult": problem.options.get("epsilon", 0.0),
    }


def read_best(state: State) -> Outcome:
    """Read the first tree, which is the best one, and how many there are."""
    problem = state.problem
    proven = is_whole_price(problem.regularization, len(problem.y))
    trees = {"trees": float(state.model.count_trees())} if problem.options else {}
    return Outcome(tree=tree_from_paths(*state.model.get_tree_paths(0)), proven=proven, extra=trees)
