"""Predict the rows of a file from the columns that the tree tests; all others may be missing."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
import polars as pl

from hornbeam.cli.model import Model
from hornbeam.tree import BaseTree
from hornbeam.tree.prediction_columns import prediction_columns, with_untested_columns


def predictions_of(tree: BaseTree, frame: pl.DataFrame) -> npt.NDArray[Any]:
    """Return the output of each row, shape (n_rows,)."""
    return tree.predict(with_untested_columns(tree, frame))


def predictions_frame(model: Model, frame: pl.DataFrame, *, proba: bool) -> dict[str, pl.Series]:
    """Return the class of each row as the columns of a table, with the share of each class on request."""
    columns = prediction_columns(model.tree, frame, model.predict_proba if proba else None)
    return {name: pl.Series(values.tolist()) for name, values in columns.items()}
