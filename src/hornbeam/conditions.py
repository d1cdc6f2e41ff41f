"""The tests that a tree makes: one condition on one column of the user's table.

A binary column of the search is always one of these conditions, so a tree can be read in the words of the table it
was grown on. One rule holds for missing values everywhere: **a missing value fails every condition except**
`IsMissing`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam._dates import DATE_KINDS, date_text
from hornbeam.table import Column, Kind, TableSchema

Scalar: TypeAlias = "str | bool | int | float"


def readable_name(name: str) -> str:
    """Return the name of a column for a sentence: ``column 3`` if it is the number ``3``, a label in pandas."""
    return f"column {name}" if name.removeprefix("-").isdecimal() else name


@dataclass(frozen=True, slots=True)
class AtMost:
    """``column <= threshold`` on a column of numbers, or of dates, times or durations, whose unit is the second.

    Examples
    --------
    >>> from hornbeam.conditions import AtMost
    >>> AtMost(column=0, threshold=2.5).text("priors_count")
    'priors_count <= 2.5'
    >>> AtMost(column=0, threshold=1682899200).text("signup", "date")
    'signup <= 2023-05-01'
    """

    kind: ClassVar[str] = "at_most"
    column: int
    threshold: float

    def holds(self, column: Column) -> npt.NDArray[np.bool_]:
        """Return for each row whether the condition holds; shape (n_rows,)."""
        with np.errstate(invalid="ignore"):
            # In float64 also where the numbers are narrower: a threshold lies between two of them.
            return np.asarray(np.less_equal(column.values, self.threshold, signature="dd->?"))

    def text(self, name: str, kind: Kind = "number") -> str:
        """Return the condition in words, ``priors_count <= 2.5``, for a column of a kind."""
        return f"{name} <= {self.threshold_text(kind)}"

    def negated_text(self, name: str, kind: Kind = "number") -> str:
        """Return the opposite in words, ``priors_count > 2.5``, for a column of a kind."""
        return f"{name} > {self.threshold_text(kind)}"

    def threshold_text(self, kind: Kind = "number") -> str:
        """Return the threshold of a column of a kind, ``2.5`` or ``2023-05-01``."""
        return date_text(self.threshold, kind) if kind in DATE_KINDS else f"{self.threshold:.10g}"


@dataclass(frozen=True, slots=True)
class IsOne:
    """``column = 1`` on a column of numbers that holds only 0 and 1.

    Examples
    --------
    >>> from hornbeam.conditions import IsOne
    >>> IsOne(column=0).negated_text("felony")
    'felony = 0'
    """

    kind: ClassVar[str] = "is_one"
    column: int

    def holds(self, column: Column) -> npt.NDArray[np.bool_]:
        """Return for each row whether the condition holds; shape (n_rows,)."""
        return np.asarray(np.equal(column.values, True))  # compared in the type of the column

    def text(self, name: str) -> str:
        """Say the condition in words, ``felony = 1``."""
        return f"{name} = 1"

    def negated_text(self, name: str) -> str:
        """Say the opposite in words, ``felony = 0``."""
        return f"{name} = 0"


@dataclass(frozen=True, slots=True)
class IsTrue(IsOne):
    """``column is true`` on a column of booleans: the same as `IsOne`, with a different wording.

    Examples
    --------
    >>> from hornbeam.conditions import IsTrue
    >>> IsTrue(column=0).text("felony"), IsTrue(column=0).negated_text("felony")
    ('felony is true', 'felony is false')
    """

    kind: ClassVar[str] = "is_true"

    def text(self, name: str) -> str:
        """Say the condition in words, ``felony is true``."""
        return f"{name} is true"

    def negated_text(self, name: str) -> str:
        """Say the opposite in words, ``felony is false``."""
        return f"{name} is false"


def condition_of_ones(is_boolean: bool) -> type[IsOne]:
    """Return the condition for a column of zeros and ones: `IsTrue` for booleans, else `IsOne`."""
    return IsTrue if is_boolean else IsOne


@dataclass(frozen=True, slots=True)
class IsIn:
    """``column in {a, b}`` on a column of categories: strings, booleans or numbers.

    Examples
    --------
    >>> from hornbeam.conditions import IsIn
    >>> from hornbeam.table import read_table
    >>> color = IsIn(column=0, values=("red", "green"))
    >>> color.text("color"), color.holds(read_table([["red"], ["blue"]]).columns[0]).tolist()
    ('color in {red, green}', [True, False])
    """

    kind: ClassVar[str] = "is_in"
    column: int
    values: tuple[Scalar, ...]

    def holds(self, column: Column) -> npt.NDArray[np.bool_]:
        """Return for each row whether the condition holds; shape (n_rows,)."""
        wanted = set(self.values)
        return np.fromiter((value in wanted for value in column.values), dtype=bool, count=len(column.values))

    def text(self, name: str) -> str:
        """Say the condition in words, ``color in {red}``."""
        return f"{name} in {{{', '.join(map(str, self.values))}}}"

    def negated_text(self, name: str) -> str:
        """Say the opposite in words, ``color not in {red}``."""
        return f"{name} not in {{{', '.join(map(str, self.values))}}}"


@dataclass(frozen=True, slots=True)
class IsMissing:
    """``column is missing``: the only condition that a missing value meets.

    Examples
    --------
    >>> from hornbeam.conditions import IsMissing
    >>> from hornbeam.table import read_table
    >>> IsMissing(column=0).holds(read_table([[1.5], [None]]).columns[0]).tolist()
    [False, True]
    """

    kind: ClassVar[str] = "is_missing"
    column: int

    def holds(self, column: Column) -> npt.NDArray[np.bool_]:
        """Return for each row whether the condition holds; shape (n_rows,)."""
        return column.is_missing()

    def text(self, name: str) -> str:
        """Say the condition in words, ``age is missing``."""
        return f"{name} is missing"

    def negated_text(self, name: str) -> str:
        """Say the opposite in words, ``age is not missing``."""
        return f"{name} is not missing"


Condition: TypeAlias = AtMost | IsOne | IsIn | IsMissing


def condition_text(condition: Condition, schema: TableSchema) -> str:
    """Return a condition on a column of a table in words."""
    name, kind = readable_name(schema.names[condition.column]), schema.kinds[condition.column]
    return condition.text(name, kind) if isinstance(condition, AtMost) else condition.text(name)


def condition_to_dict(condition: Condition) -> dict[str, Any]:
    """Write a condition as plain JSON values; `condition_from_dict` reads it back."""
    match condition:
        case AtMost(column, threshold):
            return {"kind": "at_most", "column": column, "threshold": threshold}
        case IsOne(column):
            return {"kind": condition.kind, "column": column}
        case IsIn(column, values):
            return {"kind": "is_in", "column": column, "values": list(values)}
        case IsMissing(column):
            return {"kind": "is_missing", "column": column}


def condition_from_dict(record: dict[str, Any]) -> Condition:
    """Read what `condition_to_dict` wrote.

    Raises
    ------
    ValueError
        If `record` names no known kind of condition.
    """
    kind = record.get("kind")
    if kind == "at_most":
        return AtMost(int(record["column"]), float(record["threshold"]))
    if kind == "is_one":
        return IsOne(int(record["column"]))
    if kind == "is_true":
        return IsTrue(int(record["column"]))
    if kind == "is_in":
        return IsIn(int(record["column"]), tuple(record["values"]))
    if kind == "is_missing":
        return IsMissing(int(record["column"]))
    raise ValueError(
        f"Unknown kind of condition: {kind!r}; expected 'at_most', 'is_one', 'is_true', 'is_in' or 'is_missing'."
    )
