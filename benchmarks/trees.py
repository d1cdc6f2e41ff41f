"""The common form of a tree, made from those of the peers, and its objective on data, counted from the rows.

An inner node is ``{"feature": j, "threshold": t, "left": node, "right": node}``; a row goes left where its column j is
at most t (0.5 for a binary column). A leaf is ``{"class": k}``, where k is a code of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Score:
    """What a tree is worth."""

    objective: float  # share of the rows that are predicted wrongly, plus regularization times leaves
    errors: int  # number of rows that are predicted wrongly
    leaves: int  # number of leaves
    depth: int  # largest number of edges from the root to a leaf


def score(tree: dict[str, Any], X: npt.NDArray[Any], y: npt.NDArray[np.int64], regularization: float) -> Score:
    """Score a tree row by row."""
    errors = leaves = depth = 0
    open_nodes = [(tree, np.arange(len(X)), 0)]
    while open_nodes:
        node, rows, level = open_nodes.pop()
        if "class" in node:
            errors += int(np.count_nonzero(y[rows] != node["class"]))
            leaves += 1
            depth = max(depth, level)
            continue
        if not 0 <= node["feature"] < X.shape[1]:
            raise ValueError(f"feature must be from 0 to {X.shape[1] - 1}, got {node['feature']!r}.")
        is_left = X[rows, node["feature"]] <= node["threshold"]
        open_nodes += [(node["left"], rows[is_left], level + 1), (node["right"], rows[~is_left], level + 1)]
    return Score(errors / len(y) + regularization * leaves, errors, leaves, depth)


def prune(tree: dict[str, Any], X: npt.NDArray[Any], y: npt.NDArray[np.int64], regularization: float) -> dict[str, Any]:
    """Return the subtree of least objective that keeps the root; its leaves predict the class of most rows."""

    def best(node: dict[str, Any], rows: npt.NDArray[np.intp]) -> tuple[float, dict[str, Any]]:
        counts = np.bincount(y[rows], minlength=1)
        leaf = (len(rows) - counts.max()) / len(y) + regularization, {"class": int(counts.argmax())}
        if "class" in node:
            return leaf
        is_left = X[rows, node["feature"]] <= node["threshold"]
        left, right = best(node["left"], rows[is_left]), best(node["right"], rows[~is_left])
        below = left[0] + right[0]
        return leaf if leaf[0] <= below + 1e-12 else (below, {**node, "left": left[1], "right": right[1]})

    return best(tree, np.arange(len(X)))[1]


def tree_of(node: Any, split: Callable[[Any], Any]) -> dict[str, Any]:
    """Build the common form below a node of a peer's tree.

    `split` returns of a node its class, or its column, what is left and right of it, and, unless the column is binary,
    its threshold.
    """
    found = split(node)
    if not isinstance(found, tuple):
        return {"class": int(found)}
    feature, left, right, *threshold = found
    below = {"left": tree_of(left, split), "right": tree_of(right, split)}
    return {"feature": int(feature), "threshold": float(*threshold or (0.5,)), **below}


def tree_from_paths(paths: Sequence[Sequence[int]], classes: Sequence[int]) -> dict[str, Any]:
    """Build the common form of a tree on binary columns from the path and the class of each leaf.

    A path holds, from the root down, j + 1 where column j is 1 and -(j + 1) where it is 0.
    """

    def split(leaves: list[tuple[Sequence[int], int]]) -> Any:
        first, code = leaves[0]
        if not first:
            return code
        zero, one = ([(path[1:], code) for path, code in leaves if (path[0] > 0) == side] for side in (False, True))
        return abs(first[0]) - 1, zero, one

    return tree_of(list(zip(paths, classes, strict=True)), split)


def tree_from_arrays(tree: Any, classes: Sequence[int]) -> dict[str, Any]:
    """Build the common form of a tree in scikit-learn's arrays, with the class of each node."""

    def split(node: int) -> Any:
        if tree.children_left[node] < 0:
            return classes[node]
        return tree.feature[node], tree.children_left[node], tree.children_right[node], tree.threshold[node]

    return tree_of(0, split)
