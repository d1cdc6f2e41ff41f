"""Brute force over all policy trees: plain Python, exact fractions, nothing of hornbeam."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any


@dataclass(frozen=True)
class PolicyProblem:
    """Rows with a reward for each action; a missing value, and a reward that is not known, is None."""

    rows: list[list[Any]]
    rewards: list[list[float | None]]
    weights: list[float]
    costs: list[float]
    regularization: float
    max_depth: int | None = None
    max_leaves: int | None = None
    min_samples_leaf: int = 1

    def losses(self) -> list[list[Fraction | None]]:
        """Return what each row loses by each action against its best one."""
        net = [
            [None if r is None else Fraction(r) - Fraction(c) for r, c in zip(row, self.costs, strict=True)]
            for row in self.rewards
        ]
        return [
            [None if r is None else max(known for known in row if known is not None) - r for r in row] for row in net
        ]

    def splits(self) -> set[frozenset[int]]:
        """Return the rows where each condition holds that is not constant, and their complements."""
        found = set()
        n_rows = len(self.rows)
        for column in zip(*self.rows, strict=True):
            known = sorted({value for value in column if value is not None})
            # Categories and columns of 0 and 1 are tested for a value, numbers compared with each.
            is_equal = isinstance(known[0], str) or set(known) <= {0, 1}
            for value in known:
                held = (r for r, x in enumerate(column) if x is not None and (x == value if is_equal else x <= value))
                if not is_equal or value != 0:
                    found.add(frozenset(held))
            found.add(frozenset(r for r in range(n_rows) if column[r] is None))
        everything = frozenset(range(n_rows))
        return {split for split in found | {everything - split for split in found} if 0 < len(split) < n_rows}

    def optimum(self) -> Fraction:
        """Return the least ``loss + regularization * leaves`` of all trees within the limits."""
        losses, splits = self.losses(), self.splits()
        total = sum(map(Fraction, self.weights))
        largest = sum(
            Fraction(w) * max(x for x in row if x is not None) for w, row in zip(self.weights, losses, strict=True)
        )
        unavailable, penalty = 2 * largest / total, Fraction(self.regularization)
        n_actions = len(self.costs)

        def loss(row: int, action: int) -> Fraction:
            lost = losses[row][action]
            return unavailable if lost is None else Fraction(self.weights[row]) * lost / total

        @cache
        def best(rows: frozenset[int], depth: int, leaves: int) -> Fraction:
            least = penalty + min(sum(loss(row, action) for row in rows) for action in range(n_actions))
            if depth == 0 or leaves == 1:
                return least
            for split in splits:
                held, failed = rows & split, rows - split
                if min(len(held), len(failed)) < self.min_samples_leaf or not held or not failed:
                    continue
                for n in range(1, leaves):
                    least = min(least, best(held, depth - 1, n) + best(failed, depth - 1, leaves - n))
            return least

        n_rows = len(self.rows)
        depth = n_rows - 1 if self.max_depth is None else min(self.max_depth, n_rows - 1)
        leaves = n_rows if self.max_leaves is None else min(self.max_leaves, n_rows)
        return best(frozenset(range(n_rows)), depth, min(leaves, 2**depth))

    def objective(self, actions: list[int], n_leaves: int) -> Fraction:
        """Return the same of a tree that chooses these actions for the rows, which are all available."""
        losses, total = self.losses(), sum(map(Fraction, self.weights))
        lost = [losses[row][action] for row, action in enumerate(actions)]
        assert None not in lost
        return sum(Fraction(w) * x for w, x in zip(self.weights, lost, strict=True)) / total + n_leaves * Fraction(
            self.regularization
        )


def random_policy(seed: int, kind: str, **limits: Any) -> PolicyProblem:
    """Return a random problem whose rewards are of some kind.

    "integer", "decimal" and "missing" are taken over exactly; "real" are any numbers, "huge" and "tiny" near the ends
    of float64, and "mixed" of all sizes.
    """
    draw = random.Random(f"{seed} {kind} {sorted(limits.items())}")
    n_rows, n_columns, n_actions = draw.randint(1, 7), draw.randint(1, 3), draw.randint(2, 4)
    rows = [[_value(draw, column % 2 == 1) for column in range(n_columns)] for _ in range(n_rows)]
    for column in range(n_columns):  # none is missing as a whole
        rows[0][column] = "a" if column % 2 == 1 else 1.0
    make = _KINDS[kind]
    rewards: list[list[float | None]] = [[make(draw) for _ in range(n_actions)] for _ in range(n_rows)]
    if kind == "missing":
        for row in rewards[1:]:
            for action in draw.sample(range(n_actions), draw.randint(0, n_actions - 1)):
                row[action] = None
    whole = kind in ("integer", "decimal", "missing")
    weights = [draw.choice([1, 1, 2, 3]) if whole else draw.choice([1, 0.1, draw.random() + 1e-3]) for _ in rows]
    costs = [draw.choice([0, 0, 1, 0.5]) if whole else 0 for _ in range(n_actions)]
    problem = PolicyProblem(rows, rewards, weights, costs, 0, **limits)
    return PolicyProblem(rows, rewards, weights, costs, _penalty(draw, problem, exact=whole), **limits)


def _value(draw: random.Random, is_text: bool) -> Any:
    if draw.random() < 0.15:
        return None
    return draw.choice("abc") if is_text else float(draw.randint(0, 3))


def _penalty(draw: random.Random, problem: PolicyProblem, *, exact: bool) -> float:
    """Return nothing, or a share of the largest loss; a multiple of a power of two where the problem is exact."""
    losses = [x for row in problem.losses() for x in row if x is not None]
    share = float(max(losses)) / len(problem.rows) * draw.choice([0, 0.05, 0.2, 0.5]) / 4
    return math.floor(share * 1024) / 1024 if exact else share


_KINDS = {
    "integer": lambda draw: draw.randint(-5, 5),
    "decimal": lambda draw: draw.randint(-40, 40) / 8,
    "missing": lambda draw: draw.randint(-5, 5),
    "real": lambda draw: draw.gauss(0, 1),
    "huge": lambda draw: draw.uniform(-1, 1) * 8e307,
    "tiny": lambda draw: draw.uniform(-1, 1) * 1e-300,
    "mixed": lambda draw: draw.gauss(0, 1) * 10 ** draw.uniform(-9, 9),
}


def policies_within(rows: list[list[int]], problem: PolicyProblem, bound: Fraction) -> dict[tuple[Any, ...], Fraction]:
    """Return all trees on columns of 0 and 1 with an objective of at most `bound`, with their objectives.

    A leaf is ``(action,)``, a split ``(column, tree where it is 1, tree where it is 0)``. A leaf chooses the first of
    the best actions; no split has two leaves of one action.
    """
    losses, total = problem.losses(), sum(map(Fraction, problem.weights))
    largest = sum(
        Fraction(w) * max(x for x in row if x is not None) for w, row in zip(problem.weights, losses, strict=True)
    )
    penalty = Fraction(problem.regularization)

    @cache
    def trees(members: tuple[int, ...], depth: int) -> list[tuple[tuple[Any, ...], Fraction]]:
        sums = [
            sum(2 * largest if losses[r][k] is None else Fraction(problem.weights[r]) * losses[r][k] for r in members)
            for k in range(len(problem.costs))
        ]
        found: list[tuple[tuple[Any, ...], Fraction]] = [((sums.index(min(sums)),), min(sums) / total + penalty)]
        for column in range(len(rows[0])) if depth > 0 else ():
            yes, no = (tuple(r for r in members if rows[r][column] == side) for side in (1, 0))
            if min(len(yes), len(no)) < max(1, problem.min_samples_leaf):
                continue
            for one, cost in trees(yes, depth - 1):
                for other, more in trees(no, depth - 1):
                    if len(one) > 1 or one != other:
                        found.append(((column, one, other), cost + more))
        return found

    depth = len(rows) if problem.max_depth is None else problem.max_depth
    return {tree: cost for tree, cost in trees(tuple(range(len(rows))), depth) if cost <= bound}
