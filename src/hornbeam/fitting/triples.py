"""The optimal tree of at most three levels, from how many rows of each class three conditions hold for.

These counts tell the cost of every such tree by inclusion and exclusion, so the rows themselves are not needed: however
many there are, `n_classes * n_conditions**3` numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.fitting.scales import AdditiveScale

Path: TypeAlias = tuple[tuple[int | npt.NDArray[np.intp], bool], ...]
"""Conditions by their number, the last one perhaps several in turn, and whether each holds."""
_Integers: TypeAlias = npt.NDArray[np.int64]

MOST_LEVELS = 3
LEAST_DISTINCT = 1 << 18
"""More distinct rows than these are always counted, however many conditions and classes there are."""
_LEAST_DISTINCT_OF_CONDITION = 1 << 8  # and of each class


def least_distinct(n_conditions: int, n_classes: int) -> int:
    """Return up to how many distinct rows a search takes no longer than counting triples, for trees of few levels.

    The rule is the same in memory and for tables that are read in batches, so that both get the same tree.
    """
    return min(LEAST_DISTINCT, _LEAST_DISTINCT_OF_CONDITION * n_conditions * n_classes)


@dataclass(frozen=True, eq=False)
class Triples:
    """How many rows of each class there are where three conditions hold.

    Attributes
    ----------
    counts : ndarray of int64 of shape (n_classes, n_conditions, n_conditions, n_conditions)
        The same for every order of the conditions; conditions may be equal.
    totals : ndarray of int64 of shape (n_classes,)
        All rows.
    """

    counts: _Integers
    totals: _Integers

    @classmethod
    def of_sorted(cls, counts: _Integers, totals: _Integers) -> Triples:
        """Fill in counts that are known for ascending conditions only."""
        n = counts.shape[1]
        numbers: Any = np.sort(np.indices((n, n, n)), axis=0)
        return cls(counts[:, numbers[0], numbers[1], numbers[2]], totals)

    def of_conditions(self, chosen: Sequence[int]) -> Triples:
        """Return the counts of some conditions."""
        return Triples(self.counts[:, chosen][:, :, chosen][:, :, :, chosen], self.totals)

    def rows_of(self, path: Path) -> _Integers:
        """Return the number of rows of each class with these results of at most three conditions; (n_classes,)."""
        for at, (condition, holds) in enumerate(path):
            if not holds:  # those with any result, less those where it holds
                others = path[:at] + path[at + 1 :]
                return self.rows_of(others) - self.rows_of((*others, (condition, True)))
        if not path:
            return self.totals
        first, second, third = ([condition for condition, _ in path] * 3)[:3]
        rows: _Integers = self.counts[:, first, second, third]
        return rows

    def rows_of_leaves(self, arrays: Any) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], _Integers]:
        """Return a leaf, a class and the number of its rows there, wherever that is not 0."""
        found: list[tuple[int, int, int]] = []

        def visit(node: int, path: Path) -> None:
            condition = int(arrays["column"][node])
            if condition < 0:
                rows = self.rows_of(path).tolist()
                found.extend((node, code, n) for code, n in enumerate(rows) if n > 0)
                return
            visit(int(arrays["left"][node]), (*path, (condition, True)))
            visit(int(arrays["right"][node]), (*path, (condition, False)))

        visit(0, ())
        leaves, codes, counts = zip(*found, strict=True)
        return np.array(leaves, dtype=np.int32), np.array(codes, dtype=np.int32), np.array(counts, dtype=np.int64)

    def search_with(self, scale: AdditiveScale, options: _core.SearchOptions) -> Callable[..., _core.Outcome]:
        """Return the search, which takes too little time to be watched."""
        return lambda callback=None, trace=False: self.search(scale, options)

    def search(self, scale: AdditiveScale, options: _core.SearchOptions) -> _core.Outcome:
        """Return the optimal tree; the weights of the scale are those of all rows of each class."""
        begin = perf_counter()
        unit = np.floor_divide(scale.weights, self.totals)  # all rows of a class weigh the same
        losses = np.ascontiguousarray(unit[:, np.newaxis] * scale.costs)
        tree: Any
        tree, cost = _core.tree_of_triples(
            np.ascontiguousarray(self.counts),
            self.totals,
            losses,
            scale.leaf_cost,
            options.min_samples_leaf,
            options.max_depth or 0,
        )
        # The frame of the result is that of a search without conditions.
        codes = np.arange(len(self.totals), dtype=np.int32)
        problem = _core.Problem(codes, scale.weights, scale.costs, scale.leaf_cost)
        columns = _core.PackedColumns(np.empty((0, (len(codes) + 7) // 8), dtype=np.uint8), len(codes))
        outcome = _core.solve(columns, problem, _core.SearchOptions())
        if cost > outcome["upper"] or cost != self._cost_of(tree, losses, scale.leaf_cost):
            raise RuntimeError("the tree does not cost what the search reports (a bug in hornbeam)")
        statistics = {**outcome["statistics"], "seconds": perf_counter() - begin}
        return {**outcome, "tree": tree, "upper": cost, "lower": cost, "statistics": statistics}

    def _cost_of(self, tree: dict[str, Any], losses: _Integers, leaf_cost: int) -> int:
        leaves, codes, counts = self.rows_of_leaves(tree)
        n_leaves = int((tree["column"] < 0).sum())
        return n_leaves * leaf_cost + int((counts * losses[codes, tree["prediction"][leaves]]).sum())
