"""Checks of the parameters that estimators share: each returns the plain value or names what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

import joblib
import numpy as np


def check_integer(name: str, value: Any, *, least: int) -> int:
    """Return `value` as an int of at least `least`.

    Raises
    ------
    TypeError
        If `value` is no integer.
    ValueError
        If it is too small.
    """
    if type(value) is not int and (isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral)):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.")
    return int(value)


def check_number(name: str, value: Any, *, below: float = inf) -> float:
    """Return `value` as a finite float, not negative and less than `below`.

    Raises
    ------
    TypeError
        If `value` is no number.
    ValueError
        If it is out of range.
    """
    if type(value) is not float and (isinstance(value, (bool, np.bool_)) or not isinstance(value, Real)):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    number = float(value)
    if not isfinite(number) or not 0 <= number < below:
        end = "finite" if below == inf else f"less than {below:g}"
        raise ValueError(f"{name} must be at least 0 and {end}, got {value!r}.")
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
        raise TypeError(f"{name} must be None or a dict from a name to True or False, got {value!r}.")
    for key, switch in value.items():
        if key not in known:
            raise ValueError(f"{name} has the unknown key {key!r}; the keys are {', '.join(map(repr, known))}.")
        if not isinstance(switch, (bool, np.bool_)):
            raise TypeError(f"{name}[{key!r}] must be True or False, got {switch!r}.")
    return {key: bool(switch) for key, switch in value.items()}


def check_callback(callback: Any) -> None:
    """Check that `callback` is None or callable.

    Raises
    ------
    TypeError
        If it is not.
    """
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be None or callable, got {callback!r}.")


def number_of_threads(n_jobs: Any) -> int:
    """Read `n_jobs` as scikit-learn does: None is 1 (or what a joblib context says), -1 is every core.

    Raises
    ------
    TypeError
        If `n_jobs` is neither None nor an integer.
    ValueError
        If it is 0.
    """
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral)):
        raise TypeError(f"n_jobs must be None or an integer, got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; use 1 for one thread and -1 for every core.")
    return int(joblib.effective_n_jobs(n_jobs))
