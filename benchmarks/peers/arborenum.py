"""ArborEnum; see `benchmarks.peers._lookahead_sets`."""

from __future__ import annotations

from arborenum import ArborEnum  # type: ignore[import-not-found]

from benchmarks.peers import Problem, State
from benchmarks.peers._lookahead_sets import prepare_with, read_best, settings


def prepare(problem: Problem) -> State:
    """Set up the search."""
    return prepare_with(problem, ArborEnum, fit)


def fit(state: State) -> None:
    """Fit."""
    state.model.fit_binarized(
        state.X, state.y, rashomon_mode="epsilon" in state.problem.options, **settings(state.problem)
    )


read = read_best
