"""What users of scikit-learn expect of a fitted tree classifier, and of one that is not fitted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    ThresholdBinarizer,
)

CLASSIFIERS = [
    GOSDTClassifier(0.01, max_depth=2, binarizer="quantile"),
    OSDTClassifier(0.05, max_depth=2, binarizer="quantile"),
    SPLITClassifier(0.01, max_depth=3),
    LicketySPLITClassifier(0.01, max_depth=3),
    MAPTreeClassifier(max_depth=2, binarizer="quantile"),
    RashomonSetClassifier(0.01, regularization=0.02, max_depth=2),
]
IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


def name(classifier):
    return type(classifier).__name__


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name)
def test_importances_are_those_of_the_same_tree_of_scikit_learn(classifier):
    X, y = IRIS
    weights = np.arange(len(y)) % 3 + 1
    classifier.fit(X, y, sample_weight=weights)
    found = classifier.feature_importances_
    assert found.shape == (4,)
    assert found.sum() == pytest.approx(1)
    assert found == pytest.approx(classifier.tree_.to_sklearn().feature_importances_)
    used = {condition.column for condition in classifier.tree_.conditions if condition is not None}
    assert set(np.flatnonzero(found)) == used


def test_importances_of_a_single_leaf_are_zero():
    classifier = GOSDTClassifier(max_depth=0).fit(*IRIS)
    assert classifier.feature_importances_.tolist() == [0, 0, 0, 0]
    assert (classifier.get_depth(), classifier.get_n_leaves()) == (0, 1)


def test_importances_are_of_columns_and_not_of_categories_or_thresholds():
    X = pd.DataFrame({"number": [1, 2, 3, 4, 5, 6], "text": list("aabbcc"), "other": [1, 1, 1, 1, 1, 1]})
    classifier = GOSDTClassifier(0.001).fit(X, [0, 0, 1, 1, 0, 0])
    assert classifier.feature_importances_.shape == (3,)
    assert classifier.feature_importances_[2] == 0


def test_importances_are_never_negative_where_a_split_lowers_no_impurity():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    classifier = GOSDTClassifier(0.001).fit(X, X[:, 0] ^ X[:, 1])
    assert classifier.n_leaves_ == 4
    assert classifier.feature_importances_.min() >= 0
    assert classifier.feature_importances_.sum() == pytest.approx(1)


def test_recursive_feature_elimination_keeps_the_columns_of_the_tree():
    X, y = CANCER
    classifier = GOSDTClassifier(0.01, max_depth=2, binarizer=ThresholdBinarizer("quantile", 4))
    selector = RFE(classifier, n_features_to_select=3, step=9).fit(X, y)
    assert selector.support_.sum() == 3
    assert set(np.flatnonzero(classifier.fit(X, y).feature_importances_)) <= set(np.flatnonzero(selector.support_))


def test_select_from_model_keeps_the_columns_that_the_tree_uses():
    X, y = CANCER
    selector = SelectFromModel(GOSDTClassifier(0.01, max_depth=2, binarizer="quantile"), threshold=1e-9).fit(X, y)
    assert (
        selector.get_support(indices=True).tolist() == np.flatnonzero(selector.estimator_.feature_importances_).tolist()
    )
    assert selector.transform(X).shape[1] == selector.get_support().sum()


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name)
def test_depth_leaves_and_log_probabilities_are_those_of_the_tree(classifier):
    X, y = IRIS
    classifier.fit(X, y)
    assert classifier.get_depth() == classifier.depth_ == classifier.tree_.depth
    assert classifier.get_n_leaves() == classifier.n_leaves_ == classifier.tree_.n_leaves
    shares = classifier.predict_proba(X)
    logarithms = classifier.predict_log_proba(X)
    assert np.exp(logarithms) == pytest.approx(shares)
    assert np.array_equal(np.isneginf(logarithms), shares == 0)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name)
@pytest.mark.parametrize(
    "attribute", ["depth_", "n_leaves_", "feature_importances_", "n_features_in_", "feature_names_in_"]
)
def test_before_fit_an_attribute_is_missing_and_the_message_says_to_fit(classifier, attribute):
    unfitted = type(classifier)()
    assert not hasattr(unfitted, attribute)
    with pytest.raises(NotFittedError, match=f"This {name(classifier)} instance is not fitted yet. Call 'fit'"):
        getattr(unfitted, attribute)


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves"])
def test_before_fit_a_method_says_to_fit(method):
    with pytest.raises(NotFittedError, match="This GOSDTClassifier instance is not fitted yet"):
        getattr(GOSDTClassifier(), method)()


@pytest.mark.parametrize("attribute", ["n_features_in_", "feature_names_in_"])
def test_before_fit_a_binarizer_says_to_fit(attribute):
    with pytest.raises(NotFittedError, match="This ThresholdBinarizer instance is not fitted yet"):
        getattr(ThresholdBinarizer(), attribute)
