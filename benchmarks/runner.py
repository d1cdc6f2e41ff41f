"""Runs a suite: one process after another, the peers in turn, each run once unless it was short."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import data, environments, process, results
from benchmarks.results import Record
from benchmarks.suites import Instance, Row, Suite

# Seconds for what is not measured: imports, compilation, change of format.
PREPARATION = 600.0
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True)
class Plan:
    """How much of a suite to run."""

    path: Path  # file of the results; what it holds is not run again
    rows: Sequence[Row]  # lines of the suite's table
    peers: Sequence[str]  # who runs
    limit: float | None = None  # seconds instead of those of the suite
    repeats: int | None = None  # how often a short run is made, instead of the suite's number
    minutes: float | None = None  # after so many minutes no run is started any more
    memory: int = 8 << 30  # bytes of resident memory above which a run is killed
    again: bool = False  # run also what the file holds; the new results count


def run_suite(suite: Suite, plan: Plan) -> bool:
    """Run what the plan asks for and the file of results does not hold yet."""
    deadline = time.monotonic() + 60 * plan.minutes if plan.minutes is not None else None
    records = results.read(plan.path)
    done = set() if plan.again else set(records)
    peers = _ready(plan.peers)
    shared = {**results.origin(), "versions": {peer: environments.version(peer) for peer in sorted(peers)}}
    missing: set[str] = set()
    for row in plan.rows:
        try:
            prepared = data.prepare(row.dataset, row.binarization)
        except FileNotFoundError as error:
            if row.dataset not in missing:
                print(error)
            missing.add(row.dataset)
            continue
        runs = [(one, peer) for one in suite.instances(row, prepared.rows, plan.limit) for peer in peers]
        first: dict[int, Record] = {}
        for repeat in range(suite.repeats if plan.repeats is None else plan.repeats):
            for number, (instance, peer) in enumerate(runs):
                if repeat > 0 and not _is_short(first[number], suite.repeat_below):
                    continue
                key = results.identity({**asdict(instance), "peer": peer, "repeat": repeat})
                if key not in done:
                    if deadline is not None and time.monotonic() > deadline:
                        print("the minutes are over; the same command goes on from here")
                        return False
                    fields = run_once(instance, peer, prepared, plan.memory)
                    records.pop(key, None)  # the new one belongs to the end, after those of earlier runs
                    records[key] = _record(instance, peer, repeat, prepared, {**shared, **fields})
                    done.add(key)
                    results.write(plan.path, records.values())
                    print(_line(records[key]), flush=True)
                if repeat == 0:
                    first[number] = records[key]
        problem = [one for one in records.values() if _same_problem(one, runs[0][0])] if runs else []
        if warning := results.disagreement(problem):
            print(f"ERROR: {warning}", file=sys.stderr)
    return True


def run_once(instance: Instance, peer: str, prepared: data.Prepared, memory: int) -> dict[str, Any]:
    """Solve an instance with a peer in a process of its own."""
    job = {
        "peer": peer,
        "data": str(prepared.path),
        "binary": prepared.binary,
        "regularization": instance.regularization,
        "max_depth": instance.max_depth,
        "time_limit": instance.limit,
        "threads": instance.threads,
        "options": instance.options,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        result = folder / "result.json"
        (folder / "job.json").write_text(json.dumps(job))
        finished = process.run(
            [str(environments.python(peer)), "-m", "benchmarks.worker", str(folder / "job.json"), str(result)],
            process.Limits(PREPARATION, 1.5 * instance.limit + 10, memory),
            started=folder / "result.json.started",
            output=folder / "output",
            directory=results.ROOT,
            environment=_environment(instance.threads),
        )
        whole = {
            "status": finished.status,
            "user_seconds": finished.user_seconds,
            "wall_seconds": finished.wall_seconds,
            "peak_bytes": finished.peak_bytes,
        }
        if finished.status == "ok":
            return {**whole, **json.loads(result.read_text())}
        printed = (folder / "output").read_text(errors="replace").strip().splitlines()
        prepared_in_time = (folder / "result.json.started").exists()
    if finished.status == "error":
        return {**whole, "message": f"exit code {finished.exit_code}: {printed[-1] if printed else 'nothing printed'}"}
    return {**whole, "message": "" if prepared_in_time else "before fitting began"}


def _record(instance: Instance, peer: str, repeat: int, prepared: data.Prepared, fields: dict[str, Any]) -> Record:
    """Combine the problem and what a run returned; a claim that agrees with the tree is left out."""
    subproblems = fields.pop("extra", {}).get("subproblems")
    objective, claimed = fields.get("objective"), fields.get("claimed_objective")
    if claimed is not None and objective is not None and abs(claimed - objective) <= results.TOLERANCE:
        fields["claimed_objective"] = None
    return Record(
        **asdict(instance),
        peer=peer,
        repeat=repeat,
        rows=prepared.rows,
        columns=prepared.columns,
        subproblems=subproblems,
        **fields,
    )


def _ready(peers: Sequence[str]) -> list[str]:
    """Return the peers that have their environment, and say which have not."""
    for peer in peers:
        if not environments.is_ready(peer):
            print(f"{peer} is skipped: run python -m benchmarks setup {peer}")
    return [peer for peer in peers if environments.is_ready(peer)]


def _environment(threads: int) -> dict[str, str]:
    """Return the environment of a worker, in which no library takes more threads than it is given."""
    return {**os.environ, "PYTHONPATH": str(results.ROOT), **dict.fromkeys(THREAD_VARIABLES, str(threads))}


def _is_short(record: Record, seconds: float) -> bool:
    return record.status == "ok" and record.wall_seconds < seconds


def _same_problem(record: Record, instance: Instance) -> bool:
    names = ("dataset", "binarization", "regularization", "max_depth")
    return all(getattr(record, name) == getattr(instance, name) for name in names)


def _line(record: Record) -> str:
    """Return what a run came to, in a line."""
    depth = "any" if record.max_depth is None else record.max_depth
    problem = f"{record.dataset} {record.binarization} regularization {record.regularization:g} depth {depth}"
    options = "".join(f" {name}={value}" for name, value in record.options.items())
    who = f"{record.peer} threads {record.threads}{options} repeat {record.repeat}"
    objective = "" if record.objective is None else f" objective {record.objective:.6f}{' proven' * record.proven}"
    return f"{problem}: {who}: {record.status}{objective} {record.wall_seconds:.3f} s {record.message}".rstrip()
