"""PyDL8.5: branch and bound over itemsets with a depth limit and without a price of a leaf."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydl85 import DL85Classifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, branch, require


def prepare(problem: Problem) -> State:
    """Set up the classifier; its time limit counts whole seconds."""
    require(problem, binary=True, no_penalty=True, at_least=1)
    model = DL85Classifier(max_depth=problem.max_depth, time_limit=max(1, math.ceil(problem.time_limit)))
    return State(problem, model, problem.X.astype(np.int32), problem.y.astype(np.int32))


def read(state: State) -> Outcome:
    """Read the tree; DL8.5 tells no lower bound."""
    model = state.model
    if model.tree_ is None:
        return Outcome(tree=None, proven=False)
    return Outcome(
        tree=_node(model.tree_),
        proven=not model.timeout_,
        claimed_objective=model.error_ / len(state.y),
        extra={"subproblems": float(model.lattice_size_)},
    )


def _node(node: dict[str, Any]) -> dict[str, Any]:
    if "value" in node:
        return {"class": int(node["value"])}
    return branch(node["feat"], _node(node["right"]), _node(node["left"]))
