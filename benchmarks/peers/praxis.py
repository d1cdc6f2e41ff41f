"""PRAXIS; see `benchmarks.peers._lookahead_sets`."""

from __future__ import annotations

from praxis import PRAXIS  # type: ignore[import-not-found]

from benchmarks.peers import Problem, State
from benchmarks.peers._lookahead_sets import prepare_with, read_best, settings


def prepare(problem: Problem) -> State:
    """Set up the search."""
    return prepare_with(problem, PRAXIS, fit)


def fit(state: State) -> None:
    """Fit."""
    state.model.fit(state.X, state.y, proxy_only="epsilon" not in state.problem.options, **settings(state.problem))


read = read_best
