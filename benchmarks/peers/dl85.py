"""PyDL8.5: branch and bound over itemsets with a depth limit and without a price of a leaf."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydl85 import DL85Classifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported


def prepare(problem: Problem) -> State:
    """Set up the classifier; its time limit counts whole seconds."""
    if not problem.binary:
        raise Unsupported("takes binary columns only")
    if problem.regularization:
        raise Unsupported("has no price of a leaf")
    if not problem.max_depth:
        raise Unsupported("needs a depth limit of at least 1")
    model = DL85Classifier(max_depth=problem.max_depth, time_limit=max(1, math.ceil(problem.time_limit)))
    return State(problem, model, problem.X.astype(np.int32), problem.y.astype(np.int32))


def fit(state: State) -> None:
    """Fit."""
    state.model.fit(state.X, state.y)


def read(state: State) -> Outcome:
    """Read the tree; DL8.5 tells no lower bound."""
    model = state.model
    if model.tree_ is None:
        return Outcome(tree=None, proven=False)
    return Outcome(
        tree=_node(model.tree_),
        proven=not model.timeout_,
        claimed_objective=model.error_ / len(state.y),
        extra={"subproblems": float(model.lattice_size_), "seconds": float(model.runtime_)},
    )


def _node(node: dict[str, Any]) -> dict[str, Any]:
    if "value" in node:
        return {"class": int(node["value"])}
    return {"feature": int(node["feat"]), "threshold": 0.5, "left": _node(node["right"]), "right": _node(node["left"])}
