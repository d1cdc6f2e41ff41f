"""What the command line shows as a line instead of a traceback: errors, and what Ctrl-C left undone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


class CommandError(Exception):
    """The request cannot be carried out; the text says why and what to do."""


class InterruptionError(Exception):
    """Ctrl-C ended a command before all was done; the text says what was, and what was not."""


@dataclass
class Stage:
    """What a command is doing, for the case of Ctrl-C.

    Attributes
    ----------
    doing : str
        Such as "before a tree was found".
    written : list of Path
        The files that are complete.
    """

    doing: str
    written: list[Path] = field(default_factory=list)


@contextmanager
def interrupts_told(doing: str) -> Iterator[Stage]:
    """Turn Ctrl-C into an `InterruptionError` that says how far the command came; the command updates the stage."""
    stage = Stage(doing)
    try:
        yield stage
    except KeyboardInterrupt:
        files = " and ".join(map(str, stage.written))
        complete = f"; {files} {'is' if len(stage.written) == 1 else 'are'} complete" if files else ""
        raise InterruptionError(f"interrupted {stage.doing}{complete}") from None


@contextmanager
def refusals_as_command_errors() -> Iterator[None]:
    """Turn what the library says about bad input, and the system about files, into a `CommandError`."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}" if error.strerror else str(error)) from error
    except (ValueError, TypeError) as error:
        raise CommandError(str(error)) from error
