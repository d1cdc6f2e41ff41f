"""Fit a policy: the columns of rewards of a file, what its rows earn, and what held-out rows do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.cli.data import check_columns, choose_columns, read_frame
from hornbeam.cli.errors import CommandError, interrupts_told
from hornbeam.cli.fitting import fit_classifier
from hornbeam.cli.folders import is_folder
from hornbeam.cli.held_out import HeldOut, counter
from hornbeam.cli.methods import Request
from hornbeam.cli.row_fits import Folds, Report, fit_rows
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.cli.writing import check_picture, check_writable
from hornbeam.policy import policy_value
from hornbeam.tree.words import number


def fit_policy(
    data: Path,
    rewards: Sequence[str],
    request: Request,
    written: CsvFormat,
    *,
    keep: Sequence[str],
    drop: Sequence[str],
    held_out: HeldOut | None,
    model_file: Path | None,
    picture: Path | None,
    quiet: bool,
) -> None:
    """Fit a file, write model and picture, print columns, tree and proof, then score the options on held-out rows."""
    check_writable(model_file)
    check_picture(picture)
    if is_folder(data):
        raise CommandError(f"{data}: a policy is fitted to a single file, not to a folder")
    with interrupts_told("before a tree was found") as stage:
        read = read_frame(data, written)
        frame, earned, note = split_rewards(read.frame, rewards, keep, drop, data)
        said = Report(value_text, "What would new rows earn?", score_text)
        fit_rows(
            stage,
            read,
            frame,
            earned,
            note,
            request,
            said,
            held_out=held_out,
            model_file=model_file,
            picture=picture,
            quiet=quiet,
        )


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
            raise CommandError(f"--{'drop' if name in drop else 'keep'} {name}: is a reward")
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


def value_text(policy: Any) -> str:
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
    chosen: list[npt.NDArray[Any]] = []
    with counter(len(folds)) as show:
        for place, (training, rest) in enumerate(folds, start=1):
            show(place)
            policy = fit_classifier(frame[training], earned[training], request.on_rows(training), quiet=True)
            if policy.status_ == "interrupted":
                raise KeyboardInterrupt
            chosen.append(policy.predict(frame[rest]))
    rows = np.concatenate([rest for _, rest in folds])
    value = policy_value(
        np.concatenate(chosen),
        None,
        earned[rows],
        costs=request.parameters.get("costs"),
        single_action=of_all.single_action_,
    )
    how = "Held-out rows" if len(folds) == 1 else f"Cross-validation, {len(folds)} folds"
    return f"{how}: {str(value)[0].lower()}{str(value)[1:]}\nThe tree printed above is fitted on all rows."
