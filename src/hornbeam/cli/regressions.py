"""Fit a tree of numbers: which targets are quantities, how well its rows are predicted, and how well held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.cli.data import Data, choose_columns
from hornbeam.cli.errors import CommandError, Stage
from hornbeam.cli.held_out import mean_and_error
from hornbeam.cli.methods import Request
from hornbeam.cli.row_fits import Folds, Output, Report, fit_rows, fits_of_folds, score_of_folds
from hornbeam.tree import QuantileTree, RegressionTree
from hornbeam.tree.quantiles import pinball_losses
from hornbeam.tree.words import number

_Floats: TypeAlias = npt.NDArray[np.float64]
_MEDIAN = 0.5  # the mean absolute error is twice its loss


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
    tree = regressor.tree_
    if isinstance(tree, QuantileTree):
        name, single = _name_of_error(tree), tree.error(0)
        head, error, what = f"{name} ", regressor.loss_ * single, _name_of_prediction(tree)
    else:
        single = float(tree.deviations[0])
        head, what = f"R^2 {1 - regressor.loss_:.4f}, root mean squared error ", "mean"
        error = np.sqrt(regressor.loss_) * single
    return (
        f"Training rows: {head}{number(error)} "
        f"({number(single)} if all rows get their {what}, {number(float(tree.outputs[0]))})"
    )


def score_text(folds: Folds, frame: pl.DataFrame, targets: pl.Series, request: Request, of_all: Any) -> str:
    """Fit a tree on the training rows of each fold, and return how well it predicts the others.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended a fit.
    """
    scores = [
        _scores(regressor.tree_, targets[rest].to_numpy(), regressor.predict(frame[rest]))
        for regressor, rest in fits_of_folds(folds, frame, targets, request)
    ]
    lines = {name: [of_fold[name] for of_fold in scores] for name in scores[0]}
    width = max(map(len, lines))
    texts = [
        f"  {name:<{width}}  {mean_and_error(values, '{:.4f}'.format if name in _SHARES else number)}"
        for name, values in lines.items()
        if not np.isnan(values).any()  # of a fold whose targets are all equal, there is no R^2
    ]
    return score_of_folds(folds, "", *texts)


_SHARES = ("R^2", "rows at or below")
"""Scores that are shares, and not in the unit of the target."""


def _scores(tree: RegressionTree, actual: _Floats, predicted: _Floats) -> dict[str, float]:
    """Return the scores of held-out rows by name."""
    errors = actual - predicted
    if isinstance(tree, QuantileTree):
        loss = float(np.mean(pinball_losses(errors, tree.quantile)))
        if tree.quantile == _MEDIAN:
            return {_name_of_error(tree): 2 * loss}
        return {_name_of_error(tree): loss, "rows at or below": float(np.mean(errors <= 0))}
    spread = _mean_square(actual - actual.mean())
    share = 1 - _mean_square(errors) / spread if spread > 0 else np.nan
    return {"root mean squared error": float(np.sqrt(_mean_square(errors))), "R^2": share}


def _name_of_error(tree: QuantileTree) -> str:
    return "mean absolute error" if tree.quantile == _MEDIAN else "mean quantile loss"


def _name_of_prediction(tree: QuantileTree) -> str:
    return "median" if tree.quantile == _MEDIAN else f"{tree.quantile:g} quantile"


def _mean_square(values: _Floats) -> float:
    return float(np.mean(values**2))
