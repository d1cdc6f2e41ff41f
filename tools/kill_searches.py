"""Kill searches at random moments and resume them from their checkpoints: `python tools/kill_searches.py 500`.

Every kill is a SIGKILL of a forked process. After each, the file must be whole, its lower bound must not have fallen,
and the next run must begin with it. In the end, the search must prove the optimum that it proves when left alone.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hornbeam import _core


@dataclass
class Search:
    """A problem and its search; calls to `solve` with options run it."""

    name: str
    columns: Any
    problem: Any
    options: _core.SearchOptions

    def solve(self, **options: Any) -> Any:
        """Run the search; with the trace."""
        return _core.solve(self.columns, self.problem, self.options.replace(**options), trace=True)


def searches(draw: random.Random) -> list[Search]:
    """Return a search of each kind, with one and two threads and with little memory, on random rows."""
    numbers = np.random.default_rng(draw.randrange(2**32))
    costs = np.array([[0, 2], [2, 0]], dtype=np.int64)
    made = []

    def problem(n_rows: int, leaf_cost: int) -> Any:
        codes = numbers.integers(0, 2, n_rows).astype(np.int32)
        return _core.Problem(codes, np.ones(n_rows, dtype=np.int64), costs, leaf_cost, None)

    columns: Any
    for n_threads, memory in ((1, None), (2, None), (1, 3_000_000)):
        matrix = numbers.integers(0, 2, (20, 240)).astype(np.uint8)
        columns = _core.PackedColumns(np.packbits(matrix, axis=1, bitorder="little"), 240)
        options = _core.SearchOptions(n_threads=n_threads, memory_limit=memory)
        made.append(Search(f"binary, {n_threads} threads, {memory} bytes", columns, problem(240, 3), options))
    for n_threads, depth, n_rows in ((1, 3, 2000), (2, 3, 2000), (1, 4, 240), (2, 4, 240)):
        bins = numbers.integers(0, n_rows // 2, (4, n_rows)).astype(np.uint32)
        columns = _core.OrderedColumns(bins, np.full(4, n_rows // 2 - 1, dtype=np.uint32))
        options = _core.SearchOptions(n_threads=n_threads, max_depth=depth)
        made.append(Search(f"ordered, {n_threads} threads, depth {depth}", columns, problem(n_rows, 2), options))
    return made


def killed_after(search: Search, path: Path, seconds: float) -> bool:
    """Run the search in another process and kill it; return whether it was still at work."""
    child = os.fork()
    if child == 0:
        search.solve(checkpoint=str(path), checkpoint_interval=0.002)
        os._exit(0)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def check(search: Search, n_kills: int, draw: random.Random, directory: Path) -> tuple[int, int, float, float]:
    """Kill a search until it has ended or was killed so often; return kills, resumes, and both times of the search."""
    begin = time.perf_counter()
    alone = search.solve()
    seconds = time.perf_counter() - begin
    assert alone["status"] == "optimal", search.name
    path = directory / "run.hbt"
    n_killed = n_resumed = 0
    lower = 0
    resumed_seconds = 0.0
    while n_killed < n_kills:
        was_killed = killed_after(search, path, draw.uniform(0, min(0.3, seconds / 2)))
        n_killed += was_killed
        if path.exists():
            n_resumed += 1
            saved = search.solve(checkpoint=str(path), checkpoint_interval=1e9, time_limit=0.0)
            assert saved["lower"] >= lower, f"{search.name}: the bound fell from {lower} to {saved['lower']}"
            assert saved["lower"] <= alone["upper"], f"{search.name}: the bound {saved['lower']} is too high"
            lower = saved["lower"]
        if not was_killed or n_killed % 12 == 0:
            begin = time.perf_counter()
            last = search.solve(checkpoint=str(path))
            resumed_seconds = max(resumed_seconds, time.perf_counter() - begin)
            found = last["status"], last["lower"], last["upper"]
            assert found == ("optimal", alone["upper"], alone["upper"]), f"{search.name}: {found}, {alone['upper']}"
            again = search.solve(checkpoint=str(path))
            assert again["lower"] == again["upper"] == alone["upper"], search.name
            path.unlink()
            lower = 0
    return n_killed, n_resumed, seconds, resumed_seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    made = searches(draw)
    total = 0
    for search in made:
        with tempfile.TemporaryDirectory() as directory:
            found = check(search, -(-given.kills // len(made)), draw, Path(directory))
        total += found[0]
        print("{}: {} kills, {} files read, {:.2f} s alone, at most {:.2f} s after a kill".format(search.name, *found))
        sys.stdout.flush()
    print(f"{total} kills")


if __name__ == "__main__":
    main()
