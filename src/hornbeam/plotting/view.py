"""The part of a tree that a picture shows: below some depth, each subtree is collapsed into one box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hornbeam.tree import BaseTree
from hornbeam.tree.routing import node_depths


@dataclass(frozen=True, slots=True)
class View:
    """Nodes that are drawn, in pre-order.

    Attributes
    ----------
    nodes : list of int
        Number of each drawn node in the tree.
    left, right : list of int
        Indices of the children in `nodes`; -1 if none is drawn.
    depths : list of int
        Number of edges between the root and each node.
    n_hidden : list of int
        Number of leaves of the collapsed subtree; 0 if nothing is hidden.
    """

    nodes: list[int]
    left: list[int]
    right: list[int]
    depths: list[int]
    n_hidden: list[int]

    @property
    def n_shown(self) -> int:
        """Number of boxes without children."""
        return (len(self.nodes) + 1) // 2


def view_of(tree: BaseTree, max_depth: int) -> View:
    """Return the nodes down to a depth; inner nodes at this depth stand for their subtrees."""
    depths = node_depths(tree.left, tree.right)
    shown = np.flatnonzero(depths <= max_depth)
    place = np.full(tree.n_nodes + 1, -1, dtype=np.intp)  # its last entry is that of the missing child, -1
    place[shown] = np.arange(len(shown))
    is_collapsed = (depths[shown] == max_depth) & (tree.left[shown] >= 0)
    return View(
        shown.tolist(),
        place[tree.left[shown]].tolist(),
        place[tree.right[shown]].tolist(),
        depths[shown].tolist(),
        np.where(is_collapsed, leaves_below(tree)[shown], 0).tolist(),
    )


def leaves_below(tree: BaseTree) -> npt.NDArray[np.intp]:
    """Return the number of leaves of the subtree of each node, 1 for a leaf; shape (n_nodes,)."""
    leaves = [1] * tree.n_nodes
    for node in reversed(range(tree.n_nodes)):
        if tree.left[node] >= 0:
            leaves[node] = leaves[tree.left[node]] + leaves[tree.right[node]]
    return np.array(leaves, dtype=np.intp)
