"""Brute force over all regression trees in exact fractions, written for reading; nothing of hornbeam."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any


def squared_error(targets: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
    """Return the sum of weighted squared differences from the weighted mean."""
    mean = sum(w * y for w, y in zip(weights, targets, strict=True)) / sum(weights)
    return sum((w * (y - mean) ** 2 for w, y in zip(weights, targets, strict=True)), Fraction(0))


def quantile_loss(quantile: Fraction) -> Callable[[Sequence[Fraction], Sequence[Fraction]], Fraction]:
    """Return the sum of the weighted pinball losses by the best number for all rows, which is one of the targets."""

    def pinball(error: Fraction) -> Fraction:
        return quantile * error if error >= 0 else (quantile - 1) * error

    def lost(targets: Sequence[Fraction], weights: Sequence[Fraction]) -> Fraction:
        pairs = list(zip(targets, weights, strict=True))
        return min(sum((w * pinball(y - number) for y, w in pairs), Fraction(0)) for number in set(targets))

    return lost


def optimal_objective(
    rows: Sequence[Sequence[bool]],
    targets: Sequence[Fraction],
    weights: Sequence[Fraction],
    regularization: Fraction,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
    loss_of: Callable[[Sequence[Fraction], Sequence[Fraction]], Fraction] = squared_error,
) -> Fraction:
    """Return the least objective of all trees: loss of the leaves over that of one leaf, plus the penalty of each leaf.

    A split must leave `min_samples_leaf` rows on both sides, at least one. Of constant targets the loss is 0.
    """
    n_columns = len(rows[0])
    whole = loss_of(targets, weights)
    known: dict[tuple[tuple[int, ...], int | None, int | None], Fraction] = {}

    def leaf(members: tuple[int, ...]) -> Fraction:
        loss = loss_of([targets[r] for r in members], [weights[r] for r in members])
        return (loss / whole if whole else Fraction(0)) + regularization

    def best(members: tuple[int, ...], depth: int | None, leaves: int | None) -> Fraction:
        key = members, depth, leaves
        if key not in known:
            known[key] = min([leaf(members), *splits(members, depth, leaves)])
        return known[key]

    def splits(members: tuple[int, ...], depth: int | None, leaves: int | None) -> list[Fraction]:
        if depth == 0 or leaves == 1:
            return []
        below = None if depth is None else depth - 1
        shares = [(None, None)] if leaves is None else [(of_yes, leaves - of_yes) for of_yes in range(1, leaves)]
        found = []
        for column in range(n_columns):
            yes = tuple(r for r in members if rows[r][column])
            no = tuple(r for r in members if not rows[r][column])
            if min(len(yes), len(no)) >= max(1, min_samples_leaf):
                found += [best(yes, below, of_yes) + best(no, below, of_no) for of_yes, of_no in shares]
        return found

    return best(tuple(range(len(rows))), max_depth, max_leaves)


Nested = tuple[Any, ...]
"""A leaf is ``()``, a split ``(column, tree where it is 1, tree where it is 0)``."""


def trees_within(
    rows: Sequence[Sequence[bool]],
    targets: Sequence[Fraction],
    weights: Sequence[Fraction],
    regularization: Fraction,
    bound: Fraction,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> dict[Nested, Fraction]:
    """Return all trees with an objective of at most `bound`, see `optimal_objective`, with their objectives."""
    whole = squared_error(targets, weights)

    @cache
    def trees(members: tuple[int, ...], depth: int | None) -> list[tuple[Nested, Fraction]]:
        loss = squared_error([targets[r] for r in members], [weights[r] for r in members])
        found: list[tuple[Nested, Fraction]] = [((), (loss / whole if whole else Fraction(0)) + regularization)]
        for column in range(len(rows[0])) if depth != 0 else ():
            yes = tuple(r for r in members if rows[r][column])
            no = tuple(r for r in members if not rows[r][column])
            if min(len(yes), len(no)) < max(1, min_samples_leaf):
                continue
            below = None if depth is None else depth - 1
            for (one, cost), (other, more) in product(trees(yes, below), trees(no, below)):
                found.append(((column, one, other), cost + more))
        return found

    return {tree: cost for tree, cost in trees(tuple(range(len(rows))), max_depth) if cost <= bound}
