"""Runs a suite: one process after another, the peers in turn, each run once unless it was short."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks import data, environments, process, results
from benchmarks.peers import PEERS
from benchmarks.report.faults import DISAGREE, find_faults
from benchmarks.report.outcomes import STOPPED_AT_LIMIT
from benchmarks.results import Record
from benchmarks.suites import Suite, Task

# Seconds for what is not measured: imports, compilation, change of format.
PREPARATION = 600.0
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")


def run_suite(
    suite: Suite, path: Path, *, minutes: float | None = None, memory: int = 8 << 30, again: bool = False
) -> bool:
    """Run what the file of results at `path` does not hold yet; return whether that was all of it.

    After so many `minutes` no run is started any more; a run with more bytes of resident `memory` is killed; `again`
    runs also what the file holds, and the new results count.
    """
    deadline = time.monotonic() + 60 * minutes if minutes is not None else None
    records = results.read(path)
    done = set() if again else set(records)
    for peer in suite.peers:
        if not environments.is_ready(peer):
            print(f"{peer} is skipped: run python -m benchmarks setup {peer}")
    peers = [peer for peer in suite.peers if environments.is_ready(peer)]
    shared = {**results.origin(), "versions": {peer: environments.version(peer) for peer in sorted(peers)}}
    missing: set[str] = set()
    for limit, row in product(suite.limits, suite.rows):
        forms = row.binarization.split("+")
        try:
            prepared = {form: data.prepare(row.dataset, form) for form in forms}
        except FileNotFoundError as error:
            if row.dataset not in missing:
                print(error)
            missing.add(row.dataset)
            continue
        runs = [
            (replace(task, binarization=forms[-PEERS[peer].only_binary]), peer)
            for task in replace(suite, limits=(limit,)).tasks(row, prepared[forms[0]].rows)
            for peer in peers
        ]
        if suite.ended_is_final:
            runs = [(task, peer) for task, peer in runs if not _is_known(task, peer, records.values())]
        first: dict[int, Record] = {}
        for repeat in range(suite.repeats):
            for number, (task, peer) in enumerate(runs):
                if repeat and (first[number].status != "ok" or first[number].wall_seconds >= suite.repeat_below):
                    continue
                key = results.identity({**asdict(task), "peer": peer, "repeat": repeat})
                if key not in done:
                    if deadline is not None and time.monotonic() > deadline:
                        print("the minutes are over; the same command goes on from here")
                        return False
                    table = prepared[task.binarization]
                    fields = run_once(task, peer, table, memory)
                    records.pop(key, None)  # the new one belongs to the end, after those of earlier runs
                    records[key] = _record(task, peer, repeat, table, {**shared, **fields})
                    done.add(key)
                    results.write(path, records.values())
                    print(_line(records[key]), flush=True)
                if not repeat:
                    first[number] = records[key]
        problems = {one.problem for one in first.values()}
        for fault in find_faults([one for one in records.values() if one.problem in problems]):
            if fault.kind == DISAGREE:
                print(f"ERROR: {fault.kind}: {fault.problem.name}: {fault.text}", file=sys.stderr)
    return True


def _is_known(task: Task, peer: str, records: Iterable[Record]) -> bool:
    """Return whether a run of this task with another limit ended by itself, in less than this one's."""
    setting = {**asdict(task), "peer": peer}
    del setting["limit"]
    return any(
        record.limit != task.limit
        and record.wall_seconds < min(task.limit, STOPPED_AT_LIMIT * record.limit)
        and all(getattr(record, name) == value for name, value in setting.items())
        for record in records
    )


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
    python = environments.python(peer)
    own = [os.environ.get("PYTHONPATH", "")] if str(python) == sys.executable else []  # where this hornbeam is
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / each for each in ("job", "result", "started", "output")]
        files[0].write_text(json.dumps(job))
        whole = process.run(
            [str(python), "-m", "benchmarks.worker", *map(str, files[:3])],
            preparation=PREPARATION,
            work=(1.5 if PEERS[peer].stops else 10) * task.limit + 10,
            memory=memory,
            started=files[2],
            output=files[3],
            directory=results.ROOT,
            # No library is to use more threads than it is given.
            environment={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(results.ROOT), *own]),
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
