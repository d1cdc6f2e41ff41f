"""The search of the authors' program of OSDT in plain Python, for counts that equal those of table 6.2 of the thesis.

It reproduces what decides these counts and is no part of the algorithm:

- losses in floating point, summed in the order of the leaves, so that sums of equal sets may differ, and do;
- the order in which Python goes through a set of at most four small numbers, the columns that are left to a leaf;
- the order of equal keys in Python's `heapq`;
- a queue of all sets, whose bounds are checked only when they are popped;
- splits that cannot be in an optimal tree are found only when they are tried.

One bound is wrong: the number of leaves is rounded down where it has to be rounded up. So nothing is proven.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import compress, product
from math import floor, log2
from typing import NamedTuple

import numpy as np

from benchmarks.data import Array

BOUNDS = (
    "equivalent_points",
    "hierarchical_objective",
    "incremental_progress",
    "leaf_accuracy",
    "leaf_count",
    "leaf_support",
    "lookahead",
    "permutation",
)


class Replay(NamedTuple):
    """What a search has found, and how many sets of leaves it had queued by then and in all; seconds are CPU time."""

    objective: float
    n_leaves: int
    queued: int
    queued_to_best: int
    seconds_to_best: float
    is_finished: bool


@dataclass(slots=True, eq=False)
class Leaf:
    """A set of literals (column, value), with its rows and what they lose."""

    literals: frozenset[tuple[int, bool]]
    groups: Array  # of equal rows
    closed: frozenset[int]  # columns on which it is not split: tested before, or found useless
    n_rows: int
    n_wrong: int
    loss: float
    least_loss: float
    sides: dict[int, tuple[Leaf, ...]] = field(default_factory=dict)


class OpenSet(float):
    """A set of leaves in the queue, some of which are split next. It is its key, so that equal keys stay equal."""

    __slots__ = ("bound", "kept", "split")
    bound: float
    kept: tuple[Leaf, ...]
    split: tuple[Leaf, ...]


def replay(
    X: Array,
    y: Array,
    regularization: float,
    *,
    policy: str = "curiosity",
    without: Sequence[str] = (),
    seconds: float = float("inf"),
) -> Replay:
    """Search as the authors' program does.

    Parameters
    ----------
    X : ndarray of 0 and 1 of shape (n_rows, n_columns)
        With at most 31 columns: the order of sets of larger numbers is not theirs.
    y : ndarray of int of shape (n_rows,)
        Classes, numbered from 0.
    regularization : float
        Leaf penalty.
    policy : {"curiosity", "objective", "lower_bound", "entropy", "gini", "fifo"}
        The set of the least value is expanded next.
    without : sequence of str
        Of `BOUNDS`, those that are left out.
    seconds : float
        Of CPU time, after which the search is stopped.

    Returns
    -------
    Replay
    """
    return _Search(X, y, regularization, policy, frozenset(BOUNDS) - frozenset(without), seconds).run()


class _Search:
    def __init__(
        self, X: Array, y: Array, regularization: float, policy: str, bounds: frozenset[str], seconds: float
    ) -> None:
        codes = np.zeros(len(y), dtype=np.int64)
        for column in X.T:
            codes = 2 * codes + column
        _, first, group_of_row = np.unique(codes, return_index=True, return_inverse=True)
        n_classes = int(y.max()) + 1
        counts = np.bincount(group_of_row * n_classes + y, minlength=len(first) * n_classes)
        self.columns, self.weights = X[first].astype(bool), counts.reshape(-1, n_classes)
        self.least = self.weights.sum(axis=1) - self.weights.max(axis=1)
        self.n_rows, self.n_columns, self.leaf_cost = len(y), int(X.shape[1]), regularization
        # Whole rows: more than this is more than the leaf penalty.
        self.rows_of_penalty = floor(Fraction(repr(regularization)) * len(y))
        self.policy, self.bounds = policy, bounds
        self.deadline = time.process_time() + seconds
        self.leaves: dict[frozenset[tuple[int, bool]], Leaf] = {}
        self.queue: list[OpenSet] = []
        self.seen: set[frozenset[Leaf]] = set()
        self.upper, self.n_leaves = float("inf"), 0
        self.queued = 0
        self.queued_to_best = 1  # the authors count the set that holds a tree as queued when it is found

    def run(self) -> Replay:
        begin = self.found = time.process_time()
        root = self.leaf(frozenset(), np.arange(len(self.columns)), frozenset())
        self.upper, self.n_leaves = root.loss + self.leaf_cost, 1
        self.push(0.0, self.bound((root,), self.leaf_cost), (), (root,))
        self.queued = 0
        while self.queue and time.process_time() < self.deadline:
            at = heappop(self.queue)
            if at.bound < self.upper:
                self.expand(at)
        return Replay(self.upper, self.n_leaves, self.queued, self.queued_to_best, self.found - begin, not self.queue)

    def leaf(self, literals: frozenset[tuple[int, bool]], groups: Array, closed: frozenset[int]) -> Leaf:
        """Return the leaf of these literals; the columns closed to it are those of its first parent."""
        if literals not in self.leaves:
            weights = self.weights[groups].sum(axis=0)
            n_rows = int(weights.sum())
            n_wrong, n_least = n_rows - int(weights.max()), int(self.least[groups].sum())
            losses = n_wrong / self.n_rows, n_least / self.n_rows
            self.leaves[literals] = Leaf(literals, groups, closed, n_rows, n_wrong, *losses)
        return self.leaves[literals]

    def sides(self, leaf: Leaf, column: int) -> tuple[Leaf, ...]:
        """Return both sides of a split; none if one saves too little, which also closes the column to later leaves."""
        if column not in leaf.sides:
            found: list[Leaf] = []
            for value in (False, True):
                groups = leaf.groups[self.columns[leaf.groups, column] == value]
                side = self.leaf(leaf.literals | {(column, value)}, groups, leaf.closed | {column})
                if "leaf_accuracy" in self.bounds and side.n_rows - side.n_wrong <= self.rows_of_penalty:
                    found = []
                    leaf.closed |= {column}
                    break
                found.append(side)
            leaf.sides[column] = tuple(found)
        return leaf.sides[column]

    def expand(self, at: OpenSet) -> None:
        fixed = _loss(0.0, at.kept)
        if "leaf_count" in self.bounds:
            so_far = fixed + self.leaf_cost * (len(at.kept) + len(at.split))
            if len(at.split) >= floor((self.upper - so_far) / self.leaf_cost):
                return
        columns = [self.open_columns(leaf) for leaf in at.split]
        for new in self.children(at.split, columns):
            self.evaluate(at, fixed, new)

    def open_columns(self, leaf: Leaf) -> list[int]:
        """Return the columns to split a leaf on, up to four in the order of a set of their numbers, from 1 on."""
        found = [column + 1 for column in range(self.n_columns) if column not in leaf.closed]
        return [number - 1 for number in (set(found) if len(found) <= 4 else found)]

    def children(self, split: tuple[Leaf, ...], columns: list[list[int]]) -> Iterator[tuple[Leaf, ...]]:
        """Generate the new leaves of each choice of columns, one for each leaf to be split."""
        if not split:
            yield ()
            return
        for column in columns[0]:
            if sides := self.sides(split[0], column):
                for others in self.children(split[1:], columns[1:]):
                    yield sides + others

    def evaluate(self, at: OpenSet, fixed: float, new: tuple[Leaf, ...]) -> None:
        """Compare a set with the best tree, and queue it with every choice of leaves to be split next."""
        if "permutation" in self.bounds:
            key = frozenset((*at.kept, *new))
            if key in self.seen:
                return
            self.seen.add(key)
        n_leaves = len(at.kept) + len(new)
        value = _loss(fixed, new) + self.leaf_cost * n_leaves
        if value < self.upper:
            self.upper, self.n_leaves = value, n_leaves
            self.queued_to_best, self.found = self.queued + 1, time.process_time()
        may_split = [self.can_split(leaf) for leaf in new]
        needs_split = [
            2 * i
            for i, leaf in enumerate(at.split)
            if "incremental_progress" in self.bounds
            and leaf.n_wrong - new[2 * i].n_wrong - new[2 * i + 1].n_wrong <= self.rows_of_penalty
        ]
        for choice in product(*[(False, True) if may else (False,) for may in may_split]):
            if any(choice) and all(choice[i] or choice[i + 1] for i in needs_split):
                split = tuple(compress(new, choice))
                keep = tuple(leaf for leaf, is_split in zip(new, choice, strict=True) if not is_split)
                so_far = _loss(fixed, keep) + self.leaf_cost * n_leaves
                kept = at.kept + keep
                self.push(self.key(kept, split, value, so_far), self.bound(split, so_far), kept, split)

    def can_split(self, leaf: Leaf) -> bool:
        if "leaf_support" in self.bounds and leaf.n_wrong <= self.rows_of_penalty:
            return False
        return len(leaf.closed) < self.n_columns

    def bound(self, split: tuple[Leaf, ...], so_far: float) -> float:
        least = so_far if "hierarchical_objective" in self.bounds else 0.0
        if "equivalent_points" in self.bounds:
            least += _sum(0.0, [leaf.least_loss for leaf in split])
        return least + self.leaf_cost * len(split) if "lookahead" in self.bounds else least

    def key(self, kept: tuple[Leaf, ...], split: tuple[Leaf, ...], value: float, so_far: float) -> float:
        if self.policy == "fifo":
            return 0.0
        if self.policy in ("objective", "lower_bound"):
            return value if self.policy == "objective" else so_far
        n_kept = self.n_rows - sum(leaf.n_rows for leaf in split)
        if self.policy == "curiosity":
            return so_far / (n_kept / self.n_rows if n_kept else 0.01 / self.n_rows)
        impurity = _gini if self.policy == "gini" else _entropy
        parts = [leaf.n_rows * impurity(leaf.n_wrong / leaf.n_rows) for leaf in kept if leaf.n_rows > 0]
        return _sum(0.0, parts) / (n_kept or 0.01)

    def push(self, key: float, bound: float, kept: tuple[Leaf, ...], split: tuple[Leaf, ...]) -> None:
        entry = OpenSet(key)
        entry.bound, entry.kept, entry.split = bound, kept, split
        heappush(self.queue, entry)
        self.queued += 1


def _loss(total: float, leaves: tuple[Leaf, ...]) -> float:
    return _sum(total, [leaf.loss for leaf in leaves])


def _sum(total: float, numbers: list[float]) -> float:
    """Add numbers one by one; `sum` compensates rounding errors from Python 3.12 on."""
    for number in numbers:
        total += number
    return total


def _gini(wrong: float) -> float:
    return 2 * wrong * (1 - wrong)


def _entropy(wrong: float) -> float:
    return 0.0 if wrong in (0.0, 1.0) else -wrong * log2(wrong) - (1 - wrong) * log2(1 - wrong)
