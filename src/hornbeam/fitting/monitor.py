"""What goes on around a search: the line of `verbose`, the callback and Ctrl-C."""

from __future__ import annotations

# The functions of the module `signal` look handlers up in an enumeration first, which takes 20 times as long.
import _signal  # type: ignore[import-not-found]
import atexit
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from signal import SIGINT
from time import perf_counter, sleep
from types import FrameType
from typing import TYPE_CHECKING, Any

from hornbeam.fitting.advice import early_note
from hornbeam.fitting.progress import Progress, Scale, end_of
from hornbeam.fitting.progress_line import ProgressLine, is_live, print_line, progress_text

if TYPE_CHECKING:
    from typing_extensions import Self

    from hornbeam._core import Outcome
    from hornbeam._core import Progress as Record


_PATIENCE = 5.0  # seconds of a fit without a time limit, after which an interactive user is told what to do
_noted: set[str] = set()  # what was told in this process, once for all folds of a cross-validation


class Monitor:
    """Context of one fit, which shows how far it is, asks the callback, and minds Ctrl-C.

    From `listener` on, Ctrl-C ends the search and nothing else, so that its tree is kept. If the estimator is a clone,
    the context raises KeyboardInterrupt at its end: nobody else holds a clone, and whoever fits it has to be stopped.

    Parameters
    ----------
    estimator : TreeClassifier
        What is fitted; with parameters `verbose` and `callback`.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self._begin = estimator, perf_counter()
        self._line: ProgressLine | None = None
        self._last_text: str | None = None
        self._handler: Callable[[int, FrameType | None], Any] | None = None  # of Ctrl-C, before this one
        self._is_interrupted = self._is_in_callback = False
        self._is_patient = getattr(estimator, "time_limit", None) is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _in_threads.discard(self)
        if self._handler is not None and _signal.getsignal(SIGINT) == self._note_ctrl_c:
            _signal.signal(SIGINT, self._handler)
        if self._line is not None:
            self._line.close(self._last_text if kind is None else None)
        if kind is None and self._is_stopped() and self._estimator._is_clone:
            raise KeyboardInterrupt("Ctrl-C ended the search of a clone; its best tree so far is in its tree_.")

    def announce(self, activity: str) -> None:
        """Show what is done before the search, in terminals and notebooks."""
        if self._estimator.verbose:
            self._line = ProgressLine(activity)

    def listener(self, scale: Scale) -> Callable[[Record], bool]:
        """Return what the search shall call; it returns True to stop it."""
        self._hold_ctrl_c()

        def listen(record: Record) -> bool:
            if not self._is_patient and perf_counter() - self._begin >= _PATIENCE:
                self._note_long_search(Progress.from_record(record, scale))
            if self._line is None and self._estimator.callback is None:
                return self._is_stopped()
            progress = Progress.from_record(record, scale)
            seconds = perf_counter() - self._begin
            if self._line is not None:
                self._line.show(progress_text(progress, seconds), seconds)
            return self._is_stopped() or self._stops(progress)

        return listen

    def _note_long_search(self, progress: Progress) -> None:
        """Tell an interactive user once what to do about a long search without a time limit."""
        self._is_patient = True
        own_note = getattr(self._estimator, "_early_note", None)  # of the command line
        if own_note is None and not is_live(sys.stderr):
            return
        note = (own_note or early_note)(self._estimator)
        if note and note not in _noted:
            _noted.add(note)
            seconds = perf_counter() - self._begin
            with nullcontext() if self._line is None else self._line.hidden():
                print_line(f"Searching for {seconds:.0f} s, gap {100 * progress.gap:.0f} %. {note}")

    def finish(self, outcome: Outcome, scale: Scale) -> None:
        """Show how the search ended."""
        if self._line is not None:
            text = progress_text(Progress.from_record(end_of(outcome), scale), perf_counter() - self._begin)
            self._last_text = f"{text}  {outcome['status']}"

    def _is_stopped(self) -> bool:
        return self._is_interrupted or _is_exiting.is_set()

    def _stops(self, progress: Progress) -> bool:
        """Return whether the callback wants the search to stop, or Ctrl-C came meanwhile."""
        callback = self._estimator.callback
        if callback is None:
            return False
        self._is_in_callback = True
        try:
            with nullcontext() if self._line is None else self._line.hidden():
                return bool(callback(progress))
        except KeyboardInterrupt:
            self._is_interrupted = True
            return True
        finally:
            self._is_in_callback = False

    def _hold_ctrl_c(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            _in_threads.add(self)
        elif callable(handler := _signal.getsignal(SIGINT)):
            self._handler = handler
            _signal.signal(SIGINT, self._note_ctrl_c)

    def _note_ctrl_c(self, number: int, frame: FrameType | None) -> None:
        assert self._handler is not None
        try:
            self._handler(number, frame)
        except KeyboardInterrupt:
            self._is_interrupted = True
            if self._is_in_callback:  # which may take long
                raise


_in_threads: set[Monitor] = set()  # of searches, the main thread apart
_is_exiting = threading.Event()


@atexit.register
def _end_searches_in_threads() -> None:
    """End searches of daemon threads, which joblib leaves behind at Ctrl-C; without an interpreter they crash."""
    _is_exiting.set()
    for _ in range(500):  # some 5 seconds; a callback may hang
        if not _in_threads:
            break
        sleep(0.01)
