"""What a split costs that no good tree has: the best tree with it, wherever it is, is found by exact searches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.explorer.filters import Filters
from hornbeam.explorer.partial_trees import Leaf, Open, PartialTree
from hornbeam.explorer.trees import TreeMaker
from hornbeam.rashomon.problem import RashomonProblem

SECONDS = 5.0  # for all searches of one question

_Rows = npt.NDArray[np.intp]


class Interval(NamedTuple):
    """Ticks between which the cost of the best tree lies; equal if it is proven."""

    lower: int
    upper: int


class BestOutside:
    """Finds the cost of the best tree with a partial tree, whatever the bound of the set.

    Parameters
    ----------
    problem : RashomonProblem
        Of the set.
    maker : TreeMaker
        Knows for which rows conditions hold.
    filters : Filters
        Columns that are never used, the depth and the least number of rows in a leaf hold here, too; other filters do
        not.
    """

    def __init__(self, problem: RashomonProblem, maker: TreeMaker, filters: Filters) -> None:
        self._problem, self._maker = problem, maker
        self._allowed = [k for k, one in enumerate(problem.conditions) if one.column not in filters.never]
        depths = [depth for depth in (problem.max_depth, filters.max_depth) if depth is not None]
        self._depth = min(depths, default=None)
        self._min_rows = max(1, problem.min_samples_leaf, filters.min_rows)

    def find(self, tree: PartialTree) -> Interval | None:
        """Return the ticks of the best tree with a partial tree; None if no tree with it obeys the limits."""
        return self._of(tree, np.arange(len(self._problem.codes)), 0, SECONDS)

    def _of(self, node: PartialTree, rows: _Rows, depth: int, seconds: float) -> Interval | None:
        if len(rows) < self._min_rows or (self._depth is not None and depth > self._depth):
            return None
        scale = self._problem.scale
        if isinstance(node, Open):
            return self._solved(rows, depth, seconds)
        if isinstance(node, Leaf):
            losses = scale.weights[rows] * scale.costs[self._problem.codes[rows], node.prediction]
            cost = int(losses.sum()) + scale.leaf_cost
            return Interval(cost, cost)
        holds = self._maker.holds(node.condition)[rows]
        sides = (
            self._of(node.true, rows[holds], depth + 1, seconds / 2),
            self._of(node.false, rows[~holds], depth + 1, seconds / 2),
        )
        if sides[0] is None or sides[1] is None:
            return None
        return Interval(sides[0].lower + sides[1].lower, sides[0].upper + sides[1].upper)

    def _solved(self, rows: _Rows, depth: int, seconds: float) -> Interval:
        problem, scale = self._problem, self._problem.scale
        bits = np.array([self._maker.holds(condition)[rows] for condition in self._allowed], dtype=np.uint8)
        packed = np.packbits(bits.reshape(len(self._allowed), len(rows)), axis=1, bitorder="little")
        options = _core.SearchOptions(
            max_depth=None if self._depth is None else self._depth - depth,
            min_samples_leaf=self._min_rows,
            time_limit=seconds,
        )
        outcome = _core.solve(
            _core.PackedColumns(packed, len(rows)),
            _core.Problem(problem.codes[rows], scale.weights[rows], scale.costs, scale.leaf_cost),
            options,
        )
        return Interval(outcome["lower"], outcome["upper"])
