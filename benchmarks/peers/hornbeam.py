"""The library of this repository: the exact search.

Options: "switches", from the name of a bound to False, to search without it; "trace", True to keep the course of the
search; "reference", predictions for the rows from which bounds are guessed.
"""

from __future__ import annotations

from typing import Any

from benchmarks.peers import Outcome, Problem, State, require
from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier
from hornbeam.conditions import AtMost, IsOne
from hornbeam.tree import Tree


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    model = GOSDTClassifier(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        time_limit=problem.time_limit,
        n_jobs=problem.threads,
        bounds=problem.options.get("switches"),
        trace=problem.options.get("trace", False),
        reference=problem.options.get("reference"),
    )
    return _ready(problem, model)


def prepare_lookahead(
    problem: Problem, classifier: type[SPLITClassifier | LicketySPLITClassifier], **parameters: Any
) -> State:
    """Set up a classifier that looks ahead, for the peers of these; "last_split" is by loss unless an option says."""
    require(problem, at_least=0)
    assert problem.max_depth is not None
    model = classifier(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        last_split=problem.options.get("last_split", "loss"),
        binarizer="exact",
        time_limit=problem.time_limit,
        n_jobs=problem.threads,
        **parameters,
    )
    return _ready(problem, model)


def _ready(problem: Problem, model: Any) -> State:
    """Return the state of a classifier that is set up, after one fit has loaded what fits load."""
    GOSDTClassifier(regularization=0.1).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    return State(problem, model, problem.X, problem.y)


def read(state: State) -> Outcome:
    """Read the attributes of the fitted classifier."""
    model = state.model
    return Outcome(
        tree=node_of(model.tree_, 0),
        proven=model.status_ == "optimal",
        lower_bound=model.lower_bound_,
        claimed_objective=model.objective_,
        trace=[[step.elapsed, step.objective, step.lower_bound] for step in getattr(model, "trace_", [])],
        extra={"subproblems": float(model.statistics_["subproblems"])},
    )


def node_of(tree: Tree, node: int) -> dict[str, Any]:
    """Return the common form of a tree below a node; classes are whole numbers, their signs do not count."""
    condition = tree.conditions[node]
    if condition is None:
        return {"class": abs(int(tree.classes[tree.prediction[node]]))}
    holds, fails = node_of(tree, int(tree.left[node])), node_of(tree, int(tree.right[node]))
    if isinstance(condition, AtMost):
        return {"feature": condition.column, "threshold": condition.threshold, "left": holds, "right": fails}
    assert isinstance(condition, IsOne)
    return {"feature": condition.column, "threshold": 0.5, "left": fails, "right": holds}
