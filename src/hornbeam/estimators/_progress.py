"""What a search reports while it runs, in the user's units."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from hornbeam._core import Outcome
    from hornbeam._core import Progress as Record

logger = logging.getLogger("hornbeam")


class Units(Protocol):
    """What the integers of a search mean to the user."""

    def objective(self, ticks: int, /) -> float:
        """Return the objective of a tree, or of a bound, of so many ticks."""


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

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> course = GOSDTClassifier(regularization=0.005, trace=True).fit(X, y).trace_
    >>> course[-1].gap
    0.0
    """

    elapsed: float
    objective: float
    lower_bound: float
    gap: float
    subproblems: int
    memory: int

    @classmethod
    def from_record(cls, record: Record, units: Units) -> Progress:
        """Translate what the search says in ticks."""
        elapsed, upper, lower, subproblems, memory = record
        objective, bound = units.objective(upper), units.objective(lower)
        return cls(elapsed, objective, bound, relative_gap(objective, bound), subproblems, memory)


def make_trace(outcome: Outcome, units: Units) -> list[Progress]:
    """Return the course of a search; its last entry is the end of the search."""
    statistics = outcome["statistics"]
    counted = int(statistics["subproblems"]), int(statistics["bytes"])
    end = (statistics["seconds"], outcome["upper"], outcome["lower"], *counted)
    records = [record for record in outcome["trace"] if record[0] < end[0]]
    return [Progress.from_record(record, units) for record in (*records, end)]


def relative_gap(objective: float, lower_bound: float) -> float:
    """Return the part of the objective that is not proven necessary, between 0 and 1."""
    return (objective - lower_bound) / objective if objective else 0.0


def make_listener(
    callback: Callable[[Progress], Any] | None, verbose: int, units: Units
) -> Callable[[Record], bool] | None:
    """Return what the search shall call, which logs where `verbose` and asks `callback` whether to stop."""
    if callback is None and verbose == 0:
        return None

    def listen(record: Record) -> bool:
        progress = Progress.from_record(record, units)
        if verbose:
            logger.info(
                "%.1f s: objective %.6g, lower bound %.6g, gap %.2f %%, %d subproblems, %.0f MB",
                progress.elapsed,
                progress.objective,
                progress.lower_bound,
                100 * progress.gap,
                progress.subproblems,
                progress.memory / 1e6,
            )
        return callback is not None and bool(callback(progress))

    return listen
