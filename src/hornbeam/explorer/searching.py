"""A search that goes on while the page is open already."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hornbeam.explorer.engine import Engine, Stop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.fitting.progress import Progress

_PATIENCE = 0.3  # seconds that a question waits for the end of the search
_STOP = "stop_search"


class BackgroundSearch:
    """Answers as an engine does once the good trees are found; until then it says how far the search is.

    The search runs in a thread of its own from the beginning. Several pages may ask.

    Parameters
    ----------
    find : callable
        Makes the engine, given a callback for the fit: it takes the progress and returns whether to stop.
    about : dict
        What the page shows meanwhile: its ``name`` and the number of ``rows``.
    """

    def __init__(self, find: Callable[[Callable[[Progress], bool]], Engine], about: Mapping[str, Any]) -> None:
        self._find, self._about = find, about
        self._engine: Engine | None = None
        self.failure: Exception | None = None
        self._has_ended, self._is_to_stop = Event(), Event()
        self._begin = perf_counter()
        self._progress: dict[str, Any] = {}
        Thread(target=self._run, name="search for good trees", daemon=True).start()

    def answer(self, message: Any, stop: Stop | None = None) -> Any:
        """Answer one message, as `Engine.answer` does after the search.

        Before its end, the answer to each message is ``{"searching": ...}`` with how far the search is, and the method
        ``stop_search`` ends it; the set then holds the trees that were found.

        Raises
        ------
        ValueError
            If the search failed, and as `Engine.answer`.
        InterruptedError
            As `Engine.answer`.
        """
        is_stop = isinstance(message, dict) and message.get("method") == _STOP
        if is_stop:
            self.stop()
        if is_stop or not self._has_ended.wait(_PATIENCE):
            seconds, is_stopping = perf_counter() - self._begin, self._is_to_stop.is_set()
            return {"searching": {**self._about, "seconds": seconds, "is_stopping": is_stopping, **self._progress}}
        if self._engine is None:
            raise ValueError(str(self.failure)) from self.failure
        return self._engine.answer(message, stop)

    def stop(self) -> bool:
        """End the search; return whether it was still running, and nobody has ended it before."""
        is_first = not (self._has_ended.is_set() or self._is_to_stop.is_set())
        self._is_to_stop.set()
        return is_first

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end of the search; return whether it has ended."""
        return self._has_ended.wait(seconds)

    def _run(self) -> None:
        try:
            self._engine = self._find(self._listen)
        except Exception as error:  # it is told to whoever asks
            self.failure = error
        finally:
            self._has_ended.set()

    def _listen(self, progress: Progress) -> bool:
        self._progress = {"best": progress.objective, "leaves": progress.n_leaves, "bound": progress.lower_bound}
        return self._is_to_stop.is_set()
