"""TreeFARMS: the set of good trees; here of the optimal ones, as exactly as its single precision tells them apart.

Options: "epsilon" for the set within so much of the optimum instead; "bound" for the one up to this objective.
"""

from __future__ import annotations

import math

import pandas as pd
from treefarms import TREEFARMS  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, require, tree_from_json

# With 0 the set is sometimes empty, since the optimum is rounded differently when it is found and when it is compared.
PRECISION = 1e-6


def prepare(problem: Problem) -> State:
    """Set up the search; its depth limit counts nodes, its time limit whole seconds."""
    require(problem, binary=True)
    if "bound" in problem.options:
        wanted = {"rashomon_bound": problem.options["bound"] + PRECISION}
    else:
        wanted = {"rashomon_bound_multiplier": problem.options.get("epsilon", PRECISION)}
    model = TREEFARMS(
        {
            **wanted,
            "regularization": problem.regularization,
            "depth_budget": 0 if problem.max_depth is None else problem.max_depth + 1,
            "time_limit": max(1, math.ceil(problem.time_limit)),
            "worker_limit": problem.threads,
            "verbose": False,
        }
    )
    names = [f"x{column}" for column in range(problem.X.shape[1])]
    return State(problem, model, pd.DataFrame(problem.X, columns=names), pd.Series(problem.y, name="class"))


def read(state: State) -> Outcome:
    """Read a best tree of the set."""
    model = state.model
    if model.model_set is None or not model.get_tree_count():
        return Outcome(tree=None, proven=False)
    metrics = model.model_set.available_metrics
    (claimed, _, _), best = min(zip(metrics["metric_values"], metrics["metric_pointers"], strict=True))
    return Outcome(
        tree=tree_from_json(model.model_set.get_tree_at_model_set_idx(best, 0)),
        proven=not model.timeout,
        claimed_objective=claimed,
        extra={"trees": float(model.get_tree_count())},
    )
