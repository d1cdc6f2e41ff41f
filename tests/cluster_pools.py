"""Workers of a cluster in this process, one job at a time, which are slow and die as a test wants."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import count

import numpy as np

from hornbeam import _core
from hornbeam.cluster import search
from hornbeam.cluster.worker import Job, OrderedProblem, Report, SharedProblem


class UnreliablePool:
    """A pool of workers, each with a table of its own.

    Parameters
    ----------
    problem : SharedProblem
    n_workers : int
    rng : random.Random
        Decides which job ends next, and on which worker.
    short : float
        The share of jobs that run out of time: these prove less than they are to, and the first one nothing.
    lost : float
        The share of jobs whose worker dies.
    """

    def __init__(self, problem: SharedProblem, n_workers: int, rng: random.Random, short: float, lost: float) -> None:
        self._problem, self._rng, self._short, self._lost = problem, rng, short, lost
        self._workers = [replace(problem) for _ in range(n_workers)]
        self._jobs: list[Job] = []
        self._reports: list[Report] = []
        self.n_jobs = self.n_lost = self.deepest = 0
        self.is_open = True

    def __enter__(self) -> UnreliablePool:
        return self

    def __exit__(self, *_: object) -> None:
        self.is_open = False

    def n_idle(self) -> int:
        return len(self._workers) - len(self._jobs)

    def submit(self, job: Job) -> None:
        self._jobs.append(job)
        self.n_jobs += 1
        self.deepest = max(self.deepest, len(job.path))

    def drop(self, job: Job) -> None:
        self._jobs = [each for each in self._jobs if each.number != job.number]

    def wait(self, seconds: float) -> list[tuple[Job, Report | None]]:
        if not self._jobs:
            return []
        job = self._jobs.pop(self._rng.randrange(len(self._jobs)))
        number = self._rng.randrange(len(self._workers))
        if self._rng.random() < self._lost:
            self.n_lost += 1
            self._workers[number] = replace(self._problem)  # what it has proven is lost with it
            return [(job, None)]
        return [(job, self._run(self._workers[number], job))]

    def _run(self, worker: SharedProblem, job: Job) -> Report:
        is_short = self._rng.random() < self._short or not self._reports
        budget = self._rng.randrange(1, max(2, job.budget // 3)) if is_short and self._reports else 1
        sent = job._replace(budget=min(budget, job.budget) if is_short else job.budget, seconds=600.0)
        report = worker.run(sent, [each.news for each in self._reports[-3:]])
        if is_short and report.outcome["open"]:
            report.outcome["status"] = "time_limit"
        self._reports.append(report)
        return report


class StoppingPool(UnreliablePool):
    """The same for the ordered search, whose jobs stop after a random number of steps wherever they are.

    Parameters
    ----------
    steps : int
        The mean of the steps of a job.
    """

    def __init__(self, problem: OrderedProblem, n_workers: int, rng: random.Random, steps: int, lost: float) -> None:
        fine = _Fine(problem.arguments, problem.options, problem.bins, problem.n_thresholds)
        super().__init__(fine, n_workers, rng, 0.0, lost)
        self._steps = steps

    def _run(self, worker: SharedProblem, job: Job) -> Report:
        left = self._rng.expovariate(1 / self._steps) * job.seconds / search._LEAST_SECONDS
        polls = count()
        outcome = worker.search(None).solve(
            list(job.path),
            job.max_depth,
            job.max_leaves,
            job.budget,
            None if job.splits is None else list(job.splits),
            callback=lambda _: next(polls) > left,
            callback_interval=0.0,
        )
        if outcome["status"] == "interrupted":
            outcome["status"] = "time_limit"
        return Report(outcome, np.zeros(0, dtype=np.uint64), 0.0, 0.0, 0)


class _Fine(OrderedProblem):
    """Its jobs can be stopped after every step."""

    def _make_search(self, options: _core.SearchOptions) -> _core.OrderedSubproblems:
        return _core.OrderedSubproblems(self.for_core(), _core.Problem(*self.arguments), options, 1)
