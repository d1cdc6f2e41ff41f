"""Jobs on the workers of a Dask cluster."""

from __future__ import annotations

import queue
from collections import Counter
from time import perf_counter
from typing import Any
from uuid import uuid4

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
# How long a worker that did not answer in time gets no job.
_SECONDS_OF_SILENCE = 30.0


class DaskPool:
    """The workers of a cluster.

    Parameters
    ----------
    client : distributed.Client
    problem : SharedProblem
        It is sent to every worker once.
    """

    def __init__(self, client: Any, problem: SharedProblem) -> None:
        self._client, self._problem = client, problem
        self._address = client.scheduler.address if client.scheduler is not None else "?"
        self._data: Any = None
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
        self._data = None

    def n_idle(self) -> int:
        """Return how many more jobs the workers could run."""
        if perf_counter() - self._looked >= _SECONDS_BETWEEN_LOOKS:
            self._look()
        workers = self._answering()
        return sum(workers.values()) - sum(worker in workers for _, worker in self._jobs.values())

    def _answering(self) -> dict[str, int]:
        """Return the threads of each worker, without those of workers that were silent, unless all were."""
        now = perf_counter()
        answering = {one: n for one, n in self._threads.items() if self._silent_until.get(one, now) <= now}
        return answering or self._threads

    def _look(self) -> None:
        client = self._client
        try:
            self._threads = client.sync(client.scheduler.ncores, workers=None, callback_timeout=_SECONDS_FOR_AN_ANSWER)
        except (OSError, TimeoutError):  # it is busy, or gone: then `wait` will know
            return
        finally:
            self._looked = perf_counter()
        # A cluster that adapts to its load needs some before it has workers.
        self._probe = self._calls(client.submit, _name, pure=False) if not self._threads else None

    def submit(self, job: Job) -> None:
        """Run a job on some worker."""
        if self._data is None:  # or all workers that had them have died
            self._data = self._calls(self._client.scatter, self._problem, broadcast=True, hash=False)
        # A wish: Dask may choose another worker, which then misses some news.
        jobs_of = Counter(worker for _, worker in self._jobs.values())
        threads = self._answering()
        worker = max(threads, key=lambda each: threads[each] - jobs_of[each])
        how = {"workers": [worker], "allow_other_workers": True, "pure": False, "key": f"hornbeam-{_name()}"}
        news = self._news.for_job(worker, job)
        future = self._calls(self._client.submit, _run, self._data, job, news, **how)
        self._jobs[future] = job, worker
        future.add_done_callback(self._ended.put)

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
        if future.status != "finished":
            self._data = None
            return None
        report: Report = self._calls(future.result)
        self._news.add(worker, report.news)
        return report

    def _calls(self, call: Any, *arguments: Any, **named: Any) -> Any:
        """Call the scheduler."""
        try:
            return call(*arguments, **named)
        except (OSError, TimeoutError, ClosedClientError) as error:
            raise LostError(f"the scheduler at {self._address} does not answer: {error}") from error


def _name() -> str:
    return uuid4().hex


def _run(problem: SharedProblem, job: Job, news: list[News]) -> Report:
    """Run a job on a worker."""
    worker: Any = get_worker()
    key = worker.get_current_task()

    def is_canceled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    limit = worker.memory_manager.memory_limit
    return problem.run(job, news, None if limit is None else int(_SHARE_OF_MEMORY * limit), is_canceled)
