"""Checks of arguments that all layers share: what counts as a number, and how a value is shown in a message."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_random_state

_LONGEST = 200
_WEIGHT_LIMIT = 2**52  # integers below it are exact as float64, too


def shown(value: object) -> str:
    """Return a value for a message: its `repr`, shortened if it is long, or its type if that fails or it is a table."""
    try:
        text = repr(value)
    except Exception:  # whatever it is, the message is about the value: integers of 4,301 digits have no `repr`
        return f"<{type(value).__name__}>"
    if "\n" in text and hasattr(value, "shape") and not isinstance(value, np.ndarray):  # a data frame
        return f"<{type(value).__name__} of shape {value.shape}>"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def is_number(value: object) -> bool:
    """Return whether a value is a real number: not a boolean, nor a duration, which NumPy counts as an integer."""
    return type(value) is float or (
        isinstance(value, Real) and not isinstance(value, (bool, np.bool_, np.timedelta64, np.datetime64))
    )


def is_integer(value: object) -> bool:
    """Return whether a value is an integer: neither a boolean nor a duration."""
    return type(value) is int or (isinstance(value, Integral) and is_number(value))


def as_float(value: Any) -> float:
    """Return a number as float64, infinite where it is too large for that."""
    try:
        return float(value)
    except OverflowError:  # of integers and fractions
        return np.inf if value > 0 else -np.inf


def as_array(name: str, values: Any) -> npt.NDArray[Any]:
    """Return labels, weights or predictions as an array; polars' integers of 128 bits as Python's.

    Raises
    ------
    ValueError
        If NumPy cannot make an array of them, or some are masked.
    """
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise ValueError(f"{name} holds masked values; fill them or leave their rows out.")
    if str(getattr(values, "dtype", "")) in ("Int128", "UInt128"):  # types of polars that NumPy lacks
        return np.array(values.to_list(), dtype=object)
    try:
        return np.asarray(values)
    except MemoryError:
        raise
    except Exception as error:  # whatever the library of the user's container raises
        raise ValueError(f"{name} must be an array of one dimension: {error}") from None


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` as a str if it is one of the choices.

    Raises
    ------
    ValueError
        If it is not.
    """
    if not isinstance(value, str) or value not in choices:
        known = " or ".join(map(repr, choices)) if len(choices) == 2 else f"one of {', '.join(map(repr, choices))}"
        raise ValueError(f"{name} must be {known}, got {shown(value)}.")
    return str(value)


def random_numbers(random_state: Any) -> np.random.RandomState:
    """Read `random_state` as scikit-learn does.

    Raises
    ------
    ValueError
        If it is neither None nor an integer of 0 to 2^32 - 1 nor a RandomState.
    """
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except Exception:  # a message of scikit-learn may hold a value that has no `repr`
        raise ValueError(
            f"random_state must be None, an integer from 0 to 2**32 - 1 or a RandomState, got {shown(random_state)}."
        ) from None


def check_weights(sample_weight: Any, n_rows: int) -> npt.NDArray[np.float64] | npt.NDArray[np.int64]:
    """Read the weights of the rows, as int64 where they are integers and as float64 otherwise.

    Parameters
    ----------
    sample_weight : array-like of shape (n_rows,) or None
        None: every row weighs 1.
    n_rows : int

    Returns
    -------
    ndarray of shape (n_rows,)

    Raises
    ------
    ValueError
        If the shape is wrong, or a weight is negative, NaN or infinite, or all weights are zero.
    TypeError
        If the weights are not numbers.
    """
    weights = read_weights(sample_weight, n_rows)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one weight must be greater than zero.")
    return weights


def read_weights(sample_weight: Any, n_rows: int) -> npt.NDArray[np.float64] | npt.NDArray[np.int64]:
    """Read and check weights as `check_weights` does, but let all be zero: they may be those of a part of the rows."""
    if sample_weight is None:
        ones = np.empty(n_rows, dtype=np.int64)
        ones.fill(1)
        return ones
    weights = as_array("sample_weight", sample_weight)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), one weight for each row; got {weights.shape}.")
    try:
        if weights.dtype.kind in "cmM":
            raise TypeError
        numbers = weights.astype(np.float64)
    except OverflowError:  # of Python's integers and fractions
        numbers = np.array([as_float(weight) for weight in weights.tolist()])
    except (TypeError, ValueError):
        raise TypeError(f"sample_weight must hold numbers, got an array of dtype {weights.dtype}.") from None
    for wrong, what in ((~np.isfinite(numbers), "finite"), (numbers < 0, "not negative")):
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(f"sample_weight must be {what}, got {shown(weights.tolist()[row])} in row {row}.")
    if weights.dtype.kind in "biu" and numbers.max(initial=0) < _WEIGHT_LIMIT:
        return weights.astype(np.int64)
    return numbers
