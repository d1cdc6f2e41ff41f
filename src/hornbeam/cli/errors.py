"""Errors and interruptions that the command line reports in one line instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


class CommandError(Exception):
    """The command failed; the message states why and what to do."""


class InterruptionError(Exception):
    """Ctrl-C ended a command early; the message states what is done and what is not."""


@dataclass
class Stage:
    """The current stage of a command, for the message after Ctrl-C.

    Attributes
    ----------
    doing : str
        Completes "interrupted", such as "before a tree was found".
    written : list of Path
        The files that are complete.
    """

    doing: str
    written: list[Path] = field(default_factory=list)


@contextmanager
def interrupts_told(doing: str) -> Iterator[Stage]:
    """Turn Ctrl-C into an `InterruptionError` that states the stage, which the command updates."""
    stage = Stage(doing)
    try:
        yield stage
    except KeyboardInterrupt:
        files = " and ".join(map(str, stage.written))
        complete = f"; {files} {'is' if len(stage.written) == 1 else 'are'} complete" if files else ""
        raise InterruptionError(f"interrupted {stage.doing}{complete}") from None


@contextmanager
def refusals_as_command_errors() -> Iterator[None]:
    """Turn errors of the library about input and memory, and of the system about files, into a `CommandError`."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}" if error.strerror else str(error)) from error
    except (ValueError, TypeError, MemoryError) as error:
        raise CommandError(str(error) or "out of memory") from error


@contextmanager
def polars_errors_told(path: Path) -> Iterator[None]:
    """Turn errors of polars about a file into a `CommandError`."""
    from polars.exceptions import PolarsError

    try:
        yield
    except PolarsError as error:
        raise CommandError(f"{path}: cannot be read: {error}") from error
