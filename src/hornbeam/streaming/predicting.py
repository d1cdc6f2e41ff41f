"""Predictions for a lazy table, written to a Parquet file batch by batch."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hornbeam.streaming.passes import Report
from hornbeam.streaming.source import batches_of, column_names


def write_predictions(
    X: Any,
    columns: Sequence[str],
    path: str | os.PathLike[str],
    predict: Callable[[Any], Mapping[str, Any]],
    report: Report,
) -> int:
    """Predict the rows of a lazy table in their order.

    Parameters
    ----------
    X : lazy table
        See `is_streamed`.
    columns : sequence of str
        The columns to read; no others are.
    path : str or path
        The Parquet file. It is written under another name and renamed at the end, so that it is complete if it exists.
    predict : callable
        From a batch, as a data frame of the library of `X`, to the columns of the file by name.
    report : callable
        Called after each batch with what is done and the rows so far.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    ValueError
        If `X` lacks a column or has no row.
    ImportError
        If pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "Parquet files are written by pyarrow: pip install pyarrow", name="pyarrow"
        ) from error
    if missing := [name for name in columns if name not in column_names(X)]:
        raise ValueError(f"X has no column {missing[0]!r}, which the tree tests.")
    target = Path(path)
    partial = target.with_name(f".{target.name}.part")  # what a killed run has left is written anew
    writer, n_rows = None, 0
    try:
        for frame in batches_of(X, columns):
            of_batch = pa.table(dict(predict(frame.to_native())))
            if writer is None:
                writer = pq.ParquetWriter(partial, of_batch.schema)
            writer.write_table(of_batch)
            n_rows += len(frame)
            report("predictions", n_rows)
        if writer is None:
            raise ValueError("X holds no row.")
        writer.close()
        partial.replace(target)
    finally:
        if writer is not None:
            writer.close()
        partial.unlink(missing_ok=True)
    return n_rows
