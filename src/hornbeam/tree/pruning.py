"""Pruning: the subtrees of a tree that are best for a leaf penalty, or for all larger ones.

A search that is stopped has one good tree, for one penalty. Its subtrees, pruned at the weakest links, are good trees
for all larger penalties, so that a path has no gaps where the searches had no time. A tree that a search starts from is
pruned for the penalty of the search.

Source: L. Breiman, J. Friedman, R. Olshen, C. Stone, "Classification and Regression Trees", 1984, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core

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
        return with_leaves(self.whole, self.step_of_node <= self.step)


def with_leaves(whole: TreeArrays, is_pruned: npt.NDArray[np.bool_]) -> TreeArrays:
    """Return a tree in which these nodes are leaves; parents come before their children."""
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
    whole: TreeArrays, weights: npt.NDArray[np.int64], costs: npt.NDArray[np.int64], codes: npt.NDArray[np.int32] | None
) -> npt.NDArray[np.int64]:
    """Return what each node of a tree would lose as a leaf.

    Parameters
    ----------
    whole : TreeArrays
        Parents come before their children, and every node has a prediction.
    weights : ndarray of int64 of shape (n_rows,), or (n_rows, n_targets) without codes
        Weights of the rows, or of each row for every target.
    costs : ndarray of int64 of shape (n_targets, n_predictions)
        Lost for a weight of 1 of the target of the row, if that of the column is predicted.
    codes : ndarray of int32 of shape (n_rows,) or None
        The only target of each row; None where rows weigh for every target.

    Returns
    -------
    ndarray of int64 of shape (n_nodes,)
    """
    totals = _weights_of_nodes(whole, weights, codes, len(costs))
    losses: npt.NDArray[np.int64] = (totals * costs[:, whole["prediction"]].T).sum(axis=1)
    return losses


def best_predictions(
    whole: TreeArrays, weights: npt.NDArray[np.int64], costs: npt.NDArray[np.int64], codes: npt.NDArray[np.int32] | None
) -> npt.NDArray[np.int32]:
    """Return what each node of a tree best predicts; see `losses_of_nodes`, but the nodes need no prediction."""
    losses = _weights_of_nodes(whole, weights, codes, len(costs)) @ costs
    best: npt.NDArray[np.int32] = losses.argmin(axis=1).astype(np.int32)
    return best


def pruned_for(
    whole: TreeArrays,
    losses_of: Callable[[TreeArrays], npt.NDArray[np.int64]],
    leaf_penalty: int,
    max_leaves: int | None,
    *,
    is_list: bool,
) -> TreeArrays:
    """Return the subtree that costs least for a leaf penalty; of equally good ones, that of fewer leaves.

    Parameters
    ----------
    whole : TreeArrays
        Parents come before their children, and every node has a prediction.
    losses_of : callable
        Returns what each node of a tree would lose as a leaf, in ticks; see `losses_of_nodes`.
    leaf_penalty : int
        Ticks of a leaf.
    max_leaves : int or None
        If the subtree has more leaves, it is pruned further at its weakest links, which need not give the best subtree
        of this size.
    is_list : bool
        Of the two sides of every split, at least one becomes a leaf.
    """
    left, right, leaf = whole["left"].tolist(), whole["right"].tolist(), (losses_of(whole) + leaf_penalty).tolist()
    cost, is_pruned = list(leaf), np.ones(len(leaf), dtype=bool)
    for node in reversed(np.flatnonzero(whole["column"] != _LEAF).tolist()):
        sides = [left[node], right[node]]
        saved = [leaf[side] - cost[side] for side in sides]
        lost = min(saved) if is_list else 0  # by the side that has to be a leaf
        if cost[sides[0]] + cost[sides[1]] + lost >= leaf[node]:
            continue
        cost[node] = cost[sides[0]] + cost[sides[1]] + lost
        is_pruned[node] = False
        if is_list:
            is_pruned[sides[saved.index(lost)]] = True
    pruned = with_leaves(whole, is_pruned)
    if max_leaves is None or (pruned["column"] == _LEAF).sum() <= max_leaves:
        return pruned
    return next(one.arrays() for one in pruned_subtrees(pruned, losses_of(pruned)) if one.n_leaves <= max_leaves)


def _weights_of_nodes(
    whole: TreeArrays, weights: npt.NDArray[np.int64], codes: npt.NDArray[np.int32] | None, n_targets: int
) -> npt.NDArray[np.int64]:
    """Return the weight of each target in each node; shape (n_nodes, n_targets)."""
    links = whole["left"], whole["right"], whole["leaf_of_row"]
    _, totals = _core.node_statistics(*links, codes, np.ascontiguousarray(weights), n_targets)
    return totals.astype(np.int64)  # sums of weights are below 2^52: exact in float64
