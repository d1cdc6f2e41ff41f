"""The library of this repository: the set of good trees.

Options: "epsilon" and "regularization" as strings of fractions, since sets are compared tree by tree; "epsilon_is" and
"distinct" of the classifier.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from benchmarks.peers import Outcome, Problem, State
from benchmarks.peers import hornbeam as one_tree
from hornbeam import RashomonSetClassifier


def prepare(problem: Problem) -> State:
    """Set up the classifier, after one fit has loaded what fits load.

    TreeFARMS gives a leaf of as many rows of both classes the second one, so under its definition the classes are
    numbered the other way round.
    """
    options = problem.options
    exact: Any = {name: Fraction(options[name]) for name in ("epsilon", "regularization")}
    model = RashomonSetClassifier(
        **exact,
        epsilon_is=options["epsilon_is"],
        max_depth=problem.max_depth,
        distinct=options["distinct"],
        binarizer=None,
        time_limit=problem.time_limit,
        n_jobs=problem.threads,
    )
    RashomonSetClassifier(binarizer=None).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    return State(problem, model, problem.X, -problem.y if options["distinct"] == "columns" else problem.y)


def read(state: State) -> Outcome:
    """Read the best tree and how many there are."""
    model = state.model
    return Outcome(
        tree=one_tree.node_of(model.tree_, 0),
        proven=model.status_ == "complete",
        lower_bound=model.lower_bound_,
        claimed_objective=model.objective_,
        extra={"trees": float(model.n_trees_), "bound": model.bound_},
    )
