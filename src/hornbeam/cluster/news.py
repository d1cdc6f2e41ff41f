"""Which bounds of one worker another one is sent.

A bound on a subproblem is used where the search meets the same rows again, mostly on a path with the same conditions in
another order. So a worker that searches some splits of the root needs the bounds with one of their columns on the path,
and hardly any others. A path has few columns: what is sent grows with the number of bounds, not with that of workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hornbeam.cluster.worker import Job

News: TypeAlias = npt.NDArray[np.uint64]
"""Of `_core.Subproblems.take_news`."""

_WORDS = 6  # of each bound, the first with one bit for each group of columns
_GROUPS = 64
_BYTES_WITH_A_JOB = 16 << 20  # what a worker misses, it proves again
_BYTES_OF_A_GROUP = 16 << 20  # on the board; then the oldest are taken off


class _Group:
    """The bounds with a column of one group on their paths."""

    def __init__(self) -> None:
        self._news: deque[tuple[Any, News]] = deque()
        self._n_removed = self._n_bytes = 0
        self._seen: dict[tuple[Any, int], int] = {}

    def add(self, sender: Any, news: News) -> None:
        self._news.append((sender, news))
        self._n_bytes += news.nbytes
        while self._n_bytes > _BYTES_OF_A_GROUP:
            self._n_bytes -= self._news.popleft()[1].nbytes
            self._n_removed += 1

    def unseen(self, receiver: Any, path: int) -> Iterator[News]:
        """Yield what others have added since the last call for this receiver and path, the latest first."""
        first = self._seen.get((receiver, path), 0) - self._n_removed
        self._seen[receiver, path] = self._n_removed + len(self._news)
        for i in range(len(self._news) - 1, max(first, 0) - 1, -1):
            sender, news = self._news[i]
            if sender != receiver:
                yield news


class NewsBoard:
    """The news of all workers."""

    def __init__(self) -> None:
        self._groups = [_Group() for _ in range(_GROUPS)]

    def add(self, sender: Any, news: News) -> None:
        """Note what a worker has proven."""
        bounds = news.reshape(-1, _WORDS)
        present = int(np.bitwise_or.reduce(bounds[:, 0], initial=np.uint64(0)))
        for i, group in enumerate(self._groups):
            if present >> i & 1:
                group.add(sender, bounds[(bounds[:, 0] & np.uint64(1 << i)) != 0])

    def for_job(self, receiver: Any, job: Job) -> list[News]:
        """Return what others have proven of the subproblems that a job may meet.

        A bound is sent to a worker once for each column on its path, or once if a job searches several of them.

        Parameters
        ----------
        receiver : hashable
            The worker.
        job : Job

        Returns
        -------
        list of ndarray of uint64
            For `_core.Subproblems.read_news`; of more than 16 MiB only the latest.
        """
        path = _bits(column for column, _ in job.path)
        # All that a job meets has the columns of its path: those of one of their groups are searched for the others.
        chosen = _bits([job.path[-1][0]]) if job.path else _bits(name[0] for name in job.splits or ())
        found: list[News] = []
        n_bytes = 0
        others = 0  # groups from which this worker has got all
        for i in range(_GROUPS):
            if not chosen >> i & 1:
                continue
            for bounds in self._groups[i].unseen(receiver, path):
                columns = bounds[:, 0]
                is_new = ((columns & np.uint64(path)) == np.uint64(path)) & ((columns & np.uint64(others)) == 0)
                news = bounds[is_new].ravel()
                n_bytes += news.nbytes
                if n_bytes > _BYTES_WITH_A_JOB:
                    return found
                if len(news):
                    found.append(news)
            others |= 1 << i
        return found


def _bits(columns: Any) -> int:
    bits = 0
    for column in columns:
        bits |= 1 << (column % _GROUPS)
    return bits
