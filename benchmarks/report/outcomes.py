"""The result of a contender on an instance: its repeats in one, by medians."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks import results
from benchmarks.report.faults import best_trees, is_refuted
from benchmarks.results import REFERENCE_PEER, Contender, Instance, Problem, Record

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
ROUNDED = "rounded penalty"
# From good to bad: where repeats differ, the commonest counts, and of equally common ones the worst.
OUTCOMES = (PROVEN, UNPROVEN, ROUNDED, TIMEOUT, MEMORY, UNSUPPORTED, ERROR, WRONG)


class Result(NamedTuple):
    """The result of a contender on an instance."""

    outcome: str  # one of `OUTCOMES`
    seconds: float  # median of the user seconds; the limit where the outcome is a timeout
    spread: float  # longest minus shortest time of the repeats, in user seconds
    objective: float | None  # of the best tree of the repeats
    lower_bound: float | None  # the highest of the repeats
    wall_seconds: float  # this and the next three are medians
    growth_bytes: float | None  # what the fit added to the peak of the process
    peak_bytes: float | None
    subproblems: float | None

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

    def __init__(self, runs: Iterable[Record]) -> None:
        self.runs = list(runs)
        self.best: dict[Problem, Record] = best_trees(self.runs)
        self.instances = sorted({run.instance for run in self.runs}, key=lambda one: (one.problem.order, one.limit))
        self.contenders = sorted({run.contender for run in self.runs}, key=lambda one: one.order)
        self.reference = self.contenders[0] if self.contenders[0].peer == REFERENCE_PEER else None
        self.others = [contender for contender in self.contenders if contender.peer != REFERENCE_PEER]
        # Then instances are not as many problems.
        self.has_several_limits = len({one.problem for one in self.instances}) < len(self.instances)
        repeats: dict[tuple[Instance, Contender], list[Record]] = defaultdict(list)
        for run in self.runs:
            repeats[run.instance, run.contender].append(run)
        self._results = {key: _result(group, self.best) for key, group in repeats.items()}

    def best_objective(self, instance: Instance) -> float | None:
        """Return the objective of the best tree known, None if no tree is."""
        best = self.best.get(instance.problem)
        return best.objective if best else None

    def get(self, instance: Instance, contender: Contender) -> Result | None:
        """Return the result of a contender on an instance, None if it was not tried."""
        return self._results.get((instance, contender))

    def results_of(self, contender: Contender | None) -> dict[Instance, Result]:
        """Return the results of a contender, in the order of the instances."""
        if contender is None:
            return {}
        return {one: self._results[one, contender] for one in self.instances if (one, contender) in self._results}

    def pairs(self, contender: Contender, reference: Contender | None) -> list[tuple[Instance, Result, Result]]:
        """Return the instances that both tried, with the contender's result and the other's."""
        own = self.results_of(reference)
        return [(one, result, own[one]) for one, result in self.results_of(contender).items() if one in own]

    def label(self, contender: Contender) -> str:
        """Name a contender: the peer, and its setting where the suite has several of that peer.

        Where all are of one peer, the setting alone.
        """
        same = [one for one in self.contenders if one.peer == contender.peer]
        parts: list[str] = []
        if len({one.options for one in same}) > 1 and contender.options != "{}":
            parts += _words(json.loads(contender.options))
        if len({one.threads for one in same}) > 1:
            parts.append(f"{contender.threads} thread{'s' if contender.threads > 1 else ''}")
        if parts and len(same) == len(self.contenders):
            return ", ".join(parts)
        return f"{contender.peer} ({', '.join(parts)})" if parts else contender.peer


def read_runs(path: Path, suite: str) -> list[Record]:
    """Read the runs of a suite: of each contender on each instance those of the build that ran last.

    The build of hornbeam is its commit, that of others their version. Raise ValueError if there is no run.
    """
    runs = [record for record in results.read(path).values() if record.suite == suite]
    if not runs:
        raise ValueError(f"suite: {path.name} holds no run of {suite!r}; run the suite first.")
    last = {(run.instance, run.contender): run.build for run in runs}
    return [run for run in runs if run.build == last[run.instance, run.contender]]


def _words(options: dict[str, Any]) -> Iterator[str]:
    """Write options: what is switched off as "no name", other values as "name value"; groups are opened."""
    for name, value in options.items():
        if isinstance(value, dict):
            yield from _words(value)
        else:
            yield f"no {name}" if value is False else f"{name} {value}"


def _result(repeats: list[Record], best: dict[Problem, Record]) -> Result:
    groups: dict[str, list[Record]] = defaultdict(list)
    for run in repeats:
        groups[_outcome(run, best)].append(run)
    outcome = max(groups, key=lambda name: (len(groups[name]), OUTCOMES.index(name)))
    runs = groups[outcome]
    seconds = [run.limit if outcome == TIMEOUT else run.user_seconds for run in runs]
    sizes = [(run.peak_bytes, run.baseline_bytes) for run in runs]
    return Result(
        outcome,
        median(seconds),
        max(seconds) - min(seconds),
        min((run.objective for run in runs if run.objective is not None), default=None),
        max((run.lower_bound for run in runs if run.lower_bound is not None), default=None),
        median(run.wall_seconds for run in runs),
        _median(None if peak is None or baseline is None else peak - baseline for peak, baseline in sizes),
        _median(run.peak_bytes for run in runs),
        _median(run.subproblems for run in runs),
    )


def _outcome(run: Record, best: dict[Problem, Record]) -> str:
    if run.status in (TIMEOUT, MEMORY) and run.message:  # killed before fitting began: its time is not of fitting
        return ERROR
    if run.has_rounded_penalty and run.status in ("ok", TIMEOUT, MEMORY):
        return ROUNDED
    if run.status != "ok":
        return run.status
    if is_refuted(run, best):
        return WRONG
    if run.proven:
        return PROVEN if run.wall_seconds <= run.limit * TOLERATED_OVERRUN else TIMEOUT
    return TIMEOUT if run.wall_seconds >= run.limit * STOPPED_AT_LIMIT else UNPROVEN


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None
