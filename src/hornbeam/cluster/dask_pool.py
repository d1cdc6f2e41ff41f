"""Jobs on the workers of a Dask cluster."""

from __future__ import annotations

import queue
from collections import Counter
from time import perf_counter
from typing import Any
from uuid import uuid4

from distributed import TimeoutError as DaskTimeoutError
from distributed import get_worker
from distributed.client import ClosedClientError

from hornbeam.cluster.news import News, NewsBoard
from hornbeam.cluster.search import LostError
from hornbeam.cluster.worker import Job, Report, SharedProblem

# Of the memory that a Dask worker may use, for what the search proves: the worker holds other data, and above 0.7 of it
# Dask moves data to disk.
_SHARE_OF_MEMORY = 0.5
_SECONDS_BETWEEN_LOOKS = 1.0  # at the workers of the cluster
_SECONDS_FOR_AN_ANSWER = 5.0
# Until the problem is sent once more, to a worker from which the others can copy it. It doubles each time, as a large
# table may take long.
_SECONDS_FOR_A_COPY = 10.0
# How long a worker that did not answer in time gets no job.
_SECONDS_OF_SILENCE = 30.0
_NO_ANSWER = (OSError, TimeoutError, DaskTimeoutError)  # the last two differ in Python 3.10


class DaskPool:
    """The workers of a cluster.

    Each worker keeps the problem, and with it all that its jobs have proven, as the result of a task of its own, of
    which there is no other copy. Of data with copies on several workers, Dask's memory manager would leave only one:
    the others would have to fetch it again, without the proofs, and perhaps from a worker that does not answer.

    Parameters
    ----------
    client : distributed.Client
    problem : SharedProblem
        It is sent to one worker, from which the others copy it.
    """

    def __init__(self, client: Any, problem: SharedProblem) -> None:
        self._client, self._problem = client, problem
        self._address = client.scheduler.address if client.scheduler is not None else "?"
        self._source: Any = None  # the problem on one worker
        self._source_worker, self._seconds_for_a_copy, self._copied = "", _SECONDS_FOR_A_COPY, 0.0
        self._calls_to: dict[str, Any] = {}  # workers, one of which is to become the source
        self._held: dict[str, Any] = {}  # the problem that each worker keeps, or is about to keep
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._jobs: dict[Any, tuple[Job, str]] = {}  # and the worker that it is meant for
        self._news = NewsBoard()
        self._threads: dict[str, int] = {}  # of each worker
        self._silent_until: dict[str, float] = {}  # of workers that did not answer in time
        self._looked, self._probe = -_SECONDS_BETWEEN_LOOKS, None

    def __enter__(self) -> DaskPool:
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel what still runs; a worker notices within a tenth of a second."""
        if self._jobs and self._client.status == "running":
            self._client.cancel(list(self._jobs), force=True)
        self._jobs.clear()
        self._held.clear()
        self._calls_to.clear()
        self._source = None

    def n_idle(self) -> int:
        """Return how many more jobs the workers could run."""
        if perf_counter() - self._looked >= _SECONDS_BETWEEN_LOOKS:
            self._look()
        self._give_problem()
        workers = self._answering()
        return sum(workers.values()) - sum(worker in workers for _, worker in self._jobs.values())

    def _answering(self) -> dict[str, int]:
        """Return the threads of each worker that has the problem, without silent ones, unless all are silent."""
        now = perf_counter()
        # A job on a problem that could not be kept fails for the same reason, and its report says why.
        ready = {
            one: n
            for one, n in self._threads.items()
            if one in self._held and self._held[one].status in ("finished", "error")
        }
        return {one: n for one, n in ready.items() if self._silent_until.get(one, now) <= now} or ready

    def _look(self) -> None:
        client = self._client
        try:
            self._threads = client.sync(client.scheduler.ncores, workers=None, callback_timeout=_SECONDS_FOR_AN_ANSWER)
        except _NO_ANSWER:  # it is busy, or gone: then `wait` will know
            return
        finally:
            self._looked = perf_counter()
        # A cluster that adapts to its load needs some before it has workers.
        self._probe = self._calls(client.submit, _name, pure=False) if not self._threads else None

    def _give_problem(self) -> None:
        """Let the workers that do not have the problem copy it."""
        status = {one: held.status for one, held in self._held.items() if one in self._threads}
        is_late = perf_counter() - self._copied > self._seconds_for_a_copy
        is_lost = self._source is not None and self._source.status != "finished"  # with its worker
        if is_lost or (is_late and "pending" in status.values()):  # one of both does not answer, or the table is large
            self._forget_source()
        kept = ("finished", "error") if is_late or is_lost else ("finished", "error", "pending")
        self._held = {one: self._held[one] for one in status if status[one] in kept}
        without = [one for one in self._threads if one not in self._held]
        if not without or (self._source is None and not self._send_problem()):
            return
        self._copied = perf_counter()
        for worker in without:
            self._held[worker] = self._submit_to(worker, _keep, self._source)

    def _send_problem(self) -> bool:
        """Send the problem to a worker that answers; return whether one has it."""
        # Whoever sends data to a worker has to wait for it, so it is called first.
        for worker in self._threads.keys() - self._calls_to.keys():
            self._calls_to[worker] = self._submit_to(worker, _name)
        answering = [one for one in self._threads if self._calls_to[one].status == "finished"]
        if not answering:
            return False
        self._source_worker = min(answering, key=lambda each: each == self._source_worker)
        client, how = self._client, {"workers": [self._source_worker], "hash": False}
        try:
            self._source = client.sync(client.scatter, self._problem, **how, callback_timeout=self._seconds_for_a_copy)
        except (*_NO_ANSWER, KeyError):  # it has stopped meanwhile, or left
            self._forget_source()
        self._calls_to.clear()
        return self._source is not None

    def _forget_source(self) -> None:
        self._source = None
        self._seconds_for_a_copy *= 2

    def submit(self, job: Job) -> None:
        """Run a job on some worker."""
        jobs_of = Counter(worker for _, worker in self._jobs.values())
        # If all have died since the last call of `n_idle`, the job is lost, too.
        threads = self._answering() or {one: self._threads[one] for one in self._held}
        worker = max(threads, key=lambda each: threads[each] - jobs_of[each])
        future = self._submit_to(worker, _run, self._held[worker], job, self._news.for_job(worker, job))
        self._jobs[future] = job, worker
        future.add_done_callback(self._ended.put)

    def _submit_to(self, worker: str, call: Any, *arguments: Any) -> Any:
        # A wish: if the worker is gone, Dask chooses another one, which then misses some news.
        how = {"workers": [worker], "allow_other_workers": True, "pure": False, "key": f"hornbeam-{_name()}"}
        return self._calls(self._client.submit, call, *arguments, **how)

    def drop(self, job: Job) -> None:
        """Wait no longer for a job whose worker does not answer; for a while, that worker gets no other."""
        for future, (one, worker) in list(self._jobs.items()):
            if one.number == job.number:
                del self._jobs[future]
                self._silent_until[worker] = perf_counter() + _SECONDS_OF_SILENCE
                self._calls(self._client.cancel, [future], force=True)

    def wait(self, seconds: float) -> list[tuple[Job, Report | None]]:
        """Return the jobs that have ended, or none after some seconds; those whose work was lost without a report.

        Raises
        ------
        LostError
            If the scheduler is gone.
        MemoryError
            If a worker has no room for the rows.
        """
        ended = []
        try:
            future = self._ended.get(timeout=seconds)
            while True:
                if future in self._jobs:
                    job, worker = self._jobs.pop(future)
                    ended.append((job, self._report_of(future, worker)))
                future = self._ended.get_nowait()
        except queue.Empty:
            pass
        if self._client.status != "running":
            raise LostError(f"the scheduler at {self._address} is gone")
        return ended

    def _report_of(self, future: Any, worker: str) -> Report | None:
        if future.status == "error":
            error = future.exception()
            # Dask has repeated the job on several workers, all of which died; it may not be the job's fault.
            if type(error).__name__ == "KilledWorker":
                return None
            raise error
        if future.status != "finished":  # the worker has died
            return None
        try:
            report: Report = future.result(timeout=_SECONDS_FOR_AN_ANSWER)
        except _NO_ANSWER:  # the worker has stopped since, or the scheduler: then `wait` will know
            self._silent_until[worker] = perf_counter() + _SECONDS_OF_SILENCE
            return None
        self._news.add(worker, report.news)
        return report

    def _calls(self, call: Any, *arguments: Any, **named: Any) -> Any:
        """Call the scheduler."""
        try:
            return call(*arguments, **named)
        except (*_NO_ANSWER, ClosedClientError) as error:
            raise LostError(f"the scheduler at {self._address} does not answer: {error}") from error


def _name() -> str:
    return uuid4().hex


def _keep(problem: SharedProblem) -> SharedProblem:
    """Keep the problem on a worker."""
    return problem


def _run(problem: SharedProblem, job: Job, news: list[News]) -> Report:
    """Run a job on a worker."""
    worker: Any = get_worker()
    key = worker.get_current_task()

    def is_canceled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    limit = worker.memory_manager.memory_limit
    return problem.run(job, news, None if limit is None else int(_SHARE_OF_MEMORY * limit), is_canceled)
