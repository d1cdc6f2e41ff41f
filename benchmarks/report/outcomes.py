"""The results of a suite: a line for each contender on each instance, its repeats in one, by medians."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas

from benchmarks import results
from benchmarks.report.faults import best_trees, is_refuted
from benchmarks.results import REFERENCE_PEER, Contender, Problem, Record

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


class Outcomes:
    """The results of a suite.

    Attributes
    ----------
    runs : list of Record
        All runs.
    instances, contenders, labels : list
        The problems with their limits; who solved them, hornbeam first if it ran; their names in the report.
    results : DataFrame
        A line for each contender on each instance that it tried, with their numbers in the lists above: outcome; times
        and memory (medians); spread of the times; objective and bound (the best); the best objective known of anybody.
    """

    def __init__(self, runs: Iterable[Record]) -> None:
        self.runs = list(runs)
        self.instances = sorted({run.instance for run in self.runs}, key=lambda one: (one.problem.order, one.limit))
        self.contenders = sorted({run.contender for run in self.runs}, key=lambda one: one.order)
        self.labels = [self.label(contender) for contender in self.contenders]
        self.has_reference = self.contenders[0].peer == REFERENCE_PEER
        self.others = [number for number, one in enumerate(self.contenders) if one.peer != REFERENCE_PEER]
        # Then instances are not as many problems.
        self.has_several_limits = len({one.problem for one in self.instances}) < len(self.instances)
        self.results = self._results()

    def _results(self) -> pandas.DataFrame:
        best = best_trees(self.runs)
        table = _merge_repeats(
            pandas.DataFrame(
                {
                    "contender": self.contenders.index(run.contender),
                    "instance": self.instances.index(run.instance),
                    **_figures(run, _outcome(run, best)),
                }
                for run in self.runs
            )
        )
        objective = table["objective"]
        return table.assign(
            label=[self.labels[number] for number in table["contender"]],
            problem=[self.instances[number].problem for number in table["instance"]],
            limit=[self.instances[number].limit for number in table["instance"]],
            best=lambda of: [best[one].objective if one in best else np.nan for one in of["problem"]],
            is_best_proven=lambda of: [one in best and best[one].proven for one in of["problem"]],
            is_proven=table["outcome"] == PROVEN,  # the optimum, within the limit, and no better tree is known
            gap=(objective - table["lower_bound"]).clip(lower=0.0) / objective.where(objective != 0, 1.0),
        )

    def pairs(self, contender: int, reference: int) -> pandas.DataFrame:
        """Return the results of a contender on the instances that both tried, with the other's as columns `_own`.

        The column "both" tells whether both prove.
        """
        one, other = (self.results[self.results["contender"] == number] for number in (contender, reference))
        pairs = one.merge(other, on="instance", suffixes=("", "_own"))
        return pairs.assign(both=pairs["is_proven"] & pairs["is_proven_own"])

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


def _figures(run: Record, outcome: str) -> dict[str, Any]:
    names = ("wall_seconds", "objective", "lower_bound", "baseline_bytes", "peak_bytes", "subproblems")
    seconds = run.limit if outcome == TIMEOUT else run.user_seconds
    return {"outcome": outcome, "seconds": seconds, **{name: getattr(run, name) for name in names}}


def _merge_repeats(runs: pandas.DataFrame) -> pandas.DataFrame:
    """Return a line for each contender and instance, of the repeats with the outcome that counts."""
    keys = ["contender", "instance"]
    figures = runs.columns.drop([*keys, "outcome"])
    often = runs.groupby([*keys, "outcome"])["outcome"].transform("size")
    runs["weight"] = len(OUTCOMES) * often + runs["outcome"].map(OUTCOMES.index)
    runs = runs[runs["weight"] == runs.groupby(keys)["weight"].transform("max")].astype(dict.fromkeys(figures, float))
    of = runs.assign(growth_bytes=runs["peak_bytes"] - runs["baseline_bytes"]).groupby(keys)
    medians = of[["seconds", "wall_seconds", "growth_bytes", "peak_bytes", "subproblems"]].median()
    return medians.assign(
        outcome=of["outcome"].first(),
        spread=of["seconds"].max() - of["seconds"].min(),
        objective=of["objective"].min(),
        lower_bound=of["lower_bound"].max(),
    ).reset_index()


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
