"""How much each column of a tree lowers the Gini impurity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hornbeam.tree.routing import inner_nodes

if TYPE_CHECKING:
    from hornbeam.tree.tree import Tree


def gini_importances(tree: Tree) -> npt.NDArray[np.float64]:
    """Return the share of each column in the decrease of the Gini impurity by all splits of a tree.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0; they sum to 1, unless no split lowers the impurity: then all are 0.
    """
    weights = tree.class_weights
    purity = (weights**2).sum(axis=1) / weights.sum(axis=1)  # weight of the node times (1 - impurity)
    decreases = np.zeros(len(tree.columns.names))
    for node, left, right in inner_nodes(tree.left, tree.right):
        condition = tree.conditions[node]
        assert condition is not None
        decreases[condition.column] += max(0.0, purity[left] + purity[right] - purity[node])
    total = decreases.sum()
    return decreases / total if total > 0 else decreases
