"""Brute force over all trees for ranks, written for reading: plain Python integers, no pruning, nothing of hornbeam.

A tree ranks rows by the share of positives in their leaf. Each pair of a positive and a negative row, of the product of
their weights, loses two half pairs if the negative is ranked higher, and one if both are ranked the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

Partition = frozenset[frozenset[int]]


def all_partitions(
    rows: Sequence[Sequence[int]],
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
) -> set[Partition]:
    """Return the partitions of the row numbers that some tree within the limits makes."""
    known: dict[tuple[frozenset[int], int | None], set[Partition]] = {}

    def of(members: frozenset[int], depth: int | None) -> set[Partition]:
        if (members, depth) not in known:
            found = {frozenset([members])}
            for column in range(len(rows[0]) if depth != 0 else 0):
                held = frozenset(r for r in members if rows[r][column])
                if min(len(held), len(members - held)) >= max(1, min_samples_leaf):
                    below = None if depth is None else depth - 1
                    rights = of(members - held, below)
                    found |= {left | right for left in of(held, below) for right in rights}
            known[members, depth] = found
        return known[members, depth]

    partitions = of(frozenset(range(len(rows))), max_depth)
    return {one for one in partitions if max_leaves is None or len(one) <= max_leaves}


def half_pairs_lost(partition: Partition, classes: Sequence[int], weights: Sequence[int]) -> int:
    """Return how many half pairs the leaves of a partition lose."""
    share = {}
    for leaf in partition:
        positive = sum(weights[r] for r in leaf if classes[r])
        for r in leaf:
            share[r] = Fraction(positive, sum(weights[member] for member in leaf))
    lost = 0
    for one in share:
        for other in share:
            if classes[one] == 1 and classes[other] == 0:
                halves = 2 if share[one] < share[other] else int(share[one] == share[other])
                lost += halves * weights[one] * weights[other]
    return lost


def area_below(partition: Partition, classes: Sequence[int], weights: Sequence[int], most: Fraction) -> Fraction:
    """Return the area, in pairs, below the curve of the leaves' shares up to a weight of negatives."""
    leaves = []
    for leaf in partition:
        positive = sum(weights[r] for r in leaf if classes[r])
        negative = sum(weights[r] for r in leaf) - positive
        leaves.append((Fraction(positive, positive + negative), positive, negative))
    area, height, left = Fraction(0), Fraction(0), Fraction(most)
    for _, positive, negative in sorted(leaves, reverse=True):
        width = min(left, Fraction(negative))
        rise = positive * width / negative if negative else Fraction(0)
        area += width * (height + rise / 2)
        left -= width
        height += positive
    return area


def optimal_partial_cost(
    rows: Sequence[Sequence[int]],
    classes: Sequence[int],
    weights: Sequence[int],
    half_pair_cost: int,
    max_false_positives: int,
    leaf_cost: int,
    **limits: int | None,
) -> int:
    """Return the least cost, rounded up; ``max_false_positives`` counts 2^-20 parts of a negative."""
    positive = sum(w for w, c in zip(weights, classes, strict=True) if c)
    pairs = positive * (sum(weights) - positive)
    return min(
        ceil(
            2 * half_pair_cost * (pairs - area_below(partition, classes, weights, Fraction(max_false_positives, 2**20)))
        )
        + leaf_cost * len(partition)
        for partition in all_partitions(rows, **limits)
    )


def optimal_cost(
    rows: Sequence[Sequence[int]],
    classes: Sequence[int],
    weights: Sequence[int],
    half_pair_cost: int,
    leaf_cost: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
) -> int:
    """Return the least ``half_pair_cost`` times half pairs lost plus ``leaf_cost`` times leaves over all trees."""
    return min(
        half_pair_cost * half_pairs_lost(partition, classes, weights) + leaf_cost * len(partition)
        for partition in all_partitions(rows, max_depth, max_leaves, min_samples_leaf)
    )
