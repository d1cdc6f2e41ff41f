"""Read CSV and Parquet files, and split off the target column."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.text_columns import CsvFormat, decoded, parsed_columns

MAX_CLASSES_IN_DOUBT = 20
MAX_CLASSES_OF_NUMBERS = 100  # more distinct whole numbers are a quantity, which must be binned first


class Data(NamedTuple):
    """A file that was read."""

    frame: pl.DataFrame
    written: CsvFormat
    """Its format, including what was detected."""
    notes: dict[str, str]
    """How columns of an unusual format were read."""


def read_frame(path: Path, written: CsvFormat | None = None, kinds: Mapping[str, str] | None = None) -> Data:
    """Read a CSV or Parquet file of at least one row.

    Parameters
    ----------
    path : Path
        Parquet if the name ends in .parquet or .pq, otherwise CSV with a header line and commas, semicolons or tabs.
    written : CsvFormat or None, default=None
        What is known of its format. None: nothing.
    kinds : dict of str to str or None, default=None
        The kinds of columns that a model expects: those of kind "category" stay text, so that ``01`` stays ``01``.

    Raises
    ------
    CommandError
        If the file is missing, is empty, or cannot be read in the format of its name.
    """
    written, kinds = written or CsvFormat(), kinds or {}
    is_parquet = path.suffix in (".parquet", ".pq")
    try:
        with refusals_as_command_errors():
            frame, separator = _read_parquet(path, written) if is_parquet else _read_csv(path, written)
    except pl.exceptions.PolarsError as error:
        raise CommandError(f"{path}: cannot be read: {error}") from error
    if frame.is_empty():
        raise CommandError(f"{path}: has no rows")
    # Spaces around names are usually accidental, but may be all that tells two names apart.
    trimmed = {name: name.strip() for name in frame.columns if name != name.strip() and name not in kinds}
    if len({trimmed.get(name, name) for name in frame.columns}) == frame.width:
        frame = frame.rename(trimmed)
    notes: dict[str, str] = {}
    if not is_parquet or written.decimal or written.missing:
        frame, written, notes = parsed_columns(frame, written, kinds, separator)
    texts = [name for name in frame.columns if kinds.get(name) == "category"]
    return Data(frame.with_columns(pl.col(name).cast(pl.String) for name in texts), written, notes)


def _read_parquet(path: Path, written: CsvFormat) -> tuple[pl.DataFrame, str]:
    if written.encoding:
        raise CommandError(f"--encoding belongs to CSV files; {path} is a Parquet file")
    with path.open("rb") as file:
        return pl.read_parquet(file), ""


def _read_csv(path: Path, written: CsvFormat) -> tuple[pl.DataFrame, str]:
    """Return all columns as text, and the separator of the cells."""
    text = decoded(path, written.encoding)
    header = text.partition(b"\n")[0]
    separator = max(",;\t", key=lambda mark: header.count(mark.encode()))
    return pl.read_csv(text, separator=separator, infer_schema_length=0), separator


def choose_columns(
    frame: pl.DataFrame, target: str | None, keep: Sequence[str], drop: Sequence[str], path: Path
) -> pl.DataFrame:
    """Return the target and the columns to keep, without those to drop.

    Raises
    ------
    CommandError
        If a column does not exist, or the target is to be dropped.
    """
    return frame.select(kept_columns(frame.columns, target, keep, drop, path))


def kept_columns(
    names: list[str], target: str | None, keep: Sequence[str], drop: Sequence[str], path: Path
) -> list[str]:
    """Return the names of the columns that `choose_columns` chooses."""
    check_names(names, [*([] if target is None else [target]), *keep, *drop], path)
    if target is not None and target in drop:
        raise CommandError(f"--drop {target}: this column is the target; drop another one")
    kept = [name for name in names if (not keep or name in keep or name == target) and name not in drop]
    if not kept:
        raise CommandError(f"{path}: --keep and --drop leave no column")
    return kept


def check_columns(frame: pl.DataFrame, wanted: Collection[str], path: Path) -> None:
    """Raise `CommandError` if a wanted column does not exist, with the most similar name."""
    check_names(frame.columns, wanted, path)


def check_names(names: list[str], wanted: Collection[str], path: Path) -> None:
    """Raise `CommandError` if a wanted name is not among those of the columns, with the most similar one."""
    for name in wanted:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"its columns are {_listed(names)}"
            raise CommandError(f"{path}: has no column {name!r}; {advice}")


def _listed(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def read_predictions(path: Path, n_rows: int, written: CsvFormat) -> pl.Series:
    """Read a file with one column: the class that a reference model predicts for each row of the table.

    Raises
    ------
    CommandError
        If the file has another number of columns or rows, or lacks a prediction.
    """
    frame = read_frame(path, written).frame
    if frame.width != 1:
        raise CommandError(f"--reference {path}: has {frame.width} columns; expected one, with the predictions")
    if frame.height != n_rows:
        raise CommandError(f"--reference {path}: has {frame.height:,} rows; the table has {n_rows:,}")
    predictions = frame.to_series()
    if predictions.null_count():
        raise CommandError(f"--reference {path}: {predictions.null_count():,} rows have no prediction")
    return predictions


def with_class(frame: pl.DataFrame, target: str, path: Path) -> tuple[pl.DataFrame, str]:
    """Return the rows that have a class, and a note on the others.

    Raises
    ------
    CommandError
        If the target column does not exist, or is missing in every row.
    """
    check_columns(frame, [target], path)
    column = frame[target]
    is_missing = column.is_null() | (column.is_nan().fill_null(True) if column.dtype.is_float() else False)
    n_missing = int(is_missing.sum())
    if n_missing == len(column):
        raise CommandError(f"{path}: target {target!r} is missing in every row")
    if not n_missing:
        return frame, ""
    note = f"* {target} (target): missing in {n_missing:,} of {len(column):,} rows, which are left out"
    return frame.filter(~is_missing), note


def split_target(frame: pl.DataFrame, target: str, path: Path) -> tuple[pl.DataFrame, npt.NDArray[Any]]:
    """Return the feature columns and the classes of the rows, shape (n_rows,).

    Raises
    ------
    CommandError
        If the target column does not exist, does not hold classes, or holds only one, or if no other column is left.
    """
    check_columns(frame, [target], path)
    column = frame[target]
    classes = classes_of(column, path)
    n_classes = len(np.unique(classes))
    if n_classes == 1:
        raise CommandError(f"{path}: target {target!r} is {column[0]!r} in every row; a classifier needs two classes")
    if has_too_many_values(column):
        what = "a quantity (--method regression)" if column.dtype.is_numeric() else "a name"
        raise CommandError(
            f"{path}: target {target!r} has {n_classes} different values in {len(classes)} rows; "
            f"is it {what}, and not a class?"
        )
    if frame.width == 1:
        raise CommandError(f"{path}: has no column besides the target {target!r}")
    return frame.drop(target), classes


def has_too_many_values(column: pl.Series) -> bool:
    """Return whether a column without missing values has too many different ones for classes."""
    most = MAX_CLASSES_OF_NUMBERS if column.dtype.is_numeric() else len(column) // 2
    return column.n_unique() > max(MAX_CLASSES_IN_DOUBT, min(most, len(column) // 2))


def is_quantity(column: pl.Series) -> bool:
    """Return whether a column without missing values holds numbers that are not classes: decimals, or very many."""
    if not column.dtype.is_numeric():
        return False
    return (column.dtype.is_float() and bool((column != column.round()).any())) or has_too_many_values(column)


def classes_of(column: pl.Series, path: Path) -> npt.NDArray[Any]:
    """Return classes as NumPy integers, booleans or Python strings, shape (n_rows,).

    Raises
    ------
    CommandError
        If they are numbers with decimals, dates or the like; the file at `path` has them.
    """
    dtype = column.dtype
    if dtype.is_integer() or dtype == pl.Boolean:
        return np.asarray(column.to_numpy())
    if dtype.is_float() and (column == column.round()).all():
        return np.asarray(column.cast(pl.Int64).to_numpy())
    if dtype.is_float():
        raise CommandError(
            f"{path}: target {column.name!r} holds real numbers such as {column.filter(column != column.round())[0]}; "
            "a classifier needs classes (text, whole numbers or booleans), --method regression takes numbers"
        )
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return np.asarray(column.cast(pl.String).to_list(), dtype=object)
    raise CommandError(f"{path}: target {column.name!r} is of type {dtype}; expected text, whole numbers or booleans")
