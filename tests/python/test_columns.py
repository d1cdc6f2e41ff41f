"""The column report, and the warnings of fit about columns that were probably not read as they are meant."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.model_selection import cross_val_score

import hornbeam
from hornbeam import ColumnWarning, GOSDTClassifier, MAPTreeClassifier, RashomonSetClassifier, column_report
from hornbeam.columns import ColumnRemark, ColumnSummary
from hornbeam.columns._text import text_kind
from hornbeam.table import read_table

RNG = np.random.default_rng(0)
N = 120
Y = np.arange(N) % 2

MESSY = {
    "plain": [str(value / 2) for value in range(N)],
    "odd cells": ["n/a", "unknown", "-", "?", *(str(value) for value in range(4, N))],
    "objects": ["n/a", *(value / 2 for value in range(1, N))],
    "comma": [f"{value},5" for value in range(N)],
    "grouped comma": [f"{value}.250,75" for value in range(1, N + 1)],
    "thousands": [f"{value},250" for value in range(1, N + 1)],
    "spaces": [f"{value} 250" for value in range(1, N + 1)],
    "percent": [f"{value % 60} %" for value in range(N)],
    "unit": [f"{value}.5kg" for value in range(N)],
    "currency": [f"€ {value},50" for value in range(N)],
    "euros": [f"{value}.250,50 €" for value in range(1, N + 1)],
    "tons": [f"{value},250.5 t" for value in range(1, N + 1)],
    "iso": [str(pd.Timestamp("2023-01-01").date() + pd.Timedelta(days=value)) for value in range(N)],
    "iso times": [str(pd.Timestamp("2023-01-01") + pd.Timedelta(hours=7 * value)) for value in range(N)],
    "day first": [f"{value % 28 + 1:02}.{value % 12 + 1:02}.2023" for value in range(N)],
    "slashes": [f"{value % 12 + 1}/{value % 28 + 1}/2023" for value in range(N)],
    "clock": [f"{value % 24:02}:{value % 60:02}" for value in range(N)],
}
VALUES = {  # of the last row
    "plain": (N - 1) / 2,
    "odd cells": N - 1,
    "objects": (N - 1) / 2,
    "comma": N - 0.5,
    "grouped comma": N * 1000 + 250.75,
    "thousands": N * 1000 + 250,
    "spaces": N * 1000 + 250,
    "percent": 59,
    "unit": N - 0.5,
    "currency": N - 0.5,
    "euros": N * 1000 + 250.5,
    "tons": N * 1000 + 250.5,
}
KINDS = {"iso": "date", "iso times": "datetime", "day first": "date", "slashes": "date", "clock": "time"}


def warned(X, y=Y, classifier=None) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (classifier or GOSDTClassifier(max_depth=1)).fit(X, y)
    return [str(warning.message) for warning in caught if warning.category is ColumnWarning]


def code_in(message: str) -> str:
    """The first line of code in a warning."""
    return next(line for line in message.splitlines() if line.startswith("    ")).strip()


@pytest.mark.parametrize("name", MESSY)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy"])
def test_fit_warns_of_numbers_and_dates_as_text_and_its_code_mends_them(name, library):
    data = {"a": MESSY[name], "b": RNG.normal(size=N)}
    if library == "polars" and name == "objects":
        pytest.skip("polars has no columns of mixed Python objects to convert")
    if library == "pyarrow" and name == "objects":
        pytest.skip("pyarrow has no columns of mixed types")
    X = {
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
        "pyarrow": pa.table,
        "numpy": lambda columns: pd.DataFrame(columns).astype(object).to_numpy(),
    }[library](data)
    (message,) = warned(X)
    assert message.startswith(f"Column {'x0' if library == 'numpy' else 'a'!r} holds ")
    assert "each value became a category" in message
    names = {"X": X, "pd": pd, "pl": pl, "np": np}
    exec(code_in(message), names)
    table = read_table(names["X"])
    if name in VALUES:
        assert table.columns[0].kind == "number"
        assert float(table.columns[0].values[-1]) == VALUES[name]
    elif name == "clock":
        assert table.columns[0].kind in ("time", "duration")
    else:
        assert table.columns[0].kind == ("datetime" if name == "iso times" else "date")
    assert table.columns[0].is_missing().sum() == {"odd cells": 4, "objects": 1}.get(name, 0)
    assert warned(names["X"]) == []


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["17,0", "18,5", "20,0"], "numbers with decimal commas as text, such as '18,5'"),
        (["1,234", "22,000", "3,000,000"], "numbers with thousands separators as text, such as '22,000'"),
        (["0,125", "1,234", "2,500"], "numbers with decimal commas as text, such as '1,234'"),
        (["11.0", "12", "13", "n/a"], "numbers as text, such as '12', and 1 value like 'n/a'"),
        ([11.0, 12.0, "n/a"], "numbers such as 12.0, and 1 value like 'n/a'"),
        (["1e5", "2e5", "-3.5E-7"], "numbers as text, such as '1e5'"),
        (["12 kg", "13 kg", "14 kg"], "numbers with a unit as text, such as '13 kg'"),
        (["12%", "13 %", "14%"], "percentages as text, such as '13 %'"),
        (["2023-05-01", "2023-05-02", "2023-05-03"], "dates as text, such as '2023-05-02'"),
        (["08:15", "09:15", "10:15"], "times of day as text, such as '09:15'"),
    ],
)
def test_what_was_found_is_named(values, found):
    assert text_kind(values).found == found


@pytest.mark.parametrize(
    "values",
    [
        ["red", "green", "blue"],
        ["yes", "no", "unknown"],
        ["A1", "A2", "A3", "A4"],
        ["1", "2", "3", "A"],
        ["01", "02", "03"],  # codes
        ["1234567890123456", "1234567890123457", "1234567890123458"],
        ["10th", "11th", "12th", "9th", "HS-grad", "Masters"],
        ["18-25", "26-35", "36-45"],
        ["1.2.3", "1.2.4", "1.3.0"],
        ["12a", "13b", "14c"],
        ["<=50K", ">50K", ">100K"],
        ["0", "1"],
        [1, 2, 3],  # categories by declaration
        [True, False, "maybe"],
        ["n/a", "unknown", "-"],
        [],
    ],
)
def test_ordinary_categories_look_like_nothing_else(values):
    assert text_kind(values) is None


def test_declared_categories_are_left_alone():
    codes = [str(value % 5) for value in range(N)]
    assert len(warned(pd.DataFrame({"a": codes, "b": RNG.normal(size=N)}))) == 1
    assert warned(pd.DataFrame({"a": pd.Categorical(codes), "b": RNG.normal(size=N)})) == []
    assert warned(pl.DataFrame({"a": pl.Series(codes, dtype=pl.Categorical), "b": RNG.normal(size=N)})) == []


def test_the_code_that_declares_categories_silences_the_warning():
    X = pd.DataFrame({"a": [str(value % 5) for value in range(N)], "b": RNG.normal(size=N)})
    (message,) = warned(X)
    exec(message.splitlines()[-1].strip(), {"X": X})
    assert warned(X) == []


@pytest.mark.parametrize(
    "values",
    [
        np.arange(N),
        np.arange(N)[::-1] + 10**6,
        RNG.permutation(N).astype(float),
        RNG.choice(600, N, replace=False),
        [f"user-{value:04}" for value in range(N)],
        [f"Text number {value} with words" for value in range(N)],
    ],
)
def test_fit_warns_of_identifiers_and_its_code_leaves_them_out(values):
    X = pd.DataFrame({"size": RNG.normal(size=N), "id": values})
    (message,) = warned(X)
    assert message.startswith("Column 'id' looks like an identifier")
    names = {"X": X}
    exec(code_in(message), names)
    assert list(names["X"].columns) == ["size"]
    array = X.to_numpy(dtype=object)
    (message,) = warned(array)
    names = {"X": array, "np": np}
    exec(code_in(message), names)
    assert names["X"].shape == (N, 1)
    (message,) = warned(array.tolist())
    names = {"X": array.tolist(), "pd": pd}
    exec(code_in(message), names)
    assert names["X"].shape == (N, 1)


def test_the_code_quotes_any_name():
    for name in ('the "best"', "back\\slash", "line\nbreak", "größe", "it's"):
        X = pd.DataFrame({name: MESSY["comma"], "b": RNG.normal(size=N)})
        names = {"X": X, "pd": pd}
        exec(code_in(warned(X)[0]), names)
        assert read_table(names["X"]).schema.kinds == ("number", "number")


@pytest.mark.parametrize(
    "X",
    [
        RNG.normal(size=(1000, 3)),
        np.column_stack([np.arange(99), RNG.normal(size=99)]),  # few rows
        np.arange(500).reshape(-1, 1),  # the only column
        np.column_stack([RNG.integers(0, 10**6, 200), np.ones(200)]),  # amounts
        np.column_stack([np.round(RNG.normal(size=200), 2), np.ones(200)]),
        pd.DataFrame({"name": [f"n{value}" for value in range(40)], "b": 1.5}),
        pd.DataFrame({"city": [f"n{value % 60}" for value in range(120)], "b": 1.5}),
        RNG.integers(2, size=(1000, 5)),
        load_breast_cancer().data,
        load_iris().data,
    ],
)
def test_ordinary_columns_give_no_warning(X):
    assert warned(X, RNG.integers(2, size=len(X))) == []


@pytest.mark.parametrize("classifier", [GOSDTClassifier(), MAPTreeClassifier(max_depth=2), RashomonSetClassifier()])
@pytest.mark.parametrize(
    "copy",
    [
        Y,
        Y * 3.5 + RNG.normal(size=N) / 100,
        np.array(["no", "yes"], dtype=object)[Y],
        np.where(np.arange(N) == 7, 1 - Y, Y),
    ],
)
def test_fit_warns_of_a_copy_of_the_target(classifier, copy):
    X = pd.DataFrame({"size": RNG.normal(size=N), "outcome": copy})
    (message,) = warned(X, classifier=classifier)
    assert message.startswith("Column 'outcome' alone predicts the target of ")
    assert code_in(message) == 'X = X.drop(columns=["outcome"])'
    assert [(remark.column, remark.problem) for remark in column_report(X, Y).remarks] == [
        ("outcome", "copy of the target")
    ]


def test_a_copy_of_many_classes_is_found_too():
    y = np.arange(150) % 3
    X = pd.DataFrame({"size": RNG.normal(size=150), "grade": y * 10 + RNG.integers(0, 5, 150)})
    assert "Column 'grade' alone predicts the target of all rows" in warned(X, y, GOSDTClassifier())[0]
    names = np.array(["low", "mid", "top"], dtype=object)[y]
    assert [remark.column for remark in column_report(X.assign(name=names), y).remarks] == ["grade", "name"]


def test_a_packed_table_warns_of_a_copy_of_the_target():
    X = RNG.integers(2, size=(200, 5))
    X[:, 3] = np.arange(200) % 2
    (message,) = warned(X, np.arange(200) % 2)
    assert message.startswith("Column 'x3' alone predicts the target of all rows")


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (RNG.normal(size=(N, 2)), Y),
        (np.column_stack([Y, RNG.normal(size=N)])[:90], Y[:90]),  # few rows
        (np.column_stack([np.where(RNG.random(N) < 0.1, 1 - Y, Y), RNG.normal(size=N)]), Y),
        (np.column_stack([Y]), Y),  # the only column
        (np.column_stack([RNG.normal(size=1000), RNG.normal(size=1000)]), np.arange(1000) > 994),  # few to predict
        (load_iris().data, load_iris().target),
        (load_breast_cancer().data, load_breast_cancer().target),
    ],
)
def test_columns_that_only_help_to_predict_are_not_called_copies(X, y):
    assert warned(X, y, GOSDTClassifier(max_depth=2)) == []
    assert column_report(X, y).remarks == ()


def test_a_nearly_unique_text_is_not_called_a_copy():
    X = pd.DataFrame({"name": [f"n{value}" for value in range(N)], "size": RNG.normal(size=N)})
    assert {remark.problem for remark in column_report(X, Y).remarks} == {"identifier"}


def test_many_suspect_columns_give_five_warnings_and_one_that_names_the_others():
    X = pd.DataFrame({f"c{column}": [f"{value},{column}" for value in range(N)] for column in range(9)})
    messages = warned(X)
    assert len(messages) == 6
    assert messages[-1].startswith("4 more columns are suspect: 'c5', 'c6', 'c7', 'c8'.")


def test_the_report_says_kind_values_missing_and_use_of_each_column():
    X = pd.DataFrame(
        {
            "age": [20, 30, np.nan, 50],
            "member": [True, False, True, True],
            "color": ["red", "blue", None, "green"],
            "signup": pd.to_datetime(["2023-05-01", "2023-05-09", None, "2023-05-04"]),
            "site": ["north"] * 4,
            "note": [None] * 4,
            "only": [None, None, 3.0, 3.0],
        }
    )
    report = column_report(X)
    assert report.n_rows == 4
    assert report.rows == tuple(report)
    assert report[0] == ColumnSummary("age", "number", 3, 1, "20 to 50", "thresholds, is missing", ())
    assert [row.used_as for row in report] == [
        "thresholds, is missing",
        "0/1",
        "3 categories, is missing",
        "thresholds, is missing",
        "not used: constant",
        "not used: empty",
        "is missing",
    ]
    assert str(report).splitlines() == [
        "column  kind      distinct  missing  values                    used as",
        "age     number           3        1  20 to 50                  thresholds, is missing",
        "member  number           2        0  0, 1                      0/1",
        "color   category         3        1  blue, green, red          3 categories, is missing",
        "signup  date             3        1  2023-05-01 to 2023-05-09  thresholds, is missing",
        "site    category         1        0  north                     not used: constant",
        "note    number           0        4                            not used: empty",
        "only    number           1        2  3                         is missing",
    ]


@pytest.mark.parametrize("name", MESSY)
def test_the_report_remarks_on_messy_columns_with_their_remedy(name):
    report = column_report(pd.DataFrame({"a": MESSY[name]}))
    (remark,) = report.remarks
    assert isinstance(remark, ColumnRemark)
    assert remark.problem == ("date as text" if name in KINDS else "number as text")
    assert str(report).splitlines()[-2:] == [f"! a {remark.found}", f"  {remark.remedy}"]


def test_the_report_in_a_notebook_is_a_table_in_which_nothing_is_markup():
    html = column_report(pd.DataFrame({"<b>": ["<i>", "x"], "v": ["1,5", "2,5"]}))._repr_html_()
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;" in html
    assert html.count("<tr>") == 3


def test_the_report_cuts_long_values_off():
    report = column_report([["word " * 20 + str(value)] for value in range(3)] + [["a\nb"]])
    assert len(report[0].values) <= 45
    assert "\n" not in report[0].values


@pytest.mark.parametrize("y", [[0, 1], [[0], [1], [0]], 3])
def test_labels_that_do_not_fit_the_table_are_refused(y):
    with pytest.raises(ValueError, match="expected one label for each of the 3 rows of X"):
        column_report([[1], [2], [3]], y)


def test_the_report_of_a_packed_table_counts_its_columns():
    X = RNG.integers(2, size=(200, 3))
    X[:, 1] = 1
    report = column_report(X, X[:, 2])
    assert [row.used_as for row in report] == ["0/1", "not used: constant", "0/1"]
    assert [remark.column for remark in report.remarks] == ["x2"]


def test_the_warning_is_a_user_warning_at_the_top_level():
    assert issubclass(hornbeam.ColumnWarning, UserWarning)


def test_warnings_can_be_made_errors():
    code = "from hornbeam import GOSDTClassifier\nGOSDTClassifier().fit([['17,0'], ['18,0'], ['19,0']], [0, 1, 1])\n"
    ran = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert "ColumnWarning: Column 'x0' holds numbers with decimal commas" in ran.stderr


@pytest.mark.parametrize(
    "library", [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: np.column_stack(list(columns.values()))]
)
@pytest.mark.parametrize(
    ("code", "others"), [(-999, RNG.normal(size=N)), (-99, RNG.integers(80, size=N)), (9999, RNG.normal(size=N))]
)
def test_fit_warns_of_a_number_that_stands_for_missing_values_and_its_code_mends_it(library, code, others):
    values = np.where(np.arange(N) % 10 == 3, code, others)
    X = library({"a": values, "b": RNG.normal(size=N)})
    (message,) = warned(X)
    assert f"holds {code} in {np.sum(values == code)} rows, which looks like a code for missing values" in message
    names = {"X": X, "pd": pd, "np": np, "pl": pl}
    exec(message.splitlines()[1].strip(), names)
    assert warned(names["X"]) == []
    table = read_table(names["X"])
    assert np.isnan(table.values[0]).tolist() == (values == code).tolist()
    assert not np.isnan(table.values[1]).any()


@pytest.mark.parametrize(
    "values",
    [[-999, 5], [-999, -1000.5, 3, -999], [999, 500, 999], [99999, 99999, 41310, 0], [-99, -99, -50, 60], [0, 1]],
)
def test_ordinary_extremes_are_not_called_codes_of_missing_values(values):
    assert warned(np.column_stack([values, [1.5] * len(values)]), np.arange(len(values)) % 2) == []


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_fit_warns_of_spellings_that_differ_only_in_capitals_or_spaces_and_its_code_unifies_them(library):
    X = library({"a": ["no", "Yes ", "yes", "NO", None] * 40, "b": RNG.normal(size=200)})
    (message,) = warned(X, RNG.integers(2, size=200))
    assert "Column 'a' has values that differ only in capitals or spaces, such as 'NO' and 'no'" in message
    mend, keep = (line.strip() for line in message.splitlines() if line.startswith("    "))
    for code, categories in ((mend, {"no", "yes", None}), (keep, {"no", "Yes ", "yes", "NO", None})):
        names = {"X": X.copy() if library is pd.DataFrame else X, "pl": pl}
        exec(code, names)
        assert warned(names["X"], RNG.integers(2, size=200)) == []
        assert set(read_table(names["X"]).values[0].tolist()) == categories


@pytest.mark.parametrize("classifier", [GOSDTClassifier(max_depth=1), MAPTreeClassifier(max_depth=1)])
def test_fit_warns_of_a_target_that_is_a_quantity_and_its_code_makes_classes(classifier):
    X, y = load_diabetes(return_X_y=True)
    (message,) = warned(X[:, :2], y, classifier)
    assert message.startswith("y has 214 distinct numbers in 442 rows, each of which becomes a class.")
    assert "use GOSDTRegressor" in message
    names = {"y": y, "pd": pd}
    exec(code_in(message), names)
    assert np.unique(names["y"]).tolist() == [0, 1, 2]
    assert warned(X[:, :2], names["y"], classifier) == []


@pytest.mark.parametrize(
    "y",
    [
        load_digits().target,
        np.arange(1000) % 50,  # 50 classes of 20 rows
        np.array([f"c{row}" for row in range(100)]),  # names
        np.arange(100) % 20,
    ],
)
def test_ordinary_classes_are_not_called_a_quantity(y):
    assert warned(RNG.normal(size=(len(y), 2)), y, GOSDTClassifier(max_depth=0)) == []


def test_missing_labels_of_a_series_are_refused_with_the_code_that_leaves_them_out():
    X, y = pd.DataFrame({"a": range(10)}), pd.Series(["no", None, *["yes", "no"] * 4])
    with pytest.raises(
        ValueError, match=r"missing in 1 row, first in row 1. Remove these rows, for example X, y = "
    ) as caught:
        GOSDTClassifier().fit(X, y)
    names = {"X": X, "y": y}
    exec(str(caught.value).partition("for example ")[2].removesuffix("."), names)
    assert len(GOSDTClassifier().fit(names["X"], names["y"]).tree_.classes) == 2


def test_the_copy_of_the_target_is_warned_of_before_all_others():
    columns = {f"c{column}": [f"{value},{column}" for value in range(N)] for column in range(9)}
    messages = warned(pd.DataFrame({**columns, "copy": Y}))
    assert messages[0].startswith("Column 'copy' alone predicts the target")
    assert messages[-1].endswith("print(hornbeam.column_report(X, y)) lists all.")


def test_a_cross_validation_warns_once_of_each_column_and_a_fit_after_it_again():
    X = pd.DataFrame({"of the folds": [f"K{row}" for row in range(200)], "b": RNG.normal(size=200)})
    y = RNG.integers(2, size=200)
    with pytest.warns(ColumnWarning) as caught:
        cross_val_score(GOSDTClassifier(max_depth=1), X, y, cv=5)
    assert len(caught) == 1
    assert len(warned(X, y)) == len(warned(X, y)) == 1
