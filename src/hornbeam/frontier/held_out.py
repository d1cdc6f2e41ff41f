"""The objective of a fitted classifier on rows that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import f1_score, roc_curve
from sklearn.utils.class_weight import compute_sample_weight

from hornbeam._checks import as_array, check_weights


def loss_of_objective(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the loss of a fitted estimator on rows that it has not seen, in the unit of its objective.

    Parameters
    ----------
    model : classifier, PolicyTree, GOSDTRegressor or SurvivalTree
        Fitted.
    X : array-like or data frame of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), or rewards, or events and times
    sample_weight : array-like of shape (n_rows,) or None, default=None

    Returns
    -------
    float
    """
    if not hasattr(model, "classes_"):
        return float(model._loss_on(X, y, sample_weight))
    score = score_of_objective(model, X, y, sample_weight)
    return -score if model.objective == "cost" else 1 - score


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
        the F-score or the area under the ROC curve. Of a policy its mean reward, of a regressor R^2,
        of a survival tree the concordance index.
    """
    if not hasattr(classifier, "classes_"):
        return float(classifier._score_on(X, y, sample_weight))
    labels = as_array("y", y)
    weights = check_weights(sample_weight, len(labels))
    objective, classes = classifier.objective, classifier.classes_
    if objective in ("auc", "partial_auc"):
        shares = classifier.predict_proba(X)[:, 1]
        false, true, _ = roc_curve(labels == classes[1], shares, sample_weight=weights)
        return _area(false, true, 1.0 if classifier.theta is None else float(classifier.theta))
    predicted = classifier.predict(X)
    weights = weights * compute_sample_weight(classifier.class_weight, labels)
    if objective == "f1":
        return float(f1_score(labels == classes[1], predicted == classes[1], sample_weight=weights))
    if objective == "cost":
        rows, columns = np.searchsorted(classes, labels), np.searchsorted(classes, predicted)
        return -float(np.average(np.asarray(classifier.cost_matrix)[rows, columns], weights=weights))
    # Of the rest, each row has a weight, and is lost if it is predicted wrongly.
    if objective == "balanced":
        _, codes = np.unique(labels, return_inverse=True)
        weights = weights / np.bincount(codes, weights=weights)[codes]
    elif objective == "weighted":
        weights = weights * np.where(labels == classes[1], float(classifier.omega), 1.0)
    return float(np.average(predicted == labels, weights=weights))


def _area(false_positives: npt.NDArray[Any], true_positives: npt.NDArray[Any], theta: float) -> float:
    """Return the area under a ROC curve up to a false positive rate."""
    at_theta = np.interp(theta, false_positives, true_positives)
    inside = false_positives < theta
    x = np.append(false_positives[inside], theta)
    y = np.append(true_positives[inside], at_theta)
    return float(((x[1:] - x[:-1]) * (y[1:] + y[:-1])).sum() / 2)
