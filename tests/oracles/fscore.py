"""Brute force over all trees and all labels of their leaves for 1 minus the F-score: no pruning, nothing of hornbeam.

Rows, weights and limits are as in `exhaustive`; class 1 is positive. A tree with labels costs
``(FP + FN) / (2 P + FP - FN) + regularization * leaves``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from oracles.exhaustive import Matrix

Mistakes = tuple[int, int, int]
"""Weight of false positives and of false negatives of a tree, and its number of leaves."""


def cost(mistakes: Mistakes, positives: int, regularization: Fraction) -> Fraction:
    """Return 1 minus the F-score plus the penalty of the leaves."""
    false_positives, false_negatives, leaves = mistakes
    true_positives = positives - false_negatives
    score = Fraction(2 * true_positives, 2 * true_positives + false_positives + false_negatives)
    return 1 - score + regularization * leaves


def either_label(negative: int, positive: int) -> list[bool]:
    """Allow both labels of a leaf with these weights."""
    return [False, True]


def all_mistakes(
    rows: Matrix,
    classes: Sequence[int],
    weights: Sequence[int],
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
    labels: Callable[[int, int], list[bool]] = either_label,
) -> set[Mistakes]:
    """Return the mistakes of every tree within the limits with every choice of labels that `labels` allows."""
    n_rows = len(rows)
    ones = [sum(1 << r for r in range(n_rows) if rows[r][c]) for c in range(len(rows[0]))]
    known: dict[tuple[int, int | None], set[Mistakes]] = {}

    def leaf(support: int) -> set[Mistakes]:
        mass = [sum(weights[r] for r in range(n_rows) if support >> r & 1 and classes[r] == c) for c in (0, 1)]
        return {(mass[0], 0, 1) if label else (0, mass[1], 1) for label in labels(*mass)}

    def trees(support: int, depth: int | None) -> set[Mistakes]:
        key = (support, depth)
        if key not in known:
            found = leaf(support)
            below = None if depth is None else depth - 1
            for column in ones if depth != 0 else []:
                left, right = support & column, support & ~column
                if min(left.bit_count(), right.bit_count()) >= max(1, min_samples_leaf):
                    found |= {
                        (a + d, b + e, c + f) for a, b, c in trees(left, below) for d, e, f in trees(right, below)
                    }
            known[key] = {one for one in found if max_leaves is None or one[2] <= max_leaves}
        return known[key]

    return trees((1 << n_rows) - 1, max_depth)
