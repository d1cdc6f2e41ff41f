"""What a search reports while it runs, in the user's units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from hornbeam._core import Outcome
    from hornbeam._core import Progress as Record


class Scale(Protocol):
    """Converts the integers of a search to the user's units: `AdditiveScale`, `FScoreScale`, `AucScale` and so on."""

    def objective(self, ticks: Any, /) -> float:
        """Convert the ticks of a tree, or of a bound, to an objective."""


@runtime_checkable
class RoundedScale(Scale, Protocol):
    """A scale whose integers are rounded: the bounds of the search need a correction."""

    def rounding(self, objective: float, /) -> float:
        """Return how far a bound of the search may lie above the objective of a better tree than one with this one."""


class Progress(NamedTuple):
    """State of a search at one moment.

    Attributes
    ----------
    elapsed : float
        Seconds since the search began.
    objective : float
        Objective of the best tree found so far.
    lower_bound : float
        No tree has a smaller objective.
    gap : float
        ``(objective - lower_bound) / objective``; 0 if the objective is 0.
    subproblems : int
        Number of subproblems solved or opened so far.
    memory : int
        Bytes of the data structures of the search.
    n_leaves : int
        Number of leaves of the best tree found so far.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> trace = GOSDTClassifier(regularization=0.005, trace=True).fit(X, y).trace_
    >>> trace[-1].gap
    0.0
    """

    elapsed: float
    objective: float
    lower_bound: float
    gap: float
    subproblems: int
    memory: int
    n_leaves: int

    @classmethod
    def from_record(cls, record: Record, scale: Scale) -> Progress:
        """Convert a record of the search, in ticks, to the user's units."""
        elapsed, upper, lower, subproblems, memory, n_leaves = record
        objective = scale.objective(upper)
        bound = proven_bound(scale, lower, objective)
        return cls(elapsed, objective, bound, relative_gap(objective, bound), subproblems, memory, n_leaves)


def make_trace(outcome: Outcome, scale: Scale) -> list[Progress]:
    """Return the trace of a search; its last entry is the end of the search."""
    end = end_of(outcome)
    # The core's last record may be of the same moment as the end; times in a trace rise strictly.
    records = [record for record in outcome["trace"] if record[0] < end[0]]
    return [Progress.from_record(record, scale) for record in (*records, end)]


def end_of(outcome: Outcome) -> Record:
    """Return the record of the end of a search."""
    statistics = outcome["statistics"]
    counted = int(statistics["subproblems"]), int(statistics["bytes"])
    n_leaves = int((outcome["tree"]["column"] < 0).sum())
    return float(statistics["seconds"]), outcome["upper"], outcome["lower"], *counted, n_leaves


def proven_bound(scale: Scale, ticks: Any, objective: float) -> float:
    """Return what a bound of the search, in ticks, proves, given the objective of some tree."""
    if not isinstance(scale, RoundedScale):
        return scale.objective(ticks)
    return max(0.0, min(objective, scale.objective(ticks) - scale.rounding(objective)))


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return the part of the objective above the lower bound, between 0 and 1."""
    return (objective - lower_bound) / objective if objective else 0.0
