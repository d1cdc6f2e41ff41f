"""Thresholds chosen with the labels, next to the quantiles."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    ThresholdBinarizer,
)
from hornbeam.binarizers import SupervisedBinarizer, supervised
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsTrue


def step(n_rows, threshold):
    """Return one column of numbers and whether each is above a threshold."""
    X = np.arange(float(n_rows)).reshape(-1, 1)
    return X, (X[:, 0] > threshold).astype(int)


@parametrize_with_checks([SupervisedBinarizer()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(12, 80), st.integers(1, 4), st.integers(1, 8))
def test_every_condition_of_the_quantiles_is_among_those_chosen(seed, n_rows, n_classes, n_quantiles):
    random = np.random.RandomState(seed)
    X = pd.DataFrame({"a": random.randint(0, 30, n_rows), "b": random.normal(size=n_rows).round(1)})
    X["c"] = random.choice(["x", "y", "z"], n_rows)
    X["d"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.randint(0, 50, n_rows), unit="D")
    X["e"] = random.randint(0, 2, n_rows).astype(bool)
    X.loc[random.random_sample(n_rows) < 0.2, ["b", "c", "d"]] = None
    y, weights = random.randint(0, n_classes, n_rows), random.randint(0, 3, n_rows)
    weights[0] = 1
    auto = SupervisedBinarizer(n_quantiles, 3).fit(X, y, weights).conditions_
    quantiles = ThresholdBinarizer("quantile", n_quantiles).fit(X, sample_weight=weights).conditions_
    exact = ThresholdBinarizer().fit(X, sample_weight=weights).conditions_
    assert set(quantiles) <= set(auto) <= set(exact)
    assert len(set(auto)) == len(auto)
    per_column = [sum(isinstance(c, AtMost) and c.column == column for c in auto) for column in range(5)]
    assert max(per_column) <= n_quantiles + 3
    assert list(auto) == sorted(auto, key=list(exact).index)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_the_proven_objective_is_never_above_that_of_the_quantiles(load):
    X, y = load(return_X_y=True)
    fits = {
        name: GOSDTClassifier(0.01, max_depth=2, binarizer=name).fit(X, y) for name in ("exact", "auto", "quantile")
    }
    assert {fit.status_ for fit in fits.values()} == {"optimal"}
    assert fits["exact"].objective_ <= fits["auto"].objective_ <= fits["quantile"].objective_


def test_a_threshold_that_no_quantile_hits_is_found():
    X, y = step(1000, 60)
    quantiles = GOSDTClassifier(0.001, max_leaves=2, binarizer="quantile").fit(X, y)
    auto = GOSDTClassifier(0.001, max_leaves=2, binarizer="auto").fit(X, y)
    assert (auto.loss_, auto.binarizer_.n_supervised_) == (0.0, 1)
    assert quantiles.loss_ == 0.05


def test_the_thresholds_with_the_largest_gain_are_kept():
    X, y = step(1000, 7)
    y[990:] = 2
    names = SupervisedBinarizer(1, 1).fit(X, y).get_feature_names_out().tolist()
    assert names in (["x0 <= 7.5", "x0 <= 499.5"], ["x0 <= 499.5", "x0 <= 989.5"])
    both = SupervisedBinarizer(1, 2).fit(X, y).get_feature_names_out().tolist()
    assert both == ["x0 <= 7.5", "x0 <= 499.5", "x0 <= 989.5"]
    assert SupervisedBinarizer(1, 0).fit(X, y).get_feature_names_out().tolist() == ["x0 <= 499.5"]


def test_weights_decide_which_labels_count():
    X = np.arange(100.0).reshape(-1, 1)
    y = np.where(X[:, 0] > 90, 1, 0)
    y[:4] = 1
    conditions = {}
    for heavy in (slice(0, 4), slice(91, 100)):
        weights = np.where(y == 1, 1e-6, 1.0)
        weights[heavy] = 1.0
        conditions[heavy.start] = SupervisedBinarizer(1, 1).fit(X, y, weights).conditions_
    assert AtMost(0, 3.5) in conditions[0]
    assert AtMost(0, 3.5) not in conditions[91]
    assert AtMost(0, 90.5) in conditions[91]


def test_rows_of_weight_zero_change_nothing():
    X, y = step(60, 7)
    weights = np.ones(60)
    weights[40:] = 0
    y[40:] = np.arange(20) % 2
    with_zeros = SupervisedBinarizer(2).fit(X, y, weights).conditions_
    assert with_zeros == SupervisedBinarizer(2).fit(X[:40], y[:40]).conditions_


def test_categories_flags_and_missing_values_are_as_with_quantiles():
    numbers = np.where(np.arange(200) % 10 == 0, np.nan, np.arange(200.0))
    X = pd.DataFrame({"n": numbers, "c": ["a", "b", None, "d"] * 50, "f": [True, False] * 100})
    y = (np.nan_to_num(numbers, nan=0) > 6).astype(int)
    conditions = SupervisedBinarizer().fit(X, y).conditions_
    others = [condition for condition in conditions if not isinstance(condition, AtMost)]
    assert others == [IsMissing(0), IsIn(1, ("a",)), IsIn(1, ("b",)), IsIn(1, ("d",)), IsMissing(1), IsTrue(2)]
    assert AtMost(0, 6.5) in conditions


def test_a_sample_of_a_large_table_keeps_the_quantiles_of_all_rows(monkeypatch):
    monkeypatch.setattr(supervised, "_MOST_ROWS", 50)
    X, y = step(400, 150)
    conditions = SupervisedBinarizer(3).fit(X, y).conditions_
    assert set(ThresholdBinarizer("quantile", 3).fit(X).conditions_) <= set(conditions)
    extra = [c.threshold for c in set(conditions) - set(ThresholdBinarizer("quantile", 3).fit(X).conditions_)]
    assert extra
    assert min(abs(threshold - 150) for threshold in extra) < 40
    assert SupervisedBinarizer(3).fit(X, y).conditions_ == conditions


def test_only_the_most_frequent_categories_reach_the_trees_and_all_are_conditions():
    X = pd.DataFrame({"id": [f"row {i}" for i in range(300)], "n": np.arange(300.0)})
    conditions = SupervisedBinarizer().fit(X, np.arange(300) > 11).conditions_
    assert sum(isinstance(condition, IsIn) for condition in conditions) == 300
    assert AtMost(1, 11.5) in conditions


def test_binary_columns_need_no_trees(monkeypatch):
    monkeypatch.setattr(supervised, "_models", None)
    X = np.array([[0, 1], [1, 0], [1, 1]] * 5)
    assert SupervisedBinarizer().fit(X, [0, 1, 1] * 5).conditions_ == ThresholdBinarizer().fit(X).conditions_


def test_a_spent_budget_leaves_the_quantiles_or_fewer():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(match="time_limit"):
        classifier = GOSDTClassifier(binarizer="auto", time_limit=1e-9).fit(X, y)
    assert classifier.status_ == "time_limit"
    assert set(classifier.binarizer_.conditions_) <= set(ThresholdBinarizer("quantile").fit(X).conditions_)
    assert classifier.binarizer_.n_supervised_ == 0


@pytest.mark.parametrize(
    "estimator",
    [
        GOSDTClassifier(0.05, max_depth=2),
        OSDTClassifier(0.05, max_depth=1),
        SPLITClassifier(0.05, max_depth=2),
        LicketySPLITClassifier(0.05, max_depth=2),
        MAPTreeClassifier(max_depth=1),
        RashomonSetClassifier(0.05, max_depth=1),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_estimator_knows_the_name(estimator):
    X, y = step(60, 7)
    fitted = clone(estimator).set_params(binarizer="auto").fit(X, y)
    assert isinstance(fitted.binarizer_, SupervisedBinarizer)
    assert AtMost(0, 7.5) in fitted.binarizer_.conditions_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_quantiles": 0}, "n_quantiles must be an integer of at least 1, got 0"),
        ({"n_supervised": -1}, "n_supervised must be an integer of at least 0, got -1"),
        ({"n_supervised": 1.5}, "n_supervised must be an integer of at least 0, got 1.5"),
        ({"random_state": "x"}, "random_state must be None, an integer"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        SupervisedBinarizer(**parameters).fit([[1.0], [2.0]], [0, 1])


def test_labels_are_required():
    with pytest.raises(ValueError, match="requires y to be passed"):
        SupervisedBinarizer().fit([[1.0], [2.0]])
