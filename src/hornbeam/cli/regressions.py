"""Fit a tree of numbers: which targets are quantities, how well its rows are predicted, and how well held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.cli.data import Data, choose_columns
from hornbeam.cli.errors import CommandError, Stage
from hornbeam.cli.held_out import mean_and_error
from hornbeam.cli.methods import Request
from hornbeam.cli.row_fits import Folds, Output, Report, fit_rows, fits_of_folds, score_of_folds
from hornbeam.tree.words import number


def fit_regression(
    stage: Stage,
    data: Path,
    read: Data,
    target: str,
    request: Request,
    keep: Sequence[str],
    drop: Sequence[str],
    note: str,
    output: Output,
) -> None:
    """Fit a regression tree to a table that was read; see `fit_rows`.

    The rows without a target are left out already; `note` says so.
    """
    frame, targets = split_numbers(choose_columns(read.frame, target, keep, drop, data), target, data)
    said = Report(errors_text, "How good are its predictions for new rows?", score_text)
    fit_rows(stage, read, frame, targets, note, request, said, output)


def split_numbers(frame: pl.DataFrame, target: str, path: Path) -> tuple[pl.DataFrame, pl.Series]:
    """Return the feature columns and the numbers to predict.

    Raises
    ------
    CommandError
        If the target does not hold numbers, or holds an infinite one, or if no other column is left.
    """
    column = frame[target]
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise CommandError(f"{path}: target {target!r} is of type {column.dtype}; --method regression expects numbers")
    numbers = column.cast(pl.Float64)
    if (n_infinite := int(numbers.is_infinite().sum())) > 0:
        raise CommandError(f"{path}: target {target!r} is infinite in {n_infinite:,} rows; remove or replace them")
    if frame.width == 1:
        raise CommandError(f"{path}: has no column besides the target {target!r}")
    return frame.drop(target), numbers


def errors_text(regressor: Any, _: pl.DataFrame, __: pl.Series) -> str:
    """Return how well the training rows are predicted."""
    single = float(regressor.tree_.deviations[0])
    root = np.sqrt(regressor.loss_) * single
    return (
        f"Training rows: R^2 {1 - regressor.loss_:.4f}, root mean squared error {number(root)} "
        f"({number(single)} if all rows get their mean, {number(float(regressor.tree_.means[0]))})"
    )


def score_text(folds: Folds, frame: pl.DataFrame, targets: pl.Series, request: Request, of_all: Any) -> str:
    """Fit a tree on the training rows of each fold, and return how well it predicts the others.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended a fit.
    """
    shares, roots = [], []
    for regressor, rest in fits_of_folds(folds, frame, targets, request):
        actual = targets[rest].to_numpy()
        errors = _mean_square(actual - regressor.predict(frame[rest]))
        roots.append(float(np.sqrt(errors)))
        spread = _mean_square(actual - actual.mean())
        shares.append(1 - errors / spread if spread > 0 else np.nan)
    # Of a fold whose targets are all equal, there is no R^2.
    share = [] if np.isnan(shares).any() else [f"  R^2                      {mean_and_error(shares)}"]
    return score_of_folds(folds, "", f"  root mean squared error  {mean_and_error(roots, number)}", *share)


def _mean_square(values: npt.NDArray[np.float64]) -> float:
    return float(np.mean(values**2))
