"""gosdt: the GOSDT authors' library, with the defaults it ships."""

from __future__ import annotations

import json
import math

import numpy as np
from gosdt import GOSDTClassifier, Status  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, require, tree_from_json


def prepare(problem: Problem) -> State:
    """Set up the classifier; its `depth_budget` counts edges, its time limit whole seconds."""
    require(problem, binary=True)
    model = GOSDTClassifier(
        regularization=problem.regularization,
        allow_small_reg=True,
        depth_budget=problem.max_depth,
        time_limit=max(1, math.ceil(problem.time_limit)),
        worker_limit=problem.threads,
    )
    return State(problem, model, problem.X.astype(np.bool_), problem.y)


def read(state: State) -> Outcome:
    """Read the result; a search that ran out of time has bounds and perhaps a tree."""
    result = state.model.result_
    models = json.loads(result.model)
    return Outcome(
        tree=tree_from_json(models[0]) if models else None,
        proven=result.status == Status.CONVERGED,
        lower_bound=result.lowerbound,
        claimed_objective=result.upperbound,
        extra={"subproblems": float(result.graph_size)},
    )
