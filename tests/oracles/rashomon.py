"""All trees within a bound, one by one: plain Python, nothing of hornbeam."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from oracles.problems import Problem

Nested = tuple[Any, ...]
"""A leaf is ``(prediction,)``, a split ``(column, tree where it is 1, tree where it is 0)``."""


def trees_within(problem: Problem, bound: int, leaf_rule: str = "differ") -> dict[Nested, int]:
    """Return all trees that cost at most `bound`, with their costs.

    Both sides of a split have rows. With the rule "any" a leaf predicts anything, with "best" the first of the
    cheapest; with "differ" so, too, and no split has two leaves of one prediction.
    """
    everything = tuple(range(len(problem.rows)))
    return {tree: cost for cost, tree in trees_on(problem, everything, problem.max_depth, bound, leaf_rule)}


def trees_on(
    problem: Problem, rows: tuple[int, ...], max_depth: int | None, bound: int, leaf_rule: str = "differ"
) -> Iterator[tuple[int, Nested]]:
    """Go through the trees on some of the rows that cost at most `bound`, with their costs."""
    n_predictions = len(problem.costs[0])

    def leaves(members: tuple[int, ...]) -> Iterator[tuple[int, Nested]]:
        losses = [
            sum(problem.weights[r] * problem.costs[problem.classes[r]][k] for r in members)
            for k in range(n_predictions)
        ]
        for k in range(n_predictions) if leaf_rule == "any" else [losses.index(min(losses))]:
            yield losses[k] + problem.leaf_cost, (k,)

    def trees(members: tuple[int, ...], depth: int | None, most: int) -> Iterator[tuple[int, Nested]]:
        yield from (leaf for leaf in leaves(members) if leaf[0] <= most)
        if depth == 0 or most < 2 * problem.leaf_cost:
            return
        below = None if depth is None else depth - 1
        for column in range(len(problem.rows[0])):
            held = tuple(r for r in members if problem.rows[r][column])
            failed = tuple(r for r in members if not problem.rows[r][column])
            if min(len(held), len(failed)) < max(1, problem.min_samples_leaf):
                continue
            for cost, tree in trees(held, below, most - problem.leaf_cost):
                for other_cost, other in trees(failed, below, most - cost):
                    if leaf_rule != "differ" or len(tree) > 1 or tree != other:
                        yield cost + other_cost, (column, tree, other)

    yield from trees(rows, max_depth, bound)


def nested(tree: Any, node: int = 0) -> Nested:
    """Return flat arrays as a nested tree."""
    if tree["column"][node] < 0:
        return (int(tree["prediction"][node]),)
    sides = (nested(tree, int(tree[side][node])) for side in ("left", "right"))
    return (int(tree["column"][node]), *sides)
