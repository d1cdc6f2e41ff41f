"""Fit a tree whose rows have no classes: the steps that policies, regression and survival share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from hornbeam.cli.columns import columns_text
from hornbeam.cli.data import Data
from hornbeam.cli.errors import Stage
from hornbeam.cli.fitting import fit_classifier, model_of
from hornbeam.cli.held_out import HeldOut, Rows, row_splits, tell
from hornbeam.cli.methods import Request
from hornbeam.cli.report import report, single_leaf_text
from hornbeam.cli.writing import used_format, write

Folds: TypeAlias = list[tuple[Rows, Rows]]
"""The training rows and the held-out rows of each fold."""


class Report(NamedTuple):
    """What is said about a fit, apart from the tree and its proof."""

    about: Callable[[Any], str]
    """Return what the fitted estimator does with the training rows."""
    question: str
    """What the score on held-out rows answers."""
    score: Callable[[Folds, pl.DataFrame, Any, Request, Any], str]
    """Return the score, given folds, columns, targets, request, and the estimator fitted on all rows."""


def fit_rows(
    stage: Stage,
    read: Data,
    frame: pl.DataFrame,
    targets: Any,
    note: str,
    request: Request,
    said: Report,
    *,
    held_out: HeldOut | None,
    model_file: Path | None,
    picture: Path | None,
    quiet: bool,
) -> None:
    """Fit a table, write model and picture, print columns, tree and proof, then score the options on held-out rows.

    Parameters
    ----------
    read : Data
        The file.
    frame, targets
        Its columns without the targets, and the targets: of the rows that have one.
    note : str
        What is said about the other rows; "" if there are none.
    """
    folds = [] if held_out is None else row_splits(held_out, frame.height)
    if not quiet:
        columns = columns_text(frame, None, read.notes, brief=True)
        print(columns, *([note] if note else []), sep="\n", end="\n\n", flush=True)
    estimator = fit_classifier(frame, targets, request, quiet=quiet)
    model = replace(model_of(estimator, request.method), written=used_format(read.written, frame))
    write(stage, model, model_file, picture)
    if quiet:
        return
    stage.doing = "while the report was printed"
    texts = [report(model), said.about(estimator), single_leaf_text(model)]
    score = partial(said.score, folds, frame, targets, request, estimator)
    tell(stage, estimator, texts, said.question, score if folds else None)
