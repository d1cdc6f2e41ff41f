"""imodels' FastSmallTreeClassifier, compiled by numba; it knows no depth limit."""

from __future__ import annotations

import numpy as np
from imodels import FastSmallTreeClassifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported, tree_from_arrays


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


def read(state: State) -> Outcome:
    """Read the tree in its scikit-learn form."""
    model, tree = state.model, state.model.estimator_.tree_
    return Outcome(
        tree=tree_from_arrays(tree, tree.value[:, 0].argmax(axis=1)),
        proven=bool(model.optimal_),
        lower_bound=float(model.lowerbound_),
        claimed_objective=float(model.objective_),
        extra={"subproblems": float(model.iterations_)},
    )
