"""A fit for the GOSDT paper: what a tree is worth, counted from the rows, and its time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import auc, balanced_accuracy_score, f1_score, roc_curve, zero_one_loss

from benchmarks.data import Array
from benchmarks.papers.measure import attributes, fit_seconds
from hornbeam import GOSDTClassifier, ThresholdBinarizer

REPEATS = 3  # of a fit of less than a second, of which the fastest counts
OMEGA = 2
THETA = 0.3


def area(y: Array, shares: Array, most: float = 1.0) -> float:
    """Return the area under the ROC curve of the leaves' shares up to a false positive rate."""
    false, true, _ = roc_curve(y, shares, drop_intermediate=False)
    is_within = false < most
    return float(auc([*false[is_within], most], [*true[is_within], np.interp(most, false, true)]))


# Parameters of the classifier, and its loss counted from the predictions and the leaves' shares for the rows.
OBJECTIVES: dict[str, tuple[dict[str, Any], Callable[..., float]]] = {
    "accuracy": ({}, lambda y, predicted, shares: zero_one_loss(y, predicted)),
    "balanced": ({}, lambda y, predicted, shares: 1 - balanced_accuracy_score(y, predicted)),
    "weighted": ({"omega": OMEGA}, lambda y, predicted, shares: zero_one_loss(y, predicted, sample_weight=1 + y)),
    "f1": ({}, lambda y, predicted, shares: 1 - f1_score(y, predicted)),
    "auc": ({}, lambda y, predicted, shares: 1 - area(y, shares)),
    "partial_auc": ({"theta": THETA}, lambda y, predicted, shares: 1 - area(y, shares, THETA)),
}


def fit_objective(
    X: Any,
    y: Array,
    name: str,
    regularization: float,
    limit: float,
    binarizer: ThresholdBinarizer | None = None,
) -> tuple[GOSDTClassifier, dict[str, Any]]:
    """Fit an objective of `OBJECTIVES` to columns; return the classifier and fields for the file of results."""
    parameters, loss_of = OBJECTIVES[name]
    parameters = {"objective": name, **parameters, "time_limit": limit}
    classifier = GOSDTClassifier(regularization, binarizer=binarizer, **parameters)
    seconds: list[float] = []
    cpu_seconds = []
    while not seconds or (len(seconds) < REPEATS and max(seconds) < 1):
        begin = time.process_time()
        seconds.append(fit_seconds(classifier, X, y))
        cpu_seconds.append(time.process_time() - begin)
    shares = classifier.predict_proba(X)[:, 1]
    loss = float(loss_of(y, classifier.predict(X), shares))
    return classifier, {
        "rows": len(y),
        "columns": classifier.statistics_["n_binary_columns"],
        "objective": loss + regularization * classifier.n_leaves_,
        "loss": loss,
        "area": area(y, shares),
        "claimed_objective": classifier.objective_,
        **attributes(classifier, "lower_bound", leaves="n_leaves"),
        "proven": classifier.status_ == "optimal",
        "searches": classifier.statistics_.get("additive_searches", 1),
        "user_seconds": min(seconds),
        "cpu_seconds": min(cpu_seconds),
    }
