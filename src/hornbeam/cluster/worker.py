"""What the workers of a cluster run: the shared problem, and the jobs that search parts of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core

if TYPE_CHECKING:
    from hornbeam._core import SubproblemOutcome

_BYTES_OF_NEWS = 16 << 20  # with one job; what a worker misses, it proves again
_MOST_NEWS = 10_000

Path: TypeAlias = "tuple[tuple[int, bool], ...]"
Name: TypeAlias = "tuple[int, int, int]"
News: TypeAlias = npt.NDArray[np.uint64]


def work_of_news(n_workers: int) -> int:
    """Return how many words of kernel work a bound must have taken, so that it is sent to so many other processes.

    Two processes exchange nearly everything, which is some megabytes a second. What all send to all grows with the
    square of their number, and the number of bounds falls faster than the work behind them grows. 2^20 words take about
    a tenth of a millisecond.
    """
    return 4096 * n_workers


class NewsBoard:
    """The news of all workers, and which of them each worker was sent."""

    def __init__(self) -> None:
        self._news: list[tuple[Any, News]] = []
        self._n_sent: dict[Any, int] = {}

    def add(self, sender: Any, news: News) -> None:
        """Note what a worker has proven."""
        if len(news) > 1:  # more than the mark at its end
            self._news.append((sender, news))
            self._n_sent[sender] = self._n_sent.get(sender, 0)

    def for_worker(self, receiver: Any) -> list[News]:
        """Return what others have proven since the last call for this worker, the latest `_BYTES_OF_NEWS` of it."""
        unseen = self._news[self._n_sent.get(receiver, 0) :]
        self._n_sent[receiver] = len(self._news)
        self._forget_what_all_have()
        chosen: list[News] = []
        n_bytes = 0
        for sender, news in reversed(unseen):
            n_bytes += 0 if sender == receiver else news.nbytes
            if n_bytes > _BYTES_OF_NEWS:
                break
            if sender != receiver:
                chosen.append(news)
        return chosen[::-1]

    def _forget_what_all_have(self) -> None:
        # A worker that is gone, or stands still, gets no more of them.
        n_old = max(min(self._n_sent.values()), len(self._news) - _MOST_NEWS)
        if n_old > 0:
            del self._news[:n_old]
            self._n_sent = {worker: max(0, n - n_old) for worker, n in self._n_sent.items()}


class Job(NamedTuple):
    """A part of the search: the rows at the end of a path of columns and their values."""

    number: int
    path: Path
    max_depth: int | None
    max_leaves: int | None
    budget: int
    """The lower bound to prove, in ticks."""
    splits: tuple[Name, ...] | None
    """The root splits to search; None: all, and the leaf."""
    seconds: float
    """After so long the worker returns what it has proven."""


class Report(NamedTuple):
    """What a worker has found out."""

    outcome: SubproblemOutcome
    news: News
    """Bounds that others can use."""
    seconds: float
    cpu_seconds: float
    worker: int
    """Which process it was: a number that is drawn once for each."""


@dataclass
class SharedProblem:
    """One problem, which is sent to every worker once; there, its jobs share what they prove.

    Parameters
    ----------
    columns : ndarray of uint8 of shape (n_columns, ceil(n_rows / 8))
        Packed.
    n_rows : int
    arguments : tuple
        Of `_core.Problem`.
    options : mapping
        Of `_core.SearchOptions`: the limits on the tree, the switches of the bounds, and the memory of one worker.
    """

    columns: npt.NDArray[np.uint8]
    n_rows: int
    arguments: Sequence[Any]
    options: Mapping[str, Any]
    work_of_news: int = 1 << 20
    """How much work a bound must have taken for others to be told; see `work_of_news`."""
    _search: _core.Subproblems | None = field(default=None, repr=False)
    _lock: Any = field(default_factory=threading.Lock, repr=False)
    _number: int = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a process has proven: it sends the news of it."""
        return {name: getattr(self, name) for name in ("columns", "n_rows", "arguments", "options", "work_of_news")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start without proofs."""
        self.__init__(**state)  # type: ignore[misc]

    def search(self, most_bytes: int | None) -> _core.Subproblems:
        """Return the search of this process; the first call prepares the rows."""
        with self._lock:
            if self._search is None:
                columns = _core.PackedColumns(np.ascontiguousarray(self.columns), self.n_rows)
                limits = [each for each in (self.options["memory_limit"], most_bytes) if each is not None]
                options = _core.SearchOptions(**{**self.options, "memory_limit": min(limits, default=None)})
                self._search = _core.Subproblems(columns, _core.Problem(*self.arguments), options, self.work_of_news)
                self._number = int(np.random.default_rng().integers(2**62))
            return self._search

    def run(
        self,
        job: Job,
        news: Sequence[News],
        most_bytes: int | None = None,
        is_canceled: Callable[[], bool] = lambda: False,
    ) -> Report:
        """Run a job.

        Parameters
        ----------
        job : Job
        news : sequence of ndarray
            Bounds of other workers.
        most_bytes : int or None, default=None
            Memory that this process has for its table.
        is_canceled : callable, default: never
            Called every tenth of a second.

        Returns
        -------
        Report

        Raises
        ------
        MemoryError
            If the memory limit has no room for the rows.
        """
        begin, cpu_begin = perf_counter(), process_time()
        search = self.search(most_bytes)
        for each in news:
            search.read_news(each)
        outcome = search.solve(
            list(job.path),
            job.max_depth,
            job.max_leaves,
            job.budget,
            None if job.splits is None else list(job.splits),
            job.seconds,
            callback=lambda _: is_canceled(),
        )
        used = perf_counter() - begin, process_time() - cpu_begin
        return Report(outcome, search.take_news(), *used, self._number)
