"""Thresholds with a given number of decimals, against the multiples of a power of ten, enumerated as fractions."""

import random
from fractions import Fraction
from math import ceil, floor

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from hornbeam import (
    GOSDTClassifier,
    GOSDTClassifierCV,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    SPLITClassifierCV,
    ThresholdBinarizer,
    ThresholdGuessBinarizer,
)
from hornbeam.binarizers import Binarizer, SupervisedBinarizer
from hornbeam.conditions import AtMost, IsMissing, IsOne
from hornbeam.fitting import search
from oracles.exhaustive import optimal_cost

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
REGULARIZATION = Fraction(1, 32)


def unit_of(decimals):
    return Fraction(10) ** -decimals


def multiples(values, decimals):
    """Return all multiples of 10^-decimals from the least value to the largest, as the doubles nearest to them."""
    unit = unit_of(decimals)
    numbers = range(floor(Fraction(min(values)) / unit), ceil(Fraction(max(values)) / unit) + 1)
    return sorted({float(number * unit) for number in numbers})


def partitions(values, thresholds):
    """Return the ways in which thresholds split values, as numbers of values on the left, without the trivial ones."""
    return sorted({sum(value <= threshold for value in values) for threshold in thresholds} - {0, len(values)})


def thresholds_of(values, **parameters):
    binarizer = ThresholdBinarizer(**parameters).fit(np.array(values, dtype=object).reshape(-1, 1))
    return [condition.threshold for condition in binarizer.conditions_]


@given(st.lists(st.integers(-300, 300), min_size=2, max_size=12, unique=True), st.integers(-2, 6), st.integers(-3, 1))
def test_every_split_by_a_multiple_is_offered_once_and_no_other(integers, places, more):
    decimals = places + more
    values = sorted({float(number * unit_of(places)) for number in integers} - {0.0, 1.0})
    if len(values) < 2:
        return
    found = thresholds_of(values, decimals=decimals)
    assert [sum(value <= threshold for value in values) for threshold in found] == partitions(
        values, multiples(values, decimals)
    )
    assert set(found) <= set(multiples(values, decimals))


@given(st.one_of(DOUBLES, st.integers(-(2**55), 2**55).map(float)), st.integers(1, 3), st.integers(-22, 22))
@example(2.0**53 - 1, 1, 0)
@example(0.3, 1, 1)
@example(1.7e308, 1, 22)
@example(-5e-324, 2, 22)
def test_neighboring_doubles_are_told_apart_if_and_only_if_a_multiple_tells_them_apart(low, steps, decimals):
    high = low
    for _ in range(steps):
        high = float(np.nextafter(high, np.inf))
    if not np.isfinite(high):
        return
    unit = unit_of(decimals)
    first = floor(Fraction(low) / unit)
    near = {float(number * unit) for number in range(first, first + 2)} if abs(low) < 1e307 else {low}
    # A unit is less than a step of doubles this large: the multiple nearest to the lower one is the lower one itself.
    fits = any(low <= multiple < high for multiple in near) or float(round(Fraction(low) / unit) * unit) == low
    found = thresholds_of([low, high], decimals=decimals)
    assert len(found) == fits
    assert all(low <= threshold < high for threshold in found)


@pytest.mark.parametrize(
    ("low", "high", "decimals", "threshold"),
    [
        (0.2817, 0.3145, 1, 0.3),
        (0.2817, 0.2845, 2, None),
        (0.2817, 0.2845, 3, 0.283),
        (20, 30, 0, 25.0),
        (20, 30, -1, 20.0),
        (1, 2, 0, 1.0),
        (1, 9, 5, 5.0),
        (-0.9, 0.1, 0, 0.0),
        (17, 34, -1, 30.0),
    ],
)
def test_the_threshold_has_the_fewest_digits_in_the_middle_or_is_the_multiple_nearest_to_it(
    low, high, decimals, threshold
):
    found = thresholds_of([low, high], decimals=decimals)
    assert found == ([] if threshold is None else [threshold])
    assert not np.signbit(found).any()


def test_values_that_no_rounded_threshold_separates_count_as_one_for_quantiles():
    values = [10.01, 10.02, 10.03, 10.04, 20.0, 30.0, 40.0]
    assert thresholds_of(values, strategy="quantile", n_thresholds=1, decimals=0) == [15.0]
    assert thresholds_of(values, strategy="quantile", n_thresholds=1) == [10.035]


def test_a_dict_is_about_its_columns_only_by_name_or_index():
    X = pd.DataFrame({"a": [1.25, 2.25, 2.5], "b": [1.25, 2.25, 2.5]})
    for key in ("b", 1):
        binarizer = ThresholdBinarizer(decimals={key: 0}).fit(X)
        assert binarizer.conditions_ == [AtMost(0, 2.0), AtMost(0, 2.4), AtMost(1, 2.0)]


def test_flags_dates_categories_missing_values_and_own_thresholds_stay():
    X = pd.DataFrame(
        {
            "flag": [0, 1, 1],
            "since": pd.to_datetime(["2021-03-01", "2021-03-02", "2021-03-04"]),
            "color": ["red", "blue", "red"],
            "size": [1.52, None, 1.58],
            "own": [1.0, 2.0, 3.0],
        }
    )
    plain, with_decimals = (ThresholdBinarizer(thresholds={"own": [1.75]}, decimals=d).fit(X) for d in (None, 1))
    kept = [condition for condition in plain.conditions_ if condition != AtMost(3, 1.55)]
    assert with_decimals.conditions_ == kept
    assert {IsOne(0), IsMissing(3), AtMost(4, 1.75)} < set(kept)


@pytest.mark.parametrize("make", [ThresholdBinarizer, SupervisedBinarizer, ThresholdGuessBinarizer])
@pytest.mark.parametrize(
    ("decimals", "error", "message"),
    [
        (1.5, TypeError, r"decimals must be None, a dict or an integer, got 1\.5"),
        (True, TypeError, "decimals must be None, a dict or an integer, got True"),
        (23, ValueError, "decimals must be between -22 and 22, got 23"),
        ({"a": "1"}, TypeError, r"decimals\['a'\] must be an integer, got '1'"),
        ({"a": -23}, ValueError, r"decimals\['a'\] must be between -22 and 22, got -23"),
        ({"z": 1}, ValueError, "decimals names the unknown column 'z'; the columns of X are 'a', 'color', 'since'"),
        ({"a": 1, 0: 1}, ValueError, "decimals names column 'a' twice, by name and by index"),
        ({"color": 1}, ValueError, "decimals names column 'color', which holds categories, not numbers"),
        ({"since": 1}, ValueError, "decimals names column 'since', which holds dates, not numbers"),
    ],
)
def test_wrong_decimals_are_named(make, decimals, error, message):
    days = pd.to_datetime(["2021-03-01", "2021-03-02", "2021-03-04", "2021-03-05"])
    X = pd.DataFrame({"a": [1.25, 2.25, 2.5, 3.0], "color": ["x", "y", "x", "y"], "since": days})
    with pytest.raises(error, match=message):
        make(decimals=decimals).fit(X, [0, 1, 0, 1])


def random_rows(draw, n_rows):
    """Return rows of a number with two decimals and one with three, some of them missing, and classes."""
    numbers = ([0.31, 0.34, 0.36, 0.42, 0.4, 0.55, None], [-1.004, -1.001, -0.5, 0.004, 0.006, 2.0, 2.049, None])
    rows = [[draw.choice(values) for values in numbers] for _ in range(n_rows)]
    return rows, [0, 1, *(draw.randrange(2) for _ in range(n_rows - 2))]


def answers_of(rows, decimals):
    """Return the answer of each row for every multiple as a threshold, and for whether a value is missing."""
    answers = []
    for column, places in zip(zip(*rows, strict=True), decimals, strict=True):
        known = [value for value in column if value is not None]
        for threshold in multiples(known, places) if known else []:
            answers.append([value is not None and value <= threshold for value in column])
        answers.append([value is None for value in column])
    return [[int(answer) for answer in row] for row in zip(*answers, strict=True)]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("decimals", [{0: 1, 1: 2}, {0: 2, 1: 0}, 1])
def test_both_searches_prove_the_least_objective_of_all_trees_with_such_thresholds(monkeypatch, seed, decimals):
    draw = random.Random(f"{seed} {decimals}")
    rows, classes = random_rows(draw, draw.randint(4, 14))
    limits = draw.choice([{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}])
    by_column = [decimals[0], decimals[1]] if isinstance(decimals, dict) else [decimals] * 2
    one = len(rows) * REGULARIZATION.denominator
    costs = [[0, REGULARIZATION.denominator], [REGULARIZATION.denominator, 0]]
    best = optimal_cost(answers_of(rows, by_column), classes, [1] * len(rows), costs, len(rows), **limits)
    for by_order in (True, False):
        monkeypatch.setattr(search, "suits_ordered_search", lambda *_, by_order=by_order, **__: by_order)
        binarizer = ThresholdBinarizer(decimals=decimals)
        model = GOSDTClassifier(float(REGULARIZATION), binarizer=binarizer, time_limit=None, **limits)
        model.fit(rows, classes)
        assert model.status_ == "optimal"
        assert model.objective_ == pytest.approx(best / one, abs=1e-13)
        assert model.loss_ == pytest.approx(float(np.mean(model.predict(rows) != classes)), abs=1e-13)


NUMBERS = np.random.default_rng(0).normal(size=(200, 2))
BINARIZERS = [make(decimals=1) for make in (ThresholdBinarizer, SupervisedBinarizer, ThresholdGuessBinarizer)]
LABELS = (NUMBERS[:, 0] + NUMBERS[:, 1] > 0.123).astype(int)


@pytest.mark.parametrize(
    "classifier",
    [
        *(GOSDTClassifier(max_depth=2, binarizer=binarizer) for binarizer in BINARIZERS),
        GOSDTClassifier(0.02, objective="auc", max_depth=2),
        GOSDTClassifierCV(max_depth=2, cv=2),
        SPLITClassifier(),
        SPLITClassifierCV(cv=2),
        LicketySPLITClassifier(),
        MAPTreeClassifier(time_limit=1),
        OSDTClassifier(0.02, max_depth=2),
        RashomonSetClassifier(regularization=0.02, max_depth=2),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::hornbeam.exceptions.NotProvenWarning")
def test_trees_of_all_classifiers_have_such_thresholds_only(classifier):
    fitted = clone(classifier)
    if not isinstance(fitted.binarizer, Binarizer):
        fitted.set_params(binarizer=ThresholdBinarizer(decimals=1))
    fitted.fit(NUMBERS, LABELS)
    thresholds = [condition.threshold for condition in fitted.tree_.conditions if condition is not None]
    assert thresholds
    assert thresholds == [round(threshold, 1) for threshold in thresholds]


def test_without_decimals_that_separate_rows_the_tree_is_a_leaf_and_a_reference_has_no_threshold():
    assert len(ThresholdBinarizer(decimals=-3).fit(NUMBERS + 1).conditions_) <= 2
    X = np.abs(NUMBERS) + 5
    model = GOSDTClassifier(binarizer=ThresholdBinarizer(decimals=-3)).fit(X, LABELS)
    assert model.n_leaves_ == 1
    with pytest.raises(ValueError, match=r"reference has no threshold that separates rows of X; .*set more decimals"):
        ThresholdGuessBinarizer(decimals=-3).fit(X, LABELS)


def test_supervised_thresholds_are_among_the_exact_ones_with_the_same_decimals():
    exact = set(ThresholdBinarizer(decimals={0: 1}).fit(NUMBERS).conditions_)
    found = SupervisedBinarizer(decimals={0: 1}).fit(NUMBERS, LABELS)
    assert set(found.conditions_) <= exact
    assert found.n_supervised_ > 0


def test_a_guessed_threshold_moves_as_few_values_as_possible():
    values = [0.11, 0.12, 0.13, 0.14, 0.38, 0.42, 0.55]
    X, y = np.array(values).reshape(-1, 1), [0, 0, 1, 1, 1, 1, 1]
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    # Between 0.12 and 0.13 there is no multiple of 0.1; 0.3, above 0.14, moves two values, and 0.4 three.
    binarizer = ThresholdGuessBinarizer(stump, decimals=1).fit(X, y)
    assert binarizer.conditions_ == [AtMost(0, 0.3)]
    assert binarizer.scores_["conditions"] == binarizer.scores_["thresholds"] == 5 / 7
    assert binarizer.scores_["table"] == 1
    assert ThresholdGuessBinarizer(stump, decimals=2).fit(X, y).conditions_ == [AtMost(0, 0.12)]
