"""A table of columns, and its schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._flags import Flags
from hornbeam._user_frame import warn_user
from hornbeam.table.column import Column, Kind


@dataclass(frozen=True, slots=True)
class TableSchema:
    """Names and kinds of the columns that later tables must have, and whether the user named all by strings.

    Names are ``x0``, ``x1``, ... for arrays, and the labels as strings for data frames, whose labels may be numbers.
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    named: bool = False

    def check_names(self, names: tuple[str, ...], named: bool, user: str) -> None:
        """Compare names and number of columns, with the messages of scikit-learn for the class name `user`.

        Raises
        ------
        ValueError
            If the number of columns, or a name or its place differs.

        Warns
        -----
        UserWarning
            If only one of the two tables has names given by the user.
        """
        if named and self.named and names != self.names:
            raise ValueError(_names_differ(self.names, names))
        if len(names) != len(self.names):
            raise ValueError(
                f"X has {len(names)} features, but {user} is expecting {len(self.names)} features as input."
            )
        if named and not self.named:
            warn_user(f"X has feature names, but {user} was fitted without feature names")
        if self.named and not named:
            warn_user(f"X does not have valid feature names, but {user} was fitted with feature names")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length: the schema, and the values of each as in `Column`.

    `values` is `Flags` if all columns are booleans, a matrix of shape (n_columns, n_rows) if all hold numbers of one
    other type, and otherwise a sequence with one array per column.
    """

    schema: TableSchema
    values: Flags | npt.NDArray[Any] | Sequence[npt.NDArray[Any]]
    booleans: frozenset[int] = frozenset()
    """Numbers of the columns that are the user's booleans; `Flags` keep this themselves."""
    known_missing: tuple[bool, ...] | None = None
    """What `has_missing` returns where `values` are only some of the user's; None: what the values say."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.schema.names

    @property
    def named(self) -> bool:
        """Whether all names are strings given by the user, with which the names of later tables are compared."""
        return self.schema.named

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.values.n_rows if isinstance(self.values, Flags) else len(self.values[0])

    @property
    def flags(self) -> Flags | None:
        """The values of all columns if all are booleans, else None."""
        return self.values if isinstance(self.values, Flags) else None

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, made again at each call."""
        return tuple(map(self.column, range(len(self.names))))

    def column(self, index: int, rows: npt.NDArray[Any] | slice = slice(None)) -> Column:
        """Return one column, or some rows of it."""
        is_boolean = self.values.are_boolean if isinstance(self.values, Flags) else index in self.booleans
        return Column(self.schema.names[index], self.schema.kinds[index], self.values[index][rows], is_boolean)

    def has_missing(self) -> tuple[bool, ...]:
        """Return for each column whether any value is missing."""
        if self.known_missing is not None:
            return self.known_missing
        if isinstance(self.values, Flags) or (isinstance(self.values, np.ndarray) and self.values.dtype.kind != "f"):
            return (False,) * len(self.values)
        return tuple(bool(column.is_missing().any()) for column in self.columns)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """Return the table of some rows, given as indices or as a boolean mask of shape (n_rows,)."""
        if isinstance(self.values, Flags):
            return Table(self.schema, self.values.take(rows))
        if isinstance(self.values, np.ndarray):
            return Table(self.schema, np.ascontiguousarray(self.values[:, rows]))
        return Table(self.schema, tuple(values[rows] for values in self.values), self.booleans, self.known_missing)


def _names_differ(fitted: tuple[str, ...], found: tuple[str, ...]) -> str:
    """Return how names differ, with the message of scikit-learn."""
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = sorted(set(found) - set(fitted))
    missing = sorted(set(fitted) - set(found))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bullets(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _bullets(names: list[str]) -> str:
    shown = [f"- {name}\n" for name in names[:5]]
    return "".join(shown) + ("- ...\n" if len(names) > 5 else "")
