"""The choice of the search changes how long a fit takes, and nothing else that a user can see."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest

from hornbeam import GOSDTClassifier, ThresholdBinarizer
from hornbeam.binarizers import Conditions, Thresholds, bin_conditions, pack_conditions
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsOne
from hornbeam.fitting import search as choice
from hornbeam.table import read_table


def mixed_table(seed, n_rows=60):
    """Return numbers with ties, a flag and categories; missing values in two of them."""
    draw = np.random.default_rng(seed)
    numbers = draw.normal(size=n_rows).round(1)
    numbers[draw.random(n_rows) < 0.1] = np.nan
    colors = draw.choice(np.array(["red", "green", "blue", None], dtype=object), n_rows)
    frame = pd.DataFrame(
        {
            "number": numbers,
            "narrow": draw.normal(size=n_rows).astype(np.float32),
            "count": draw.integers(-3, 9, n_rows).astype(np.int8),
            "flag": draw.integers(0, 2, n_rows),
            "color": colors,
        }
    )
    y = (np.nan_to_num(numbers) + frame["count"] / 5 + (colors == "red") > draw.normal(size=n_rows) / 2).astype(int)
    return frame, y + (draw.random(n_rows) < 0.1)


@pytest.fixture(params=[True, False], ids=["by order", "by bits"])
def way(request, monkeypatch):
    """Let every fit run one of the two searches."""
    monkeypatch.setattr(choice, "suits_ordered_search", lambda *_, **__: request.param)
    return request.param


def fitted_both_ways(monkeypatch, X, y, sample_weight=None, **parameters):
    for way in (True, False):
        monkeypatch.setattr(choice, "suits_ordered_search", lambda *_, way=way, **__: way)
        yield GOSDTClassifier(**parameters).fit(X, y, sample_weight)


@pytest.mark.parametrize("max_depth", [None, 3])
@pytest.mark.parametrize("max_leaves", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_both_searches_prove_the_same_objective_with_few_leaves(monkeypatch, seed, max_leaves, max_depth):
    X, y = mixed_table(seed, n_rows=40)
    by_order, by_bits = fitted_both_ways(monkeypatch, X, y, max_leaves=max_leaves, max_depth=max_depth)
    assert by_order.status_ == by_bits.status_ == "optimal"
    assert by_order.objective_ == by_bits.objective_
    assert by_order.n_leaves_ <= max_leaves


@pytest.mark.parametrize("weights", ["ones", "integers", "decimals", "zeros"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_both_searches_prove_the_same_objective(monkeypatch, seed, max_depth, weights):
    X, y = mixed_table(seed)
    draw = np.random.default_rng(seed)
    sample_weight = {
        "ones": None,
        "integers": draw.integers(1, 1000, len(y)),
        "decimals": draw.integers(1, 100, len(y)) / 100,
        "zeros": draw.integers(0, 3, len(y)),
    }[weights]
    for regularization in (0, 0.003, 0.03):
        ordered, bits = fitted_both_ways(
            monkeypatch, X, y, sample_weight, max_depth=max_depth, regularization=regularization
        )
        assert ordered.status_ == bits.status_ == "optimal"
        assert ordered.objective_ == ordered.lower_bound_ == bits.objective_
        wrong = ordered.predict(X) != y
        assert np.average(wrong, weights=sample_weight) == pytest.approx(ordered.loss_)
        assert ordered.statistics_["n_binary_columns"] == bits.statistics_["n_binary_columns"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"class_weight": "balanced"},
        {"objective": "cost", "cost_matrix": [[0, 3, 3], [1, 0, 1], [2, 2, 0]]},
        {"objective": "cost", "cost_matrix": [[0, 3, 5], [1, 0.25, 4], [2, 1, 0.5]]},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_both_searches_prove_the_same_objective_of_unequal_errors(monkeypatch, seed, parameters):
    X, y = mixed_table(seed)
    y = np.where(y == 0, 0, 1 + (np.arange(len(y)) % 5 == 0))
    for max_depth, regularization in ((2, 0.01), (None, 0.15)):
        ranks, bits = fitted_both_ways(
            monkeypatch, X, y, max_depth=max_depth, regularization=regularization, **parameters
        )
        assert ranks.status_ == bits.status_ == "optimal"
        assert ranks.objective_ == ranks.lower_bound_ == bits.objective_


@pytest.mark.parametrize("min_samples_leaf", [2, 7, 30])
@pytest.mark.parametrize("seed", range(3))
def test_both_searches_prove_the_same_objective_of_leaves_with_enough_rows(monkeypatch, seed, min_samples_leaf):
    X, y = mixed_table(seed)
    for max_depth, regularization in ((2, 0), (3, 0.01), (None, 0.1)):
        ranks, bits = fitted_both_ways(
            monkeypatch,
            X,
            y,
            max_depth=max_depth,
            regularization=regularization,
            min_samples_leaf=min_samples_leaf,
        )
        assert ranks.status_ == bits.status_ == "optimal"
        assert ranks.objective_ == ranks.lower_bound_ == bits.objective_
        assert np.unique(ranks.apply(X), return_counts=True)[1].min() >= min_samples_leaf


@pytest.mark.parametrize("seed", range(10))
def test_sorted_values_meet_every_condition_in_the_rows_where_the_bits_do(seed):
    X, _ = mixed_table(seed)
    table = read_table(X)
    own = [AtMost(0, 0.5), AtMost(0, 0.5), AtMost(0, -1.0), AtMost(0, float("nan")), AtMost(0, 2.0), AtMost(1, 2.5)]
    others = [IsMissing(0), IsOne(3), IsIn(4, ("red", "blue")), AtMost(2, -100.0), AtMost(2, 100.0)]
    for conditions in map(Conditions, (ThresholdBinarizer().fit(X).conditions_, own, others, [])):
        bins, n_thresholds = bin_conditions(conditions, table)
        assert bins.dtype == n_thresholds.dtype == np.uint32
        assert bins.shape == (len(n_thresholds), len(X))
        columns = [numbers <= t for numbers, n in zip(bins, n_thresholds, strict=True) for t in range(n)]
        bits = [np.packbits(column, bitorder="little") for column in columns]
        np.testing.assert_array_equal(
            np.reshape(bits, (len(conditions), (len(X) + 7) // 8)), pack_conditions(conditions, table)
        )


def test_runs_are_the_thresholds_of_one_column_as_long_as_they_rise():
    a, b, c, d = AtMost(0, 1.0), AtMost(0, 2.0), AtMost(1, 3.0), IsMissing(0)
    for parts, lengths in (
        ([a, b, d, c], [2, 1, 1]),
        ([b, a], [1, 1]),
        ([a, a], [1, 1]),
        ([a, b, c], [2, 1]),
        ([], []),
    ):
        conditions = Conditions(parts)
        assert [len(run) if isinstance(run, Thresholds) else 1 for run in conditions.runs] == lengths
        assert conditions == parts
    assert Conditions([d, Thresholds(0, []), Thresholds(1, [3.0])]).runs[0] == d
    assert Conditions([d, Thresholds(0, []), Thresholds(1, [3.0])]) == [d, c]


def test_conditions_are_a_sequence():
    a, b, c, d = AtMost(0, 1.0), AtMost(0, 2.0), AtMost(1, 3.0), IsMissing(0)
    conditions = Conditions([d, a, b, c])
    assert len(conditions) == 4
    assert [conditions[i] for i in range(-4, 4)] == [d, a, b, c] * 2
    assert conditions[1:3] == [a, b]
    assert list(reversed(conditions)) == [c, b, a, d]
    assert b in conditions
    assert conditions.index(c) == 3
    assert conditions != [d, a, b]
    assert repr(conditions) == repr([d, a, b, c])
    assert pickle.loads(pickle.dumps(conditions)) == conditions
    for index in (4, -5):
        with pytest.raises(IndexError):
            conditions[index]


def way_of(monkeypatch, X, y, sample_weight=None, **parameters):
    """Return the name of the search that a fit runs."""
    used = []
    for name in ("search_by_bits", "search_by_order"):
        monkeypatch.setattr(choice, name, lambda *_, name=name: used.append(name) or (lambda *_, **__: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        GOSDTClassifier(**parameters).fit(X, y, sample_weight)
    return used


NUMBERS = np.random.default_rng(0).normal(size=(300, 2))
LABELS = (NUMBERS[:, 0] > NUMBERS[:, 1]).astype(int)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_depth": 3},
        {"max_depth": 0},
        {"max_depth": 16},
        {"max_depth": 3, "objective": "cost", "cost_matrix": [[1, 3], [3, 1]]},
        {"max_depth": 2, "class_weight": {0: 2, 1: 2}},
        {"max_depth": 3, "class_weight": {0: 1, 1: 2}},
        {"max_depth": 3, "class_weight": "balanced"},
        {"max_depth": 3, "min_samples_leaf": 2},
        {"max_depth": 3, "max_leaves": 5},
        {"max_depth": 3, "objective": "cost", "cost_matrix": [[0, 1], [2, 0]]},
        {"max_depth": 3, "objective": "cost", "cost_matrix": [[1, 0], [0, 1]]},
        {"max_depth": 3, "reference": LABELS},
        {"max_depth": 3, "n_jobs": 2, "gap_limit": 0.1, "time_limit": 3, "memory_limit": 10**9, "trace": True},
    ],
)
def test_many_thresholds_of_few_numbers_are_searched_by_order(monkeypatch, parameters):
    assert way_of(monkeypatch, NUMBERS, LABELS, **parameters) == ["search_by_order"]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"max_depth": 40},
        {"min_samples_leaf": 2},
        {"max_depth": 3, "binarizer": "quantile"},
    ],
)
def test_everything_else_is_searched_by_bits(monkeypatch, parameters):
    assert way_of(monkeypatch, NUMBERS, LABELS, **parameters) == ["search_by_bits"]


def test_three_classes_with_any_costs_are_searched_by_order(monkeypatch):
    classes = LABELS + (NUMBERS[:, 1] > 1)
    costs = [[0, 3, 5], [1, 0, 4], [2, 1, 0]]
    parameters = {"max_depth": 3, "objective": "cost", "cost_matrix": costs}
    assert way_of(monkeypatch, NUMBERS, classes, **parameters) == ["search_by_order"]


@pytest.mark.parametrize("seed", range(3))
def test_both_searches_keep_the_promise_of_a_reference(monkeypatch, seed):
    X, y = mixed_table(seed)
    draw = np.random.default_rng(seed)
    reference = np.where(draw.random(len(y)) < 0.1, draw.integers(0, 3, len(y)), y)
    (proven, _) = fitted_both_ways(monkeypatch, X, y, max_depth=3, regularization=0.02)
    for guessed in fitted_both_ways(monkeypatch, X, y, max_depth=3, regularization=0.02, reference=reference):
        assert guessed.status_ in ("guessed", "optimal")
        assert guessed.lower_bound_ <= proven.objective_ <= guessed.objective_
        assert guessed.objective_ <= proven.objective_ + np.mean(reference != y)


def test_large_tables_of_numbers_are_searched_by_order_whatever_the_depth(monkeypatch):
    numbers = np.random.default_rng(0).normal(size=(6000, 1))
    for limits in ({}, {"max_depth": 40}, {"min_samples_leaf": 2}):
        assert way_of(monkeypatch, numbers, (numbers[:, 0] > 0).astype(int), **limits) == ["search_by_order"]


def test_columns_without_many_thresholds_are_searched_by_bits(monkeypatch):
    assert way_of(monkeypatch, NUMBERS > 0, LABELS, max_depth=3) == ["search_by_bits"]
    assert way_of(monkeypatch, np.zeros((300, 2)), LABELS, max_depth=3) == ["search_by_bits"]


@pytest.mark.parametrize("heaviest", [2**16, 2**35, 0.1])
def test_weights_of_any_size_are_searched_by_order(monkeypatch, heaviest):
    weights = np.where(np.arange(300) == 0, heaviest, 1 / 3 if heaviest < 1 else 1)
    assert way_of(monkeypatch, NUMBERS, LABELS, weights, max_depth=3) == ["search_by_order"]


@pytest.mark.parametrize("seed", range(5))
def test_both_searches_prove_the_same_objective_with_weights_of_many_digits(monkeypatch, seed):
    X, y = mixed_table(seed)
    weights = np.random.default_rng(seed).random(len(y)) * 10.0 ** np.random.default_rng(seed).integers(0, 9, len(y))
    by_order, by_bits = fitted_both_ways(monkeypatch, X, y, weights, max_depth=3, regularization=0.01)
    assert by_order.objective_ == by_bits.objective_


def test_the_bits_are_never_made_for_a_search_by_order(monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr("hornbeam.fitting.search.pack_within", refuse)
    assert GOSDTClassifier(max_depth=2).fit(NUMBERS, LABELS).status_ == "optimal"


def test_callback_trace_and_limits_are_the_same_to_the_user(way):
    X, y = mixed_table(0, n_rows=200)
    seen = []
    classifier = GOSDTClassifier(max_depth=3, regularization=0, trace=True, callback=seen.append).fit(X, y)
    assert len(seen) > 0
    assert all(a.lower_bound <= b.lower_bound for a, b in itertools.pairwise(classifier.trace_))
    assert classifier.trace_[-1].objective == classifier.objective_
    assert classifier.statistics_["subproblems"] > 1
    for limit in ({"callback": lambda _: True}, {"time_limit": 0}, {"memory_limit": 1}):
        with pytest.warns(match="stopped before its tree was proven"):
            stopped = GOSDTClassifier(max_depth=8, regularization=0, **limit).fit(NUMBERS, np.arange(300) % 2)
        assert stopped.status_ in ("interrupted", "time_limit", "memory_limit")
        assert stopped.lower_bound_ < stopped.objective_
    loose = GOSDTClassifier(max_depth=3, regularization=0, gap_limit=0.99).fit(X, y)
    assert loose.gap_ <= 0.99
