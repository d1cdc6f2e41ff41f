"""Send rows down a tree, and number the nodes they pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from hornbeam.conditions import Condition
from hornbeam.table import Table

Children: TypeAlias = npt.NDArray[np.int32]
Rows: TypeAlias = "slice | npt.NDArray[np.intp]"


def leaf_of_rows(
    left: Children, right: Children, conditions: Sequence[Condition | None], table: Table
) -> npt.NDArray[np.intp]:
    """Return the leaf that each row of `table` reaches; shape (n_rows,)."""

    def holds(node: int, rows: Rows) -> npt.NDArray[np.bool_]:
        condition = conditions[node]
        assert condition is not None  # only inner nodes have one to test
        return condition.holds(table.column(condition.column, rows))

    return reached_leaves(left, right, holds, table.n_rows)


def reached_leaves(
    left: Children, right: Children, holds: Callable[[int, Rows], npt.NDArray[np.bool_]], n_rows: int
) -> npt.NDArray[np.intp]:
    """Return the leaf that each row reaches, where ``holds(node, rows)`` evaluates the condition of an inner node.

    Each condition is evaluated once, on the rows that reach its node; children must be numbered after their parents.
    """
    leaves = np.empty(n_rows, dtype=np.intp)
    waiting: dict[int, Rows] = {0: slice(None)}  # the root sees every row: none need be gathered
    for node, (held, failed) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        rows = waiting.pop(node)
        if held < 0:
            leaves[rows] = node
            continue
        answers = holds(node, rows)
        for child, here in ((held, answers), (failed, ~answers)):
            waiting[child] = np.flatnonzero(here) if isinstance(rows, slice) else rows.compress(here)
    return leaves


def inner_nodes(left: Children, right: Children) -> list[tuple[int, int, int]]:
    """Return number, left child and right child of each inner node, as plain integers, parents first."""
    nodes = zip(range(len(left)), left.tolist(), right.tolist(), strict=True)
    return [(node, held, failed) for node, held, failed in nodes if held >= 0]


def node_depths(left: Children, right: Children) -> npt.NDArray[np.intp]:
    """Return the number of edges between the root and each node; shape (n_nodes,)."""
    depths = [0] * len(left)
    for node, held, failed in inner_nodes(left, right):
        depths[held] = depths[failed] = depths[node] + 1
    return np.array(depths, dtype=np.intp)


def path_matrix(left: Children, right: Children, leaves: npt.NDArray[np.intp]) -> csr_matrix:
    """Return the nodes that each row passes, root and leaf included, as 0/1 matrix of shape (n_rows, n_nodes)."""
    depths = node_depths(left, right)
    # paths[node] lists the nodes from the root to `node`; later entries stay -1.
    paths = np.full((len(left), depths.max() + 1), -1, dtype=np.intp)
    paths[0, 0] = 0
    for node, *children in inner_nodes(left, right):
        for child in children:
            paths[child] = paths[node]
            paths[child, depths[child]] = child
    passed = paths[leaves]
    indices = passed[passed >= 0]
    indptr = np.concatenate([[0], np.cumsum(depths[leaves] + 1)])
    return csr_matrix((np.ones(len(indices), dtype=np.intp), indices, indptr), shape=(len(leaves), len(left)))
