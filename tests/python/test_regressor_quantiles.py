"""GOSDTRegressor for the absolute error and for quantiles: brute force, rounding, trees, and bad input."""

import pickle
import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss

from hornbeam import GOSDTRegressor, GOSDTRegressorCV, NotProvenWarning, QuantileTree
from hornbeam.export import from_json
from hornbeam.fitting.quantiles import make_quantile_scale
from hornbeam.plotting.leaves import leaves_of
from oracles.regression import optimal_objective, quantile_loss

RNG = np.random.default_rng(0)
X = pd.DataFrame({"size": RNG.normal(size=300).round(2), "city": RNG.choice(["a", "b", "c"], 300)})
Y = np.where(X["size"] > 0.3, 40.0, 10.0) + 15 * (X["city"] == "b") + RNG.exponential(8.0, 300)


def brute_force(rows, targets, weights, quantile, penalty, **limits) -> float:
    exact = [[Fraction(value) for value in part] for part in (targets, weights)]
    loss = quantile_loss(Fraction(str(quantile)))
    return float(optimal_objective(rows, *exact, Fraction(str(penalty)), **limits, loss_of=loss))


@pytest.mark.parametrize("quantile", [0.5, 0.1, 0.75])
@pytest.mark.parametrize("seed", range(40))
def test_the_optimum_of_few_targets_equals_brute_force(seed, quantile):
    rng = random.Random(1000 * seed + int(100 * quantile))
    n_rows = rng.randint(2, 14)
    rows = [[rng.randint(0, 1) for _ in range(3)] for _ in range(n_rows)]
    targets = [rng.choice([0, 1, 2, 3.5, 7, 100]) for _ in range(n_rows)]
    weights = [rng.choice([1, 2, 0.5]) for _ in range(n_rows)] if seed % 2 else [1] * n_rows
    penalty = rng.choice([0, 0.01, 0.05, 0.2])
    limits = {
        "max_depth": rng.choice([None, 1, 2]),
        "max_leaves": rng.choice([None, 3]),
        "min_samples_leaf": 1 + seed % 3,
    }
    found = GOSDTRegressor(penalty, loss="quantile", quantile=quantile, binarizer=None, **limits)
    found.fit(np.array(rows), targets, weights)
    assert found.status_ == "optimal"
    assert found.objective_ == pytest.approx(
        brute_force(rows, targets, weights, quantile, penalty, **limits), abs=1e-12
    )
    assert found.lower_bound_ == pytest.approx(found.objective_, abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_of_many_targets_bound_and_rounding_are_true(seed):
    rng = np.random.default_rng(seed)
    n_rows, quantile, penalty = 80, [0.5, 0.9][seed % 2], [0.002, 0.02][seed % 3 == 0]
    rows = rng.integers(0, 2, size=(n_rows, 3))
    targets = rows[:, 0] * 3 + rng.lognormal(sigma=[0.5, 1.5][seed % 2], size=n_rows)
    weights = rng.uniform(0.5, 2, n_rows)
    limits = {"max_depth": [None, 2][seed % 2]}
    found = GOSDTRegressor(penalty, loss="quantile", quantile=quantile, binarizer=None, **limits)
    found.fit(rows, targets, weights)
    best = brute_force(rows.tolist(), targets, weights, quantile, penalty, **limits)
    assert 0 < found.rounding_ < 0.02
    assert found.lower_bound_ <= best + 1e-9
    assert best - 1e-9 <= found.objective_ <= best + found.rounding_ + 1e-9


def test_a_coarse_grid_loses_no_more_than_is_said(monkeypatch):
    """Five predictions instead of 64, on skewed targets: what is said is nearly reached by some groups of rows."""
    monkeypatch.setattr("hornbeam.fitting.quantiles._MOST_PREDICTIONS", 5)
    monkeypatch.setattr("hornbeam.fitting.quantiles._LEAST_PREDICTIONS", 5)
    largest = 0.0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        targets, quantile = rng.exponential(size=30), float(rng.uniform(0.1, 0.9))
        scale = make_quantile_scale(targets, np.ones(30), quantile, 0.0)
        groups = (targets > np.quantile(targets, rng.uniform(0.2, 0.8))).astype(np.int32)
        by_search = sum(int(scale.weights[groups == group].sum(axis=0).min()) for group in (0, 1))
        lost, said = scale.objective(by_search) - scale.loss(groups), float(scale.of_grid[2])
        assert -1e-9 <= lost <= said
        largest = max(largest, lost / said)
    assert largest > 0.5


def test_absolute_error_is_the_median_and_quantiles_are_those_of_the_leaves():
    absolute = GOSDTRegressor(0.02, 3, loss="absolute_error").fit(X, Y)
    median = GOSDTRegressor(0.02, 3, loss="quantile", quantile=0.5).fit(X, Y)
    assert absolute.tree_ == median.tree_
    high = GOSDTRegressor(0.02, 3, loss="quantile", quantile=0.9).fit(X, Y)
    for fitted, quantile in ((absolute, 0.5), (high, 0.9)):
        leaves, predicted = fitted.apply(X), fitted.predict(X)
        assert fitted.n_leaves_ > 2
        for leaf in np.unique(leaves):
            mine = Y[leaves == leaf]
            best = mean_pinball_loss(mine, np.full(len(mine), predicted[leaves == leaf][0]), alpha=quantile)
            assert best <= min(mean_pinball_loss(mine, np.full(len(mine), y), alpha=quantile) for y in mine) + 1e-9
            assert fitted.tree_.losses[leaf] == pytest.approx(best)
        single = mean_pinball_loss(Y, np.full(len(Y), np.quantile(Y, quantile)), alpha=quantile)
        assert fitted.loss_ == pytest.approx(mean_pinball_loss(Y, predicted, alpha=quantile) / single, rel=1e-3)
        assert fitted.feature_importances_.sum() == pytest.approx(1)


def test_outliers_move_means_but_not_medians():
    targets = Y.copy()
    targets[:3] = 1e6
    median = GOSDTRegressor(0.02, 2, loss="absolute_error").fit(X, targets)
    assert max(median.predict(X)) < 100
    assert max(GOSDTRegressor(0.02, 2).fit(X, targets).predict(X)) > 1000


def test_no_linear_model_or_single_leaf_is_better_on_a_step():
    linear = QuantileRegressor(quantile=0.5, alpha=0).fit(X[["size"]], Y)
    tree = GOSDTRegressor(0.01, 3, loss="absolute_error").fit(X, Y)
    assert np.abs(Y - tree.predict(X)).mean() < np.abs(Y - linear.predict(X[["size"]])).mean()


def test_all_thresholds_frontier_and_cross_validation():
    exact = GOSDTRegressor(0.02, 2, loss="absolute_error", binarizer="exact").fit(X, Y)
    few = GOSDTRegressor(0.02, 2, loss="absolute_error").fit(X, Y)
    assert exact.objective_ <= few.objective_ + exact.rounding_
    frontier = GOSDTRegressor(0.05, 2, loss="absolute_error").frontier(X, Y)
    assert frontier.losses.tolist() == sorted(frontier.losses.tolist(), reverse=True)
    assert all(isinstance(one.tree_, QuantileTree) for one in frontier.classifiers)
    chosen = GOSDTRegressorCV(0.05, 2, loss="absolute_error", cv=3, scoring="neg_mean_absolute_error").fit(X, Y)
    assert chosen.n_leaves_ > 1


def test_the_tree_is_written_drawn_and_read():
    fitted = GOSDTRegressor(0.02, 2, loss="absolute_error").fit(X, Y)
    tree = fitted.tree_
    assert from_json(tree.to_json()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert clone(fitted).get_params()["loss"] == "absolute_error"
    assert "mean absolute error" in str(tree)
    high = GOSDTRegressor(0.05, 2, loss="quantile", quantile=0.9).fit(X, Y).tree_
    assert "quantile 0.9, mean loss" in str(high)
    assert "a line marks its quantile 0.9" in leaves_of(high).footnote
    assert "a line marks its median" in leaves_of(tree).footnote
    assert any("error" in line for line in leaves_of(tree).lines(tree.n_nodes - 1))
    only_numbers = GOSDTRegressor(0.02, 2, loss="absolute_error").fit(X[["size"]].to_numpy(), Y)
    sklearn_tree = only_numbers.tree_.to_sklearn()
    assert (
        sklearn_tree.predict(X[["size"]].to_numpy()).tolist() == only_numbers.predict(X[["size"]].to_numpy()).tolist()
    )
    record = tree.to_json().replace('"quantile": 0.5', '"quantile": 1.5')
    with pytest.raises(ValueError, match="above 0 and below 1"):
        from_json(record)


def test_a_constant_target_gives_a_single_leaf_without_loss():
    for penalty in (0, 0.01):
        constant = GOSDTRegressor(penalty, loss="absolute_error").fit(X, np.full(300, 4.5))
        assert (constant.n_leaves_, constant.loss_, constant.predict(X)[0]) == (1, 0, 4.5)
        assert constant.status_ == "optimal"


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
def test_the_tree_does_not_depend_on_the_unit_of_the_target(scale):
    plain = GOSDTRegressor(0.02, 2, loss="absolute_error").fit(X, Y)
    scaled = GOSDTRegressor(0.02, 2, loss="absolute_error").fit(X, Y * scale)
    assert scaled.tree_.conditions == plain.tree_.conditions
    assert scaled.objective_ == pytest.approx(plain.objective_)


def test_a_stopped_fit_has_a_tree_and_a_true_bound():
    with pytest.warns(NotProvenWarning):
        stopped = GOSDTRegressor(0.01, 4, loss="absolute_error", callback=lambda _: True).fit(X, Y)
    assert stopped.n_leaves_ > 2
    assert 0 < stopped.lower_bound_ < stopped.objective_


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"loss": "huber"}, ValueError, "loss must be"),
        ({"quantile": 0.9}, ValueError, "quantile is used by loss='quantile' only, but loss='squared_error'"),
        ({"loss": "quantile", "quantile": 0}, ValueError, "quantile must be above 0 and below 1, got 0"),
        ({"loss": "quantile", "quantile": 1}, ValueError, "quantile must be"),
        ({"loss": "quantile", "quantile": "high"}, TypeError, "quantile must be a number"),
        (
            {"loss": "absolute_error", "regularization": 1.5},
            ValueError,
            "more than the loss of a single leaf, 1;",
        ),
    ],
)
def test_a_wrong_parameter_is_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        GOSDTRegressor(**parameters).fit(X, Y)
