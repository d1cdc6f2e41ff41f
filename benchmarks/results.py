"""Records of runs, kept as lines of JSON. A line with the machine and the commit precedes the records of its run."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1e-9  # objectives that differ by more are different

# What all records of a run share; written once, in the line before them.
ORIGIN = ("suite", "machine", "commit", "date", "versions")
# Two records that agree in these are of the same run of the same peer.
IDENTITY = (
    *("suite", "dataset", "binarization", "regularization", "max_depth", "limit", "threads", "options"),
    *("peer", "repeat"),
)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run of one peer. The first fields are those of `benchmarks.suites.Instance`."""

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
    repeat: int = 0  # 0 for the first run of the instance, 1 for the second ...
    status: str = "ok"  # or "timeout" or "memory" (it was killed), "error", "unsupported"
    message: str = ""  # why the status is not "ok"
    proven: bool = False  # whether the peer claims that its tree is optimal
    lower_bound: float | None = None  # the peer's, on share of errors + regularization * leaves
    claimed_objective: float | None = None  # the peer's, if it is not that of its tree
    objective: float | None = None  # of the tree, counted from the rows
    leaves: int | None = None
    depth: int | None = None
    user_seconds: float  # CPU of fitting; of the whole process if it was killed
    wall_seconds: float
    baseline_bytes: int | None = None  # resident just before fitting
    peak_bytes: int | None = None  # largest during fitting; of the whole process if it was killed
    subproblems: float | None = None  # that the peer opened, if it tells
    trace: Sequence[Sequence[float | None]] = ()  # seconds, objective and lower bound over time, if the peer tells
    machine: Mapping[str, Any]
    commit: str
    date: str
    versions: Mapping[str, str]  # of the peers of the run

    @property
    def peer_version(self) -> str:
        """Version of the peer."""
        return self.versions[self.peer]


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


def disagreement(records: Iterable[Record]) -> str:
    """Return how two proofs about the same problem contradict each other; empty if they do not."""
    proven = [record for record in records if record.proven]
    proofs = [(one.objective, number, one) for number, one in enumerate(proven) if one.objective is not None]
    if not proofs:
        return ""
    (least, _, better), (most, _, worse) = min(proofs), max(proofs)
    if most - least <= TOLERANCE:
        return ""
    return (
        f"two proofs disagree on {worse.dataset} ({worse.binarization}), regularization {worse.regularization:g}, "
        f"depth {worse.max_depth}: {better.peer} proves {least:.9g}, {worse.peer} proves {most:.9g}"
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
    head = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks/results")
    return head + ("+" if changes else "")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
