"""SPLITRegressor and LicketySPLITRegressor as a user meets them."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from core.squared_errors import random_regression
from hornbeam import GOSDTRegressor, LicketySPLITRegressor, NotProvenWarning, SPLITRegressor, ThresholdGuessBinarizer
from oracles.lookahead import lookahead_cost

BOTH = [SPLITRegressor, LicketySPLITRegressor]
FEW = {"regularization": 0.01, "max_depth": 3, "binarizer": "quantile"}


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


def shallow(make):
    """Return parameters with which the search is no exact one."""
    return {"lookahead_depth": 1} if make is SPLITRegressor else {}


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("weighted", [False, True])
def test_objective_is_that_of_the_tree_and_lies_between_optimum_and_its_bound(diabetes, make, weighted):
    X, y = diabetes
    weights = np.random.default_rng(0).integers(1, 4, len(y)) if weighted else None
    regressor = make(**FEW, **shallow(make)).fit(X, y, weights)
    assert regressor.loss_ == pytest.approx(1 - regressor.score(X, y, weights))
    assert regressor.objective_ == pytest.approx(regressor.loss_ + 0.01 * regressor.n_leaves_)
    assert regressor.status_ == "heuristic"
    assert regressor.depth_ <= 3
    exact = GOSDTRegressor(**FEW).fit(X, y, weights)
    assert regressor.lower_bound_ <= exact.objective_ <= regressor.objective_ + 1e-12
    assert 0 < regressor.gap_ < 1


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_greedy_completion_is_the_best_prefix_of_plain_python(steps):
    for seed in range(15):
        problem = random_regression(seed, n_rows=(6, 24), n_columns=(2, 5), largest=(4, 9))
        y = np.array(problem.classes)
        plain = replace(problem, weights=[1] * len(y), leaf_cost=0)
        spread = Fraction(len(y) * int((y**2).sum()) - int(y.sum()) ** 2, len(y))
        if spread == 0:
            continue
        regressor = SPLITRegressor(0, steps, max_depth=3, completion="greedy", binarizer=None).fit(problem.rows, y)
        # Predictions of the plain recursion are integers, so it loses up to a fourth more for each row.
        cost, _ = lookahead_cost(plain, tuple(range(len(y))), 3, steps, 3)
        assert regressor.loss_ <= float(cost / spread) + 1e-12
        assert regressor.loss_ >= float((cost - Fraction(len(y), 4)) / spread) - 1e-12


def test_split_from_the_full_depth_on_is_the_exact_search(diabetes):
    X, y = diabetes
    split = SPLITRegressor(**FEW, lookahead_depth=3).fit(X, y)
    exact = GOSDTRegressor(**FEW).fit(X, y)
    assert split.status_ == "optimal"
    assert (split.objective_, split.lower_bound_) == (exact.objective_, exact.lower_bound_)


@pytest.mark.parametrize("make", BOTH)
def test_certify_gives_the_optimum_as_bound_and_keeps_the_tree(diabetes, make):
    X, y = diabetes
    plain = make(**FEW, **shallow(make)).fit(X, y)
    certified = make(**FEW, **shallow(make), certify=True, trace=True).fit(X, y)
    exact = GOSDTRegressor(**FEW).fit(X, y)
    assert certified.objective_ == plain.objective_
    assert plain.lower_bound_ < certified.lower_bound_ == pytest.approx(exact.lower_bound_, rel=1e-9)
    assert certified.statistics_["certify_seconds"] > 0
    assert all(step.objective >= certified.objective_ - 1e-9 for step in certified.trace_)


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
def test_it_is_better_than_pruned_cart(diabetes, make, binarizer):
    X, y = diabetes
    regressor = make(0.005, max_depth=4, binarizer=binarizer, **shallow(make)).fit(X, y)
    columns = regressor.binarizer_.transform(X) if binarizer == "quantile" else X
    cart = DecisionTreeRegressor(max_depth=4, ccp_alpha=0.005 * np.var(y)).fit(columns, y)
    assert regressor.objective_ <= 1 - cart.score(columns, y) + 0.005 * cart.get_n_leaves()


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
def test_weights_count_rows(diabetes, make, binarizer):
    X, y = diabetes[0].iloc[:120, :4], diabetes[1].iloc[:120]
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    settings = {"regularization": 0.02, "max_depth": 3, "binarizer": binarizer, **shallow(make)}
    one = make(**settings).fit(X, y, weights)
    other = make(**settings).fit(X.loc[X.index.repeat(weights)], y.repeat(weights))
    if binarizer == "exact":  # quantiles of repeated rows are others
        assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
    assert one.objective_ == pytest.approx(make(**settings).fit(X, y, 7.0 * weights).objective_, rel=1e-9)


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
def test_min_samples_leaf_holds(diabetes, make, binarizer):
    X, y = diabetes
    regressor = make(0.001, min_samples_leaf=40, max_depth=4, binarizer=binarizer, **shallow(make)).fit(X, y)
    assert np.unique(regressor.apply(X), return_counts=True)[1].min() >= 40
    assert regressor.n_leaves_ > 2


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
def test_categories_and_missing_values(make, binarizer):
    draw = np.random.default_rng(2)
    kind, size = draw.choice(["a", "b", "c"], 300), draw.normal(size=300)
    y = np.where(kind == "b", 5.0, 0) + np.where(np.arange(300) % 7 == 0, 3.0, np.where(size > 0, 2, 0))
    X = pd.DataFrame({"kind": pd.Categorical(kind), "size": np.where(np.arange(300) % 7 == 0, np.nan, size)})
    regressor = make(0.001, max_depth=3, binarizer=binarizer, **shallow(make)).fit(X, y)
    assert regressor.loss_ == pytest.approx(0, abs=0.05 if binarizer == "quantile" else 1e-12)
    assert "kind in {b}" in str(regressor.tree_)
    if binarizer == "exact":
        missing = pd.DataFrame({"kind": ["a", "b", "never seen"], "size": [np.nan] * 3})
        assert regressor.predict(missing) == pytest.approx([3, 8, 3])


@pytest.mark.parametrize("make", BOTH)
def test_a_constant_target_is_a_single_leaf(make):
    regressor = make().fit([[0.0], [1.0], [2.0]], [4.0, 4.0, 4.0])
    assert (regressor.n_leaves_, regressor.loss_, regressor.status_) == (1, 0.0, "optimal")


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("limit", [{"time_limit": 0}, {"memory_limit": 0}, {"callback": lambda _: True}])
@pytest.mark.parametrize("binarizer", ["quantile", "exact"])
def test_limits_end_in_a_tree_with_a_warning(diabetes, make, limit, binarizer):
    X, y = diabetes
    with pytest.warns(NotProvenWarning):
        regressor = make(0.001, max_depth=5, binarizer=binarizer, **shallow(make), **limit).fit(X, y)
    assert regressor.status_ in {"time_limit", "memory_limit", "interrupted"}
    assert 0 <= regressor.lower_bound_ <= regressor.objective_ <= 1.001 + 1e-12


@pytest.mark.parametrize("make", BOTH)
def test_pickles_clones_and_grid_search(diabetes, make):
    X, y = diabetes
    regressor = make(**FEW, **shallow(make)).fit(X, y)
    assert (pickle.loads(pickle.dumps(regressor)).predict(X) == regressor.predict(X)).all()
    assert clone(regressor).get_params() == regressor.get_params()
    search = GridSearchCV(make(**FEW, **shallow(make)), {"max_depth": [1, 2]}, cv=2).fit(X, y)
    assert search.best_estimator_.depth_ <= 2


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"max_depth": None}, TypeError, "max_depth must be an integer, got None"),
        ({"regularization": 1.5}, ValueError, "regularization=1.5 is more than the loss of a single leaf, 1"),
        ({"regularization": -1}, ValueError, "regularization"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf"),
        ({"certify": 1}, TypeError, "certify must be True or False"),
        ({"binarizer": "auto"}, ValueError, "binarizer='auto' chooses thresholds by classes"),
        ({"binarizer": ThresholdGuessBinarizer()}, ValueError, "chooses thresholds by classes"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(make, parameters, error, message):
    with pytest.raises(error, match=message):
        make(**parameters).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"lookahead_depth": 0}, "lookahead_depth"), ({"completion": "best"}, "completion")],
)
def test_wrong_parameters_of_split_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        SPLITRegressor(**parameters).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([0.0, np.inf, 1.0], ValueError, "y contains infinity: in 1 row, first in row 1"),
        ([0.0, np.nan, 1.0], ValueError, "y contains NaN: in 1 row, first in row 1"),
        (["a", "b", "c"], TypeError, "y must hold numbers"),
        (None, ValueError, "requires y"),
    ],
    ids=str,
)
def test_wrong_targets_are_named(make, y, error, message):
    with pytest.raises(error, match=message):
        make().fit([[0.0], [1.0], [2.0]], y)
