"""The BCART posterior in plain Python: scores of trees, and the tree of largest posterior by trying all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import inf, lgamma, log, log1p

import numpy as np


class Posterior:
    """Minus log posteriors of trees over the columns of a 0/1 matrix (n_rows, n_columns).

    Rows of a node are tuples of row numbers; nothing is shared with the core, nothing is rounded.
    """

    def __init__(
        self,
        matrix: np.ndarray,
        classes: np.ndarray,
        rho: Sequence[float],
        alpha: float = 0.95,
        beta: float = 0.5,
        max_depth: float = inf,
    ) -> None:
        self.rows = [tuple(map(int, row)) for row in matrix]
        self.n_columns = matrix.shape[1]
        self.classes = [int(each) for each in classes]
        self.rho, self.alpha, self.beta, self.max_depth = list(rho), alpha, beta, max_depth
        self.best = cache(self._best)

    @property
    def all_rows(self) -> tuple[int, ...]:
        return tuple(range(len(self.rows)))

    def p_split(self, depth: int) -> float:
        return self.alpha * (1 + depth) ** -self.beta

    def likelihood(self, rows: Sequence[int]) -> float:
        """Return minus the log likelihood of the labels of `rows` in one leaf."""
        cost = lgamma(sum(self.rho) + len(rows)) - lgamma(sum(self.rho))
        for k, rho in enumerate(self.rho):
            cost -= lgamma(rho + sum(self.classes[row] == k for row in rows)) - lgamma(rho)
        return cost

    def splits(self, rows: Sequence[int]) -> list[int]:
        """Return the columns that leave rows on both sides."""
        return [c for c in range(self.n_columns) if len({self.rows[row][c] for row in rows}) == 2]

    def leaf(self, rows: Sequence[int], depth: int) -> float:
        return self.likelihood(rows) - (log1p(-self.p_split(depth)) if self.splits(rows) else 0.0)

    def split(self, rows: Sequence[int], depth: int) -> float:
        """Return the cost of a split and of its choice."""
        return log(len(self.splits(rows))) - log(self.p_split(depth))

    def sides(self, rows: Sequence[int], column: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the rows where the column holds, and the others."""
        held = tuple(row for row in rows if self.rows[row][column])
        return held, tuple(row for row in rows if not self.rows[row][column])

    def _best(self, rows: tuple[int, ...], depth: int = 0) -> float:
        cost = self.leaf(rows, depth)
        if depth >= self.max_depth:
            return cost
        for column in self.splits(rows):
            held, failed = self.sides(rows, column)
            below = self.best(held, depth + 1) + self.best(failed, depth + 1)
            cost = min(cost, self.split(rows, depth) + below)
        return cost

    def heuristic(self, rows: Sequence[int], depth: int) -> float:
        """Return the perfect split heuristic of the paper, definition 7."""
        pure = sum(self.likelihood([row for row in rows if self.classes[row] == k]) for k in range(len(self.rho)))
        return min(self.likelihood(rows), pure - log(self.p_split(depth)))

    def score(self, arrays: dict[str, np.ndarray]) -> float:
        """Return the cost of a tree in the arrays of a search."""

        def node(number: int, rows: tuple[int, ...], depth: int) -> float:
            column = int(arrays["column"][number])
            if column < 0:
                return self.leaf(rows, depth)
            held, failed = self.sides(rows, column)
            below = node(arrays["left"][number], held, depth + 1) + node(arrays["right"][number], failed, depth + 1)
            return self.split(rows, depth) + below

        return node(0, self.all_rows, 0)
