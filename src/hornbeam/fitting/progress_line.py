"""The progress line of ``verbose=1``."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.fitting.progress import Progress

_FIRST_PRINT = 10.0  # seconds


class ProgressLine:
    """One line on stderr, renewed in place in a terminal or notebook.

    Elsewhere, such as in a log file, lines are printed after 10, 20, 40, ... seconds, and the last one.

    Parameters
    ----------
    text : str
        What to show first in a terminal or notebook.
    """

    def __init__(self, text: str) -> None:
        self._next_print = _FIRST_PRINT
        self._bar: Any = None
        if is_live(sys.stderr):
            from tqdm import tqdm  # only where it is used: importing it takes longer than a small fit

            self._bar = tqdm(desc=text, bar_format="{desc}", file=sys.stderr, dynamic_ncols=True)

    def show(self, text: str, seconds: float) -> None:
        """Show a text, `seconds` after the fit began."""
        if self._bar is not None:
            self._bar.set_description_str(f"{text}  ")  # a terminal writes ^C behind it
        elif seconds >= self._next_print:
            print_line(text)
            self._next_print = 2 * seconds  # a dozen lines even of a search that runs all day

    def hidden(self) -> AbstractContextManager[Any]:
        """Return a context in which others may print."""
        return nullcontext() if self._bar is None else self._bar.external_write_mode(file=sys.stderr)

    def close(self, text: str | None) -> None:
        """Leave `text` on the screen, or nothing if it is None."""
        if self._bar is not None:
            self._bar.leave = text is not None
            self._bar.set_description_str(text, refresh=False)
            self._bar.close()
            self._bar.fp.flush()  # the end of the line, in a notebook, too
        elif text is not None:
            print_line(text)


def progress_text(progress: Progress, seconds: float, time_limit: float | None) -> str:
    """Return the line of a running search, `seconds` after the fit began."""
    limit = "" if time_limit is None else f" of {time_limit:g} s"
    leaves = "leaf" if progress.n_leaves == 1 else "leaves"
    return (
        f"{seconds:.1f} s{limit}  objective {progress.objective:.5f}  bound {progress.lower_bound:.5f}  "
        f"gap {100 * progress.gap:.2f} %  {progress.n_leaves} {leaves}"
    )


def is_live(stream: Any) -> bool:
    """Return whether a stream is a terminal or a notebook's cell, where a line can be renewed in place."""
    is_terminal = hasattr(stream, "isatty") and stream.isatty()
    return is_terminal or type(stream).__module__.partition(".")[0] == "ipykernel"


def print_line(text: str) -> None:
    """Print a text to stderr, if there is one."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)
