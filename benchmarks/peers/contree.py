"""ConTree: dynamic programming over the thresholds of continuous columns, with a depth limit."""

from __future__ import annotations

from typing import Any

import numpy as np
from pycontree import ConTree  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, branch, require


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    require(problem, at_least=0, at_most=20)
    model = ConTree(max_depth=problem.max_depth, complexity_cost=problem.regularization, time_limit=problem.time_limit)
    return State(problem, model, problem.X.astype(np.float64), problem.y.astype(np.intc))


def read(state: State) -> Outcome:
    """Read the tree; ConTree tells no lower bound."""
    return Outcome(tree=_node(state.model.get_tree()), proven=state.model._config.is_within_time_limit())


def _node(node: Any) -> dict[str, Any]:
    if node.is_leaf_node():
        return {"class": int(node.get_label())}
    below = (_node(node.get_left()), _node(node.get_right()))
    return branch(node.get_split_feature(), *below, node.get_split_threshold())
