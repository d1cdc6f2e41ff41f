"""Solves one problem with one peer: ``python -m benchmarks.worker JOB.json RESULT.json``.

Runs in the environment of the peer, so it imports nothing but the standard library, NumPy and the peer. Only `fit` is
measured. The file RESULT.json.started is made when it begins.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import peers
from benchmarks.peers import Outcome, Problem, Unsupported
from benchmarks.trees import score

# The kernel parts the time of a process between user and system by ticks of several milliseconds. Of shorter times the
# part is chance; they are those of user and system together, which is exact.
SHORT_SECONDS = 0.1


def main(job_path: Path, result_path: Path) -> None:
    """Solve the problem of a job, see `runner.run_once`, and write the fields of a record that the run decides."""
    job = json.loads(job_path.read_text())
    result_path.write_text(json.dumps(solve(job, Path(f"{result_path}.started"))))


def solve(job: dict[str, Any], started: Path) -> dict[str, Any]:
    """Solve the problem of a job."""
    peer = importlib.import_module(f"benchmarks.peers.{job['peer']}")
    X, y = _load(job["data"])
    settings = {name: value for name, value in job.items() if name not in ("peer", "data")}
    try:
        state = peer.prepare(Problem(X=X, y=y, **settings))
    except Unsupported as reason:
        return {"status": "unsupported", "message": str(reason)}
    # Forget the peak of the preparation, so that the peak afterwards is that of fitting.
    Path("/proc/self/clear_refs").write_text("5")
    baseline = peak_bytes()
    started.touch()
    user_seconds, begin = stopwatch(), perf_counter()
    getattr(peer, "fit", peers.fit)(state)
    measured = {
        "user_seconds": user_seconds(),
        "wall_seconds": perf_counter() - begin,
        "baseline_bytes": baseline,
        "peak_bytes": peak_bytes(),
    }
    return {"status": "ok", **measured, **_told(peer.read(state), job)}


def _told(outcome: Outcome, job: dict[str, Any]) -> dict[str, Any]:
    """Return what the peer tells and what its tree is worth on data read anew, in case the peer changed its own."""
    told: dict[str, Any] = {
        name: getattr(outcome, name) for name in ("proven", "lower_bound", "claimed_objective", "trace", "extra")
    }
    if outcome.tree is not None:
        worth = score(outcome.tree, *_load(job["data"]), job["regularization"])
        told |= {"objective": worth.objective, "leaves": worth.leaves, "depth": worth.depth}
    return told


def _load(path: str) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    with np.load(path) as archive:
        return archive["X"], archive["y"]


def stopwatch() -> Callable[[], float]:
    """Return a function that says how many user CPU seconds this process has taken since."""

    def clocks() -> tuple[float, float]:
        return resource.getrusage(resource.RUSAGE_SELF).ru_utime, process_time()

    user_begin, begin = clocks()

    def seconds() -> float:
        user, processor = clocks()
        return user - user_begin if processor - begin > SHORT_SECONDS else processor - begin

    return seconds


def peak_bytes() -> int:
    """Return the largest resident memory of this process; getrusage would count that of the process it came from."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
