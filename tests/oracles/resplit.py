"""RESPLIT as the paper states it (algorithm 5), tree by tree: plain Python, nothing of hornbeam.

All prefixes of a few levels of splits are listed; each of their leaves is replaced by all trees that cost no more than
the greedy tree of the same rows and depth. What comes of several prefixes is one tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from oracles.lookahead import Rows, greedy_cost, is_allowed, leaf_cost, sides
from oracles.problems import Problem
from oracles.rashomon import Nested, trees_on

Prefix = tuple[int, Rows] | tuple[int, "Prefix", "Prefix"]
"""An end is ``(depth, its rows)``, a split ``(column, prefix where it is 1, prefix where it is 0)``."""


def prefixes_within(problem: Problem, steps: int, bound: int) -> list[Prefix]:
    """Return the prefixes of at most `steps` levels that are worth at most `bound`.

    An end above the last level is worth a leaf, one at the last level its greedy tree.
    """
    assert problem.max_depth is not None
    everything = tuple(range(len(problem.rows)))
    return [prefix for value, prefix in _prefixes(problem, everything, 0, steps) if value <= bound]


def trees_of_prefixes(
    problem: Problem, prefixes: list[Prefix], leaf_rule: str = "differ", grain: int = 1
) -> dict[Nested, int]:
    """Return all trees that complete one of these prefixes, with their costs.

    Costs are compared with those of greedy trees by whole multiples of `grain`, rounded down.
    """
    return {tree: cost for prefix in prefixes for cost, tree in _completions(problem, prefix, leaf_rule, grain)}


def _prefixes(problem: Problem, rows: Rows, depth: int, steps: int) -> Iterator[tuple[int, Prefix]]:
    assert problem.max_depth is not None
    if steps == 0:
        yield greedy_cost(problem, rows, problem.max_depth - depth), (depth, rows)
        return
    yield leaf_cost(problem, rows), (depth, rows)
    if depth == problem.max_depth:
        return
    for column in range(len(problem.rows[0])):
        if is_allowed(problem, rows, column) and all(sides(problem, rows, column)):
            held, failed = (
                list(_prefixes(problem, side, depth + 1, steps - 1)) for side in sides(problem, rows, column)
            )
            for (value, prefix), (other_value, other) in product(held, failed):
                yield value + other_value, (column, prefix, other)


def _completions(problem: Problem, prefix: Prefix, leaf_rule: str, grain: int) -> Iterator[tuple[int, Nested]]:
    if len(prefix) == 2:
        depth, rows = prefix
        left = problem.max_depth - depth
        most = greedy_cost(problem, rows, left) // grain * grain + grain - 1
        yield from trees_on(problem, rows, left, most, leaf_rule)
        return
    column, held, failed = prefix
    parts = (list(_completions(problem, side, leaf_rule, grain)) for side in (held, failed))
    for (cost, tree), (other_cost, other) in product(*parts):
        if leaf_rule != "differ" or len(tree) > 1 or tree != other:
            yield cost + other_cost, (column, tree, other)
