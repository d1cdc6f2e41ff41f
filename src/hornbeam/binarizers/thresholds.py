"""Binary columns from thresholds of numbers and from single categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hornbeam.binarizers._base import Binarizer
from hornbeam.binarizers._conditions import Ones, Run, Thresholds
from hornbeam.conditions import IsIn, IsMissing, IsOne
from hornbeam.table import Column, Table


class ThresholdBinarizer(Binarizer):
    """Ask ``number <= threshold``, ``flag = 1``, ``category in {a}`` and ``value is missing``.

    Which conditions a column gives depends on its distinct values in `fit`, missing ones apart:

    - numbers: one threshold between each two neighbours (strategy "exact"), or some of these (strategy "quantile");
    - only the numbers 0 and 1 (or booleans): the condition ``column = 1``;
    - categories: one condition for each category, sorted by their text; of two without missing values only the first,
      because the other asks the same;
    - and, where some but not all values are missing, ``column is missing``.

    Constant columns give no condition. **A missing value fails every condition except "is missing"**, and so does a
    category that was not seen in `fit`.

    Parameters
    ----------
    strategy : {"exact", "quantile"}, default="exact"
        "exact": the midpoint of every two neighbouring values, so that no split of the rows with a value is lost.
        "quantile": of these midpoints the ones nearest to the shares k / (n_thresholds + 1) of the weight below.
    n_thresholds : int, default=8
        Largest number of thresholds of a column for strategy "quantile"; at least 1.
    thresholds : dict or None, default=None
        Your own thresholds: from the name or the index of a column of numbers to a sequence of numbers. These columns
        get exactly these thresholds; the others follow `strategy`.

    Attributes
    ----------
    conditions_ : Conditions
        What each binary column asks, a sequence of `Condition`: by column, thresholds rising, "is missing" last.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only there if `fit` was given a data frame whose names are texts.

    Examples
    --------
    >>> from hornbeam import ThresholdBinarizer
    >>> binarizer = ThresholdBinarizer().fit([[20, "red"], [30, "blue"], [None, "green"]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 25', 'x0 is missing', 'x1 in {blue}', 'x1 in {green}', 'x1 in {red}']
    >>> ThresholdBinarizer(thresholds={0: [18, 65]}).fit([[20], [70]]).get_feature_names_out().tolist()
    ['x0 <= 18', 'x0 <= 65']
    """

    def __init__(
        self,
        strategy: Literal["exact", "quantile"] = "exact",
        n_thresholds: int = 8,
        thresholds: Mapping[str | int, Sequence[float]] | None = None,
    ) -> None:
        self.strategy = strategy
        self.n_thresholds = n_thresholds
        self.thresholds = thresholds

    def _find_conditions(self, table: Table, y: Any, weights: npt.NDArray[Any]) -> Iterable[Run]:
        if self.strategy not in ("exact", "quantile"):
            raise ValueError(f"strategy must be 'exact' or 'quantile', got {self.strategy!r}.")
        if not isinstance(self.n_thresholds, Integral) or self.n_thresholds < 1:
            raise ValueError(f"n_thresholds must be an integer of at least 1, got {self.n_thresholds!r}.")
        own = _own_thresholds(self.thresholds, table)
        if table.flags is not None and not own:
            return Ones(table.flags.changing())
        return self._of_columns(table, weights, own)

    def _of_columns(self, table: Table, weights: npt.NDArray[Any], own: Mapping[int, list[float]]) -> Iterator[Run]:
        """Return the conditions of one column after another, each made when it is asked for."""
        for index, column in enumerate(table.columns):
            missing = column.is_missing()
            if index in own:
                yield Thresholds(index, own[index])
            elif column.kind == "category":
                yield from _of_categories(index, column.values)
            elif missing.any():
                yield self._of_numbers(index, column.values[~missing], weights[~missing])
            else:
                yield self._of_numbers(index, column.values, weights)
            if missing.any() and not missing.all():
                yield IsMissing(index)

    def _of_numbers(self, index: int, values: npt.NDArray[Any], weights: npt.NDArray[Any]) -> IsOne | Thresholds:
        distinct = _distinct(values)
        if np.array_equal(distinct, [0, 1]):
            return IsOne(index)
        thresholds = midpoints(distinct)
        if self.strategy == "quantile" and len(thresholds) > self.n_thresholds:
            group = np.unique(values, return_inverse=True)[1]
            below = np.cumsum(np.bincount(group, weights), dtype=np.float64)
            thresholds = thresholds[_nearest_shares(below, self.n_thresholds)]
        return Thresholds(index, thresholds)


def _distinct(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the distinct numbers, sorted; without sorting many where they are booleans or single bytes."""
    if values.dtype == bool:
        return np.array([0.0, 1.0])[[not values.all(), bool(values.any())]]
    if values.dtype.itemsize == 1:
        values = np.flatnonzero(np.bincount(values.view(np.uint8))).astype(np.uint8).view(values.dtype)
    return np.unique(values).astype(np.float64)


def midpoints(distinct: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a threshold ``a <= t < b`` for each two neighbours a < b of sorted distinct numbers."""
    low, high = distinct[:-1], distinct[1:]
    # Halves are added because the sum of two huge numbers is infinite; for neighbouring floats, whose middle may be
    # rounded up to b, and for the tiniest numbers, whose halves are rounded, a itself serves.
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def _nearest_shares(below: npt.NDArray[np.float64], n_shares: int) -> npt.NDArray[np.intp]:
    """Return the cuts whose weight below is nearest to k / (n_shares + 1) of the total (the lower one on ties).

    `below` is the cumulated weight; its last entry is the total. Everything is multiplied by n_shares + 1, so that with
    integer weights the comparison is exact and doubling a row is the same as doubling its weight.
    """
    below, wanted = below[:-1] * (n_shares + 1), np.arange(1, n_shares + 1) * below[-1]
    right = np.clip(np.searchsorted(below, wanted), 1, len(below) - 1)
    nearer_left = wanted - below[right - 1] <= below[right] - wanted
    return np.unique(np.where(nearer_left, right - 1, right))


def _of_categories(index: int, values: npt.NDArray[np.object_]) -> list[IsIn]:
    groups = set(values)
    categories = sorted(groups - {None}, key=lambda value: (str(value), type(value).__name__))
    if len(groups) <= 2:  # the last category asks the same as the first, or as "is missing"
        categories = categories[:-1]
    return [IsIn(index, (value,)) for value in categories]


def _own_thresholds(thresholds: Any, table: Table) -> dict[int, list[float]]:
    """Check the user's thresholds and return them by index of the column, sorted."""
    if thresholds is None:
        return {}
    if not isinstance(thresholds, Mapping):
        raise TypeError(
            "thresholds must be a dict from a column's name or index to a sequence of numbers, got "
            f"{type(thresholds).__name__}."
        )
    own: dict[int, list[float]] = {}
    for key, values in thresholds.items():
        index = _index_of(key, table)
        if index in own:
            raise ValueError(f"thresholds names column {table.names[index]!r} twice, by name and by index.")
        own[index] = _check_thresholds(table.column(index), values)
    return own


def _index_of(key: object, table: Table) -> int:
    if isinstance(key, str) and key in table.names:
        return table.names.index(key)
    if isinstance(key, Integral) and not isinstance(key, bool) and int(key) in range(len(table.names)):
        return int(key)
    known = ", ".join(map(repr, table.names[:10])) + (", ..." if len(table.names) > 10 else "")
    raise ValueError(f"thresholds names the unknown column {key!r}; X has {len(table.names)} columns: {known}.")


def _check_thresholds(column: Column, values: Any) -> list[float]:
    if column.kind != "number":
        raise ValueError(f"thresholds names column {column.name!r}, which holds categories, not numbers.")
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise ValueError(f"thresholds[{column.name!r}] must be a sequence of finite numbers, got {values!r}.")
    return [float(number) for number in np.unique(numbers)]
