"""The runs of a results file, each as it was recorded; of runs that were made again only the latest."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from benchmarks import results
from benchmarks.peers import ROUND_THE_PRICE, is_whole_price
from benchmarks.results import Record

REFERENCE_PEER = "hornbeam"


@dataclass(frozen=True, slots=True)
class Problem:
    """What has one optimum: data, regularization and limit of depth. Every peer that proves must prove the same."""

    dataset: str
    binarization: str
    rows: int
    columns: int
    regularization: float
    max_depth: int | None

    @property
    def name(self) -> str:
        """The problem in a line of text."""
        size = f"({self.rows} x {self.columns})"
        return f"{self.dataset} / {self.binarization} {size}, λ {self.regularization:g}, {self.depth}"

    @property
    def depth(self) -> str:
        """The limit of depth in words."""
        return "any depth" if self.max_depth is None else f"depth {self.max_depth}"

    @property
    def order(self) -> tuple[str, str, int, int, float, float]:
        """What problems are sorted by."""
        depth = float("inf") if self.max_depth is None else self.max_depth
        return (self.dataset, self.binarization, self.rows, self.columns, -self.regularization, depth)


@dataclass(frozen=True, slots=True)
class Instance:
    """A problem and the seconds of wall time that each peer had for it."""

    problem: Problem
    limit: float

    @property
    def name(self) -> str:
        """The instance in a line of text; the limit is said elsewhere."""
        return self.problem.name


@dataclass(frozen=True, slots=True)
class Contender:
    """A peer in one setting; `options` is JSON with sorted keys."""

    peer: str
    options: str
    threads: int

    @property
    def order(self) -> tuple[bool, str, int, str, int]:
        """What contenders are sorted by: hornbeam first, and of one peer the plainest setting first."""
        return (self.peer != REFERENCE_PEER, self.peer, len(self.options), self.options, self.threads)


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its record, and what was to be solved by whom."""

    record: Record
    instance: Instance
    contender: Contender

    @property
    def problem(self) -> Problem:
        """What was to be solved."""
        return self.instance.problem

    @property
    def build(self) -> str:
        """What was run: of hornbeam the commit, of another peer its version."""
        is_ours = self.contender.peer.startswith(REFERENCE_PEER)
        return self.record.commit if is_ours else self.record.peer_version

    @property
    def has_rounded_price(self) -> bool:
        """Whether the peer solved another problem, in which the price of a leaf is rounded to whole rows."""
        problem = self.problem
        return self.contender.peer in ROUND_THE_PRICE and not is_whole_price(problem.regularization, problem.rows)

    @property
    def subproblems(self) -> float | None:
        """How many subproblems the peer says it opened."""
        return self.record.subproblems


def read_runs(path: Path, suite: str) -> list[Run]:
    """Read the runs of a suite: of each contender on each instance those of the build that ran last.

    The build of hornbeam is its commit, that of others their version. Raise ValueError if there is no run.
    """
    runs = [run_of(record) for record in results.read(path).values() if record.suite == suite]
    if not runs:
        raise ValueError(f"suite: {path.name} holds no run of {suite!r}; run the suite first.")
    last: dict[tuple[Instance, Contender], Run] = {}
    for run in runs:
        last[run.instance, run.contender] = run
    return [run for run in runs if run.build == last[run.instance, run.contender].build]


def run_of(record: Record) -> Run:
    """Say what was to be solved in a run, and by whom."""
    problem = Problem(
        record.dataset,
        record.binarization,
        record.rows,
        record.columns,
        record.regularization,
        record.max_depth,
    )
    contender = Contender(record.peer, json.dumps(record.options, sort_keys=True), record.threads)
    return Run(record, Instance(problem, record.limit), contender)
