"""Predict the rows of a file from the columns that the tree tests; all others may be missing."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
import polars as pl

from hornbeam.cli.model import Model
from hornbeam.tree import Tree


def tested_columns(tree: Tree) -> list[str]:
    """Return the names of the columns that the tree tests, in the order of the training table."""
    tested = {condition.column for condition in tree.conditions if condition is not None}
    return [tree.columns.names[column] for column in sorted(tested)]


def table_for(tree: Tree, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with the columns of the training table; those that the tree does not test are empty."""
    others = set(tree.columns.names) - set(tested_columns(tree))
    return frame.with_columns(pl.lit(None).alias(name) for name in others).select(tree.columns.names)


def predictions_of(tree: Tree, frame: pl.DataFrame) -> npt.NDArray[Any]:
    """Return the class of each row, shape (n_rows,)."""
    return tree.predict(table_for(tree, frame))


def predictions_frame(model: Model, frame: pl.DataFrame, *, proba: bool) -> dict[str, pl.Series]:
    """Return the class of each row as the columns of a table, with the share of each class on request."""
    table, tree = table_for(model.tree, frame), model.tree
    columns = {f"predicted_{tree.target_name}": pl.Series(tree.predict(table).tolist())}
    if proba:
        shares = zip(tree.classes, model.predict_proba(table).T, strict=True)
        columns |= {f"share_{label}": pl.Series(share) for label, share in shares}
    return columns
