"""How the command line reads messy files, and what it says about their columns."""

import datetime as dt
import io
import json

import numpy as np
import polars as pl
import pytest

from cli.conftest import without_columns
from hornbeam.cli.data import read_frame
from hornbeam.cli.errors import CommandError
from hornbeam.cli.text_columns import CsvFormat

N = 60


def write(path, columns, separator=",", encoding="utf-8"):
    """Write columns of cells as they stand, quoted where they hold the separator."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    lines = [separator.join(f'"{cell}"' if separator in str(cell) else str(cell) for cell in row) for row in rows]
    path.write_bytes("\n".join([*lines, ""]).encode(encoding))
    return path


def columns_of(frame):
    return {name: values.to_list() for name, values in frame.to_dict().items()}


@pytest.fixture
def messy(tmp_path):
    """A German export: semicolons, decimal commas, dates with days first, an identifier, a marker of missing values."""
    days = [dt.date(2023, 3, 1) + dt.timedelta(days=2 * row) for row in range(N)]
    return write(
        tmp_path / "messy.csv",
        {
            "nr": [f"K-{row:03}" for row in range(N)],
            "Anmeldung": [f"{day:%d.%m.%Y}" for day in days],
            "Besuche": ["n/a" if row % 20 == 3 else f"{(row * 7) % 40 / 2:.1f}".replace(".", ",") for row in range(N)],
            "Umsatz": [f"{row + 1}.{row % 10}50,25" for row in range(N)],
            "Land": ["DE"] * N,
            "Kunde": ["ja" if day > dt.date(2023, 5, 1) else "nein" for day in days],
        },
        separator=";",
    )


def test_a_messy_file_gives_a_tree_that_splits_on_a_date(run, messy):
    code, out, err = run("fit", messy, "--target", "Kunde", "--drop", "nr")
    assert (code, err) == (0, "")
    assert without_columns(out).startswith("Anmeldung <= 2023-05-01?")
    assert "Besuche    number" in out
    assert "* Besuche: read with decimal commas" in out
    assert "* Anmeldung: read as dates, DD.MM.YYYY" in out
    assert "not used: constant" in out


def test_columns_prints_the_report_alone_with_remedies_of_the_command_line(run, messy):
    code, out, err = run("columns", messy, "--target", "Kunde")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[:3] for line in lines[:6]] == [
        ["column", "kind", "distinct"],
        ["nr", "category", "60"],
        ["Anmeldung", "date", "60"],
        ["Besuche", "number", "38"],
        ["Umsatz", "number", "60"],
        ["Land", "category", "1"],
    ]
    assert "! nr looks like an identifier" in out
    assert lines[-1].endswith("leave it out: --drop nr")


def test_without_a_target_every_column_is_reported(run, messy):
    assert "\nKunde " in run("columns", messy).out


def test_numbers_with_decimal_commas_are_the_numbers_of_the_same_file_with_points(run, tmp_path):
    values = [f"{row / 4}" for row in range(N)]
    labels = [row // 30 for row in range(N)]
    with_points = write(tmp_path / "points.csv", {"visits": values, "y": labels}, ";")
    with_commas = write(tmp_path / "commas.csv", {"visits": [v.replace(".", ",") for v in values], "y": labels}, ";")
    quoted = write(tmp_path / "quoted.csv", {"visits": [v.replace(".", ",") for v in values], "y": labels}, ",")
    trees = {
        without_columns(run("fit", path, "--target", "y").out).split("\n\n")[0]
        for path in (with_points, with_commas, quoted)
    }
    assert len(trees) == 1
    assert "visits <= 7.4?" in trees.pop()


@pytest.mark.parametrize(
    ("cells", "separator", "decimal", "expected"),
    [
        (["17,0", "18,5", "3"], ";", "", [17.0, 18.5, 3.0]),
        (["17,0", "18,5", "3"], ",", "", [17.0, 18.5, 3.0]),
        (["1,234", "2,345", "3"], ";", "", [1.234, 2.345, 3.0]),
        (["1,234", "2,345", "3"], ",", "", None),  # thousands or not?
        (["1,234", "2,345", "3"], ",", ",", [1.234, 2.345, 3.0]),
        (["1,234", "2,345", "3"], ",", ".", [1234, 2345, 3]),
        (["1,234.5", "2,345.25", "3"], ",", ".", [1234.5, 2345.25, 3.0]),
        (["1.234,5", "2.345,25", "3"], ",", "", [1234.5, 2345.25, 3.0]),
        (["1.234", "2.345", "3"], ",", "", [1.234, 2.345, 3.0]),
        (["1.234", "2.345", "3"], ",", ",", [1234, 2345, 3]),
        (["1.5", "2.5", "3"], ";", ",", [1.5, 2.5, 3.0]),
        (["1 234,5", "12 345,25", "3"], ";", "", [1234.5, 12345.25, 3.0]),
        (["1,2,3", "4,5", "6"], ";", "", None),
        ([" 5", "6 ", "7"], ",", "", [5, 6, 7]),
        (["1e3", "-.5", "+2"], ",", "", [1000.0, -0.5, 2.0]),
        (["99999999999999999999", "1", "2"], ",", "", [1e20, 1.0, 2.0]),
    ],
)
def test_numbers_are_read_with_the_decimal_mark_that_is_given_or_certain(tmp_path, cells, separator, decimal, expected):
    path = write(tmp_path / "data.csv", {"a": cells, "b": ["x", "y", "z"]}, separator)
    found = read_frame(path, CsvFormat(decimal)).frame["a"].to_list()
    assert found == (cells if expected is None else expected)
    if expected is not None:
        assert list(map(type, found)) == list(map(type, expected))


def test_points_between_thousands_are_read_so_where_another_column_has_decimal_commas(tmp_path):
    path = write(tmp_path / "data.csv", {"a": ["1.234", "2.345"], "b": ["1,5", "2,5"]}, ";")
    read = read_frame(path)
    assert columns_of(read.frame) == {"a": [1234, 2345], "b": [1.5, 2.5]}
    assert read.notes == {"a": "read with points between thousands", "b": "read with decimal commas"}


def test_decimal_points_in_another_column_leave_only_certain_decimal_commas(tmp_path):
    path = write(tmp_path / "data.csv", {"a": ["1.5", "2.5"], "b": ["1,5", "2,5"], "c": ["1,234", "2,345"]}, ";")
    assert columns_of(read_frame(path).frame) == {"a": [1.5, 2.5], "b": [1.5, 2.5], "c": ["1,234", "2,345"]}


@pytest.mark.parametrize("marker", ["n/a", "N/A", "NA", "NaN", "null", "?", "", "-", "--", "none", "None", "unknown"])
def test_a_marker_of_missing_values_among_numbers_is_missing(run, tmp_path, marker):
    path = write(tmp_path / "data.csv", {"mixed": [marker, "11.0", "12.5"], "y": ["a", "b", "b"]})
    assert read_frame(path).frame["mixed"].to_list() == [None, 11.0, 12.5]
    assert "mixed   number" in run("columns", path).out


@pytest.mark.parametrize("word", ["-", "none", "unknown"])
def test_such_a_word_among_other_words_is_a_category(tmp_path, word):
    path = write(tmp_path / "data.csv", {"job": [word, "cook", "smith"], "only": [word] * 3})
    assert columns_of(read_frame(path).frame) == {"job": [word, "cook", "smith"], "only": [word] * 3}


def test_missing_adds_words_that_are_missing(run, tmp_path):
    path = write(
        tmp_path / "data.csv", {"a": ["k.A.", *map(str, range(1, N))], "c": ["-", *["u", "v", "w"] * 19, "u", "v"]}
    )
    out = run("columns", path).out
    assert "! a holds numbers as text" in out
    assert "To read it as numbers: --missing k.A." in out
    read = read_frame(path, CsvFormat(missing=("k.A.", "-")))
    assert [read.frame[name].null_count() for name in "ac"] == [1, 1]
    out = run("columns", path, "--missing", "k.A.", "--missing", "-").out
    assert "a       number" in out
    assert "!" not in out


@pytest.mark.parametrize(
    ("cells", "dtype", "first"),
    [
        (["2023-05-01", "2023-05-02"], pl.Date, dt.date(2023, 5, 1)),
        (["2023/5/1", "2023/12/2"], pl.Date, dt.date(2023, 5, 1)),
        (["01.05.2023", "02.05.2023"], pl.Date, dt.date(2023, 5, 1)),
        (["05/01/2023", "05/31/2023"], pl.Date, dt.date(2023, 5, 1)),
        (["01/05/2023", "31/05/2023"], pl.Date, dt.date(2023, 5, 1)),
        (["1.5.23", "31.5.23"], pl.Date, dt.date(2023, 5, 1)),
        (["2023-05-01 12:30:00", "2023-05-02 00:00:00"], pl.Datetime("us"), dt.datetime(2023, 5, 1, 12, 30)),
        (
            ["2023-05-01T12:30:00.25", "2023-05-02T00:00:00"],
            pl.Datetime("us"),
            dt.datetime(2023, 5, 1, 12, 30, 0, 250000),
        ),
        (["2023-05-01 12:30", "2023-05-02 00:00"], pl.Datetime("us"), dt.datetime(2023, 5, 1, 12, 30)),
        (["01.05.2023 12:30", "31.05.2023 00:00"], pl.Datetime("us"), dt.datetime(2023, 5, 1, 12, 30)),
        (["12:30", "08:15"], pl.Time, dt.time(12, 30)),
        (["12:30:10", "08:15:00"], pl.Time, dt.time(12, 30, 10)),
        (["2023-05-01", "unknown", "n/a"], pl.Date, dt.date(2023, 5, 1)),
        (["2023-05-01", "soon"], pl.String, "2023-05-01"),
        (["2023-05-01", "2023-05-32"], pl.String, "2023-05-01"),
        (["1.2.3", "1.2.4"], pl.String, "1.2.3"),
        (["20230501", "20230502"], pl.Int64, 20230501),
    ],
)
def test_dates_and_times_are_parsed_where_a_whole_column_is_written_so(tmp_path, cells, dtype, first):
    column = read_frame(write(tmp_path / "data.csv", {"t": cells, "b": cells})).frame["t"]
    assert column.dtype == dtype
    assert column[0] == first


@pytest.mark.parametrize("zone", ["Z", "+00:00", " UTC", "+0000"])
def test_a_time_zone_is_turned_into_utc(tmp_path, zone):
    path = write(
        tmp_path / "data.csv", {"t": [f"2023-05-01T12:30:00{zone}", f"2023-05-02T12:30:00{zone}"], "b": [1, 2]}
    )
    assert read_frame(path).frame["t"].to_list()[0] == dt.datetime(2023, 5, 1, 12, 30, tzinfo=dt.timezone.utc)
    path = write(tmp_path / "data.csv", {"t": ["2023-05-01T12:30:00+02:00"], "b": [1]})
    assert read_frame(path).frame["t"].to_list()[0] == dt.datetime(2023, 5, 1, 10, 30, tzinfo=dt.timezone.utc)


def test_predict_reads_dates_in_the_format_of_the_training_file(run, tmp_path):
    days = [dt.date(2023, 1, 1) + dt.timedelta(days=3 * row) for row in range(N)]
    train = write(
        tmp_path / "train.csv",
        {"day": [f"{day:%d/%m/%Y}" for day in days], "y": [int(day > dt.date(2023, 2, 3)) for day in days]},
    )
    model = tmp_path / "model.json"
    assert run("fit", train, "--target", "y", "--model", model, "--quiet").code == 0
    # Alone, these would be read with the month first: March 2 and May 1.
    new = write(tmp_path / "new.csv", {"day": ["02/03/2023", "01/05/2023", "05/01/2023"], "z": [1, 2, 3]})
    assert run("predict", model, new).out.split() == ["predicted_y", "1", "1", "0"]
    iso = write(tmp_path / "iso.csv", {"day": ["2023-03-02", "2023-01-05"], "z": [1, 2]})
    assert run("predict", model, iso).out.split() == ["predicted_y", "1", "0"]
    wrong = write(tmp_path / "wrong.csv", {"day": ["7", "8"], "z": [1, 2]})
    code, out, err = run("predict", model, wrong)
    assert (code, out) == (2, "")
    assert "Column 'day' of X holds numbers, but held dates when the model was fitted" in err


def test_a_model_shows_and_exports_dates(run, messy, tmp_path):
    model = tmp_path / "model.json"
    assert run("fit", messy, "--target", "Kunde", "--drop", "nr", "--model", model).code == 0
    assert run("show", model).out.startswith("Anmeldung <= 2023-05-01?")
    assert "DATE '2023-05-01'" in run("export", model, "--format", "sql").out
    predicted = pl.read_csv(io.StringIO(run("predict", model, messy).out))["predicted_Kunde"].to_list()
    assert predicted == pl.read_csv(messy, separator=";")["Kunde"].to_list()


def test_a_model_remembers_what_is_missing_and_predict_takes_more(run, tmp_path):
    cells = ["absent" if row % 3 == 0 else str(row) for row in range(N)]
    train = write(tmp_path / "train.csv", {"a": cells, "y": ["m" if row % 3 == 0 else "n" for row in range(N)]})
    model = tmp_path / "model.json"
    assert run("fit", train, "--target", "y", "--missing", "absent", "--model", model).code == 0
    new = write(tmp_path / "new.csv", {"a": ["absent", "4", "gone"], "z": [1, 2, 3]})
    assert run("predict", model, new).code == 2
    assert run("predict", model, new, "--missing", "gone").out.split() == ["predicted_y", "m", "n", "m"]


def test_a_model_written_before_dates_were_read_still_loads(run, fruit, model):
    record = json.loads(model.read_text())
    del record["csv"]
    model.write_text(json.dumps(record))
    assert run("predict", model, fruit).code == 0


def test_predict_reads_decimal_commas(run, tmp_path):
    train = write(tmp_path / "train.csv", {"a": [row / 2 for row in range(N)], "y": [row // 30 for row in range(N)]})
    model = tmp_path / "model.json"
    run("fit", train, "--target", "y", "--model", model)
    new = write(tmp_path / "new.csv", {"a": ["1,500", "20,250"], "z": [1, 2]})
    assert run("predict", model, new).code == 2
    assert run("predict", model, new, "--decimal", ",").out.split() == ["predicted_y", "0", "1"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-32"])
def test_a_byte_order_mark_tells_the_encoding(tmp_path, encoding):
    path = tmp_path / "data.csv"
    text = "größe,ort\n1,Köln\n2,Bonn\n"
    path.write_bytes(b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16-le-bom" else text.encode(encoding))
    assert columns_of(read_frame(path).frame) == {"größe": [1, 2], "ort": ["Köln", "Bonn"]}


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_a_file_that_is_not_utf_8_is_refused_with_the_option_that_reads_it(run, tmp_path, encoding):
    path = tmp_path / "data.csv"
    path.write_bytes("ort,y\nBonn,0\nKöln,1\n".encode(encoding))
    code, out, err = run("columns", path)
    assert (code, out) == (2, "")
    assert "data.csv: is not text in UTF-8 (byte 0xf6 in line 3)" in err
    assert "--encoding latin-1" in err
    assert read_frame(path, CsvFormat(encoding=encoding)).frame["ort"].to_list() == ["Bonn", "Köln"]


def test_a_wrong_encoding_is_refused_too(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes("ort,y\nKöln,1\n".encode())
    with pytest.raises(CommandError, match="is not text in ASCII"):
        read_frame(path, CsvFormat(encoding="ascii"))


def test_drop_and_keep_choose_columns(run, fruit):
    out = run("fit", fruit, "--target", "kind", "--drop", "color", "--drop", "stem").out
    assert "from 1 column," in out
    out = run("fit", fruit, "--target", "kind", "--keep", "color", "--keep", "weight").out
    assert "from 2 columns," in out
    assert "stem" not in out
    assert "stem" not in run("columns", fruit, "--keep", "weight").out


def test_a_model_of_chosen_columns_needs_only_these(run, fruit, tmp_path):
    model, new = tmp_path / "model.json", tmp_path / "new.csv"
    run("fit", fruit, "--target", "kind", "--keep", "weight", "--model", model)
    new.write_text("weight\n80\n150\n")
    code, out, _ = run("predict", model, new)
    assert code == 0
    assert len(out.split()) == 3


def test_of_many_columns_fit_lists_only_those_with_something_to_say(run, tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"c{column}": rng.integers(9, size=120) for column in range(100)}
    path = write(
        tmp_path / "data.csv", {"id": range(120), **columns, "flat": [1] * 120, "y": rng.integers(2, size=120)}
    )
    report = run("fit", path, "--target", "y", "--max-depth", 1).out.split("\n\n")[0].splitlines()
    assert [line.split()[0] for line in report] == ["column", "id", "flat", "102", "!"]
    assert report[3] == "102 columns in all: 102 number; 1 constant or empty; `hornbeam columns` lists all"
    assert len(run("columns", path, "--target", "y").out.splitlines()) == 104


def test_a_copy_of_the_target_is_reported(run, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    path = write(tmp_path / "data.csv", {"size": rng.normal(size=200), "paid": np.array(["no", "yes"])[y], "y": y})
    assert "! paid alone predicts the target of all rows" in run("fit", path, "--target", "y").out
    assert "!" not in run("fit", path, "--target", "y", "--drop", "paid").out


@pytest.mark.parametrize(
    ("cells", "remedy"),
    [
        ([f"{row},250" for row in range(1, N)], "--decimal ."),
        (
            [f"00{row} kg" for row in range(1, N)],
            "keep only the digits in the file; or leave it out: --drop 'the weight'",
        ),
        (
            ["2023-05-01", "soon", *(f"2023-06-{row % 28 + 1:02}" for row in range(N - 3))],
            "To read it as dates: --missing soon",
        ),
        ([*["01.05.2023", "2023-05-01"] * 29, "02.05.2023"], None),
    ],
)
def test_text_that_is_numbers_or_dates_is_reported_with_an_option(run, tmp_path, cells, remedy):
    path = write(tmp_path / "data.csv", {"the weight": cells, "b": [row % 7 for row in range(len(cells))]})
    out = run("columns", path).out
    assert ("! the weight holds " in out) == (remedy is not None)
    assert remedy is None or remedy in out


def test_quiet_prints_no_report(run, messy):
    assert run("fit", messy, "--target", "Kunde", "--quiet") == (0, "", "")


def test_text_in_parquet_files_is_parsed_only_if_asked_for(tmp_path):
    path = tmp_path / "data.parquet"
    pl.DataFrame({"a": ["1,5", "2,5"], "day": [dt.date(2023, 5, 1), None]}).write_parquet(path)
    assert read_frame(path).frame["a"].to_list() == ["1,5", "2,5"]
    assert read_frame(path, CsvFormat(",")).frame["a"].to_list() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("cells", "numbers", "unit"),
    [
        (["62.2 kg", "70 kg", "n/a", "-3.5kg"], [62.2, 70.0, None, -3.5], "kg"),
        (["12.3%", "5 %", "0.7%", "5 %"], [12.3, 5.0, 0.7, 5.0], "%"),
        (["$38,821", "$1,000", "-$250", "$38,821"], [38821, 1000, -250, 38821], "$"),
        (["1.250,50 €", "3,25 €", "7 €", "7 €"], [1250.5, 3.25, 7.0, 7.0], "€"),
    ],
)
def test_numbers_with_one_unit_are_numbers_and_a_note_says_so(tmp_path, cells, numbers, unit):
    data = read_frame(write(tmp_path / "data.csv", {"a": cells, "b": range(4)}, separator=";"))
    assert data.frame["a"].to_list() == numbers
    assert data.notes["a"].startswith(f"read as numbers, without {unit!r}")


@pytest.mark.parametrize(
    "cells",
    [["3 kg", "4 lb", "5 kg"], ["10th", "1st-4th", "12th"], ["00123X", "00124X", "00125X"], ["3 kg", "4 kg"] * 2],
)
def test_other_strings_with_digits_stay_categories(tmp_path, cells):
    data = read_frame(write(tmp_path / "data.csv", {"a": cells, "b": range(len(cells))}))
    assert data.frame["a"].to_list() == cells


def test_commas_in_front_of_a_decimal_point_group_thousands_without_an_option(tmp_path):
    data = read_frame(write(tmp_path / "data.tsv", {"a": ["1,927.06", "887.40", "12"], "b": range(3)}, separator="\t"))
    assert data.frame["a"].to_list() == [1927.06, 887.4, 12.0]
    assert data.notes == {"a": "read with commas between thousands"}


def test_predict_reads_the_unit_of_the_training_file_and_no_other(run, tmp_path):
    train = write(
        tmp_path / "train.csv",
        {"size": [f"{row} kg" for row in range(1, N)], "y": [int(row > 20) for row in range(1, N)]},
    )
    assert run("fit", train, "--target", "y", "--model", tmp_path / "m.json").code == 0
    new = write(tmp_path / "new.csv", {"size": ["10 kg", "30 kg", "40"]})
    assert run("predict", tmp_path / "m.json", new).out.split() == ["predicted_y", "0", "1", "1"]
    pounds = write(tmp_path / "pounds.csv", {"size": ["10 lb", "30 lb", "40 lb"]})
    code, _, err = run("predict", tmp_path / "m.json", pounds)
    assert code == 2
    assert "'size'" in err


def test_numbers_with_leading_zeros_such_as_postal_codes_are_text(tmp_path):
    data = read_frame(
        write(tmp_path / "data.csv", {"zip": ["80430", "01204", "44363"], "hour": ["0830", "0930", "1030"]})
    )
    assert data.frame["zip"].to_list() == ["80430", "01204", "44363"]
    assert data.frame["hour"].to_list() == [830, 930, 1030]
    assert data.notes == {"zip": "kept as text because of leading zeros, such as '01204'"}


def test_spaces_around_text_are_left_out(tmp_path):
    data = read_frame(write(tmp_path / "data.csv", {"a": ["Yes ", " no", "Yes"], "b": range(3)}))
    assert data.frame["a"].to_list() == ["Yes", "no", "Yes"]


def test_capitals_that_mean_nothing_are_reported_and_an_option_leaves_them_out(run, tmp_path):
    rng = np.random.default_rng(0)
    smokes = rng.integers(2, size=200)
    answers = np.array([["no", "NO"], ["yes", "Yes"]])[smokes, rng.integers(2, size=200)]
    risk = np.where(smokes ^ (rng.random(200) < 0.1), np.where(rng.random(200) < 0.5, "High", "high"), "low")
    path = write(tmp_path / "data.csv", {"smokes": answers, "b": rng.integers(9, size=200), "risk": risk})
    out = run("fit", path, "--target", "risk", "--max-depth", 1).out
    assert "! smokes has values that differ only in capitals or spaces, such as 'NO' and 'no'" in out
    assert "! the target risk has values that differ only in capitals or spaces, such as 'High' and 'high'" in out
    assert "All of this at once: --ignore-case smokes --ignore-case risk" in out
    options = ["--ignore-case", "smokes", "--ignore-case", "risk"]
    out = run("fit", path, "--target", "risk", "--max-depth", 1, *options, "--model", tmp_path / "m.json").out
    assert "!" not in out.split("\n\n")[0]
    predicted = run("predict", tmp_path / "m.json", path).out.split()[1:]
    assert predicted == np.where(smokes, "high", "low").tolist()


def test_a_number_that_stands_for_missing_values_is_reported_with_the_option_that_reads_it(run, tmp_path):
    values = np.random.default_rng(0).normal(size=100).round(2)
    values[::10] = -999
    path = write(tmp_path / "data.csv", {"a": values, "b": range(100)})
    assert "! a holds -999 in 10 rows, which looks like a code" in run("columns", path).out
    assert "To read it as missing in all columns: --missing=-999" in run("columns", path).out
    assert "!" not in run("columns", path, "--missing=-999", "--drop", "b").out


def test_rows_without_a_class_are_left_out_with_a_note(run, tmp_path):
    path = write(tmp_path / "data.csv", {"a": range(60), "y": ["", "n/a", *["no", "yes"] * 29]})
    code, out, err = run("fit", path, "--target", "y", "--max-depth", 1)
    assert (code, err) == (0, "")
    assert "* y (target): missing in 2 of 60 rows, which are left out" in out
    assert " of 58 correct" in out


def test_fit_without_a_score_on_new_rows_says_how_to_get_one(run, fruit):
    assert run("fit", fruit, "--target", "kind").out.endswith("--cv 5 (or --test-size 0.25)\n")


def test_spaces_around_the_names_of_columns_are_left_out(run, tmp_path):
    path = write(tmp_path / "data.csv", {" size ": range(40), "Kind": ["a"] * 20 + ["b"] * 20})
    out = run("fit", path, "--target", "Kind", "--keep", "size", "--model", tmp_path / "m.json").out
    assert without_columns(out).startswith("size <= 19.5?")
    assert run("predict", tmp_path / "m.json", path).code == 0
    twins = write(tmp_path / "twins.csv", {" size ": range(40), "size": range(40)})
    assert read_frame(twins).frame.columns == [" size ", "size"]


def test_a_tree_without_a_split_comes_with_advice(run, tmp_path):
    rng = np.random.default_rng(0)
    path = write(tmp_path / "data.csv", {"a": rng.integers(5, size=200), "y": [int(row < 5) for row in range(200)]})
    advice = (
        "The tree has no split: none lowers the loss by more than the leaf penalty of 0.01. Try --regularization 0.001."
    )
    assert f"{advice} If a class is rare, try --objective balanced" in run("fit", path, "--target", "y").out
    for option in (["--max-depth", 0], ["--max-leaves", 1]):
        assert "no split" not in run("fit", path, "--target", "y", *option).out


def test_a_tree_without_a_split_since_the_search_was_stopped_names_no_option_but_those_of_the_note(run, tmp_path):
    rng = np.random.default_rng(0)
    path = write(tmp_path / "data.csv", {"a": rng.normal(size=200), "y": rng.integers(2, size=200)})
    _, out, err = run("fit", path, "--target", "y", "--max-depth", 2, "--regularization", 0.001, "--time-limit", 0)
    advice = "The tree has no split yet: the time limit ended the search before it found a better tree."
    assert advice in out.splitlines()
    assert "--max-depth" not in out + err  # a smaller depth than 2 would not help
    assert err.startswith("hornbeam: note: for a proof, try --")
