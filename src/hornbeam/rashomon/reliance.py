"""How much the trees of a Rashomon set rely on the columns of the table, in exact integers of the core."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.rashomon.found import stopped_by, to_integer

if TYPE_CHECKING:
    from hornbeam.rashomon.problem import RashomonProblem

_Path: TypeAlias = frozenset[tuple[int, bool]]  # conditions, by number, and whether they hold

_SHARE_BITS = 51


class Range(NamedTuple):
    """Range of the reliance over a set, shape (n_columns,), and how many trees do not split on each tested column."""

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    n_avoiding: dict[int, int]


class Reliances:
    """Model reliance on each column: of single trees, and its range and mean over a whole set.

    A row that gets its value of some column from another row reaches a leaf if it meets the path's conditions on the
    other columns, and the other row meets those on this column. So the mean loss over all pairs of rows is a sum over
    the leaves: the share of the rows that meet the latter, times the loss of the rows that meet the former. A leaf that
    several trees share is computed once.

    Parameters
    ----------
    problem : RashomonProblem
        The problem of the set.
    """

    def __init__(self, problem: RashomonProblem) -> None:
        self._columns = problem.columns
        self._variables = [condition.column for condition in problem.conditions]
        self._n_variables = len(problem.schema.names)
        scale = problem.scale
        self._losses = scale.weights * scale.costs[problem.codes].T  # (n_predictions, n_rows)
        self._shares = _integer_shares(problem.weights)
        self._total = int(self._shares.sum())
        # From ticks times the total of the shares to the user's unit.
        self._numerator = scale.one.denominator
        self._denominator = (self._total << scale.leaf_bits) * scale.one.numerator
        self._share_of: dict[_Path, int] = {}
        self._loss_of: dict[tuple[_Path, int], int] = {}
        self._added_by: dict[tuple[_Path, int], list[tuple[int, int]]] = {}

    def of_trees(self, trees: Iterable[_core.TreeArrays]) -> npt.NDArray[np.float64]:
        """Return the reliance of each tree on each column; shape (n_trees, n_columns)."""
        rows = [self._of_tree(arrays) for arrays in trees]
        return np.array(rows, dtype=np.float64).reshape(len(rows), self._n_variables)

    def range_over(self, trees: _core.RashomonSet, callback: Callable[[_core.Progress], bool] | None = None) -> Range:
        """Return the least and the largest reliance on each column over a whole set.

        Raises
        ------
        InterruptedError
            If `callback`, which is called meanwhile, returned True.
        """
        used, groups = self._groups()
        found = Range(np.zeros(self._n_variables), np.zeros(self._n_variables), {})
        ranges = _core.reliance(trees, groups, self._shares, callback=callback)
        if ranges is None:
            raise stopped_by(callback, "measuring the reliance on columns")
        for variable, (*ends, words) in zip(used, ranges, strict=True):
            found.low[variable], found.high[variable] = (self._in_units((high << 64) + low) for high, low in ends)
            found.n_avoiding[variable] = to_integer(words)
        return found

    def sums_over(
        self,
        trees: _core.FilteredSet,
        most: int,
        most_leaves: int | None = None,
        leaf_mask: int = 0,
        callback: Callable[[_core.Progress], bool] | None = None,
    ) -> dict[int, int]:
        """Return the exact sum over filtered trees of the reliance on each tested column, for `mean_of_sums`.

        Parameters
        ----------
        trees, most, most_leaves, leaf_mask, callback
            See `hornbeam.rashomon.votes.count_votes`.

        Raises
        ------
        InterruptedError
            If `callback` returned True.
        """
        used, groups = self._groups()
        sums = _core.sum_reliance(trees, groups, self._shares, most, most_leaves, leaf_mask, callback=callback)
        if sums is None:
            raise stopped_by(callback, "measuring the reliance on columns")
        return {column: to_integer(more) - to_integer(less) for column, (more, less) in zip(used, sums, strict=True)}

    def mean_of_sums(self, sums: Mapping[int, int], n_trees: int) -> npt.NDArray[np.float64]:
        """Return the mean reliance on each column, each correctly rounded; shape (n_columns,)."""
        return np.array([self._in_units(sums.get(column, 0), n_trees) for column in range(self._n_variables)])

    def _groups(self) -> tuple[list[int], npt.NDArray[np.int32]]:
        """Return the columns that some condition tests, and the place there of the column of each condition."""
        used = sorted(set(self._variables))
        return used, np.searchsorted(used, self._variables).astype(np.int32)

    def _of_tree(self, arrays: _core.TreeArrays) -> list[float]:
        column, prediction = arrays["column"].tolist(), arrays["prediction"].tolist()
        left, right = arrays["left"].tolist(), arrays["right"].tolist()
        sums = [0] * self._n_variables
        waiting: list[tuple[int, _Path]] = [(0, frozenset())]
        while waiting:
            node, path = waiting.pop()
            if column[node] < 0:
                for variable, added in self._added(path, prediction[node]):
                    sums[variable] += added
            else:
                waiting.append((left[node], path | {(column[node], True)}))
                waiting.append((right[node], path | {(column[node], False)}))
        return [self._in_units(value) for value in sums]

    def _added(self, path: _Path, prediction: int) -> list[tuple[int, int]]:
        """Return what a leaf adds to the reliance on each variable of its path, in ticks times the total of shares."""
        known = self._added_by.get((path, prediction))
        if known is None:
            own = self._total * self._loss(path, prediction)
            known = []
            for variable in {self._variables[column] for column, _ in path}:
                donors = frozenset(step for step in path if self._variables[step[0]] == variable)
                known.append((variable, self._share(donors) * self._loss(path - donors, prediction) - own))
            self._added_by[path, prediction] = known
        return known

    def _share(self, path: _Path) -> int:
        if path not in self._share_of:
            self._share_of[path] = int(self._shares[self._rows(path)].sum())
        return self._share_of[path]

    def _loss(self, path: _Path, prediction: int) -> int:
        if (path, prediction) not in self._loss_of:
            self._loss_of[path, prediction] = int(self._losses[prediction][self._rows(path)].sum())
        return self._loss_of[path, prediction]

    def _rows(self, path: _Path) -> npt.NDArray[np.bool_]:
        bits = np.full(self._columns.shape[1], 0xFF, dtype=np.uint8)
        for column, holds in path:
            bits &= self._columns[column] if holds else ~self._columns[column]
        return np.unpackbits(bits, count=len(self._shares), bitorder="little").view(np.bool_)

    def _in_units(self, value: int, n_trees: int = 1) -> float:
        return value * self._numerator / (self._denominator * n_trees)


def _integer_shares(weights: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the weights as integers of a sum below 2^52: whole ones unchanged, others rounded to 2^-51 of the sum."""
    total = fsum(weights.tolist())
    if total < 1 << _SHARE_BITS and np.array_equal(weights, np.rint(weights)):
        return weights.astype(np.int64)
    return np.rint(weights * (2.0**_SHARE_BITS / total)).astype(np.int64)
