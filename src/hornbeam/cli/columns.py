"""The report of `fit` and `columns` on the columns of a file."""

from __future__ import annotations

from shlex import quote
from typing import Any

import numpy.typing as npt
import polars as pl

from hornbeam.cli.errors import refusals_as_command_errors
from hornbeam.columns import ColumnRemark, ColumnReport, column_report, missing_code, spellings, text_kind

MOST_ROWS = 20  # columns that `fit` lists; if there are more, only those with a remark


def columns_text(
    frame: pl.DataFrame,
    classes: npt.NDArray[Any] | None,
    notes: dict[str, str],
    *,
    target: str | None = None,
    brief: bool = False,
) -> str:
    """Return the report on the columns of a file, with remedies as options of the command.

    Parameters
    ----------
    frame : polars DataFrame
        Without the target.
    classes : ndarray of shape (n_rows,) or None
        The class of each row; None if it is not known.
    notes : dict of str to str
        How columns of an unusual format were read.
    target : str or None, default=None
        Name of the column with the classes.
    brief : bool, default=False
        If there are more than 20 columns, list only those with a note or a remark.

    Raises
    ------
    CommandError
        If a column cannot be read.
    """
    with refusals_as_command_errors():
        report = column_report(frame, classes)
    rows = list(report)
    if brief and len(rows) > MOST_ROWS:
        rows = [row for row in rows if row.remarks or row.name in notes or row.used_as.startswith("not used")]
        if len(rows) > MOST_ROWS:
            rows = [row for row in rows if row.remarks]
    lines = [report.table(rows)] if rows else []
    if len(rows) < len(report):
        lines.append(f"{_counts(report)}; `hornbeam columns` lists all")
    lines += [f"* {row.name}: {notes[row.name]}" for row in rows if row.name in notes]
    advice = [(f"! {remark.column} {remark.found}", *_remedy(remark, frame)) for remark in report.remarks]
    if target is not None and classes is not None and classes.dtype == object and (pair := spellings(set(classes))):
        found = f"has values that differ only in capitals or spaces, such as {pair[0]!r} and {pair[1]!r}"
        advice.append((f"! the target {target} {found}", "To unify them", f"--ignore-case {quote(target)}"))
    lines += [f"{found}. {what}: {options}" for found, what, options in advice]
    if len(advice) > 1:
        lines.append(f"All of this at once: {' '.join(dict.fromkeys(options for *_, options in advice))}")
    return "\n".join(lines)


def _counts(report: ColumnReport) -> str:
    """Return how many columns of each kind there are."""
    kinds = [row.kind for row in report]
    counts = ", ".join(f"{kinds.count(kind):,} {kind}" for kind in dict.fromkeys(kinds))
    unused = sum(row.used_as.startswith("not used") for row in report)
    return f"{len(report):,} columns in all: {counts}" + (f"; {unused:,} constant or empty" if unused else "")


def _remedy(remark: ColumnRemark, frame: pl.DataFrame) -> tuple[str, str]:
    """Return what to do about a remark, and the options that do it."""
    drop = f"--drop {quote(remark.column)}"
    match remark.problem:
        case "identifier":
            return "Splits on it do not generalize to new rows; leave it out", drop
        case "copy of the target":
            return "If it is not known when the tree is used, leave it out", drop
        case "missing as number":
            code = missing_code(frame[remark.column].drop_nulls().to_numpy())
            assert code is not None
            return "To read it as missing in all columns", f"--missing={code[0]}"
        case "spelling":
            return "To unify them", f"--ignore-case {quote(remark.column)}"
    kind = text_kind(frame[remark.column].drop_nulls().unique(maintain_order=True).to_list())
    options = "" if kind is None else " ".join(f"--missing {quote(value)}" for value in kind.others[:3])
    if kind is not None and kind.style in ("decimal comma", "thousands"):
        options = f"{'--decimal ,' if kind.style == 'decimal comma' else '--decimal .'} {options}".strip()
    if options:
        return f"To read it as {'dates' if kind and kind.is_date else 'numbers'}", options
    if kind is not None and kind.is_date:
        return "Write all of its dates in one format, such as 2023-05-01, or leave it out", drop
    return "To use it as a number, keep only the digits in the file; or leave it out", drop
