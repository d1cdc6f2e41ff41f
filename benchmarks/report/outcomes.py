"""What came of a contender on an instance: its repeats in one, by medians."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from benchmarks.report.faults import best_trees, is_refuted
from benchmarks.report.runs import REFERENCE_PEER, Contender, Instance, Problem, Run

# A run may end a little after its limit and still be within it.
TOLERATED_OVERRUN = 1.05
# One that ends by itself this near to its limit without a proof was stopped by the limit.
STOPPED_AT_LIMIT = 0.95

PROVEN = "proven"
TIMEOUT = "timeout"
MEMORY = "memory"
UNPROVEN = "no proof"
WRONG = "wrong"
ERROR = "error"
UNSUPPORTED = "unsupported"
ROUNDED = "rounded price"
# From good to bad: where repeats differ, the commonest counts, and of equally common ones the worst.
OUTCOMES = (PROVEN, UNPROVEN, ROUNDED, TIMEOUT, MEMORY, UNSUPPORTED, ERROR, WRONG)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a contender on an instance."""

    outcome: str  # one of `OUTCOMES`
    seconds: float | None  # median of the user seconds; the limit where the outcome is a timeout
    spread: float  # longest minus shortest time of the repeats, in user seconds
    objective: float | None  # of the best tree of the repeats
    lower_bound: float | None  # the highest of the repeats
    wall_seconds: float | None  # this and the next three are medians
    growth_bytes: float | None  # what the fit added to the peak of the process
    peak_bytes: float | None
    subproblems: float | None
    runs: tuple[Run, ...]  # the repeats with this outcome

    @property
    def is_proven(self) -> bool:
        """Whether the optimum was proven within the limit, and no better tree is known."""
        return self.outcome == PROVEN

    @property
    def gap(self) -> float | None:
        """How far the bound is below the objective, as a share of the objective; None without a bound."""
        if self.objective is None or self.lower_bound is None:
            return None
        return max(self.objective - self.lower_bound, 0.0) / self.objective if self.objective else 0.0


class Outcomes:
    """The results of a suite by instance and contender."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.runs = list(runs)
        self.best: dict[Problem, Run] = best_trees(self.runs)
        self.instances = sorted({run.instance for run in self.runs}, key=lambda one: (one.problem.order, one.limit))
        self.contenders = sorted({run.contender for run in self.runs}, key=lambda one: one.order)
        first = self.contenders[0]
        self.reference = first if first.peer == REFERENCE_PEER else None
        repeats: dict[tuple[Instance, Contender], list[Run]] = defaultdict(list)
        for run in self.runs:
            repeats[run.instance, run.contender].append(run)
        self._results = {key: _result(group, self.best) for key, group in repeats.items()}

    @property
    def has_several_limits(self) -> bool:
        """Whether problems were solved with several limits: then instances are not as many problems."""
        return len({one.problem for one in self.instances}) < len(self.instances)

    def best_objective(self, instance: Instance) -> float | None:
        """Return the objective of the best tree known, None if no tree is."""
        best = self.best.get(instance.problem)
        return best.record.objective if best else None

    def get(self, instance: Instance, contender: Contender) -> Result | None:
        """Return what came of a contender on an instance, None if it was not tried."""
        return self._results.get((instance, contender))

    def results_of(self, contender: Contender) -> dict[Instance, Result]:
        """Return the results of a contender, in the order of the instances."""
        return {one: self._results[one, contender] for one in self.instances if (one, contender) in self._results}

    def other_peers(self) -> list[Contender]:
        """Return the contenders that are not hornbeam in some setting."""
        return [contender for contender in self.contenders if contender.peer != REFERENCE_PEER]

    def label(self, contender: Contender) -> str:
        """Name a contender: the peer, and its setting where the suite has several of that peer.

        Where all are of one peer, the setting alone.
        """
        same = [one for one in self.contenders if one.peer == contender.peer]
        parts = []
        if len({one.options for one in same}) > 1 and contender.options != "{}":
            parts.append(_words(contender.options))
        if len({one.threads for one in same}) > 1:
            parts.append(f"{contender.threads} thread{'s' if contender.threads > 1 else ''}")
        if parts and len(same) == len(self.contenders):
            return ", ".join(parts)
        return f"{contender.peer} ({', '.join(parts)})" if parts else contender.peer


def _words(options: str) -> str:
    """Write options: what is switched off as "no name", other values as "name value"; groups are opened."""
    words = []
    stack = [json.loads(options)]
    while stack:
        for name, value in stack.pop().items():
            if isinstance(value, dict):
                stack.append(value)
            else:
                words.append(f"no {name}" if value is False else f"{name} {value}")
    return ", ".join(words)


def _result(repeats: list[Run], best: dict[Problem, Run]) -> Result:
    groups: dict[str, list[Run]] = defaultdict(list)
    for run in repeats:
        groups[_outcome(run, best)].append(run)
    outcome = max(groups, key=lambda name: (len(groups[name]), OUTCOMES.index(name)))
    runs = groups[outcome]
    seconds = [run.instance.limit if outcome == TIMEOUT else run.record.user_seconds for run in runs]
    known = [value for value in seconds if value is not None]
    bounds = [run.record.lower_bound for run in runs if run.record.lower_bound is not None]
    objectives = [run.record.objective for run in runs if run.record.objective is not None]
    return Result(
        outcome,
        _median(seconds),
        max(known) - min(known) if known else 0.0,
        min(objectives, default=None),
        max(bounds, default=None),
        _median(run.record.wall_seconds for run in runs),
        _median(
            None
            if run.record.peak_bytes is None or run.record.baseline_bytes is None
            else run.record.peak_bytes - run.record.baseline_bytes
            for run in runs
        ),
        _median(run.record.peak_bytes for run in runs),
        _median(run.subproblems for run in runs),
        tuple(runs),
    )


def _outcome(run: Run, best: dict[Problem, Run]) -> str:
    if run.record.status in (TIMEOUT, MEMORY) and run.record.message:
        # Killed before fitting began: its time says nothing about fitting.
        return ERROR
    if run.has_rounded_price and run.record.status in ("ok", TIMEOUT, MEMORY):
        return ROUNDED
    if run.record.status != "ok":
        return run.record.status
    if is_refuted(run, best):
        return WRONG
    wall, limit = run.record.wall_seconds or 0.0, run.instance.limit
    if run.record.proven:
        return PROVEN if wall <= limit * TOLERATED_OVERRUN else TIMEOUT
    return TIMEOUT if wall >= limit * STOPPED_AT_LIMIT else UNPROVEN


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
