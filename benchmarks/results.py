"""Records of runs, kept as lines of JSON. A line with the machine and the commit precedes the records of its run."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timezone
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.peers import PEERS, is_whole

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1e-9  # objectives that differ by more are different
REFERENCE_PEER = "hornbeam"

# What all records of a run share; written once, in the line before them.
ORIGIN = ("suite", "machine", "commit", "date", "versions")
# Two records that agree in these are of the same run of the same peer.
IDENTITY = (
    *("suite", "dataset", "binarization", "regularization", "max_depth", "limit", "threads", "options"),
    *("peer", "repeat"),
)


class Problem(NamedTuple):
    """What has one optimum: data, regularization and limits of the tree. Every peer that proves must prove the same."""

    dataset: str
    binarization: str
    rows: int
    columns: int
    regularization: float
    max_depth: int | None
    max_leaves: int | None = None

    @property
    def name(self) -> str:
        """The problem in a line of text."""
        size = f"({self.rows} x {self.columns})"
        return f"{self.dataset} / {self.binarization} {size}, λ {self.regularization:g}, {self.depth}" + (
            f", {self.max_leaves} leaves" if self.max_leaves else ""
        )

    @property
    def depth(self) -> str:
        """The limit of depth in words."""
        return "any depth" if self.max_depth is None else f"depth {self.max_depth}"

    @property
    def order(self) -> tuple[Any, ...]:
        """What problems are sorted by."""
        return (
            *self[:4],
            -self.regularization,
            inf if self.max_depth is None else self.max_depth,
            self.max_leaves or inf,
        )


class Instance(NamedTuple):
    """A problem and the seconds of wall time that each peer had for it."""

    problem: Problem
    limit: float


class Contender(NamedTuple):
    """A peer in one setting; `options` is JSON with sorted keys."""

    peer: str
    options: str
    threads: int

    @property
    def order(self) -> tuple[bool, str, int, str, int]:
        """What contenders are sorted by: hornbeam first, and of one peer the plainest setting first."""
        return (self.peer != REFERENCE_PEER, self.peer, len(self.options), self.options, self.threads)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run of one peer. The first fields are those of `benchmarks.suites.Task`."""

    suite: str
    dataset: str
    binarization: str
    rows: int  # of the data as the peer got it
    columns: int
    regularization: float
    max_depth: int | None = None
    limit: float
    threads: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    peer: str
    repeat: int = 0  # 0 for the first run of the task, 1 for the second ...
    status: str = "ok"  # or "timeout" or "memory" (it was killed), "error", "unsupported"
    message: str = ""  # why the status is not "ok"
    proven: bool = False  # whether the peer claims that its tree is optimal
    lower_bound: float | None = None  # the peer's, on share of errors + regularization * leaves
    claimed_objective: float | None = None  # the peer's, if it is not that of its tree
    objective: float | None = None  # of the tree, counted from the rows
    leaves: int | None = None
    depth: int | None = None
    test_error: float | None = None  # share of the rows that were held out, if there are any
    user_seconds: float  # CPU of fitting; of the whole process if it was killed
    wall_seconds: float
    baseline_bytes: int | None = None  # resident just before fitting
    peak_bytes: int | None = None  # largest during fitting; of the whole process if it was killed
    subproblems: float | None = None  # that the peer opened, if it reports it
    trace: Sequence[Sequence[float | None]] = ()  # seconds, objective, lower bound over time, if the peer reports it
    machine: Mapping[str, Any]
    commit: str
    date: str
    versions: Mapping[str, str]  # of the peers of the run

    @cached_property
    def instance(self) -> Instance:
        """What was to be solved, and the limit."""
        return Instance(Problem(*(getattr(self, name) for name in Problem._fields)), self.limit)

    @property
    def problem(self) -> Problem:
        """What was to be solved."""
        return self.instance.problem

    @cached_property
    def contender(self) -> Contender:
        """Who was to solve it."""
        return Contender(self.peer, json.dumps(self.options, sort_keys=True), self.threads)

    @property
    def max_leaves(self) -> int | None:
        """The largest number of leaves, if it is limited."""
        return self.options.get("max_leaves")

    @property
    def build(self) -> str:
        """What was run: of hornbeam the commit, of another peer its version."""
        return self.commit if self.peer.startswith(REFERENCE_PEER) else self.versions[self.peer]

    @property
    def has_rounded_penalty(self) -> bool:
        """Whether the peer solved another problem, in which the leaf penalty is rounded to whole rows."""
        return PEERS[self.peer].rounds_penalty and not is_whole(self.regularization, self.rows)

    @property
    def is_too_deep(self) -> bool:
        """Whether the tree is deeper than allowed."""
        return self.depth is not None and self.max_depth is not None and self.depth > self.max_depth


_DEFAULTS: dict[str, Any] = {**{one.name: one.default for one in fields(Record)}, "options": {}}


def origin() -> dict[str, Any]:
    """Return what all records of a run share: the machine, the commit, and the date at which it began, in UTC."""
    date = datetime.now(timezone.utc).date().isoformat()
    return {"machine": describe_machine(), "commit": describe_commit(), "date": date}


def load(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, each with machine and commit of its run; none if there is no file."""
    records: list[dict[str, Any]] = []
    shared: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        found = json.loads(line)
        if "machine" in found:
            shared = found
        else:
            records.append({**shared, **found})
    return records


def store(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write the records of a file anew; a kill in between leaves the old file."""
    shared: dict[str, Any] = {}
    lines = []
    for record in records:
        own = {name: record[name] for name in ORIGIN if name in record}
        if own != shared:
            shared = own
            lines.append(own)
        lines.append({name: value for name, value in record.items() if name not in ORIGIN})
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    unfinished.rename(path)


def identity(run: Mapping[str, Any]) -> str:
    """Return what distinguishes a run from all others: its fields `IDENTITY` in one string."""
    return json.dumps([run[name] for name in IDENTITY], sort_keys=True)


def read(path: Path) -> dict[str, Record]:
    """Return the records of a suite's file by their identity, in the order in which they were made."""
    return {identity(vars(record)): record for record in (Record(**one) for one in load(path))}


def write(path: Path, records: Iterable[Record]) -> None:
    """Write the records of a suite's file anew, without the fields that have their default values."""
    store(
        path,
        (
            {name: value for name, value in asdict(one).items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
            for one in records
        ),
    )


def describe_machine() -> dict[str, Any]:
    """Return the processor, the cores and bytes of memory of this machine, its system and its Python."""
    names = [line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    return {
        "processor": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def describe_commit() -> str:
    """Return the commit of the repository, with a "+" if tracked files other than results have changed since."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    changes = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks/results")
    return git("rev-parse", "HEAD") + ("+" if changes else "")
