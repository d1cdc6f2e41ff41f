"""Scores on held-out rows: a part of the table, or cross-validation.

The tree that `fit` prints and writes is always fitted on all rows. The score belongs to trees fitted with the same
options on a part of the rows: it estimates how well such a tree predicts new rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from rich.console import Console

from hornbeam.cli.errors import CommandError, Stage
from hornbeam.cli.fitting import FINISHED, fit_classifier, model_of
from hornbeam.cli.methods import Request
from hornbeam.cli.model import Model
from hornbeam.cli.predicting import predictions_of
from hornbeam.cli.report import confusion_counts, confusion_table
from hornbeam.tree.words import count

LARGEST_SEED = 2**32 - 1
_OR_FEWER_CLASSES = ", merge that class with another, or remove its rows"

Rows: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How to score: on a share of the rows (`test_size`), or by cross-validation with `cv` folds; the other is None."""

    test_size: float | None
    cv: int | None
    seed: int


@dataclass(frozen=True, slots=True)
class Fold:
    """One fit and its score.

    Attributes
    ----------
    model : Model
        Fitted on the training rows of the fold.
    n_training : int
        Number of these rows.
    counts : ndarray of int of shape (n_classes, n_classes)
        Held-out rows by actual and predicted class.
    """

    model: Model
    n_training: int
    counts: npt.NDArray[np.int64]

    @property
    def accuracy(self) -> float:
        """Share of the held-out rows with a correct prediction."""
        return float(np.trace(self.counts) / self.counts.sum())

    @property
    def balanced_accuracy(self) -> float:
        """Mean over the classes of the share of their held-out rows with a correct prediction."""
        return float(np.mean(np.diag(self.counts) / self.counts.sum(axis=1)))


def held_out(test_size: float | None, cv: int | None, seed: int, *, quiet: bool) -> HeldOut | None:
    """Return how to score, or None if no score is requested.

    Raises
    ------
    CommandError
        If an option is out of range, or two of them exclude each other.
    """
    if test_size is None and cv is None:
        return None
    if test_size is not None and cv is not None:
        raise CommandError("--test-size and --cv are two ways to score a tree on held-out rows; give one of them")
    if quiet:
        raise CommandError("--quiet prints no score; leave out --quiet, or --test-size and --cv")
    if test_size is not None and not 0 < test_size < 1:
        raise CommandError(f"--test-size {test_size:g}: expected a fraction between 0 and 1, such as 0.25")
    if cv is not None and cv < 2:
        raise CommandError(f"--cv {cv}: expected a number of folds of at least 2, such as 5")
    if not 0 <= seed <= LARGEST_SEED:
        raise CommandError(f"--seed {seed}: expected a whole number from 0 to {LARGEST_SEED}")
    return HeldOut(test_size, cv, seed)


def tell(stage: Stage, estimator: Any, said: Sequence[str], question: str, score: Callable[[], str] | None) -> None:
    """Print a report, and then the score on held-out rows, or how to get an answer to a question.

    Parameters
    ----------
    stage : Stage
        It says already that the report is made.
    estimator : estimator
        Fitted on all rows.
    said : sequence of str
        Paragraphs of the report; empty ones are left out.
    question : str
        What the score answers.
    score : callable or None
        Makes the fits of the score, and returns it as text. None: no score is wanted.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended the fit: whoever pressed it does not wait for more fits.
    """
    print(*filter(None, said), sep="\n\n", flush=True)
    if score is None:
        print(f"\n{question} Add --cv 5 (or --test-size 0.25)")
        return
    stage.doing = "before the score on held-out rows was known"
    if estimator.status_ == "interrupted":
        raise KeyboardInterrupt
    print(f"\n{score()}")


def splits(how: HeldOut, classes: npt.NDArray[Any]) -> list[tuple[Rows, Rows]]:
    """Return the training rows and the held-out rows of each fold, with each class in the same share in both.

    Raises
    ------
    CommandError
        If a class has too few rows to be in every part.
    """
    from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

    # scikit-learn's own errors name its parameters instead of our options, so the same conditions are checked first.
    labels, codes, counts = np.unique(classes, return_inverse=True, return_counts=True)
    rarest = int(counts.argmin())
    rows = f"class {labels[rarest]!s} has only {counts[rarest]} row{'' if counts[rarest] == 1 else 's'}"
    if how.cv is not None:
        if counts[rarest] < how.cv:
            raise CommandError(
                f"--cv {how.cv}: {rows}, and every fold needs one of them; use fewer folds{_OR_FEWER_CLASSES}"
            )
        folds = StratifiedKFold(how.cv, shuffle=True, random_state=how.seed).split(codes, codes)
        return [(np.sort(training), np.sort(rest)) for training, rest in folds]
    assert how.test_size is not None
    given = f"--test-size {how.test_size:g}"
    n_held_out = int(np.ceil(how.test_size * len(codes)))
    if counts[rarest] < 2:
        raise CommandError(f"{given}: {rows}, and both parts need one of them; gather more rows{_OR_FEWER_CLASSES}")
    for what, n_rows in (("held out", n_held_out), ("used for training", len(codes) - n_held_out)):
        if n_rows < len(labels):
            raise CommandError(
                f"{given}: only {n_rows} of {len(codes)} rows would be {what}, fewer than one for each of the "
                f"{len(labels)} classes"
            )
    split = StratifiedShuffleSplit(1, test_size=how.test_size, random_state=how.seed).split(codes, codes)
    training, rest = map(np.sort, next(split))
    # Rounding can leave a rare class without a row in one part. A tree cannot be scored on a class it has not seen.
    for what, part in (("held out", rest), ("used for training", training)):
        absent = np.setdiff1d(np.arange(len(labels)), codes[part])
        if len(absent):
            raise CommandError(
                f"{given}: class {labels[absent[0]]!s} has {counts[absent[0]]} rows, none of which would be {what}; "
                f"use another fraction{_OR_FEWER_CLASSES}"
            )
    return [(training, rest)]


def row_splits(how: HeldOut, n_rows: int) -> list[tuple[Rows, Rows]]:
    """Return the training rows and the held-out rows of each fold, whatever their targets.

    Raises
    ------
    CommandError
        If there are too few rows.
    """
    from sklearn.model_selection import KFold, ShuffleSplit

    n_parts = 2 if how.cv is None else how.cv
    if n_rows < n_parts:
        raise CommandError(f"there are only {count(n_rows)}, too few for {n_parts} parts")
    rows = np.arange(n_rows)
    if how.cv is not None:
        return list(KFold(how.cv, shuffle=True, random_state=how.seed).split(rows))
    n_held_out = min(n_rows - 1, int(np.ceil((how.test_size or 0) * n_rows)))
    return list(ShuffleSplit(1, test_size=n_held_out, random_state=how.seed).split(rows))


def score(
    folds: list[tuple[Rows, Rows]],
    frame: pl.DataFrame,
    classes: npt.NDArray[Any],
    target: str,
    request: Request,
) -> list[Fold]:
    """Fit a tree on the training rows of each fold, including binarization, and count its predictions for the rest.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended a fit: its unfinished tree would not represent the options.
    """
    scored = []
    with counter(len(folds)) as show, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the fit on all rows has shown them
        for number, (training, rest) in enumerate(folds, start=1):
            show(number)
            part = request.on_rows(training)
            classifier = fit_classifier(frame[training], pl.Series(target, classes[training]), part, quiet=True)
            if classifier.status_ == "interrupted":
                raise KeyboardInterrupt
            model = model_of(classifier, request.method)
            counts = confusion_counts(model.class_tree, predictions_of(model.tree, frame[rest]), classes[rest])
            scored.append(Fold(model, len(training), counts))
    return scored


@contextmanager
def counter(n_folds: int) -> Iterator[Callable[[int], None]]:
    """Show the number of the current fit if stderr is a terminal."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("Scoring on held-out rows") as status:
        yield lambda number: status.update(f"Scoring on held-out rows: fit {number} of {n_folds}")


def score_text(folds: list[Fold]) -> str:
    """Return the scores as text."""
    counts = np.sum([fold.counts for fold in folds], axis=0)
    correct, n_rows = int(np.trace(counts)), int(counts.sum())
    leaves = sorted({fold.model.tree.n_leaves for fold in folds})
    size = f"{leaves[0]} {'leaf' if leaves == [1] else 'leaves'}"
    if len(leaves) > 1:
        size = f"{leaves[0]} to {leaves[-1]} leaves"
    stopped = sum(fold.model.certificate.status not in FINISHED for fold in folds)
    accuracy, balanced = ([getattr(fold, name) for fold in folds] for name in ("accuracy", "balanced_accuracy"))
    if len(folds) == 1:
        head = f"Held-out rows: {correct:,} of {n_rows:,} correct"
        trees = f"scored tree        {size}, fitted with the same options on the other {folds[0].n_training:,} rows"
        limit = "A limit stopped the search for the scored tree."
    else:
        head = f"Cross-validation, {len(folds)} folds: {correct:,} of {n_rows:,} held-out rows correct"
        trees = f"scored trees       {size}, each fitted with the same options on the rows outside its fold"
        limit = f"A limit stopped the search for {stopped} of the {len(folds)} scored trees."
    lines = [
        f"{head} ({100 * correct / n_rows:.1f} %)",
        confusion_table(folds[0].model.class_tree.classes.tolist(), counts),
        f"  accuracy           {mean_and_error(accuracy)}",
        f"  balanced accuracy  {mean_and_error(balanced)}",
        f"  {trees}",
        *([limit] if stopped else []),
        "The tree printed above is fitted on all rows.",
    ]
    return "\n".join(lines)


def mean_and_error(scores: list[float], shown: Callable[[float], str] = "{:.4f}".format) -> str:
    """Return a score, or the mean and the standard error of several."""
    if len(scores) == 1:
        return shown(scores[0])
    error = float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
    return f"{shown(float(np.mean(scores)))} +- {shown(error)} (mean and standard error of {len(scores)} folds)"
