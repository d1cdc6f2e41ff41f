"""One column of a table, and how it is read from a series, from numbers, from dates or from Python objects."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Complex, Real
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_float
from hornbeam._dates import PLURALS, DateKind, as_date_kind, is_date_type, seconds_of_array, seconds_of_cells

Kind: TypeAlias = Literal["number", "category"] | DateKind
KINDS: tuple[str, ...] = (*get_args(Literal["number", "category"]), *get_args(DateKind))

# Integer types of polars that NumPy lacks.
WIDE_INTEGERS = {nw.Int128, nw.UInt128}

_NO_SPLIT = "on which a tree cannot split. Convert it to numbers or strings, or leave it out."


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column: numbers that float64 holds exactly (NaN = missing), or Python scalars as objects (None = missing).

    Dates, times and durations are numbers of seconds: since 1970-01-01, since midnight, or of the duration.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    is_boolean: bool = False
    """Whether the numbers are the user's booleans, which are worded as such."""

    def take(self, rows: npt.NDArray[Any]) -> Column:
        """Return some rows, given as indices or as a boolean mask of shape (n_rows,)."""
        return replace(self, values=self.values[rows])

    def is_missing(self) -> npt.NDArray[np.bool_]:
        """Return for each row whether its value is missing; shape (n_rows,)."""
        if self.kind != "category":
            is_float = self.values.dtype.kind == "f"
            return np.isnan(self.values) if is_float else np.zeros(len(self.values), dtype=bool)
        return np.fromiter((value is None for value in self.values), dtype=bool, count=len(self.values))


def column_of_series(name: str, series: nw.Series[Any], expected: Kind | None) -> Column:
    """Read a column of a data frame, as the expected kind if there is one."""
    dtype = series.dtype
    if dtype in WIDE_INTEGERS:
        return column_of_numbers(name, _exact_numbers(name, series.to_list()), expected)
    if dtype.is_numeric() or dtype == nw.Boolean:
        values = series.to_numpy()
        if values.dtype.kind in "biuf":
            return column_of_numbers(name, values.copy(), expected, is_boolean=dtype == nw.Boolean)
        # Some older versions of pandas return missing values as NA objects.
        missing = series.is_null().to_numpy().astype(bool)
        numbers = np.where(missing, np.nan, series.cast(nw.Float64).to_numpy())
        return column_of_numbers(name, numbers, expected, is_boolean=dtype == nw.Boolean)
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return _column_of_dates(name, series, expected)
    if dtype in (nw.String, nw.Object, nw.Time):
        cells = series.to_list()
    elif series.is_null().all():
        return column_of_numbers(name, np.full(len(series), np.nan), expected)
    elif dtype in (nw.Categorical, nw.Enum):
        cells = [_text_unless_scalar(cell) for cell in series.to_list()]
        expected = expected or "category"
    else:
        found = str(getattr(series.to_native(), "dtype", dtype))
        if found.startswith("Sparse["):
            raise TypeError(f"Column {name!r} of X is sparse ({found}). Convert it: X = X.sparse.to_dense().")
        raise TypeError(f"Column {name!r} of X holds values of type {found}, {_NO_SPLIT}")
    return column_of_cells(name, cells, expected)


def _exact_numbers(name: str, integers: list[int | None]) -> npt.NDArray[np.float64]:
    """Return integers of 128 bits as float64, NaN for None, if float64 holds them."""
    numbers = np.array([np.nan if integer is None else float(integer) for integer in integers])
    for row, (number, integer) in enumerate(zip(numbers.tolist(), integers, strict=True)):
        if integer is not None and number != integer:
            raise ValueError(
                f"Column {name!r} of X holds {integer} in row {row}, an integer of 128 bits that float64 does not hold "
                "exactly. Convert the column to float64 or to strings."
            )
    return numbers


def _column_of_dates(name: str, series: nw.Series[Any], expected: Kind | None) -> Column:
    has_zone = getattr(series.dtype, "time_zone", None) is not None
    if has_zone:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype == object:  # pandas columns of pyarrow types
        cells = ["NaT" if is_missing_value(cell) else cell for cell in values]
        values = np.array(cells, dtype="m8[us]" if series.dtype == nw.Duration else "M8[us]")
    kind, seconds = seconds_of_array(values)
    return as_kind(Column(name, "datetime_utc" if has_zone else kind, seconds), expected)


def column_of_numbers(
    name: str, values: npt.NDArray[Any], expected: Kind | None, *, is_boolean: bool = False
) -> Column:
    """Return a column of numbers, without a copy if their type is kept."""
    numbers = values.astype(dtype_of_numbers(values.dtype), copy=False)
    check_finite(name, numbers)
    return as_kind(Column(name, "number", numbers, is_boolean), expected)


def column_of_cells(name: str, values: Sequence[Any] | npt.NDArray[Any], expected: Kind | None) -> Column:
    """Read Python objects: numbers if all are numbers, otherwise categories."""
    cells = [None if is_missing_value(cell) else cell for cell in values]
    # Types are few and cells are many, so every check that can be made by type is.
    types = set(map(type, cells)) - {type(None)}
    for cell_type in types:
        _check_cell_type(name, cell_type)
    if any(map(is_date_type, types)):
        dates = seconds_of_cells(name, cells)
        if dates is None:
            raise TypeError(
                f"Column {name!r} of X mixes dates with other values: {', '.join(sorted(t.__name__ for t in types))}. "
                "Convert all of them to dates, for example by pandas.to_datetime."
            )
        return as_kind(Column(name, *dates), expected)
    if expected != "category" and not any(issubclass(cell_type, str) for cell_type in types):
        try:
            is_boolean = len(types) > 0 and all(issubclass(cell_type, (bool, np.bool_)) for cell_type in types)
            numbers = np.array(cells, dtype=object).astype(np.float64)
            return column_of_numbers(name, numbers, expected, is_boolean=is_boolean)
        except OverflowError:
            raise ValueError(f"Column {name!r} of X holds a number too large for float64 (infinity).") from None
    categories = np.empty(len(cells), dtype=object)
    categories[:] = [_python_scalar(cell) for cell in cells]
    if types - {str, bool}:
        check_finite(name, np.array([0.0 if isinstance(cell, str) else as_float(cell or 0) for cell in cells]))
    return as_kind(Column(name, "category", categories), expected)


def is_missing_value(cell: object) -> bool:
    """Return whether a Python object stands for a missing value: None, NaN, NaT or pandas' NA."""
    if cell is None or isinstance(cell, (str, int)):
        return cell is None
    pandas = sys.modules.get("pandas")
    if pandas is not None and (cell is pandas.NA or cell is pandas.NaT):
        return True
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(cell))
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return isinstance(cell, Real) and bool(cell != cell)


def _check_cell_type(name: str, cell_type: type) -> None:
    if issubclass(cell_type, (str, np.bool_, Real, Decimal)) or is_date_type(cell_type):
        return
    if issubclass(cell_type, Complex):
        raise ValueError(f"Complex data not supported (column {name!r} of X)")
    # The beginning is the wording of scikit-learn, on which its `check_estimator` insists.
    raise TypeError(
        f"argument must be a string or a real number, not {cell_type.__name__!r}: column {name!r} of X holds such "
        f"values, {_NO_SPLIT}"
    )


def _python_scalar(cell: Any) -> Any:
    """Turn NumPy scalars, and other types of numbers and strings, into plain Python scalars."""
    if isinstance(cell, np.generic):
        return cell.item()
    if cell is None or type(cell) in (str, bool, int, float):
        return cell
    return str(cell) if isinstance(cell, str) else as_float(cell)


def _text_unless_scalar(category: Any) -> Any:
    """Turn categories that are neither numbers nor strings, such as the intervals of ``pandas.cut``, into strings."""
    return category if isinstance(category, (str, Real, np.bool_, type(None))) else str(category)


def as_kind(column: Column, expected: Kind | None) -> Column:
    """Return the column as the expected kind: dates and datetimes are interchangeable, as are all-missing columns."""
    if expected is None or column.kind == expected:
        return column
    seconds = as_date_kind(column.values, column.kind, expected)
    if seconds is not None:
        return Column(column.name, expected, seconds)
    if not column.is_missing().all():
        raise ValueError(
            f"Column {column.name!r} of X holds {PLURALS[column.kind]}, but held {PLURALS[expected]} when the model "
            "was fitted. Convert it back."
        )
    missing: list[Any] = [None if expected == "category" else np.nan] * len(column.values)
    return Column(column.name, expected, np.array(missing, dtype=object if expected == "category" else np.float64))


def dtype_of_numbers(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Keep types that are narrower than float64 and exact in it; turn all others into float64."""
    is_kept = dtype.isnative and (dtype == np.float32 or (dtype.kind in "biu" and dtype.itemsize < 8))
    return dtype if is_kept else np.dtype(np.float64)


def check_finite(name: str, numbers: npt.NDArray[Any]) -> None:
    """Raise a ValueError that names the column and the row of an infinite number."""
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise ValueError(
            f"Column {name!r} of X holds an infinite number (infinity or too large for float64) in row {infinite[0]}. "
            "Replace it, or mark it as missing by NaN."
        )
