"""Read arrays, lists and data frames as one table of columns of numbers, categories and dates.

Numbers are floats with NaN for missing values; columns without missing values may also be integers of up to 32 bits or
booleans. Booleans are the numbers 0 and 1, and a table of them takes one bit per cell. Dates, times and durations are
seconds (see `_dates`). Categories are Python scalars, with None for missing values. The modules that use tables need
not know NumPy object arrays, pandas, polars or pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError

from hornbeam._checks import shown
from hornbeam._dates import seconds_of_array
from hornbeam._flags import BYTES_IN_CACHE, pack_flags
from hornbeam.table.column import (
    WIDE_INTEGERS,
    Column,
    Kind,
    as_kind,
    check_finite,
    column_of_cells,
    column_of_series,
    dtype_of_numbers,
)
from hornbeam.table.table import Table, TableSchema

_FIRST_NAMES = tuple(map("x{}".format, range(1000)))

# The wording of scikit-learn, on which its `check_estimator` insists.
_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) "
    "if it contains a single sample."
)


class TableInput:
    """Mixin of everything that is fitted on a table: scikit-learn's attributes about its columns."""

    schema_: TableSchema

    def _of_fit(self, name: str) -> Any:
        """Return an attribute that `fit` sets, or raise scikit-learn's NotFittedError."""
        if name not in vars(self):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        return vars(self)[name]

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the table seen in `fit`."""
        return len(self._of_fit("schema_").names)

    @property
    def feature_names_in_(self) -> npt.NDArray[np.object_]:
        """Names of the columns seen in `fit`; only set if the table was a data frame whose column names are strings."""
        if not self._of_fit("schema_").named:
            raise AttributeError("feature_names_in_ exists only after fitting on a data frame with column names")
        return np.array(self.schema_.names, dtype=object)

    def _read(self, X: Any) -> Table:
        """Read a table that must have the columns of the one in `fit`."""
        return read_table(X, expect=self.schema_, user=type(self).__name__)


def read_table(X: Any, *, expect: TableSchema | None = None, user: str = "Tree") -> Table:
    """Read a table of at least one row and one column.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns), data frame or Table
        NumPy array of numbers, booleans, strings or objects, list of rows, or any eager data frame that narwhals reads
        (pandas, polars, pyarrow, ...). Columns of numbers and booleans become numbers; strings, categoricals and enums
        become categories; dates, datetimes, durations and times of day keep their kind; a column of Python objects is
        a column of numbers if all its entries are numbers, and of dates if all are dates. None, NaN, NaT, NA and null
        are missing values.
    expect : TableSchema or None, default=None
        The required columns. None: any.
    user : str, default="Tree"
        Class name for messages about differences from `expect`.

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
        raise ValueError(f"The columns of X must have different names; rename or drop some. {error}") from None
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
        named = expect.named  # names are compared once: who reads the table again has nothing to warn of
    dtypes = set(frame.schema.values())
    if len(dtypes) == 1 and not dtypes & WIDE_INTEGERS and (next(iter(dtypes)).is_numeric() or dtypes == {nw.Boolean}):
        matrix = frame.to_numpy()
        if matrix.dtype.kind in "biuf":  # otherwise there are missing values that NumPy cannot represent
            return _table_of_matrix(names, matrix, expect, named)
    kinds = expect.kinds if expect is not None else (None,) * len(names)
    series = (frame[:, position] for position in range(len(names)))
    return _table_of_columns(map(column_of_series, names, series, kinds), named)


def _names_of_frame(names: Sequence[object]) -> tuple[tuple[str, ...], bool]:
    """Return the names as strings, and whether all were: scikit-learn compares only strings with later tables."""
    are_text = {isinstance(name, str) for name in names}
    if are_text == {True, False}:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but X has names of several "
            "types. Convert them to strings, for example by X.columns = X.columns.astype(str)."
        )
    return tuple(map(str, names)), are_text == {True}


def _made_up_names(n_columns: int) -> tuple[str, ...]:
    """Name columns as scikit-learn does."""
    return _FIRST_NAMES[:n_columns] if n_columns <= len(_FIRST_NAMES) else tuple(map("x{}".format, range(n_columns)))


def _read_array(X: Any, expect: TableSchema | None, user: str) -> Table:
    if isinstance(X, np.ma.MaskedArray):  # what is masked is missing
        missing = np.ma.getmaskarray(X)
        X = np.ma.getdata(X).astype(np.float64 if X.dtype.kind in "biuf" else object)
        X[missing] = np.nan
    try:
        array = np.asarray(X)
    except ValueError as error:  # rows of different lengths, or lists as cells
        raise ValueError(f"X must be a table of two dimensions: {error}") from None
    if array.dtype.kind == "U" and not hasattr(X, "__array__"):
        # NumPy would write the numbers of a list of mixed rows as text.
        array = np.asarray(X, dtype=object)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X is an array of dtype {array.dtype}.")
    if array.dtype.kind not in "biufUOMm":
        raise TypeError(f"X is an array of dtype {array.dtype}; expected numbers, booleans, strings, dates or objects.")
    if array.ndim < 2:
        found = "scalar" if array.ndim == 0 else "1D"
        raise ValueError(f"Expected 2D array, got {found} array instead:\narray={shown(array)}.\n{_remedy_of_shape(X)}")
    if array.ndim > 2:
        raise ValueError(f"Found array with dim {array.ndim}, while dim <= 2 is required.")
    _check_shape(array.shape)
    names, named = _made_up_names(array.shape[1]), False
    if expect is not None:
        expect.check_names(names, named, user)
        names, named = expect.names, expect.named
    if array.dtype.kind not in "UOMm":
        return _table_of_matrix(names, array, expect, named)
    kinds = expect.kinds if expect is not None else (None,) * len(names)
    if array.dtype.kind in "Mm":
        columns = (Column(name, *seconds_of_array(values)) for name, values in zip(names, array.T, strict=True))
        return _table_of_columns(map(as_kind, columns, kinds), named)
    return _table_of_columns(map(column_of_cells, names, array.T, kinds), named)


def _remedy_of_shape(X: Any) -> str:
    """Return how to make a table of something that has no two dimensions."""
    if isinstance(X, (str, PathLike)):
        return "If X is a file, read it into a data frame first, for example by pandas.read_csv(X)."
    if isinstance(X, Mapping) or (isinstance(X, list) and X and isinstance(X[0], Mapping)):
        return "Make a data frame of it first: pandas.DataFrame(X)."
    return _RESHAPE


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
    """Copy the columns one after another, in one pass over the matrix, by blocks that fit a cache."""
    block = max(1, BYTES_IN_CACHE // (matrix.itemsize * matrix.shape[1]))
    numbers = np.empty(matrix.shape[::-1], dtype=dtype_of_numbers(matrix.dtype))
    with np.errstate(over="ignore"):  # numbers that become infinite are reported below, with their column
        for first in range(0, len(matrix), block):
            numbers[:, first : first + block] = matrix[first : first + block].T
    if numbers.dtype.kind == "f":
        for name, values in zip(names, numbers, strict=True):
            check_finite(name, values)
    return numbers


def _table_of_columns(columns: Iterable[Column], named: bool = False) -> Table:
    columns = tuple(columns)
    schema = TableSchema(tuple(column.name for column in columns), tuple(column.kind for column in columns), named)
    booleans = frozenset(index for index, column in enumerate(columns) if column.is_boolean)
    return Table(schema, tuple(column.values for column in columns), booleans)


def _as_kinds(table: Table, expected: tuple[Kind, ...]) -> Table:
    if table.schema.kinds == expected:
        return table
    return _table_of_columns(map(as_kind, table.columns, expected), table.named)
