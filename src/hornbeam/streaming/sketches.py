"""Distinct numbers of a column with their weights: all of them, or a quantile sketch of bounded size."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

MOST_VALUES = 1 << 20
"""Size of a sketch: so many distinct numbers are kept exactly."""
_LEAST_PENDING = 1 << 20


class DistinctNumbers:
    """Distinct numbers, added batch by batch, with the sum of the weights of each.

    Parameters
    ----------
    is_sketch : bool
        Whether more than `MOST_VALUES` distinct numbers may be summarized: neighboring ones are then added to the
        largest of them. The weight of the numbers up to any given one is then too small by at most
        ``n_levels / MOST_VALUES`` of the total weight, where ``n_levels <= 1 + log2(n_rows / MOST_VALUES)``.

    Notes
    -----
    A sketch keeps summaries of at most about `MOST_VALUES` numbers; two of the same level are merged into one of the
    next level, as in merge sort (Munro and Paterson, "Selection and sorting with limited storage", 1980). A group of
    neighbors weighs at most ``1 / MOST_VALUES`` of its summary, not counting its largest number, so that a level adds
    no more than this share of the total to the error.
    """

    def __init__(self, is_sketch: bool) -> None:
        self._is_sketch = is_sketch
        self._values: list[npt.NDArray[Any]] = []  # the first is merged, the others are those of later batches
        self._weights: list[npt.NDArray[np.float64]] = []
        self._n_merged = self._n_pending = 0
        self._summaries: dict[int, tuple[npt.NDArray[Any], npt.NDArray[np.float64]]] = {}  # by level
        self.n_levels = 0
        """How many times neighbors were added up, one after another; 0 if all numbers are exact."""

    def add(self, values: npt.NDArray[Any], weights: npt.NDArray[np.float64]) -> None:
        """Add numbers, none of which is missing."""
        self._values.append(values)
        self._weights.append(weights)
        # Each batch is reduced by itself; all are merged when they have doubled: each value is sorted few times.
        self._merge(len(self._values) - 1)
        self._n_pending += len(self._values[-1])
        if self._n_pending <= max(_LEAST_PENDING, self._n_merged):
            return
        self._merge(0)
        self._n_merged, self._n_pending = len(self._values[0]), 0
        if self._is_sketch and self._n_merged > MOST_VALUES:
            self._summarize(self._values.pop(), self._weights.pop(), level=1)
            self._n_merged = 0

    def n_bytes(self) -> int:
        """Return the memory of the numbers and weights, roughly."""
        n_summarized = sum(len(values) for values, _ in self._summaries.values())
        return 16 * (self._n_merged + self._n_pending + n_summarized)

    def result(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Return the numbers, ascending, and the weight of each."""
        for values, weights in self._summaries.values():
            self._values.append(values)
            self._weights.append(weights)
        self._summaries = {}
        if not self._values:
            return np.empty(0), np.empty(0)
        self._merge(0)
        return self._values[0], self._weights[0]

    def _merge(self, first: int) -> None:
        values, weights = np.concatenate(self._values[first:]), np.concatenate(self._weights[first:])
        values, weights = _added_up(values, weights, are_runs=first == 0)
        self._values[first:], self._weights[first:] = [values], [weights]

    def _summarize(self, values: npt.NDArray[Any], weights: npt.NDArray[np.float64], level: int) -> None:
        """Keep a summary of distinct ascending values, merged with the one of the same level if there is one."""
        self.n_levels = max(self.n_levels, level)
        ends = np.cumsum(weights)
        # By where they begin: a number that outweighs a group ends the group, so that it is not missing above itself.
        group = ((ends - weights) * (MOST_VALUES / ends[-1])).astype(np.int64)
        is_last = np.append(group[1:] != group[:-1], True)
        values, weights = values[is_last], np.diff(ends[is_last], prepend=0.0)
        if level not in self._summaries:
            self._summaries[level] = values, weights
            return
        other, weights_of_other = self._summaries.pop(level)
        merged = _added_up(np.concatenate([other, values]), np.concatenate([weights_of_other, weights]), are_runs=True)
        self._summarize(*merged, level + 1)


def _added_up(
    values: npt.NDArray[Any], weights: npt.NDArray[np.float64], *, are_runs: bool = False
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """Return the distinct values, ascending, and the sum of the weights of each; are_runs: of sorted parts."""
    distinct: npt.NDArray[Any]
    if values.dtype == bool:  # counted instead of sorted
        present = [not values.all(), bool(values.any())]
        distinct, number = np.array([False, True])[present], values.astype(np.intp) * all(present)
        return distinct, np.bincount(number, weights).astype(np.float64)
    if (weights == 1).all():  # sorting values alone takes a third of the time
        distinct, counts = np.unique(values, return_counts=True)
        return distinct, counts.astype(np.float64)
    order = np.argsort(values, kind="stable" if are_runs else None)
    values = values[order]
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    return values[begins], np.add.reduceat(weights[order], begins)
