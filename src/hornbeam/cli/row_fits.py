"""Fit a tree whose rows have no classes: the steps that policies, regression and survival share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from hornbeam.cli.columns import columns_text
from hornbeam.cli.data import Data, read_frame
from hornbeam.cli.errors import CommandError, Stage, interrupts_told
from hornbeam.cli.fitting import fit_classifier, model_of
from hornbeam.cli.folders import is_folder
from hornbeam.cli.held_out import HeldOut, Rows, counter, row_splits, tell
from hornbeam.cli.methods import Request
from hornbeam.cli.report import report, single_leaf_text
from hornbeam.cli.sets import SetOutput, write_set
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.cli.writing import check_picture, check_writable, used_format, write

Folds: TypeAlias = list[tuple[Rows, Rows]]
"""The training rows and the held-out rows of each fold."""


class Output(NamedTuple):
    """What to make of a fit: the score on held-out rows and what to do with a set of trees, if any; files, or nothing.

    Nothing is printed if it is `quiet`.
    """

    held_out: HeldOut | None
    set_output: SetOutput | None
    model_file: Path | None
    picture: Path | None
    quiet: bool


class Report(NamedTuple):
    """What is said about a fit, apart from the tree and its proof."""

    about: Callable[[Any, pl.DataFrame, Any], str]
    """Return what the fitted estimator does with the training rows, given it, their columns and their targets."""
    question: str
    """What the score on held-out rows answers."""
    score: Callable[[Folds, pl.DataFrame, Any, Request, Any], str]
    """Return the score, given folds, columns, targets, request, and the estimator fitted on all rows."""


def fit_file(
    data: Path,
    written: CsvFormat,
    what: str,
    split: Callable[[pl.DataFrame], tuple[pl.DataFrame, pl.DataFrame, str]],
    request: Request,
    said: Report,
    output: Output,
) -> None:
    """Fit a file, write model and picture, print columns, tree and proof, then score the options on held-out rows.

    Parameters
    ----------
    what : str
        What is fitted, for messages.
    split : callable
        Returns `frame`, `targets` and `note` of `fit_rows`, given all columns of the file.
    """
    check_writable(output.model_file)
    check_picture(output.picture)
    if is_folder(data):
        raise CommandError(f"{data}: {what} is fitted to a single file, not to a folder")
    with interrupts_told("before a tree was found") as stage:
        read = read_frame(data, written)
        fit_rows(stage, read, *split(read.frame), request, said, output)


def fit_rows(
    stage: Stage,
    read: Data,
    frame: pl.DataFrame,
    targets: Any,
    note: str,
    request: Request,
    said: Report,
    output: Output,
) -> None:
    """Fit a table that was read, and do the rest of `fit_file`.

    Parameters
    ----------
    read : Data
        The file.
    frame, targets
        Its columns without the targets, and the targets: of the rows that have one.
    note : str
        What is said about the other rows; "" if there are none.
    """
    folds = [] if output.held_out is None else row_splits(output.held_out, frame.height)
    if not output.quiet:
        columns = columns_text(frame, None, read.notes, brief=True)
        print(columns, *([note] if note else []), sep="\n", end="\n\n", flush=True)
    estimator = fit_classifier(frame, targets, request, quiet=output.quiet)
    model = replace(model_of(estimator, request.method), written=used_format(read.written, frame))
    write(stage, model, output.model_file, output.picture)
    of_set = [] if output.set_output is None else write_set(stage, estimator, output.set_output, model)
    if output.quiet:
        return
    stage.doing = "while the report was printed"
    texts = [report(model), said.about(estimator, frame, targets), single_leaf_text(model), *of_set]
    score = partial(said.score, folds, frame, targets, request, estimator)
    tell(stage, estimator, texts, said.question, score if folds else None)


def fits_of_folds(folds: Folds, frame: pl.DataFrame, targets: Any, request: Request) -> Iterator[tuple[Any, Rows]]:
    """Fit the training rows of each fold, and return the fitted estimator and the held-out rows.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended a fit.
    """
    with counter(len(folds)) as show:
        for place, (training, rest) in enumerate(folds, start=1):
            show(place)
            estimator = fit_classifier(frame[training], targets[training], request.on_rows(training), quiet=True)
            if estimator.status_ == "interrupted":
                raise KeyboardInterrupt
            yield estimator, rest


def score_of_folds(folds: Folds, *lines: str) -> str:
    """Return the text of a score: how many folds it is of, its lines, and what the printed tree is fitted on."""
    head = "Held-out rows" if len(folds) == 1 else f"Cross-validation, {len(folds)} folds"
    return "\n".join([f"{head}:{lines[0]}", *lines[1:], "The tree printed above is fitted on all rows."])
