"""One process under limits of time and memory. Linux only: memory is read from ``/proc``."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.05


@dataclass(frozen=True)
class Limits:
    """What a process may spend."""

    preparation: float  # seconds of wall clock before the work starts
    work: float  # seconds of wall clock from then on
    memory: int  # bytes of resident memory


@dataclass(frozen=True)
class Finished:
    """How a process ended and what it spent, from its first to its last instruction."""

    status: str  # "ok"; "error": it failed; "timeout" or "memory": it was killed
    exit_code: int  # negative for a signal
    user_seconds: float  # CPU of all its threads
    wall_seconds: float
    peak_bytes: int  # largest resident memory that was seen


def run(
    command: Sequence[str],
    limits: Limits,
    *,
    started: Path,
    output: Path,
    directory: Path,
    environment: Mapping[str, str],
) -> Finished:
    """Run a command until it ends or exceeds a limit; then kill it with all its children.

    The process makes the file `started` when its preparation is over; `output` gets all that it prints.
    """
    begin = time.perf_counter()
    deadline, working, peak, stopped = begin + limits.preparation, False, 0, ""
    with (
        output.open("wb") as printed,
        subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            while True:
                pid, wait_status, usage = os.wait4(process.pid, os.WNOHANG)
                now = time.perf_counter()
                if pid:
                    break
                if not working and started.exists():
                    working, deadline = True, now + limits.work
                resident = _resident_bytes(process.pid)
                peak = max(peak, resident)
                if not stopped and (now > deadline or resident > limits.memory):
                    stopped = "timeout" if now > deadline else "memory"
                    os.killpg(process.pid, signal.SIGKILL)
                time.sleep(INTERVAL)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        # What the process was is known from wait4; tell the object that would wait for it once more.
        process.returncode = os.waitstatus_to_exitcode(wait_status)
    status = stopped or ("error" if process.returncode else "ok")
    return Finished(status, process.returncode, usage.ru_utime, now - begin, peak)


def _resident_bytes(pid: int) -> int:
    """Return the resident memory of a process that has not been waited for."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
