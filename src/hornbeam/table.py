"""Read what users have - arrays, lists, data frames - as one table of columns of numbers, categories and dates.

Numbers are floats with NaN for missing, or integers of up to 32 bits or booleans where none is missing; booleans are
the numbers 0 and 1, and a table of these takes a bit a cell. Dates, times and durations are seconds (see `_dates`).
Categories are Python scalars with None for missing.
Nothing behind this file knows NumPy object arrays, pandas, polars or pyarrow.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Complex, Real
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from hornbeam._dates import PLURALS, DateKind, as_date_kind, is_date_type, seconds_of_array, seconds_of_cells
from hornbeam._flags import BYTES_IN_CACHE, Flags, pack_flags

Kind: TypeAlias = Literal["number", "category"] | DateKind
KINDS: tuple[str, ...] = (*get_args(Literal["number", "category"]), *get_args(DateKind))

_FIRST_NAMES = tuple(map("x{}".format, range(1000)))

# The wording of scikit-learn, on which its `check_estimator` insists.
_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) "
    "if it contains a single sample."
)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column: numbers that float64 holds exactly (NaN = missing), or Python scalars as objects (None = missing).

    Dates, times and durations are numbers of seconds: since 1970-01-01, since midnight, or of the duration.
    """

    name: str
    kind: Kind
    values: npt.NDArray[Any]

    def is_missing(self) -> npt.NDArray[np.bool_]:
        """Return for each row whether its value is missing; shape (n_rows,)."""
        if self.kind != "category":
            is_float = self.values.dtype.kind == "f"
            return np.isnan(self.values) if is_float else np.zeros(len(self.values), dtype=bool)
        return np.fromiter((value is None for value in self.values), dtype=bool, count=len(self.values))


@dataclass(frozen=True, slots=True)
class TableSchema:
    """What a later table must look like: names and kinds of the columns, and whether the user gave the names."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    named: bool = False

    def check_names(self, names: tuple[str, ...], named: bool, user: str) -> None:
        """Compare names and number of columns in the words of scikit-learn, on behalf of `user` (a class name).

        Raises
        ------
        ValueError
            If the number of columns, or a name or its place differs.

        Warns
        -----
        UserWarning
            If only one of the two tables has names given by the user.
        """
        if named and self.named and names != self.names:
            raise ValueError(_names_differ(self.names, names))
        if len(names) != len(self.names):
            raise ValueError(
                f"X has {len(names)} features, but {user} is expecting {len(self.names)} features as input."
            )
        if named and not self.named:
            warnings.warn(f"X has feature names, but {user} was fitted without feature names", stacklevel=4)
        if self.named and not named:
            warnings.warn(
                f"X does not have valid feature names, but {user} was fitted with feature names", stacklevel=4
            )


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length: what is known of each, and its values as in `Column`.

    `values` is `Flags` where all columns are booleans, a matrix of shape (n_columns, n_rows) where all hold numbers of
    one other type, else an array for each column.
    """

    schema: TableSchema
    values: Flags | npt.NDArray[Any] | tuple[npt.NDArray[Any], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.schema.names

    @property
    def named(self) -> bool:
        """Whether the names are the user's, not made up as ``x0``, ``x1``, ..."""
        return self.schema.named

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.values.n_rows if isinstance(self.values, Flags) else len(self.values[0])

    @property
    def flags(self) -> Flags | None:
        """The values of all columns where all are booleans; else None."""
        return self.values if isinstance(self.values, Flags) else None

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, made anew each time."""
        return tuple(map(Column, self.schema.names, self.schema.kinds, self.values))

    def column(self, index: int, rows: npt.NDArray[Any] | slice = slice(None)) -> Column:
        """Return one column, or some rows of it."""
        return Column(self.schema.names[index], self.schema.kinds[index], self.values[index][rows])

    def has_missing(self) -> tuple[bool, ...]:
        """Return for each column whether any value is missing."""
        if isinstance(self.values, Flags) or (isinstance(self.values, np.ndarray) and self.values.dtype.kind != "f"):
            return (False,) * len(self.values)
        return tuple(bool(column.is_missing().any()) for column in self.columns)

    def take(self, rows: npt.NDArray[Any]) -> Table:
        """Return the table of some rows, given as indices or as a boolean mask of shape (n_rows,)."""
        if isinstance(self.values, Flags):
            return Table(self.schema, self.values.take(rows))
        if isinstance(self.values, np.ndarray):
            return Table(self.schema, np.ascontiguousarray(self.values[:, rows]))
        return Table(self.schema, tuple(values[rows] for values in self.values))


class TableInput:
    """Mixin of everything that is fitted on a table: the attributes of scikit-learn about its columns."""

    schema_: TableSchema

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the table seen in `fit`."""
        return len(self.schema_.names)

    @property
    def feature_names_in_(self) -> npt.NDArray[np.object_]:
        """Names of the columns seen in `fit`; only there if the table was a data frame whose names are texts."""
        if not self.schema_.named:
            raise AttributeError("feature_names_in_ exists only after fitting on a data frame with column names")
        return np.array(self.schema_.names, dtype=object)

    def _read(self, X: Any) -> Table:
        """Read a table that must look like the one of `fit`."""
        return read_table(X, expect=self.schema_, user=type(self).__name__)


def read_table(X: Any, *, expect: TableSchema | None = None, user: str = "Tree") -> Table:
    """Read a table of at least one row and one column.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns), data frame or Table
        NumPy array of numbers, booleans, texts or objects, list of rows, or any eager data frame that narwhals reads
        (pandas, polars, pyarrow, ...). Columns of numbers and booleans become numbers; strings, categoricals and enums
        become categories; dates, datetimes, durations and times of day keep their kind; a column of Python objects is
        a column of numbers if all its entries are numbers, and of dates if all are dates. None, NaN, NaT, NA and null
        are missing values.
    expect : TableSchema or None, default=None
        What the table must look like. None: anything goes.
    user : str, default="Tree"
        Class name in messages about differences from `expect`.

    Returns
    -------
    Table

    Raises
    ------
    ValueError
        If `X` is not two-dimensional, is empty, holds complex or infinite numbers, or differs from `expect`.
    TypeError
        If `X` is sparse or lazy, or holds values that are not numbers, strings or dates (such as lists).

    Examples
    --------
    >>> from hornbeam.table import read_table
    >>> table = read_table([[20, "red"], [None, "blue"]])
    >>> table.names, [column.kind for column in table.columns]
    (('x0', 'x1'), ['number', 'category'])
    """
    if isinstance(X, Table):
        if expect is not None:
            expect.check_names(X.names, X.named, user)
            return _as_kinds(X, expect.kinds)
        return X
    if isinstance(X, np.ndarray):
        return _read_array(X, expect, user)
    if issparse(X):
        raise TypeError(
            "Sparse data was passed for X, but dense data is required. Use '.toarray()' to convert to a dense numpy "
            "array."
        )
    try:
        native = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"The columns of X must have different names. {error}") from None
    if isinstance(native, nw.LazyFrame):
        raise TypeError(f"X is a lazy frame ({type(X).__name__}); call its collect() first.")
    if isinstance(native, nw.DataFrame):
        return _read_frame(native, expect, user)
    return _read_array(X, expect, user)


def _read_frame(frame: nw.DataFrame[Any], expect: TableSchema | None, user: str) -> Table:
    names, named = _names_of_frame(frame.columns)
    _check_shape(frame.shape)
    if expect is not None:
        expect.check_names(names, named, user)
    dtypes = set(frame.schema.values())
    if len(dtypes) == 1 and (next(iter(dtypes)).is_numeric() or dtypes == {nw.Boolean}):
        matrix = frame.to_numpy()
        if matrix.dtype.kind in "biuf":  # otherwise there are missing values that NumPy does not know
            return _table_of_matrix(names, matrix, expect, named)
    kinds = expect.kinds if expect is not None else (None,) * len(names)
    series = (frame[:, position] for position in range(len(names)))
    return _table_of_columns(map(_column_of_series, names, series, kinds), named)


def _names_of_frame(names: Sequence[object]) -> tuple[tuple[str, ...], bool]:
    """Return the names and whether they are the user's: numbers as names, as pandas makes them, are not."""
    are_text = {isinstance(name, str) for name in names}
    if are_text == {True, False}:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but X has names of several "
            "types. Convert them to strings, for example by X.columns = X.columns.astype(str)."
        )
    if are_text == {True}:
        return tuple(map(str, names)), True
    return _made_up_names(len(names)), False


def _made_up_names(n_columns: int) -> tuple[str, ...]:
    """Name columns as scikit-learn does."""
    return _FIRST_NAMES[:n_columns] if n_columns <= len(_FIRST_NAMES) else tuple(map("x{}".format, range(n_columns)))


def _column_of_series(name: str, series: nw.Series[Any], expected: Kind | None) -> Column:
    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        values = series.to_numpy()
        if values.dtype.kind in "biuf":
            return _column_of_numbers(name, values.copy(), expected)
        # Some older pandas hand missing values out as NA objects.
        missing = series.is_null().to_numpy().astype(bool)
        return _column_of_numbers(name, np.where(missing, np.nan, series.cast(nw.Float64).to_numpy()), expected)
    if dtype in (nw.Date, nw.Datetime, nw.Duration):
        return _column_of_dates(name, series, expected)
    if series.is_null().all():
        return _column_of_numbers(name, np.full(len(series), np.nan), expected)
    if dtype in (nw.String, nw.Object, nw.Time):
        cells = series.to_list()
    elif dtype in (nw.Categorical, nw.Enum):
        cells = [_text_unless_scalar(cell) for cell in series.to_list()]
        expected = expected or "category"
    else:
        found = getattr(series.to_native(), "dtype", dtype)
        raise TypeError(
            f"Column {name!r} of X holds values of type {found}, on which a tree cannot ask questions. Convert it to "
            "numbers or strings, or leave it out."
        )
    return _column_of_cells(name, cells, expected)


def _column_of_dates(name: str, series: nw.Series[Any], expected: Kind | None) -> Column:
    has_zone = getattr(series.dtype, "time_zone", None) is not None
    if has_zone:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = series.to_numpy()
    if values.dtype == object:  # pandas columns of pyarrow types
        cells = ["NaT" if is_missing_value(cell) else cell for cell in values]
        values = np.array(cells, dtype="m8[us]" if series.dtype == nw.Duration else "M8[us]")
    kind, seconds = seconds_of_array(values)
    return _as_kind(Column(name, "datetime_utc" if has_zone else kind, seconds), expected)


def _read_array(X: Any, expect: TableSchema | None, user: str) -> Table:
    array = np.asarray(X)
    if array.dtype.kind == "U" and not hasattr(X, "__array__"):
        # NumPy would write the numbers of a list of mixed rows as text.
        array = np.asarray(X, dtype=object)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.dtype.kind not in "biufUOMm":
        raise TypeError(f"X is an array of dtype {array.dtype}; expected numbers, booleans, strings, dates or objects.")
    if array.ndim < 2:
        found = "scalar" if array.ndim == 0 else "1D"
        raise ValueError(f"Expected 2D array, got {found} array instead:\narray={array}.\n{_RESHAPE}")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    _check_shape(array.shape)
    names = _made_up_names(array.shape[1])
    if expect is not None:
        expect.check_names(names, False, user)
        names = expect.names
    if array.dtype.kind not in "UOMm":
        return _table_of_matrix(names, array, expect)
    kinds = expect.kinds if expect is not None else (None,) * len(names)
    if array.dtype.kind in "Mm":
        columns = (Column(name, *seconds_of_array(values)) for name, values in zip(names, array.T, strict=True))
        return _table_of_columns(map(_as_kind, columns, kinds))
    return _table_of_columns(map(_column_of_cells, names, array.T, kinds))


def _check_shape(shape: tuple[int, ...]) -> None:
    if 0 in shape:
        what = "sample" if shape[0] == 0 else "feature"
        raise ValueError(f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required.")


def _table_of_matrix(
    names: tuple[str, ...], matrix: npt.NDArray[Any], expect: TableSchema | None, named: bool = False
) -> Table:
    """Make a table of numbers from a matrix of shape (n_rows, n_columns)."""
    flags = pack_flags(matrix)
    number: Kind = "number"
    table = Table(
        TableSchema(names, (number,) * len(names), named), _columns(names, matrix) if flags is None else flags
    )
    return table if expect is None else _as_kinds(table, expect.kinds)


def _columns(names: tuple[str, ...], matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy the columns one after another, in one pass over the matrix."""
    block = max(1, BYTES_IN_CACHE // (matrix.itemsize * matrix.shape[1]))
    numbers = np.empty(matrix.shape[::-1], dtype=_dtype_of_numbers(matrix.dtype))
    with np.errstate(over="ignore"):  # what becomes infinite is told when the column is read
        for first in range(0, len(matrix), block):
            numbers[:, first : first + block] = matrix[first : first + block].T
    if numbers.dtype.kind == "f":
        for name, values in zip(names, numbers, strict=True):
            _check_finite(name, values)
    return numbers


def _table_of_columns(columns: Iterable[Column], named: bool = False) -> Table:
    columns = tuple(columns)
    schema = TableSchema(tuple(column.name for column in columns), tuple(column.kind for column in columns), named)
    return Table(schema, tuple(column.values for column in columns))


def _as_kinds(table: Table, expected: tuple[Kind, ...]) -> Table:
    if table.schema.kinds == expected:
        return table
    return _table_of_columns(map(_as_kind, table.columns, expected), table.named)


def _dtype_of_numbers(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Keep what is narrower than float64 and held by it exactly; turn everything else into float64."""
    is_kept = dtype.isnative and (dtype == np.float32 or (dtype.kind in "biu" and dtype.itemsize < 8))
    return dtype if is_kept else np.dtype(np.float64)


def _check_finite(name: str, numbers: npt.NDArray[Any]) -> None:
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise ValueError(
            f"Column {name!r} of X holds an infinite number (infinity or too large for float64) in row {infinite[0]}. "
            "Replace it, or mark it as missing by NaN."
        )


def _column_of_numbers(name: str, values: npt.NDArray[Any], expected: Kind | None) -> Column:
    numbers = values.astype(_dtype_of_numbers(values.dtype), copy=False)
    _check_finite(name, numbers)
    return _as_kind(Column(name, "number", numbers), expected)


def _column_of_cells(name: str, values: Sequence[Any] | npt.NDArray[Any], expected: Kind | None) -> Column:
    """Read Python objects: numbers if all are numbers, otherwise categories."""
    cells = [None if is_missing_value(cell) else cell for cell in values]
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
        return _as_kind(Column(name, *dates), expected)
    if expected != "category" and not any(issubclass(cell_type, str) for cell_type in types):
        try:
            return _column_of_numbers(name, np.array(cells, dtype=object).astype(np.float64), expected)
        except OverflowError:
            raise ValueError(f"Column {name!r} of X holds a number too large for float64 (infinity).") from None
    categories = np.empty(len(cells), dtype=object)
    categories[:] = [_python_scalar(cell) for cell in cells]
    return _as_kind(Column(name, "category", categories), expected)


def is_missing_value(cell: object) -> bool:
    """Return whether a Python object stands for a missing value: None, NaN, NaT or pandas' NA."""
    if cell is None or isinstance(cell, (str, int)):
        return cell is None
    pandas = sys.modules.get("pandas")
    if pandas is not None and (cell is pandas.NA or cell is pandas.NaT):
        return True
    if isinstance(cell, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(cell))
    return isinstance(cell, (Real, Decimal)) and bool(cell != cell)


def _check_cell_type(name: str, cell_type: type) -> None:
    if issubclass(cell_type, (str, np.bool_, Real, Decimal)) or is_date_type(cell_type):
        return
    if issubclass(cell_type, Complex):
        raise ValueError(f"Complex data not supported (column {name!r} of X)")
    raise TypeError(f"argument must be a string or a real number, not {cell_type.__name__!r} (in column {name!r} of X)")


def _python_scalar(cell: Any) -> Any:
    """Turn NumPy's scalars, and other kinds of numbers and texts, into plain Python scalars."""
    if isinstance(cell, np.generic):
        return cell.item()
    if cell is None or type(cell) in (str, bool, int, float):
        return cell
    return str(cell) if isinstance(cell, str) else float(cell)


def _text_unless_scalar(category: Any) -> Any:
    """Name categories that are neither numbers nor texts, such as the intervals of ``pandas.cut``, by their text."""
    return category if isinstance(category, (str, Real, np.bool_, type(None))) else str(category)


def _as_kind(column: Column, expected: Kind | None) -> Column:
    """Return the column as the expected kind: dates serve as datetimes and back, all else must be missing to change."""
    if expected is None or column.kind == expected:
        return column
    seconds = as_date_kind(column.values, column.kind, expected)
    if seconds is not None:
        return Column(column.name, expected, seconds)
    if not column.is_missing().all():
        raise ValueError(
            f"Column {column.name!r} of X holds {PLURALS[column.kind]}, but held {PLURALS[expected]} when the model "
            "was fitted. Convert it to what it was."
        )
    missing: list[Any] = [None if expected == "category" else np.nan] * len(column.values)
    return Column(column.name, expected, np.array(missing, dtype=object if expected == "category" else np.float64))


def _names_differ(fitted: tuple[str, ...], found: tuple[str, ...]) -> str:
    """Say how names differ, word by word as scikit-learn does."""
    message = "The feature names should match those that were passed during fit.\n"
    unexpected = sorted(set(found) - set(fitted))
    missing = sorted(set(fitted) - set(found))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _bullets(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _bullets(missing)
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _bullets(names: list[str]) -> str:
    shown = [f"- {name}\n" for name in names[:5]]
    return "".join(shown) + ("- ...\n" if len(names) > 5 else "")
