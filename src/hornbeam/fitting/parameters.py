"""Checks of the parameters that estimators share: each returns the plain value or names what is wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import inf, isfinite
from typing import Any

import joblib
import numpy as np

from hornbeam import _core
from hornbeam._checks import as_float, is_integer, is_number, shown
from hornbeam.cluster import is_on_cluster

LARGEST_LIMIT = 2**63 - 1  # the core counts in 64 bits; no search gets there


def check_integer(name: str, value: Any, *, least: int, most: float = inf) -> int:
    """Return `value` as an int of at least `least` and at most `most`.

    Raises
    ------
    TypeError
        If `value` is not an integer.
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


def check_limit(name: str, value: Any, *, least: int) -> int | None:
    """Return `value` as an int of at least `least` that the core can hold, or None for None.

    Raises
    ------
    TypeError
        If `value` is neither None nor an integer.
    ValueError
        If it is too small.
    """
    return None if value is None else min(LARGEST_LIMIT, check_integer(name, value, least=least))


def check_number(name: str, value: Any, *, below: float = inf) -> float:
    """Return `value` as a finite float of at least 0 and less than `below`.

    Raises
    ------
    TypeError
        If `value` is not a number.
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


def check_bounds(bounds: Any, known: Collection[str]) -> dict[str, bool]:
    """Return the parameter `bounds` as a dict, empty for None; `known` are the bounds of the search.

    Raises
    ------
    TypeError
        If `bounds` is not a dict, or one of its values not a bool.
    ValueError
        If a key is not the name of a bound.
    """
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        raise TypeError(f"bounds must be None or a dict from a name to True or False, got {shown(bounds)}.")
    for name, is_on in bounds.items():
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"bounds has the unknown key {shown(name)}; the keys are {', '.join(map(repr, known))}.")
        if not isinstance(is_on, (bool, np.bool_)):
            raise TypeError(f"bounds[{name!r}] must be True or False, got {shown(is_on)}.")
    return {name: bool(is_on) for name, is_on in bounds.items()}


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
    """Read `n_jobs` as scikit-learn does: None is 1 (or what a joblib context sets), -1 is every core.

    It is 1 where joblib's backend is a Dask cluster, whose workers have the cores.

    Raises
    ------
    TypeError
        If `n_jobs` is neither None nor an integer.
    ValueError
        If it is 0 or more than 1,024.
    """
    if is_on_cluster():
        n_jobs = 1  # joblib would name the cores of all machines
    if n_jobs is None:
        return int(joblib.effective_n_jobs(None))
    if not is_integer(n_jobs):
        raise TypeError(f"n_jobs must be None or an integer, got {shown(n_jobs)}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread and -1 for every core.")
    if n_jobs > _core.MOST_THREADS:
        raise ValueError(f"n_jobs must be at most {_core.MOST_THREADS}, got {shown(n_jobs)}; use -1 for every core.")
    # A machine may have more cores than the core of hornbeam has threads: "every core" is then not an error.
    return min(_core.MOST_THREADS, int(joblib.effective_n_jobs(int(n_jobs))))


def fit_to_table(options: _core.SearchOptions, n_rows: int, n_given: int) -> _core.SearchOptions:
    """Return the options of a search with limits on the tree no larger than the number of rows.

    These are `n_rows` for the search, which stand for `n_given` of the user if equal ones were merged.

    The core allocates memory for every level of a tree in advance. Both sides of a split have rows, so no tree has more
    leaves or levels than rows; and a larger `min_samples_leaf` allows only the single leaf, as does the number of rows.
    """
    return options.replace(
        max_depth=None if options.max_depth is None else min(options.max_depth, n_rows),
        max_leaves=None if options.max_leaves is None else min(options.max_leaves, n_rows),
        min_samples_leaf=min(options.min_samples_leaf, n_given),
    )
