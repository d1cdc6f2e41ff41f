"""Kill searches at random moments and resume them from their checkpoints: `python tools/kill_searches.py 500`.

Every kill is a SIGKILL of a forked process. After each, the file must be whole, its lower bound must not have fallen,
and the next run must begin with it. In the end, the search must prove the optimum that it proves when left alone.

`--lost 0.5` measures instead what kills cost: searches that save every half second are killed again and again, and the
subproblems of all their runs are compared with those of the search left alone.
"""

from __future__ import annotations

import argparse
import mmap
import os
import random
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hornbeam import GOSDTClassifier, _core

COSTS = np.array([[0, 2], [2, 0]], dtype=np.int64)


@dataclass
class Search:
    """A problem and its search; calls to `solve` with options run it."""

    name: str
    run: Callable[..., Any]
    columns: Any
    problem: Any
    options: _core.SearchOptions

    def solve(self, callback: Any = None, **options: Any) -> Any:
        """Run the search; with the trace."""
        given = self.options.replace(**options)
        return self.run(self.columns, self.problem, given, callback=callback, callback_interval=0.0, trace=True)


class Maker:
    """Makes searches on random rows; `size` scales how long they take."""

    def __init__(self, draw: random.Random) -> None:
        self._numbers = np.random.default_rng(draw.randrange(2**32))

    def _problem(self, n_rows: int, leaf_cost: int) -> Any:
        codes = self._numbers.integers(0, 2, n_rows).astype(np.int32)
        return _core.Problem(codes, np.ones(n_rows, dtype=np.int64), COSTS, leaf_cost, None)

    def _packed(self, n_columns: int, n_rows: int) -> Any:
        matrix = self._numbers.integers(0, 2, (n_columns, n_rows)).astype(np.uint8)
        return _core.PackedColumns(np.packbits(matrix, axis=1, bitorder="little"), n_rows)

    def binary(self, n_columns: int, n_threads: int, memory: int | None) -> Search:
        options = _core.SearchOptions(n_threads=n_threads, memory_limit=memory)
        name = f"binary, {n_threads} threads, {memory} bytes"
        return Search(name, _core.solve, self._packed(n_columns, 240), self._problem(240, 3), options)

    def ordered(self, n_rows: int, depth: int, n_threads: int) -> Search:
        bins = self._numbers.integers(0, n_rows // 2, (4, n_rows)).astype(np.uint32)
        columns = _core.OrderedColumns(bins, np.full(4, n_rows // 2 - 1, dtype=np.uint32))
        options = _core.SearchOptions(n_threads=n_threads, max_depth=depth)
        name = f"ordered, {n_threads} threads, depth {depth}"
        return Search(name, _core.solve, columns, self._problem(n_rows, 2), options)

    def posterior(self, n_columns: int, n_rows: int) -> Search:
        matrix = self._numbers.integers(0, 2, (n_columns, n_rows)).astype(np.uint8)
        columns = _core.PackedColumns(np.packbits(matrix, axis=1, bitorder="little"), n_rows)
        is_noise = self._numbers.random(n_rows) < 0.4
        codes = np.where(is_noise, self._numbers.integers(0, 2, n_rows), matrix[0] ^ (matrix[1] & matrix[2]))
        ones = np.ones(n_rows, dtype=np.int64)
        problem = _core.PosteriorProblem(codes.astype(np.int32), ones, 0.95, 0.5, np.array([2.5, 2.5]), 40)
        return Search("MAPTree", _core.solve_posterior, columns, problem, _core.SearchOptions())


def searches(draw: random.Random) -> list[Search]:
    """Return a search of each kind, with one and two threads and with little memory."""
    make = Maker(draw)
    return [
        *(make.binary(20, n_threads, memory) for n_threads, memory in ((1, None), (2, None), (1, 3_000_000))),
        *(make.ordered(n, depth, n_threads) for n, depth in ((2000, 3), (240, 4)) for n_threads in (1, 2)),
        make.posterior(20, 400),
    ]


def killed_after(work: Callable[[], Any], seconds: float) -> bool:
    """Work in another process and kill it; return whether it was still at work."""
    child = os.fork()
    if child == 0:
        work()
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
        was_killed = killed_after(
            lambda: search.solve(checkpoint=str(path), checkpoint_interval=0.002),
            draw.uniform(0, min(0.3, seconds / 2)),
        )
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


def check_frontiers(n_kills: int, draw: random.Random, directory: Path) -> tuple[int, int]:
    """Kill frontiers until they have ended; return kills, and how many frontiers were finished after them."""
    n_killed = n_finished = 0
    while n_killed < n_kills:
        numbers = np.random.default_rng(draw.randrange(2**32))
        is_ordered = draw.random() < 0.5
        n_rows = 150
        X = numbers.random((n_rows, 3)) if is_ordered else numbers.integers(0, 2, (n_rows, 12))
        y = (X[:, 0] > 0.5) ^ (numbers.random(n_rows) < 0.3)
        model = GOSDTClassifier(0.02, max_depth=3 if is_ordered else None, time_limit=None)
        begin = time.perf_counter()
        alone = model.frontier(X, y)
        seconds = time.perf_counter() - begin
        folder = directory / f"frontier-{n_finished}"
        saving = GOSDTClassifier(**model.get_params() | {"checkpoint": folder, "checkpoint_interval": 0.002})
        files: set[Path] = set()
        for _ in range(12):
            was_killed = killed_after(partial(saving.frontier, X, y), draw.uniform(0, seconds / 2))
            n_killed += was_killed
            left = set(folder.glob("*.hbt"))
            assert left >= files, f"frontier: {files - left} are gone"
            files = left
            if not was_killed:
                break
        found = saving.frontier(X, y)
        proven = found.status, found.losses.tolist()
        assert proven == ("optimal", alone.losses.tolist()), f"frontier: {proven}, {alone.losses}"
        n_finished += 1
    return n_killed, n_finished


class Watch:
    """What a search does in another process: subproblems and seconds of the run, now and when its file was last new."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = self._time_of_file()
        self._shared = mmap.mmap(-1, 32)
        self._saved = (0, 0.0)

    def __call__(self, record: Any) -> bool:
        if (file := self._time_of_file()) != self._file:
            self._file, self._saved = file, (record[3], record[0])
        self._shared[:] = struct.pack("qdqd", record[3], record[0], *self._saved)
        return False

    def read(self) -> tuple[int, float, int, float]:
        """Return subproblems and seconds of the run, and those of its last save."""
        return struct.unpack("qdqd", self._shared[:])

    def _time_of_file(self) -> int:
        return self._path.stat().st_mtime_ns if self._path.exists() else 0


def lost(search: Search, interval: float, n_kills: int, draw: random.Random, directory: Path) -> None:
    """Print what kills cost: what was done since the last save, and what the runs that went on did again."""
    n_alone = search.solve()["statistics"]["subproblems"]
    path = directory / "run.hbt"
    n_all = n_killed = n_lost = 0
    most_lost = 0.0
    while n_killed < n_kills:
        watch = Watch(path)
        save = partial(search.solve, watch, checkpoint=str(path), checkpoint_interval=interval)
        if not killed_after(save, interval * draw.uniform(1, 4)):
            break
        n_now, now, n_saved, saved = watch.read()
        n_killed += 1
        n_all += n_now
        n_lost += n_now - n_saved
        most_lost = max(most_lost, now - saved)
    n_all += search.solve(checkpoint=str(path))["statistics"]["subproblems"]
    print(
        f"{search.name}: {n_killed} kills, {n_alone:,} subproblems alone, {n_all - n_alone:,} more in all runs "
        f"({n_all / n_alone:.3f}), {n_lost:,} of them since the last save, at most {most_lost / interval:.2f} "
        f"intervals of {interval:g} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lost", type=float, metavar="INTERVAL")
    given = parser.parse_args()
    draw = random.Random(given.seed)
    if given.lost is not None:
        make = Maker(draw)
        for search in (make.binary(60, 1, None), make.ordered(20000, 3, 1), make.posterior(40, 600)):
            with tempfile.TemporaryDirectory() as directory:
                lost(search, given.lost, given.kills, draw, Path(directory))
        return
    made = searches(draw)
    share = -(-given.kills // (len(made) + 1))
    total = 0
    for search in made:
        with tempfile.TemporaryDirectory() as directory:
            found = check(search, share, draw, Path(directory))
        total += found[0]
        print("{}: {} kills, {} files read, {:.2f} s alone, at most {:.2f} s after a kill".format(search.name, *found))
        sys.stdout.flush()
    with tempfile.TemporaryDirectory() as directory:
        n_killed, n_finished = check_frontiers(share, draw, Path(directory))
    print(f"frontiers: {n_killed} kills, {n_finished} frontiers finished after them")
    print(f"{total + n_killed} kills")


if __name__ == "__main__":
    main()
