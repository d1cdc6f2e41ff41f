"""pytrees: ConTree for numbers and DL8.5 for binary columns in Rust, both without a price of a leaf."""

from __future__ import annotations

from pytrees import ConTreeClassifier, DL85Classifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, require, tree_from_arrays


def prepare(problem: Problem) -> State:
    """Set up the classifier that takes the columns as they are."""
    require(problem, no_penalty=True, at_least=1)
    make = DL85Classifier if problem.binary else ConTreeClassifier
    model = make(max_depth=problem.max_depth, max_time=problem.time_limit)
    return State(problem, model, problem.X, problem.y)


def read(state: State) -> Outcome:
    """Read the tree; pytrees tells no lower bound."""
    model = state.model
    if model.tree_ is None:
        return Outcome(tree=None, proven=False)
    return Outcome(
        tree=tree_from_arrays(model.tree_, model.tree_.value),
        proven=model.status_ == "optimal",
        claimed_objective=float(model.train_error_) / len(state.y),
    )
