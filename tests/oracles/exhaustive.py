"""Brute force over all trees, written for reading: plain Python integers, no pruning, nothing of hornbeam.

A problem is given by plain sequences (NumPy arrays work):

rows     n_rows x n_columns of 0/1
classes  class of each row, 0 .. n_classes - 1
weights  positive integer weight of each row
costs    n_classes x n_predictions non-negative integers, the cost per unit of weight

A tree costs, summed over its leaves, the weight times the cost of each row under the prediction of its leaf, plus
`leaf_cost` per leaf. A split must leave rows on both sides, at least `min_samples_leaf` of them (rows are counted, not
weighed; a tree that is a single leaf is always allowed). Depth is counted in edges.

Trees are flat, in pre-order, with the child where the column is 1 to the left:
``{"column": [...], "left": [...], "right": [...], "prediction": [...]}``, -1 for "none" at leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Matrix = Sequence[Sequence[int]]
Flat = Mapping[str, Any]


class InvalidTreeError(ValueError):
    """The tree is malformed or breaks a limit."""


def optimal_cost(
    rows: Matrix,
    classes: Sequence[int],
    weights: Sequence[int],
    costs: Matrix,
    leaf_cost: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
) -> int:
    """Return the exact minimum of the cost over all trees within the limits."""
    n_rows, n_columns = len(rows), len(rows[0])
    ones = [sum(1 << r for r in range(n_rows) if rows[r][c]) for c in range(n_columns)]
    row_costs = [[int(weights[r]) * int(cost) for cost in costs[classes[r]]] for r in range(n_rows)]
    known: dict[tuple[int, int | None, int | None], int] = {}

    def leaf(support: int) -> int:
        members = [row_costs[r] for r in range(n_rows) if support >> r & 1]
        return min(sum(column) for column in zip(*members, strict=True)) + int(leaf_cost)

    def best(support: int, depth: int | None, leaves: int | None) -> int:
        key = (support, depth, leaves)
        if key not in known:
            known[key] = min(leaf(support), *splits(support, depth, leaves))
        return known[key]

    def splits(support: int, depth: int | None, leaves: int | None) -> list[int]:
        """Return the least cost of each possible root split (and of each way to share out the leaves)."""
        if depth == 0:
            return [leaf(support)]
        below = None if depth is None else depth - 1
        shares = [(None, None)] if leaves is None else [(k, leaves - k) for k in range(1, leaves)]
        found = [leaf(support)]
        for column in ones:
            left, right = support & column, support & ~column
            if min(left.bit_count(), right.bit_count()) >= max(1, min_samples_leaf):
                found += [best(left, below, k) + best(right, below, m) for k, m in shares]
        return found

    return best((1 << n_rows) - 1, max_depth, max_leaves)


def all_trees(
    rows: Matrix,
    n_predictions: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
) -> Iterator[dict[str, list[int]]]:
    """Yield every tree within the limits, with every choice of labels for its leaves (inner nodes are labeled 0)."""
    Nested = tuple[Any, ...]

    def nested(members: list[int], depth: int | None) -> Iterator[Nested]:
        for prediction in range(n_predictions):
            yield (prediction,)
        if depth == 0:
            return
        below = None if depth is None else depth - 1
        for column in range(len(rows[0])):
            left = [r for r in members if rows[r][column]]
            right = [r for r in members if not rows[r][column]]
            if min(len(left), len(right)) >= max(1, min_samples_leaf):
                rights = list(nested(right, below))
                yield from ((column, a, b) for a in nested(left, below) for b in rights)

    for tree in nested(list(range(len(rows))), max_depth):
        flat = flatten(tree)
        if max_leaves is None or flat["column"].count(-1) <= max_leaves:
            yield flat


def flatten(tree: tuple[Any, ...]) -> dict[str, list[int]]:
    """Return the flat arrays of a nested tree: a leaf is ``(prediction,)``, a split ``(column, left, right)``."""
    flat: dict[str, list[int]] = {"column": [], "left": [], "right": [], "prediction": []}

    def add(node: tuple[Any, ...]) -> int:
        index = len(flat["column"])
        is_leaf = len(node) == 1
        flat["column"].append(-1 if is_leaf else node[0])
        flat["left"].append(-1)
        flat["right"].append(-1)
        flat["prediction"].append(node[0] if is_leaf else 0)
        if not is_leaf:
            flat["left"][index] = add(node[1])
            flat["right"][index] = add(node[2])
        return index

    add(tree)
    return flat


def members_of_nodes(tree: Flat, rows: Matrix) -> list[list[int]]:
    """Return for each node the indices of the rows that reach it."""
    reached: list[list[int]] = [[] for _ in tree["column"]]
    for r, row in enumerate(rows):
        node = 0
        reached[node].append(r)
        while tree["column"][node] != -1:
            node = int(tree["left"][node] if row[tree["column"][node]] else tree["right"][node])
            reached[node].append(r)
    return reached


def cost_of_tree(
    tree: Flat,
    rows: Matrix,
    classes: Sequence[int],
    weights: Sequence[int],
    costs: Matrix,
    leaf_cost: int,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    min_samples_leaf: int = 1,
) -> int:
    """Return the cost of a tree, scored from the raw rows.

    Raises
    ------
    InvalidTreeError
        The tree is not a well-formed pre-order tree on these columns, has a leaf without rows, or breaks a limit.
    """
    depths = check_structure(tree, n_columns=len(rows[0]), n_predictions=len(costs[0]))
    leaves = [node for node, column in enumerate(tree["column"]) if column == -1]
    if max_depth is not None and max(depths) > max_depth:
        raise InvalidTreeError(f"depth {max(depths)} exceeds {max_depth}")
    if max_leaves is not None and len(leaves) > max_leaves:
        raise InvalidTreeError(f"{len(leaves)} leaves exceed {max_leaves}")
    members = members_of_nodes(tree, rows)
    fewest = max(1, min_samples_leaf)
    for node in leaves:
        if len(members[node]) < fewest and len(leaves) > 1:
            raise InvalidTreeError(f"leaf {node} has {len(members[node])} rows, fewer than {fewest}")
    loss = sum(
        int(weights[r]) * int(costs[classes[r]][tree["prediction"][node]]) for node in leaves for r in members[node]
    )
    return loss + int(leaf_cost) * len(leaves)


def check_structure(tree: Flat, n_columns: int, n_predictions: int) -> list[int]:
    """Return the depth of each node of a well-formed pre-order tree, or raise InvalidTreeError."""
    column, left, right, prediction = (
        [int(v) for v in tree[name]] for name in ("column", "left", "right", "prediction")
    )
    if not len(column) == len(left) == len(right) == len(prediction) > 0:
        raise InvalidTreeError("the arrays are empty or differ in length")
    depths: list[int] = []

    def visit(node: int, depth: int) -> None:
        if node != len(depths) or node >= len(column):
            raise InvalidTreeError(f"node {node} stands where pre-order has node {len(depths)} of {len(column)}")
        if not 0 <= prediction[node] < n_predictions:
            raise InvalidTreeError(f"node {node} predicts {prediction[node]}")
        depths.append(depth)
        if column[node] == -1:
            if (left[node], right[node]) != (-1, -1):
                raise InvalidTreeError(f"leaf {node} has children")
            return
        if not 0 <= column[node] < n_columns:
            raise InvalidTreeError(f"node {node} splits on column {column[node]} of {n_columns}")
        visit(left[node], depth + 1)
        visit(right[node], depth + 1)

    visit(0, 0)
    if len(depths) != len(column):
        raise InvalidTreeError(f"{len(column) - len(depths)} nodes are not reached from the root")
    return depths
