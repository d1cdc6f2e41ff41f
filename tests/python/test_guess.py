"""Thresholds guessed from a reference ensemble."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam import GOSDTClassifier, ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsTrue

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)

REFERENCES = [
    None,
    GradientBoostingClassifier(n_estimators=10, max_depth=3, random_state=0),
    HistGradientBoostingClassifier(max_iter=3, max_leaf_nodes=4, random_state=0),
    RandomForestClassifier(n_estimators=5, max_depth=3, random_state=0),
    ExtraTreesClassifier(n_estimators=5, max_depth=3, random_state=0),
    DecisionTreeClassifier(max_depth=4, random_state=0),
    GradientBoostingRegressor(n_estimators=10, max_depth=2, random_state=0),
]

OTHER_LIBRARIES = [
    ("lightgbm", "LGBMClassifier", {"n_estimators": 10, "num_leaves": 4, "verbose": -1}),
    ("lightgbm", "LGBMRegressor", {"n_estimators": 10, "num_leaves": 4, "verbose": -1}),
    ("xgboost", "XGBClassifier", {"n_estimators": 10, "max_depth": 2}),
    ("xgboost", "XGBRegressor", {"n_estimators": 10, "max_depth": 2, "tree_method": "exact"}),
]


@parametrize_with_checks([ThresholdGuessBinarizer()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("reference", REFERENCES, ids=lambda reference: type(reference).__name__)
@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["cancer", "iris"])
def test_reference_on_all_its_thresholds_and_on_those_left_is_as_good_as_it_says(data, reference):
    X, y = data
    binarizer = ThresholdGuessBinarizer(reference).fit(X, y)
    columns = binarizer.transform(X)
    assert binarizer.reference_.score(columns, y) == pytest.approx(binarizer.scores_["conditions"])
    assert binarizer.scores_["conditions"] >= binarizer.scores_["thresholds"]
    assert len(binarizer.conditions_) <= binarizer.n_thresholds_
    assert all(isinstance(condition, AtMost) for condition in binarizer.conditions_)
    kept = ThresholdGuessBinarizer(reference, eliminate=False).fit(X, y)
    assert len(kept.conditions_) == kept.n_thresholds_ == binarizer.n_thresholds_
    every = {column.tobytes() for column in kept.transform(X).T}
    assert {column.tobytes() for column in columns.T} <= every


@pytest.mark.parametrize(("library", "name", "parameters"), OTHER_LIBRARIES, ids=lambda value: str(value)[:14])
@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["cancer", "iris"])
def test_what_a_reference_of_another_library_tells_apart_its_thresholds_tell_apart(data, library, name, parameters):
    reference = getattr(pytest.importorskip(library), name)(**parameters, random_state=0, n_jobs=1)
    X, y = np.array(data[0]), data[1]
    X[::7, 0] = np.nan
    kept = ThresholdGuessBinarizer(reference, eliminate=False).fit(X, y).transform(X)
    above = 2 * np.nanmax(X[:, 0]) + 1  # missing values lie above all others
    table = np.c_[np.where(np.isnan(X[:, 0]), above, X[:, 0]), np.isnan(X[:, 0]), X[:, 1:]]
    told = getattr(reference.fit(table, y), "predict_proba", reference.predict)(table)
    for answers in np.unique(kept, axis=0):
        assert np.ptp(told[(kept == answers).all(axis=1)], axis=0).max() == 0
    binarizer = ThresholdGuessBinarizer(reference).fit(X, y)
    assert binarizer.scores_["conditions"] >= binarizer.scores_["thresholds"]
    assert len(binarizer.conditions_) <= kept.shape[1]


def test_tolerance_trades_score_for_columns():
    X, y = CANCER
    strict, loose = (ThresholdGuessBinarizer(tolerance=t).fit(X, y) for t in (0.0, 0.03))
    assert len(loose.conditions_) < len(strict.conditions_)
    assert loose.scores_["conditions"] >= strict.scores_["thresholds"] - 0.03


def test_thresholds_are_those_of_the_reference():
    X, y = CANCER
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    binarizer = ThresholdGuessBinarizer(tree, eliminate=False).fit(X, y)
    fitted = tree.fit(X, y).tree_
    inner = fitted.feature >= 0
    splits = zip(fitted.feature[inner].tolist(), fitted.threshold[inner].tolist(), strict=True)
    expected = {(column, (X[:, column] <= threshold).tobytes()) for column, threshold in splits}
    answers = binarizer.transform(X)
    found = {(condition.column, answers[:, i].tobytes()) for i, condition in enumerate(binarizer.conditions_)}
    assert found == expected


def test_thresholds_of_the_reference_are_rounded_between_their_neighbors():
    X = np.array([[0.2817], [0.3145], [0.9], [0.1]])
    binarizer = ThresholdGuessBinarizer(DecisionTreeClassifier(max_depth=1)).fit(X, [0, 1, 1, 0])
    assert binarizer.conditions_ == [AtMost(0, 0.3)]


def test_thresholds_of_a_deep_reference_are_short_unless_two_lie_between_the_same_values():
    X = np.random.default_rng(0).normal(size=(60, 2))
    reference = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
    binarizer = ThresholdGuessBinarizer(reference, eliminate=False).fit(X, X.sum(axis=1) > 0)
    answers = [column.tobytes() for column in binarizer.transform(X).T]
    lengths = {short: [] for short in (True, False)}
    for condition, answer in zip(binarizer.conditions_, answers, strict=True):
        lengths[answers.count(answer) == 1].append(len(repr(abs(condition.threshold))))
    assert max(lengths[True]) <= 8
    assert min(lengths[False]) > 8
    assert len(set(binarizer.conditions_)) == len(binarizer.conditions_)


def test_neighbors_that_float32_does_not_tell_apart_stay_on_their_sides():
    X = np.repeat([[1.0], [1.0 + 1e-12], [2.0]], 20, axis=0)
    y = np.repeat([0, 0, 1], 20)
    (condition,) = ThresholdGuessBinarizer(DecisionTreeClassifier()).fit(X, y).conditions_
    assert 1.0 + 1e-12 <= condition.threshold < 2.0


def test_mixed_and_missing_columns():
    draw = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "number": np.where(draw.random(n) < 0.2, np.nan, draw.normal(size=n)),
            "color": draw.choice(np.array(["red", "green", "blue", None], dtype=object), n),
            "flag": draw.random(n) < 0.5,
            "constant": 1.0,
        }
    )
    y = frame["number"].isna() ^ (frame["color"] == "red") ^ frame["flag"]
    reference = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=0)
    binarizer = ThresholdGuessBinarizer(reference).fit(frame, y)
    assert binarizer.scores_["conditions"] == 1.0
    assert {IsMissing(0), IsIn(1, ("red",)), IsTrue(2)} <= set(binarizer.conditions_)
    classifier = GOSDTClassifier(regularization=0.01, binarizer=binarizer, max_depth=3).fit(frame, y)
    assert classifier.loss_ == 0.0
    assert classifier.n_leaves_ == 8


def test_guess_is_a_name_for_the_default():
    X, y = CANCER
    by_name, by_object = (
        GOSDTClassifier(max_depth=2, binarizer=binarizer).fit(X, y)
        for binarizer in ("guess", ThresholdGuessBinarizer())
    )
    assert by_name.binarizer_.conditions_ == by_object.binarizer_.conditions_
    assert by_name.objective_ == by_object.objective_
    exact = GOSDTClassifier(max_depth=2).fit(X, y)
    assert exact.objective_ <= by_name.objective_
    assert len(by_name.binarizer_.conditions_) < len(ThresholdBinarizer().fit(X).conditions_) / 100


def test_weights_are_like_repeated_rows():
    X, y = IRIS
    weights = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = ThresholdGuessBinarizer().fit(X, y, sample_weight=weights)
    repeated = ThresholdGuessBinarizer().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.conditions_ == repeated.conditions_


@pytest.mark.parametrize(
    ("parameters", "X", "y", "error", "message"),
    [
        ({}, CANCER[0], None, ValueError, "y"),
        ({}, np.ones((5, 2)), [0, 1, 0, 1, 0], ValueError, "constant"),
        ({"reference": LogisticRegression(max_iter=5000)}, *IRIS, TypeError, "LogisticRegression"),
        ({"tolerance": -0.1}, *IRIS, ValueError, "tolerance"),
        ({"tolerance": "no"}, *IRIS, TypeError, "tolerance"),
        ({"eliminate": 1}, *IRIS, TypeError, "eliminate"),
    ],
)
def test_wrong_input_is_named(parameters, X, y, error, message):
    with pytest.raises(error, match=message):
        ThresholdGuessBinarizer(**parameters).fit(X, y)
