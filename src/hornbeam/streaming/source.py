"""Lazy tables as streams of batches: polars, PyArrow datasets, and what narwhals reads as a lazy frame."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw

_ROWS_OF_BATCH = 1 << 18
# As many where nearly all columns take a bit or a byte, since a batch is work whatever its rows; and twice that of few.
_TIMES_FOR_FLAGS = 4
_FEW_COLUMNS = 32


def is_streamed(X: Any) -> bool:
    """Return whether `X` is a lazy table: polars LazyFrame, PyArrow dataset, DuckDB relation or Dask data frame."""
    if _is_arrow_dataset(X) or _is_dask(X):
        return True
    if hasattr(X, "__array__"):  # arrays and eager frames; narwhals takes 50 times as long to tell
        return False
    try:
        return isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame)
    except nw.exceptions.DuplicateError:  # which `read_table` reports
        return False


def _is_arrow_dataset(X: Any) -> bool:
    dataset = sys.modules.get("pyarrow.dataset")  # no object of it exists before it is imported
    return dataset is not None and isinstance(X, dataset.Dataset)


def _is_dask(X: Any) -> bool:
    """Return whether X is a Dask data frame, support for which is leaving narwhals."""
    dask = sys.modules.get("dask.dataframe")
    return dask is not None and isinstance(X, dask.DataFrame)


def column_names(X: Any) -> list[str]:
    """Return the names of the columns without reading rows."""
    if _is_dask(X):
        return list(X.columns)
    return list(X.schema.names) if _is_arrow_dataset(X) else list(nw.from_native(X).collect_schema().names())


def boolean_columns(X: Any) -> set[str]:
    """Return the names of the columns that hold booleans, without reading rows."""
    if _is_dask(X):
        return {name for name, dtype in X.dtypes.items() if str(dtype).startswith("bool")}
    if _is_arrow_dataset(X):
        return {field.name for field in X.schema if str(field.type) == "bool"}
    return {name for name, dtype in nw.from_native(X).collect_schema().items() if dtype == nw.Boolean}


def batches_of(X: Any, columns: Sequence[str] | None = None) -> Iterator[nw.DataFrame[Any]]:
    """Read the rows once, in their order, as eager frames of at least one row; None: with all columns."""
    for batch in _native_batches(X, columns):
        frame = nw.from_native(batch, eager_only=True)
        if len(frame) > 0:
            yield frame


def _native_batches(X: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    names = column_names(X) if columns is None else columns
    are_flags = 8 * len(set(names) - boolean_columns(X)) <= len(names)
    n_rows = _ROWS_OF_BATCH
    if are_flags:
        n_rows *= _TIMES_FOR_FLAGS * (2 if len(names) <= _FEW_COLUMNS else 1)
    if _is_arrow_dataset(X):
        import pyarrow as pa

        for batch in X.to_batches(batch_size=n_rows, columns=None if columns is None else list(columns)):
            yield pa.Table.from_batches([batch])
        return
    if _is_dask(X):
        for part in (X if columns is None else X[list(columns)]).partitions:
            yield part.compute()
        return
    lazy = nw.from_native(X)
    if columns is not None:
        X = lazy.select(*columns).to_native()
    if lazy.implementation is nw.Implementation.POLARS:
        if not hasattr(X, "collect_batches"):
            raise TypeError(
                "X is a LazyFrame of a polars without collect_batches(). Install a newer polars, or pass "
                "pyarrow.dataset.dataset(path)."
            )
        yield from X.collect_batches(chunk_size=n_rows, maintain_order=True)
    elif lazy.implementation is nw.Implementation.DUCKDB:
        yield from _batches_of_duckdb(X, n_rows)
    else:
        raise TypeError(
            f"X is a lazy table of {lazy.implementation}; fit takes polars LazyFrames, PyArrow datasets, DuckDB "
            "relations and Dask data frames. Call its collect() first, or convert it to one of these."
        )


def _batches_of_duckdb(X: Any, n_rows: int) -> Iterator[Any]:
    """Read a relation, whose booleans pyarrow packs into bits: DuckDB would spend more time on that than on reading."""
    import pyarrow as pa

    flags = boolean_columns(X)
    if flags:
        X = nw.from_native(X).with_columns(nw.col(*flags).cast(nw.UInt8)).to_native()
    to_reader = getattr(X, "to_arrow_reader", None) or X.fetch_arrow_reader  # the older name
    for batch in to_reader(n_rows):
        fields = [field.with_type(pa.bool_()) if field.name in flags else field for field in batch.schema]
        yield pa.Table.from_batches([batch]).cast(pa.schema(fields))
