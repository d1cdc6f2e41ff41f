"""GOSDTRegressor over all thresholds of numbers: the ordered search finds the optimum of brute force in fractions."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest

from hornbeam import GOSDTRegressor, NotProvenWarning
from hornbeam.fitting import search as searches
from oracles.regression import optimal_objective

LIMITS = [
    {"max_depth": 1},
    {"max_depth": 2},
    {"max_depth": 3},
    {"max_depth": 3, "max_leaves": 3},
    {"max_depth": 3, "min_samples_leaf": 3},
    {"max_leaves": 4},
    {"max_leaves": 5, "min_samples_leaf": 2},
    {},
]
WEIGHTS = [None, lambda draw: draw.randint(1, 5), lambda draw: draw.uniform(0.01, 3)]
TARGETS = [lambda draw: draw.randint(0, 20), lambda draw: draw.gauss(0, 1), lambda draw: 1e9 + draw.randint(0, 9)]


@pytest.fixture(params=[True, False], ids=["ordered", "bits"])
def search(request, monkeypatch):
    """Take one of both searches, whatever would be faster."""
    monkeypatch.setattr(searches, "suits_ordered_search", lambda *_, **__: request.param)


@pytest.fixture
def ordered(monkeypatch):
    """Take the ordered search."""
    monkeypatch.setattr(searches, "suits_ordered_search", lambda *_, **__: True)


def check_optimum(seed, target, weight, limits):
    """Fit a random table of numbers with ties and missing values, and compare with brute force over all thresholds."""
    draw = random.Random(f"{seed} {target} {weight} {limits}")
    n_rows = draw.randint(2, 11)
    X = np.array([[draw.choice([draw.randint(0, 3), draw.gauss(0, 1)]) for _ in range(2)] for _ in range(n_rows)])
    if draw.random() < 0.3:
        X[draw.randrange(n_rows), 0] = np.nan
    y = [TARGETS[target](draw) for _ in X]
    weights = None if WEIGHTS[weight] is None else [WEIGHTS[weight](draw) for _ in X]
    penalty = draw.choice([0, 0.001, 0.01, 0.05, 0.2])
    regressor = GOSDTRegressor(penalty, binarizer="exact", **limits).fit(X, y, weights)
    rows = regressor.binarizer_.transform(X).tolist()
    fractions = [Fraction(1)] * n_rows if weights is None else list(map(Fraction, weights))
    optimum = optimal_objective(rows, list(map(Fraction, y)), fractions, Fraction(str(penalty)), **limits)
    assert regressor.status_ == "optimal"
    assert regressor.lower_bound_ <= float(optimum) * (1 + 1e-14) + 1e-300
    assert regressor.objective_ == pytest.approx(float(optimum), rel=1e-9, abs=regressor.rounding_ + 1e-12)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_optimum_equals_brute_force_in_exact_fractions(search, limits):
    for seed, target, weight in itertools.product(range(4), range(len(TARGETS)), range(len(WEIGHTS))):
        check_optimum(seed, target, weight, limits)


def numbers(n_rows, seed=0):
    """Return a table of four columns of numbers, and a target that depends on three of them."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n_rows, 4)).round(2)
    y = np.where(X[:, 0] > 0.3, 2.0 * (X[:, 1] > 0), 3.0 * (X[:, 2] > -0.5)) + draw.normal(size=n_rows)
    return X, y.round(1)


def test_many_thresholds_of_few_levels_are_searched_in_order_and_few_are_not(monkeypatch):
    used = []
    chosen = searches.search_by_order
    monkeypatch.setattr(searches, "search_by_order", lambda *given: used.append(given) or chosen(*given))
    X, y = numbers(100)
    GOSDTRegressor(0.01, 2, binarizer="exact").fit(X, y)
    assert len(used) == 1
    GOSDTRegressor(0.01, 2).fit(X, y)
    GOSDTRegressor(0.01, 2, binarizer="exact", shape="rule_list").fit(X, y)
    assert len(used) == 1


def test_both_searches_agree_with_one_thread_and_with_two(monkeypatch):
    X, y = numbers(70)
    found = []
    for by_order, n_jobs in [(True, 1), (True, 2), (False, 1)]:
        monkeypatch.setattr(searches, "suits_ordered_search", lambda *_, is_it=by_order, **__: is_it)
        regressor = GOSDTRegressor(0.01, 3, binarizer="exact", n_jobs=n_jobs, trace=True).fit(X, y)
        assert regressor.status_ == "optimal"
        assert regressor.trace_[-1].objective == pytest.approx(regressor.objective_, rel=1e-9)
        found.append(regressor.lower_bound_)
    assert found == [found[0]] * 3


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize(
    ("n_values", "limits"),
    [
        (12, {"max_depth": 3}),
        (12, {"max_depth": 3, "max_leaves": 5}),
        (12, {"max_depth": 2, "min_samples_leaf": 900}),
        (200, {"max_depth": 2}),
    ],
    ids=str,
)
def test_sums_of_bins_find_the_trees_of_binary_columns_in_many_rows(monkeypatch, n_values, limits):
    draw = np.random.default_rng(1)
    X = draw.integers(0, n_values, size=(5000, 3)) / n_values
    y = (X[:, 0] > 0.3) * 2 + (X[:, 1] > X[:, 2]) + draw.normal(size=5000).round(1)
    objectives = []
    for is_ordered in (True, False):
        monkeypatch.setattr(searches, "suits_ordered_search", lambda *_, answer=is_ordered, **__: answer)
        regressor = GOSDTRegressor(0.002, binarizer="exact", **limits).fit(X, y)
        assert regressor.status_ == "optimal"
        objectives.append(regressor.objective_)
    assert objectives[0] == objectives[1]


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 9000}, {"regularization": 0.02}], ids=str)
def test_sums_of_pairs_of_bins_leave_the_best_tree_of_very_many_rows(monkeypatch, limits):
    draw = np.random.default_rng(1)
    X = draw.integers(0, 12, size=(140_000, 3)) / 12
    y = (X[:, 0] > 0.3) * 2 + (X[:, 1] > X[:, 2]) + draw.normal(size=140_000).round(1)
    objectives = []
    for is_ordered in (True, False):
        monkeypatch.setattr(searches, "suits_ordered_search", lambda *_, answer=is_ordered, **__: answer)
        regressor = GOSDTRegressor(**{"regularization": 0.0, "max_depth": 3, **limits}, binarizer="exact").fit(X, y)
        assert regressor.status_ == "optimal"
        objectives.append(regressor.objective_)
    assert objectives[0] == objectives[1]


def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    X, y = numbers(1500)
    file = tmp_path / "search"

    def make(**limits):
        return GOSDTRegressor(0, 3, binarizer="exact", checkpoint=file, **limits)

    stop = itertools.count()
    with pytest.warns(NotProvenWarning):
        stopped = make(callback=lambda _: next(stop) >= 1).fit(X, y)
    assert stopped.status_ == "interrupted"
    finished = make(time_limit=None).fit(X, y)
    alone = GOSDTRegressor(0, 3, binarizer="exact", time_limit=None).fit(X, y)
    assert finished.status_ == alone.status_ == "optimal"
    assert finished.lower_bound_ == alone.lower_bound_
    assert stopped.lower_bound_ <= alone.lower_bound_ <= stopped.objective_
    with pytest.raises(ValueError, match="the labels or weights"):
        make().fit(X, y[::-1])


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize("y", [[5.0] * 30, [0.0] * 29 + [1e9]], ids=["constant", "one outlier"])
def test_degenerate_targets_have_the_right_tree(y):
    X = np.arange(30.0)[:, None]
    regressor = GOSDTRegressor(0.01, 2, binarizer="exact").fit(X, y)
    assert regressor.status_ == "optimal"
    assert regressor.n_leaves_ == len(set(y))
    assert regressor.predict(X).tolist() == y
