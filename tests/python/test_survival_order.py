"""SurvivalTree over all thresholds of numbers: the ordered search finds what brute force and binary columns find."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest

from hornbeam import NotProvenWarning, SurvivalTree, SurvivalTreeCV
from hornbeam.fitting import search as searches
from oracles.survival import SurvivalProblem

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
TIMES = {
    "real": lambda draw: draw.expovariate(1.0),
    "ties": lambda draw: float(draw.randint(0, 5)),
    "all sizes": lambda draw: 10 ** draw.uniform(-200, 200),
}
WEIGHTS = [None, lambda draw: draw.randint(1, 5), lambda draw: draw.uniform(0.01, 3)]


def use(monkeypatch, by_order):
    """Take one of both searches, whatever would be faster."""
    monkeypatch.setattr(searches, "suits_ordered_search", lambda *_, **__: by_order)


@pytest.fixture
def ordered(monkeypatch):
    """Take the ordered search."""
    use(monkeypatch, True)


def check_optimum(seed, kind, weight, limits):
    """Fit a random table of numbers with ties and missing values, and compare with brute force over all thresholds."""
    draw = random.Random(f"{seed} {kind} {weight} {limits}")
    n_rows = draw.randint(2, 11)
    cells = [[draw.choice([draw.randint(0, 3), draw.gauss(0, 1)]) for _ in range(2)] for _ in range(n_rows)]
    X = np.array(cells, dtype=float)
    if draw.random() < 0.3:
        X[draw.randrange(n_rows), 0] = np.nan
    events = [draw.random() < 0.7 for _ in X]
    events[draw.randrange(n_rows)] = True
    times = [TIMES[kind](draw) for _ in X]
    weights = [1.0] * n_rows if WEIGHTS[weight] is None else [float(WEIGHTS[weight](draw)) for _ in X]
    penalty = draw.choice([0, 0.001, 0.01, 0.05, 0.2])
    y = np.column_stack([events, times])
    tree = SurvivalTree(penalty, binarizer="exact", **limits).fit(X, y, weights)
    rows = tree.binarizer_.transform(X).astype(int).tolist()
    optimum = SurvivalProblem(rows, events, times, weights, penalty, **limits).optimum()
    assert tree.status_ == "optimal"
    assert tree.lower_bound_ <= optimum + 1e-9
    slack = 0.005 if weight == 2 else 1e-6
    assert optimum - 1e-9 <= tree.objective_ <= optimum + tree.rounding_ + slack


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_optimum_equals_brute_force(limits):
    for seed, kind, weight in itertools.product(range(4), TIMES, range(len(WEIGHTS))):
        check_optimum(seed, kind, weight, limits)


def times_of(X, draw):
    """Return times with hazards that depend on three columns, of which some are censored."""
    risks = np.where(X[:, 0] > 0.3, 1.0 + 2.0 * (X[:, 1] > 0), 0.3 + 1.0 * (X[:, 2] > -0.5))
    death, end = draw.exponential(1 / risks), draw.uniform(0, 3, len(X))
    events = death <= end
    events[0] = True
    return np.column_stack([events, np.minimum(death, end)])


def numbers(n_rows, seed=0):
    """Return a table of four columns of numbers, and times."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n_rows, 4)).round(2)
    return X, times_of(X, draw)


@pytest.mark.parametrize(
    "limits", [{"max_depth": 2}, {"max_depth": 3, "max_leaves": 5}, {"max_depth": 3, "min_samples_leaf": 9}], ids=str
)
def test_both_searches_prove_the_same_with_one_thread_and_with_two(monkeypatch, limits):
    for seed in range(3):
        X, y = numbers(60, seed)
        weights = np.random.default_rng(seed).integers(1, 4, len(X)) if seed == 2 else None
        found = []
        for by_order, n_jobs in [(True, 1), (True, 2), (False, 1)]:
            use(monkeypatch, by_order)
            tree = SurvivalTree(0.01, binarizer="exact", n_jobs=n_jobs, trace=True, **limits).fit(X, y, weights)
            assert tree.status_ == "optimal"
            assert tree.trace_[-1].objective == pytest.approx(tree.objective_, rel=1e-3)
            found.append(tree.lower_bound_)
        assert found == [found[0]] * 3


def test_both_searches_prove_the_same_with_categories_and_missing_values(monkeypatch):
    draw = np.random.default_rng(1)
    X = draw.normal(size=(80, 3))
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(place=draw.choice(["x", "y", "z"], len(X)))
    table.loc[::7, "b"] = np.nan
    found = []
    for by_order in (True, False):
        use(monkeypatch, by_order)
        tree = SurvivalTree(0.01, 2, binarizer="exact").fit(table, times_of(X, np.random.default_rng(2)))
        assert tree.status_ == "optimal"
        found.append(tree.lower_bound_)
    assert found[0] == found[1]


def test_many_thresholds_of_few_levels_are_searched_in_order_and_few_are_not(monkeypatch):
    used = []
    chosen = searches.search_by_order
    monkeypatch.setattr(searches, "search_by_order", lambda *given: used.append(given) or chosen(*given))
    X, y = numbers(100)
    SurvivalTree(0.01, 2, binarizer="exact").fit(X, y)
    assert len(used) == 1
    SurvivalTree(0.01, 2).fit(X, y)
    SurvivalTree(0.01, 2, binarizer="exact", shape="rule_list").fit(X, y)
    assert len(used) == 1


@pytest.mark.usefixtures("ordered")
def test_a_fit_goes_on_from_its_checkpoint(tmp_path):
    X, y = numbers(250)
    file = tmp_path / "search"

    def make(**limits):
        return SurvivalTree(0.01, 3, binarizer="exact", checkpoint=file, **limits)

    stop = itertools.count()
    with pytest.warns(NotProvenWarning):
        stopped = make(callback=lambda _: next(stop) >= 1).fit(X, y)
    finished = make(time_limit=None).fit(X, y)
    alone = SurvivalTree(0.01, 3, binarizer="exact", time_limit=None).fit(X, y)
    assert finished.status_ == alone.status_ == "optimal"
    assert finished.lower_bound_ == alone.lower_bound_
    assert stopped.lower_bound_ <= alone.lower_bound_ <= stopped.objective_
    with pytest.raises(ValueError, match="the labels or weights"):
        make().fit(X, y[::-1])


@pytest.mark.usefixtures("ordered")
@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"time_limit": 0.02}, {"memory_limit": 2**17}], ids=str)
def test_a_fit_that_is_stopped_has_a_tree_and_a_true_bound(limit):
    X, y = numbers(400)
    optimum = SurvivalTree(0.01, 2, binarizer="exact").fit(X, y)
    with pytest.warns(NotProvenWarning):
        stopped = SurvivalTree(0.0, 4, binarizer="exact", **limit).fit(X, y)
    assert 0 <= stopped.lower_bound_ <= optimum.objective_ - 0.01 * optimum.n_leaves_ + 1e-9
    assert stopped.objective_ <= 1 + 1e-9


def test_frontiers_and_cross_validation_find_the_same_trees(monkeypatch):
    X, y = numbers(60)
    sizes, chosen = [], []
    for by_order in (True, False):
        use(monkeypatch, by_order)
        frontier = SurvivalTree(0.02, 2, binarizer="exact").frontier(X, y)
        assert frontier.status == "optimal"
        sizes.append(np.column_stack([frontier.n_leaves, frontier.lower_bounds]).tolist())
        chosen.append(SurvivalTreeCV(max_depth=2, binarizer="exact", cv=3).fit(X, y).regularization_)
    assert sizes[0] == sizes[1]
    assert chosen[0] == chosen[1]


@pytest.mark.usefixtures("ordered")
def test_rows_without_any_hazard_or_of_one_time_have_a_single_leaf():
    X = np.arange(30.0)[:, None]
    for times in (np.ones(30), np.r_[np.zeros(10), np.ones(20)]):
        events = times == 1
        tree = SurvivalTree(0.01, 2, binarizer="exact").fit(X, np.column_stack([events, times]))
        assert tree.status_ == "optimal"
        assert tree.objective_ <= 1.01
