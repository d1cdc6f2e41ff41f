"""A report on the columns of a table: how each was read, and how a tree can use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam._dates import DATE_KINDS, date_text
from hornbeam.columns._remarks import ColumnRemark, suspects_of
from hornbeam.columns._remedies import Remedies
from hornbeam.table import Column, Kind, Table, read_table

_HEADER = ("column", "kind", "distinct", "missing", "values", "used as")
_WIDTH = 32


class ColumnSummary(NamedTuple):
    """Summary of one column.

    Attributes
    ----------
    name : str
        Name of the column; ``x0``, ``x1``, ... where the table has no names.
    kind : {"number", "category", "date", "datetime", "datetime_utc", "duration", "time"}
        How the column was read; booleans are numbers.
    n_distinct : int
        Number of distinct values, not counting missing ones.
    n_missing : int
        Number of rows without a value.
    values : str
        Range of numbers and dates, or the first categories.
    used_as : str
        How a tree can use it: ``thresholds``, ``0/1``, ``3 categories``, with ``is missing`` if values are missing; or
        ``not used: constant``.
    remarks : tuple of ColumnRemark
        What is probably wrong with it.

    Examples
    --------
    >>> from hornbeam import column_report
    >>> summary = column_report([[20, "red"], [None, "blue"]])[0]
    >>> summary.kind, summary.n_missing, summary.used_as
    ('number', 1, 'is missing')
    """

    name: str
    kind: Kind
    n_distinct: int
    n_missing: int
    values: str
    used_as: str
    remarks: tuple[ColumnRemark, ...]


@dataclass(frozen=True, slots=True)
class ColumnReport(Sequence[ColumnSummary]):
    """The columns of a table, as `column_report` returns them: a sequence of `ColumnSummary` that prints as a table.

    Attributes
    ----------
    rows : tuple of ColumnSummary
        One for each column, in order.
    n_rows : int
        Number of rows of the table.

    Examples
    --------
    >>> from hornbeam import column_report
    >>> report = column_report([[20, "red"], [30, "blue"]])
    >>> len(report), [column.name for column in report if column.kind == "category"]
    (2, ['x1'])
    >>> print(report)
    column  kind      distinct  missing  values     used as
    x0      number           2        0  20, 30     thresholds
    x1      category         2        0  blue, red  2 categories
    """

    rows: tuple[ColumnSummary, ...]
    n_rows: int

    @property
    def remarks(self) -> tuple[ColumnRemark, ...]:
        """All remarks, column by column."""
        return tuple(remark for row in self.rows for remark in row.remarks)

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ColumnSummary]:
        return iter(self.rows)

    def __str__(self) -> str:
        return "\n".join([self.table(), *map(remark_text, self.remarks)])

    def table(self, rows: Sequence[ColumnSummary] | None = None) -> str:
        """Return the rows as aligned text, without remarks.

        Parameters
        ----------
        rows : sequence of ColumnSummary or None, default=None
            The rows to write. None: all.

        Returns
        -------
        str
        """
        cells = [_HEADER, *(_cells(row) for row in (self.rows if rows is None else rows))]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        numeric = (False, False, True, True, False, False)
        return "\n".join(
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, numeric, strict=True)
            ).rstrip()
            for row in cells
        )

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        head = "".join(f"<th>{name}</th>" for name in (*_HEADER, "remarks"))
        body = "".join(
            "<tr>"
            + "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row))
            + f"<td>{'<br>'.join(_remark_html(remark) for remark in row.remarks)}</td></tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def column_report(X: Any, y: Any = None) -> ColumnReport:
    """Report how the columns of a table are read, how a tree can use them, and what is probably wrong with them.

    Parameters
    ----------
    X : array-like or data frame of shape (n_rows, n_columns)
        The table to examine.
    y : array-like of shape (n_rows,) or None, default=None
        The labels. With them, the report also finds columns that by themselves predict the labels almost without error.

    Returns
    -------
    ColumnReport
        A sequence of named tuples; ``print`` it, or make it the last line of a notebook cell.

    Raises
    ------
    ValueError
        If `X` or `y` cannot be read, or their lengths differ.
    TypeError
        If a column holds values that are not numbers, strings or dates.

    See Also
    --------
    hornbeam.ColumnWarning : What `fit` warns of, with the same remedies.

    Examples
    --------
    >>> import pandas as pd
    >>> from hornbeam import column_report
    >>> X = pd.DataFrame({
    ...     "visits": ["17,0", "18,5", "20,0"],
    ...     "signup": pd.to_datetime(["2023-05-01", "2023-05-02", None]),
    ...     "site": ["north", "north", "north"],
    ... })
    >>> print(column_report(X))
    column  kind      distinct  missing  values                    used as
    visits  category         3        0  17,0, 18,5, 20,0          3 categories
    signup  date             2        1  2023-05-01 to 2023-05-02  thresholds, is missing
    site    category         1        0  north                     not used: constant
    ! visits holds numbers with decimal commas as text, such as '18,5'
      X["visits"] = pd.to_numeric(X["visits"].str.replace(",", "."), errors="coerce")
    """
    table = read_table(X)
    return report_on(table, X, None if y is None else _codes_of(y, table.n_rows))


def report_on(table: Table, X: Any, codes: npt.NDArray[np.int64] | None) -> ColumnReport:
    """Make the report on a table that is read already; `codes` number the classes from 0."""
    suspects = suspects_of(table, X, codes, 0 if codes is None else int(codes.max()) + 1)
    remedies = Remedies(X, table)
    remarks: dict[int, list[ColumnRemark]] = {}
    for suspect in suspects:
        remarks.setdefault(suspect.position, []).append(suspect.remark(table, remedies))
    rows = (_summary(column, tuple(remarks.get(index, ()))) for index, column in enumerate(table.columns))
    return ColumnReport(tuple(rows), table.n_rows)


def remark_text(remark: ColumnRemark) -> str:
    """Return a remark as two lines: what was found, and the remedy."""
    return f"! {remark.column} {remark.found}\n  {remark.remedy}"


def _remark_html(remark: ColumnRemark) -> str:
    return f"{escape(remark.found)}<br><code>{escape(remark.remedy)}</code>"


def _codes_of(y: Any, n_rows: int) -> npt.NDArray[np.int64]:
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"y has shape {labels.shape}; expected one label for each of the {n_rows} rows of X.")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels.tolist()], dtype=np.int64)


def _summary(column: Column, remarks: tuple[ColumnRemark, ...]) -> ColumnSummary:
    missing = column.is_missing()
    n_missing = int(missing.sum())
    if column.kind == "category":
        distinct = sorted(set(column.values[~missing].tolist()), key=str)
        values = _listed(list(map(str, distinct)))
    else:
        distinct = np.unique(column.values[~missing] if n_missing else column.values).tolist()
        values = _range(column.kind, distinct)
    used_as = _use(column.kind, distinct, n_missing > 0)
    return ColumnSummary(column.name, column.kind, len(distinct), n_missing, values, used_as, remarks)


def _use(kind: Kind, distinct: list[Any], has_missing: bool) -> str:
    if not distinct:
        return "not used: empty"
    if len(distinct) == 1:
        return "is missing" if has_missing else "not used: constant"
    if kind == "category":
        use = f"{len(distinct):,} categories"
    else:
        use = "0/1" if kind == "number" and distinct == [0, 1] else "thresholds"
    return f"{use}, is missing" if has_missing else use


def _range(kind: Kind, distinct: list[Any]) -> str:
    if not distinct:
        return ""
    ends = [_value(kind, distinct[0]), _value(kind, distinct[-1])]
    if len(distinct) == 1:
        return ends[0]
    return f"{ends[0]}, {ends[1]}" if len(distinct) == 2 and kind == "number" else f"{ends[0]} to {ends[1]}"


def _value(kind: Kind, value: Any) -> str:
    return date_text(value, kind) if kind in DATE_KINDS else f"{float(value):.10g}"


def _listed(strings: list[str]) -> str:
    """Return as many of the strings as fit, followed by ``...`` if some are left out."""
    strings = [" ".join(text.split()) for text in strings]
    shown = 0
    while shown < len(strings) and len(", ".join(strings[: shown + 1])) <= _WIDTH:
        shown += 1
    if shown == 0 and strings:
        return strings[0][: _WIDTH - 3] + "..."
    return ", ".join(strings[:shown]) + (", ..." if shown < len(strings) else "")


def _cells(row: ColumnSummary) -> tuple[str, ...]:
    name = " ".join(row.name.split())
    kind = "datetime (UTC)" if row.kind == "datetime_utc" else row.kind
    return name, kind, f"{row.n_distinct:,}", f"{row.n_missing:,}", row.values, row.used_as
