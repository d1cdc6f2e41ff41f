"""Numbers of trees by cost: products over the sides of a split, and how many trees cost at most something.

The lowest bits of a cost count the leaves of the tree (`hornbeam.fitting.scales`), so a cost also tells its size.
Counts are words as long as no sum of products can overflow, and Python's integers otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_LARGEST_WORD = 2.0**62

_Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """How many trees there are of each cost.

    Attributes
    ----------
    costs : ndarray of int64 of shape (n_costs,)
        Ticks, in ascending order, each once.
    counts : ndarray of int64 or object of shape (n_costs,)
        Numbers of trees.
    """

    costs: _Ticks
    counts: npt.NDArray[Any]

    @classmethod
    def of(cls, costs: Sequence[int]) -> Histogram:
        """Return the histogram of one tree of each cost; the costs ascend."""
        return cls(np.array(costs, dtype=np.int64), np.ones(len(costs), dtype=np.int64))

    @classmethod
    def from_core(cls, found: tuple[_Ticks, npt.NDArray[np.uint64]]) -> Histogram:
        """Return a histogram of the core, whose counts are words, the lowest first."""
        costs, words = found
        if words.shape[1] == 1 and not (words >> np.uint64(62)).any():
            return cls(costs, words[:, 0].astype(np.int64))
        numbers = np.array(
            [sum(word << 64 * place for place, word in enumerate(row)) for row in words.tolist()], object
        )
        return cls(costs, numbers)

    def __len__(self) -> int:
        """Return the number of costs."""
        return len(self.costs)

    @property
    def least(self) -> int:
        """The least cost; the histogram is not empty."""
        return int(self.costs[0])

    def first(self, n_costs: int) -> Histogram:
        """Return the part of the cheapest trees."""
        return Histogram(self.costs[:n_costs], self.counts[:n_costs])

    def up_to(self, most: int) -> Histogram:
        """Return the part of at most this cost."""
        end = int(np.searchsorted(self.costs, most, side="right"))
        return self if end == len(self) else Histogram(self.costs[:end], self.counts[:end])

    def without(self, costs: Sequence[int]) -> Histogram:
        """Return the histogram with one tree less of each of these costs, where there is one."""
        counts = self.counts.copy()
        for cost in costs:
            at = int(np.searchsorted(self.costs, cost))
            if at < len(self) and self.costs[at] == cost:
                counts[at] -= 1
        kept = counts != 0
        return Histogram(self.costs[kept], counts[kept])

    def times(self, other: Histogram, most: int) -> Histogram:
        """Return the pairs of a tree of each that together cost at most `most`."""
        if not len(self) or not len(other):
            return self.up_to(-1)
        a, b = self.up_to(most - other.least), other.up_to(most - self.least)
        costs = np.add.outer(a.costs, b.costs).ravel()
        counts = np.multiply.outer(*_factors(a, b)).ravel()
        within = costs <= most
        costs, counts = costs[within], counts[within]
        if not len(costs):
            return Histogram(costs, counts)
        order = np.argsort(costs, kind="stable")
        costs = costs[order]
        begins = np.flatnonzero(np.concatenate(([True], costs[1:] != costs[:-1])))
        return Histogram(costs[begins], np.add.reduceat(counts[order], begins))


def one_tree(cost: int) -> Histogram:
    """Return the histogram of a single tree of this cost."""
    return Histogram.of([cost])


def number_of_choices(parts: Sequence[Histogram], most: int, leaf_mask: int, most_leaves: int | None) -> int:
    """Return how many choices of a tree of each part cost at most `most` and have at most `most_leaves` leaves."""
    if not all(map(len, parts)):
        return 0
    *small, large = sorted(parts, key=len)
    product = one_tree(0)
    for part in small:
        product = product.times(part, most - large.least)
    return _number_of_pairs(product, large, most, leaf_mask, most_leaves)


def _number_of_pairs(a: Histogram, b: Histogram, most: int, leaf_mask: int, most_leaves: int | None) -> int:
    a = a.up_to(most - b.least)
    if not len(a):
        return 0
    ends = np.searchsorted(b.costs, most - a.costs, side="right")
    of_a, of_b = _factors(a, b)
    if most_leaves is None:
        return int(np.dot(of_a, _sums_before(of_b)[ends]))
    leaves = b.costs & leaf_mask
    left = most_leaves - (a.costs & leaf_mask)
    total = 0
    for n_left in np.unique(left[left >= 0]).tolist():
        fits = leaves <= n_left
        of_these = left == n_left
        total += int(np.dot(of_a[of_these], _sums_before(np.where(fits, of_b, 0))[ends[of_these]]))
    return total


def _factors(a: Histogram, b: Histogram) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the counts of both in a type that holds all sums of their products."""
    if float(a.counts.astype(np.float64).sum()) * float(b.counts.astype(np.float64).sum()) < _LARGEST_WORD:
        return a.counts, b.counts
    return a.counts.astype(object), b.counts.astype(object)


def _sums_before(counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.concatenate((np.zeros(1, dtype=counts.dtype), np.cumsum(counts)))
