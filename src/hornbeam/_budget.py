"""The time and memory that one fit may use for reading, making columns, searching and the tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import NamedTuple

DEFAULT_TIME_LIMIT = 60.0
"""Seconds of an exact search that the user does not limit; see docs/notes/2026-11-23-defaults.md."""


class Limits(NamedTuple):
    """What one search may use; None for no limit."""

    seconds: float | None
    bytes: int | None


class Budget:
    """The limits of one fit. Its clock starts in the constructor, which `fit` calls first.

    Once a budget is spent, every search that is started ends at once, with a single leaf.

    Parameters
    ----------
    time_limit : float or None, default=None
        Seconds. None: no limit.
    memory_limit : float or None, default=None
        Bytes. None: no limit.
    """

    def __init__(self, time_limit: float | None = None, memory_limit: float | None = None) -> None:
        self._begin = perf_counter()
        self._time_limit, self._memory_limit = time_limit, memory_limit
        self._uncounted = 0.0
        self._held = 0
        self._reserve = 0.0
        self._is_over: Callable[[], bool] = lambda: False

    def elapsed(self) -> float:
        """Return the seconds since the fit was called."""
        return perf_counter() - self._begin

    def seconds(self) -> float | None:
        """Return how many seconds are left, at least 0; None without a limit."""
        return None if self._time_limit is None else max(0.0, self._time_limit - self.elapsed() + self._uncounted)

    @contextmanager
    def clock_stopped(self) -> Iterator[None]:
        """Let the seconds of a block not count, however many they are."""
        begin, limit = perf_counter(), self._time_limit
        self._time_limit = None
        try:
            yield
        finally:
            self._time_limit = limit
            self._uncounted += perf_counter() - begin

    def is_spent(self) -> bool:
        """Return whether no time or no memory is left."""
        if self._is_over():
            self.end()
        return self.seconds() == 0 or self._memory_limit == 0

    def allows(self, seconds: float) -> bool:
        """Return whether this many seconds are left."""
        left = self.seconds()
        return left is None or seconds < left

    def part(self, share: float) -> Budget:
        """Return a budget of a share of the time that is left, and the same memory."""
        left = self.seconds()
        return Budget(None if left is None else share * left, self._memory_limit)

    def hold(self, n_bytes: int) -> bool:
        """Count bytes before they are allocated, until the search ends.

        Parameters
        ----------
        n_bytes : int

        Returns
        -------
        bool
            Whether they fit. If not, the budget is spent, and they must not be allocated.
        """
        if not self.fits(n_bytes):
            self._memory_limit = 0
            return False
        self._held += n_bytes
        return True

    def fits(self, n_bytes: int) -> bool:
        """Return whether this many bytes fit; unlike `hold`, a failure does not spend the budget."""
        return self._memory_limit is None or self._held + n_bytes <= self._memory_limit

    def release(self, n_bytes: int) -> None:
        """Stop counting bytes that `hold` counted."""
        self._held -= n_bytes

    def keep_back(self, seconds: float) -> None:
        """Reserve seconds, at most a seventh of the limit, for what follows the search."""
        self._reserve = max(self._reserve, seconds)

    def end(self) -> None:
        """Spend the whole budget."""
        self._time_limit = 0.0

    def end_when(self, is_over: Callable[[], bool]) -> None:
        """Spend the whole budget as soon as `is_over()` returns True; `is_spent` calls it."""
        self._is_over = is_over

    def left(self) -> Limits:
        """Return the limits of a search that starts now."""
        seconds, n_bytes = self.seconds(), None
        if seconds is not None and self._time_limit is not None:
            seconds = max(0.0, seconds - min(self._reserve, self._time_limit / 7))
        if self._memory_limit is not None:
            # The core counts bytes in 64 bits, which is more than any machine has.
            n_bytes = min(2**63 - 1, max(0, int(self._memory_limit) - self._held))
        return Limits(seconds, n_bytes)
