"""What is probably wrong with a column: text that is numbers or dates, identifiers, copies of the target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam.columns._remedies import Remedies
from hornbeam.columns._text import TextLook, look_at
from hornbeam.table import Table

if TYPE_CHECKING:
    from hornbeam.tree import Tree

Problem: TypeAlias = Literal["number as text", "date as text", "identifier", "copy of the target"]

_FEWEST_STRINGS = 50  # rows with a value, from which on nearly unique strings are called identifiers
_FEWEST_ROWS = 100  # from which on whole numbers and copies of the target are looked for
_UNIQUE = 0.9
_COLLISIONS = 10  # equal pairs to be expected of numbers that are not identifiers
_COPY_ERROR = 0.02  # of the rows that the most frequent class gets wrong
_FEWEST_ERRORS = 10


class ColumnRemark(NamedTuple):
    """One thing that is probably wrong with a column.

    Attributes
    ----------
    column : str
        Name of the column.
    problem : {"number as text", "date as text", "identifier", "copy of the target"}
    found : str
        What was found.
    remedy : str
        Python code that mends it, for a table named ``X``.
    """

    column: str
    problem: Problem
    found: str
    remedy: str


class Suspect(NamedTuple):
    """A column, what is wrong with it, and what its strings look like where it holds text."""

    position: int
    problem: Problem
    found: str
    look: TextLook | None = None

    def remark(self, table: Table, remedies: Remedies) -> ColumnRemark:
        """Return the remark with its remedy."""
        remedy = remedies.drop(self.position) if self.look is None else remedies.convert(self.position, self.look)
        return ColumnRemark(table.names[self.position], self.problem, self.found, remedy)


def suspects_of(table: Table, X: Any) -> list[Suspect]:
    """Return the columns that are probably not meant as they were read; `X` is what the table was read from."""
    if table.flags is not None:
        return []
    found = [*_identifiers(table), *_texts(table)]
    if any(suspect.look is not None for suspect in found):
        declared = _declared_categories(X)
        found = [suspect for suspect in found if suspect.look is None or suspect.position not in declared]
    return sorted(found, key=lambda suspect: suspect.position)


def _identifiers(table: Table) -> Iterator[Suspect]:
    """Find whole numbers that are all different although there is little room for that."""
    n_rows = table.n_rows
    if n_rows < _FEWEST_ROWS or len(table.names) == 1:
        return
    for index, values in enumerate(table.values):
        if table.schema.kinds[index] != "number" or values.dtype == bool:
            continue
        if any(value % 1 for value in values[:32].tolist()):  # NaN has no place among identifiers either
            continue
        room = float(values.max()) - float(values.min()) + 1
        if not n_rows <= room <= n_rows**2 / (2 * _COLLISIONS):
            continue
        if len(np.unique(values)) == n_rows and np.array_equal(values, np.rint(values)):
            yield Suspect(
                index, "identifier", f"looks like an identifier: {n_rows:,} different whole numbers in {n_rows:,} rows"
            )


def _texts(table: Table) -> Iterator[Suspect]:
    for index, kind in enumerate(table.schema.kinds):
        if kind != "category":
            continue
        values = table.values[index]
        distinct = set(values.tolist()) - {None}
        look = look_at(distinct)
        if look is not None:
            problem: Problem = "date as text" if look.is_date else "number as text"
            yield Suspect(index, problem, f"holds {look.found}", look)
        elif len(distinct) >= _UNIQUE * _FEWEST_STRINGS:
            n_present = len(values) - sum(value is None for value in values)
            if n_present >= _FEWEST_STRINGS and len(distinct) >= _UNIQUE * n_present:
                found = f"{len(distinct):,} different strings in {n_present:,} rows with a value"
                yield Suspect(index, "identifier", f"looks like an identifier or free text: {found}")


def _declared_categories(X: Any) -> set[int]:
    """Return the columns that the user has declared to be categories."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return set()
    return {index for index, dtype in enumerate(frame.schema.values()) if dtype in (nw.Categorical, nw.Enum)}


def copies_in(table: Table, codes: npt.NDArray[Any], n_classes: int) -> Iterator[Suspect]:
    """Find columns from which alone the class can be predicted almost without error; `codes` number the classes."""
    most_errors = _COPY_ERROR * (len(codes) - int(np.bincount(codes).max()))
    if len(codes) < _FEWEST_ROWS or most_errors < _COPY_ERROR * _FEWEST_ERRORS or len(table.names) == 1:
        return
    for column_index, column in enumerate(table.columns):
        if column.kind == "category":
            numbers: dict[Any, int] = {}
            groups = np.array([numbers.setdefault(value, len(numbers)) for value in column.values])
        else:
            groups = np.unique(column.values, return_inverse=True)[1]
        counts = np.bincount(groups * n_classes + codes, minlength=(int(groups.max()) + 1) * n_classes)
        counts = counts.reshape(-1, n_classes)
        errors = len(codes) - int(counts.max(axis=1).sum())
        if column.kind == "category":
            is_copy = len(counts) <= max(2 * n_classes, len(codes) // 20)
        else:  # each change of the class from one value to the next takes a threshold
            changes = int(np.count_nonzero(np.diff(counts.argmax(axis=1))))
            is_copy = changes <= n_classes - 1 + 2 * (int(most_errors) - errors)
        if is_copy and errors <= most_errors:
            yield _copy(column_index, 1 - errors / len(codes))


def copy_in_tree(tree: Tree) -> Suspect | None:
    """Return the column that suffices to predict almost without error, as far as a fitted tree shows it, at no cost.

    That is the column of the root where its two sides need no further split, or the only one that a small tree tests.
    """
    root = tree.conditions[0]
    if root is None or len(tree.columns.names) == 1 or tree.n_samples[0] < _FEWEST_ROWS:
        return None
    weights = tree.class_weights.tolist()  # in plain numbers: this runs in each fit

    def loss_at(node: int) -> float:
        return float(sum(weights[node]) - max(weights[node]))

    n_classes, root_loss = len(weights[0]), loss_at(0)
    most, total = _COPY_ERROR * root_loss, float(sum(weights[0]))
    if root_loss * int(tree.n_samples[0]) < _FEWEST_ERRORS * total:
        return None
    loss = loss_at(tree.left[0]) + loss_at(tree.right[0])
    if loss > most and len(weights) < 4 * n_classes:
        if any(condition is not None and condition.column != root.column for condition in tree.conditions):
            return None
        loss = sum(loss_at(node) for node, condition in enumerate(tree.conditions) if condition is None)
    return _copy(root.column, 1 - loss / total) if loss <= most else None


def _copy(index: int, accuracy: float) -> Suspect:
    share = "all rows" if accuracy == 1 else f"{100 * accuracy:.3g} % of the rows"
    found = f"alone predicts the target of {share}: it may be a copy of it, or known only afterwards"
    return Suspect(index, "copy of the target", found)
