"""Predictions as the columns of a table, for rows that may lack the columns that the tree does not test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam.table import Column, Table
from hornbeam.table.column import column_of_series
from hornbeam.tree.base import BaseTree


def tested_columns(tree: BaseTree) -> list[str]:
    """Return the names of the columns that the tree tests, in the order of the training table."""
    tested = {condition.column for condition in tree.conditions if condition is not None}
    return [tree.columns.names[column] for column in sorted(tested)]


def with_untested_columns(tree: BaseTree, frame: Any) -> Table:
    """Return the rows of a data frame with the columns of the training table.

    Those that the tree does not test are not read: a single missing value stands for all of their rows.
    """
    rows, schema = nw.from_native(frame, eager_only=True), tree.columns
    tested = set(tested_columns(tree))
    untested = np.broadcast_to(np.nan, len(rows))
    columns = [
        column_of_series(name, rows[name], kind) if name in tested else Column(name, kind, untested)
        for name, kind in zip(schema.names, schema.kinds, strict=True)
    ]
    booleans = frozenset(number for number, column in enumerate(columns) if column.is_boolean)
    return Table(schema, tuple(column.values for column in columns), booleans)


def prediction_columns(
    tree: BaseTree, frame: Any, predict_proba: Callable[[Any], npt.NDArray[Any]] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Return the output of each row of a data frame, and the share of each class if there is a function for it."""
    table = with_untested_columns(tree, frame)
    columns = {tree.output_column: tree.predict(table)}
    if predict_proba is not None:
        shares = zip(tree.outputs.tolist(), predict_proba(table).T, strict=True)
        columns |= {f"share_{label}": share for label, share in shares}
    return columns
