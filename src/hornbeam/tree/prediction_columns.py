"""Predictions as the columns of a table, for rows that may lack the columns that the tree does not test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy.typing as npt

from hornbeam.tree.base import BaseTree


def tested_columns(tree: BaseTree) -> list[str]:
    """Return the names of the columns that the tree tests, in the order of the training table."""
    tested = {condition.column for condition in tree.conditions if condition is not None}
    return [tree.columns.names[column] for column in sorted(tested)]


def with_untested_columns(tree: BaseTree, frame: Any) -> Any:
    """Return a data frame with the columns of the training table; those that the tree does not test are empty."""
    others = set(tree.columns.names) - set(tested_columns(tree))
    table = nw.from_native(frame, eager_only=True).with_columns(nw.lit(None).alias(name) for name in others)
    return table.select(tree.columns.names).to_native()


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
