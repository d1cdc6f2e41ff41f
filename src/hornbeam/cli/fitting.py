"""Fit a tree while a line on the terminal shows the progress of the proof."""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.binarizers import Binarizer, SupervisedBinarizer, ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.model import Model, ProofSummary
from hornbeam.estimators import GOSDTClassifier
from hornbeam.exceptions import ColumnWarning, NotProvenWarning
from hornbeam.fitting.advice import helpful_parameters

UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def check_parameters(parameters: dict[str, Any]) -> None:
    """Raise `CommandError` if a parameter of `GOSDTClassifier` is wrong, as far as possible without data."""
    with refusals_as_command_errors():
        GOSDTClassifier(**parameters)._check_parameters()


def fit_model(
    frame: pl.DataFrame, classes: npt.NDArray[Any], target: str, parameters: dict[str, Any], *, quiet: bool
) -> Model:
    """Search for the optimal tree.

    Parameters
    ----------
    frame : polars DataFrame
        The feature columns.
    classes : ndarray of shape (n_rows,)
        The class of each row.
    target : str
        Name of the class column.
    parameters : dict
        Parameters of `GOSDTClassifier`.
    quiet : bool
        Show no progress, even if stderr is a terminal.

    Raises
    ------
    CommandError
        If a parameter or the data are refused.
    """
    shows_progress = not quiet and sys.stderr.isatty()
    with refusals_as_command_errors(), warnings.catch_warnings():
        # The certificate and the report on the columns contain the same.
        warnings.simplefilter("ignore", NotProvenWarning)
        warnings.simplefilter("ignore", ColumnWarning)
        classifier = GOSDTClassifier(**parameters, verbose=int(shows_progress))
        classifier._early_note = _no_note if quiet else _early_note
        classifier.fit(frame, pl.Series(target, classes))
    if not quiet and classifier.status_ not in ("optimal", "gap_limit"):
        _suggest_options(classifier)
    return Model(classifier.tree_, _certificate(classifier))


def _suggest_options(classifier: GOSDTClassifier) -> None:
    """Print what would help a search that was stopped; the certificate states what is not proven."""
    longer = ["a longer --time-limit (inf: no limit)"] if classifier.status_ == "time_limit" else []
    print(f"hornbeam: note: for a proof, try {' or '.join([*_options(classifier), *longer])}", file=sys.stderr)


def _early_note(classifier: GOSDTClassifier) -> str:
    """Return what to do about a long search that the user did not limit."""
    limit = classifier.time_limit
    ends = "Ctrl-C" if limit is None else f"Ctrl-C, or the --time-limit of {limit:g} (inf: no limit),"
    options = " or ".join([*_options(classifier), *(["--time-limit 60"] if limit is None else [])])
    return f"{ends} ends the search with the best tree so far. For a sooner end, try {options}"


def _no_note(_: GOSDTClassifier) -> str:
    return ""


def _options(classifier: GOSDTClassifier) -> list[str]:
    """Return options that each shorten the search."""
    return [f"--{name.replace('_', '-')} {value}" for name, value in helpful_parameters(classifier).items()]


def _certificate(classifier: GOSDTClassifier) -> ProofSummary:
    statistics = classifier.statistics_
    return ProofSummary(
        status=classifier.status_,
        objective=classifier.objective_,
        lower_bound=classifier.lower_bound_,
        gap=classifier.gap_,
        loss=classifier.loss_,
        regularization=classifier.regularization_,
        measure=classifier.objective,
        n_rows=int(classifier.tree_.n_samples[0]),
        n_columns=classifier.n_features_in_,
        n_conditions=len(classifier.binarizer_.conditions_),
        thresholds=_thresholds_of(classifier.binarizer_),
        max_depth=classifier.max_depth,
        max_leaves=classifier.max_leaves,
        min_samples_leaf=classifier.min_samples_leaf,
        subproblems=int(statistics["subproblems"]),
        table_entries=int(statistics["table_entries"]),
        memory_bytes=int(statistics["bytes"]),
        seconds=float(statistics["seconds"]),
    )


def _thresholds_of(binarizer: Binarizer) -> str:
    if isinstance(binarizer, ThresholdGuessBinarizer):
        return "guess"
    if isinstance(binarizer, SupervisedBinarizer):
        return "auto"
    return getattr(binarizer, "strategy", "none")


def binarizer_named(name: str, n_thresholds: int | None) -> str | ThresholdBinarizer | None:
    """Return the `binarizer` of the classifier for these options.

    Raises
    ------
    CommandError
        If the name is unknown, or a number of thresholds is given without `quantile`.
    """
    if name not in ("exact", "quantile", "auto", "guess", "none"):
        raise CommandError(f"--binarizer {name!r}: expected exact, quantile, auto, guess or none")
    if name != "quantile" and n_thresholds is not None:
        raise CommandError(f"--n-thresholds belongs to --binarizer quantile, not to {name}")
    if n_thresholds is not None:
        return ThresholdBinarizer(strategy="quantile", n_thresholds=n_thresholds)
    return None if name == "none" else name


def leaf_penalty(text: str) -> float | str:
    """Return the `regularization` of the classifier.

    Raises
    ------
    CommandError
        If it is neither a number nor `auto`.
    """
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise CommandError(f"--regularization {text!r}: expected a number or auto") from None


def read_costs(path: Path) -> list[list[float]]:
    """Read a cost matrix: a JSON list of rows, one row per actual class, one number per predicted class."""
    with refusals_as_command_errors():
        text = path.read_text(encoding="utf-8")
    try:
        costs = json.loads(text)
        np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise CommandError(f"{path}: is not a cost matrix such as [[0, 1], [5, 0]]: {error}") from error
    return list(costs)


def parse_bytes(text: str) -> int:
    """Read a number of bytes: 500000000, 500MB, 2GB or 1.5GiB.

    Raises
    ------
    CommandError
        If the text is none of these.
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?)(I?)B?\s*", text.upper())
    unit = f"{found[2]}{found[3]}B" if found and found[2] else ""
    if found is None or (found[3] and not found[2]):
        raise CommandError(f"--memory-limit {text!r}: expected bytes such as 500000000, 500MB or 2GiB")
    return int(float(found[1]) * UNITS[unit])
