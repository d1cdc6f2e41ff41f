"""Turn the text of a CSV file into columns: encoding, missing values, decimal commas, dates."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.number_units import unit_of, without_unit
from hornbeam.columns import MISSING_MARKERS

# Missing in every column; the other markers (such as - and unknown) only among numbers and dates.
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "?")

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NUMBER = r"[+-]?\d+(\.\d*)?"
_WHOLE = r"^[+-]?\d+$"
_COMMA = r"^[+-]?(\d*|\d{1,3}([.\s']\d{3})+),\d+([eE][+-]?\d+)?$|^[+-]?\d{1,3}([.\s']\d{3})*$|^[+-]?\d+$"
_CERTAIN_COMMA = r",(\d{1,2}|\d{4,})$|^[+-]?0?,|[.\s']\d{3},|\d{4},"
_CERTAIN_POINT = r"^[+-]?[\d,]*\.(\d{1,2}|\d{4,})$|^[+-]?0?\.|,\d{3}\.|\d{4}\."
_GROUPED = r"^[+-]?\d{1,3}([,\s']\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$"
_CERTAIN_GROUPS = r"^[+-]?\d{1,3}(,\d{3})+\.\d+$"
_CODE = r"^\s*0\d{4,}\s*$"  # such as a postal code: no quantity has leading zeros
_DATE_START = r"^\s*\d{1,4}[-/.:]\d{1,2}"

_LONG_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y")
_DATES = (*_LONG_DATES, "%d.%m.%y", "%m/%d/%y", "%d/%m/%y")
_CLOCKS = ("%H:%M:%S%.f", "%H:%M")
_FORMATS = (
    *_DATES,
    *(
        f"{date}{mark}{clock}{zone}"
        for date in _DATES
        for mark in "T "
        for clock in _CLOCKS
        for zone in ("", "%z", " %z")
    ),
    *_CLOCKS,
)
_ISO = tuple(form for form in _FORMATS if form.startswith("%Y-"))
_WORDS = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%H": "HH", "%M": "MM", "%S%.f": "SS"}


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """The format of a file; unknown parts are detected.

    `decimal` is "." or ",", or "" if unknown; `dates` holds the format of each column of dates, as for strptime;
    `units` holds the unit of each column of numbers with a unit; `ignore_case` names the columns of text that are read
    in lower case; `trim` tells whether spaces around text are removed.
    """

    decimal: str = ""
    encoding: str = ""
    missing: tuple[str, ...] = ()
    dates: dict[str, str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    ignore_case: tuple[str, ...] = ()
    trim: bool = True

    def __post_init__(self) -> None:
        if self.decimal not in ("", ".", ","):
            raise CommandError(f"--decimal {self.decimal!r}: expected . or ,")


def decoded(path: Path, encoding: str) -> bytes:
    """Return the text of a file in UTF-8 without byte order mark.

    Raises
    ------
    CommandError
        If the file is missing, is empty, or is not in this encoding; the message names one to try.
    """
    with refusals_as_command_errors():
        raw = path.read_bytes()
    if not raw:
        raise CommandError(f"{path}: the file is empty")
    found = encoding or next((name for mark, name in _BYTE_ORDER_MARKS if raw.startswith(mark)), "utf-8")
    try:
        text = raw.decode(found)
    except LookupError:
        raise CommandError(f"--encoding {encoding!r}: unknown encoding; try utf-8, latin-1, cp1252 or utf-16") from None
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        where = f"byte 0x{raw[start]:02x} in line {raw[:start].count(10) + 1}"
        advice = "give its encoding, for example --encoding cp1252 or --encoding utf-8"
        if not encoding:
            advice = "if it is from an older program, give --encoding latin-1 (or cp1252, as Windows writes)"
        raise CommandError(f"{path}: is not text in {found.upper()} ({where}); {advice}") from None
    if "\0" in text.partition("\n")[0]:
        raise CommandError(f"{path}: is neither a CSV nor a Parquet file (whose name must end in .parquet)")
    return raw if found == "utf-8" else text.removeprefix("\ufeff").encode()


def parsed_columns(
    frame: pl.DataFrame, written: CsvFormat, kinds: Mapping[str, str], separator: str
) -> tuple[pl.DataFrame, CsvFormat, dict[str, str]]:
    """Turn the columns of text of a frame into booleans, numbers and dates if all their values are such.

    Parameters
    ----------
    frame : polars DataFrame
    written : CsvFormat
        What is known of the format of the file.
    kinds : dict of str to str
        The kinds of columns that a model expects: "category" for text, "number" for numbers or missing values.
    separator : str
        The separator of the cells.

    Returns
    -------
    frame : polars DataFrame
    written : CsvFormat
        With what was detected: the decimal mark, the formats of dates and the units.
    notes : dict of str to str
        How columns of an unusual format were read.
    """
    missing = (*MISSING, *written.missing)
    columns = {name: _without(frame[name], missing) for name, dtype in frame.schema.items() if dtype == pl.String}
    if written.trim:
        columns = {name: column.str.strip_chars() for name, column in columns.items()}
    columns |= {name: column.str.to_lowercase() for name, column in columns.items() if name in written.ignore_case}
    not_text = {name: column for name, column in columns.items() if kinds.get(name) != "category"}
    # Whole numbers first: most columns are, and this saves finding their distinct values.
    whole = {name: column.cast(pl.Int64, strict=False) for name, column in not_text.items()}
    whole = {name: numbers for name, numbers in whole.items() if 0 < numbers.count() == columns[name].count()}
    codes = {name: code for name in whole if not kinds.get(name) and (code := _first_code(columns[name]))}
    columns |= {name: numbers for name, numbers in whole.items() if name not in codes}
    distinct = {name: _distinct(column) for name, column in not_text.items() if name not in whole}
    decimal = written.decimal or _decimal_of(list(distinct.values()), separator)
    found = replace(written, decimal=decimal, dates=dict(written.dates), units=dict(written.units))
    notes = {name: f"kept as text because of leading zeros, such as {code!r}" for name, code in codes.items()}
    for name, values in distinct.items():
        read = _read_column(columns[name], values, found, kinds.get(name, ""))
        if read is not None:
            columns[name], note = read
            notes |= {name: note} if note else {}
    return frame.with_columns(column.alias(name) for name, column in columns.items()), found, notes


def _first_code(column: pl.Series) -> str:
    """Return the first value with leading zeros, such as 01204; "" if there is none."""
    codes = column.filter(column.str.contains(_CODE).fill_null(False))
    return str(codes[0]) if len(codes) else ""


def _without(column: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    cells = column.str.strip_chars()
    is_missing = cells.is_in(list(missing)).fill_null(True)
    numbers = [float(word) for word in missing if re.fullmatch(_NUMBER, word)]  # -999 is also written -999.0
    if numbers:
        is_missing |= cells.cast(pl.Float64, strict=False).is_in(numbers).fill_null(False)
    return column.set(is_missing, None)


def _is_marker(column: pl.Series) -> pl.Series:
    return column.str.strip_chars().str.to_lowercase().is_in(list(MISSING_MARKERS)).fill_null(True)


def _distinct(column: pl.Series) -> pl.Series:
    """Return the distinct values, without surrounding spaces and markers of missing values."""
    return column.filter(~_is_marker(column)).str.strip_chars().unique()


def _decimal_of(distinct: list[pl.Series], separator: str) -> str:
    """Return "," if some column has decimal commas and none has decimal points, else ""."""
    with_commas = [values for values in distinct if len(values) and _all(values, _COMMA) and _any(values, ",")]
    if not with_commas or any(_all(values, _GROUPED) and _any(values, _CERTAIN_POINT) for values in distinct):
        return ""
    return "," if separator == ";" or any(_any(values, _CERTAIN_COMMA) for values in with_commas) else ""


def _all(values: pl.Series, pattern: str) -> bool:
    return bool(values.str.contains(pattern).all())


def _any(values: pl.Series, pattern: str) -> bool:
    return bool(values.str.contains(pattern).any())


def _read_column(column: pl.Series, values: pl.Series, found: CsvFormat, kind: str) -> tuple[pl.Series, str] | None:
    """Return the column as numbers or dates, and a note; None if it is text.

    The format of dates and the unit of numbers are added to `found`.
    """
    if values.is_empty():
        is_empty = column.null_count() == len(column) or kind not in ("", "category")
        return (pl.Series(column.name, [None] * len(column), dtype=pl.Float64), "") if is_empty else None
    cells = column.set(_is_marker(column), None).str.strip_chars()
    n_markers = cells.null_count() - column.null_count()
    markers = ""
    if n_markers:
        first = column.filter(_is_marker(column) & column.is_not_null())[0]
        markers = f"{n_markers:,} cell{'s' if n_markers != 1 else ''} like {first!r} read as missing"
    if values.str.to_lowercase().is_in(["true", "false"]).all():
        return cells.str.to_lowercase() == "true", markers
    # From the strictest form to the loosest: plain numbers, numbers with a unit, dates. The units and formats of a
    # model come first, so that new rows are read as the training rows were.
    name = column.name
    for numbers, note in _numbers(cells, values, found.decimal):
        return numbers, ", ".join(filter(None, (note, markers)))
    unit = found.units.get(name) or ("" if kind else unit_of(values))
    if unit:
        # Dollars and pounds are written with a decimal point, which makes the comma of $1,234 unambiguous.
        decimal = found.decimal or ("." if unit in "$£" and not _any(values, _CERTAIN_COMMA) else "")
        for numbers, note in _numbers(without_unit(cells, unit), without_unit(values, unit), decimal):
            found.units[name] = unit
            return numbers, ", ".join(filter(None, (f"read as numbers, without {unit!r}", note, markers)))
    # One cell decides whether all formats are tried, which would be slow for every column of text.
    if kind not in ("number", "category") and _any(values.head(1), _DATE_START):
        date_format = found.dates.get(name, "")
        for form in (date_format, *_ISO) if date_format else _FORMATS:
            if _as_dates(values, form).null_count() == 0:
                found.dates[name] = form
                return _as_dates(cells, form), ", ".join(filter(None, (_date_note(values, form), markers)))
    return None


def _numbers(cells: pl.Series, values: pl.Series, decimal: str) -> Iterator[tuple[pl.Series, str]]:
    """Return the cells as numbers, and a note, if all values are numbers."""
    commas = decimal != "." and _all(values, _COMMA) and (decimal == "," or _any(values, _CERTAIN_COMMA))
    if commas and not _all(values, _WHOLE):
        digits = cells.str.replace_all(r"[.\s']", "").str.replace(",", ".", literal=True)
        yield (
            _narrowed(digits),
            "read with decimal commas" if _any(values, ",") else "read with points between thousands",
        )
    elif values.cast(pl.Float64, strict=False).null_count() == 0:
        yield _narrowed(cells), ""
    elif _all(values, _GROUPED) and (decimal == "." or (not decimal and _any(values, _CERTAIN_GROUPS))):
        yield _narrowed(cells.str.replace_all(r"[,\s']", "")), "read with commas between thousands"


def _narrowed(digits: pl.Series) -> pl.Series:
    """Return integers if all cells are such, else floats."""
    whole = digits.cast(pl.Int64, strict=False) if _all(digits.drop_nulls(), _WHOLE) else None
    return whole if whole is not None and whole.null_count() == digits.null_count() else digits.cast(pl.Float64)


def _as_dates(values: pl.Series, date_format: str) -> pl.Series:
    """Return dates, datetimes (in UTC if the format has a time zone) or times; null if the format does not fit."""
    if "%d" not in date_format:
        return values.str.to_time(date_format, strict=False)
    # strptime accepts the years 23 and 2023 for either code.
    fits = values.str.contains(r"(^|\D)\d{4}(\D|$)" if "%Y" in date_format else r"^\d{1,2}\D\d{1,2}\D\d{2}(\D|$)")
    values = values.set(~fits.fill_null(True), None)
    if "%H" not in date_format:
        return values.str.to_date(date_format, strict=False)
    if "%z" not in date_format:
        return values.str.to_datetime(date_format, time_unit="us", strict=False)
    values = values.str.replace(r"(Z|UTC)$", "+0000")
    return values.str.to_datetime(date_format, time_unit="us", time_zone="UTC", strict=False)


def _date_note(values: pl.Series, date_format: str) -> str:
    """Return how dates were read, or nothing if they are written as in ISO 8601."""
    if date_format in _ISO:
        return ""
    words = date_format.removesuffix("%z").strip()
    for code, word in _WORDS.items():
        words = words.replace(code, word)
    note = f"read as {'dates' if '%d' in date_format else 'times'}, {words}"
    note += " and a time zone" if "%z" in date_format else ""
    swapped = date_format.replace("%m", "%x").replace("%d", "%m").replace("%x", "%d")
    if date_format.startswith("%m") and _as_dates(values, swapped).null_count() == 0:
        note += " (or is the day first? Then write YYYY-MM-DD)"
    return note
