"""PRAXIS: sets of good trees; here its search for one tree with a lookahead of the whole depth, which is exact.

Option: "epsilon" for the set of all trees within so much of the optimum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from praxis import PRAXIS  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported, is_whole_price, tree_from_paths


def prepare(problem: Problem) -> State:
    """Check that PRAXIS can solve the problem; it knows no time limit."""
    if not problem.binary:
        raise Unsupported("takes binary columns only")
    if not problem.max_depth:
        raise Unsupported("needs a depth limit of at least 1")
    state = State(problem, PRAXIS(), problem.X, problem.y.astype(int))
    if problem.options:  # sets are found in milliseconds: one fit before loads what fits load
        fit(replace(state, model=PRAXIS(), X=np.eye(2, dtype=np.uint8), y=np.arange(2)))
    return state


def fit(state: State) -> None:
    """Fit."""
    problem = state.problem
    assert problem.max_depth
    state.model.fit(
        state.X,
        state.y,
        lambda_reg=problem.regularization,
        depth_budget=problem.max_depth,
        lookahead_k=max(1, problem.max_depth - 1),
        proxy_only="epsilon" not in problem.options,
        rashomon_mult=problem.options.get("epsilon", 0.0),
    )


def read(state: State) -> Outcome:
    """Read the first tree, which is the best one, and how many there are."""
    problem = state.problem
    proven = is_whole_price(problem.regularization, len(problem.y))
    trees = {"trees": float(state.model.count_trees())} if problem.options else {}
    return Outcome(tree=tree_from_paths(*state.model.get_tree_paths(0)), proven=proven, extra=trees)
