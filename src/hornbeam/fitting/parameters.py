"""Checks of the parameters that estimators share: each returns the plain value or names what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from typing import Any

import joblib
import numpy as np

from hornbeam._checks import as_float, is_integer, is_number, shown

MOST_THREADS = 1024  # that the core starts


def check_integer(name: str, value: Any, *, least: int, most: float = inf) -> int:
    """Return `value` as an int of at least `least` and at most `most`.

    Raises
    ------
    TypeError
        If `value` is no integer.
    ValueError
        If it is too small or too large.
    """
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {shown(value)}.")
    number = int(value)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, got {shown(value)}.")
    if number > most:
        raise ValueError(f"{name} must be at most {most}, got {shown(value)}.")
    return number


def check_number(name: str, value: Any, *, below: float = inf) -> float:
    """Return `value` as a finite float, not negative and less than `below`.

    Raises
    ------
    TypeError
        If `value` is no number.
    ValueError
        If it is out of range.
    """
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {shown(value)}.")
    number = as_float(value)
    if not isfinite(number) or not 0 <= number < below:
        end = "finite" if below == inf else f"less than {below:g}"
        raise ValueError(f"{name} must be at least 0 and {end}, got {shown(value)}.")
    return number


def check_switches(name: str, value: Any, known: Sequence[str]) -> dict[str, bool]:
    """Return a dict of switches, empty for None.

    Raises
    ------
    TypeError
        If `value` is no dict or a switch is no bool.
    ValueError
        If a switch is unknown.
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be None or a dict from a name to True or False, got {shown(value)}.")
    for key, switch in value.items():
        if not isinstance(key, str) or key not in known:
            raise ValueError(f"{name} has the unknown key {shown(key)}; the keys are {', '.join(map(repr, known))}.")
        if not isinstance(switch, (bool, np.bool_)):
            raise TypeError(f"{name}[{key!r}] must be True or False, got {shown(switch)}.")
    return {key: bool(switch) for key, switch in value.items()}


def check_callback(callback: Any) -> None:
    """Check that `callback` is None or callable.

    Raises
    ------
    TypeError
        If it is not.
    """
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be None or callable, got {shown(callback)}.")


def number_of_threads(n_jobs: Any) -> int:
    """Read `n_jobs` as scikit-learn does: None is 1 (or what a joblib context says), -1 is every core.

    Raises
    ------
    TypeError
        If `n_jobs` is neither None nor an integer.
    ValueError
        If it is 0 or more than 1,024.
    """
    if n_jobs is None:
        return int(joblib.effective_n_jobs())
    if not is_integer(n_jobs):
        raise TypeError(f"n_jobs must be None or an integer, got {shown(n_jobs)}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread and -1 for every core.")
    if n_jobs > MOST_THREADS:
        raise ValueError(f"n_jobs must be at most {MOST_THREADS}, got {shown(n_jobs)}; use -1 for every core.")
    return min(MOST_THREADS, int(joblib.effective_n_jobs(int(n_jobs))))


def fit_to_table(options: dict[str, Any], n_rows: int) -> dict[str, Any]:
    """Return the options of a search with its limits on the tree as small as a table of so many rows allows.

    The core has integers of 64 bits, and room for every level of a tree in advance. Each split has rows on both sides,
    so that no tree has more leaves than rows, nor as many levels; a leaf of all rows is always allowed, and a smaller
    one cannot have as many. A larger limit therefore means the same as the number of rows.
    """
    limits = ("max_depth", "max_leaves", "min_samples_leaf")
    return options | {name: min(options[name], n_rows) for name in limits if options.get(name) is not None}
