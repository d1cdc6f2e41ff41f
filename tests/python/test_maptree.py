"""MAPTree as a user meets it, and the score of any tree under its prior."""

import pickle
from math import inf, isclose

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from hornbeam import (
    GOSDTClassifier,
    GOSDTRegressor,
    MAPTreeClassifier,
    NotProvenWarning,
    ThresholdBinarizer,
    log_posterior,
)
from hornbeam.conditions import AtMost
from oracles.posterior import Posterior

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def binary(seed=0, n_rows=200):
    """Return 0/1 columns of which two and a little noise say the label."""
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 2, (n_rows, 8))
    return X, (X[:, 0] & X[:, 1]) ^ (draw.random(n_rows) < 0.1)


@pytest.mark.parametrize("data", [(CANCER[0][:, :2], CANCER[1]), IRIS], ids=["two classes", "three classes"])
def test_the_proven_tree_scores_what_it_says_and_no_other_scores_more(data):
    X, y = data
    classifier = MAPTreeClassifier(binarizer="quantile").fit(X, y)
    conditions = classifier.binarizer_.conditions_
    assert classifier.status_ == "optimal"
    assert classifier.upper_bound_ == classifier.log_posterior_ < 0
    assert classifier.gap_ == 0
    assert classifier.n_leaves_ == classifier.tree_.n_leaves
    assert classifier.depth_ == classifier.tree_.depth
    assert log_posterior(classifier.tree_, X, y, conditions=conditions) == pytest.approx(classifier.log_posterior_)
    for regularization in (0.2, 0.05, 0.01):
        other = GOSDTClassifier(regularization=regularization, max_depth=3, binarizer="quantile").fit(X, y)
        assert log_posterior(other.tree_, X, y, conditions=conditions) <= classifier.log_posterior_ + 1e-9


@pytest.mark.parametrize("max_depth", [0, 1, 2])
def test_max_depth_is_obeyed_and_costs_posterior(max_depth):
    X, y = binary()
    free = MAPTreeClassifier(binarizer=None).fit(X, y)
    limited = MAPTreeClassifier(binarizer=None, max_depth=max_depth).fit(X, y)
    assert limited.status_ == "optimal"
    assert limited.depth_ <= max_depth
    assert limited.log_posterior_ <= free.log_posterior_


def test_probabilities_are_posterior_means_and_agree_with_the_prediction():
    X, y = IRIS
    classifier = MAPTreeClassifier(rho=[1.0, 2.0, 0.5], binarizer="quantile").fit(X, y)
    shares = classifier.predict_proba(X)
    leaves = classifier.apply(X)
    for leaf in np.unique(leaves):
        counts = np.bincount(y[leaves == leaf], minlength=3) + np.array([1.0, 2.0, 0.5])
        assert shares[leaves == leaf] == pytest.approx(np.tile(counts / counts.sum(), ((leaves == leaf).sum(), 1)))
    assert (classifier.classes_[shares.argmax(axis=1)] == classifier.predict(X)).all()
    assert classifier.rho_.tolist() == [1.0, 2.0, 0.5]


def test_the_prior_may_decide_what_a_leaf_predicts():
    X, y = [[0]] * 9, [0] * 5 + [1] * 4
    assert MAPTreeClassifier(binarizer=None).fit(X, y).predict([[0]]) == [0]
    assert MAPTreeClassifier(rho=(1.0, 3.0), binarizer=None).fit(X, y).predict([[0]]) == [1]


def test_a_number_for_every_class_and_one_a_class_are_the_same():
    X, y = binary()
    one = MAPTreeClassifier(rho=2.5, binarizer=None).fit(X, y)
    assert MAPTreeClassifier(rho=(2.5, 2.5), binarizer=None).fit(X, y).log_posterior_ == one.log_posterior_
    with pytest.raises(ValueError, match="rho has 3 numbers, but y has 2 classes"):
        MAPTreeClassifier(rho=(1.0, 1.0, 1.0), binarizer=None).fit(X, y)


def test_whole_weights_are_numbers_of_rows_and_others_are_refused():
    X, y = binary(n_rows=60)
    weights = np.arange(60) % 4
    weighted = MAPTreeClassifier(binarizer=None).fit(X, y, sample_weight=weights)
    repeated = MAPTreeClassifier(binarizer=None).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.log_posterior_ == repeated.log_posterior_
    assert weighted.predict_proba(X) == pytest.approx(repeated.predict_proba(X))
    with pytest.raises(ValueError, match=r"whole numbers, got .*0\.5"):
        MAPTreeClassifier(binarizer=None).fit(X, y, sample_weight=np.full(60, 0.5))
    with pytest.raises(ValueError, match=r"less than 2\^26 rows"):
        MAPTreeClassifier(binarizer=None).fit(X, y, sample_weight=np.full(60, 2**30))


def test_a_stopped_fit_warns_and_keeps_a_tree_and_a_bound():
    X, y = binary(n_rows=500)
    optimum = MAPTreeClassifier(binarizer=None).fit(X, y).log_posterior_
    with pytest.warns(NotProvenWarning, match=r"\(status 'expansion_limit', [0-9.]+ s, [0-9.]+ MB\)"):
        stopped = MAPTreeClassifier(binarizer=None, max_expansions=1).fit(X, y)
    assert stopped.status_ == "expansion_limit"
    assert stopped.log_posterior_ <= optimum <= stopped.upper_bound_
    assert 0 < stopped.gap_ < 1
    assert stopped.predict(X).shape == y.shape


def test_reports_and_trace_are_in_nats():
    X, y = binary(n_rows=500)
    reports = []
    classifier = MAPTreeClassifier(binarizer=None, callback=reports.append, verbose=1, trace=True).fit(X, y)
    assert classifier.trace_[-1].objective == -classifier.log_posterior_
    assert classifier.trace_[-1].lower_bound == -classifier.upper_bound_
    assert all(-step.objective <= classifier.log_posterior_ for step in reports)
    assert not hasattr(classifier.set_params(trace=False).fit(X, y), "trace_")


def test_pickles_and_serves_in_a_grid():
    X, y = binary()
    search = GridSearchCV(MAPTreeClassifier(binarizer=None), {"alpha": [0.5, 0.95], "rho": [1.0, (2.5, 2.5)]}).fit(X, y)
    copy = pickle.loads(pickle.dumps(search.best_estimator_))
    assert copy.tree_ == search.best_estimator_.tree_
    assert (copy.predict_proba(X) == search.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"alpha": 1.0}, ValueError, "alpha must be greater than 0 and less than 1, got 1.0"),
        ({"alpha": "high"}, TypeError, "alpha must be a number"),
        ({"beta": -1}, ValueError, "beta must be at least 0"),
        ({"beta": True}, TypeError, "beta must be a number"),
        ({"rho": 0}, ValueError, "rho must be greater than 0"),
        ({"rho": (1.0, inf)}, ValueError, "rho must be greater than 0 and finite"),
        ({"rho": "2.5"}, TypeError, "rho must be a number or a sequence"),
        ({"rho": (None, 1)}, TypeError, "rho must be a number or a sequence"),
        ({"max_depth": -1}, ValueError, "max_depth must be at least 0"),
        ({"max_expansions": 0}, ValueError, "max_expansions must be at least 1"),
        ({"time_limit": -1}, ValueError, "time_limit must be at least 0"),
        ({"memory_limit": "much"}, TypeError, "memory_limit must be a number"),
        ({"callback": 3}, TypeError, "callback must be None or callable"),
        ({"trace": 1}, TypeError, "trace must be True or False"),
        ({"binarizer": "all"}, ValueError, "binarizer must be"),
    ],
)
def test_errors_name_the_parameter(parameters, error, message):
    with pytest.raises(error, match=message):
        MAPTreeClassifier(**parameters).fit(*binary())


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two classes", "three classes"])
@pytest.mark.parametrize("max_depth", [1, 3])
def test_a_tree_of_scikit_learn_scores_as_its_translation_to_conditions(data, max_depth):
    X, y = data
    cart = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(X, y)
    conditions = ThresholdBinarizer(strategy="quantile").fit(X).conditions_
    matrix = np.array([X[:, condition.column] <= condition.threshold for condition in conditions]).T
    posterior = Posterior(matrix.astype(np.uint8), y, [2.5] * len(set(y.tolist())))

    def node(number, rows, depth):
        tree = cart.tree_
        if tree.children_left[number] < 0:
            return posterior.leaf(rows, depth)
        goes_left = X[list(rows), tree.feature[number]].astype(np.float32) <= tree.threshold[number]
        sides = [tuple(np.array(rows)[goes_left == side]) for side in (True, False)]
        below = node(tree.children_left[number], sides[0], depth + 1) + node(
            tree.children_right[number], sides[1], depth + 1
        )
        return posterior.split(rows, depth) + below

    expected = -node(0, posterior.all_rows, 0)
    assert log_posterior(cart, X, y, conditions=conditions) == pytest.approx(expected)


def test_without_conditions_all_thresholds_count():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), np.array([0, 0, 1, 1] * 5)
    classifier = MAPTreeClassifier().fit(X, y)
    assert isclose(log_posterior(classifier.tree_, X, y), classifier.log_posterior_, rel_tol=1e-9)
    fewer = log_posterior(classifier.tree_, X, y, conditions=[AtMost(0, 1.5)])
    assert fewer > classifier.log_posterior_  # the same tree was the only choice


def test_a_split_that_tells_no_rows_apart_has_no_prior():
    X, y = np.array([[0.0], [1.0]] * 10), np.array([0, 1] * 10)
    classifier = MAPTreeClassifier().fit(X, y)
    assert classifier.n_leaves_ == 2
    assert log_posterior(classifier.tree_, [[0.0]] * 4, [0] * 4) == -inf


def test_errors_of_log_posterior_name_the_argument():
    X, y = binary()
    tree = MAPTreeClassifier(binarizer=None).fit(X, y).tree_
    with pytest.raises(TypeError, match="must be a Tree or a fitted DecisionTreeClassifier, got GOSDTRegressor"):
        log_posterior(GOSDTRegressor(max_depth=1).fit(X, y), X, y)
    with pytest.raises(ValueError, match="y holds 7, which the tree does not know"):
        log_posterior(tree, X, np.full(len(X), 7))
    with pytest.raises(ValueError, match="y must have one label for each of the 200 rows"):
        log_posterior(tree, X, y[:-1])
    with pytest.raises(ValueError, match="alpha must be greater than 0"):
        log_posterior(tree, X, y, alpha=0)
    with pytest.raises(ValueError, match="rho has 3 numbers"):
        log_posterior(tree, X, y, rho=[1, 1, 1])
