"""The search on a cluster, from the first tree to the outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import partial
from time import perf_counter
from typing import Any, Protocol, TypeAlias

import numpy as np

from hornbeam import _core
from hornbeam.cluster.graph import SearchGraph
from hornbeam.cluster.ordered_graph import OrderedGraph
from hornbeam.cluster.worker import Job, OrderedProblem, Report, SharedProblem

Listener: TypeAlias = "Callable[[_core.Progress], bool]"

# What this process searches by itself first: small problems are solved by then, and others have a good tree.
_SECONDS_ALONE = 0.25
# Of a job: a share of the time so far, so that there are few jobs, and whoever waits for the end of one waits little.
_LEAST_SECONDS, _MOST_SECONDS, _SHARE_OF_TIME = 0.5, 10.0, 1 / 20
_SECONDS_BETWEEN_POLLS = 0.05
# Seconds beyond twice the time of a job, until workers that would be idle repeat it.
_PATIENCE = 2.0
# Jobs that were lost in a row, with no other that has ended, until the search gives up: each was tried several times.
_MOST_LOST = 10


class LostError(Exception):
    """The cluster is gone."""


class Pool(Protocol):
    """Workers that run jobs."""

    def n_idle(self) -> int:
        """Return how many more jobs could run now."""

    def submit(self, job: Job) -> None:
        """Run a job."""

    def drop(self, job: Job) -> None:
        """Wait no longer for a job that is overdue."""

    def wait(self, seconds: float) -> list[tuple[Job, Report | None]]:
        """Return the jobs that have ended since; None for those whose work was lost."""


class ClusterSearch:
    """One search on a pool of workers.

    Parameters
    ----------
    graph : SearchGraph
    options : SearchOptions
        `time_limit`, `gap_limit`, `cutoff` and `known_lower` count.
    clock : callable
        Seconds since the search began.
    """

    def __init__(self, graph: SearchGraph, options: _core.SearchOptions, clock: Callable[[], float]) -> None:
        self._graph, self._options, self._clock = graph, options, clock
        self.status = "optimal"
        self.error = ""
        self.n_subproblems = self.most_bytes = self.n_jobs = self.n_lost = 0
        self.counters: dict[str, int] = {}
        self.trace: list[_core.Progress] = []
        self._bytes_of_worker: dict[int, int] = {}
        self._n_lost_in_a_row = 0
        self._running: dict[int, tuple[Job, float]] = {}  # and when they were submitted

    def run(self, pool: Pool, callback: Listener | None) -> None:
        """Search until the proof, or until a limit; `status` then tells why it ended."""
        try:
            while not self._is_over(callback):
                self._submit(pool)
                for job, report in pool.wait(_SECONDS_BETWEEN_POLLS):
                    self._note(job, report)
        except LostError as error:
            self.status, self.error = "cluster_lost", str(error)
        except MemoryError:
            self.status = "memory_limit"

    def lower(self) -> int:
        """Return the bound on all trees: the proven one, or what the user knows if no tree refutes it."""
        root, known = self._graph.root, self._options.known_lower
        return max(root.lower, known) if known is not None and known <= root.cost else root.lower

    def _submit(self, pool: Pool) -> None:
        n_idle = pool.n_idle()
        jobs = self._graph.next_jobs(n_idle, self._seconds_of_job())
        # A job that is overdue may hold the last worker, so this does not wait for one that is idle.
        if not jobs and self._put_overdue_back(pool):
            jobs = self._graph.next_jobs(pool.n_idle(), self._seconds_of_job())
        for job in jobs:
            self._running[job.number] = job, self._clock()
            pool.submit(job)

    def _put_overdue_back(self, pool: Pool) -> bool:
        """Let others repeat the jobs of workers that do not answer; their late reports are not used."""
        now = self._clock()
        overdue = [job for job, begin in self._running.values() if now - begin > 2 * job.seconds + _PATIENCE]
        for job in overdue:
            del self._running[job.number]
            pool.drop(job)
            self._graph.put_back(job)
        self.n_lost += len(overdue)
        return bool(overdue)

    def _seconds_of_job(self) -> float:
        seconds = min(_MOST_SECONDS, max(_LEAST_SECONDS, _SHARE_OF_TIME * self._clock()))
        limit = self._options.time_limit
        return seconds if limit is None else max(0.0, min(seconds, limit - self._clock()))

    def _note(self, job: Job, report: Report | None) -> None:
        if self._running.pop(job.number, None) is None:
            return
        if report is None:
            self._graph.put_back(job)
            self.n_lost += 1
            self._n_lost_in_a_row += 1
            if self._n_lost_in_a_row == _MOST_LOST:
                raise LostError(f"{_MOST_LOST} jobs in a row were lost with their workers")
            return
        self._n_lost_in_a_row = 0
        self.n_jobs += 1
        outcome = report.outcome
        self.n_subproblems += outcome["subproblems"]
        self._bytes_of_worker[report.worker] = outcome["bytes"]
        self.most_bytes = max(self.most_bytes, sum(self._bytes_of_worker.values()))
        for name, n in outcome["counters"].items():
            self.counters[name] = self.counters.get(name, 0) + n
        if not self._graph.report(job, report):
            raise MemoryError

    def _is_over(self, callback: Listener | None) -> bool:
        root, options = self._graph.root, self._options
        lower = self.lower()
        n_leaves = (len(root.tree[0]) + 1) // 2 if root.tree is not None else 1
        record = self._clock(), root.cost, lower, self.n_subproblems, self.most_bytes, n_leaves
        if not self.trace or self.trace[-1][1:3] != record[1:3]:
            self.trace.append(record)
        if callback is not None and callback(record):
            self.status = "interrupted"
        if root.lower >= root.cost:
            self.status = "optimal"
        elif self._graph.is_finished():
            self.status = "cutoff"
        elif lower >= root.cost:
            self.status = "known_bound"
        elif root.cost - lower <= options.gap_limit * root.cost:
            self.status = "gap_limit"
        elif options.time_limit is not None and record[0] >= options.time_limit:
            self.status = "time_limit"
        elif self.status != "interrupted":
            return False
        return True


def solve_on_cluster(
    make_pool: Callable[[SharedProblem], AbstractContextManager[Pool]],
    problem: SharedProblem,
    options: _core.SearchOptions,
    start: Any = None,
    callback: Listener | None = None,
    trace: bool = False,
    **_: Any,
) -> _core.Outcome:
    """Find a tree of least cost.

    Parameters
    ----------
    make_pool : callable
        Makes the pool of workers that know the problem, a context that ends their jobs.
    problem : SharedProblem
    options : SearchOptions
    start : StartArrays or None, default=None
        The tree to start from.
    callback, trace
        As of `_core.solve`.

    Returns
    -------
    Outcome
        As of `_core.solve` on one thread: the same objective and, unless the search was stopped, the same bound. The
        status "cluster_lost" tells that the workers were lost; then ``statistics["cluster_error"]`` says why.
    """
    begin = perf_counter()
    of_core = _core.Problem(*problem.arguments)
    alone = _SECONDS_ALONE if options.time_limit is None else min(_SECONDS_ALONE, options.time_limit)
    solve = partial(_core.solve, problem.for_core(), of_core)
    first = solve(options.replace(time_limit=alone), start=start, callback=callback, trace=True)
    is_out_of_time = options.time_limit is not None and perf_counter() - begin >= options.time_limit
    if first["status"] != "time_limit" or is_out_of_time:
        return first if trace else {**first, "trace": []}
    graph = graph_of(problem, options, first)
    search = ClusterSearch(graph, options, lambda: perf_counter() - begin)
    with make_pool(problem) as pool:
        search.run(pool, callback)
    # The tree is scored again from the rows, and gets its leaves' labels.
    arrays = np.array(graph.root.tree, dtype=np.int32)
    unlimited = {**problem.options, "memory_limit": None, "time_limit": 0.0}
    found: _core.Outcome = solve(_core.SearchOptions(**unlimited), start=arrays)
    if found["upper"] != graph.root.cost:
        raise AssertionError(f"The tree costs {found['upper']} ticks, not {graph.root.cost}: a bug in hornbeam.")
    return {
        **found,
        "lower": min(search.lower(), graph.root.cost),
        "status": search.status,
        "statistics": _statistics(search, first["statistics"], perf_counter() - begin),
        "trace": [*first["trace"], *search.trace] if trace else [],
    }


def graph_of(problem: SharedProblem, options: _core.SearchOptions, first: _core.Outcome) -> SearchGraph:
    """Return the graph of a search, with what is known after the first search."""
    tree = first["tree"]
    known: dict[str, Any] = {
        "depth": options.max_depth,
        "leaves": options.max_leaves,
        "lower": first["lower"],
        "cost": first["upper"],
        "tree": (tree["column"].tolist(), tree["left"].tolist(), tree["right"].tolist()),
        "cutoff": options.cutoff,
    }
    if isinstance(problem, OrderedProblem):
        return OrderedGraph(search=problem.search(None), least_rows=problem.options["min_samples_leaf"], **known)
    return SearchGraph(leaf_cost=problem.arguments[3], **known)


def _statistics(search: ClusterSearch, alone: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    return {
        **alone,
        "subproblems": alone["subproblems"] + search.n_subproblems,
        "bytes": max(alone["bytes"], search.most_bytes),
        "seconds": seconds,
        "bounds": {name: n + search.counters.get(name, 0) for name, n in alone["bounds"].items()},
        "jobs": search.n_jobs,
        "lost_jobs": search.n_lost,
        "cluster_error": search.error,
    }
