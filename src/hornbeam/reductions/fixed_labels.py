"""Exact search for additive objectives when a rule, not the optimizer, labels each leaf.

This is how GOSDT labels for the F-score: a leaf is positive if its positives, times omega, outweigh its negatives. Such
a leaf may lose more than with its other label, and rows added to it may flip its label, so no bound of the core that
moves rows between leaves holds. The equivalent points bound holds in its simplest form: equal rows end in one leaf and
lose at least the lighter cost, whatever the label. This is a plain dynamic program over support sets, in Python, for
tables of a few thousand distinct rows and about ten columns.
"""

from __future__ import annotations

from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam._checks import shown
from hornbeam.binarizers import evaluate_conditions
from hornbeam.objectives import exact_fraction

if TYPE_CHECKING:
    from hornbeam import _core
    from hornbeam.binarizers import Conditions
    from hornbeam.fitting.search import Listener
    from hornbeam.table import Table

_Integers: TypeAlias = npt.NDArray[np.int64]
_Remaining: TypeAlias = tuple[int | None, int | None]
"""Depth and leaves that a subproblem may use."""

_ENTRY_BYTES = 300  # of an entry of the table, without its key
_CLOCK_INTERVAL = 64  # subproblems between two checks of the clock


def check_omega(omega: Any) -> Fraction:
    """Return omega as a fraction of parts below 2^37, so that its products with weights below 2^25 are exact.

    Raises
    ------
    TypeError
        If it is not a number.
    ValueError
        If it is not finite, not greater than 0, or has too many places.
    """
    exact = Fraction(exact_fraction(omega, "omega"))
    if exact == 0:
        raise ValueError("omega must be greater than 0, got 0.")
    if max(exact.numerator, exact.denominator) >= 1 << 37:
        raise ValueError(f"omega must be a fraction of parts below 2^37, at most 11 decimals, got {shown(omega)}.")
    return exact


class _Known(NamedTuple):
    cost: int
    column: int  # -1 for a leaf
    left_leaves: int | None  # of the leaves allowed, those for the side where the condition holds


class _StoppedError(Exception):
    """Unwinds the search; its argument is the status."""


class FixedLabelSearch:
    """Stands in for `_core.solve` on one problem, with labels by omega.

    Parameters
    ----------
    conditions : Conditions
    table : Table
    codes, weights : ndarrays of shape (n_rows,)
        Class and weight of each row.
    counts : ndarray of int64 of shape (n_rows,) or None
        How many equal rows each row stands for; None: 1.
    omega : Fraction
        A leaf is positive if its positives times omega outweigh its negatives.
    """

    def __init__(
        self,
        conditions: Conditions,
        table: Table,
        codes: npt.NDArray[np.int32],
        weights: _Integers,
        counts: _Integers | None,
        omega: Fraction,
    ) -> None:
        answers = np.array(list(evaluate_conditions(conditions, table)), dtype=np.int64).reshape(
            len(conditions), table.n_rows
        )
        self._rows, self._group = np.unique(answers.T, axis=0, return_inverse=True)
        self._group = self._group.reshape(-1)
        self._omega, n_groups = omega, len(self._rows)
        # For each group of equal rows: weight of each class, number of rows.
        self._group_class_weights = [
            np.bincount(self._group[codes == k], weights[codes == k], n_groups) for k in (0, 1)
        ]
        self._counts = np.bincount(self._group, counts, n_groups).astype(np.int64)

    @staticmethod
    def bytes_for(conditions: Conditions, table: Table) -> int:
        """Return the bytes of the rows: all of them, a sorted copy, and the distinct ones."""
        return 3 * 8 * len(conditions) * table.n_rows

    def __call__(
        self,
        costs: _Integers,
        leaf_cost: int,
        options: _core.SearchOptions,
        callback: Listener | None,
    ) -> _core.Outcome:
        """Search, and return what the core returns; the options `bounds` and `n_threads` have no effect."""
        self._begin, self._options, self._callback = perf_counter(), options, callback
        self._costs, self._leaf_cost = costs, leaf_cost
        n_groups = len(self._rows)
        # For each group of equal rows: weight of each class, least loss, number of rows.
        negative, positive = (each.astype(np.int64) for each in self._group_class_weights)
        least = np.minimum(negative * costs[0, 1], positive * costs[1, 0])
        self._measures = np.column_stack([negative, positive, least, self._counts])
        self._known: dict[tuple[bytes, _Remaining], _Known] = {}
        every = np.arange(n_groups)
        remaining = (options.max_depth, options.max_leaves)
        whole = self._measures.sum(axis=0)
        self._root = self._best_at_root = _Known(self._leaf(whole), -1, None)
        self._lower = min(self._root.cost, 2 * leaf_cost + int(whole[2]))
        status = "optimal"
        try:
            self._best_at_root = self._solve(every, remaining, is_root=True)
            self._lower = self._best_at_root.cost
        except _StoppedError as stop:
            status = stop.args[0]
        except KeyboardInterrupt:
            status = "interrupted"
        nodes: list[list[int]] = []
        leaf_of_group = np.zeros(n_groups, dtype=np.int32)
        self._read(every, remaining, self._best_at_root, nodes, leaf_of_group)
        column, left, right, prediction = (part.copy() for part in np.array(nodes, dtype=np.int32).T)
        leaf_of_row = leaf_of_group[self._group]
        return {
            "tree": {
                "column": column,
                "left": left,
                "right": right,
                "prediction": prediction,
                "leaf_of_row": leaf_of_row,
            },
            "upper": self._best_at_root.cost,
            "lower": self._lower,
            "status": status,
            "statistics": {
                "subproblems": len(self._known),
                "table_entries": len(self._known),
                "bytes": self._bytes(),
                "seconds": perf_counter() - self._begin,
                "bounds": {},
            },
            "trace": [],
        }

    def _label(self, measures: _Integers) -> int:
        return int(self._omega * int(measures[1]) > int(measures[0]))

    def _leaf(self, measures: _Integers) -> int:
        wrong = 1 - self._label(measures)
        return self._leaf_cost + int(measures[wrong]) * int(self._costs[wrong, 1 - wrong])

    def _key(self, groups: npt.NDArray[np.intp], remaining: _Remaining) -> tuple[bytes, _Remaining]:
        flags = np.zeros(len(self._rows), dtype=np.bool_)
        flags[groups] = True
        return np.packbits(flags).tobytes(), remaining

    def _solve(self, groups: npt.NDArray[np.intp], remaining: _Remaining, *, is_root: bool = False) -> _Known:
        key = self._key(groups, remaining)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._search(groups, remaining, is_root=is_root)
        return found

    def _search(self, groups: npt.NDArray[np.intp], remaining: _Remaining, *, is_root: bool) -> _Known:
        self._check_limits()
        depth, leaves = remaining
        measures = self._measures[groups]
        whole = measures.sum(axis=0)
        best = _Known(self._leaf(whole), -1, None)
        if depth == 0 or leaves == 1 or best.cost <= 2 * self._leaf_cost + whole[2]:
            return best
        # One product measures the sides of all splits at once.
        rows = self._rows[groups]
        held = rows.T @ measures
        failed = whole - held
        bounds = self._bounds(held) + self._bounds(failed)
        is_split = np.minimum(held[:, 3], failed[:, 3]) >= max(1, self._options.min_samples_leaf)
        shares = [(None, None)] if leaves is None else [(k, leaves - k) for k in range(1, leaves)]
        below = None if depth is None else depth - 1
        # The most promising split first: the earlier the best tree is found, the more splits the loop leaves out.
        for column in np.argsort(bounds, kind="stable").tolist():
            if bounds[column] >= best.cost:
                break
            if not is_split[column]:
                continue
            holds = rows[:, column] == 1
            sides = groups[holds], groups[~holds]
            rest = int(self._bounds(failed[column : column + 1])[0])
            for left, right in shares:
                cost = self._solve(sides[0], (below, left)).cost
                if cost + rest < best.cost:
                    cost += self._solve(sides[1], (below, right)).cost
                    if cost < best.cost:
                        best = _Known(cost, column, left)
                        if is_root:
                            self._best_at_root = best
        return best

    def _bounds(self, measures: _Integers) -> _Integers:
        """Return a lower bound for each of several sets: its leaf, or two leaves that lose only what they must."""
        negative, positive = measures[:, 0], measures[:, 1]
        omega = self._omega
        is_positive = omega.numerator * positive > omega.denominator * negative
        loss = np.where(is_positive, negative * self._costs[0, 1], positive * self._costs[1, 0])
        bound: _Integers = self._leaf_cost + np.minimum(loss, self._leaf_cost + measures[:, 2])
        return bound

    def _read(
        self,
        groups: npt.NDArray[np.intp],
        remaining: _Remaining,
        known: _Known,
        nodes: list[list[int]],
        leaf_of_group: npt.NDArray[np.int32],
    ) -> None:
        """Append the nodes of the best tree of a set, in pre-order, and note which leaf its groups reach."""
        node = [known.column, -1, -1, self._label(self._measures[groups].sum(axis=0))]
        nodes.append(node)
        if known.column < 0:
            leaf_of_group[groups] = len(nodes) - 1
            return
        depth, leaves = remaining
        below = None if depth is None else depth - 1
        holds = self._rows[groups, known.column] == 1
        right = None if leaves is None or known.left_leaves is None else leaves - known.left_leaves
        for place, side, share in ((1, groups[holds], known.left_leaves), (2, groups[~holds], right)):
            node[place] = len(nodes)
            self._read(side, (below, share), self._known[self._key(side, (below, share))], nodes, leaf_of_group)

    def _bytes(self) -> int:
        return len(self._known) * (_ENTRY_BYTES + len(self._rows) // 8) + self._rows.nbytes + self._measures.nbytes

    def _check_limits(self) -> None:
        """Stop, after a fixed number of subproblems, if a limit is reached or the listener wants it."""
        if len(self._known) % _CLOCK_INTERVAL:
            return
        seconds = perf_counter() - self._begin
        limits = self._options
        if limits.time_limit is not None and seconds >= limits.time_limit:
            raise _StoppedError("time_limit")
        if limits.memory_limit is not None and self._bytes() > limits.memory_limit:
            raise _StoppedError("memory_limit")
        n_leaves = 0  # the caller has the tree
        record = (seconds, self._best_at_root.cost, self._lower, len(self._known), self._bytes(), n_leaves)
        if self._callback is not None and self._callback(record):
            raise _StoppedError("interrupted")
