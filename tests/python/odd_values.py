"""Values that a parameter hardly ever gets, and how a refusal of one must look."""

import re
import warnings
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real

import numpy as np
import pandas as pd

from hornbeam import NotProvenWarning


class Unprintable:
    """An object whose `repr` fails."""

    def __repr__(self):
        raise RuntimeError("no repr")


class NumberOfSorts(float):
    """A float of another type."""


ODD_VALUES = [
    None,
    True,
    False,
    np.True_,
    0,
    -1,
    1,
    3,
    1024,
    1025,
    2**31 - 1,
    2**31,
    2**32,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**64,
    10**400,
    10**5000,
    -(2**31),
    -(2**63),
    -(10**400),
    0.5,
    1.0,
    -0.0,
    0.1 + 0.2,
    float("nan"),
    float("inf"),
    float("-inf"),
    1e16,
    1e308,
    1e-300,
    5e-324,
    np.int8(1),
    np.uint64(2**64 - 1),
    np.float16(0.5),
    np.float32(0.1),
    np.float64(0.1),
    np.float64("nan"),
    np.longdouble("0.1"),
    np.longdouble("1e4000"),
    np.longdouble("1e-4000"),
    Decimal("0.1"),
    Decimal("1e400"),
    Decimal("sNaN"),
    Fraction(1, 3),
    Fraction(1, 10**400),
    Fraction(10**400, 3),
    Fraction(-1, 10**400),
    Fraction(10**400 - 1, 10**400),
    NumberOfSorts(0.5),
    1j,
    np.complex64(0.5),
    "",
    "abc",
    "0.5",
    "é\ud800",
    "abc\0",
    "{}",
    b"exact",
    np.str_("abc"),
    np.bytes_(b"abc"),
    [],
    [1],
    [0.5, 0.5],
    [10**400, 1],
    [float("nan"), 1],
    ["é\ud800", "abc"],
    [[]],
    [[0, 1], [1]],
    [None],
    (),
    (1, 1),
    {},
    {"a": 1},
    {0: 10**400},
    {0: 1e308, 1: 5e-324},
    {1: Fraction(-1, 10**400)},
    {0: float("nan")},
    {"é\ud800": True},
    {None: None},
    {pd.NA: 1},
    {10**5000: 10**5000},
    {(): 1},
    set(),
    {1},
    frozenset(),
    range(0),
    range(3),
    bytearray(b"exact"),
    np.array([]),
    np.array(1),
    np.array(0.5),
    np.array("exact"),
    np.array([1]),
    np.array([1, 2]),
    np.array([0.5, np.nan]),
    np.array(["exact"]),
    np.array(["exact", "abc"]),
    np.array([None, 1], dtype=object),
    np.array([10**400, 1], dtype=object),
    np.array([1, 1], dtype=np.longdouble),
    np.array([[0, 1], [1, 0]], dtype=np.complex128),
    np.zeros((0, 2)),
    np.ma.masked,
    np.ma.array([1, 2], mask=[True, False]),
    np.datetime64("2020-01-01"),
    np.datetime64("NaT"),
    np.timedelta64(1, "s"),
    np.void(b"abc"),
    pd.NA,
    pd.NaT,
    pd.Timestamp("2020-01-01"),
    pd.Timedelta(1, "s"),
    pd.Series([1, 2]),
    pd.Series(["exact"]),
    pd.DataFrame({"a": [1]}),
    pd.Categorical(["exact"]),
    object(),
    object,
    int,
    Unprintable(),
    lambda *arguments: None,
    lambda: 1,
    print,
    iter([1]),
    ...,
    NotImplemented,
    np,
    TypeError("abc"),
]


def described(value):
    """Return a value for the name of a test, the same in every process: addresses are left out."""
    try:
        text = f"{type(value).__name__} {value!r:.40}".partition(" at 0x")[0]
        return text.encode("ascii", "backslashreplace").decode()
    except Exception:
        return type(value).__name__


def is_integer(value):
    """Return whether a value is an integer, and no boolean."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def is_number(value):
    """Return whether a value is a real number, and no boolean."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def refusal_is_wrong(error, *names):
    """Return what is wrong with an error about an argument: of another type, or naming none of the given names."""
    if not isinstance(error, (TypeError, ValueError)) or isinstance(error, UnicodeError):
        return f"{type(error).__name__}: {error}"
    if not any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", str(error)) for name in names):
        return f"names no argument: {type(error).__name__}: {error}"
    return None


def faults_of(call, values, *names):
    """Call with each value, and return those that are neither refused by name nor give what `call` finds right.

    `call` returns what is wrong with the result, or None. A warning other than `NotProvenWarning` is a fault, too,
    unless it says that no tree is as good as a small `rashomon_bound`, or that one is better than a large
    `known_lower_bound`.
    """
    faults = []
    for value in values:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", NotProvenWarning)
                warnings.filterwarnings("ignore", "The set is empty")
                warnings.filterwarnings("ignore", "known_lower_bound=.* is wrong")
                fault = call(value)
        except Exception as error:
            fault = refusal_is_wrong(error, *names)
        if fault is not None:
            faults.append(f"{described(value)}: {fault!s:.200}".encode("ascii", "backslashreplace").decode())
    return faults
