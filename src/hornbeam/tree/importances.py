"""How much each column of a tree lowers an impurity, or earns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from hornbeam.tree.routing import inner_nodes

if TYPE_CHECKING:
    from hornbeam.tree.action_tree import ActionTree
    from hornbeam.tree.base import BaseTree
    from hornbeam.tree.hazard_tree import HazardTree
    from hornbeam.tree.regression_tree import RegressionTree
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
    return _shares_of_splits(tree, purity)


def reward_importances(tree: ActionTree) -> npt.NDArray[np.float64]:
    """Return the share of each column in what the splits of a tree of actions earn.

    A split earns what the best actions of its two sides earn more than the best action of its node.

    Parameters
    ----------
    tree : ActionTree

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0; they sum to 1, unless no split earns anything: then all are 0.
    """
    largest = np.nanmax(np.abs(tree.mean_rewards)) or 1.0  # sums of rewards near the end of float64 would overflow
    means = tree.mean_rewards[np.arange(tree.n_nodes), tree.prediction] / largest
    return _shares_of_splits(tree, tree.weights * np.nan_to_num(means))


def number_importances(tree: RegressionTree) -> npt.NDArray[np.float64]:
    """Return the share of each column in the decrease of the loss by all splits of a tree of numbers.

    Parameters
    ----------
    tree : RegressionTree
        Or a `QuantileTree`, with its loss.

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0; they sum to 1, unless no split lowers the loss: then all are 0.
    """
    return _shares_of_splits(tree, -tree.weights / tree.weights[0] * tree._losses_of_nodes())


def hazard_importances(tree: HazardTree) -> npt.NDArray[np.float64]:
    """Return the share of each column in the decrease of the deviance by all splits of a survival tree.

    Parameters
    ----------
    tree : HazardTree

    Returns
    -------
    ndarray of shape (n_columns,)
        At least 0; they sum to 1, unless no split lowers the deviance: then all are 0.
    """
    logs = np.log(np.where(tree.hazard_ratios > 0, tree.hazard_ratios, 1.0))
    return _shares_of_splits(tree, tree.n_events * logs)


def _shares_of_splits(tree: BaseTree, worth: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the share of each column in what the sides of all splits are worth more than their node."""
    gains = np.zeros(len(tree.columns.names))
    for node, left, right in inner_nodes(tree.left, tree.right):
        condition = tree.conditions[node]
        assert condition is not None
        gains[condition.column] += max(0.0, worth[left] + worth[right] - worth[node])
    total = gains.sum()
    return gains / total if total > 0 else gains
