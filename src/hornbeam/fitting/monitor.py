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

from hornbeam._budget import DEFAULT_TIME_LIMIT
from hornbeam._user_frame import warn_user
from hornbeam.fitting.advice import early_note
from hornbeam.fitting.checkpoints import checkpoint_path, not_written, resumed
from hornbeam.fitting.progress import Progress, Scale, end_of
from hornbeam.fitting.progress_line import ProgressLine, is_live, print_line, progress_text

if TYPE_CHECKING:
    from typing_extensions import Self

    from hornbeam._core import Outcome
    from hornbeam._core import Progress as Record


_PATIENCE = 5.0  # seconds until an interactive user without a time limit of their own is told what would help
_noted: set[str] = set()  # notes printed by this process, so that the folds of a cross-validation print each once


class Monitor:
    """Context of one fit: it shows the progress, calls the callback and handles Ctrl-C.

    From `listener` on, Ctrl-C ends the search and nothing else, so that its tree is kept. If the estimator is a clone,
    the context raises KeyboardInterrupt at its end: nobody will look at the tree of a clone, and whoever fits it, such
    as a cross-validation, must stop, too.

    Parameters
    ----------
    estimator : TreeClassifier
        The estimator being fitted; with parameters `verbose` and `callback`.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator, self._begin = estimator, perf_counter()
        self._line: ProgressLine | None = None
        self._last_text: str | None = None
        self._handler: Callable[[int, FrameType | None], Any] | None = None  # of Ctrl-C, before this one
        self._is_interrupted = self._is_in_callback = False
        self._time_limit: float | None = None
        self._is_patient = True
        self._pass, self._pass_begin, self._pass_rows = "", 0.0, 0
        self._late_warning: Warning | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        _in_threads.discard(self)
        # The callback may have installed a handler of its own, which then stays.
        if self._handler is not None and _signal.getsignal(SIGINT) == self._note_ctrl_c:
            _signal.signal(SIGINT, self._handler)
        if self._line is not None:
            self._line.close(self._last_text if kind is None else None)
        if kind is None and self._is_stopped() and self._estimator._is_clone:
            raise KeyboardInterrupt("Ctrl-C ended the search of a clone; its best tree so far is in its tree_.")

    def announce(self, activity: str) -> None:
        """Show what happens before the search, in terminals and notebooks."""
        if self._estimator.verbose:
            self._line = ProgressLine(activity)

    def report_rows(self, activity: str, n_rows: int) -> None:
        """Show how many rows of a lazy table a pass has read, and how fast; the pass starts with its first report."""
        if self._line is None:
            return
        seconds = perf_counter() - self._begin
        if self._pass != activity:
            self._pass, self._pass_begin, self._pass_rows = activity, seconds, n_rows
        elapsed = seconds - self._pass_begin
        speed = f", {(n_rows - self._pass_rows) / elapsed:,.0f} rows/s" if elapsed > 0 else ""
        self._line.show(f"{activity}: {n_rows:,} rows{speed}", seconds)

    def listener(self, scale: Scale) -> Callable[[Record], bool]:
        """Return the function that the search calls with its progress; the search stops if it returns True."""
        self._hold_ctrl_c()
        limit = self._estimator.time_limit  # only now is it checked
        self._time_limit = None if limit is None else float(limit)
        self._is_patient = self._time_limit not in (None, DEFAULT_TIME_LIMIT)

        def listen(record: Record) -> bool:
            if not self._is_patient and perf_counter() - self._begin >= _PATIENCE:
                self._note_long_search(Progress.from_record(record, scale))
            # If nobody looks, the conversion to the user's units is saved at each of the frequent calls.
            if self._line is None and self._estimator.callback is None:
                return self._is_stopped()
            progress = Progress.from_record(record, scale)
            seconds = perf_counter() - self._begin
            if self._line is not None:
                self._line.show(progress_text(progress, seconds, self._time_limit), seconds)
            return self._is_stopped() or self._stops(progress)

        return listen

    def checkpoint_listener(self, scale: Scale) -> dict[str, Callable[[str, int, float], None]]:
        """Return the argument `on_checkpoint` of a search, if it saves checkpoints: it tells the user of them."""
        path = checkpoint_path(self._estimator)
        if path is None:
            return {}

        def tell(error: str, lower: int, seconds: float) -> None:
            with nullcontext() if self._line is None else self._line.hidden():
                if error:
                    self._warn(not_written(path, error, self._estimator.checkpoint_interval))
                elif self._line is not None:
                    print_line(resumed(path, scale.objective(lower), seconds))

        return {"on_checkpoint": tell}

    def _warn(self, message: str) -> None:
        """Warn now, while the search runs; where a filter turns warnings into errors, after it."""
        try:
            warn_user(message, RuntimeWarning)
        except RuntimeWarning as error:
            self._late_warning = error

    def _note_long_search(self, progress: Progress) -> None:
        """Tell an interactive user once what to do about a long search that nobody limited."""
        self._is_patient = True
        own_note = getattr(self._estimator, "_early_note", None)  # the command line advises options, not parameters
        if own_note is None and not is_live(sys.stderr):
            return
        note = (own_note or early_note)(self._estimator)
        if note and note not in _noted:
            _noted.add(note)
            seconds = perf_counter() - self._begin
            with nullcontext() if self._line is None else self._line.hidden():
                print_line(f"Searching for {seconds:.0f} s, gap {100 * progress.gap:.0f} %. {note}")

    def finish(self, outcome: Outcome, scale: Scale) -> None:
        """Show how the search ended. Raises the warning of a checkpoint that a filter has turned into an error."""
        if self._line is not None:
            end = Progress.from_record(end_of(outcome), scale)
            text = progress_text(end, perf_counter() - self._begin, self._time_limit)
            self._last_text = f"{text}  {outcome['status']}"
        if self._late_warning is not None:
            raise self._late_warning

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
        # Python lets only the main thread set handlers. SIG_DFL, SIG_IGN and handlers set in C are not callable: they
        # stay as they are.
        if threading.current_thread() is not threading.main_thread():
            _in_threads.add(self)
        elif callable(handler := _signal.getsignal(SIGINT)):
            self._handler = handler
            _signal.signal(SIGINT, self._note_ctrl_c)

    def _note_ctrl_c(self, number: int, frame: FrameType | None) -> None:
        assert self._handler is not None
        # The program may handle Ctrl-C in its own way. Only if its handler raises does the signal end the search.
        try:
            self._handler(number, frame)
        except KeyboardInterrupt:
            self._is_interrupted = True
            if self._is_in_callback:  # it may take long, and the search only looks at the flag after it
                raise


_in_threads: set[Monitor] = set()  # of searches outside the main thread
_is_exiting = threading.Event()


@atexit.register
def _end_searches_in_threads() -> None:
    """End the searches of daemon threads, which joblib leaves behind at Ctrl-C and which crash without interpreter."""
    _is_exiting.set()
    for _ in range(500):  # about 5 seconds: a callback that hangs must not keep the process alive
        if not _in_threads:
            break
        sleep(0.01)
