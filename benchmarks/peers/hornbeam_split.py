"""The library of this repository: SPLIT, two levels of splits searched.

Option: "last_split", see the classifier; "loss" where it is not given.
"""

from __future__ import annotations

from benchmarks.peers import Outcome, Problem, State, hornbeam
from hornbeam import SPLITClassifier


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    return hornbeam.prepare_lookahead(problem, SPLITClassifier, lookahead_depth=2)


def fit(state: State) -> None:
    """Fit, binarizing included."""
    hornbeam.fit(state)


def read(state: State) -> Outcome:
    """Read the attributes of the fitted classifier."""
    return hornbeam.read(state)
