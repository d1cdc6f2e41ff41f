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
from benchmarks.report.faults import DISAGREE, find_faults
from benchmarks.results import Record
from benchmarks.suites import Row, Suite, Task

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
    """Run what the plan contains and the file of results does not hold yet."""
    deadline = time.monotonic() + 60 * plan.minutes if plan.minutes is not None else None
    records = results.read(plan.path)
    done = set() if plan.again else set(records)
    for peer in plan.peers:
        if not environments.is_ready(peer):
            print(f"{peer} is skipped: run python -m benchmarks setup {peer}")
    peers = [peer for peer in plan.peers if environments.is_ready(peer)]
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
        runs = [(task, peer) for task in suite.tasks(row, prepared.rows, plan.limit) for peer in peers]
        first: dict[int, Record] = {}
        for repeat in range(suite.repeats if plan.repeats is None else plan.repeats):
            for number, (task, peer) in enumerate(runs):
                if repeat and (first[number].status != "ok" or first[number].wall_seconds >= suite.repeat_below):
                    continue
                key = results.identity({**asdict(task), "peer": peer, "repeat": repeat})
                if key not in done:
                    if deadline is not None and time.monotonic() > deadline:
                        print("the minutes are over; the same command goes on from here")
                        return False
                    fields = run_once(task, peer, prepared, plan.memory)
                    records.pop(key, None)  # the new one belongs to the end, after those of earlier runs
                    records[key] = _record(task, peer, repeat, prepared, {**shared, **fields})
                    done.add(key)
                    results.write(plan.path, records.values())
                    print(_line(records[key]), flush=True)
                if not repeat:
                    first[number] = records[key]
        problems = {one.problem for one in first.values()}
        for fault in find_faults([one for one in records.values() if one.problem in problems]):
            if fault.kind == DISAGREE:
                print(f"ERROR: {fault.kind}: {fault.problem.name}: {fault.text}", file=sys.stderr)
    return True


def run_once(task: Task, peer: str, prepared: data.Prepared, memory: int) -> dict[str, Any]:
    """Solve a task with a peer in a process of its own."""
    job = {
        "peer": peer,
        "data": str(prepared.path),
        "binary": prepared.binary,
        "regularization": task.regularization,
        "max_depth": task.max_depth,
        "time_limit": task.limit,
        "threads": task.threads,
        "options": task.options,
    }
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / each for each in ("job", "result", "started", "output")]
        files[0].write_text(json.dumps(job))
        whole = process.run(
            [str(environments.python(peer)), "-m", "benchmarks.worker", *map(str, files[:3])],
            preparation=PREPARATION,
            work=1.5 * task.limit + 10,
            memory=memory,
            started=files[2],
            output=files[3],
            directory=results.ROOT,
            # No library is to use more threads than it is given.
            environment={
                **os.environ,
                "PYTHONPATH": str(results.ROOT),
                **dict.fromkeys(THREAD_VARIABLES, str(task.threads)),
            },
        )
        exit_code = whole.pop("exit_code")
        if whole["status"] == "ok":
            return {**whole, **json.loads(files[1].read_text())}
        if whole["status"] == "error":
            printed = files[3].read_text(errors="replace").strip().splitlines() or ["nothing printed"]
            return {**whole, "message": f"exit code {exit_code}: {printed[-1]}"}
        return {**whole, "message": "" if files[2].exists() else "before fitting began"}


def _record(task: Task, peer: str, repeat: int, prepared: data.Prepared, fields: dict[str, Any]) -> Record:
    """Combine the problem and what a run returned; a claim that agrees with the tree is left out."""
    fields["subproblems"] = fields.pop("extra", {}).get("subproblems")
    objective, claimed = fields.get("objective"), fields.get("claimed_objective")
    if claimed is not None and objective is not None and abs(claimed - objective) <= results.TOLERANCE:
        fields["claimed_objective"] = None
    fields |= {"rows": prepared.rows, "columns": prepared.columns}
    return Record(**asdict(task), peer=peer, repeat=repeat, **fields)


def _line(record: Record) -> str:
    """Return what a run came to, in a line."""
    options = "".join(f" {name}={value}" for name, value in record.options.items())
    who = f"{record.peer} threads {record.threads}{options} repeat {record.repeat}"
    objective = "" if record.objective is None else f" objective {record.objective:.6f}{' proven' * record.proven}"
    what = f"{record.status}{objective} {record.wall_seconds:.3f} s {record.message}"
    return f"{record.problem.name}: {who}: {what}".rstrip()
