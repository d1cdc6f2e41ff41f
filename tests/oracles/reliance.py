"""How much a tree relies on columns, by its definition over all pairs of rows: plain Python, nothing of hornbeam."""

from __future__ import annotations

from collections.abc import Container, Sequence
from fractions import Fraction
from typing import TypeAlias

from oracles.rashomon import Nested

Number: TypeAlias = "int | float | Fraction"


def predict(tree: Nested, row: Sequence[int]) -> int:
    """Return what a nested tree predicts for a row of 0 and 1."""
    while len(tree) > 1:
        tree = tree[1] if row[tree[0]] else tree[2]
    return int(tree[0])


def reliance(
    tree: Nested,
    rows: Sequence[Sequence[int]],
    losses: Sequence[Sequence[Number]],
    weights: Sequence[Number],
    group: Container[int],
    shares: Sequence[Number],
) -> Number:
    """Return the loss with others' values of the columns of `group`, less the loss, times the total of the shares.

    The first is summed over all pairs of a row and one that gives its values, which counts its share. ``losses[r][k]``
    is what row r of weight 1 loses if k is predicted.
    """
    mixed = own = Fraction(0)
    for row, loss, weight in zip(rows, losses, weights, strict=True):
        own += Fraction(weight) * loss[predict(tree, row)]
        for donor, share in zip(rows, shares, strict=True):
            values = [donor[c] if c in group else value for c, value in enumerate(row)]
            mixed += Fraction(weight) * share * loss[predict(tree, values)]
    return mixed - own * sum(shares)
