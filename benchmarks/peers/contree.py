"""ConTree: dynamic programming over the thresholds of continuous columns, with a depth limit."""

from __future__ import annotations

from typing import Any

import numpy as np
from pycontree import ConTree  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported

LARGEST_DEPTH = 20


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    if problem.max_depth is None or problem.max_depth > LARGEST_DEPTH:
        raise Unsupported(f"needs a depth limit, at most {LARGEST_DEPTH}")
    model = ConTree(max_depth=problem.max_depth, complexity_cost=problem.regularization, time_limit=problem.time_limit)
    return State(problem, model, problem.X.astype(np.float64), problem.y.astype(np.intc))


def fit(state: State) -> None:
    """Fit."""
    state.model.fit(state.X, state.y)


def read(state: State) -> Outcome:
    """Read the tree; ConTree tells no lower bound."""
    return Outcome(tree=_node(state.model.get_tree()), proven=state.model._config.is_within_time_limit())


def _node(node: Any) -> dict[str, Any]:
    if node.is_leaf_node():
        return {"class": int(node.get_label())}
    return {
        "feature": int(node.get_split_feature()),
        "threshold": float(node.get_split_threshold()),
        "left": _node(node.get_left()),
        "right": _node(node.get_right()),
    }
