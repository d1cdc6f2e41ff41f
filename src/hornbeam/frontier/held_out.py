"""The objective of a fitted classifier on rows that it has not seen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import confusion_matrix, f1_score, roc_curve

from hornbeam._checks import as_array, check_weights
from hornbeam.objectives import OBJECTIVES, ClassData


def score_of_objective(classifier: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the score that belongs to the objective of a classifier, larger for better ones.

    Parameters
    ----------
    classifier : classifier
        Fitted.
    X : array-like or data frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,)
    sample_weight : array-like of shape (n_rows,) or None, default=None

    Returns
    -------
    float
        1 minus the loss on these rows; for "cost" minus the mean cost of a row. So the accuracy, the balanced accuracy,
        the F-score or the area under the ROC curve.
    """
    labels = as_array("y", y)
    weights = check_weights(sample_weight, len(labels))
    if classifier.objective in OBJECTIVES:
        loss = _additive_loss(classifier, classifier.predict(X), labels, weights)
        return -loss if classifier.objective == "cost" else 1 - loss
    positive = classifier.classes_[1]
    if classifier.objective == "f1":
        return float(f1_score(labels == positive, classifier.predict(X) == positive, sample_weight=weights))
    false, true, _ = roc_curve(labels == positive, classifier.predict_proba(X)[:, 1], sample_weight=weights)
    theta = 1.0 if classifier.theta is None else float(classifier.theta)
    return _area(false, true, theta)


def _additive_loss(
    classifier: Any, predicted: npt.NDArray[Any], labels: npt.NDArray[Any], weights: npt.NDArray[Any]
) -> float:
    classes = classifier.classes_
    confusion = confusion_matrix(labels, predicted, labels=classes, sample_weight=weights)
    # A class without a row has no share in the loss, but its weight is a divisor.
    totals = tuple(Fraction(float(total)) or Fraction(1) for total in confusion.sum(axis=1))
    data = ClassData(classes, totals, classifier.omega, classifier.cost_matrix, classifier.class_weight)
    loss = OBJECTIVES[classifier.objective](data)
    return float((confusion * np.array(loss.costs, dtype=np.float64)).sum() / float(loss.scale))


def _area(false_positives: npt.NDArray[Any], true_positives: npt.NDArray[Any], theta: float) -> float:
    """Return the area under a ROC curve up to a false positive rate."""
    at_theta = np.interp(theta, false_positives, true_positives)
    inside = false_positives < theta
    x = np.append(false_positives[inside], theta)
    y = np.append(true_positives[inside], at_theta)
    return float(((x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum() / 2)
