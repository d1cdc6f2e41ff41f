"""The record of one run, kept as a line of JSON."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Two runs that agree in these are the same run.
IDENTITY = (
    "suite",
    "dataset",
    "binarization",
    "regularization",
    "max_depth",
    "limit",
    "threads",
    "options",
    "peer",
    "repeat",
)


@dataclass(frozen=True, kw_only=True)
class Record:
    """One run of one peer.

    Parameters
    ----------
    suite, dataset, binarization, regularization, max_depth, limit, threads, options
        See `benchmarks.suites.Instance`.
    rows, columns, classes : int
        Size of the data as the peer got it.
    peer, peer_version : str
        Who ran.
    repeat : int
        0 for the first run of the instance, 1 for the second ...
    status : {"ok", "timeout", "memory", "error", "unsupported"}
        "timeout" and "memory": the run was killed. "unsupported": the peer cannot solve such a problem.
    message : str
        Why the status is not "ok".
    proven : bool
        Whether the peer says that its tree is optimal.
    lower_bound, claimed_objective : float or None
        The peer's word on share of errors + regularization * leaves.
    objective : float or None
        The same of the tree it returned, counted here from the rows.
    leaves, depth : int or None
        Of that tree.
    user_seconds, wall_seconds : float
        User CPU and wall clock of fitting alone; of the whole process if it was killed.
    baseline_bytes : int or None
        Resident memory just before fitting.
    peak_bytes : int or None
        Largest resident memory during fitting; of the whole process if it was killed.
    extra : dict
        Numbers that the peer tells of its search.
    trace : list of [seconds, objective, lower_bound]
        The course of its search, where it tells.
    machine : dict
        See `describe_machine`.
    commit : str
        See `describe_commit`.
    time : str
        When the run ended, UTC.
    """

    suite: str
    dataset: str
    binarization: str
    rows: int
    columns: int
    classes: int
    regularization: float
    max_depth: int | None
    limit: float
    peer: str
    peer_version: str
    threads: int
    options: Mapping[str, Any]
    repeat: int
    status: str
    message: str = ""
    proven: bool = False
    lower_bound: float | None = None
    claimed_objective: float | None = None
    objective: float | None = None
    leaves: int | None = None
    depth: int | None = None
    user_seconds: float
    wall_seconds: float
    baseline_bytes: int | None = None
    peak_bytes: int | None = None
    extra: Mapping[str, float]
    trace: list[list[float]]
    machine: Mapping[str, Any]
    commit: str
    time: str


def identity(run: Mapping[str, Any]) -> str:
    """Return what tells a run from all others.

    Parameters
    ----------
    run : dict
        The fields of a record, or at least those of `IDENTITY`.

    Returns
    -------
    str
    """
    return json.dumps([run[name] for name in IDENTITY], sort_keys=True)


def read(path: Path) -> dict[str, Record]:
    """Return the records of a file by their identity; of the same run the last one counts.

    Parameters
    ----------
    path : Path
        A file of JSON lines; it need not exist.

    Returns
    -------
    dict from str to Record
    """
    if not path.exists():
        return {}
    records = (Record(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())
    return {identity(vars(record)): record for record in records}


def append(path: Path, record: Record) -> None:
    """Add a record to a file, which is made if need be.

    Parameters
    ----------
    path : Path
        A file of JSON lines.
    record : Record
        What to add.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(record)) + "\n")


def disagreement(records: Iterable[Record]) -> str:
    """Return what two proofs about the same problem say, if they differ.

    Parameters
    ----------
    records : iterable of Record
        Runs of the same data, regularization and depth.

    Returns
    -------
    str
        Empty if all proofs agree to 1e-9.
    """
    proofs = [(record.objective, record) for record in records if record.proven and record.objective is not None]
    if not proofs:
        return ""
    (least, better), (most, worse) = min(proofs, key=_objective), max(proofs, key=_objective)
    if most - least <= 1e-9:
        return ""
    return (
        f"two proofs disagree on {worse.dataset} ({worse.binarization}), regularization {worse.regularization:g}, "
        f"depth {worse.max_depth}: {better.peer} proves {least:.9g}, {worse.peer} proves {most:.9g}"
    )


def _objective(proof: tuple[float, Record]) -> float:
    return proof[0]


def describe_machine() -> dict[str, Any]:
    """Return the processor, the cores and bytes of memory of this machine, its system and its Python.

    Returns
    -------
    dict
    """
    names = [line.partition(": ")[2] for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    return {
        "processor": names[0] if names else platform.machine(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def describe_commit() -> str:
    """Return the commit of the repository, with a "+" if tracked files other than results have changed since.

    Returns
    -------
    str
    """
    head = _git("rev-parse", "HEAD")
    changes = _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!benchmarks/results")
    return head + ("+" if changes else "")


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
