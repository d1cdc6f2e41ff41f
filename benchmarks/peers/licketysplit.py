"""LicketySPLIT: a fast search that looks one split ahead, with a depth limit; it proves nothing."""

from __future__ import annotations

from licketysplit import LicketySPLITClassifier  # type: ignore[import-not-found]

from benchmarks.peers import Outcome, Problem, State, Unsupported, tree_from_paths


def prepare(problem: Problem) -> State:
    """Set up the classifier; it knows no time limit."""
    if not problem.binary:
        raise Unsupported("takes binary columns only")
    if problem.max_depth is None:
        raise Unsupported("needs a depth limit")
    model = LicketySPLITClassifier(lambda_leaf=problem.regularization, depth_budget=problem.max_depth)
    return State(problem, model, problem.X, problem.y)


def fit(state: State) -> None:
    """Fit."""
    state.model.fit(state.X, state.y)


def read(state: State) -> Outcome:
    """Read the tree."""
    return Outcome(
        tree=tree_from_paths(*state.model.get_tree_paths()),
        proven=False,
        claimed_objective=state.model.objective_ / len(state.y),
    )
