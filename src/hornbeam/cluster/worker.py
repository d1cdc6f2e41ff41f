"""What the workers of a cluster run: the shared problem, and the jobs that search parts of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from time import perf_counter, process_time
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.cluster.news import News

# Words of kernel work that a bound must have taken, so that others are told: some microseconds, as long as they take to
# read it.
WORK_OF_NEWS = 1 << 13

Path: TypeAlias = "tuple[tuple[int, bool], ...]"
Name: TypeAlias = "tuple[int, ...]"
"""Of a root split (`_core.Split`), or of a run of thresholds (`_core.Run`)."""


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

    outcome: Any
    """`_core.SubproblemOutcome`, or `_core.OrderedOutcome`."""
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
    arguments : tuple
        Of `_core.Problem`.
    options : mapping
        Of `_core.SearchOptions`: the limits on the tree, the switches of the bounds, and the memory of one worker.
    """

    arguments: Sequence[Any]
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Start without proofs."""
        self._search: Any = None
        self._lock = threading.Lock()
        self._number = 0

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what a process has proven: it sends the news of it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Start without proofs."""
        vars(self).update(state)
        self.__post_init__()

    def for_core(self) -> Any:
        """Return the columns."""
        raise NotImplementedError

    def _make_search(self, options: _core.SearchOptions) -> Any:
        """Return the search of a process."""
        raise NotImplementedError

    def _take_news(self) -> News:
        """Return what others can use of what this process has proven."""
        return np.zeros(0, dtype=np.uint64)

    def search(self, most_bytes: int | None) -> Any:
        """Return the search of this process; the first call prepares the rows."""
        with self._lock:
            if self._search is None:
                limits = [each for each in (self.options["memory_limit"], most_bytes) if each is not None]
                options = _core.SearchOptions(**{**self.options, "memory_limit": min(limits, default=None)})
                self._search = self._make_search(options)
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
        return Report(outcome, self._take_news(), *used, self._number)


@dataclass
class PackedProblem(SharedProblem):
    """A problem of binary columns.

    Parameters
    ----------
    arguments, options
        As of `SharedProblem`.
    columns : ndarray of uint8 of shape (n_columns, ceil(n_rows / 8))
        Packed.
    n_rows : int
    """

    columns: npt.NDArray[np.uint8]
    n_rows: int

    def for_core(self) -> _core.PackedColumns:
        """Return the columns."""
        return _core.PackedColumns(np.ascontiguousarray(self.columns), self.n_rows)

    def _make_search(self, options: _core.SearchOptions) -> _core.Subproblems:
        return _core.Subproblems(self.for_core(), _core.Problem(*self.arguments), options, WORK_OF_NEWS)

    def _take_news(self) -> News:
        news: News = self._search.take_news()
        return news


@dataclass
class OrderedProblem(SharedProblem):
    """A problem whose columns are thresholds.

    Parameters
    ----------
    arguments, options
        As of `SharedProblem`.
    bins : ndarray of uint32 of shape (n_variables, n_rows)
    n_thresholds : ndarray of uint32 of shape (n_variables,)
    """

    bins: npt.NDArray[np.uint32]
    n_thresholds: npt.NDArray[np.uint32]

    def for_core(self) -> _core.OrderedColumns:
        """Return the columns."""
        return _core.OrderedColumns(np.ascontiguousarray(self.bins), np.ascontiguousarray(self.n_thresholds))

    def _make_search(self, options: _core.SearchOptions) -> _core.OrderedSubproblems:
        return _core.OrderedSubproblems(self.for_core(), _core.Problem(*self.arguments), options)
