"""Base class of all binarizers: it reads the table, evaluates the conditions and packs the results into bits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hornbeam._budget import Budget
from hornbeam._checks import check_weights
from hornbeam.binarizers._conditions import Conditions, Run, evaluate_conditions
from hornbeam.binarizers._packing import pack_conditions
from hornbeam.conditions import condition_text
from hornbeam.table import Table, TableInput, TableSchema, read_table

if TYPE_CHECKING:
    from typing_extensions import Self


class LabeledRows(NamedTuple):
    """Rows of a table, with their labels and their weights, all greater than zero."""

    table: Table
    labels: npt.NDArray[Any]
    weights: npt.NDArray[Any]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def read(self, numbers: npt.NDArray[np.intp]) -> LabeledRows:
        """Return those with these numbers."""
        return LabeledRows(self.table.take(numbers), self.labels[numbers], self.weights[numbers])


class RowReader(Protocol):
    """Rows of weight greater than zero that may have to be read, and are then in memory: as few as possible."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def read(self, numbers: npt.NDArray[np.intp]) -> LabeledRows:
        """Return those with these ascending numbers."""


class Binarizer(TableInput, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base of the transformers from a table to binary columns; subclass it to write your own.

    A subclass implements `_find_conditions`; fitting, transforming, names and packing follow from what it returns.

    Attributes
    ----------
    conditions_ : Conditions
        The condition behind each binary column, a sequence of `Condition`.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `fit` was given a data frame whose column names are strings.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> from hornbeam.binarizers import Binarizer
    >>> from hornbeam.conditions import AtMost
    >>> class Whole(Binarizer):
    ...     def _find_conditions(self, table, y, weights):
    ...         return [AtMost(column, t) for column in range(len(table.columns)) for t in (0, 1, 2)]
    >>> X, y = [[0.5], [1.5], [2.5], [3.5]], [0, 0, 1, 1]
    >>> print(GOSDTClassifier(regularization=0.1, binarizer=Whole()).fit(X, y).tree_)
    x0 <= 2?
    ├── yes: predict 0 (100 % of 2 rows)
    └── no: predict 1 (100 % of 2 rows)
    """

    conditions_: Conditions
    schema_: TableSchema

    @abstractmethod
    def _find_conditions(self, table: Table, y: Any, weights: npt.NDArray[Any]) -> Iterable[Run]:
        """Return the conditions of a table, singly or as `Thresholds`; the weights of all rows are greater than zero.

        `y` is what the user passed. A generator is stopped between two conditions when the time limit of a classifier
        is reached.
        """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the conditions.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            Numbers, booleans, strings, categories, dates, datetimes, durations or times; None, NaN, NaT, NA and null
            are missing values.
        y : array-like of shape (n_rows,) or None, default=None
            Labels; ignored by binarizers that only need the columns.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, not negative. Rows of weight 0 are left out. None: every row weighs 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, a value of `X` or a weight is out of range.
        TypeError
            If a column holds values that are not numbers, strings or dates.
        """
        table = read_table(X)
        weights = check_weights(sample_weight, table.n_rows)
        present = weights > 0
        if not present.all():
            table, weights = table.take(present), weights[present]
            y = None if y is None else np.asarray(y)[present]
        return self._fit_rows(table, y, weights, Budget())

    def _fit_rows(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> Self:
        """Find the conditions of a table that is read already; the weights of all rows are greater than zero.

        If the budget is spent before all are found, `conditions_` are the first ones.
        """
        self.schema_ = table.schema
        found = self._find_within(table, y, weights, budget)
        self.conditions_ = found if isinstance(found, Conditions) else Conditions(_until_spent(found, budget))
        return self

    def _find_within(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> Iterable[Run]:
        """Call `_find_conditions`; a binarizer that works long before its first condition overrides this."""
        return self._find_conditions(table, y, weights)

    def _fit_stream(
        self, distinct: Table, weights: Sequence[npt.NDArray[Any]], rows: RowReader, budget: Budget
    ) -> Self:
        """Find the same conditions from the distinct values of each column, and from rows only where it has to be.

        The columns of `distinct` differ in length, and each has its weights. Other binarizers than those that override
        `_of_distinct_values` or this read all rows.
        """
        found = self._of_distinct_values(distinct, weights)
        if found is None:
            every = rows.read(np.arange(rows.n_rows))
            return self._fit_rows(every.table, every.labels, every.weights, budget)
        self.schema_ = distinct.schema
        self.conditions_ = Conditions(found)
        return self

    @property
    def _needs_all_values(self) -> bool:
        """Whether `_fit_stream` needs all distinct values; if not, a quantile sketch of them is enough."""
        return True

    def _of_distinct_values(self, table: Table, weights: Sequence[npt.NDArray[Any]]) -> Iterable[Run] | None:
        """Return what `_find_conditions` returns for all rows, from the distinct values of each column alone.

        The columns of `table` differ in length. None: the binarizer needs whole rows, or their labels.
        """
        return None

    def transform(self, X: Any) -> npt.NDArray[np.bool_]:
        """Evaluate every condition on every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            With the columns seen in `fit`. A missing value, and a category not seen in `fit`, fails every condition
            except "is missing".

        Returns
        -------
        ndarray of bool of shape (n_rows, n_binary_columns)

        Raises
        ------
        ValueError
            If the columns differ from those seen in `fit`.
        """
        check_is_fitted(self)
        table = self._read(X)
        answers = np.empty((table.n_rows, len(self.conditions_)), dtype=bool, order="F")
        for index, answer in enumerate(evaluate_conditions(self.conditions_, table)):
            answers[:, index] = answer
        return answers

    def pack(self, X: Any) -> npt.NDArray[np.uint8]:
        """Transform into bits; see `pack_conditions`."""
        check_is_fitted(self)
        return pack_conditions(self.conditions_, self._read(X))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> npt.NDArray[np.object_]:
        """Return the condition of each binary column in words.

        Parameters
        ----------
        input_features : sequence of str or None, default=None
            Names of the columns, for a binarizer that was fitted without names. None: those seen in `fit`, or ``x0``,
            ``x1``, ...

        Returns
        -------
        ndarray of str objects of shape (n_binary_columns,)

        Raises
        ------
        ValueError
            If `input_features` differs from the names, or the number of columns, seen in `fit`.
        """
        check_is_fitted(self)
        names = self.schema_.names if input_features is None else tuple(input_features)
        if self.schema_.named and names != self.schema_.names:
            raise ValueError("input_features is not equal to feature_names_in_")
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), got "
                f"{len(names)}"
            )
        schema = replace(self.schema_, names=names)
        return np.array([condition_text(condition, schema) for condition in self.conditions_], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that missing values and categories are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # input_tags.string stays False: with it, scikit-learn's checks demand that any object be allowed as a cell.
        tags.transformer_tags.preserves_dtype = []
        return tags


class SupervisedBase(Binarizer):
    """Base of the binarizers that choose conditions with the labels, within the limits of a classifier."""

    @abstractmethod
    def _find_within(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> Iterable[Run]:
        """Return the conditions of a table; `y` is not None."""

    def _find_conditions(self, table: Table, y: Any, weights: npt.NDArray[Any]) -> Iterable[Run]:
        return self._find_within(table, y, weights, Budget())

    def _fit_rows(self, table: Table, y: Any, weights: npt.NDArray[Any], budget: Budget) -> Self:
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        return super()._fit_rows(table, y, weights, budget)


def _until_spent(found: Iterable[Run], budget: Budget) -> Iterator[Run]:
    """Return one condition after another until the budget is spent."""
    for run in found:
        yield run
        if budget.is_spent():
            break
