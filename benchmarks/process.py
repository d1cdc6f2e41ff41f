"""One process under limits of time and memory. Linux only: memory is read from ``/proc``."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

INTERVAL = 0.05


def run(
    command: Sequence[str],
    *,
    preparation: float,
    work: float,
    memory: int,
    started: Path,
    output: Path,
    directory: Path,
    environment: Mapping[str, str],
) -> dict[str, Any]:
    """Run a command until it ends or exceeds a limit; then kill it with all its children.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    preparation, work : float
        Seconds of wall clock until the process makes the file `started`, and from then on.
    memory : int
        Bytes of resident memory.
    started, output, directory : Path
        The file that ends the preparation, the file of all that is printed, the working directory.
    environment : mapping
        Environment variables.

    Returns
    -------
    dict
        "status": "ok", "error" if it failed, "timeout" or "memory" if it was killed; "exit_code", negative for a
        signal; "user_seconds" of all its threads, "wall_seconds", and "peak_bytes", the largest resident memory seen.
    """
    begin = time.perf_counter()
    deadline, working, peak, stopped = begin + preparation, False, 0, ""
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT, "start_new_session": True}
    with (
        output.open("wb") as printed,
        subprocess.Popen(command, cwd=directory, env=environment, stdout=printed, **streams) as process,
    ):
        try:
            while True:
                pid, wait_status, usage = os.wait4(process.pid, os.WNOHANG)
                now = time.perf_counter()
                if pid:
                    break
                if not working and started.exists():
                    working, deadline = True, now + work
                resident = _resident_bytes(process.pid)
                peak = max(peak, resident)
                if not stopped and (now > deadline or resident > memory):
                    stopped = "timeout" if now > deadline else "memory"
                    os.killpg(process.pid, signal.SIGKILL)
                time.sleep(INTERVAL)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        # wait4 has returned how the process ended; the object would otherwise wait for it again.
        process.returncode = os.waitstatus_to_exitcode(wait_status)
    return {
        "status": stopped or ("error" if process.returncode else "ok"),
        "exit_code": process.returncode,
        "user_seconds": usage.ru_utime,
        "wall_seconds": now - begin,
        "peak_bytes": peak,
    }


def _resident_bytes(pid: int) -> int:
    """Return the resident memory of a process that has not been waited for."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
