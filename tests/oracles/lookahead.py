"""Lookahead search with greedy completion, written for reading: plain Python, no pruning, nothing of hornbeam.

Problems are given as in `oracles.exhaustive`. Ties of information gain go to the first column, and so do ties of cost;
a split must cost less than the leaf.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from functools import cache

from oracles.problems import Problem

Rows = tuple[int, ...]

_DIGITS = Context(prec=60)


def greedy_cost(problem: Problem, rows: Rows, depth: int, by_loss: int = 0) -> int:
    """Return the cost of the greedy tree of at most `depth` edges, cut back from below where it does not pay.

    Splits have the largest information gain; in the last `by_loss` of the levels that the depth allows, they leave the
    least loss.
    """
    leaf = leaf_cost(problem, rows)
    columns = [c for c in range(len(problem.rows[0])) if is_allowed(problem, rows, c)]
    if depth == 0 or not columns:
        return leaf
    merit = leaf_cost if depth <= by_loss else impurity
    column = min(columns, key=lambda c: _sum(merit(problem, side) for side in sides(problem, rows, c)))
    return min(leaf, sum(greedy_cost(problem, side, depth - 1, by_loss) for side in sides(problem, rows, column)))


def _sum(parts: Iterable[Decimal | int]) -> Decimal:
    with localcontext(_DIGITS):
        return round(sum(parts, Decimal(0)), 30)


def lookahead_cost(problem: Problem, rows: Rows, depth: int, steps: int, by_loss: int = 0) -> tuple[int, int | None]:
    """Return what the best prefix of `steps` levels costs, completed by greedy trees, and its first split."""
    if steps == 0:
        return greedy_cost(problem, rows, depth, by_loss), None
    best: tuple[int, int | None] = (leaf_cost(problem, rows), None)
    if depth == 0:
        return best
    for column in range(len(problem.rows[0])):
        if is_allowed(problem, rows, column):
            parts = [
                lookahead_cost(problem, side, depth - 1, steps - 1, by_loss)[0] for side in sides(problem, rows, column)
            ]
            if sum(parts) < best[0]:
                best = (sum(parts), column)
    return best


def licketysplit_cost(problem: Problem, rows: Rows, depth: int, steps: int = 1, by_loss: int = 0) -> int:
    """Return the cost of the tree that takes the first split of the best prefix, then the same on both sides."""
    _, column = lookahead_cost(problem, rows, depth, steps, by_loss)
    if column is None:
        return leaf_cost(problem, rows)
    below = sides(problem, rows, column)
    return sum(licketysplit_cost(problem, side, depth - 1, steps, by_loss) for side in below)


def leaf_cost(problem: Problem, rows: Rows) -> int:
    """Return the cost of a single leaf."""
    predictions = range(len(problem.costs[0]))
    return problem.leaf_cost + min(
        sum(problem.weights[r] * problem.costs[problem.classes[r]][k] for r in rows) for k in predictions
    )


def sides(problem: Problem, rows: Rows, column: int) -> tuple[Rows, Rows]:
    """Return the rows where the column is 1, and those where it is 0."""
    held = tuple(r for r in rows if problem.rows[r][column])
    return held, tuple(r for r in rows if not problem.rows[r][column])


def is_allowed(problem: Problem, rows: Rows, column: int) -> bool:
    """Say whether both sides have rows enough."""
    return all(len(side) >= problem.min_samples_leaf for side in sides(problem, rows, column))


def impurity(problem: Problem, rows: Rows) -> Decimal:
    """Return the entropy of the classes times their mass: what rows weigh, or can lose if classes differ in that.

    It has 60 digits, and so have sums of two. Rounded to 30 places, two are equal only if they are the same number.
    """
    largest = [max(costs) for costs in problem.costs]
    error_cost = [1] * len(largest) if len(set(largest)) == 1 else largest
    mass = [0] * len(error_cost)
    for r in rows:
        mass[problem.classes[r]] += problem.weights[r] * error_cost[problem.classes[r]]
    with localcontext(_DIGITS):
        return entropy(sum(mass)) - sum(map(entropy, mass))


@cache
def entropy(mass: int) -> Decimal:
    """Return x ln x."""
    return _DIGITS.multiply(mass, Decimal(mass).ln(_DIGITS)) if mass else Decimal(0)
