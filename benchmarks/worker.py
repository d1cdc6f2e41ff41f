"""Solves one problem with one peer: ``python -m benchmarks.worker JOB RESULT STARTED``.

Runs in the environment of the peer, so it imports nothing but the standard library, NumPy and the peer. Only `fit` is
measured. The file STARTED is made when it begins.
"""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers import PEERS, Problem, Unsupported
from benchmarks.trees import score

# The kernel splits the time of a process between user and system by ticks of several milliseconds. For shorter times
# the split is chance; they are those of user and system together, which is exact.
SHORT_SECONDS = 0.1


def solve(job: dict[str, Any], started: Path) -> dict[str, Any]:
    """Solve the problem of a job, see `runner.run_once`; return the fields of a record that the run decides."""
    data, peer = job.pop("data"), PEERS[job.pop("peer")]
    X, y, *_ = _load(data)
    try:
        fit, read = peer.prepare(Problem(X=X, y=y, **job))
    except Unsupported as reason:
        return {"status": "unsupported", "message": str(reason)}
    baseline = reset_peak()
    started.touch()
    user_seconds, begin = stopwatch(), perf_counter()
    fit()
    measured = {"user_seconds": user_seconds(), "wall_seconds": perf_counter() - begin}
    measured |= {"baseline_bytes": baseline, "peak_bytes": peak_bytes()}
    reported = vars(read())
    predict, leaves = reported.pop("predict"), reported.pop("leaves")
    X, y, *test = _load(data)  # again, in case the peer changed its own
    if tree := reported.pop("tree"):
        worth = vars(score(tree, X, y, job["regularization"]))
        reported |= {name: worth[name] for name in ("objective", "leaves", "depth")}
        if test:
            reported["test_error"] = score(tree, test[0], test[1], 0.0).objective
    elif predict:
        reported |= {"leaves": leaves, "objective": float(np.mean(predict(X) != y))}
        reported["test_error"] = float(np.mean(predict(test[0]) != test[1]))
    return {"status": "ok", **measured, **reported}


def _load(path: str) -> list[npt.NDArray[Any]]:
    """Return columns and classes of a table, and those of the test rows if it has them."""
    with np.load(path) as archive:
        return [archive[name] for name in ("X", "y", "X_test", "y_test") if name in archive]


def stopwatch() -> Callable[[], float]:
    """Return a function that returns how many user CPU seconds this process has used since."""

    def clocks() -> tuple[float, float]:
        return resource.getrusage(resource.RUSAGE_SELF).ru_utime, process_time()

    user_begin, begin = clocks()

    def seconds() -> float:
        user, processor = clocks()
        return user - user_begin if processor - begin > SHORT_SECONDS else processor - begin

    return seconds


def measured(fit: Callable[[], Any]) -> dict[str, float]:
    """Call `fit`; return its seconds of user CPU and of wall clock, and by how many bytes it raised the peak."""
    baseline = reset_peak()
    user_seconds, begin = stopwatch(), perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a tree that is not proven is part of the answer
        fit()
    seconds = {"user_seconds": user_seconds(), "wall_seconds": perf_counter() - begin}
    return {**seconds, "bytes": peak_bytes() - baseline}


def reset_peak() -> int:
    """Forget the peak of the memory so far, so that the peak afterwards is that of fitting; return what is resident."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_bytes()


def peak_bytes() -> int:
    """Return the largest resident memory of this process; getrusage would count that of the process it came from."""
    status = Path("/proc/self/status").read_text()
    return 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:"))


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(solve(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[3]))))
