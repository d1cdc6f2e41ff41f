"""Fit a survival tree: the columns of events and times, and how well risks order the times of held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hornbeam.cli.data import check_columns, choose_columns
from hornbeam.cli.errors import CommandError
from hornbeam.cli.held_out import mean_and_error
from hornbeam.cli.methods import Request
from hornbeam.cli.row_fits import Folds, Output, Report, fit_file, fits_of_folds, score_of_folds
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.survival.metrics import concordance_index
from hornbeam.tree.words import count


def fit_survival(
    data: Path,
    event: str,
    time: str,
    request: Request,
    written: CsvFormat,
    keep: Sequence[str],
    drop: Sequence[str],
    output: Output,
) -> None:
    """Fit a survival tree to a file; see `fit_file`."""
    said = Report(order_text, "How well does it order new rows?", score_text)
    split = partial(split_times, event=event, time=time, keep=keep, drop=drop, path=data)
    fit_file(data, written, "a survival tree", split, request, said, output)


def split_times(
    frame: pl.DataFrame, event: str, time: str, keep: Sequence[str], drop: Sequence[str], path: Path
) -> tuple[pl.DataFrame, pl.DataFrame, str]:
    """Return the columns of the tree, event and time of the rows that have both, and a note on the others.

    Raises
    ------
    CommandError
        If a column does not exist, or does not hold numbers or is to be dropped; if an event is none of 0 and 1, a time
        is negative or infinite, no row has both, or no other column is left.
    """
    check_columns(frame, [event, time], path)
    if event == time:
        raise CommandError(f"--event and --time name the same column {event!r}")
    for option, name in (("event", event), ("time", time)):
        if name in drop or name in keep:
            raise CommandError(f"--{'drop' if name in drop else 'keep'} {name}: this column is the {option}")
        if not (frame[name].dtype.is_numeric() or frame[name].dtype == pl.Boolean):
            expected = "0 (censored) and 1, or false and true" if option == "event" else "numbers"
            raise CommandError(f"{path}: --{option} {name!r} is of type {frame[name].dtype}; expected {expected}")
    both = frame.select(pl.col(name).cast(pl.Float64).fill_nan(None) for name in (event, time))
    has_both = both.select(pl.all_horizontal(pl.all().is_not_null())).to_series()
    if not has_both.any():
        raise CommandError(f"{path}: {event!r} or {time!r} is missing in every row")
    rest, times = frame.drop(event, time), both.filter(has_both)
    if rest.width == 0:
        raise CommandError(f"{path}: has no column besides {event!r} and {time!r}")
    _check(times[event].is_in([0.0, 1.0]), times[event], f"{path}: --event {event!r}", "0 (censored) or 1")
    is_time = times[time].is_finite() & (times[time] >= 0)
    _check(is_time, times[time], f"{path}: --time {time!r}", "a finite time of at least 0")
    note = ""
    if not has_both.all():
        n_missing = int((~has_both).sum())
        note = f"* {event} or {time}: missing in {n_missing:,} of {len(has_both):,} rows, which are left out"
    return choose_columns(rest, None, keep, drop, path).filter(has_both), times, note


def _check(is_right: pl.Series, values: pl.Series, what: str, expected: str) -> None:
    if not is_right.all():
        raise CommandError(f"{what} holds {values.filter(~is_right)[0]:g}; expected {expected}")


def order_text(tree: Any, frame: pl.DataFrame, times: pl.DataFrame) -> str:
    """Return how many training rows have the event, and how well the risks of the leaves order their times."""
    events = count(int(tree.tree_.n_events[0]), "event")
    order = _concordance(tree, frame, times)
    return f"Training rows: {events} in {count(frame.height)}" + (
        "" if np.isnan(order) else f", concordance {order:.4f}"
    )


def score_text(folds: Folds, frame: pl.DataFrame, times: pl.DataFrame, request: Request, of_all: Any) -> str:
    """Fit a tree on the training rows of each fold, and return how well its risks order the times of the others.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended a fit.
    """
    fits = fits_of_folds(folds, frame, times, request)
    scores = [_concordance(tree, frame[rest], times[rest]) for tree, rest in fits]
    known = [score for score in scores if not np.isnan(score)]
    said = mean_and_error(known) if known else "not defined: no two held-out rows can be compared"
    return score_of_folds(folds, f" concordance {said}")


def _concordance(tree: Any, frame: pl.DataFrame, times: pl.DataFrame) -> float:
    """Return Harrell's concordance index; nan if no two rows can be compared."""
    event, time = (times[name].to_numpy() for name in times.columns)
    first = time[event == 1].min(initial=np.inf)
    if not ((time > first) | ((time == first) & (event == 0))).any():
        return float("nan")
    return concordance_index(times, tree.predict(frame))
