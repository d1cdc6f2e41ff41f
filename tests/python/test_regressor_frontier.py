"""The frontier of GOSDTRegressor against brute force, and the size that cross-validation chooses."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_diabetes
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from hornbeam import GOSDTRegressor, GOSDTRegressorCV, plot_cv, plot_frontier
from oracles.regression import optimal_objective

LIMITS = [{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}]
TARGETS = {
    "counts": lambda draw: draw.randint(0, 20),
    "floats": lambda draw: draw.gauss(0, 1),
    "mixed": lambda draw: 10 ** draw.uniform(-9, 9),
    "few": lambda draw: draw.randint(0, 2),
}
WEIGHTS = {"none": None, "whole": lambda draw: draw.randint(1, 5), "unequal": lambda draw: 10 ** draw.uniform(-6, 6)}


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("target", TARGETS)
def test_every_size_and_leaf_penalty_has_the_optimum_of_brute_force(target, weight):
    for seed, limits in itertools.product(range(6), LIMITS):
        draw = random.Random(f"{target} {weight} {seed} {limits}")
        n_rows, n_columns = draw.randint(2, 11), draw.randint(1, 4)
        X = np.array([[draw.randint(0, 1) for _ in range(n_columns)] for _ in range(n_rows)])
        y = [TARGETS[target](draw) for _ in X]
        sample_weight = None if WEIGHTS[weight] is None else [WEIGHTS[weight](draw) for _ in X]
        least = draw.choice([0, 0.01, 0.05])
        frontier = GOSDTRegressor(least, binarizer=None, **limits).frontier(X, y, sample_weight)
        exact = [Fraction(float(one)) for one in y]
        weights = [Fraction(1)] * n_rows if sample_weight is None else list(map(Fraction, sample_weight))
        assert frontier.status == "optimal"
        assert frontier.path[-1].n_leaves == 1
        others = {name: value for name, value in limits.items() if name != "max_leaves"}
        for k, one in zip(frontier.n_leaves.tolist(), frontier.classifiers, strict=True):
            best = optimal_objective(X == 1, exact, weights, Fraction(0), max_leaves=k, **others)
            check(one, float(best))
            assert one.n_leaves_ <= k
        for penalty in (0.06, 0.11, 0.3, 0.8, 1.7):
            best = optimal_objective(X == 1, exact, weights, Fraction(str(penalty)), **limits)
            check(frontier.classifier(regularization=penalty), float(best))


def check(fitted: GOSDTRegressor, optimum: float) -> None:
    """Compare with the optimum: the bound is below it, and the objective above it by the rounding that is stated."""
    assert fitted.status_ == "optimal"
    assert fitted.lower_bound_ <= optimum * (1 + 1e-13) + 1e-300
    assert optimum <= fitted.objective_ * (1 + 1e-12) + 1e-15
    assert fitted.objective_ <= optimum + 2 * fitted.rounding_ + 1e-12 * max(optimum, 1)
    assert fitted.objective_ == pytest.approx(fitted.loss_ + fitted.regularization_ * fitted.n_leaves_)


def test_every_point_equals_a_fit_of_its_own(diabetes):
    X, y = diabetes
    model = GOSDTRegressor(0.015, 3)
    frontier = model.frontier(X, y)
    assert frontier.status == "optimal"
    for k, loss, bound in zip(frontier.n_leaves.tolist(), frontier.losses, frontier.lower_bounds, strict=True):
        alone = GOSDTRegressor(0, 3, max_leaves=k).fit(X, y)
        assert (loss, bound) == pytest.approx((alone.loss_, alone.lower_bound_), rel=1e-12)
    for segment in frontier.path:
        alone = GOSDTRegressor(min(segment.regularization, 1), 3).fit(X, y)
        assert (alone.n_leaves_, alone.loss_) == (segment.n_leaves, pytest.approx(segment.loss))
    assert frontier.losses_on(X, y) == pytest.approx(frontier.losses)
    path = model.regularization_path(X, y)
    assert [one.n_leaves for one in path.path] == [one.n_leaves for one in frontier.path]
    assert vars(model) == vars(GOSDTRegressor(0.015, 3))


def test_a_frontier_that_is_stopped_has_true_bounds_and_the_pruned_trees(diabetes):
    X, y = diabetes
    with pytest.warns(UserWarning, match="frontier is not proven"):
        frontier = GOSDTRegressor(0.002, callback=lambda _: True).frontier(X, y)
    assert frontier.status == "interrupted"
    assert len(frontier.path) > 3
    whole = GOSDTRegressor(0.015, 3).frontier(X, y)
    for k, loss in zip(whole.n_leaves.tolist(), whole.losses, strict=True):
        assert frontier.classifier(n_leaves=k).lower_bound_ <= loss
    for penalty in (0.02, 0.1, 0.5):
        found = frontier.classifier(regularization=penalty)
        assert found.lower_bound_ <= whole.classifier(regularization=penalty).objective_ + 1e-12


def test_a_constant_target_has_a_frontier_of_one_size():
    frontier = GOSDTRegressor(0.1).frontier([[0], [1], [2]], [3, 3, 3])
    assert (frontier.n_leaves.tolist(), frontier.losses.tolist()) == ([1], [0.0])
    assert frontier.classifier(regularization=0.4).objective_ == pytest.approx(0.4)


def test_the_picture_has_a_band_only_where_a_size_is_not_proven(diabetes):
    X, y = diabetes
    frontier = GOSDTRegressor(0.02, 2).frontier(X[::2], y[::2])
    ax = plot_frontier(frontier, X[1::2], y[1::2])
    assert "not proven" not in [text.get_text() for text in ax.get_legend().get_texts()]
    with pytest.warns(UserWarning, match="frontier is not proven"):
        stopped = GOSDTRegressor(0.002, callback=lambda _: True).frontier(X, y)
    assert "not proven" in [text.get_text() for text in plot_frontier(stopped).get_legend().get_texts()]


def quick(**parameters) -> GOSDTRegressorCV:
    return GOSDTRegressorCV(**{"min_regularization": 0.02, "max_depth": 2, "cv": 3, **parameters})


def test_the_scores_are_those_of_fits_of_its_own(diabetes):
    X, y = diabetes
    folds = KFold(3, shuffle=True, random_state=0)
    model = quick(cv=folds).fit(X, y)
    for index, penalty in enumerate(model.regularizations_):
        own = cross_val_score(GOSDTRegressor(min(penalty, 1), 2), X, y, cv=folds)
        found = [model.cv_results_[f"split{fold}_test_score"][index] for fold in range(3)]
        assert found == pytest.approx(own.tolist())
    alone = GOSDTRegressor(model.regularization_, 2).fit(X, y)
    assert model.objective_ == pytest.approx(alone.objective_)
    assert model.tree_ == alone.tree_
    assert model.status_ == "optimal"
    assert model.rounding_ < 1e-9
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))


def test_one_standard_error_chooses_no_larger_tree(diabetes):
    X, y = diabetes
    best, smaller = quick().fit(X, y), quick(rule="one_standard_error").fit(X, y)
    assert smaller.n_leaves_ <= best.n_leaves_
    assert smaller.regularization_ >= best.regularization_
    assert best.best_score_ == best.cv_results_["mean_test_score"].max()


def test_any_scorer_of_scikit_learn_chooses(diabetes):
    X, y = diabetes
    model = quick(scoring="neg_mean_absolute_error").fit(X, y)
    assert model.score(X, y) == pytest.approx(-mean_absolute_error(y, model.predict(X)))
    alone = quick(cv=LeaveOneOut(), scoring="neg_mean_squared_error", max_depth=1).fit(X[:20], y[:20])
    assert alone.n_splits_ == 20
    with pytest.raises(ValueError, match="score of fold 0 is nan"), pytest.warns(UserWarning, match="R\\^2"):
        quick(cv=LeaveOneOut(), max_depth=1).fit(X[:20], y[:20])


def test_weights_count_rows(diabetes):
    X, y = diabetes[0][:90], diabetes[1][:90]
    weights = 1 + np.arange(len(y)) % 2
    twice = np.repeat(np.arange(len(y)), weights)
    folds = list(KFold(2).split(X))
    repeated = [tuple(np.flatnonzero(np.isin(twice, part)) for part in fold) for fold in folds]
    binarizer = "exact"  # quantiles of rows depend on how rows are weighted
    weighted = quick(cv=folds, binarizer=binarizer, max_depth=1).fit(X, y, weights)
    equal = quick(cv=repeated, binarizer=binarizer, max_depth=1).fit(X.iloc[twice], y.iloc[twice])
    assert weighted.regularizations_ == pytest.approx(equal.regularizations_)
    assert weighted.cv_results_["mean_test_score"] == pytest.approx(equal.cv_results_["mean_test_score"])
    assert weighted.objective_ == pytest.approx(equal.objective_)


def test_groups_and_metadata_go_where_they_are_requested(diabetes):
    X, y = diabetes
    groups, weights = np.arange(len(y)) % 3, np.ones(len(y))
    assert quick(cv=GroupKFold(3)).fit(X, y, groups=groups).n_splits_ == 3
    with pytest.raises(ValueError, match="groups"):
        quick(cv=GroupKFold(3)).fit(X, y)
    with sklearn.config_context(enable_metadata_routing=True):
        splitter = GroupKFold(3).set_split_request(groups=True)
        model = quick(cv=splitter).set_fit_request(sample_weight=True)
        assert model.fit(X, y, weights, groups=groups).n_splits_ == 3
        with pytest.raises(TypeError, match="unexpected"):
            model.fit(X, y, weights, something=groups)


def test_it_works_where_scikit_learn_uses_regressors(diabetes):
    X, y = diabetes
    search = GridSearchCV(GOSDTRegressor(0.02), {"max_depth": [0, 2]}, cv=2).fit(X, y)
    assert search.best_params_ == {"max_depth": 2}
    pipeline = make_pipeline(FunctionTransformer(), quick(cv=TimeSeriesSplit(2), n_jobs=2))
    assert pipeline.fit(X, y).score(X, y) > 0.2
    assert len(cross_val_predict(quick(), X, y, cv=2)) == len(y)
    model = quick().fit(X, y)
    assert len(plot_cv(model).lines) > 0
    assert "scale" in model.tree_.to_text() or model.n_leaves_ > 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "largest"}, "rule must be"),
        ({"min_regularization": -1}, "min_regularization"),
        ({"cv": 1}, "k-fold"),
        ({"scoring": "nothing"}, "scoring"),
        ({"binarizer": "auto"}, "chooses thresholds by classes"),
        ({"max_depth": -1}, "max_depth"),
    ],
)
def test_a_wrong_parameter_is_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        quick(**parameters).fit(np.arange(12).reshape(-1, 1), np.arange(12) % 5)


@pytest.mark.parametrize(
    ("y", "message"), [([1, np.nan, 3] * 4, "NaN: in 4 rows, first in row 1"), ([1, 2], "X has 12 rows, y 2")]
)
def test_a_wrong_target_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        quick().fit(np.arange(12).reshape(-1, 1), y)
