"""Fit a tree, or a set of trees, while a line on the terminal shows the progress of the proof."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from hornbeam.binarizers import Binarizer, SupervisedBinarizer, ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.methods import METHODS, Request, parameter_options
from hornbeam.cli.model import Model, ProofSummary, read_tree
from hornbeam.estimators import MAPTreeClassifier
from hornbeam.estimators._policy import FittedPolicyTree
from hornbeam.estimators._rashomon import RashomonSetTree
from hornbeam.estimators._regressor import RegressorMethods
from hornbeam.estimators._survival import FittedSurvivalTree
from hornbeam.exceptions import ColumnWarning, NotProvenWarning
from hornbeam.fitting.advice import helpful_parameters
from hornbeam.tree.shares import class_shares

# How a search ends that no limit and no Ctrl-C has stopped; "gap_limit" is the goal of the user who sets it.
FINISHED = ("optimal", "gap_limit", "guessed", "known_bound", "cutoff", "heuristic", "complete")
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}


def fit_classifier(X: Any, y: Any, request: Request, *, quiet: bool) -> Any:
    """Search for the tree, or the set of trees.

    Parameters
    ----------
    X : polars DataFrame or LazyFrame
        The feature columns; a LazyFrame with the column of classes.
    y : polars Series or str
        The class of each row, under the name of the column; of a LazyFrame this name.
    request : Request
        The method and its parameters.
    quiet : bool
        Show no progress, even if stderr is a terminal.

    Returns
    -------
    classifier
        Fitted.

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
        classifier = request.make(verbose=int(shows_progress))
        classifier._early_note = _no_note if quiet else _early_note
        classifier.fit(X, y)
    if not quiet and classifier.status_ not in FINISHED:
        _suggest_options(classifier)
    return classifier


def fit_model(frame: pl.DataFrame, classes: npt.NDArray[Any], target: str, request: Request, *, quiet: bool) -> Model:
    """Search for the tree, or the best tree of a set; see `fit_classifier`."""
    return model_of(fit_classifier(frame, pl.Series(target, classes), request, quiet=quiet), request.method)


def _suggest_options(classifier: Any) -> None:
    """Print what would help a search that was stopped; the certificate states what is not proven."""
    longer = ["a longer --time-limit (inf: no limit)"] if classifier.status_ == "time_limit" else []
    print(f"hornbeam: note: for a proof, try {' or '.join([*_options(classifier), *longer])}", file=sys.stderr)


def _early_note(classifier: Any) -> str:
    """Return what to do about a long search that the user did not limit."""
    limit = classifier.time_limit
    ends = "Ctrl-C" if limit is None else f"Ctrl-C, or the --time-limit of {limit:g} (inf: no limit),"
    options = " or ".join([*_options(classifier), *(["--time-limit 60"] if limit is None else [])])
    return f"{ends} ends the search with the best tree so far. For a sooner end, try {options}"


def _no_note(_: Any) -> str:
    return ""


def _options(classifier: Any) -> list[str]:
    """Return options that each shorten the search."""
    return [f"--{name.replace('_', '-')} {value}" for name, value in helpful_parameters(classifier).items()]


def model_of(classifier: Any, method: str) -> Model:
    """Return the tree of a fitted classifier with its certificate."""
    return Model(classifier.tree_, _certificate(classifier, method), _prior_counts(classifier))


def _certificate(classifier: Any, method: str) -> ProofSummary:
    statistics = classifier.statistics_
    is_posterior = isinstance(classifier, MAPTreeClassifier)
    lower = -classifier.upper_bound_ if is_posterior else classifier.lower_bound_
    objective = -classifier.log_posterior_ if is_posterior else classifier.objective_
    is_set = isinstance(classifier, RashomonSetTree)
    return ProofSummary(
        # Of a set, this is about its best tree, which may be proven optimal although the set is not complete.
        status="optimal" if is_set and classifier._is_optimal(objective) else classifier.status_,
        objective=objective,
        lower_bound=lower,
        gap=classifier.gap_,
        loss=None if is_posterior else classifier.loss_,
        regularization=None if is_posterior else classifier.regularization_,
        measure=_measure(classifier),
        n_rows=int(classifier.tree_.n_samples[0]),
        n_columns=classifier.n_features_in_,
        n_conditions=len(classifier.binarizer_.conditions_),
        thresholds=_thresholds_of(classifier.binarizer_),
        decimals=getattr(classifier.binarizer_, "decimals", None),
        max_depth=classifier.max_depth,
        max_leaves=getattr(classifier, "max_leaves", None),
        min_samples_leaf=getattr(classifier, "min_samples_leaf", 1),
        subproblems=int(statistics["subproblems"]),
        table_entries=int(statistics["table_entries"]),
        memory_bytes=int(statistics["bytes"]),
        seconds=float(statistics["seconds"]),
        method=method,
    )


def _measure(classifier: Any) -> str:
    """Return what the objective counts."""
    if isinstance(classifier, RegressorMethods):
        loss = str(getattr(classifier, "loss", "squared_error"))
        return "quantile loss" if loss == "quantile" else loss.replace("_", " ")
    for kind, measure in (
        (MAPTreeClassifier, "log posterior"),
        (FittedPolicyTree, "reward lost"),
        (FittedSurvivalTree, "deviance"),
    ):
        if isinstance(classifier, kind):
            return measure
    return str(classifier.objective)


def _prior_counts(classifier: Any) -> list[float] | None:
    """Return the weight of each class that `predict_proba` adds to that of a leaf; None if it adds nothing."""
    if isinstance(classifier, MAPTreeClassifier):
        return [float(count) for count in classifier.rho_]
    smoothing = getattr(classifier, "smoothing", None)
    if smoothing is None:
        return None
    if smoothing == "laplace":
        return [1.0] * len(classifier.classes_)
    return [float(smoothing * share) for share in class_shares(classifier.tree_.class_weights[:1], None)[0]]


def _thresholds_of(binarizer: Binarizer) -> str:
    if isinstance(binarizer, ThresholdGuessBinarizer):
        return "guess"
    if isinstance(binarizer, SupervisedBinarizer):
        return "auto"
    return getattr(binarizer, "strategy", "none")


def binarizer_named(name: str, n_thresholds: int | None, decimals: int | None) -> str | Binarizer | None:
    """Return the `binarizer` of the classifier for these options.

    Raises
    ------
    CommandError
        If the name is unknown, a number of thresholds is given without `quantile`, or decimals are without thresholds.
    """
    if name not in ("exact", "quantile", "auto", "guess", "none"):
        raise CommandError(f"--binarizer {name!r}: expected exact, quantile, auto, guess or none")
    if name != "quantile" and n_thresholds is not None:
        raise CommandError(f"--n-thresholds belongs to --binarizer quantile, not to {name}")
    if name == "none":
        if decimals is not None:
            raise CommandError("--decimals belongs to a --binarizer with thresholds, not to none")
        return None
    if n_thresholds is not None:
        return ThresholdBinarizer("quantile", n_thresholds, decimals=decimals)
    if decimals is None:
        return name
    if name in ("exact", "quantile"):
        return ThresholdBinarizer(name, decimals=decimals)  # type: ignore[arg-type]
    return (SupervisedBinarizer if name == "auto" else ThresholdGuessBinarizer)(decimals=decimals)


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


def costs_of(texts: Sequence[str]) -> dict[str, float]:
    """Read costs of actions such as ``call=0.5``.

    Raises
    ------
    CommandError
        If one is not an action, an equals sign and a number, or an action has two.
    """
    costs: dict[str, float] = {}
    for text in texts:
        action, _, amount = text.rpartition("=")
        try:
            cost = float(amount)
        except ValueError:
            raise CommandError(f"--costs {text!r}: expected an action and its cost, such as call=0.5") from None
        if action in costs:
            raise CommandError(f"--costs: the action {action!r} has two costs")
        costs[action] = cost
    return costs


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


def request_for(method: str, given: Mapping[str, Any]) -> Request:
    """Return the method with its parameters, from the options that were given.

    Parameters
    ----------
    method : str
        The name of the method, which has all the options.
    given : dict of str to object
        From the names of options, with underscores, to their values. A reference in a file is left out: its
        predictions are read with the table.

    Raises
    ------
    CommandError
        If an option cannot be read, or a parameter is wrong.
    """
    known = parameter_options(method)
    parameters = {name: value for name, value in given.items() if name in known}
    if "threads" in parameters:
        parameters["n_jobs"] = parameters.pop("threads")
    if "seed" in parameters:
        parameters["random_state"] = parameters.pop("seed")
    if "reference" in parameters and parameters["reference"] != FROM_BINARIZER:
        del parameters["reference"]
    n_thresholds, decimals = given.get("n_thresholds"), given.get("decimals")
    if "binarizer" in parameters or n_thresholds is not None or decimals is not None:
        name = parameters.get("binarizer", METHODS[method].make().binarizer)
        parameters["binarizer"] = binarizer_named(name, n_thresholds, decimals)
    for name, read in _READERS.items():
        if name in parameters:
            parameters[name] = read(parameters[name])
    if "quantile" in parameters and parameters.setdefault("loss", "quantile") != "quantile":
        raise CommandError(f"--quantile belongs to --loss quantile, not to {parameters['loss']}")
    request = Request(method, parameters)
    request.check()
    return request


def _prior_of(counts: list[float]) -> float | list[float]:
    """Return the prior count of all classes, or of each one."""
    return counts[0] if len(counts) == 1 else counts


def _smoothing(text: str) -> float | str:
    try:
        return text if text == "laplace" else float(text)
    except ValueError:
        raise CommandError(f"--smoothing {text!r}: expected laplace or a number") from None


FROM_BINARIZER = "binarizer"  # the reference that --binarizer guess ends with
_READERS: dict[str, Callable[[Any], Any]] = {
    "regularization": leaf_penalty,
    "cost_matrix": read_costs,
    "memory_limit": parse_bytes,
    "time_limit": lambda seconds: None if seconds == inf else seconds,
    "smoothing": _smoothing,
    "rho": _prior_of,
    "costs": costs_of,
    "start": lambda name: None if name == "none" else name,
    "start_tree": read_tree,
}
