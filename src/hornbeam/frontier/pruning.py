"""Weakest-link pruning: the subtrees of a tree that are best for larger leaf penalties.

A search that is stopped has one good tree, for one penalty. The subtrees are good trees for all larger penalties, so
that a path has no gaps where the searches had no time.

Source: L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees", 1984, section 3.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays

_LEAF = -1  # in the arrays of a tree: no column, no child
_NEVER = np.iinfo(np.int64).max


class Subtree(NamedTuple):
    """A tree in which some nodes are leaves that are none in a larger tree."""

    n_leaves: int
    loss: int
    """Ticks without leaf penalties."""
    whole: TreeArrays
    step_of_node: npt.NDArray[np.int64]
    """When the node became a leaf."""
    step: int
    """When this was the tree."""

    def arrays(self) -> TreeArrays:
        """Return the tree."""
        whole, is_pruned = self.whole, self.step_of_node <= self.step
        end = np.arange(len(is_pruned), dtype=np.int32)  # by node: itself, or the new leaf above it
        for node in np.flatnonzero(whole["column"] != _LEAF):  # parents come before their children
            if is_pruned[node] or end[node] != node:
                end[whole["left"][node]] = end[whole["right"][node]] = end[node]
        kept = np.flatnonzero(end == np.arange(len(end)))
        number = np.full(len(end) + 1, _LEAF, dtype=np.int32)  # the last one is that of no child
        number[kept] = np.arange(len(kept))
        is_leaf = is_pruned[kept] | (whole["column"][kept] == _LEAF)

        def unless_leaf(values: Any) -> npt.NDArray[np.int32]:
            return np.where(is_leaf, np.int32(_LEAF), values)

        return {
            "column": unless_leaf(whole["column"][kept]),
            "left": unless_leaf(number[whole["left"][kept]]),
            "right": unless_leaf(number[whole["right"][kept]]),
            "prediction": whole["prediction"][kept],
            "leaf_of_row": number[end[whole["leaf_of_row"]]],
        }


def pruned_subtrees(whole: TreeArrays, losses: npt.NDArray[np.int64]) -> Iterator[Subtree]:
    """Yield the subtrees that are best for rising leaf penalties, down to the root alone, without the tree itself.

    Parameters
    ----------
    whole : TreeArrays
        Parents come before their children.
    losses : ndarray of int64 of shape (n_nodes,)
        What each node would lose as a leaf.
    """
    column, left, right = (whole[name].tolist() for name in ("column", "left", "right"))
    parent = [_LEAF] * len(column)
    own, below, leaves = losses.tolist(), losses.tolist(), [1] * len(column)
    for node in reversed(range(len(column))):
        if column[node] != _LEAF:
            parent[left[node]] = parent[right[node]] = node
            below[node] = below[left[node]] + below[right[node]]
            leaves[node] = leaves[left[node]] + leaves[right[node]]
    step_of_node = np.full(len(column), _NEVER)
    # What a leaf of the subtree below a node saves.
    worth = np.array([(own[i] - below[i]) / (leaves[i] - 1) if leaves[i] > 1 else np.inf for i in range(len(column))])
    found: list[tuple[int, int]] = []  # leaves and loss after each step
    while leaves[0] > 1:
        node = int(np.argmin(worth))
        least = worth[node]
        while worth[node] <= least and leaves[0] > 1:  # all of one penalty in one step
            step_of_node[node] = min(step_of_node[node], len(found))
            lost, gone = own[node] - below[node], leaves[node] - 1
            stack = [node]
            while stack:
                one = stack.pop()
                worth[one] = np.inf
                if leaves[one] > 1:
                    stack += [left[one], right[one]]
            one = node
            while one != _LEAF:
                below[one] += lost
                leaves[one] -= gone
                if leaves[one] > 1:
                    worth[one] = (own[one] - below[one]) / (leaves[one] - 1)
                one = parent[one]
            node = int(np.argmin(worth))
        found.append((leaves[0], below[0]))
    for step, (n_leaves, loss) in enumerate(found):
        yield Subtree(n_leaves, loss, whole, step_of_node, step)


def losses_of_nodes(
    whole: TreeArrays, weights: npt.NDArray[np.int64], costs: npt.NDArray[np.int64], codes: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return what each node of a tree would lose as a leaf.

    Parameters
    ----------
    whole : TreeArrays
        Parents come before their children, and every node has a prediction.
    weights : ndarray of int64 of shape (n_rows,)
        Weights of the rows.
    costs : ndarray of int64 of shape (n_classes, n_classes)
        Lost for a row of weight 1 of the class of the row, if the class of the column is predicted.
    codes : ndarray of int32 of shape (n_rows,)
        Classes of the rows.

    Returns
    -------
    ndarray of int64 of shape (n_nodes,)
    """
    n_nodes, n_classes = len(whole["column"]), len(costs)
    # Sums of weights are below 2^52: exact in float64.
    totals = np.bincount(whole["leaf_of_row"] * np.int64(n_classes) + codes, weights, n_nodes * n_classes)
    totals = totals.astype(np.int64).reshape(n_nodes, n_classes)
    for node in reversed(np.flatnonzero(whole["column"] != _LEAF)):
        totals[node] = totals[whole["left"][node]] + totals[whole["right"][node]]
    losses: npt.NDArray[np.int64] = (totals * costs[:, whole["prediction"]].T).sum(axis=1)
    return losses
