"""The common form of a tree, and what such a tree is worth on data, counted from the rows.

An inner node is ``{"feature": j, "threshold": t, "left": node, "right": node}``; a row goes left where its column j is
at most t (0.5 for a binary column). A leaf is ``{"class": k}``, where k is a code of the target.
"""

from __future__ import annotations

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
