"""Find what is probably wrong with a column: numbers or dates as text, identifiers, copies of the target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam.columns._remedies import Remedies
from hornbeam.columns._text import TextKind, text_kind
from hornbeam.columns._values import missing_code, spellings
from hornbeam.table import Table

if TYPE_CHECKING:
    from hornbeam.tree import Tree

Problem: TypeAlias = Literal[
    "number as text", "date as text", "identifier", "copy of the target", "missing as number", "spelling"
]

_FEWEST_STRINGS = 50  # rows with a value from which nearly unique strings are called identifiers
_FEWEST_ROWS = 100  # rows from which identifiers among numbers and copies of the target are looked for
_UNIQUE = 0.9  # share of distinct strings
_COLLISIONS = 10  # equal pairs to be expected if the numbers are not identifiers
_COPY_ERROR = 0.02  # as a share of the rows that are not of the most frequent class
_FEWEST_ERRORS = 10
_FEWEST_ROWS_OF_CLASS = 5
_SAMPLE = 64  # rows that are examined first
_ERRORS_IN_SAMPLE = 3


class ColumnRemark(NamedTuple):
    r"""One thing that is probably wrong with a column.

    Attributes
    ----------
    column : str
        Name of the column.
    problem : {"number as text", "date as text", "identifier", "copy of the target", "missing as number", "spelling"}
    found : str
        What was found.
    remedy : str
        Python code that fixes it, for a table named ``X``.

    Examples
    --------
    >>> import pandas as pd
    >>> from hornbeam import column_report
    >>> remark = column_report(pd.DataFrame({"size": ["12 kg", "9 kg", "15 kg"]})).remarks[0]
    >>> remark.problem, remark.found
    ('number as text', "holds numbers with a unit as text, such as '15 kg'")
    >>> print(remark.remedy)
    X["size"] = pd.to_numeric(X["size"].str.replace(r"[^-+\d.,]", "", regex=True), errors="coerce")
    """

    column: str
    problem: Problem
    found: str
    remedy: str


class Suspect(NamedTuple):
    """A column, what is wrong with it, and for text what its strings look like."""

    position: int
    problem: Problem
    found: str
    kind: TextKind | None = None
    code: int = 0
    """The number that stands for a missing value."""

    def remark(self, table: Table, remedies: Remedies) -> ColumnRemark:
        """Return the remark with its remedy."""
        if self.problem == "missing as number":
            remedy = remedies.blank(self.position, self.code)
        elif self.problem == "spelling":
            remedy = remedies.unify(self.position)
        elif self.kind is None:
            remedy = remedies.drop(self.position)
        else:
            remedy = remedies.convert(self.position, self.kind)
        return ColumnRemark(table.names[self.position], self.problem, self.found, remedy)


def suspects_of(table: Table, X: Any, codes: npt.NDArray[Any] | None, n_classes: int) -> list[Suspect]:
    """Return the columns that are probably not meant as they were read.

    `X` is what the table was read from; `codes` are the classes of the rows, numbered from 0, or None if not known.
    """
    copies = [] if codes is None else list(copies_in(table, codes, n_classes))
    if table.flags is not None:
        return copies
    found = [*_identifiers(table), *_missing_codes(table), *_texts(table), *copies]
    if any(suspect.kind is not None or suspect.problem == "spelling" for suspect in found):
        declared = _declared_categories(X)
        found = [
            suspect
            for suspect in found
            if (suspect.kind is None and suspect.problem != "spelling") or suspect.position not in declared
        ]
    return sorted(found, key=lambda suspect: suspect.position)


def _identifiers(table: Table) -> Iterator[Suspect]:
    """Find columns of distinct whole numbers whose range is so small that equal ones would be expected by chance."""
    n_rows = table.n_rows
    if n_rows < _FEWEST_ROWS or len(table.names) == 1:
        return
    for position, values in enumerate(table.values):
        if table.schema.kinds[position] != "number" or values.dtype == bool:
            continue
        if any(value % 1 for value in values[:32].tolist()):  # a quick look; true of NaN, too: identifiers have none
            continue
        # Of n random numbers out of a range, n^2 / (2 range) pairs are expected to be equal (the birthday problem).
        span = float(values.max()) - float(values.min()) + 1
        if not n_rows <= span <= n_rows**2 / (2 * _COLLISIONS):
            continue
        if len(np.unique(values)) == n_rows and np.array_equal(values, np.rint(values)):
            yield Suspect(
                position,
                "identifier",
                f"looks like an identifier: {n_rows:,} different whole numbers in {n_rows:,} rows",
            )


def _missing_codes(table: Table) -> Iterator[Suspect]:
    for position, values in enumerate(table.values):
        if table.schema.kinds[position] == "number" and values.dtype != bool and (found := missing_code(values)):
            code, n_rows = found
            text = f"holds {code} in {n_rows:,} rows, which looks like a code for missing values"
            yield Suspect(position, "missing as number", text, code=code)


def _texts(table: Table) -> Iterator[Suspect]:
    for position, kind in enumerate(table.schema.kinds):
        if kind != "category":
            continue
        values = table.values[position]
        distinct = set(values.tolist()) - {None}
        text = text_kind(distinct)
        if text is not None:
            problem: Problem = "date as text" if text.is_date else "number as text"
            yield Suspect(position, problem, f"holds {text.found}", text)
        elif len(distinct) >= _UNIQUE * _FEWEST_STRINGS:
            n_present = len(values) - sum(value is None for value in values)
            if n_present >= _FEWEST_STRINGS and len(distinct) >= _UNIQUE * n_present:
                found = f"{len(distinct):,} different strings in {n_present:,} rows with a value"
                yield Suspect(position, "identifier", f"looks like an identifier or free text: {found}")
                continue
        if text is None and all(isinstance(value, str) for value in distinct) and (pair := spellings(distinct)):
            found = f"has values that differ only in capitals or spaces, such as {pair[0]!r} and {pair[1]!r}"
            yield Suspect(position, "spelling", found)


def _declared_categories(X: Any) -> set[int]:
    """Return the columns that the user has declared to be categories."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return set()
    return {position for position, dtype in enumerate(frame.schema.values()) if dtype in (nw.Categorical, nw.Enum)}


def copies_in(table: Table, codes: npt.NDArray[Any], n_classes: int) -> Iterator[Suspect]:
    """Find columns that by themselves predict the class almost without error; `codes` number the classes."""
    n_rows = len(codes)
    n_others = n_rows - int(np.bincount(codes).max())
    if n_rows < _FEWEST_ROWS or n_others < _FEWEST_ERRORS or len(table.names) == 1:
        return
    if n_rows < _FEWEST_ROWS_OF_CLASS * n_classes:  # of so few rows per class, any column of distinct numbers would do
        return
    most_errors = int(_COPY_ERROR * n_others)
    # Few columns pass the test on a sample, so that sorting all rows is rare. A multiplicative hash spreads the sample,
    # which must not be in step with a period of the rows.
    sample = np.arange(_SAMPLE, dtype=np.int64) * 2654435761 % n_rows
    codes_of_sample = codes[sample]
    for position, values in enumerate(table.values):
        is_category = table.schema.kinds[position] == "category"
        if not is_category:
            sorted_codes = codes_of_sample[np.argsort(values[sample])]
            n_changes = np.count_nonzero(sorted_codes[1:] != sorted_codes[:-1])
            if n_changes > n_classes - 1 + 2 * _ERRORS_IN_SAMPLE:
                continue
        elif _errors_of(_groups_of(values[sample]), codes_of_sample, n_classes)[0] > _ERRORS_IN_SAMPLE:
            continue
        groups = _groups_of(values) if is_category else np.unique(values, return_inverse=True)[1]
        errors, predicted = _errors_of(groups, codes, n_classes)
        if is_category:  # a category for every few rows predicts anything
            is_copy = len(predicted) <= max(2 * n_classes, n_rows // 20)
        else:  # each change of the class from one value to the next needs a threshold: many would predict anything
            n_changes = np.count_nonzero(predicted[1:] != predicted[:-1])
            is_copy = bool(n_changes <= n_classes - 1 + 2 * (most_errors - errors))
        if is_copy and errors <= most_errors:
            yield _copy(position, 1 - errors / n_rows)


def _groups_of(categories: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return numbers from 0 for the values of a column of categories."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in categories.tolist()], dtype=np.int64)


def _errors_of(
    groups: npt.NDArray[np.integer[Any]], codes: npt.NDArray[Any], n_classes: int
) -> tuple[int, npt.NDArray[np.intp]]:
    """Return the number of rows that are not of the most frequent class of their group, and these classes."""
    counts = np.bincount(groups * n_classes + codes, minlength=(int(groups.max()) + 1) * n_classes)
    counts = counts.reshape(-1, n_classes)
    return len(codes) - int(counts.max(axis=1).sum()), counts.argmax(axis=1)


def copy_in_tree(tree: Tree) -> Suspect | None:
    """Return the column that by itself predicts almost without error, as far as a fitted tree shows it.

    That is the column of the root if the two sides need no further split, or the only column of a small tree. This
    costs next to nothing.
    """
    root = tree.conditions[0]
    if root is None or len(tree.columns.names) == 1 or tree.n_samples[0] < _FEWEST_ROWS:
        return None
    weights = tree.class_weights.tolist()  # faster than NumPy for small trees: this runs in each fit

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


def _copy(position: int, accuracy: float) -> Suspect:
    share = "all rows" if accuracy == 1 else f"{100 * accuracy:.3g} % of the rows"
    found = f"alone predicts the target of {share}: it may be a copy of it, or known only afterwards"
    return Suspect(position, "copy of the target", found)
