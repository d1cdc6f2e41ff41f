"""Fit a policy: the columns of rewards of a file, what its rows earn, and what held-out rows do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hornbeam.cli.data import check_columns, choose_columns
from hornbeam.cli.errors import CommandError
from hornbeam.cli.methods import Request
from hornbeam.cli.row_fits import Folds, Output, Report, fit_file, fits_of_folds, score_of_folds
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.policy import policy_value
from hornbeam.tree.words import number


def fit_policy(
    data: Path,
    rewards: Sequence[str],
    request: Request,
    written: CsvFormat,
    keep: Sequence[str],
    drop: Sequence[str],
    output: Output,
) -> None:
    """Fit a policy to a file; see `fit_file`."""
    said = Report(value_text, "What would new rows earn?", score_text)
    split = partial(split_rewards, rewards=rewards, keep=keep, drop=drop, path=data)
    fit_file(data, written, "a policy", split, request, said, output)


def split_rewards(
    frame: pl.DataFrame, rewards: Sequence[str], keep: Sequence[str], drop: Sequence[str], path: Path
) -> tuple[pl.DataFrame, pl.DataFrame, str]:
    """Return the columns of the tree, the rewards of the rows that have one, and a note on the others.

    Raises
    ------
    CommandError
        If a column does not exist, a reward is not a number or is to be dropped, or no other column is left.
    """
    check_columns(frame, rewards, path)
    for name in rewards:
        if name in drop or name in keep:
            raise CommandError(f"--{'drop' if name in drop else 'keep'} {name}: this column is a reward")
        if not (frame[name].dtype.is_numeric() or frame[name].dtype == pl.Boolean):
            raise CommandError(f"{path}: reward {name!r} is of type {frame[name].dtype}; expected numbers")
    earned = frame.select(pl.col(name).cast(pl.Float64).fill_nan(None) for name in rewards)
    has_none = earned.select(pl.all_horizontal(pl.all().is_null())).to_series()
    note = ""
    if has_none.any():
        note = f"* rewards: missing in {int(has_none.sum()):,} of {len(has_none):,} rows, which are left out"
    if has_none.all():
        raise CommandError(f"{path}: the rewards are missing in every row")
    rest = frame.drop(rewards)
    if rest.width == 0:
        raise CommandError(f"{path}: has no column besides the rewards")
    return choose_columns(rest, None, keep, drop, path).filter(~has_none), earned.filter(~has_none), note


def value_text(policy: Any, _: pl.DataFrame, __: pl.DataFrame) -> str:
    """Return what the training rows earn."""
    single = ""
    if policy.single_action_ is not None:
        single = f"; {number(policy.single_action_value_)} if all get {policy.single_action_}"
    return f"Training rows: mean reward {number(policy.value_)}{single}"


def score_text(folds: Folds, frame: pl.DataFrame, earned: pl.DataFrame, request: Request, of_all: Any) -> str:
    """Fit a tree on the training rows of each fold, and return what the others earn under it.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended a fit.
    """
    chosen = [policy.predict(frame[rest]) for policy, rest in fits_of_folds(folds, frame, earned, request)]
    rows = np.concatenate([rest for _, rest in folds])
    value = policy_value(
        np.concatenate(chosen),
        None,
        earned[rows],
        costs=request.parameters.get("costs"),
        single_action=of_all.single_action_,
    )
    return score_of_folds(folds, f" {str(value)[0].lower()}{str(value)[1:]}")
