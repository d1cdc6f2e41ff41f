"""Work that is done while nobody waits for an answer, and is dropped and begun again when somebody does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Condition, Thread, main_thread
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from hornbeam._core import Progress

Task: TypeAlias = "Callable[[Callable[[Progress], bool]], object]"
SECONDS_IDLE = 0.3  # before work begins


class IdleWork:
    """Does tasks one after the other, in a thread that begins after the first answer.

    Parameters
    ----------
    tasks : sequence of callable
        Each gets a function that it has to call often; when that returns True, it raises InterruptedError. It is then
        begun again when nobody waits. A task that raises MemoryError is given up.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = list(tasks)
        self._next: list[Task] = []
        self._n_waiting = 0
        self._idle_since = 0.0
        self._changed = Condition()
        self._thread: Thread | None = None

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Stop work while an answer is made."""
        with self._changed:
            self._n_waiting += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_waiting -= 1
                self._idle_since = time.monotonic()
                self._changed.notify_all()
                if self._thread is None and (self._tasks or self._next):
                    self._thread = Thread(target=self._work)
                    self._thread.start()

    def follow_with(self, tasks: Sequence[Task]) -> None:
        """Do some more tasks after the others, in place of what is left of those of the last call."""
        with self._changed:
            self._next = list(tasks)

    def wait(self) -> None:
        """Wait until all tasks are done."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while self._is_idle():
            with self._changed:
                tasks = self._tasks or self._next
                if not tasks:
                    self._thread = None
                    return
                task = tasks[0]
            try:
                task(lambda _: self._n_waiting > 0 or not main_thread().is_alive())
            except InterruptedError:
                continue
            except MemoryError:
                pass  # the first question that needs it is told so
            with self._changed:
                if task in tasks:
                    tasks.remove(task)

    def _is_idle(self) -> bool:
        """Wait until nobody has waited for a while; False if Python ends."""
        while main_thread().is_alive():
            with self._changed:
                left = SECONDS_IDLE - (time.monotonic() - self._idle_since)
                if self._n_waiting == 0 and left <= 0:
                    return True
                self._changed.wait(min(max(left, 0.01), 0.1))
        return False
