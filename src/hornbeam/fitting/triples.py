"""The optimal tree of at most three levels, from how many rows of each class three conditions hold for.

These counts tell the cost of every such tree by inclusion and exclusion, so the rows themselves are not needed: however
many there are, `n_classes * n_conditions**3` numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.fitting.scales import AdditiveScale

Path: TypeAlias = tuple[tuple[int | npt.NDArray[np.intp], bool], ...]
"""Conditions by their number, the last one perhaps several in turn, and whether each holds."""
_Integers: TypeAlias = npt.NDArray[np.int64]

MOST_LEVELS = 3
# The value of a tree is its cost, and below that its number of leaves: of equally good trees the smallest is the best.
_LEAF_BITS = 4
_NONE = np.int64(1 << 61)  # more than any value, and the sum of two does not overflow


class _Node(NamedTuple):
    value: int
    condition: int | None
    children: tuple[_Node, ...] = ()


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
        losses = unit[:, np.newaxis] * scale.costs
        finder = _Finder(self, losses, scale.leaf_cost, options.min_samples_leaf)
        best = finder.best(options.max_depth or 0)
        arrays: Any = {"column": [], "left": [], "right": [], "prediction": []}
        finder.write(best, (), arrays)
        tree = {name: np.array(values, dtype=np.int32) for name, values in arrays.items()}
        cost = int(best.value) >> _LEAF_BITS
        # The frame of the result is that of a search without conditions.
        codes = np.arange(len(self.totals), dtype=np.int32)
        problem = _core.Problem(codes, scale.weights, scale.costs, scale.leaf_cost)
        columns = _core.PackedColumns(np.empty((0, (len(codes) + 7) // 8), dtype=np.uint8), len(codes))
        outcome = _core.solve(columns, problem, _core.SearchOptions())
        if cost > outcome["upper"] or cost != self._cost_of(tree, losses, scale.leaf_cost):
            raise RuntimeError("the tree does not cost what the search reports (a bug in hornbeam)")
        tree["leaf_of_row"] = np.empty(0, dtype=np.int32)  # there are no rows
        statistics = {**outcome["statistics"], "seconds": perf_counter() - begin}
        return {**outcome, "tree": tree, "upper": cost, "lower": cost, "statistics": statistics}  # type: ignore[typeddict-item]

    def _cost_of(self, tree: dict[str, Any], losses: _Integers, leaf_cost: int) -> int:
        leaves, codes, counts = self.rows_of_leaves(tree)
        n_leaves = int((tree["column"] < 0).sum())
        return n_leaves * leaf_cost + int((counts * losses[codes, tree["prediction"][leaves]]).sum())


class _Finder:
    """Finds the best tree by comparing all.

    Parameters
    ----------
    triples : Triples
    losses : ndarray of int64 of shape (n_classes, n_predictions)
        Ticks that a row of each class loses by each prediction.
    leaf_cost : int
    least_rows : int
        Of each leaf of a tree with a split.
    """

    def __init__(self, triples: Triples, losses: _Integers, leaf_cost: int, least_rows: int) -> None:
        self._triples, self._losses, self._leaf_cost = triples, losses, leaf_cost
        self._least = max(1, least_rows)
        self._n = triples.counts.shape[1]
        self._all = np.arange(self._n)

    def best(self, levels: int) -> _Node:
        """Return the best tree of at most so many levels."""
        leaf = self._leaf(())
        if levels == 0 or self._n == 0:
            return leaf
        found = [self._stump(())] if levels == 1 else [self._split((), root, levels) for root in range(self._n)]
        return min([leaf, *found], key=lambda node: node.value)

    def write(self, node: _Node, path: Path, arrays: dict[str, list[int]]) -> None:
        """Append the nodes of a tree in pre-order, the side where a condition holds first."""
        at = len(arrays["column"])
        loss = self._triples.rows_of(path) @ self._losses
        for name, value in (("column", -1), ("left", -1), ("right", -1), ("prediction", int(loss.argmin()))):
            arrays[name].append(value)
        if node.condition is None:
            return
        arrays["column"][at] = node.condition
        for name, child, holds in zip(("left", "right"), node.children, (True, False), strict=True):
            arrays[name][at] = len(arrays["column"])
            self.write(child, (*path, (node.condition, holds)), arrays)

    def _leaf(self, path: Path) -> _Node:
        return _Node(int(self._values(self._triples.rows_of(path)[:, np.newaxis], 0)[0]), None)

    def _split(self, path: Path, condition: int, levels: int) -> _Node:
        """Return the best tree of two levels or more with this condition at the root."""
        children = []
        for holds in (True, False):
            below = (*path, (condition, holds))
            if self._triples.rows_of(below).sum() < self._least:
                return _Node(int(_NONE), condition)
            others = [self._stump(below) if levels == 2 else self._two_levels(below)]
            children.append(min([self._leaf(below), *others], key=lambda node: node.value))
        return _Node(sum(child.value for child in children), condition, tuple(children))

    def _two_levels(self, path: Path) -> _Node:
        """Return the best tree of at most two levels, with a split, below a path of one condition."""
        ((root, side),) = path
        counts, all_rows = self._triples.counts, self._triples.rows_of(path)
        pairs = np.einsum("kijj->kij", counts)  # of two conditions
        both = counts[:, root] if side else pairs - counts[:, root]
        one = np.einsum("kjj->kj", both)
        # Cells of the two conditions below, by their results; the leaves of a stump share the first result.
        cells = {
            (True, True): both,
            (True, False): one[:, :, np.newaxis] - both,
            (False, True): one[:, np.newaxis, :] - both,
        }
        rest = all_rows[:, np.newaxis, np.newaxis] - one[:, :, np.newaxis]
        cells[False, False] = rest - cells[False, True]
        sides = []
        for holds in (True, False):
            leaf = self._values(one if holds else all_rows[:, np.newaxis] - one, self._least)
            stump = (
                self._values(cells[holds, True], self._least) + self._values(cells[holds, False], self._least)
            ).min(1)
            sides.append(np.minimum(leaf, np.minimum(stump, _NONE)))
        condition = int(np.argmin(sides[0] + sides[1]))
        if max(side[condition] for side in sides) >= _NONE:
            return _Node(int(_NONE), None)
        return self._split(path, condition, 2)

    def _stump(self, path: Path) -> _Node:
        """Return the best tree of two leaves below a path of at most two conditions."""
        held = self._triples.rows_of((*path, (self._all, True)))
        failed = self._triples.rows_of(path)[:, np.newaxis] - held
        sides = self._values(held, self._least), self._values(failed, self._least)
        condition = int(np.argmin(sides[0] + sides[1]))
        leaves = tuple(_Node(int(side[condition]), None) for side in sides)
        return _Node(min(int(_NONE), sum(leaf.value for leaf in leaves)), condition, leaves)

    def _values(self, rows: npt.NDArray[Any], least: int) -> _Integers:
        """Return the value of leaves with these rows, class by class; more than any value if there are too few."""
        loss = (self._losses.T @ rows.reshape(len(rows), -1)).min(axis=0).reshape(rows.shape[1:])
        value: _Integers = np.where(rows.sum(axis=0) < least, _NONE, ((loss + self._leaf_cost) << _LEAF_BITS) + 1)
        return value
