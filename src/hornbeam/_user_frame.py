"""Warnings that name the line of the user's program, however deep in hornbeam their cause is found."""

from __future__ import annotations

import sys
import warnings
from types import FrameType


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning that names the line that called hornbeam."""
    _, depth = _frame_of_user()
    warnings.warn(message, category, stacklevel=depth)


def module_of_user() -> str:
    """Return the name of the module that called hornbeam."""
    frame, _ = _frame_of_user()
    return str(frame.f_globals.get("__name__", ""))


def _frame_of_user() -> tuple[FrameType, int]:
    """Return the innermost frame outside hornbeam, and its `stacklevel` in a warning issued by the caller.

    From Python 3.12 on, `skip_file_prefixes` of `warnings.warn` could replace this.
    """
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and f"{frame.f_globals.get('__name__', '')}.".startswith("hornbeam."):
        frame, depth = frame.f_back, depth + 1
    return frame, depth
