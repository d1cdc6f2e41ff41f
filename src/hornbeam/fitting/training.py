"""Read the training data of a classifier: table, labels and sample weights."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import column_or_1d

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import as_array, check_weights, shown
from hornbeam._user_frame import warn_user
from hornbeam.columns import warn_of_columns
from hornbeam.exceptions import ColumnWarning
from hornbeam.fitting.triples import Triples
from hornbeam.table import Table, is_missing_value, read_table
from hornbeam.tree.words import count

_MOST_CLASSES = 20  # more numbers than these may be a quantity,
_FEWEST_ROWS_OF_CLASS = 20  # unless there are so many rows of each, on average


class TrainingRows(Protocol):
    """What the searches need of the training data, whatever the target is."""

    @property
    def table(self) -> Table:
        """The rows of weight greater than zero."""

    @property
    def n_rows(self) -> int:
        """How many given rows these are: more than `table` has, if equal rows were merged."""

    @property
    def codes(self) -> npt.NDArray[np.int32] | None:
        """The only target of each row, as a code; None where rows have a weight for each target."""

    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """How many given rows each row stands for, if equal rows were merged."""

    @property
    def triples(self) -> Triples | None:
        """How many rows three conditions hold for, if the rows themselves were not kept."""

    @property
    def budget(self) -> Budget:
        """What the fit may still spend."""

    @property
    def reference(self) -> npt.NDArray[np.int32] | None:
        """Predictions of a reference model for the rows, as codes."""


class TrainingData(NamedTuple):
    """Rows of weight greater than zero, with the code (index into `classes`) of each row's label."""

    table: Table
    labels: npt.NDArray[Any]
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    classes: npt.NDArray[Any]
    target_name: str
    n_given: int
    """How many rows were given."""
    present: npt.NDArray[np.bool_] | slice
    """Which of these they are."""
    budget: Budget
    """What the fit may still spend."""
    reference: npt.NDArray[np.int32] | None = None
    """What a reference model predicts for the rows, as codes."""
    counts: npt.NDArray[np.int64] | None = None
    """How many equal rows each row stands for, if a streamed table was merged; `weights` are those of one of them."""

    triples: Triples | None = None
    """How many rows of a streamed table three conditions hold for, if its rows were not kept: there is one a class."""

    @property
    def n_rows(self) -> int:
        """How many given rows these are: more than `table` has, if equal rows were merged."""
        return self.table.n_rows if self.counts is None else int(self.counts.sum())

    def unmerged(self) -> TrainingData:
        """Return merged rows one by one again, for a search that counts rows; its `counts` are 1."""
        assert self.counts is not None
        rows = np.repeat(np.arange(self.table.n_rows), self.counts)
        return self._replace(
            table=self.table.take(rows),
            labels=self.labels[rows],
            codes=self.codes[rows],
            weights=self.weights[rows],
            reference=None if self.reference is None else self.reference[rows],
            counts=np.ones(len(rows), dtype=np.int64),
        )


def read_training(X: Any, y: Any, sample_weight: Any, user: str, budget: Budget | None = None) -> TrainingData:
    """Read and check what `fit` was given, on behalf of `user` (a class name); rows of weight 0 are dropped.

    Raises
    ------
    ValueError
        If lengths differ, y is None, holds missing values, or does not hold two classes or more, or weights are wrong.
    TypeError
        If a column of `X` holds values that are not numbers, strings or dates.

    Warns
    -----
    ColumnWarning
        If a column was probably not read as it is meant, or `y` is probably a quantity.
    """
    if y is None:
        raise ValueError(f"{user} requires y to be passed, but the target y is None")
    table = read_table(X)
    labels = read_labels(y)
    n_given = table.n_rows
    # Rows of weight 0 go before classes are counted and columns looked at: a fit is the same as without these rows.
    table, labels, weights, present = weighted_rows(table, labels, sample_weight)
    classes, codes = encode_labels(labels)
    check_classes(classes)
    _warn_of_quantity(classes, len(codes))
    warn_of_columns(table, X, codes, len(classes))
    return TrainingData(table, labels, codes, weights, classes, name_of_target(y), n_given, present, budget or Budget())


def weighted_rows(
    table: Table, target: npt.NDArray[Any], sample_weight: Any
) -> tuple[Table, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.bool_] | slice]:
    """Return the rows of weight greater than zero: table, target and weights; and which of the given rows they are.

    Raises
    ------
    ValueError
        If lengths differ, or weights are wrong.
    """
    if len(target) != table.n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {table.n_rows} rows, y {len(target)}."
        )
    weights = check_weights(sample_weight, table.n_rows)
    if sample_weight is None or weights.min() > 0:
        return table, target, weights, slice(None)
    present = weights > 0
    return table.take(present), target[present], weights[present], present


def read_labels(y: Any) -> npt.NDArray[Any]:
    """Return the labels as strings, integers, booleans or floats; shape (n_rows,).

    Raises
    ------
    ValueError
        If they are of another type, are missing, infinite or not one-dimensional.
    """
    labels = as_array("y", y)
    if labels.dtype.kind == "U" and not hasattr(y, "__array__"):
        # NumPy would write the numbers and missing values of a list of mixed labels as text.
        labels = np.asarray(y, dtype=object)
    if labels.dtype.kind not in "biufUO":
        raise ValueError(f"Unknown label type: y is an array of dtype {labels.dtype}; expected strings or integers.")
    if labels.ndim != 1:
        labels = column_or_1d(labels)
        warn_user(
            "A column-vector y was passed when a 1d array was expected. Pass a column of the frame, or y.ravel().",
            DataConversionWarning,
        )
    missing = _missing_rows(labels)
    if len(missing) > 0:
        raise ValueError(
            f"Input y contains NaN: the target is missing in {count(len(missing))}, first in row {missing[0]}. Remove "
            f"these rows{_leave_out(y)}."
        )
    labels = _plain(labels)
    # A tree keeps labels of Python's types, but NumPy's `tolist` leaves long doubles as they are.
    if labels.dtype.kind == "f" and labels.dtype.itemsize > 8 and np.isfinite(labels).all():
        labels = _converted(labels, np.float64)
    if labels.dtype.kind == "f":
        if np.isinf(labels).any():
            raise ValueError("Input y contains infinity; the labels of a classifier are strings or integers.")
        fractions = labels[labels != np.floor(labels)]
        if fractions.size:
            raise ValueError(
                f"Unknown label type: continuous. y holds fractions such as {fractions[0]:g}, but classes are strings "
                "or integers. To predict a quantity, use GOSDTRegressor."
            )
    return labels


def _leave_out(y: Any) -> str:
    """Return the code that removes rows without a label, if it is known for the type of `y`."""
    is_series = type(y).__module__.partition(".")[0] == "pandas" and hasattr(y, "notna") and y.ndim == 1
    return ", for example X, y = X[y.notna()], y[y.notna()]" if is_series else ""


def _warn_of_quantity(classes: npt.NDArray[Any], n_rows: int) -> None:
    """Warn if the labels are probably a quantity: numbers, of which there are many for the number of rows."""
    n_classes = len(classes)
    if n_classes <= _MOST_CLASSES or classes.dtype.kind not in "iuf" or n_classes * _FEWEST_ROWS_OF_CLASS <= n_rows:
        return
    warn_user(
        f"y has {n_classes:,} distinct numbers in {n_rows:,} rows, each of which becomes a class. If y is a quantity, "
        "use GOSDTRegressor, or put it into ranges first:\n    y = pd.qcut(y, 3, labels=False)",
        ColumnWarning,
    )


def check_classes(classes: npt.NDArray[Any]) -> None:
    """Raise ValueError unless there are two classes or more."""
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class, {classes.tolist()[0]!r}; a classifier needs rows of at least two classes."
        )


def encode_labels(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return the sorted classes, and the index of each label among them, without sorting all labels."""
    # Integers close together are numbered by counting; the core returns None for others.
    if labels.dtype.kind in "biu" and labels.dtype != np.uint64:  # whose numbers need not fit into int64
        counted = _core.number_labels(np.ascontiguousarray(labels, dtype=np.int64))
        if counted is not None:
            return counted[0].astype(labels.dtype, copy=False), counted[1]
    classes = np.array(sorted(set(labels.tolist())), dtype=labels.dtype)
    return classes, np.searchsorted(classes, labels).astype(np.int32)


def _missing_rows(labels: npt.NDArray[Any]) -> Sequence[int]:
    if labels.dtype.kind == "f":
        return np.flatnonzero(np.isnan(labels)).tolist()
    if labels.dtype.kind == "O":
        return [row for row, label in enumerate(labels.tolist()) if is_missing_value(label)]
    return ()


def _plain(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give an array of Python objects the dtype of its entries."""
    if labels.dtype.kind != "O":
        return labels
    types = set(map(type, labels))
    for wanted, dtype in (((bool, np.bool_), np.bool_), (Integral, np.int64), (Real, np.float64), (str, np.str_)):
        if all(issubclass(each, wanted) and not issubclass(each, np.timedelta64) for each in types):
            return _converted(labels, dtype)
    names = ", ".join(sorted(label_type.__name__ for label_type in types))
    raise ValueError(f"Unknown label type: y holds objects of type {names}; expected only strings or only integers.")


def _converted(labels: npt.NDArray[Any], dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Convert labels to another dtype.

    Raises
    ------
    ValueError
        If one of them changes: NumPy's integers have 64 bits, and its strings lose NUL characters at their end.
    """
    try:
        converted = labels.astype(dtype)
    except OverflowError:
        raise ValueError("y holds a label of more than 64 bits; convert the labels to strings.") from None
    for row, (new, old) in enumerate(zip(converted.tolist(), labels.tolist(), strict=True)):
        if new != old:
            raise ValueError(f"y holds the label {shown(old)} in row {row}, which NumPy would store as {shown(new)}.")
    return converted


def name_of_target(y: Any) -> str:
    """Return the name of a series, or of a frame's only column; "target" if there is none."""
    names = getattr(y, "columns", None)
    name = names[0] if names is not None else getattr(y, "name", None)
    return name if isinstance(name, str) else "target"
