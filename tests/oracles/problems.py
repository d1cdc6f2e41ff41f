"""Small random problems that cover what the search has to get right. Seeded, so a failure can be made again."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oracles.exhaustive import Flat, cost_of_tree, optimal_cost

Table = list[list[int]]

MAX_TOTAL = 2**52
"""The core takes problems whose largest possible loss, and whose leaf cost, is below this."""


@dataclass(frozen=True)
class Problem:
    """One problem of the core in plain lists; its repr is the line that makes it again."""

    rows: Table
    classes: list[int]
    weights: list[int]
    costs: list[list[int]]
    leaf_cost: int
    max_depth: int | None = None
    max_leaves: int | None = None
    min_samples_leaf: int = 1

    def optimum(self) -> int:
        """Return the least cost of all trees, by brute force."""
        return optimal_cost(**vars(self))

    def cost(self, tree: Flat) -> int:
        """Return the cost of a tree, or raise InvalidTreeError if it is malformed or breaks a limit."""
        return cost_of_tree(tree, **vars(self))

    def total(self) -> int:
        """Return the largest loss that the rows can incur."""
        return sum(w * max(self.costs[c]) for w, c in zip(self.weights, self.classes, strict=True))


Range = tuple[int, int]


def random_problem(
    seed: int, objective: str, *, n_rows: Range = (1, 12), n_columns: Range = (0, 5), **limits: Any
) -> Problem:
    """Return a random problem: `objective` names a function in `OBJECTIVES`, `limits` are fields of Problem.

    Numbers of rows and columns are drawn from the ranges, the larger ones more often.
    """
    draw = random.Random(f"{seed} {objective} {n_rows} {n_columns} {sorted(limits.items())}")
    rows, columns = (max(draw.randint(*ends) for _ in range(2)) for ends in (n_rows, n_columns))
    table = random_table(draw, rows, columns)
    n_classes = draw.choice([2, 2, 3, 4])
    classes = random_classes(draw, table, n_classes)
    costs = OBJECTIVES[objective](draw, n_classes, classes)
    weights = random_weights(draw, rows, (MAX_TOTAL - 1) // (rows * max(map(max, costs)) or 1))
    total = Problem(table, classes, weights, costs, 0).total()
    scale = scale_towards_limit(total) if draw.random() < 0.3 else 1
    costs = [[scale * cost for cost in row] for row in costs]
    return Problem(table, classes, weights, costs, random_leaf_cost(draw, scale * total, rows), **limits)


def scale_towards_limit(total: int) -> int:
    """Return the largest power of two that keeps the total below the limit, as the estimators scale their costs."""
    return 1 if total == 0 else 2 ** ((MAX_TOTAL - 1) // total).bit_length() // 2


def random_table(draw: random.Random, n_rows: int, n_columns: int) -> Table:
    """Return 0/1 rows whose columns are random, nested, one-hot, repeated, complementary or constant."""
    density = draw.choice([0.2, 0.5, 0.5, 0.8])
    columns: list[list[int]] = []
    while len(columns) < n_columns:
        kind = draw.choice(["random", "random", "random", "nested", "one-hot", "repeat", "complement", "constant"])
        if kind in {"nested", "one-hot"}:
            values = [draw.randrange(4) for _ in range(n_rows)]
            columns += [[int(v <= cut if kind == "nested" else v == cut) for v in values] for cut in range(3)]
        elif kind == "constant":
            columns.append([draw.randint(0, 1)] * n_rows)
        elif kind in {"repeat", "complement"} and columns:
            columns.append([value ^ (kind == "complement") for value in draw.choice(columns)])
        else:
            columns.append([int(draw.random() < density) for _ in range(n_rows)])
    columns = columns[:n_columns]
    draw.shuffle(columns)
    return [[column[r] for column in columns] for r in range(n_rows)]


def random_classes(draw: random.Random, rows: Table, n_classes: int) -> list[int]:
    """Return classes: random, or a noisy function of the row (equal rows then mostly agree)."""
    if draw.random() < 0.5:
        return [draw.randrange(n_classes) for _ in rows]
    by_row = {tuple(row): draw.randrange(n_classes) for row in rows}
    return [by_row[tuple(row)] if draw.random() < 0.85 else draw.randrange(n_classes) for row in rows]


def random_weights(draw: random.Random, n_rows: int, largest: int) -> list[int]:
    """Return positive weights of at most `largest`: all one, small, or up to 2^30."""
    largest = min(largest, draw.choice([1, 1, 5, 2**30]))
    return [draw.randint(1, largest) for _ in range(n_rows)]


def random_two_classes(
    draw: random.Random, n_rows: tuple[int, int], n_columns: tuple[int, int]
) -> tuple[Table, list[int], list[int]]:
    """Return rows, classes that are not all equal, and weights; from ranges of the numbers of rows and columns."""
    classes: list[int] = []
    while len(set(classes)) < 2:
        rows = random_table(draw, draw.randint(*n_rows), draw.randint(*n_columns))
        classes = random_classes(draw, rows, 2)
    largest = draw.choice([1, 1, 3, 20])
    return rows, classes, [draw.randint(1, largest) for _ in classes]


def random_leaf_cost(draw: random.Random, total: int, n_rows: int) -> int:
    """Return a leaf penalty: nothing, as large as ties need, a share of a row's loss, or too large for any split."""
    per_row = total // n_rows
    share = draw.randint(0, per_row)
    penalty = draw.choice([0, 0, 1, per_row, per_row // 2, per_row // 4, share, share // 4, share * 2, total + 1])
    return min(penalty, MAX_TOTAL - 1)


Costs = list[list[int]]


def zero_one(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """Misclassification."""
    return weighted_errors([1] * n_classes)


def class_weighted(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """Misclassification with a weight per class."""
    return weighted_errors([draw.randint(0, 5) for _ in range(n_classes)])


def balanced(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """Balanced accuracy: each class that occurs has the same total weight."""
    counts = Counter(classes)
    common = math.lcm(*counts.values())
    return weighted_errors([common // counts[c] if counts[c] else 0 for c in range(n_classes)])


def omega(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """GOSDT's weighted accuracy: errors on the last class cost omega = numerator / 8."""
    return weighted_errors([8] * (n_classes - 1) + [draw.randint(1, 40)])


def weighted_errors(error_cost: list[int]) -> Costs:
    """Return the cost matrix where an error on class c costs ``error_cost[c]``."""
    n_classes = len(error_cost)
    return [[0 if k == c else error_cost[c] for k in range(n_classes)] for c in range(n_classes)]


def cost_matrix(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """Any costs; the number of predictions need not be the number of classes, no zero is needed on the diagonal."""
    n_predictions = draw.randint(1, 4)
    return [[draw.randint(0, 6) for _ in range(n_predictions)] for _ in range(n_classes)]


def reduced_matrix(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """Any costs with the least of each row subtracted: the zero of a row stands anywhere."""
    return [[cost - min(row) for cost in row] for row in cost_matrix(draw, n_classes, classes)]


def flat_rows(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """Any costs, but some classes cost nothing, and some cost the same whatever is predicted."""
    costs = cost_matrix(draw, n_classes, classes)
    return [draw.choice([row, [0] * len(row), [row[0]] * len(row)]) for row in costs]


def perverse(draw: random.Random, n_classes: int, classes: list[int]) -> Costs:
    """The right label is the dearest, and several wrong ones are equally cheap."""
    return [[draw.randint(4, 6) if k == c else draw.randint(0, 2) for k in range(n_classes)] for c in range(n_classes)]


OBJECTIVES: dict[str, Callable[[random.Random, int, list[int]], Costs]] = {
    "zero_one": zero_one,
    "class_weighted": class_weighted,
    "balanced": balanced,
    "omega": omega,
    "cost_matrix": cost_matrix,
    "reduced_matrix": reduced_matrix,
    "flat_rows": flat_rows,
    "perverse": perverse,
}
