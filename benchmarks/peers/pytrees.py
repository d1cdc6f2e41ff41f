"""pytrees: ConTree for numbers and DL8.5 for binary columns in Rust, both without a price of a leaf."""

from __future__ import annotations

from typing import Any

from pytrees import ConTreeClassifier, DL85Classifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported


def prepare(problem: Problem) -> State:
    """Set up the classifier that takes the columns as they are."""
    if problem.regularization:
        raise Unsupported("has no price of a leaf")
    if not problem.max_depth:
        raise Unsupported("needs a depth limit of at least 1")
    make = DL85Classifier if problem.binary else ConTreeClassifier
    model = make(max_depth=problem.max_depth, max_time=problem.time_limit)
    return State(problem, model, problem.X, problem.y)


def fit(state: State) -> None:
    """Fit."""
    state.model.fit(state.X, state.y)


def read(state: State) -> Outcome:
    """Read the tree; pytrees tells no lower bound."""
    model = state.model
    if model.tree_ is None:
        return Outcome(tree=None, proven=False)
    return Outcome(
        tree=_node(model.tree_, 0),
        proven=model.status_ == "optimal",
        claimed_objective=float(model.train_error_) / len(state.y),
        extra={name: float(value) for name, value in model.statistics_.items() if isinstance(value, int | float)},
    )


def _node(tree: Any, node: int) -> dict[str, Any]:
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left < 0:
        return {"class": int(tree.value[node])}
    return {
        "feature": int(tree.feature[node]),
        "threshold": float(tree.threshold[node]),
        "left": _node(tree, left),
        "right": _node(tree, right),
    }
