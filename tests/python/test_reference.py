"""Searches whose bounds are guessed from a reference, and the depth that an ensemble's size suggests."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

from hornbeam import GOSDTClassifier, sufficient_depth

X, y = load_breast_cancer(return_X_y=True)
PARAMETERS = {"regularization": 0.01, "max_depth": 3, "binarizer": "quantile"}


def objective_bound(exact, reference_errs, labels):
    """Return what theorem 4.3 promises, with the optimal tree for t."""
    errs = exact.predict(X) != labels
    return np.mean(reference_errs | errs) + exact.regularization_ * exact.n_leaves_


def test_estimator_predictions_and_their_promise():
    exact = GOSDTClassifier(**PARAMETERS).fit(X, y)
    model = GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0).fit(X, y)
    by_model = GOSDTClassifier(**PARAMETERS, reference=model).fit(X, y)
    by_labels = GOSDTClassifier(**PARAMETERS, reference=model.predict(X)).fit(X, y)
    assert by_model.objective_ == by_labels.objective_
    assert by_model.status_ == "guessed"
    assert exact.objective_ <= by_model.objective_ <= objective_bound(exact, model.predict(X) != y, y) + 1e-12
    assert by_model.lower_bound_ <= exact.objective_


def test_a_reference_that_is_always_wrong_ends_the_search_at_once_and_the_status_says_so():
    wrong = GOSDTClassifier(**PARAMETERS, reference=1 - y).fit(X, y)
    exact = GOSDTClassifier(**PARAMETERS).fit(X, y)
    assert wrong.status_ == "guessed"
    assert wrong.lower_bound_ < exact.objective_ <= wrong.objective_
    assert wrong.statistics_["subproblems"] <= 3 < exact.statistics_["subproblems"]


def test_a_reference_without_errors_keeps_the_optimum():
    exact = GOSDTClassifier(**PARAMETERS).fit(X, y)
    perfect = GOSDTClassifier(**PARAMETERS, reference=y).fit(X, y)
    assert perfect.objective_ == exact.objective_


def test_reference_of_the_binarizer_and_many_classes():
    data, labels = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[labels]
    guessed = GOSDTClassifier(0.01, binarizer="guess", reference="binarizer").fit(data, names)
    exact = GOSDTClassifier(0.01, binarizer="guess").fit(data, names)
    assert guessed.status_ in {"guessed", "optimal"}
    assert exact.objective_ <= guessed.objective_ <= exact.objective_ + 0.02


def test_rows_of_weight_zero_have_no_say():
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    reference = np.where(weights == 0, 1 - y, y)
    some = GOSDTClassifier(**PARAMETERS, reference=reference).fit(X, y, sample_weight=weights)
    assert some.objective_ == GOSDTClassifier(**PARAMETERS).fit(X, y, sample_weight=weights).objective_


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (y[:-1], "one label for each of the 569 rows"),
        (np.full(len(y), 7), "predicts 7"),
        ("forest", "'binarizer'"),
        ("binarizer", "ThresholdGuessBinarizer"),
        (GradientBoostingRegressor(n_estimators=3).fit(X, y), "not a label of y"),
    ],
)
def test_wrong_references_are_named(reference, message):
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier(**PARAMETERS, reference=reference).fit(X, y)


def test_sufficient_depth():
    assert sufficient_depth(10, 8) == 11
    assert sufficient_depth(100, 8) == 15
    with pytest.raises(ValueError, match="n_members"):
        sufficient_depth(2, 8)
    with pytest.raises(TypeError, match="vc_dimension"):
        sufficient_depth(10, 8.0)
