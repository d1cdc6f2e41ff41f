"""Every parameter of every estimator, given each of many odd values: refused by name, or a right result."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
)
from python.odd_values import ODD_VALUES, faults_of, is_integer

X = pd.DataFrame({"a": [1.5, 2, 2, 3, 4.5, 4.5, 5, 6], "b": list("uvuvvuvv"), "c": [0, 0, 1, 1, 1, 0, 0, 1]})
Y = np.array([0, 0, 1, 1, 0, 1, 1, 1])
COSTS = [[0, 1], [2, 0]]

ESTIMATORS = {
    "gosdt accuracy": GOSDTClassifier(),
    "gosdt balanced": GOSDTClassifier(objective="balanced"),
    "gosdt weighted": GOSDTClassifier(objective="weighted", omega=2),
    "gosdt cost": GOSDTClassifier(objective="cost", cost_matrix=COSTS),
    "gosdt f1": GOSDTClassifier(objective="f1", max_depth=2),
    "gosdt f1 by omega": GOSDTClassifier(objective="f1", labelling="omega", max_depth=2),
    "gosdt auc": GOSDTClassifier(objective="auc", max_depth=2, regularization=0.05),
    "gosdt partial auc": GOSDTClassifier(objective="partial_auc", theta=0.5, max_depth=2, regularization=0.05),
    "osdt accuracy": OSDTClassifier(),
    "osdt auc": OSDTClassifier(objective="auc", max_depth=2, regularization=0.05),
    "split": SPLITClassifier(lookahead_depth=1, max_depth=3),
    "split certified": SPLITClassifier(max_depth=3, certify=True),
    "lickety": LicketySPLITClassifier(max_depth=3),
    "maptree": MAPTreeClassifier(),
    "set": RashomonSetClassifier(regularization=0.05, max_depth=3),
    "resplit": RashomonSetClassifier(method="resplit", lookahead_depth=1, regularization=0.05, max_depth=3),
}
LIMITS = ("max_depth", "max_leaves", "min_samples_leaf", "lookahead_depth", "max_expansions")  # 40 is as good as none
ABOUT_LOSS = ("regularization", "objective", "omega", "cost_matrix", "class_weight")
ABOUT_SEARCH = (*ABOUT_LOSS, "max_depth", "max_leaves", "min_samples_leaf", "labelling", "theta", "gap_limit", "bounds")
SOME = {  # where the rest goes through the same code as with objective "accuracy"
    "gosdt balanced": ABOUT_LOSS,
    "gosdt weighted": ABOUT_LOSS,
    "gosdt cost": ABOUT_LOSS,
    "gosdt f1": ABOUT_SEARCH,
    "gosdt f1 by omega": (*ABOUT_SEARCH, "memory_limit", "time_limit", "n_jobs"),
    "gosdt auc": (*ABOUT_SEARCH, "reference"),
    "gosdt partial auc": ABOUT_SEARCH,
    "osdt auc": (*ABOUT_SEARCH, "policy", "start"),
    "split certified": (*ABOUT_LOSS, "max_depth", "lookahead_depth", "time_limit", "memory_limit", "n_jobs"),
}
CASES = [
    (name, parameter)
    for name, estimator in ESTIMATORS.items()
    for parameter in estimator.get_params(deep=False)
    if parameter in SOME.get(name, (parameter,))
]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    """Work in an empty folder: some odd values are paths that a checkpoint can have."""
    monkeypatch.chdir(tmp_path)


def loss_of(classifier):
    """Compute the loss of a classifier without class weights from what it predicts."""
    objective, predicted = classifier.objective, classifier.predict(X)
    missed, alarms = int(np.sum((Y == 1) & (predicted == 0))), int(np.sum((Y == 0) & (predicted == 1)))
    n_positive, n_negative = int(np.sum(Y == 1)), int(np.sum(Y == 0))
    if objective == "auc":
        return 1 - roc_auc_score(Y, classifier.predict_proba(X)[:, 1])
    if objective == "balanced":
        return (missed / n_positive + alarms / n_negative) / 2
    if objective == "weighted":
        omega = Fraction(str(classifier.omega))
        return float((alarms + omega * missed) / (omega * n_positive + n_negative))
    if objective == "cost":
        return np.asarray(classifier.cost_matrix, dtype=float)[Y, predicted].mean()
    if objective == "f1":
        return (missed + alarms) / (2 * n_positive + alarms - missed)
    return (missed + alarms) / len(Y)


def fault_of_result(classifier):
    """Return what is wrong with a fitted classifier, or None."""
    tree = classifier.tree_
    if is_integer(classifier.max_depth) and tree.depth > classifier.max_depth:
        return f"depth {tree.depth}"
    if is_integer(getattr(classifier, "max_leaves", None)) and tree.n_leaves > classifier.max_leaves:
        return f"{tree.n_leaves} leaves"
    if tree.n_leaves > 1 and tree.n_samples.min() < getattr(classifier, "min_samples_leaf", 1):
        return f"{tree.n_samples.min()} rows in a leaf"
    if isinstance(classifier, MAPTreeClassifier):
        return None if classifier.log_posterior_ <= classifier.upper_bound_ <= 0 else "bound"
    if not classifier.lower_bound_ <= classifier.objective_ + 1e-12:
        return f"bound {classifier.lower_bound_} above objective {classifier.objective_}"
    is_auto = isinstance(classifier.regularization, str) and classifier.regularization == "auto"
    given = 0.01 if is_auto else as_number(classifier.regularization)  # of so few rows
    if is_auto and classifier.objective == "cost":
        given = classifier.regularization_  # a share of the largest possible loss
    if abs(classifier.regularization_ - given) > 1e-9:
        return f"regularization {classifier.regularization_}"
    if abs(classifier.loss_ + given * tree.n_leaves - classifier.objective_) > 1e-9:
        return f"loss {classifier.loss_} and objective {classifier.objective_}"
    if classifier.objective != "partial_auc" and not classifier.class_weight:
        loss = loss_of(classifier)
        if abs(loss - classifier.loss_) > 1e-9:
            return f"loss {classifier.loss_}, recomputed {loss}"
    return None


def as_number(value):
    """Return a number as float: like the search, the decimal that is printed for it."""
    return float(Fraction(str(value)))


def outcome(classifier):
    """Return what an equal value must give equally."""
    if isinstance(classifier, MAPTreeClassifier):
        return classifier.status_, classifier.log_posterior_, classifier.tree_
    trees = getattr(classifier, "n_trees_", None)
    return classifier.status_, classifier.objective_, classifier.tree_, trees


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_an_odd_value_of_a_parameter_is_refused_by_name_or_gives_a_right_result(name, parameter):
    def fit(value):
        classifier = type(ESTIMATORS[name])(**{**ESTIMATORS[name].get_params(deep=False), parameter: value})
        classifier.fit(X, Y)
        fault = fault_of_result(classifier)
        if fault is None and is_integer(value) and parameter in LIMITS:
            same = type(classifier)(**{**classifier.get_params(deep=False), parameter: min(int(value), 40)}).fit(X, Y)
            if outcome(same) != outcome(classifier):
                fault = f"{outcome(classifier)} instead of {outcome(same)}"
        return fault

    values = ODD_VALUES
    if parameter == "callback":  # what a callable does is the user's business
        values = [value for value in values if not callable(value)]
    default = ESTIMATORS[name].get_params(deep=False)[parameter]
    texts = [np.str_(default), np.array(default), np.array([default])] if isinstance(default, str) else []
    faults = faults_of(fit, [*values, *texts], parameter)
    assert not faults, "\n".join(faults)
