"""SPLIT and LicketySPLIT as a user meets them."""

import pickle
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, NotProvenWarning, SPLITClassifier, ThresholdBinarizer
from oracles.lookahead import lookahead_cost
from oracles.problems import random_problem

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
BOTH = [SPLITClassifier, LicketySPLITClassifier]


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two classes", "three classes"])
def test_objective_is_that_of_the_tree_and_lies_between_optimum_and_its_bound(make, data):
    X, y = data
    parameters = {"lookahead_depth": 1} if make is SPLITClassifier else {}
    classifier = make(regularization=0.01, max_depth=3, **parameters).fit(X, y)
    assert classifier.loss_ == pytest.approx(np.mean(classifier.predict(X) != y))
    assert classifier.objective_ == pytest.approx(classifier.loss_ + 0.01 * classifier.n_leaves_)
    assert classifier.status_ == "heuristic"
    assert classifier.depth_ <= 3
    exact = GOSDTClassifier(regularization=0.01, max_depth=3).fit(X, y)
    assert classifier.lower_bound_ <= exact.objective_ <= classifier.objective_
    assert 0 < classifier.gap_ < 1


def test_split_from_the_full_depth_on_is_the_exact_search():
    X, y = CANCER
    split = SPLITClassifier(regularization=0.01, lookahead_depth=3, max_depth=3).fit(X, y)
    exact = GOSDTClassifier(regularization=0.01, max_depth=3).fit(X, y)
    assert split.status_ == "optimal"
    assert split.objective_ == split.lower_bound_ == exact.objective_


@pytest.mark.parametrize("lookahead_depth", [3, 4, 7])
def test_split_with_at_most_one_greedy_level_is_the_exact_search(lookahead_depth):
    draw = np.random.default_rng(3)
    X = draw.integers(0, 2, size=(300, 9))
    y = X[:, :6].sum(axis=1) + draw.integers(0, 3, size=300) > 3
    settings = {"regularization": 0.002, "max_depth": 4, "binarizer": None}
    exact = GOSDTClassifier(**settings).fit(X, y)
    long, short = (SPLITClassifier(lookahead_depth=depth, **settings).fit(X, y) for depth in (lookahead_depth, 2))
    assert long.status_ == "optimal"
    assert long.objective_ == long.lower_bound_ == exact.objective_
    assert short.status_ == "heuristic"
    assert short.objective_ > exact.objective_


@pytest.mark.parametrize("lookahead_depth", [1, 2, 3, 4])
def test_greedy_completion_is_the_best_prefix_with_its_greedy_trees(lookahead_depth):
    n_improved = 0
    for seed in range(30):
        draw = random_problem(seed, "zero_one", n_rows=(10, 60), n_columns=(3, 7))
        n_rows = len(draw.rows)
        problem = replace(draw, weights=[1] * n_rows, costs=(1 - np.eye(4, dtype=int)).tolist(), leaf_cost=1)
        settings = {"regularization": Fraction(1, n_rows), "max_depth": 3, "binarizer": None}
        greedy, optimal = (
            SPLITClassifier(lookahead_depth=lookahead_depth, completion=completion, **settings).fit(
                problem.rows, problem.classes
            )
            for completion in ("greedy", "optimal")
        )
        cost, _ = lookahead_cost(problem, tuple(range(n_rows)), 3, min(lookahead_depth, 3))
        assert greedy.objective_ == pytest.approx(cost / n_rows, abs=1e-12)
        assert greedy.objective_ == pytest.approx(
            np.mean(greedy.predict(problem.rows) != problem.classes) + greedy.n_leaves_ / n_rows
        )
        assert optimal.objective_ <= greedy.objective_
        n_improved += optimal.objective_ < greedy.objective_
    assert (n_improved > 0) == (lookahead_depth < 3)  # from the full depth on both are exact


def test_greedy_completion_searches_binary_columns_where_optimal_completion_sorts_values():
    X, y = CANCER
    X = X[:, :3]
    greedy, optimal = (
        SPLITClassifier(0.01, 1, max_depth=2, completion=completion).fit(X, y) for completion in ("greedy", "optimal")
    )
    by_columns = greedy.binarizer_.transform(X)
    again = SPLITClassifier(0.01, 1, max_depth=2, completion="greedy", binarizer=None).fit(by_columns, y)
    assert greedy.objective_ == again.objective_
    assert greedy.lower_bound_ <= optimal.objective_


@pytest.mark.parametrize("make", BOTH)
def test_certify_gives_the_optimum_as_bound_and_keeps_the_tree(make):
    X, y = CANCER
    plain = make(regularization=0.01, max_depth=3).fit(X, y)
    certified = make(regularization=0.01, max_depth=3, certify=True, trace=True).fit(X, y)
    exact = GOSDTClassifier(regularization=0.01, max_depth=3).fit(X, y)
    assert certified.objective_ == plain.objective_
    assert plain.lower_bound_ < certified.lower_bound_ == exact.objective_
    assert certified.status_ == ("optimal" if certified.objective_ == exact.objective_ else "heuristic")
    assert certified.statistics_["certify_seconds"] > 0
    assert certified.trace_[-1].lower_bound == certified.lower_bound_
    assert all(step.objective >= certified.objective_ for step in certified.trace_)


def test_certify_ends_with_the_time_limit():
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, size=(3000, 40)), draw.integers(0, 2, size=3000)
    classifier = LicketySPLITClassifier(regularization=0.0, certify=True, time_limit=0.3, binarizer=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)  # where even the lookahead takes longer
        classifier.fit(X, y)
    assert classifier.status_ in {"heuristic", "time_limit"}
    assert classifier.lower_bound_ < classifier.objective_


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("objective", ["balanced", "weighted", "cost"])
def test_other_objectives_and_weights(make, objective):
    X, y = CANCER
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    costs = [[0, 2], [5, 0]] if objective == "cost" else None
    omega = 3.0 if objective == "weighted" else 1.0
    parameters = {"objective": objective, "omega": omega, "cost_matrix": costs, "max_depth": 3, "regularization": 0.005}
    weighted = make(**parameters).fit(X, y, sample_weight=weights)
    repeated = make(**parameters).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.objective_ == repeated.objective_
    assert weighted.tree_.n_leaves == repeated.tree_.n_leaves
    exact = GOSDTClassifier(**parameters).fit(X, y, sample_weight=weights)
    assert weighted.lower_bound_ <= exact.objective_ <= weighted.objective_


def test_a_last_split_by_loss_makes_licketysplit_exact_at_depth_two():
    # In each half, u has the larger gain but changes no prediction; v spares 8 errors of 30.
    half = np.repeat([[0, 0, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0]], [20, 10, 2, 28, 40], axis=0)  # u, v, y
    none = np.zeros((100, 2), dtype=int)
    rows = np.vstack([np.c_[half[:, :2], none, half[:, 2]], np.c_[none, half[:, :2], 1 - half[:, 2]]])
    X, y = np.c_[np.repeat([0, 1], 100), rows[:, :4]], rows[:, 4]
    settings = {"regularization": 0.001, "max_depth": 2, "binarizer": None}
    by_gain, by_loss = (LicketySPLITClassifier(**settings, last_split=last).fit(X, y) for last in ("gain", "loss"))
    assert by_loss.objective_ == GOSDTClassifier(**settings).fit(X, y).objective_ == pytest.approx(44 / 200 + 0.004)
    assert by_gain.objective_ == pytest.approx(52 / 200 + 0.003)


@pytest.mark.parametrize("make", BOTH)
def test_min_samples_leaf_holds(make):
    X, y = CANCER
    classifier = make(regularization=0.001, max_depth=4, min_samples_leaf=40).fit(X, y)
    assert np.bincount(classifier.apply(X))[np.unique(classifier.apply(X))].min() >= 40
    assert classifier.n_leaves_ > 2


def test_near_optimal_trees_beat_greedy_ones_where_greedy_is_blind():
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, size=(2000, 8))
    y = X[:, 0] ^ X[:, 1]
    greedy = DecisionTreeClassifier(criterion="entropy", max_depth=2).fit(X, y)
    assert greedy.score(X, y) < 0.7
    for make in BOTH:
        assert make(regularization=0.001, max_depth=2, binarizer=None).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("make", BOTH)
def test_pickles_and_grid_search(make):
    X, y = IRIS
    search = GridSearchCV(make(), {"regularization": [0.001, 0.1], "max_depth": [1, 3]}, cv=3).fit(X, y)
    assert search.best_params_["max_depth"] == 3
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}, {"callback": lambda progress: True}])
def test_limits_end_in_a_tree_with_a_warning(make, limit):
    X, y = CANCER
    with pytest.warns(NotProvenWarning, match="stopped"):
        classifier = make(regularization=0.001, **limit).fit(X, y)
    assert classifier.status_ in {"time_limit", "memory_limit", "interrupted"}
    assert classifier.lower_bound_ <= classifier.objective_
    assert classifier.predict(X).shape == y.shape


@pytest.mark.parametrize(
    ("make", "parameters", "error", "message"),
    [
        (SPLITClassifier, {"lookahead_depth": 0}, ValueError, "lookahead_depth"),
        (SPLITClassifier, {"lookahead_depth": 1.5}, TypeError, "lookahead_depth"),
        (SPLITClassifier, {"max_depth": None}, TypeError, "max_depth"),
        (SPLITClassifier, {"completion": "best"}, ValueError, "completion"),
        (SPLITClassifier, {"completion": None}, (TypeError, ValueError), "completion"),
        (LicketySPLITClassifier, {"max_depth": -1}, ValueError, "max_depth"),
        (LicketySPLITClassifier, {"certify": "yes"}, TypeError, "certify"),
        (SPLITClassifier, {"last_split": "entropy"}, ValueError, "last_split"),
        (LicketySPLITClassifier, {"regularization": -0.1}, ValueError, "regularization"),
    ],
)
def test_wrong_parameters_are_named(make, parameters, error, message):
    with pytest.raises(error, match=message):
        make(**parameters).fit(*IRIS)


def test_the_exact_search_of_equal_rows_is_as_short_as_that_of_different_ones():
    random = np.random.default_rng(0)
    X = random.integers(0, 150, (400, 2)).astype(float)
    y = (X[:, 0] > 70) ^ (random.random(400) < 0.4)
    X, y = np.repeat(X, 10, axis=0), np.repeat(y, 10)
    classifier = SPLITClassifier(0.0005, max_depth=4, min_samples_leaf=2, binarizer=ThresholdBinarizer())
    classifier.fit(X, y)
    # Each subproblem reads up to 4,000 rows of two columns, and all of them about 2^23 numbers.
    assert 0 < classifier.statistics_["subproblems"] < 1500
