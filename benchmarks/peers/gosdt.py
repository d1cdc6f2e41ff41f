"""gosdt: the GOSDT authors' library, with the defaults it ships."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from gosdt import GOSDTClassifier, Status  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported


def prepare(problem: Problem) -> State:
    """Set up the classifier; its `depth_budget` counts edges, its time limit whole seconds."""
    if not problem.binary:
        raise Unsupported("takes binary columns only")
    model = GOSDTClassifier(
        regularization=problem.regularization,
        allow_small_reg=True,
        depth_budget=problem.max_depth,
        time_limit=max(1, math.ceil(problem.time_limit)),
        worker_limit=problem.threads,
    )
    return State(problem, model, problem.X.astype(np.bool_), problem.y)


def fit(state: State) -> None:
    """Fit."""
    state.model.fit(state.X, state.y)


def read(state: State) -> Outcome:
    """Read the result; a search that ran out of time has bounds and perhaps a tree."""
    result = state.model.result_
    models = json.loads(result.model)
    return Outcome(
        tree=_node(models[0]) if models else None,
        proven=result.status == Status.CONVERGED,
        lower_bound=result.lowerbound,
        claimed_objective=result.upperbound,
        extra={
            "subproblems": float(result.graph_size),
            "iterations": float(result.n_iterations),
            "seconds": float(result.time),
        },
    )


def _node(node: dict[str, Any]) -> dict[str, Any]:
    if "prediction" in node:
        return {"class": int(node["prediction"])}
    return {"feature": node["feature"], "threshold": 0.5, "left": _node(node["false"]), "right": _node(node["true"])}
