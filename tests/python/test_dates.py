"""Dates, times and durations: how they are read, split on, written and read back."""

import datetime as dt
import math
import sqlite3
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    ThresholdBinarizer,
    Tree,
)
from hornbeam.conditions import AtMost, IsMissing, IsOne
from hornbeam.export import to_timbertrek
from hornbeam.table import TableSchema, read_table
from python.tree_making import stump

DAYS = [dt.date(2023, 4, 28) + dt.timedelta(days=step) for step in range(10)]
TIMES = [dt.datetime(2023, 5, 1, 9) + dt.timedelta(minutes=50 * step) for step in range(10)]
WAITS = [dt.timedelta(hours=7 * step) for step in range(10)]
CLOCK = [dt.time(8 + step, 15) for step in range(10)]
BERLIN = [time.replace(tzinfo=dt.timezone(dt.timedelta(hours=2))) for time in TIMES]
Y = [0] * 4 + [1] * 6

NAIVE = pd.Series(TIMES)
TABLES = {
    "pandas datetime of midnights": (pd.DataFrame({"t": pd.to_datetime(DAYS)}), "date"),
    "pandas object dates": (pd.DataFrame({"t": pd.Series(DAYS, dtype=object)}), "date"),
    "pandas pyarrow dates": (pd.DataFrame({"t": pd.Series(DAYS, dtype="date32[pyarrow]")}), "date"),
    "polars dates": (pl.DataFrame({"t": DAYS}), "date"),
    "pyarrow dates": (pa.table({"t": DAYS}), "date"),
    "numpy days": (np.array(DAYS, dtype="M8[D]").reshape(-1, 1), "date"),
    "list of dates": ([[day] for day in DAYS], "date"),
    "pandas datetimes": (pd.DataFrame({"t": TIMES}), "datetime"),
    "pandas datetimes of seconds": (pd.DataFrame({"t": NAIVE.astype("M8[s]")}), "datetime"),
    "pandas timestamps as objects": (pd.DataFrame({"t": NAIVE.astype(object)}), "datetime"),
    "polars datetimes": (pl.DataFrame({"t": TIMES}, schema={"t": pl.Datetime("ns")}), "datetime"),
    "pyarrow datetimes": (pa.table({"t": TIMES}), "datetime"),
    "numpy datetimes": (np.array(TIMES, dtype="M8[us]").reshape(-1, 1), "datetime"),
    "list of datetimes": ([[time] for time in TIMES], "datetime"),
    "pandas time zone": (pd.DataFrame({"t": NAIVE.dt.tz_localize("Europe/Berlin")}), "datetime_utc"),
    "polars time zone": (
        pl.DataFrame({"t": pl.Series(TIMES).dt.replace_time_zone("Europe/Berlin")}),
        "datetime_utc",
    ),
    "pyarrow time zone": (pa.table({"t": pa.array(BERLIN, pa.timestamp("us", "Europe/Berlin"))}), "datetime_utc"),
    "list with time zone": ([[time] for time in BERLIN], "datetime_utc"),
    "pandas durations": (pd.DataFrame({"t": pd.to_timedelta(WAITS)}), "duration"),
    "polars durations": (pl.DataFrame({"t": WAITS}), "duration"),
    "pyarrow durations": (pa.table({"t": WAITS}), "duration"),
    "numpy durations": (np.array(WAITS, dtype="m8[ms]").reshape(-1, 1), "duration"),
    "list of durations": ([[wait] for wait in WAITS], "duration"),
    "pandas times of day": (pd.DataFrame({"t": CLOCK}), "time"),
    "polars times of day": (pl.DataFrame({"t": CLOCK}), "time"),
    "pyarrow times of day": (pa.table({"t": CLOCK}), "time"),
}
CONDITIONS = {
    "date": "t <= 2023-05-01",
    "datetime": "t <= 2023-05-01 12:00:00",
    "datetime_utc": "t <= 2023-05-01 10:00:00 UTC",
    "duration": "t <= 1 day",
    "time": "t <= 12:00:00",
}


@pytest.mark.parametrize(("X", "kind"), TABLES.values(), ids=TABLES)
def test_a_column_of_dates_of_any_container_gives_readable_conditions(X, kind):
    classifier = GOSDTClassifier().fit(X, Y)
    assert classifier.schema_.kinds == (kind,)
    name = classifier.schema_.names[0]
    assert classifier.tree_.to_text().startswith(CONDITIONS[kind].replace("t", name, 1) + "?")
    assert classifier.predict(X).tolist() == Y


@pytest.mark.parametrize("kind", CONDITIONS)
def test_containers_of_the_same_kind_serve_one_another_in_predict(kind):
    frames = [X for X, of_kind in TABLES.values() if of_kind == kind and hasattr(X, "columns")]
    for fitted in frames:
        classifier = GOSDTClassifier().fit(fitted, Y)
        for other in frames:
            assert classifier.predict(other).tolist() == Y


ESTIMATORS = [
    GOSDTClassifier(max_depth=2),
    GOSDTClassifier(binarizer="quantile"),
    GOSDTClassifier(binarizer="guess"),
    SPLITClassifier(lookahead_depth=1, max_depth=2),
    LicketySPLITClassifier(),
    MAPTreeClassifier(max_depth=2),
    OSDTClassifier(),
    RashomonSetClassifier(max_depth=2),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda estimator: type(estimator).__name__)
def test_every_estimator_takes_dates_beside_other_columns(estimator):
    n = 40
    X = pd.DataFrame(
        {
            "signup": pd.to_datetime("2023-03-01") + pd.to_timedelta(np.arange(n) * 3, unit="D"),
            "size": np.arange(n) % 7,
            "color": ["red", "blue"] * (n // 2),
        }
    )
    X.loc[3, "signup"] = pd.NaT
    y = (X["signup"] > "2023-05-01").astype(int)
    classifier = estimator.fit(X, y)
    assert classifier.schema_.kinds == ("date", "number", "category")
    assert (classifier.predict(X) == y).mean() > 0.95
    assert any(condition is not None and condition.column == 0 for condition in classifier.tree_.conditions)
    with pytest.raises(
        ValueError, match="Column 'signup' of X holds numbers, but held dates when the model was fitted"
    ):
        classifier.predict(X.assign(signup=1.5))


def test_not_a_time_is_a_missing_value():
    for X in (
        pd.DataFrame({"t": [pd.NaT, pd.Timestamp("2023-05-01"), None]}),
        pl.DataFrame({"t": [None, dt.date(2023, 5, 1), None]}),
        [[pd.NaT], [dt.date(2023, 5, 1)], [None]],
        np.array([["NaT"], ["2023-05-01"], ["NaT"]], dtype="M8[D]"),
        pd.DataFrame({"t": pd.array([None, dt.date(2023, 5, 1), None], dtype="date32[pyarrow]")}),
    ):
        column = read_table(X).columns[0]
        assert column.is_missing().tolist() == [True, False, True]
        assert IsMissing(0).holds(column).tolist() == [True, False, True]
        assert AtMost(0, column.values[1]).holds(column).tolist() == [False, True, False]


def test_a_column_fitted_on_dates_counts_only_the_date_of_later_times():
    classifier = GOSDTClassifier().fit(pl.DataFrame({"t": DAYS}), Y)
    late = pl.DataFrame({"t": [dt.datetime(2023, 5, 1, 23, 59), dt.datetime(2023, 5, 2, 0, 0)]})
    assert classifier.predict(late).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("fitted", "given", "message"),
    [
        ("polars dates", [[1.5]], "holds numbers, but held dates when"),
        ("polars dates", [["2023-05-01"]], "holds categories, but held dates when"),
        ("polars datetimes", [[WAITS[1]]], "holds durations, but held dates and times when"),
        ("polars datetimes", [[BERLIN[0]]], "holds dates and times with a time zone, but held dates and times when"),
        ("polars time zone", [[TIMES[0]]], "holds dates and times, but held dates and times with a time zone when"),
        ("polars durations", [[CLOCK[0]]], "holds times of day, but held durations when"),
    ],
)
def test_a_column_of_dates_that_changes_its_kind_is_refused(fitted, given, message):
    schema = read_table(TABLES[fitted][0]).schema
    with pytest.raises(ValueError, match=f"Column 't' of X {message}"):
        read_table(pd.DataFrame({"t": [row[0] for row in given]}), expect=schema)


def test_values_with_and_without_a_time_zone_in_one_column_are_refused():
    with pytest.raises(ValueError, match="Column 'x0' of X holds dates and times with and without a time zone"):
        read_table([[TIMES[0]], [BERLIN[0]]])


def test_a_duration_of_zero_or_one_second_is_a_duration():
    classifier = GOSDTClassifier().fit(np.array([[0], [0], [1], [1]], dtype="m8[s]"), [0, 0, 1, 1])
    assert classifier.tree_.to_text().startswith("x0 <= 00:00:00?")
    with pytest.raises(ValueError, match="needs a column of kind 'number'"):
        stump(conditions=(IsOne(0), None, None), columns=TableSchema(("t",), ("duration",)))


def test_thresholds_are_as_round_as_the_values_allow():
    def threshold(low: str, high: str) -> str:
        X = np.array([[low], [high]], dtype="M8[us]")
        return ThresholdBinarizer().fit(X).get_feature_names_out()[0].removeprefix("x0 <= ")

    assert threshold("2023-05-01", "2023-05-02") == "2023-05-01"
    assert threshold("2023-05-01T22:10", "2023-05-02T03:07") == "2023-05-02 00:00:00"
    assert threshold("2023-05-01T09:10", "2023-05-01T11:50") == "2023-05-01 10:00:00"
    assert threshold("2023-05-01T09:10:10", "2023-05-01T09:12:50") == "2023-05-01 09:11:00"
    assert threshold("2023-05-01T09:10:10.25", "2023-05-01T09:10:10.75") == "2023-05-01 09:10:10.500000"
    assert threshold("1883-01-01T00:00:00.000001", "1883-01-01T00:00:00.000002") == "1883-01-01 00:00:00.000001"


def test_round_thresholds_split_the_rows_as_midpoints_do():
    rng = np.random.default_rng(0)
    for scale in (1, 10**3, 10**7, 10**11):
        values = rng.integers(10**15, 10**15 + 300 * scale, size=(50, 1))
        for unit, dtype in (("M8[us]", "datetime"), ("m8[us]", "duration")):
            binarizer = ThresholdBinarizer().fit(values.astype(unit))
            assert binarizer.schema_.kinds == (dtype,)
            expected = ThresholdBinarizer().fit(values.astype(float)).transform(values.astype(float))
            assert np.array_equal(binarizer.transform(values.astype(unit)), expected)


def test_own_thresholds_of_a_column_of_dates_are_dates_or_strings():
    X = pl.DataFrame({"day": DAYS, "wait": WAITS})
    thresholds = {"day": [dt.date(2023, 5, 3), "2023-05-01"], "wait": [dt.timedelta(days=1)]}
    names = ThresholdBinarizer(thresholds=thresholds).fit(X).get_feature_names_out().tolist()
    assert names == ["day <= 2023-05-01", "day <= 2023-05-03", "wait <= 1 day"]
    for wrong in ([3.5], ["soon"], [None], 3, [dt.timedelta(1)]):
        with pytest.raises(ValueError, match=r"thresholds\['day'\] must be a sequence of dates, got"):
            ThresholdBinarizer(thresholds={"day": wrong}).fit(X)


def test_the_guess_tells_times_apart_that_float32_does_not():
    X = np.array([[f"2023-05-01T12:00:{second:02}"] for second in range(60)], dtype="M8[s]")
    classifier = GOSDTClassifier(binarizer="guess").fit(X, np.arange(60) > 17)
    assert classifier.tree_.to_text().startswith("x0 <= 2023-05-01 12:00:17?")


def tree_on(kind: str) -> Tree:
    """A tree that splits on an interval and on missing values of one column."""
    frame, _ = next(table for table in TABLES.values() if table[1] == kind and hasattr(table[0], "columns"))
    values = pl.DataFrame(frame)
    values = pl.concat([values, values[:5], pl.DataFrame({"t": [None] * 5}, schema=values.schema)])
    return GOSDTClassifier().fit(values, [0] * 4 + [1] * 3 + [0] * 3 + [0] * 4 + [1] + [1] * 5).tree_


@pytest.mark.parametrize("kind", CONDITIONS)
def test_json_keeps_kind_and_thresholds(kind):
    tree = tree_on(kind)
    again = Tree.from_json(tree.to_json())
    assert again == tree
    assert again.columns.kinds == (kind,)
    assert again.to_text() == tree.to_text()


def test_every_form_of_words_shows_dates():
    tree = tree_on("date")
    assert "t <= 2023-05-01" in tree.to_text()
    assert any("2023-05-01 < t <= 2023-05-04" in rule for rule in tree.to_rules())
    assert "t <= 2023-05-01" in tree.to_dot()
    assert tree.to_dict()["text"].startswith("t <= 2023-05-0")
    assert '"<= 2023-05-01"' in to_timbertrek([(0.1, tree)])


@pytest.mark.parametrize(
    ("kind", "quote", "literal"),
    [
        ("date", '"', "DATE '2023-05-01'"),
        ("date", "`", "DATE '2023-05-01'"),
        ("date", "[", "CAST('2023-05-01' AS date)"),
        ("datetime", '"', "TIMESTAMP '2023-05-01 12:00:00'"),
        ("datetime", "[", "CAST('2023-05-01 12:00:00' AS datetime2)"),
        ("datetime_utc", '"', "TIMESTAMP WITH TIME ZONE '2023-05-01 10:00:00+00:00'"),
        ("datetime_utc", "`", "TIMESTAMP '2023-05-01 10:00:00+00:00'"),
        ("datetime_utc", "[", "CAST('2023-05-01 10:00:00+00:00' AS datetimeoffset)"),
        ("duration", '"', "INTERVAL '86400 seconds'"),
        ("duration", "`", "INTERVAL 86400 SECOND"),
        ("duration", "[", "86400"),
        ("time", '"', "TIME '12:00:00'"),
        ("time", "[", "CAST('12:00:00' AS time)"),
    ],
)
def test_sql_compares_with_literals_of_the_type_of_the_column(kind, quote, literal):
    sql = GOSDTClassifier().fit(next(X for X, k in TABLES.values() if k == kind), Y).tree_.to_sql(quote=quote)
    assert f" <= {literal}\n" in sql


def test_sql_without_the_type_names_works_on_iso_strings():
    tree = tree_on("date")
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE data (t)")
        connection.executemany("INSERT INTO data VALUES (?)", [(str(day),) for day in DAYS] + [(None,)])
        sql = tree.to_sql().replace("DATE ", "").replace("TIMESTAMP ", "")
        found = [value for (value,) in connection.execute(f"SELECT {sql} FROM data ORDER BY rowid")]
    assert found == tree.predict(pl.DataFrame({"t": [*DAYS, None]})).tolist()


@pytest.mark.parametrize("kind", CONDITIONS)
@pytest.mark.parametrize("of", ["python", "pandas"])
def test_python_source_predicts_as_the_tree_does(kind, of):
    tree = tree_on(kind)
    objects = {"date": DAYS, "datetime": TIMES, "datetime_utc": BERLIN, "duration": WAITS, "time": CLOCK}[kind]
    values = [*objects, None]
    if of == "pandas":
        convert = {"duration": pd.to_timedelta, "time": lambda times: pd.Series(times, dtype=object)}
        values = [*pd.Series(convert.get(kind, pd.to_datetime)(objects)), pd.NaT]
    names: dict = {}
    exec(tree.to_python(), names)
    expected = tree.predict(pl.DataFrame({"t": [*objects, None]}))
    assert [names["predict"](t=value) for value in values] == expected.tolist()


def test_python_source_states_what_it_expects():
    assert "# row['t'] is a date or a datetime, of which only the date counts." in tree_on("date").to_python()
    assert "# row['t'] is a datetime with a time zone." in tree_on("datetime_utc").to_python()
    columns = TableSchema(('"""\n',), ("duration",))
    names: dict = {}
    exec(stump(columns=columns).to_python(), names)
    assert names["predict"]({'"""\n': dt.timedelta(seconds=25.5)}) == "no"


def test_python_source_refuses_dates_that_python_does_not_know():
    seconds = float(np.datetime64("12000-01-01", "s").astype(np.int64))
    tree = stump(conditions=(AtMost(0, seconds), None, None), columns=TableSchema(("t",), ("datetime",)))
    with pytest.raises(ValueError, match=r"12000-\S+ .* is outside the years 1 to 9999"):
        tree.to_python()


@pytest.mark.parametrize("kind", CONDITIONS)
def test_the_tree_of_scikit_learn_takes_seconds(kind):
    X = next(X for X, k in TABLES.values() if k == kind)
    tree = GOSDTClassifier().fit(X, Y).tree_
    seconds = read_table(X).columns[0].values.reshape(-1, 1)
    assert tree.to_sklearn().predict(seconds).tolist() == Y
    assert tree.to_sklearn().predict([[math.nan]]).tolist() == [1]


def test_the_picture_shows_dates(tmp_path):
    from hornbeam.plotting import save_picture

    save_picture(tree_on("date"), tmp_path / "tree.svg")
    assert "2023-05-01" in (tmp_path / "tree.svg").read_text().replace("\xa0", " ")


def test_numbers_of_other_types_are_still_numbers_beside_dates():
    assert read_table([[Decimal(1), DAYS[0]], [2.5, DAYS[1]]]).schema.kinds == ("number", "date")
