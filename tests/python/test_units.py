"""Ticks: exact where they can be, close where not, never too large, and back to the user's units."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam._checks import check_weights
from hornbeam.fitting.scales import make_scale, small_integers
from hornbeam.objectives import OBJECTIVES, ClassData


def units_of(weights, codes, objective="accuracy", regularization=0.01, **parameters):
    codes = np.asarray(codes, dtype=np.int32)
    n_classes = int(codes.max()) + 1
    weights = check_weights(weights, len(codes))

    def make_loss(totals):
        return OBJECTIVES[objective](ClassData(np.arange(n_classes), totals, **parameters))

    return make_scale(weights, codes, n_classes, make_loss, regularization)


def ticks_lost(units, codes, predicted):
    return sum(int(w) * int(units.costs[c, k]) for w, c, k in zip(units.weights, codes, predicted, strict=True))


def row_lost(units, row, code, predicted):
    return int(units.weights[row]) * int(units.costs[code, predicted])


def largest_loss(units, codes):
    return sum(int(w) * int(units.costs[c].max()) for w, c in zip(units.weights, codes, strict=True))


def true_loss(weights, codes, predicted, objective, **parameters):
    """The objective from the exact values of the weights, without ticks."""
    exact = [Fraction(weight) for weight in weights]
    totals = tuple(sum(w for w, code in zip(exact, codes, strict=True) if code == c) for c in range(max(codes) + 1))
    loss = OBJECTIVES[objective](ClassData(np.arange(len(totals)), totals, **parameters))
    return sum(w * loss.costs[c][k] for w, c, k in zip(exact, codes, predicted, strict=True)) / loss.scale


MATRIX = [[0.25, 1, 3], [2, 0, 0.7], [1, 5, 0]]
PROBLEMS = st.sampled_from(
    [
        ("accuracy", {}),
        ("balanced", {}),
        ("accuracy", {"class_weight": {0: 3, 1: 0.125}}),
        ("cost", {"cost_matrix": MATRIX}),
        ("cost", {"cost_matrix": MATRIX, "class_weight": "balanced"}),
    ]
)
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=12).map(
    lambda rows: [(0, 1), (1, 1), (2, 0), *rows]
)


@given(ROWS, PROBLEMS, st.data())
def test_a_loss_in_ticks_of_integer_weights_is_exactly_the_true_loss(rows, problem, data):
    codes, predicted = zip(*rows, strict=True)
    weights = data.draw(st.lists(st.integers(1, 1000), min_size=len(rows), max_size=len(rows)))
    objective, parameters = problem
    units = units_of(weights, codes, objective, **parameters)
    loss = ticks_lost(units, codes, predicted) / units.one + units.offset
    assert loss == true_loss(weights, codes, predicted, objective, **parameters)
    assert units.objective(ticks_lost(units, codes, predicted)) == float(loss)


@given(ROWS, PROBLEMS, st.data())
def test_a_loss_in_ticks_of_any_weights_is_as_close_as_stated(rows, problem, data):
    codes, predicted = zip(*rows, strict=True)
    weights = data.draw(st.lists(st.floats(1e-9, 1e9), min_size=len(rows), max_size=len(rows)))
    objective, parameters = problem
    units = units_of(weights, codes, objective, **parameters)
    found = ticks_lost(units, codes, predicted) / units.one + units.offset
    largest = Fraction(largest_loss(units, codes)) / units.one
    places = 51 if objective != "cost" else 20
    true = true_loss(weights, codes, predicted, objective, **parameters)
    assert abs(found - true) <= (len(rows) + 3) * largest / 2**places


@given(ROWS, PROBLEMS, st.data())
def test_the_largest_loss_is_below_2_to_the_52_and_uses_all_bits(rows, problem, data):
    codes, _ = zip(*rows, strict=True)
    whole = st.integers(1, 2**50)
    real = st.floats(5e-324, 1e300)
    weights = data.draw(st.lists(data.draw(st.sampled_from([whole, real])), min_size=len(rows), max_size=len(rows)))
    objective, parameters = problem
    units = units_of(weights, codes, objective, regularization=0, **parameters)
    assert 2**50 <= largest_loss(units, codes) < 2**52
    assert units.weights.min() > 0
    assert units.costs.min() == 0


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (None, [1, 1, 1]),
        ([2, 4, 6], [1, 2, 3]),
        ([0.5, 1.0, 0.25], [2, 4, 1]),
        ([2.0**-20, 1, 2], [1, 2**20, 2**21]),
        ([0.1, 0.2, 0.3], [1, 2, 3]),
        ([True, True, True], [1, 1, 1]),
        ([1e6, 3e6, 1e6], [1, 3, 1]),
    ],
)
def test_integers_decimals_and_small_powers_of_two_are_taken_over_exactly(weights, expected):
    assert units_of(weights, [0, 1, 1]).weights.tolist() == expected


def test_equal_weights_of_any_size_count_like_no_weights():
    equal, none = units_of([np.pi] * 6, [0, 1] * 3), units_of(None, [0, 1] * 3)
    assert len(set(equal.weights.tolist())) == 1
    assert row_lost(equal, 0, 0, 1) / equal.one == pytest.approx(row_lost(none, 0, 0, 1) / none.one, rel=2**-48)


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=9), st.sampled_from([2.0, 0.5, 1024.0]))
def test_doubling_all_weights_gives_the_same_ticks(weights, factor):
    codes = [0, 1, *[1] * (len(weights) - 2)]
    once, twice = units_of(weights, codes), units_of([factor * weight for weight in weights], codes)
    assert np.array_equal(once.weights * once.costs.max(), twice.weights * twice.costs.max())
    assert once.leaf_cost == twice.leaf_cost


def test_order_of_rows_does_not_change_the_ticks_of_a_row():
    rng = np.random.default_rng(0)
    weights, codes, order = rng.random(50), rng.integers(0, 3, 50), rng.permutation(50)
    units = units_of(weights, codes, "balanced")
    shuffled = units_of(weights[order], codes[order], "balanced")
    assert np.array_equal(units.weights[order], shuffled.weights)
    assert np.array_equal(units.costs, shuffled.costs)


def test_the_largest_objective_without_leaves_is_one():
    units = units_of([0.3, 1 / 7, 2.5], [0, 1, 1], "balanced")
    assert units.objective(largest_loss(units, [0, 1, 1])) == 1.0


@pytest.mark.parametrize("regularization", [0, 0.01, 1 / 3, 1, 1e-12, Fraction(1, 7)])
def test_the_leaf_penalty_is_rounded_by_less_than_a_tick_and_reported_as_used(regularization):
    units = units_of(None, [0, 1, 0, 1, 1], regularization=regularization)
    assert abs(units.leaf_cost - Fraction(regularization) * units.one) <= 1
    assert units.regularization == float(Fraction(units.leaf_cost) / units.one)


def test_the_leaf_penalty_is_in_the_unit_of_the_mean_cost_for_a_cost_matrix():
    units = units_of(None, [0, 1, 1, 1], "cost", regularization=2, cost_matrix=[[0, 30], [10, 0]])
    assert row_lost(units, 1, 1, 0) == 10 * units.one / 4
    assert units.leaf_cost == round(2 * units.one)


def test_a_cost_that_no_tree_avoids_is_in_the_objective_but_not_in_the_ticks():
    units = units_of(None, [0, 1], "cost", cost_matrix=[[5, 7], [1, 1]])
    assert units.costs[1].tolist() == [0, 0]
    assert units.costs[0, 0] == 0
    assert units.objective(0) == 3.0


def test_costs_without_a_small_common_denominator_are_rounded_to_2_to_the_minus_20_of_their_largest():
    matrix = [[0, 1 / 3, 1 / 7], [1 / 11, 0, 1 / 13], [1 / 17, 1 / 19, 0]]
    codes = [0, 1, 2]
    units = units_of(None, codes, "cost", cost_matrix=matrix)
    for c in codes:
        for k in codes:
            assert float(row_lost(units, c, c, k) / units.one) == pytest.approx(matrix[c][k] / 3, abs=2e-6)


def test_balancing_twenty_classes_of_different_primes_stays_within_the_limit():
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]
    codes = np.repeat(np.arange(20), primes)
    units = units_of(None, codes, "balanced")
    lost = sum(row_lost(units, row, 2, 0) for row in np.flatnonzero(codes == 2))
    assert float(lost / units.one) == pytest.approx(1 / 20, rel=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1], r"sample_weight must be not negative, got -1 in row 1"),
        ([1.0, 1.0, np.nan], r"sample_weight must be finite, got nan in row 2"),
        ([np.inf, 1, 1], r"sample_weight must be finite, got inf in row 0"),
        ([0, 0, 0], r"sample_weight is zero for every row"),
        ([1, 1], r"sample_weight must have shape \(3,\).* got \(2,\)"),
        ([[1], [1], [1]], r"sample_weight must have shape \(3,\).* got \(3, 1\)"),
        (2, r"sample_weight must have shape \(3,\).* got \(\)"),
    ],
)
def test_wrong_weights_are_named(weights, message):
    with pytest.raises(ValueError, match=message):
        check_weights(weights, 3)


def test_weights_of_text_are_a_type_error():
    with pytest.raises(TypeError, match="sample_weight must hold numbers"):
        check_weights(["a", "b", "c"], 3)


@pytest.mark.parametrize(("regularization", "error"), [(-0.1, ValueError), (np.nan, ValueError), ("a", TypeError)])
def test_a_wrong_regularization_is_named(regularization, error):
    with pytest.raises(error, match="regularization must be"):
        units_of(None, [0, 1], regularization=regularization)


def test_a_leaf_may_not_cost_more_than_the_largest_loss():
    assert units_of(None, [0, 1], regularization=1).leaf_cost > 0
    with pytest.raises(
        ValueError, match=r"regularization=1.5 is more than the largest possible loss, 1; .* Use a smaller value"
    ):
        units_of(None, [0, 1], regularization=1.5)


def test_costs_that_are_the_same_for_every_prediction_are_refused():
    with pytest.raises(ValueError, match="cost_matrix holds the same cost for every prediction"):
        units_of(None, [0, 1], "cost", cost_matrix=[[1, 1], [2, 2]])


def test_weights_that_are_too_large_for_integers_are_scaled():
    units = units_of([2**60, 2**61, 2**62], [0, 1, 1])
    assert (units.weights / units.weights[0]).tolist() == pytest.approx([1, 2, 4])


@pytest.mark.parametrize("weights", [[1, 3, 5], [0.1, 0.2, 0.7], [2**40, 2**40 + 1, 7], [np.pi, np.e, 1.0]])
@pytest.mark.parametrize("counts", [[1, 1, 1], [3, 1, 1000], [5, 40_000, 70_001]])
def test_small_integers_of_merged_rows_are_the_sums_of_those_of_the_rows(weights, counts):
    merged = small_integers(np.array(weights), np.array(counts))
    rows = small_integers(np.repeat(np.array(weights), counts))
    ends = np.cumsum(counts)
    assert merged.tolist() == np.add.reduceat(rows, ends - counts).tolist()
    assert merged.sum() < 2**25


def test_more_merged_rows_than_fit_keep_their_proportions():
    merged = small_integers(np.array([1, 2, 1]), np.array([2**30, 2**30, 1]))
    assert 2**24 - 2 <= merged.sum() < 2**25
    assert (merged[:2] / merged.sum()).tolist() == pytest.approx([1 / 3, 2 / 3], rel=1e-6)
    assert merged[2] == 1
