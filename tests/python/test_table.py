"""Reading tables: what each kind of input becomes, and what is refused."""

import datetime
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from hornbeam.table import Table, read_table


def kinds(X):
    return [column.kind for column in read_table(X).columns]


def column(X, index=0):
    return read_table(X).columns[index]


def same_numbers(found, expected):
    return found.dtype.kind in "biuf" and np.array_equal(found.astype(np.float64), expected, equal_nan=True)


NUMBER_COLUMNS = {
    "numpy int": np.array([[1], [0], [1]], dtype=np.int16),
    "numpy bool": np.array([[True], [False], [True]]),
    "numpy object": np.array([[1], [0.0], [True]], dtype=object),
    "list of lists": [[1], [0], [1]],
    "list with decimals": [[Decimal(1)], [np.float32(0)], [np.True_]],
    "pandas int": pd.DataFrame({"a": [1, 0, 1]}),
    "pandas bool": pd.DataFrame({"a": [True, False, True]}),
    "pandas object": pd.DataFrame({"a": np.array([1, 0.0, True], dtype=object)}),
    "polars unsigned": pl.DataFrame({"a": pl.Series([1, 0, 1], dtype=pl.UInt8)}),
    "polars bool": pl.DataFrame({"a": [True, False, True]}),
    "polars decimal": pl.DataFrame({"a": pl.Series(["1", "0", "1"]).cast(pl.Decimal(5, 2))}),
    "pyarrow bool": pa.table({"a": [True, False, True]}),
    "pyarrow float": pa.table({"a": [1.0, 0.0, 1.0]}),
}


@pytest.mark.parametrize("X", NUMBER_COLUMNS.values(), ids=NUMBER_COLUMNS)
def test_numbers_and_booleans_of_any_container_become_numbers(X):
    assert kinds(X) == ["number"]
    assert same_numbers(column(X).values, [1, 0, 1])


MISSING_NUMBERS = {
    "numpy": np.array([[1.5], [np.nan]]),
    "numpy object none": np.array([[1.5], [None]], dtype=object),
    "numpy object pandas na": np.array([[1.5], [pd.NA]], dtype=object),
    "list": [[1.5], [None]],
    "pandas nullable": pd.DataFrame({"a": pd.array([1.5, None], dtype="Float64")}),
    "pandas pyarrow": pd.DataFrame({"a": pd.array([1.5, None], dtype="float64[pyarrow]")}),
    "polars null": pl.DataFrame({"a": [1.5, None]}),
    "polars nan": pl.DataFrame({"a": [1.5, float("nan")]}),
    "pyarrow": pa.table({"a": [1.5, None]}),
}


@pytest.mark.parametrize("X", MISSING_NUMBERS.values(), ids=MISSING_NUMBERS)
def test_every_kind_of_missing_number_is_nan(X):
    assert same_numbers(column(X).values, [1.5, np.nan])
    assert column(X).is_missing().tolist() == [False, True]


@pytest.mark.parametrize("dtype", ["boolean", "Int64"])
def test_missing_values_of_nullable_integers_and_booleans_are_nan(dtype):
    X = pd.DataFrame({"a": pd.array([1, None, 0], dtype=dtype)})
    assert same_numbers(column(X).values, [1, np.nan, 0])


CATEGORY_COLUMNS = {
    "numpy text and none": np.array([["u"], [None], ["v"]], dtype=object),
    "numpy text and nan": np.array([["u"], [np.nan], ["v"]], dtype=object),
    "list": [["u"], [None], ["v"]],
    "pandas str": pd.DataFrame({"a": ["u", None, "v"]}),
    "pandas string": pd.DataFrame({"a": pd.array(["u", pd.NA, "v"], dtype="string")}),
    "pandas object": pd.DataFrame({"a": pd.Series(["u", None, "v"], dtype=object)}),
    "pandas categorical": pd.DataFrame({"a": pd.Categorical(["u", None, "v"])}),
    "polars str": pl.DataFrame({"a": ["u", None, "v"]}),
    "polars enum": pl.DataFrame({"a": pl.Series(["u", None, "v"], dtype=pl.Enum(["u", "v"]))}),
    "polars categorical": pl.DataFrame({"a": pl.Series(["u", None, "v"], dtype=pl.Categorical)}),
    "pyarrow str": pa.table({"a": ["u", None, "v"]}),
    "pyarrow dictionary": pa.table({"a": pa.array(["u", None, "v"]).dictionary_encode()}),
}


@pytest.mark.parametrize("X", CATEGORY_COLUMNS.values(), ids=CATEGORY_COLUMNS)
def test_texts_and_categoricals_of_any_container_become_categories(X):
    assert kinds(X) == ["category"]
    assert column(X).values.tolist() == ["u", None, "v"]
    assert column(X).is_missing().tolist() == [False, True, False]


def test_categories_are_plain_python_scalars():
    X = pd.DataFrame({"i": pd.Categorical([2, 1]), "o": np.array([np.str_("a"), np.int64(3)], dtype=object)})
    assert [type(value) for c in read_table(X).columns for value in c.values] == [int, int, str, int]


def test_intervals_of_pandas_cut_become_texts():
    assert column(pd.DataFrame({"a": pd.cut(pd.Series([1, 9]), [0, 5, 10])})).values.tolist() == ["(0, 5]", "(5, 10]"]


def test_numbers_beside_texts_in_a_list_of_rows_stay_numbers():
    assert kinds([["red", 1.5, True], [None, 2, False]]) == ["category", "number", "number"]


def test_numpy_texts_are_categories_even_if_they_look_like_numbers():
    assert kinds(np.array([["a", "1"]])) == ["category", "category"]


@pytest.mark.parametrize("X", [pd.DataFrame({"a": [None, None]}), pl.DataFrame({"a": [None, None]}), [[None], [None]]])
def test_a_column_without_values_is_a_column_of_missing_numbers(X):
    assert same_numbers(column(X).values, [np.nan, np.nan])


def test_a_frame_keeps_its_labels_as_names_and_arrays_get_numbered_names():
    frame = read_table(pd.DataFrame({"age": [1], "color": ["red"]}))
    assert (frame.names, frame.named) == (("age", "color"), True)
    for X in (pd.DataFrame([[1, 2]], columns=[30, -7]), pd.DataFrame([[1, "a"]], columns=[30, -7])):
        assert (read_table(X).names, read_table(X).named) == (("30", "-7"), False)
    for X in (np.zeros((1, 2)), [[1, "a"]]):
        assert (read_table(X).names, read_table(X).named) == (("x0", "x1"), False)


@pytest.mark.parametrize("n_rows", [3, 40])
def test_a_table_knows_which_columns_are_booleans_whatever_is_done_with_it(n_rows):
    flags = np.arange(n_rows) % 2 == 0
    mixed = pd.DataFrame({"n": np.arange(n_rows), "b": flags, "t": ["a"] * n_rows, "o": [*flags[:-1].tolist(), None]})
    for X, expected in (
        (mixed, [False, True, False, True]),
        (pl.from_pandas(mixed), [False, True, False, True]),
        (mixed[["b"]], [True]),
        (mixed[["b"]].astype(np.int8), [False]),
        (flags.reshape(-1, 1), [True]),
        (flags.reshape(-1, 1).astype(float), [False]),
    ):
        for table in (read_table(X), read_table(X).take(np.arange(1, n_rows)), read_table(X).take(flags)):
            assert [column.is_boolean for column in table.columns] == expected
            assert [table.column(index, slice(1)).is_boolean for index in range(len(expected))] == expected


def test_take_selects_rows_by_mask_and_by_index():
    table = read_table([[1, "a"], [2, "b"], [3, "c"]])
    for rows in (np.array([True, False, True]), np.array([0, 2])):
        taken = table.take(rows)
        assert taken.n_rows == 2
        assert [c.values.tolist() for c in taken.columns] == [[1, 3], ["a", "c"]]


@pytest.mark.parametrize(
    "make", [np.zeros, lambda shape: np.full(shape, 0.5), lambda shape: np.zeros(shape, dtype=bool)]
)
@pytest.mark.parametrize("contain", [np.asarray, np.asfortranarray, lambda X: pd.DataFrame(X, copy=False)])
def test_reading_copies_numbers(make, contain):
    X = make((2, 3))
    before = X[:, 0].tolist()
    table = read_table(contain(X))
    X[:] = 1
    assert table.columns[0].values.tolist() == before


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64, ">f8", np.longdouble])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_of_zeros_and_ones_takes_a_bit_a_cell(dtype, order):
    X = np.random.default_rng(0).integers(2, size=(70_000, 5))
    table = read_table(np.array(X, dtype=dtype, order=order))
    assert table.flags.bits.nbytes == 5 * 8750
    for index, read in enumerate(table.columns):
        assert read.values.dtype == bool
        assert read.values.flags.c_contiguous
        assert np.array_equal(read.values, X[:, index])


@pytest.mark.parametrize("n_rows", [1, 7, 8, 9, 200])
def test_flags_are_taken_and_told_from_constants_as_columns_are(n_rows):
    rng = np.random.default_rng(n_rows)
    X = rng.integers(2, size=(n_rows, 70)) | (np.arange(70) == 3)  # column 3 is constant
    X[:, 5] = 0
    flags = read_table(X).flags
    assert len(flags) == 70
    assert np.array_equal(np.array(flags[:]).T, X)
    assert flags.changing() == [c for c in range(70) if len(set(X[:, c])) == 2]
    for rows in (rng.integers(2, size=n_rows) == 1, rng.integers(n_rows, size=4)):
        table = read_table(X).take(rows)
        assert table.n_rows == len(X[rows])
        assert np.array_equal(np.array(table.flags[:]).T, X[rows])


@pytest.mark.parametrize("last", [2, -1, 0.5, np.nan])
def test_one_other_number_in_the_last_row_makes_a_matrix_of_numbers(last):
    X = np.zeros((70_000, 3))
    X[-1, 1] = last
    values = column(X, 1).values
    assert values.dtype == np.float64
    assert np.array_equal(values, X[:, 1], equal_nan=True)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float32])
def test_numbers_that_are_narrow_and_exact_stay_so(dtype):
    assert column(np.array([[3, 100]], dtype=dtype)).values.dtype == dtype


@pytest.mark.parametrize("dtype", [np.uint64, np.int64, np.float16, np.longdouble, ">f4"])
def test_all_other_numbers_become_float64(dtype):
    values = column(np.array([[3, 100]], dtype=dtype)).values
    assert values.dtype == np.float64


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1, 2], r"Expected 2D array, got 1D array instead.*\n.*\nReshape your data"),
        ("data.csv", r"got scalar array instead.*\n.*\nIf X is a file, read it into a data frame first"),
        ({"age": [1, 2]}, r"got scalar array instead.*\n.*\nMake a data frame of it first: pandas.DataFrame\(X\)"),
        ([{"age": 1}, {"age": 2}], r"got 1D array instead.*\n.*\nMake a data frame of it first"),
        (pd.Series([1, 2]), r"Expected 2D array, got 1D array instead"),
        (3, r"Expected 2D array, got scalar array instead"),
        (None, r"Expected 2D array, got scalar array instead"),
        ([[1], [1, 2]], r"inhomogeneous"),
        (np.zeros((1, 1, 1)), r"Found array with dim 3"),
        (np.zeros((0, 3)), r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
        (pl.DataFrame({"a": []}), r"Found array with 0 sample\(s\)"),
        (np.zeros((2, 0)), r"0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame(index=[0, 1]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        ([[1j]], r"Complex data not supported"),
        (np.array([[1j]], dtype=object), r"Complex data not supported"),
        ([[1, np.inf]], r"Column 'x1' of X holds an infinite number"),
        (pl.DataFrame({"age": [1.0, -np.inf]}), r"Column 'age' of X holds an infinite number .* in row 1"),
        ([[10**400]], r"Column 'x0' of X holds a number too large"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"must have different names; rename or drop some"),
    ],
)
def test_tables_that_are_no_finite_rectangle_raise_a_value_error_that_says_why(X, message):
    with pytest.raises(ValueError, match=message):
        read_table(X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (csr_matrix(np.eye(2)), r"Sparse data was passed for X, but dense data is required"),
        (pl.LazyFrame({"a": [1]}), r"lazy frame .* collect"),
        (pd.DataFrame({"day": pd.period_range("2020", periods=1)}), r"Column 'day' .* period"),
        ([[datetime.date(2020, 1, 1)], ["soon"]], r"Column 'x0' of X mixes dates with other values: date, str"),
        (pl.DataFrame({"l": [[1, 2]]}), r"Column 'l' .* List"),
        (np.array([[b"a"]]), r"dtype \|S1"),
        ([[{"a": 1}]], r"argument must be a string or a real number, not 'dict': column 'x0' of X .* Convert it"),
        (pd.DataFrame({"s": pd.arrays.SparseArray([0, 1])}), r"Column 's' of X is sparse .* X = X.sparse.to_dense\(\)"),
        (pd.DataFrame([[1, 2]], columns=["a", 1]), r"Feature names are only supported if all"),
    ],
)
def test_values_on_which_no_question_can_be_asked_raise_a_type_error_that_names_them(X, message):
    with pytest.raises(TypeError, match=message):
        read_table(X)


SCHEMA = read_table(pd.DataFrame({"age": [1], "color": ["red"]})).schema
UNNAMED = read_table([[1, "red"]]).schema


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"color": ["red"], "age": [1]}), r"Feature names must be in the same order as they were in fit"),
        (pd.DataFrame({"age": [1]}), r"Feature names seen at fit time, yet now missing:\n- color"),
        (pd.DataFrame({"age": [1], "hue": ["a"]}), r"Feature names unseen at fit time:\n- hue"),
        (np.zeros((1, 3)), r"X has 3 features, but Tree is expecting 2 features as input"),
        (pd.DataFrame({"age": [1], "color": [2]}), r"Column 'color' of X holds numbers, but held categories"),
        (pd.DataFrame({"age": ["x"], "color": ["red"]}), r"Column 'age' of X holds categories, but held numbers"),
    ],
)
def test_a_table_that_differs_from_what_is_expected_raises_a_value_error(X, message):
    with pytest.raises(ValueError, match=message):
        read_table(X, expect=SCHEMA)


def test_a_read_table_is_checked_against_what_is_expected_too():
    with pytest.raises(ValueError, match="X has 1 features"):
        read_table(read_table([[1]]), expect=UNNAMED)


def test_names_on_one_side_only_give_a_warning_in_the_words_of_scikit_learn():
    with pytest.warns(UserWarning, match="X does not have valid feature names, but Tree was fitted with feature names"):
        assert read_table([[1, "red"]], expect=SCHEMA).names == ("age", "color")
    with pytest.warns(UserWarning, match="X has feature names, but Tree was fitted without feature names"):
        read_table(pd.DataFrame({"age": [1], "color": ["red"]}), expect=UNNAMED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(pl.DataFrame({"age": [1], "color": ["red"]}), expect=SCHEMA)


def test_names_are_compared_once_for_a_table_that_is_read_twice():
    for X, schema in (([[1, "red"]], SCHEMA), (pd.DataFrame({"age": [1], "color": ["red"]}), UNNAMED)):
        with pytest.warns(UserWarning, match="feature names") as caught:
            read_table(read_table(X, expect=schema), expect=schema)
        assert len(caught) == 1


def test_a_column_without_values_takes_the_kind_that_is_expected():
    for X in ([[None, None]], pl.DataFrame({"x0": [None], "x1": [None]}), np.array([[np.nan, np.nan]])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_table(X, expect=UNNAMED)
        assert table.schema.kinds == ("number", "category")
        assert [c.is_missing().tolist() for c in table.columns] == [[True], [True]]


def test_python_objects_that_are_all_numbers_are_categories_where_categories_are_expected():
    mixed = pd.DataFrame({"a": np.array(["u", 1, 2], dtype=object)})
    again = read_table(mixed[1:], expect=read_table(mixed).schema)
    assert again.columns[0].values.tolist() == [1, 2]


def test_reading_a_table_that_is_read_already_returns_it():
    table = read_table([[1, "a"]])
    assert isinstance(table, Table)
    assert read_table(table) is table
