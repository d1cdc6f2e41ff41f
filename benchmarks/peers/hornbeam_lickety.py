"""The library of this repository: LicketySPLIT.

Option: "last_split", see the classifier; "loss", as the package licketysplit, where it is not given.
"""

from __future__ import annotations

from benchmarks.peers import Outcome, Problem, State, hornbeam
from hornbeam import LicketySPLITClassifier


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    return hornbeam.prepare_lookahead(problem, LicketySPLITClassifier)


def fit(state: State) -> None:
    """Fit, binarizing included."""
    hornbeam.fit(state)


def read(state: State) -> Outcome:
    """Read the attributes of the fitted classifier."""
    return hornbeam.read(state)
