"""The public tree: immutable flat arrays whose conditions refer to the columns of the training table."""

from hornbeam.tree.action_tree import ActionTree
from hornbeam.tree.base import BaseTree
from hornbeam.tree.hazard_tree import HazardTree
from hornbeam.tree.quantile_tree import QuantileTree
from hornbeam.tree.regression_tree import RegressionTree
from hornbeam.tree.tree import Tree

__all__ = ["ActionTree", "BaseTree", "HazardTree", "QuantileTree", "RegressionTree", "Tree"]
