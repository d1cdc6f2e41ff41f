"""The library of this repository: LicketySPLIT.

Option: "last_split", see the classifier; "loss", as the package licketysplit, where it is not given.
"""

from __future__ import annotations

from benchmarks.peers import Outcome, Problem, State, Unsupported, hornbeam
from hornbeam import LicketySPLITClassifier


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    if problem.max_depth is None:
        raise Unsupported("needs a depth limit")
    model = LicketySPLITClassifier(
        regularization=problem.regularization,
        max_depth=problem.max_depth,
        last_split=problem.options.get("last_split", "loss"),
        binarizer="exact",
        time_limit=problem.time_limit,
        n_jobs=problem.threads,
    )
    return hornbeam.ready(problem, model)


def fit(state: State) -> None:
    """Fit, binarizing included."""
    hornbeam.fit(state)


def read(state: State) -> Outcome:
    """Read the attributes of the fitted classifier."""
    return hornbeam.read(state)
