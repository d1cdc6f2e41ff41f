"""Binary columns from thresholds of numbers and from single categories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hornbeam._checks import check_choice, is_integer, shown
from hornbeam._dates import DATE_KINDS, round_thresholds
from hornbeam._keywords import accept_positional
from hornbeam.binarizers._base import Binarizer
from hornbeam.binarizers._by_column import decimals_of, own_thresholds
from hornbeam.binarizers._conditions import Ones, Run, Thresholds
from hornbeam.binarizers._packing import bins_of
from hornbeam.binarizers._rounding import thresholds_between
from hornbeam.conditions import IsIn, IsMissing, IsOne, condition_of_ones
from hornbeam.table import Column, Table


class ThresholdBinarizer(Binarizer):
    """Candidate conditions ``number <= threshold``, ``flag = 1``, ``category in {a}`` and ``value is missing``.

    Which conditions a column gives depends on its distinct values in `fit`, missing ones apart:

    - numbers: a threshold between every two neighboring values (strategy "exact"), or some of these ("quantile");
    - only the numbers 0 and 1: the condition ``column = 1``; booleans: ``column is true``;
    - dates, times and durations: thresholds as for numbers, moved to midnight, or else to the full hour, minute or
      second, if that separates the same values;
    - categories: one condition for each category, sorted by its text; only the first of two categories without missing
      values, because the other separates the same rows;
    - if some but not all values are missing, also ``column is missing``.

    Constant columns give no condition. **A missing value fails every condition except "is missing"**, and so does a
    category that was not seen in `fit`.

    A threshold between two neighboring values is rounded to as few digits as keep it in the middle half of the gap, so
    no row of `fit` changes sides: 25 between 20 and 30, 1.5 between 1 and 2, 0.3 between 0.2817 and 0.3145.

    Parameters
    ----------
    strategy : {"exact", "quantile"}, default="exact"
        "exact": a threshold between every two neighboring values, so that no split of the rows with a value is lost.
        "quantile": those of these thresholds below which the share of the weight is nearest to k / (n_thresholds + 1),
        where no single value counts for more than one such share. So a column with 90 % zeros has one threshold above
        the zeros; the other thresholds divide the rest.
    n_thresholds : int, default=8
        Largest number of thresholds of a column for strategy "quantile"; at least 1.
    thresholds : dict or None, default=None
        Your own thresholds: from the name or index of a column to a sequence of numbers, or of dates, durations or
        times for such a column (dates also as strings, "2023-05-01"). These columns get exactly these thresholds,
        unrounded; the others follow `strategy`.
    decimals : int, dict or None, default=None
        Number of decimals of the thresholds of numbers, from -22 to 22, as in `numpy.round`: 1 for multiples of 0.1, -1
        for multiples of 10. A dict: from the name or index of a column of numbers to its number of decimals; the other
        columns have no restriction. None: no restriction. Neighboring values without such a number between them, nor
        equal to the lower one, get no threshold, so that no tree tells them apart. Thresholds of dates, durations and
        times are not affected; nor are those in `thresholds`.

    Attributes
    ----------
    conditions_ : Conditions
        The condition behind each binary column, a sequence of `Condition`: by column, thresholds ascending, "is
        missing" last.
    schema_ : TableSchema
        Names and kinds of the columns seen in `fit`.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names; only set if `fit` was given a data frame whose column names are strings.

    Examples
    --------
    >>> from hornbeam import ThresholdBinarizer
    >>> binarizer = ThresholdBinarizer().fit([[20, "red"], [30, "blue"], [None, "green"]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 25', 'x0 is missing', 'x1 in {blue}', 'x1 in {green}', 'x1 in {red}']
    >>> ThresholdBinarizer(thresholds={0: [18, 65]}).fit([[20], [70]]).get_feature_names_out().tolist()
    ['x0 <= 18', 'x0 <= 65']
    >>> X = [[0.12], [0.18], [0.31], [0.4], [0.42]]
    >>> ThresholdBinarizer(decimals=1).fit(X).get_feature_names_out().tolist()
    ['x0 <= 0.2', 'x0 <= 0.4']
    """

    @accept_positional("thresholds")
    def __init__(
        self,
        strategy: Literal["exact", "quantile"] = "exact",
        n_thresholds: int = 8,
        *,
        thresholds: Mapping[str | int, Sequence[float]] | None = None,
        decimals: int | Mapping[str | int, int] | None = None,
    ) -> None:
        self.strategy = strategy
        self.n_thresholds = n_thresholds
        self.thresholds = thresholds
        self.decimals = decimals

    def _find_conditions(self, table: Table, y: Any, weights: npt.NDArray[Any]) -> Iterable[Run]:
        self._check()
        own, decimals = own_thresholds(self.thresholds, table), decimals_of(self.decimals, table)
        if table.flags is not None and not own:
            return Ones(table.flags.changing(), condition_of_ones(table.flags.are_boolean))
        return self._of_columns(zip(table.columns, repeat(weights)), own, decimals)

    @property
    def _needs_all_values(self) -> bool:
        return self.strategy != "quantile"

    def _of_distinct_values(self, table: Table, weights: Sequence[npt.NDArray[Any]]) -> Iterable[Run]:
        self._check()
        own, decimals = own_thresholds(self.thresholds, table), decimals_of(self.decimals, table)
        return self._of_columns(zip(table.columns, weights, strict=True), own, decimals)

    def _check(self) -> None:
        check_choice("strategy", self.strategy, ("exact", "quantile"))
        if not is_integer(self.n_thresholds) or self.n_thresholds < 1:
            raise ValueError(f"n_thresholds must be an integer of at least 1, got {shown(self.n_thresholds)}.")

    def _of_columns(
        self,
        columns: Iterable[tuple[Column, npt.NDArray[Any]]],
        own: Mapping[int, list[float]],
        decimals: Sequence[int | None],
    ) -> Iterator[Run]:
        """Generate the conditions column by column, so that a budget can end it in between."""
        for index, (column, weights) in enumerate(columns):
            missing = column.is_missing()
            if index in own:
                yield Thresholds(index, own[index])
            elif column.kind == "category":
                yield from _of_categories(index, column.values)
            elif missing.any():
                yield self._of_numbers(index, column.take(~missing), weights[~missing], decimals[index])
            else:
                yield self._of_numbers(index, column, weights, decimals[index])
            if missing.any() and not missing.all():
                yield IsMissing(index)

    def _of_numbers(
        self, index: int, column: Column, weights: npt.NDArray[Any], decimals: int | None
    ) -> IsOne | Thresholds:
        values = column.values
        distinct = _distinct(values)
        if column.kind == "number" and np.array_equal(distinct, [0, 1]):
            return condition_of_ones(column.is_boolean)(index)
        thresholds = thresholds_between(distinct, decimals)
        if self.strategy == "quantile" and len(thresholds) > self.n_thresholds:
            group = bins_of(Thresholds(index, thresholds), column)  # values that nothing separates count as one
            thresholds = thresholds[self._choose_thresholds(np.bincount(group, weights).astype(np.float64))]
        return Thresholds(index, round_thresholds(thresholds, distinct) if column.kind in DATE_KINDS else thresholds)

    def _choose_thresholds(self, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        """Return where strategy "quantile" divides ascending values of these weights; place i is above value i."""
        return nearest_shares(np.cumsum(_at_most_a_share(weights, self.n_thresholds + 1)), self.n_thresholds)


def _distinct(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the distinct numbers, sorted; booleans and single bytes are counted instead of sorted."""
    if values.dtype == bool:
        return np.array([0.0, 1.0])[[not values.all(), bool(values.any())]]
    if values.dtype.itemsize == 1:
        values = np.flatnonzero(np.bincount(values.view(np.uint8))).astype(np.uint8).view(values.dtype)
    return np.unique(values).astype(np.float64)


def _at_most_a_share(weights: npt.NDArray[np.float64], n_shares: int) -> npt.NDArray[np.float64]:
    """Cap the weights such that the cap is 1 / n_shares of the resulting sum.

    All weights are also multiplied by the same integer, so that integers remain integers.
    """
    # If the k largest are capped, the rest is n_shares - k caps. The smallest k at which no other exceeds the cap is
    # the right one.
    rising = np.sort(weights)
    largest, rest = rising[::-1][:n_shares], np.cumsum(rising)[::-1][:n_shares]
    n_shared = n_shares - np.arange(n_shares)
    n_lowered = int(np.argmax(largest * n_shared <= rest))
    return np.asarray(np.minimum(weights * n_shared[n_lowered], rest[n_lowered]))


def nearest_shares(below: npt.NDArray[np.float64], n_shares: int) -> npt.NDArray[np.intp]:
    """Return the places whose weight below is nearest to k / (n_shares + 1) of the total (the lower one on ties).

    `below` is the cumulative weight; its last entry is the total. Everything is multiplied by n_shares + 1, so that
    integer weights are compared exactly and doubling a row is the same as doubling its weight.
    """
    below, wanted = below[:-1] * (n_shares + 1), np.arange(1, n_shares + 1) * below[-1]
    right = np.clip(np.searchsorted(below, wanted), 1, len(below) - 1)
    nearer_left = wanted - below[right - 1] <= below[right] - wanted
    return np.unique(np.where(nearer_left, right - 1, right))


def _of_categories(index: int, values: npt.NDArray[np.object_]) -> list[IsIn]:
    groups = set(values)
    categories = sorted(groups - {None}, key=lambda value: (str(value), type(value).__name__))
    if len(groups) <= 2:  # the last category separates the same rows as the first, or as "is missing"
        categories = categories[:-1]
    return [IsIn(index, (value,)) for value in categories]
