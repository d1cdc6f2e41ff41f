"""STreeD: dynamic programming with a depth limit; the task "cost-complex-accuracy" has the price of a leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
from pystreed import STreeDClassifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, branch, require


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    require(problem, binary=True, at_least=0, at_most=20)  # other columns it binarizes by quantiles
    model = STreeDClassifier(
        optimization_task="cost-complex-accuracy",
        cost_complexity=problem.regularization,
        max_depth=problem.max_depth,
        time_limit=problem.time_limit,
    )
    return State(problem, model, problem.X.astype(np.intc), problem.y.astype(np.int32))


def read(state: State) -> Outcome:
    """Read the tree; STreeD tells no lower bound."""
    model = state.model
    if not model.is_fitted():
        return Outcome(tree=None, proven=False)
    return Outcome(tree=_node(model.tree_), proven=model.fit_result.is_optimal())


def _node(node: Any) -> dict[str, Any]:
    if node.is_leaf_node():
        return {"class": int(node.label)}
    return branch(node.feature, _node(node.left_child), _node(node.right_child))
