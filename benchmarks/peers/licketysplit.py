"""LicketySPLIT: a fast search that looks one split ahead, with a depth limit; it proves nothing."""

from __future__ import annotations

from licketysplit import LicketySPLITClassifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, require, tree_from_paths


def prepare(problem: Problem) -> State:
    """Set up the classifier; it knows no time limit."""
    require(problem, binary=True, at_least=0)
    model = LicketySPLITClassifier(lambda_leaf=problem.regularization, depth_budget=problem.max_depth)
    return State(problem, model, problem.X, problem.y)


def read(state: State) -> Outcome:
    """Read the tree."""
    return Outcome(
        tree=tree_from_paths(*state.model.get_tree_paths()),
        proven=False,
        claimed_objective=state.model.objective_ / len(state.y),
    )
