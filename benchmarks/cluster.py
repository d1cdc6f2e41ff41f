"""The search on a cluster: measured on the cores at hand, and simulated for more workers than there are cores.

``python -m benchmarks cluster`` solves each problem on one core, then on real clusters of Dask (two processes, and one
process with two threads), then on simulated ones, adds a line for each to ``benchmarks/results/cluster.jsonl``, and
writes ``cluster.md`` from all lines.

Jobs of one process find in its table what its other jobs have proven; those of several get it as news, with their next
jobs. The work that a cluster repeats is seen best in the number of subproblems that it searches: unlike seconds of the
processor, it hardly depends on what else the machine does.

In the simulation, the coordinator and the jobs are the real ones: each simulated worker has its own table, and its jobs
run in this process, one after the other. Only the clock is simulated: a job lasts as long as it took the processor,
plus a latency, and workers die at random times, with what they have proven; new ones take their places. ``--stretch k``
counts every second of the processor as k: what a search that takes k times as long would do.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from benchmarks import results
from hornbeam import _core
from hornbeam.cluster import OrderedProblem, PackedProblem, pool_on, search, solve_on_cluster
from hornbeam.cluster.news import NewsBoard
from hornbeam.cluster.worker import Job, Report, SharedProblem

LATENCY = 0.01  # seconds from the end of a job to the start of the next on the same worker


class Noise(NamedTuple):
    """Random flags with random labels, on which nothing but search helps."""

    n_rows: int
    n_columns: int
    leaf_cost: int
    max_depth: int | None

    def problem(self) -> SharedProblem:
        """Return it as the workers get it."""
        rng = np.random.default_rng(0)
        table = rng.integers(0, 2, (self.n_rows, self.n_columns), dtype=np.uint8)
        labels = rng.integers(0, 2, self.n_rows).astype(np.int32)
        packed = np.ascontiguousarray(np.packbits(table.T, axis=1, bitorder="little"))
        return PackedProblem(_arguments(labels, self.leaf_cost), _options(self.max_depth), packed, self.n_rows)


class Numbers(NamedTuple):
    """Random numbers, of which two decide on the label of three rows in four: for the ordered search."""

    n_rows: int
    n_columns: int
    leaf_cost: int
    max_depth: int | None

    def problem(self) -> SharedProblem:
        """Return it as the workers get it: each number is a bin of its own."""
        rng = np.random.default_rng(0)
        order = rng.random((self.n_columns, self.n_rows)).argsort(axis=1)
        bins = order.argsort(axis=1).astype(np.uint32)
        is_true = (bins[0] < self.n_rows // 2) ^ (bins[1] < self.n_rows // 3)
        labels = np.where(rng.random(self.n_rows) < 0.5, is_true, rng.integers(0, 2, self.n_rows)).astype(np.int32)
        n_thresholds = np.full(self.n_columns, self.n_rows - 1, dtype=np.uint32)
        return OrderedProblem(_arguments(labels, self.leaf_cost), _options(self.max_depth), bins, n_thresholds)


def _arguments(labels: Any, leaf_cost: int) -> tuple[Any, ...]:
    costs = np.array([[0, 1], [1, 0]], dtype=np.int64)
    return labels, np.ones(len(labels), dtype=np.int64), costs, leaf_cost, None, None


def _options(max_depth: int | None) -> dict[str, Any]:
    limits: dict[str, Any] = {"max_depth": max_depth, "max_leaves": None, "min_samples_leaf": 1, "rule_list": False}
    return {**limits, "memory_limit": None, "bounds": {}}


PROBLEMS: dict[str, Noise | Numbers] = {
    "small row sets": Noise(300, 60, 1, 5),
    "large row sets": Noise(5000, 60, 12, 5),
    "small row sets, long": Noise(300, 110, 1, 5),
    "large row sets, long": Noise(5000, 110, 12, 5),
    "numbers": Numbers(2000, 8, 10, 4),
    "numbers, long": Numbers(4000, 8, 20, 4),
}


class SimulatedPool:
    """Workers in this process, with a clock of their own.

    Parameters
    ----------
    problem : SharedProblem
    n_workers : int
    latency : float
        Seconds of the simulated clock, between two jobs of a worker.
    failures : float
        How often a worker dies on average in an hour of the simulated clock.
    """

    def __init__(self, problem: SharedProblem, n_workers: int, latency: float, failures: float) -> None:
        self.seconds = self.busy_seconds = self._wall_seconds = self._cpu_seconds = 0.0
        self.durations: list[float] = []
        self._problem = problem
        self._latency, self._failures = latency, failures / 3600
        self._workers = [replace(self._problem) for _ in range(n_workers)]
        self._free = list(range(n_workers))
        self._events: list[tuple[float, int, int, Job, Report | None]] = []
        self._news = NewsBoard()
        self._count, self._random = count(), random.Random(0)

    def n_idle(self) -> int:
        """Return how many workers have no job."""
        return len(self._free)

    def submit(self, job: Job) -> None:
        """Run a job now; its report comes when the simulated clock has reached its end."""
        number = self._free.pop()
        # The clock of a job goes on while other programs have the processor.
        slowdown = self._wall_seconds / self._cpu_seconds if self._cpu_seconds else 1.0
        sent = job._replace(seconds=job.seconds * slowdown)
        report: Report | None = self._workers[number].run(sent, self._news.for_job(number, job))
        assert report is not None
        self._wall_seconds += report.seconds
        self._cpu_seconds += report.cpu_seconds
        lasts = report.cpu_seconds
        if self._random.random() < lasts * self._failures:
            lasts, report = lasts * self._random.random(), None
            self._workers[number] = replace(self._problem)
        self.busy_seconds += lasts
        self.durations.append(lasts)
        heapq.heappush(self._events, (self.seconds + lasts + self._latency, next(self._count), number, job, report))

    def drop(self, job: Job) -> None:
        """Let it end: every worker here answers."""

    def wait(self, seconds: float) -> list[tuple[Job, Report | None]]:
        """Move the clock to the next end of a job."""
        if not self._events:
            self.seconds += seconds
            return []
        self.seconds, _, number, job, report = heapq.heappop(self._events)
        self._free.append(number)
        if report is not None:
            self._news.add(number, report.news)
        return [(job, report)]


def alone(problem: SharedProblem) -> dict[str, Any]:
    """Return the seconds of the processor that one core takes, and the optimum."""
    begin = process_time()
    outcome = _solve(problem, _core.SearchOptions(max_depth=problem.options["max_depth"]))
    found = {"upper": outcome["upper"], "lower": outcome["lower"], "subproblems": outcome["statistics"]["subproblems"]}
    return {"seconds": process_time() - begin, **found}


def simulated(
    problem: SharedProblem, n_workers: int, *, stretch: float = 1.0, failures: float = 0.0, latency: float = LATENCY
) -> dict[str, Any]:
    """Return the seconds that a cluster would take, of the clock of a search that takes `stretch` times as long."""
    depth = problem.options["max_depth"]
    first = _solve(problem, _core.SearchOptions(max_depth=depth, time_limit=search._SECONDS_ALONE / stretch))
    graph = search.graph_of(problem, _core.SearchOptions(max_depth=depth), first)
    pool = SimulatedPool(problem, n_workers, latency / stretch, failures * stretch)
    with _shorter_jobs(stretch):
        run = search.ClusterSearch(graph, _core.SearchOptions(max_depth=depth), lambda: pool.seconds)
        run.run(pool, None)
    return {
        "seconds": stretch * (pool.seconds + first["statistics"]["seconds"]),
        "busy_seconds": stretch * pool.busy_seconds,
        "upper": graph.root.cost,
        "lower": graph.root.lower,
        "jobs": run.n_jobs,
        "lost_jobs": run.n_lost,
        "subproblems": first["statistics"]["subproblems"] + run.n_subproblems,
        "opened": graph.n_opened,
        "median_seconds_of_job": stretch * float(np.median(pool.durations)) if pool.durations else 0.0,
    }


def measured(problem: SharedProblem, n_processes: int, n_threads: int) -> dict[str, Any]:
    """Return the seconds that a cluster of Dask takes on this machine."""
    import distributed

    how: dict[str, Any] = {
        "n_workers": n_processes,
        "threads_per_worker": n_threads,
        "processes": True,
        "dashboard_address": None,
    }
    make: Any = distributed
    with make.LocalCluster(**how) as cluster, make.Client(cluster) as client:
        client.run(_import)
        begin = perf_counter()
        options = _core.SearchOptions(max_depth=problem.options["max_depth"])
        outcome = solve_on_cluster(pool_on(client), problem, options)
        seconds = perf_counter() - begin
    statistics = outcome["statistics"]
    found = {name: outcome[name] for name in ("upper", "lower")}
    found |= {name: statistics.get(name, 0) for name in ("jobs", "lost_jobs", "subproblems")}
    return {"seconds": seconds, **found}


def _import() -> str:
    import hornbeam.cluster.dask_pool

    return hornbeam.cluster.dask_pool.__name__


def _solve(problem: SharedProblem, options: _core.SearchOptions) -> _core.Outcome:
    outcome: _core.Outcome = _core.solve(problem.for_core(), _core.Problem(*problem.arguments), options)
    return outcome


@contextmanager
def _shorter_jobs(stretch: float) -> Iterator[None]:
    """Let jobs end sooner by this factor, which the simulated clock then counts as their normal time."""
    before = search._LEAST_SECONDS, search._MOST_SECONDS, search._PATIENCE
    search._LEAST_SECONDS, search._MOST_SECONDS, search._PATIENCE = (each / stretch for each in before)
    try:
        yield
    finally:
        search._LEAST_SECONDS, search._MOST_SECONDS, search._PATIENCE = before


def run(
    path: Path, names: Sequence[str], workers: Sequence[int], stretch: float, failures: float, *, is_real: bool
) -> None:
    """Measure problems, put a line for each run into a file, and write the report next to it."""
    lines, shared = results.load(path), results.origin()
    for name in names:
        problem = PROBLEMS[name].problem()
        one = alone(problem)
        runs: list[tuple[str, int, partial[dict[str, Any]]]] = [
            (_simulated(stretch, failures), n, partial(simulated, problem, n, stretch=stretch, failures=failures))
            for n in workers
        ]
        if is_real:
            runs += [("2 processes", 2, partial(measured, problem, 2, 1))]
            runs += [("1 process of 2 threads", 2, partial(measured, problem, 1, 2))]
        for cluster, n, measure in runs:
            found = measure()
            if (found["upper"], found["lower"]) != (one["upper"], one["lower"]):
                raise AssertionError(f"{name}, {cluster}, {n} workers: {found}, not {one}")
            seconds_of_one = one["seconds"] * (stretch if cluster.startswith("simulated") else 1.0)
            line = {"problem": name, "cluster": cluster, "workers": n, "seconds_of_one": seconds_of_one, **found}
            line["subproblems_of_one"] = one["subproblems"]
            line["efficiency"] = seconds_of_one / (n * found["seconds"])
            lines = [each for each in lines if _what(each) != _what(line)] + [{**shared, **line}]
            results.store(path, lines)
            print(f"{name}: {cluster}, {n} workers, efficiency {line['efficiency']:.2f}", flush=True)
    path.with_suffix(".md").write_text(report(lines))


def _what(line: dict[str, Any]) -> tuple[Any, ...]:
    return line["problem"], line["cluster"], line["workers"]


def _simulated(stretch: float, failures: float) -> str:
    parts = ["simulated", f"stretched {stretch:g} times" if stretch != 1 else "", f"{failures:g} deaths an hour"]
    return ", ".join(part for part in parts[: 3 if failures else 2] if part)


def report(lines: Sequence[dict[str, Any]]) -> str:
    """Return the table of all runs."""
    machine = lines[-1]["machine"]
    text = [
        "# Search on a cluster",
        "",
        "Written by `python -m benchmarks cluster`. Efficiency: seconds of one core, over workers times seconds of the "
        "cluster. Busy: seconds in which workers were busy, over seconds of one core. Searched: subproblems over those "
        "of one core; above 1, something is proven more than once.",
        "",
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}; commits "
        f"{', '.join(sorted({line['commit'] for line in lines}))}; {max(line['date'] for line in lines)}.",
        "",
        "| problem | cluster | workers | one core | time | efficiency | busy | searched | jobs | lost | median job |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for line in lines:
        work = f"{line['busy_seconds'] / line['seconds_of_one']:.2f}" if "busy_seconds" in line else ""
        median = f"{line['median_seconds_of_job']:.2f} s" if "median_seconds_of_job" in line else ""
        text.append(
            f"| {line['problem']} | {line['cluster']} | {line['workers']:,} | {line['seconds_of_one']:,.1f} s "
            f"| {line['seconds']:,.1f} s | {line['efficiency']:.2f} | {work} "
            f"| {line['subproblems'] / line['subproblems_of_one']:.2f} | {line['jobs']:,} "
            f"| {line['lost_jobs']:,} | {median} |"
        )
    return "\n".join([*text, ""])
