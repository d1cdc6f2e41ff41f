"""Read CSV and Parquet files, and take the target column out."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.cli.errors import CommandError, refusals_as_command_errors

MISSING = ["", "NA", "NaN", "nan", "null", "?"]
MAX_CLASSES_IN_DOUBT = 20
MAX_CLASSES_OF_NUMBERS = 100  # more whole numbers than these are a quantity to be put into ranges first


def read_frame(path: Path, texts: Collection[str] = ()) -> pl.DataFrame:
    """Read a CSV or Parquet file of at least one row.

    Parameters
    ----------
    path : Path
        Parquet if the name ends in .parquet or .pq, otherwise CSV with a header line and commas, semicolons or tabs.
    texts : collection of str, default=()
        Columns to leave as text although they may look like numbers, so that ``01`` stays ``01``.

    Raises
    ------
    CommandError
        If the file is not there, is empty, or cannot be read as what it claims to be.
    """
    try:
        with refusals_as_command_errors():
            frame = _read_parquet(path) if path.suffix in (".parquet", ".pq") else _read_csv(path, texts)
    except pl.exceptions.PolarsError as error:
        raise CommandError(f"{path}: cannot be read: {error}") from error
    if frame.is_empty():
        raise CommandError(f"{path}: has no rows")
    return frame.with_columns(pl.col(name).cast(pl.String) for name in frame.columns if name in texts)


def _read_parquet(path: Path) -> pl.DataFrame:
    with path.open("rb") as file:
        return pl.read_parquet(file)


def _read_csv(path: Path, texts: Collection[str]) -> pl.DataFrame:
    with path.open("rb") as file:
        header = file.readline()
    if not header:
        raise CommandError(f"{path}: the file is empty")
    if b"\0" in header:
        raise CommandError(f"{path}: is neither a CSV nor a Parquet file (a Parquet file is known by its .parquet)")
    separator = max(",;\t", key=lambda mark: header.count(mark.encode()))
    overrides = dict.fromkeys(texts, pl.String)
    return pl.read_csv(
        path, separator=separator, infer_schema_length=None, null_values=MISSING, schema_overrides=overrides
    )


def check_columns(frame: pl.DataFrame, wanted: Collection[str], path: Path) -> None:
    """Raise `CommandError` if a wanted column is not there, with the nearest name that is."""
    for name in wanted:
        if name not in frame.columns:
            near = get_close_matches(name, frame.columns, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"its columns are {_listed(frame.columns)}"
            raise CommandError(f"{path}: has no column {name!r}; {advice}")


def _listed(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f", ... ({len(names)} in all)" if len(names) > most else "")


def split_target(frame: pl.DataFrame, target: str, path: Path) -> tuple[pl.DataFrame, npt.NDArray[Any]]:
    """Return the columns to ask about and the classes of the rows, shape (n_rows,).

    Raises
    ------
    CommandError
        If the target column is not there, has missing values, is not a column of classes, or has one class only, or if
        no other column is left.
    """
    check_columns(frame, [target], path)
    column = frame[target]
    n_missing = column.null_count() + (int(column.is_nan().sum()) if column.dtype.is_float() else 0)
    if n_missing:
        raise CommandError(
            f"{path}: target {target!r} is missing in {n_missing} of {len(column)} rows; remove those rows"
        )
    classes = _classes_of(column, path)
    n_classes = len(np.unique(classes))
    if n_classes == 1:
        raise CommandError(f"{path}: target {target!r} is {column[0]!r} in every row; a classifier needs two classes")
    most = MAX_CLASSES_OF_NUMBERS if column.dtype.is_numeric() else len(classes) // 2
    if n_classes > max(MAX_CLASSES_IN_DOUBT, min(most, len(classes) // 2)):
        raise CommandError(
            f"{path}: target {target!r} has {n_classes} different values in {len(classes)} rows; "
            "is it a name or a quantity, and not a class?"
        )
    if frame.width == 1:
        raise CommandError(f"{path}: has no column besides the target {target!r}")
    return frame.drop(target), classes


def _classes_of(column: pl.Series, path: Path) -> npt.NDArray[Any]:
    """Return the classes as NumPy integers, booleans or Python texts."""
    dtype = column.dtype
    if dtype.is_integer() or dtype == pl.Boolean:
        return np.asarray(column.to_numpy())
    if dtype.is_float() and (column == column.round()).all():
        return np.asarray(column.cast(pl.Int64).to_numpy())
    if dtype.is_float():
        raise CommandError(
            f"{path}: target {column.name!r} holds real numbers such as {column.filter(column != column.round())[0]}; "
            "a classifier needs classes (texts, whole numbers or booleans)"
        )
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return np.asarray(column.cast(pl.String).to_list(), dtype=object)
    raise CommandError(f"{path}: target {column.name!r} is of type {dtype}; expected texts, whole numbers or booleans")
