"""The one kind of error that the command line shows as a line instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class CommandError(Exception):
    """The request cannot be carried out; the text says why and what to do."""


@contextmanager
def refusals_as_command_errors() -> Iterator[None]:
    """Turn what the library says about bad input, and the system about files, into a `CommandError`."""
    try:
        yield
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}" if error.strerror else str(error)) from error
    except (ValueError, TypeError) as error:
        raise CommandError(str(error)) from error
