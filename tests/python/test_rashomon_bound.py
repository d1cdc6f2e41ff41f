"""Sets of trees up to a bound that the user gives, without a search for the optimum."""

import pickle
import warnings
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from hornbeam import GOSDTClassifier, NotProvenWarning, RashomonSetClassifier

CANCER = load_breast_cancer(return_X_y=True)


def draw(seed, n_rows=40, n_columns=5):
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, size=(n_rows, n_columns))
    return X, (X[:, 0] ^ (random.random(n_rows) < 0.3)).astype(int)


@pytest.mark.parametrize("distinct", ["splits", "columns", "labels"])
@pytest.mark.parametrize("objective", ["accuracy", "balanced"])
def test_the_set_of_a_bound_is_that_of_the_same_bound_above_the_optimum(objective, distinct):
    for seed in range(5):
        X, y = draw(seed)
        problem = {"regularization": 0.03, "objective": objective, "distinct": distinct, "binarizer": None}
        above = RashomonSetClassifier(0.25, **problem).fit(X, y)
        given = RashomonSetClassifier(rashomon_bound=Fraction(above.objective_) * Fraction(5, 4), **problem).fit(X, y)
        assert given.n_trees_ == above.n_trees_ > 1
        assert list(map(str, given.rashomon_set_)) == list(map(str, above.rashomon_set_))
        assert (given.status_, given.objective_, given.loss_, given.gap_) == (
            "complete",
            above.objective_,
            above.loss_,
            0.0,
        )
        assert given.lower_bound_ == given.objective_ == given.rashomon_set_.objective(0)
        assert given.tree_ == above.rashomon_set_[0]


def test_no_search_for_the_optimum_is_made_if_the_set_has_a_tree():
    above = RashomonSetClassifier(0.15, regularization=0.02, max_depth=3).fit(*CANCER)
    given = RashomonSetClassifier(
        rashomon_bound=above.bound_, regularization=0.02, max_depth=3, trace=True, n_jobs=2
    ).fit(*CANCER)
    assert above.statistics_["subproblems"] > 0 == given.statistics_["subproblems"]
    assert given.n_trees_ == above.n_trees_
    assert given.trace_[-1].objective == given.objective_


def test_a_tree_exactly_at_the_bound_is_in_the_set():
    X, y = [[0], [0], [0], [1], [1], [1], [1]], [0, 0, 1, 1, 1, 1, 1]
    at = Fraction(2, 7) + Fraction(1, 10)
    for bound, n_trees in [(at, 2), (at - Fraction(1, 10**9), 1)]:
        found = RashomonSetClassifier(rashomon_bound=bound, regularization=0.1, binarizer=None).fit(X, y)
        assert found.n_trees_ == n_trees


def test_an_empty_set_warns_of_the_least_bound_that_has_a_tree():
    optimum = GOSDTClassifier(0.02, max_depth=2, binarizer="quantile").fit(*CANCER).objective_
    with pytest.warns(UserWarning, match="The set is empty: no tree has .* of at most rashomon_bound=0.05; the best"):
        found = RashomonSetClassifier(rashomon_bound=0.05, regularization=0.02, max_depth=2).fit(*CANCER)
    assert (found.n_trees_, found.status_) == (0, "complete")
    assert found.objective_ == found.lower_bound_ == pytest.approx(optimum, rel=1e-12)
    assert found.predict(CANCER[0]).shape == CANCER[1].shape
    assert found.complete_up_to_ == 0.05


def test_the_bound_that_the_warning_names_has_a_tree():
    for seed in range(10):
        X, y = draw(seed, n_rows=37)
        with pytest.warns(UserWarning, match="The set is empty") as caught:
            RashomonSetClassifier(rashomon_bound=0, regularization=0.013, binarizer=None).fit(X, y)
        least = float(str(caught[0].message).split("rashomon_bound to at least ")[1].split(" ")[0])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = RashomonSetClassifier(rashomon_bound=least, regularization=0.013, binarizer=None).fit(X, y)
        assert found.n_trees_ >= 1
        assert found.objective_ >= least - 1e-4


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}])
def test_without_time_or_memory_the_set_is_empty_and_nothing_is_claimed(limit):
    with pytest.warns(NotProvenWarning, match="the set holds no tree"):
        found = RashomonSetClassifier(rashomon_bound=0.2, **limit).fit(*CANCER)
    assert found.status_ == next(iter(limit))
    assert (found.n_trees_, found.complete_up_to_) == (0, -np.inf)
    assert found.lower_bound_ <= 0.02 < found.objective_


def test_a_search_stopped_by_the_callback_is_interrupted():
    with pytest.warns(NotProvenWarning, match="'interrupted'"):
        found = RashomonSetClassifier(rashomon_bound=0.3, max_depth=None, callback=lambda _: True).fit(*CANCER)
    assert found.status_ == "interrupted"


def test_a_search_that_is_stopped_has_all_trees_up_to_what_it_says():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, size=(300, 20)), random.integers(0, 2, size=300)
    problem = {"regularization": 0.01, "max_depth": 4, "binarizer": None}
    with pytest.warns(NotProvenWarning, match="the set holds"):
        found = RashomonSetClassifier(rashomon_bound=0.5, memory_limit=400_000, **problem).fit(X, y)
    assert found.status_ == "memory_limit"
    assert found.complete_up_to_ < found.bound_
    if found.n_trees_:
        again = RashomonSetClassifier(rashomon_bound=Fraction(found.complete_up_to_), **problem).fit(X, y)
        assert again.rashomon_set_.objectives()[1] == found.rashomon_set_.objectives()[1]


def test_resplit_completes_all_prefixes_up_to_the_bound():
    problem = {"regularization": 0.02, "max_depth": 3, "method": "resplit", "lookahead_depth": 1}
    above = RashomonSetClassifier(0.15, **problem).fit(*CANCER)
    given = RashomonSetClassifier(rashomon_bound=above.bound_ + 1e-12, **problem).fit(*CANCER)
    assert list(given.rashomon_set_) == list(above.rashomon_set_)
    with pytest.warns(UserWarning, match="The set is empty: no prefix that RESPLIT finds"):
        assert RashomonSetClassifier(rashomon_bound=0.05, **problem).fit(*CANCER).n_trees_ == 0


def test_a_pickled_set_has_the_same_trees():
    found = RashomonSetClassifier(rashomon_bound=0.13, regularization=0.02, max_depth=3).fit(*CANCER)
    again = pickle.loads(pickle.dumps(found)).rashomon_set_
    assert [again[i] for i in (0, -1)] == [found.rashomon_set_[i] for i in (0, -1)]


@pytest.mark.parametrize(
    ("bound", "error", "message"),
    [
        (-0.1, ValueError, "rashomon_bound must be at least 0"),
        ("low", TypeError, "rashomon_bound must be a number"),
        (1e9, ValueError, "rashomon_bound=1000000000.0 is too large"),
    ],
)
def test_a_wrong_bound_is_named(bound, error, message):
    with pytest.raises(error, match=message):
        RashomonSetClassifier(rashomon_bound=bound).fit(*CANCER)
