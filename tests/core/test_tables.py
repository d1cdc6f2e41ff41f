"""What the core reads of labels, weights and the rows of a tree, beside the searches."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam import _core

NUMBERS = np.random.default_rng(0)


@pytest.mark.parametrize("least", [-(2**63), -5, 0, 2**63 - 2**16])
@pytest.mark.parametrize("spread", [1, 3, 2**16])
def test_labels_are_numbered_in_their_order(least, spread):
    labels = NUMBERS.integers(spread, size=500) + np.int64(least)
    classes, codes = _core.number_labels(labels)
    expected = np.unique(labels, return_inverse=True)
    assert classes.tolist() == expected[0].tolist()
    assert codes.tolist() == expected[1].tolist()
    assert (classes.dtype, codes.dtype) == (np.int64, np.int32)


@pytest.mark.parametrize("labels", [[], [0, 2**16], [-(2**63), 2**63 - 1]])
def test_labels_far_apart_are_not_numbered(labels):
    assert _core.number_labels(np.array(labels, dtype=np.int64)) is None


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 64, 200])
def test_columns_that_change_are_those_with_both_values(n_rows):
    table = NUMBERS.random((n_rows, 60)) < np.repeat([0, 0.01, 0.5, 0.99, 1], 12)
    packed = np.packbits(np.ascontiguousarray(table.T), axis=1, bitorder="little")
    assert _core.changing_columns(_core.PackedColumns(packed, n_rows)) == [
        c for c in range(60) if 0 < table[:, c].sum() < n_rows
    ]


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_rows_of_a_node_are_those_of_the_leaves_below_it(dtype):
    left, right = np.array([1, -1, 3, -1, -1], np.int32), np.array([2, -1, 4, -1, -1], np.int32)
    leaf_of_row = NUMBERS.choice(np.array([1, 3, 4], np.int32), 300)
    classes, weights = NUMBERS.integers(3, size=300, dtype=np.int32), NUMBERS.integers(1, 9, 300).astype(dtype)
    n_rows, class_weights = _core.node_statistics(left, right, leaf_of_row, classes, weights, 3)
    for node, leaves in enumerate([(1, 3, 4), (1,), (3, 4), (3,), (4,)]):
        below = np.isin(leaf_of_row, leaves)
        assert n_rows[node] == below.sum()
        assert class_weights[node].tolist() == [weights[below & (classes == c)].sum() for c in range(3)]


@given(st.lists(st.tuples(st.floats(1e-3, 1e3), st.integers(1, 9), st.integers(0, 1)), min_size=1), st.randoms())
def test_weights_of_a_node_are_the_same_merged_one_by_one_and_in_any_order(rows, random):
    def sums(weights, leaf_of_row, counts=None):
        left, right = np.array([1, -1, -1], np.int32), np.array([2, -1, -1], np.int32)
        given = np.array(leaf_of_row, np.int32), None, np.array(weights), 1
        return _core.node_statistics(left, right, *given, counts)

    weights, counts, sides = zip(*rows, strict=True)
    leaves = [side + 1 for side in sides]
    n_merged, merged = sums(weights, leaves, np.array(counts))
    single = [
        row for weight, count, leaf in zip(weights, counts, leaves, strict=True) for row in [(weight, leaf)] * count
    ]
    exact = [math.fsum(weight for weight, leaf in single if node in (0, leaf)) for node in range(3)]
    for _ in range(3):
        n_rows, found = sums(*zip(*single, strict=True))
        assert n_rows.tolist() == n_merged.tolist()
        assert found.tolist() == merged.tolist() == [[total] for total in exact]
        random.shuffle(single)


def test_statistics_refuse_what_is_no_tree_or_out_of_range():
    leaf, one, rows = np.array([-1], np.int32), np.array([0], np.int32), np.array([0, 0], np.int32)
    weights = np.array([1, 1])
    for arguments, word in (
        ((leaf, leaf, rows + 1, rows, weights, 1), "leaf_of_row"),
        ((leaf, leaf, rows, rows - 1, weights, 1), "target"),
        ((one, one, rows, rows, weights, 1), "child"),
        ((leaf, leaf, rows, rows, weights[:1], 1), "lengths"),
        ((leaf, leaf, rows, rows, weights, 1, weights[:1]), "counts"),
    ):
        with pytest.raises(ValueError, match=word):
            _core.node_statistics(*arguments)


DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)
NEAR = st.builds(
    lambda low, steps: [low, np.nextafter(low, np.inf)] + [low + i * 1e-9 for i in steps],
    DOUBLES,
    st.lists(st.integers(1, 9)),
)


def fewest_places(low, high):
    """Return the multiple of the largest power of ten in the middle half that is nearest to the middle."""
    middle, quarter = Fraction(low + high, 2), Fraction(high - low, 4)
    for k in range(22, -23, -1):
        multiple = round(middle / Fraction(10) ** k) * Fraction(10) ** k
        if abs(multiple - middle) <= quarter:
            return float(multiple)
    raise AssertionError


@given(st.one_of(st.lists(DOUBLES), st.lists(FLOATS), st.lists(st.integers(-(2**53), 2**53)), NEAR))
def test_a_threshold_is_at_least_the_lower_neighbor_and_below_the_higher(values):
    numbers = np.unique(np.array([value for value in values if np.isfinite(value)], dtype=np.float64))
    found = _core.thresholds_between(numbers)
    assert len(found) == max(0, len(numbers) - 1)
    assert np.all(numbers[:-1] <= found)
    assert np.all(found < numbers[1:])


@given(st.lists(st.integers(-(10**7), 10**7), min_size=2, unique=True))
def test_a_threshold_has_the_fewest_places_that_the_middle_half_of_the_gap_allows(values):
    values = sorted(values)  # whole numbers, of which no rounding blurs where the middle half ends
    found = _core.thresholds_between(np.array(values, dtype=np.float64))
    assert found.tolist() == [fewest_places(*pair) for pair in itertools.pairwise(values)]


@given(st.lists(FLOATS, min_size=2, max_size=20, unique=True))
def test_a_threshold_keeps_a_quarter_of_the_gap_to_both_sides(values):
    numbers = np.sort(np.array(values, dtype=np.float64))
    for low, high, found in zip(numbers, numbers[1:], _core.thresholds_between(numbers), strict=False):
        margin = min(Fraction(found) - Fraction(low), Fraction(high) - Fraction(found))
        assert margin >= (Fraction(high) - Fraction(low)) * Fraction(249_999, 1_000_000)


@given(st.lists(st.one_of(DOUBLES, st.just(np.nan))), st.lists(DOUBLES, unique=True))
def test_the_place_of_a_number_is_that_of_the_first_threshold_that_it_does_not_exceed(values, thresholds):
    numbers, thresholds = np.array(values, dtype=np.float64), np.array(sorted(thresholds), dtype=np.float64)
    thresholds = thresholds[np.isfinite(thresholds)]
    found = _core.bins_of(numbers, np.argsort(numbers), thresholds)
    assert found.tolist() == [sum(not value <= threshold for threshold in thresholds) for value in values]


def test_an_order_of_other_numbers_is_refused():
    for order in ([0], [0, 2], [0, -1]):
        with pytest.raises(ValueError, match="order"):
            _core.bins_of(np.zeros(2), np.array(order), np.zeros(1))


def test_weights_are_added_up():
    classes, weights = NUMBERS.integers(3, size=300, dtype=np.int32), 6 * NUMBERS.integers(1, 2**40, 300)
    assert _core.class_totals(classes, weights, 3) == [int(weights[classes == c].sum()) for c in range(3)]
    assert _core.divisor_and_total(weights) == (np.gcd.reduce(weights), weights.sum())
    with pytest.raises(ValueError, match="classes"):
        _core.class_totals(classes, weights, 2)
