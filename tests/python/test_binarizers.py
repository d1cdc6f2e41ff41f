"""Binarizers: the conditions they choose, and how these are evaluated."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam import binarizers
from hornbeam.binarizers import BinaryColumns, ThresholdBinarizer, _packing
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsOne, IsTrue
from hornbeam.table import read_table


def column_of(*values):
    return np.array(values, dtype=object).reshape(-1, 1)


def conditions(X, sample_weight=None, **parameters):
    return ThresholdBinarizer(**parameters).fit(X, sample_weight=sample_weight).conditions_


def thresholds(X, sample_weight=None, **parameters):
    return [condition.threshold for condition in conditions(X, sample_weight, **parameters)]


@parametrize_with_checks([ThresholdBinarizer(), ThresholdBinarizer("quantile", 3)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_exact_thresholds_lie_between_neighboring_values():
    assert conditions(column_of(4, 1, 2, 2)) == [AtMost(0, 1.5), AtMost(0, 3.0)]


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (20, 30, 25.0),
        (2, 5, 4.0),
        (0.2817, 0.3145, 0.3),
        (799.93, 800.19, 800.0),
        (-3, 8, 0.0),
        (12_345, 23_456, 20_000.0),
        (1.2e-9, 1.8e-9, 1.5e-9),
        (1.2e21, 1.8e21, 1.5e21),
    ],
)
def test_a_threshold_has_as_few_digits_as_the_middle_half_of_the_gap_allows(low, high, threshold):
    assert thresholds(column_of(low, high)) == [threshold]


def test_booleans_are_worded_as_such_and_numbers_are_not():
    X = pd.DataFrame({"b": [True, False], "n": [1, 0], "o": [True, None], "t": pd.array([None, True], dtype="boolean")})
    X = pd.concat([X, ~X.astype("boolean")]).astype({"b": bool, "n": int, "o": object})
    assert conditions(X) == [IsTrue(0), IsOne(1), IsTrue(2), IsMissing(2), IsTrue(3), IsMissing(3)]
    assert conditions(X[["b"]]) == [IsTrue(0)]
    assert conditions(X[["n"]]) == [IsOne(0)]


@pytest.mark.parametrize("weights", [None, [1, 0, 2]])
def test_booleans_stay_booleans_where_rows_of_weight_zero_are_dropped(weights):
    for X in (np.array([[True], [True], [False]]), pd.DataFrame({"a": [True, True, False], "b": [1, 2, 3]})):
        assert conditions(X, weights)[0] == IsTrue(0)
        assert BinaryColumns().fit(X.iloc[:, :1] if hasattr(X, "iloc") else X, sample_weight=weights).conditions_ == [
            IsTrue(0)
        ]


@pytest.mark.parametrize(
    "low",
    [1.0, 0.1, 5e-324, -5e-324, 1.7e308, -1.7976931348623157e308, np.nextafter(2.0, 0.0)],
)
def test_neighboring_floats_are_told_apart(low):
    high = np.nextafter(low, np.inf)
    assert thresholds(column_of(low, high, high))[0] == low


def test_between_the_largest_floats_of_either_sign_lies_zero():
    largest = np.finfo(np.float64).max
    assert thresholds(column_of(-largest, largest)) == [0.0]


def test_a_column_of_zeros_and_ones_asks_whether_it_is_one():
    assert conditions(column_of(0, 1, 1)) == [IsOne(0)]
    assert conditions(np.array([[True], [False]])) == [IsTrue(0)]


def test_constant_columns_give_no_condition():
    assert conditions([[1, "a", None, True], [1, "a", None, True]]) == []


def test_a_table_of_constant_columns_is_packed_into_no_columns():
    binarizer = ThresholdBinarizer().fit(np.ones((9, 2)))
    assert binarizer.transform(np.ones((9, 2))).shape == (9, 0)
    assert binarizer.pack(np.ones((9, 2))).shape == (0, 2)


def test_categories_are_asked_one_by_one_in_the_order_of_their_texts():
    assert conditions(column_of("b", 10, "a", 9)) == [IsIn(0, (10,)), IsIn(0, (9,)), IsIn(0, ("a",)), IsIn(0, ("b",))]


def test_of_two_categories_only_the_first_is_asked_unless_values_are_missing():
    assert conditions(column_of("no", "yes", "no")) == [IsIn(0, ("no",))]
    assert conditions(column_of("no", "yes", None)) == [IsIn(0, ("no",)), IsIn(0, ("yes",)), IsMissing(0)]


def test_missing_values_give_one_more_condition_where_some_are_present():
    assert conditions(column_of(1, 2, None)) == [AtMost(0, 1.5), IsMissing(0)]
    assert conditions(column_of("a", None)) == [IsMissing(0)]
    assert conditions(column_of(0, 1, None)) == [IsOne(0), IsMissing(0)]


def test_a_missing_value_fails_every_condition_except_is_missing():
    X = pl.DataFrame({"n": [1, 2, None], "b": [True, False, None], "c": ["u", "v", None]})
    binarizer = ThresholdBinarizer().fit(X)
    answers = dict(zip(binarizer.get_feature_names_out(), binarizer.transform(X)[2], strict=True))
    assert answers == {
        "n <= 1.5": False,
        "n is missing": True,
        "b is true": False,
        "b is missing": True,
        "c in {u}": False,
        "c in {v}": False,
        "c is missing": True,
    }


def test_a_category_that_was_not_seen_fails_every_condition():
    binarizer = ThresholdBinarizer().fit(column_of("a", "b", "c", None))
    assert binarizer.transform(column_of("z")).tolist() == [[False] * 4]


def test_quantile_thresholds_are_those_nearest_to_equal_shares():
    assert thresholds(np.arange(100).reshape(-1, 1), strategy="quantile", n_thresholds=3) == [24.5, 49.5, 74.5]


def test_quantile_thresholds_of_few_values_are_all_of_them():
    assert thresholds(column_of(1, 2, 3), strategy="quantile", n_thresholds=2) == [1.5, 2.5]


def test_a_heavy_value_counts_for_one_share_so_that_quantiles_divide_the_tail():
    X = np.concatenate([np.zeros(90), np.arange(1, 11)]).reshape(-1, 1)
    assert thresholds(X, strategy="quantile", n_thresholds=3) == [0.5, 3.5, 7.5]


def test_heavy_values_anywhere_are_told_from_the_values_next_to_them():
    X = np.concatenate([np.repeat([10, 30], 500), np.arange(40)]).reshape(-1, 1)
    found = thresholds(X, strategy="quantile", n_thresholds=8)
    assert len(found) == 8
    answers = np.array([[10], [30]]) <= np.array(found)
    assert not np.array_equal(answers[0], answers[1])
    assert sum(t > 30 for t in found) >= 1
    assert sum(t < 10 for t in found) >= 1


@given(st.lists(st.integers(0, 60), min_size=12, max_size=60), st.integers(1, 5), st.integers(1, 4))
def test_quantiles_do_not_depend_on_a_common_factor_of_all_weights(values, n_thresholds, factor):
    X, options = np.array(values).reshape(-1, 1), {"strategy": "quantile", "n_thresholds": n_thresholds}
    weights = np.arange(1, len(values) + 1)
    assert conditions(X, weights, **options) == conditions(X, 2**factor * weights, **options)
    assert conditions(X, weights, **options) == conditions(X, 3.0 * weights, **options)


def test_quantiles_of_weights_far_apart_divide_the_light_values():
    weights = [1e18, 1.0, 1e18, 1.0, 1.0, 1.0]
    assert thresholds(column_of(*range(6)), weights, strategy="quantile", n_thresholds=4) == [0.5, 1.5, 2.5, 4.5]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=20), st.integers(1, 4))
def test_weights_choose_the_same_quantiles_as_repeated_rows(rows, n_thresholds):
    values, weights = np.array(rows).T
    weights[0] += 1
    options = {"strategy": "quantile", "n_thresholds": n_thresholds}
    repeated = np.repeat(values, weights).reshape(-1, 1)
    assert conditions(values.reshape(-1, 1), weights, **options) == conditions(repeated, **options)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.integers(1, 5))
def test_quantiles_are_some_of_the_exact_thresholds_and_not_more_than_asked_for(values, n_thresholds):
    X = np.array(values).reshape(-1, 1)
    chosen = conditions(X, strategy="quantile", n_thresholds=n_thresholds)
    assert set(chosen) <= set(conditions(X))
    assert len(chosen) <= n_thresholds


def test_rows_of_weight_zero_count_as_absent():
    assert conditions(column_of(1, 2, 9, None), [1, 1, 0, 0]) == [AtMost(0, 1.5)]


@pytest.mark.parametrize("key", ["age", 0])
def test_own_thresholds_replace_those_of_their_column_only(key):
    X = pd.DataFrame({"age": [20, 30, 50], "size": [1, 2, 2]})
    assert conditions(X, thresholds={key: [40, 25.5, 40]}) == [AtMost(0, 25.5), AtMost(0, 40.0), AtMost(1, 1.5)]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"strategy": "best"}, ValueError, "strategy must be 'exact' or 'quantile', got 'best'"),
        ({"n_thresholds": 0}, ValueError, "n_thresholds must be an integer of at least 1, got 0"),
        ({"n_thresholds": 2.5}, ValueError, "n_thresholds must be an integer of at least 1, got 2.5"),
        ({"thresholds": [1]}, TypeError, "thresholds must be a dict .* got list"),
        ({"thresholds": {"size": [1]}}, ValueError, "unknown column 'size'; the columns of X are 'age', 'color'"),
        ({"thresholds": {2: [1]}}, ValueError, "unknown column 2"),
        ({"thresholds": {-1: [1]}}, ValueError, "unknown column -1"),
        ({"thresholds": {"color": [1]}}, ValueError, "'color', which holds categories"),
        ({"thresholds": {"age": [np.nan]}}, ValueError, r"thresholds\['age'\] must be a sequence of finite numbers"),
        ({"thresholds": {"age": 3}}, ValueError, r"thresholds\['age'\] must be a sequence of finite numbers, got 3"),
        ({"thresholds": {"age": ["a"]}}, ValueError, r"thresholds\['age'\] must be a sequence of finite numbers"),
        ({"thresholds": {"age": [1], 0: [2]}}, ValueError, "names column 'age' twice"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        ThresholdBinarizer(**parameters).fit(pd.DataFrame({"age": [1, 2], "color": ["a", "b"]}))


@given(st.integers(1, 20), st.data())
def test_packed_bits_are_the_transformed_answers(n_rows, data):
    values = data.draw(st.lists(st.sampled_from([0, 1, 2.5, None]), min_size=n_rows, max_size=n_rows))
    X = [[value, str(value)] for value in values]
    binarizer = ThresholdBinarizer().fit(X)
    bits = binarizer.pack(X)
    assert bits.flags.c_contiguous
    assert bits.shape == (len(binarizer.conditions_), (n_rows + 7) // 8)
    unpacked = np.unpackbits(bits, axis=1, bitorder="little")
    assert not unpacked[:, n_rows:].any()
    assert np.array_equal(unpacked[:, :n_rows].T, binarizer.transform(X))


def test_every_order_of_a_column_is_kept_by_the_exact_conditions():
    values = np.random.default_rng(0).normal(size=(30, 1))
    answers = ThresholdBinarizer().fit_transform(values)
    assert np.array_equal(np.argsort(-answers.sum(axis=1)), np.argsort(values[:, 0]))


def test_names_say_the_conditions_and_may_be_given_for_an_array():
    binarizer = ThresholdBinarizer().fit([[1, "u"], [2, "v"]])
    assert binarizer.get_feature_names_out().tolist() == ["x0 <= 1.5", "x1 in {u}"]
    assert binarizer.get_feature_names_out(["age", "color"]).tolist() == ["age <= 1.5", "color in {u}"]


def test_pandas_output_has_the_conditions_as_names():
    X = pd.DataFrame({"age": [1, 2]})
    assert ThresholdBinarizer().set_output(transform="pandas").fit_transform(X).columns.tolist() == ["age <= 1.5"]


def test_a_binarizer_works_in_a_pipeline_and_a_column_transformer():
    X = pd.DataFrame({"age": [1, 2, 3, 4], "color": ["u", "v", "u", None]})
    y = [0, 0, 1, 1]
    both = ColumnTransformer([("numbers", ThresholdBinarizer(), ["age"]), ("rest", ThresholdBinarizer(), ["color"])])
    model = make_pipeline(both, LogisticRegression(C=100)).fit(X, y)
    assert model.predict(X).tolist() == y
    assert both.fit(X).get_feature_names_out().tolist()[-1] == "rest__color is missing"


def test_a_fitted_table_and_the_original_give_the_same_bits():
    X = pd.DataFrame({"age": [1, 2, 3], "color": ["u", "v", None]})
    binarizer = ThresholdBinarizer().fit(read_table(X))
    assert np.array_equal(binarizer.pack(read_table(X)), clone(binarizer).fit(X).pack(X))


def test_binary_columns_ask_each_column_even_a_constant_one():
    assert BinaryColumns().fit([[0, True, 1], [1, False, 1]]).conditions_ == [IsOne(0), IsOne(1), IsOne(2)]
    X = pd.DataFrame({"n": [0, 1], "b": [True, False]})
    assert BinaryColumns().fit(X).conditions_ == [IsOne(0), IsTrue(1)]


@pytest.mark.parametrize(
    ("bad", "found"), [(2, "holds 2.0"), (0.5, "holds 0.5"), (None, "holds missing values"), ("u", "holds 'u'")]
)
def test_binary_columns_name_a_column_that_holds_something_else(bad, found):
    with pytest.raises(ValueError, match=f"Column 'b' of X must hold only 0 and 1 .* {found}"):
        BinaryColumns().fit(pd.DataFrame({"a": [0, 1], "b": [bad, bad]}))


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, np.nan], [np.inf, 1], [0, 0], [[1], [1]]])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        ThresholdBinarizer().fit([[1], [2]], sample_weight=weights)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("strategy", ["exact", "quantile"])
def test_thresholds_do_not_depend_on_the_type_of_the_numbers(dtype, strategy):
    X = np.random.default_rng(1).integers(-100, 100, size=(300, 2))
    of_type, of_floats = (ThresholdBinarizer(strategy=strategy).fit(X.astype(t)) for t in (dtype, np.float64))
    assert of_type.conditions_ == of_floats.conditions_
    assert np.array_equal(of_type.transform(X.astype(dtype)), of_floats.transform(X.astype(np.float64)))


def test_thresholds_of_ones_own_are_not_rounded():
    assert thresholds(column_of(1, 2, 9), thresholds={0: [1.23456789, 1 / 3]}) == [1 / 3, 1.23456789]


def test_single_precision_numbers_are_compared_with_their_threshold_in_double_precision():
    low = np.float32(0.1)
    X = np.array([[low], [np.nextafter(low, np.float32(1))]], dtype=np.float32)
    binarizer = ThresholdBinarizer().fit(X)
    assert float(low) < binarizer.conditions_[0].threshold < float(X[1, 0])
    assert binarizer.transform(X).tolist() == [[True], [False]]


@pytest.mark.parametrize(("n_rows", "scatters"), [(2048, False), (2049, True)])
def test_32_thresholds_give_the_same_bits_compared_at_once_and_scattered(n_rows, scatters, monkeypatch):
    scattered, scatter = [], _packing._scatter
    monkeypatch.setattr(
        _packing, "_scatter", lambda bits, *rest, **way: scattered.append(1) or scatter(bits, *rest, **way)
    )
    values = np.random.default_rng(0).permutation(np.arange(n_rows) % 33).astype(float)
    binarizer = ThresholdBinarizer().fit(values[:, np.newaxis])
    values[::2] += 0.5  # the thresholds themselves, to which equal values belong
    values[[0, 7, n_rows - 1]] = np.nan
    bits = binarizer.pack(values[:, np.newaxis])
    assert len(binarizer.conditions_) == 32
    assert bool(scattered) is scatters
    answers = np.array([values <= condition.threshold for condition in binarizer.conditions_])
    assert np.array_equal(bits, np.packbits(answers, axis=1, bitorder="little"))


@pytest.mark.parametrize(("old", "new"), [("ask", "evaluate_conditions"), ("rank_conditions", "bin_conditions")])
def test_functions_of_0_1_have_their_old_names_with_a_warning(old, new):
    with pytest.warns(FutureWarning, match=f"{old} is now {new}; hornbeam 0.4.0"):
        assert getattr(binarizers, old) is getattr(binarizers, new)
    with pytest.raises(AttributeError, match="no attribute 'asks'"):
        binarizers.asks  # noqa: B018
