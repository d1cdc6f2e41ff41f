"""Tables in many files: a folder or a pattern of Parquet or CSV files, read in batches and never as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hornbeam.cli.data import kept_columns
from hornbeam.cli.errors import CommandError, polars_errors_told
from hornbeam.cli.report import confusion_table
from hornbeam.cli.text_columns import MISSING, CsvFormat
from hornbeam.tree import Tree

_PARQUET, _CSV = (".parquet", ".pq"), (".csv", ".tsv", ".txt")
METHODS_OF_FOLDERS = ("gosdt", "split", "lickety")


def is_folder(path: Path) -> bool:
    """Return whether a path stands for several files: a directory, or a pattern with ``*``, ``?`` or ``[``."""
    return path.is_dir() or (not path.exists() and any(mark in str(path) for mark in "*?["))


def scan_folder(path: Path, written: CsvFormat, texts: Iterable[str] = (), missing: Iterable[str] = ()) -> pl.LazyFrame:
    """Return the rows of all files as a table that is read in batches, in the order of the names of the files.

    Parameters
    ----------
    path : Path
        A directory, which is searched with those below it, or a pattern of names.
    written : CsvFormat
        Of CSV files; only the texts that are missing values may be given.
    texts : iterable of str, default=()
        Columns of CSV files that are text, whatever they hold.
    missing : iterable of str, default=()
        More texts that are missing values, if the files are CSV.

    Raises
    ------
    CommandError
        If there are no files, files of both formats, or options that belong to a single file.
    """
    files = _files_of(path)
    is_parquet = {file.suffix in _PARQUET for file in files}
    if len(is_parquet) != 1:
        what = "no files whose names end" if not files else "both Parquet and CSV files among those"
        raise CommandError(f"{path}: there are {what} in {', '.join(_PARQUET + _CSV)}")
    if written.decimal or written.encoding or written.ignore_case:
        raise CommandError("--decimal, --encoding and --ignore-case belong to a single CSV file, not to a folder")
    if is_parquet == {True}:
        if written.missing:
            raise CommandError("--missing belongs to CSV files, but the folder holds Parquet files")
        return pl.scan_parquet(files)
    return pl.scan_csv(
        files,
        separator=_separator(files[0]),
        null_values=[*MISSING, *written.missing, *missing],
        infer_schema_length=None,  # all rows: a number may come after a million empty cells
        try_parse_dates=True,
        schema_overrides=dict.fromkeys(texts, pl.String),
    )


def _files_of(path: Path) -> list[Path]:
    found = path.rglob("*") if path.is_dir() else map(Path, glob(str(path), recursive=True))
    return sorted(file for file in found if file.suffix in _PARQUET + _CSV and file.is_file())


def _separator(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as lines:
        header = lines.readline()
    return max(",;\t", key=header.count)


@contextmanager
def bad_file_named(path: Path) -> Iterator[None]:
    """Turn errors of polars about the files of a folder into a `CommandError` that names the first bad one.

    A file is bad if it cannot be read, or its columns are not those of the first one. All are read until it is found.
    """
    try:
        yield
    except pl.exceptions.PolarsError as error:
        first = None
        for file in _files_of(path):
            with polars_errors_told(file):
                is_parquet = file.suffix in _PARQUET
                rows = (
                    pl.scan_parquet(file)
                    if is_parquet
                    else pl.scan_csv(file, separator=_separator(file), infer_schema=False)
                )
                types = dict(rows.collect_schema())
                rows.select(pl.all().null_count()).collect(engine="streaming")
            first = first or (file, types)
            _check_types(file, types, *first)
        raise CommandError(f"{path}: cannot be read: {error}") from error


def _check_types(
    file: Path, types: Mapping[str, pl.DataType], first: Path, expected: Mapping[str, pl.DataType]
) -> None:
    """Refuse columns that are not those of the first file."""
    if missing := [name for name in expected if name not in types]:
        raise CommandError(f"{file}: has no column {missing[0]!r}, which {first} has")
    if more := [name for name in types if name not in expected]:
        raise CommandError(f"{file}: has a column {more[0]!r}, which {first} does not have")
    if other := [name for name in types if types[name] != expected[name]]:
        name = other[0]
        raise CommandError(f"{file}: column {name!r} is {types[name]}, but {expected[name]} in {first}")


def with_target(rows: pl.LazyFrame, target: str, keep: Sequence[str], drop: Sequence[str], path: Path) -> pl.LazyFrame:
    """Return the chosen columns of the rows that have a class; whole numbers as integers.

    Raises
    ------
    CommandError
        If a column does not exist or the classes are real numbers.
    """
    schema = rows.collect_schema()
    rows = rows.select(kept_columns(schema.names(), target, keep, drop, path))
    rows = rows.filter(pl.col(target).is_not_null())
    if not schema[target].is_float():
        return rows
    rows = rows.filter(pl.col(target).is_not_nan())
    if rows.select((pl.col(target) != pl.col(target).round()).any()).collect(engine="streaming").item():
        raise CommandError(f"{path}: target {target!r} holds real numbers; a classifier needs classes")
    return rows.with_columns(pl.col(target).cast(pl.Int64))


def confusion_of_leaves(tree: Tree) -> str:
    """Return the confusion matrix of unweighted training rows, which are not read again for it."""
    classes: list[Any] = tree.classes.tolist()
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    for node, condition in enumerate(tree.conditions):
        if condition is None:
            counts[:, tree.prediction[node]] += tree.class_weights[node].astype(np.int64)
    correct, total = int(np.trace(counts)), int(counts.sum())
    head = f"Training rows: {correct:,} of {total:,} correct ({100 * correct / total:.1f} %)"
    return f"{head}\n{confusion_table(classes, counts)}"
