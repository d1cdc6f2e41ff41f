"""imodels' FastSmallTreeClassifier, compiled by numba; it knows no depth limit."""

from __future__ import annotations

from typing import Any

import numpy as np
from imodels import FastSmallTreeClassifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported


def prepare(problem: Problem) -> State:
    """Compile the search, or load it compiled, by solving a small problem of the same kind."""
    if problem.max_depth is not None:
        raise Unsupported("has no depth limit")
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(300, 12)).astype(problem.X.dtype)
    y = random.integers(0, int(problem.y.max()) + 1, size=300)
    FastSmallTreeClassifier(regularization=0.02, time_limit=problem.time_limit).fit(X, y)
    model = FastSmallTreeClassifier(regularization=problem.regularization, time_limit=problem.time_limit)
    return State(problem, model, problem.X, problem.y)


def fit(state: State) -> None:
    """Fit, binarizing included."""
    state.model.fit(state.X, state.y)


def read(state: State) -> Outcome:
    """Read the tree in its scikit-learn form."""
    model = state.model
    return Outcome(
        tree=_node(model.estimator_.tree_, 0),
        proven=bool(model.optimal_),
        lower_bound=float(model.lowerbound_),
        claimed_objective=float(model.objective_),
        extra={"subproblems": float(model.iterations_), "seconds": float(model.time_)},
    )


def _node(tree: Any, node: int) -> dict[str, Any]:
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left < 0:
        return {"class": int(tree.value[node, 0].argmax())}
    return {
        "feature": int(tree.feature[node]),
        "threshold": float(tree.threshold[node]),
        "left": _node(tree, left),
        "right": _node(tree, right),
    }
