"""A pass over a lazy table: its batches one after another, within the limits of a fit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam._budget import Budget
from hornbeam._checks import read_weights
from hornbeam.streaming.source import batches_of, column_names

Report = Callable[[str, int], None]


class Layout(NamedTuple):
    """The names of the columns of a lazy table: those to split on, the labels and the weights."""

    columns: list[str]
    target: str
    weight: str | None


class Source(NamedTuple):
    """A lazy table, and what goes on while it is read."""

    X: Any
    layout: Layout
    budget: Budget
    report: Report
    temporary_folder: str | os.PathLike[str] | None = None
    reference: Any = None
    """A fitted model whose predictions are kept for each row, or None."""

    def read(self, what: str, use: Callable[[nw.DataFrame[Any], npt.NDArray[Any]], None]) -> int:
        """Call `use` with the rows of weight greater than zero of each batch, and their weights.

        Returns
        -------
        int
            How many these are.

        Raises
        ------
        ValueError
            If there is no such row.
        TimeoutError
            If the time limit is over.
        """
        n_rows = n_present = 0
        for frame in batches_of(self.X):
            rows: Sequence[int] = range(n_rows, n_rows + len(frame))
            n_rows += len(frame)
            with _naming_rows(rows):
                weights = _weights_of(frame, self.layout)
            if self.layout.weight is not None and weights.min() == 0:
                present = np.flatnonzero(weights > 0).tolist()
                frame, weights, rows = frame[present], weights[present], [rows[row] for row in present]
            n_present += len(frame)
            if len(frame) > 0:
                with _naming_rows(rows):
                    use(frame, weights)
            self.reached(what, n_rows)
        if n_present == 0:
            raise ValueError("X holds no row" + (" of a weight greater than zero." if n_rows else "."))
        return n_present

    def reached(self, what: str, n_rows: int) -> None:
        """Report that so many rows are done.

        Raises
        ------
        TimeoutError
            If the time limit is over.
        """
        self.report(what, n_rows)
        if self.budget.seconds() == 0:
            raise TimeoutError(
                f"time_limit was reached after {n_rows:,} rows of X had been read for {what}: there is no tree yet. "
                "Set a larger time_limit, or None; verbose=1 shows how many rows a second are read."
            )

    def hold(self, n_bytes: int, what: str, remedy: str) -> None:
        """Count bytes that were allocated.

        Raises
        ------
        MemoryError
            If they do not fit.
        """
        if n_bytes > 0 and not self.budget.fits(n_bytes):
            raise MemoryError(f"memory_limit has no room for {what} of X. {remedy} Or set a larger memory_limit.")
        self.budget.hold(n_bytes)


def layout_of(X: Any, y: Any, sample_weight: Any) -> Layout:
    """Return the columns of a lazy table, its labels and its weights.

    Raises
    ------
    TypeError
        If `y` or `sample_weight` is not a name.
    ValueError
        If there is no such column.
    """
    names = column_names(X)
    for parameter, name in (("y", y), ("sample_weight", sample_weight)):
        if name is None and parameter == "sample_weight":
            continue
        if not isinstance(name, str):
            raise TypeError(
                f"{parameter} must be the name of a column of X, since X is a {type(X).__name__}, which is read in "
                f"batches; got a {type(name).__name__}."
            )
        if name not in names:
            known = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
            raise ValueError(f"{parameter}={name!r} is not a column of X, whose columns are {known}.")
    columns = [name for name in names if name not in (y, sample_weight)]
    if not columns:
        raise ValueError(f"X has no column but the target {y!r} and the weights.")
    return Layout(columns, y, sample_weight)


def _weights_of(frame: nw.DataFrame[Any], layout: Layout) -> npt.NDArray[Any]:
    if layout.weight is None:
        return np.broadcast_to(np.int64(1), len(frame))  # which takes neither memory nor time
    return read_weights(frame[layout.weight].to_numpy(), len(frame))


@contextmanager
def _naming_rows(rows: Sequence[int]) -> Iterator[None]:
    """Let errors about a row of a batch name the row of the table; `rows` are those of the batch."""
    try:
        yield
    except ValueError as error:
        text = re.sub(r"\bin row (\d+)", lambda found: f"in row {rows[int(found[1])]}", str(error))
        raise ValueError(text) from error
