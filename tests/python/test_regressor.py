"""GOSDTRegressor finds the optimum of brute force in exact fractions, and says truly what it has proven."""

import itertools
import pickle
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_squared_error, r2_score
from sklearn.tree import DecisionTreeRegressor

from hornbeam import GOSDTRegressor, NotProvenWarning, RegressionTree, ThresholdBinarizer
from oracles.regression import optimal_objective, squared_error


def check_optimum(X, y, sample_weight=None, *, exact_targets=None, exact_weights=None, **parameters):
    """Fit, and compare with brute force over the same columns; return the regressor."""
    regressor = GOSDTRegressor(binarizer=None, **parameters).fit(X, y, sample_weight)
    targets = exact_targets or [Fraction(float(one)) for one in y]
    weights = exact_weights or ([Fraction(1)] * len(y) if sample_weight is None else list(map(Fraction, sample_weight)))
    penalty = Fraction(str(regressor.regularization_))
    names = ("max_depth", "max_leaves", "min_samples_leaf")
    limits = {name: parameters[name] for name in names if name in parameters}
    optimum = optimal_objective(np.asarray(X) == 1, targets, weights, penalty, **limits)
    assert regressor.status_ == "optimal"
    assert regressor.lower_bound_ <= float(optimum) * (1 + 1e-14) + 1e-300
    # Predictions are floats of shifted targets, which lose what is too small a part of the whole.
    assert float(optimum) <= regressor.objective_ * (1 + 1e-12) + 1e-30
    assert regressor.objective_ <= float(optimum) + regressor.rounding_ + 1e-12 * float(optimum)
    # A second opinion, from the predictions alone.
    leaves = regressor.predict(X)
    off = sum(w * (t - Fraction(float(p))) ** 2 for w, t, p in zip(weights, targets, leaves, strict=True))
    whole = squared_error(targets, weights)
    # A prediction is the float next to the mean, which far from 0 is not near.
    by_floats = float(sum(weights) * Fraction(float(np.spacing(np.abs(y).max()))) ** 2 / whole) if whole else 0.0
    assert regressor.loss_ == pytest.approx(float(off / whole) if whole else 0.0, rel=1e-9, abs=1e-12 + by_floats)
    return regressor


def random_table(draw, n_rows, n_columns):
    columns = [[int(draw.random() < draw.choice([0.2, 0.5, 0.8])) for _ in range(n_rows)] for _ in range(n_columns)]
    return np.array(columns).T.reshape(n_rows, n_columns)


TARGETS = {
    "counts": lambda draw: draw.randint(0, 20),
    "prices": lambda draw: draw.randint(-500, 5000) / 100,
    "floats": lambda draw: draw.gauss(0, 1),
    "large": lambda draw: draw.uniform(-1e9, 1e9),
    "small": lambda draw: draw.uniform(0, 1e-9),
    "mixed": lambda draw: 10 ** draw.uniform(-9, 9),
    "two values": lambda draw: draw.choice([0.1, 0.7]),
    "far from 0": lambda draw: 1e12 + draw.randint(0, 9),
}
WEIGHTS = {
    "none": None,
    "whole": lambda draw: draw.randint(1, 5),
    "decimals": lambda draw: draw.randint(1, 999) / 1000,
    "floats": lambda draw: draw.uniform(0.01, 3),
    "unequal": lambda draw: 10 ** draw.uniform(-6, 6),
}
LIMITS = [{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}, {"max_depth": 3, "max_leaves": 4}]


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("target", TARGETS)
def test_optimum_equals_brute_force_in_exact_fractions(target, weight):
    for seed, limits in itertools.product(range(8), LIMITS):
        draw = random.Random(f"{target} {weight} {seed} {limits}")
        n_rows = draw.randint(2, 12)
        X = random_table(draw, n_rows, draw.randint(1, 4))
        y = [TARGETS[target](draw) for _ in X]
        sample_weight = None if weight == "none" else [WEIGHTS[weight](draw) for _ in X]
        penalty = draw.choice([0, 0.001, 0.01, 0.05, 0.2])
        check_optimum(X, y, sample_weight, regularization=penalty, **limits)


@settings(max_examples=150)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 1), min_size=3, max_size=3),
            st.floats(-1e6, 1e6, allow_subnormal=False),
            st.floats(1e-3, 1e3),
        ),
        min_size=1,
        max_size=10,
    ),
    st.sampled_from([0, 0.02, 0.1]),
)
@example([([0, 0, 0], -1.0, 1.0), *[([0, 0, 1], y, 1.0) for y in (0.0, 0.0, 9e-121)]], 0)
@example([([0, 0, 0], 1e6, 1.0), ([0, 0, 0], float(np.nextafter(1e6, 0)), 1.0)], 0)
def test_the_bound_is_true_for_any_targets_and_weights(rows, penalty):
    X, y, weights = (np.array(part) for part in zip(*rows, strict=True))
    check_optimum(X, y, weights, regularization=penalty)


@pytest.mark.parametrize(
    ("y", "most"),
    [
        pytest.param([1.5, 2.25, 8.125, 8.5] * 5, 1e-12, id="decimals"),
        pytest.param(list(np.random.default_rng(0).normal(size=20)), 1e-6, id="many digits"),
    ],
)
def test_rounding_is_small(y, most):
    regressor = GOSDTRegressor(regularization=0.05).fit(np.arange(20).reshape(-1, 1), y)
    assert 0 < regressor.rounding_ < most
    assert regressor.objective_ - 2 * regressor.rounding_ <= regressor.lower_bound_ <= regressor.objective_


def test_predictions_are_exact_means_and_score_is_one_minus_the_loss():
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    weights = np.random.default_rng(1).integers(1, 4, len(y))
    regressor = GOSDTRegressor(regularization=0.03, max_depth=2).fit(X, y, weights)
    leaves, predicted = regressor.apply(X), regressor.predict(X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        assert predicted[rows] == pytest.approx(np.average(y[rows], weights=weights[rows]), rel=1e-14)
        assert regressor.tree_.deviations[leaf] ** 2 == pytest.approx(
            mean_squared_error(y[rows], predicted[rows], sample_weight=weights[rows])
        )
    assert regressor.score(X, y, weights) == pytest.approx(1 - regressor.loss_)
    assert r2_score(y, predicted, sample_weight=weights) == pytest.approx(1 - regressor.loss_)
    assert regressor.objective_ == pytest.approx(regressor.loss_ + 0.03 * regressor.n_leaves_)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_no_greedy_tree_is_better(depth):
    X, y = load_diabetes(return_X_y=True)
    binarizer = ThresholdBinarizer(strategy="quantile", n_thresholds=5).fit(X)
    regressor = GOSDTRegressor(regularization=0, max_depth=depth, binarizer=binarizer).fit(X, y)
    greedy = DecisionTreeRegressor(max_depth=depth).fit(binarizer.transform(X), y)
    assert regressor.status_ == "optimal"
    assert regressor.score(X, y) >= greedy.score(binarizer.transform(X), y) - 1e-12


def test_weights_count_rows():
    draw = random.Random(3)
    X = random_table(draw, 30, 5)
    y, weights = np.array([draw.randint(0, 9) for _ in X]), np.array([draw.randint(0, 3) for _ in X])
    one = GOSDTRegressor(regularization=0.02).fit(X, y, weights)
    other = GOSDTRegressor(regularization=0.02).fit(X.repeat(weights, axis=0), y.repeat(weights))
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-12)
    assert (one.predict(X) == pytest.approx(other.predict(X))) or one.n_leaves_ == other.n_leaves_


def test_a_row_of_weight_0_is_left_out():
    X, y = [[0], [1], [2]], [1.0, 5.0, np.float64(10.0)]
    regressor = GOSDTRegressor(regularization=0.1).fit(X, y, [1, 1, 0])
    assert regressor.tree_.n_samples[0] == 2
    assert regressor.tree_.maxima[0] == 5


def test_a_constant_target_gives_a_single_leaf_without_loss():
    for value in (0, 7.25, 1 / 3, -1e300, 5e-324):
        regressor = GOSDTRegressor(regularization=0.25).fit([[0], [1], [2]], [value] * 3)
        assert (regressor.n_leaves_, regressor.loss_, regressor.objective_) == (1, 0.0, 0.25)
        assert (regressor.status_, regressor.lower_bound_, regressor.gap_) == ("optimal", 0.25, 0.0)
        assert regressor.predict([[5]]).tolist() == [value]


def test_a_pure_leaf_predicts_its_target_exactly():
    X, y = [[0]] * 3 + [[1]] * 4, [0.1] * 3 + [1 / 3] * 4
    regressor = GOSDTRegressor(regularization=0.1).fit(X, y)
    assert regressor.predict([[0], [1]]).tolist() == [0.1, 1 / 3]
    assert regressor.tree_.deviations[1:].tolist() == [0, 0]


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
def test_the_tree_does_not_depend_on_the_unit_of_the_target(scale):
    X, y = load_diabetes(return_X_y=True)
    y = np.random.default_rng(5).normal(size=len(y)) + y
    one = GOSDTRegressor(regularization=0.03, max_depth=2).fit(X, y)
    other = GOSDTRegressor(regularization=0.03, max_depth=2).fit(X, y * scale)
    assert one.tree_.conditions == other.tree_.conditions
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
    assert other.predict(X) == pytest.approx(one.predict(X) * scale, rel=1e-9)


def test_equal_optima_prefer_fewer_leaves():
    regressor = GOSDTRegressor(regularization=1).fit([[0], [1]], [0, 9])
    assert (regressor.n_leaves_, regressor.objective_) == (1, 2.0)


BAD_TARGETS = [
    pytest.param([1, np.inf, 2], ValueError, "infinity: in 1 row, first in row 1", id="infinite"),
    pytest.param([1, 2, np.nan], ValueError, "NaN: in 1 row, first in row 2", id="NaN"),
    pytest.param([None, 2, None], ValueError, "NaN: in 2 rows, first in row 0", id="None"),
    pytest.param(["a", "b", "c"], TypeError, "y must hold numbers", id="strings"),
    pytest.param([1, "b", 2.5], TypeError, "got 'b' in row 1", id="mixed"),
    pytest.param([1j, 2, 3], TypeError, "y must hold numbers", id="complex"),
    pytest.param([[1, 2], [3, 4], [5, 6]], ValueError, "y has 2 columns", id="two columns"),
    pytest.param([1, 2], ValueError, "X has 3 rows, y 2", id="too few"),
    pytest.param(None, ValueError, "requires y to be passed", id="none"),
    pytest.param(7, ValueError, "array", id="one number"),
]


@pytest.mark.parametrize(("y", "error", "message"), BAD_TARGETS)
def test_a_wrong_target_is_refused_by_row(y, error, message):
    if isinstance(y, list) and y and isinstance(y[1], str):
        y = np.array(y, dtype=object)
    with pytest.raises(error, match=message):
        GOSDTRegressor().fit([[0], [1], [2]], y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regularization": 1.5}, "more than the loss of a single leaf, 1"),
        ({"regularization": -1}, "regularization"),
        ({"binarizer": "guess"}, "chooses thresholds by classes"),
        ({"binarizer": "auto"}, "chooses thresholds by classes"),
        ({"binarizer": "other"}, "binarizer must be"),
        ({"shape": "list"}, "shape must be"),
        ({"max_leaves": 0}, "max_leaves"),
        ({"gap_limit": 1}, "gap_limit"),
        ({"bounds": {"nothing": False}}, "bounds"),
        ({"checkpoint": ""}, "checkpoint must be the path"),
    ],
)
def test_a_wrong_parameter_is_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        GOSDTRegressor(**parameters).fit([[0], [1], [2]], [1, 2, 4])


def test_limits_end_a_search_with_a_tree_and_a_true_bound():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(NotProvenWarning, match="objective"):
        stopped = GOSDTRegressor(regularization=0.001, time_limit=0.5, trace=True).fit(X, y)
    assert stopped.status_ == "time_limit"
    assert 0 < stopped.lower_bound_ < stopped.objective_ <= stopped.trace_[0].objective
    finished = GOSDTRegressor(regularization=0.05, max_depth=3, gap_limit=0.5).fit(X, y)
    assert finished.gap_ <= 0.5 + 1e-9
    with pytest.warns(NotProvenWarning):
        none = GOSDTRegressor(time_limit=0).fit(X, y)
    assert none.n_leaves_ >= 1


def test_a_checkpoint_goes_on_where_it_ended(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    path = tmp_path / "proof.hbt"
    parameters = {"regularization": 0.02, "max_depth": 3, "checkpoint": path}
    first = GOSDTRegressor(**parameters).fit(X, y)
    again = GOSDTRegressor(**parameters).fit(X, y)
    assert again.objective_ == first.objective_
    assert again.status_ == "optimal"
    assert "seconds_before" in again.statistics_
    with pytest.raises(ValueError, match="labels or weights"):
        GOSDTRegressor(**parameters).fit(X, y + np.arange(len(y)))


def test_a_rule_list_is_no_better_than_a_tree_and_each_split_has_a_leaf():
    X, y = load_diabetes(return_X_y=True)
    rules = GOSDTRegressor(regularization=0.02, max_depth=3, shape="rule_list").fit(X, y)
    tree = GOSDTRegressor(regularization=0.02, max_depth=3).fit(X, y)
    assert rules.objective_ >= tree.objective_
    inner = [node for node in range(rules.tree_.n_nodes) if rules.tree_.left[node] >= 0]
    assert inner
    assert all(min(rules.tree_.left[rules.tree_.left[n]], rules.tree_.left[rules.tree_.right[n]]) < 0 for n in inner)


def test_categories_dates_and_missing_values():
    frame = pd.DataFrame(
        {
            "color": ["red", "blue", None, "red"] * 5,
            "day": pd.date_range("2024-01-01", periods=20),
            "size": [1.0, np.nan, 3.0, 4.0] * 5,
        }
    )
    y = pd.Series(np.where(frame["color"] == "red", 10.0, 2.0), name="price")
    regressor = GOSDTRegressor(regularization=0.05).fit(frame, y)
    assert regressor.loss_ == pytest.approx(0, abs=1e-12)
    assert "price" not in regressor.tree_.columns.names
    assert regressor.tree_.target_name == "price"
    assert regressor.predict(frame).tolist() == y.tolist()


def test_threads_clone_pickle_and_importances():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    one = GOSDTRegressor(regularization=0.03, max_depth=3).fit(X, y)
    two = clone(one).set_params(n_jobs=2).fit(X, y)
    assert two.objective_ == pytest.approx(one.objective_, rel=1e-12)
    copy = pickle.loads(pickle.dumps(one))
    assert copy.tree_ == one.tree_
    assert copy.predict(X).tolist() == one.predict(X).tolist()
    model = one.tree_.to_sklearn()
    assert one.feature_importances_ == pytest.approx(model.feature_importances_)


def test_callback_stops_and_its_bounds_are_true():
    X, y = load_diabetes(return_X_y=True)
    seen = []
    with pytest.warns(NotProvenWarning, match="interrupted"):
        GOSDTRegressor(regularization=0.001, callback=lambda at: seen.append(at) or len(seen) >= 2).fit(X, y)
    assert all(0 <= at.lower_bound <= at.objective for at in seen)


def test_a_tree_of_numbers_is_checked_when_it_is_made():
    tree = GOSDTRegressor(regularization=0.1).fit([[0], [1]], [0, 9]).tree_
    parts = {name: getattr(tree, name) for name in tree._fields()}
    with pytest.raises(ValueError, match="means"):
        RegressionTree(**{**parts, "means": parts["means"] + 100})
    with pytest.raises(ValueError, match="deviations: expected finite"):
        RegressionTree(**{**parts, "deviations": parts["deviations"] * np.nan})
    with pytest.raises(ValueError, match="prediction"):
        RegressionTree(**{**parts, "prediction": parts["prediction"][::-1]})
    with pytest.raises(ValueError, match="weights"):
        RegressionTree(**{**parts, "weights": parts["weights"] * 0})
    assert RegressionTree(**parts) == tree
