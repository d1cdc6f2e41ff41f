"""The greedy tree that a search over sets of leaves starts from."""

from __future__ import annotations

from math import floor, log2

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier

from hornbeam import _core
from hornbeam.binarizers import Conditions, Thresholds, bin_conditions
from hornbeam.fitting.training import TrainingData

# What scikit-learn's tree takes: at most so many seconds for a cell and level, and bytes for a cell and its copy.
_SECONDS_OF_CELL = 1e-7
_BYTES_OF_CELL = 12


def cart_tree(
    conditions: Conditions,
    training: TrainingData,
    losses: npt.NDArray[np.int64],
    share: float,
    is_cut_back: bool,
    options: _core.SearchOptions,
) -> npt.NDArray[np.int32] | None:
    """Grow scikit-learn's tree on the binary columns, no larger than an optimal tree can be.

    In an optimal tree every leaf saves at least the leaf penalty. So each leaf holds at least that share of the loss,
    which also limits the number of leaves, as in OSDT. All thresholds of a column become one column of numbers.

    Parameters
    ----------
    conditions : Conditions
        The binary columns.
    training : TrainingData
        The rows, and the budget. If the tree might exceed the budget, there is none.
    losses : ndarray of int64 of shape (n_rows,)
        Weight of each row in the tree: the largest loss it can cause.
    share : float
        Leaf penalty as a share of their sum.
    is_cut_back : bool
        Whether the search prunes the tree. If not, every split must lower the impurity by `share`.
    options : SearchOptions
        Its `min_samples_leaf`, `max_depth` and `max_leaves` limit the tree.

    Returns
    -------
    ndarray of int32 of shape (3, n_nodes) or None
        Column (-1 at a leaf), child where it holds, child where it does not. None: no tree beyond a single leaf.
    """
    codes, budget = training.codes, training.budget
    max_depth, max_leaves = options.max_depth, options.max_leaves
    most_leaves = floor(min(1 / share if share else len(codes), max_leaves or np.inf, len(codes)))
    if len(conditions) == 0 or most_leaves < 2 or max_depth == 0:
        return None
    # scikit-learn cannot be interrupted by a limit, so a tree that might exceed the budget is not begun at all.
    n_cells = conditions.n_runs * len(codes)
    n_levels = min(log2(most_leaves) + 1, np.inf if max_depth is None else max_depth)
    if not budget.allows(2 * _SECONDS_OF_CELL * n_cells * n_levels) or not budget.fits(_BYTES_OF_CELL * n_cells):
        return None
    bins, n_thresholds = bin_conditions(conditions, training.table)
    are_thresholds = np.array([isinstance(run, Thresholds) for run in conditions.runs])
    # A bin is 0 where its condition holds. A single condition is turned around, into the 0 and 1 of a binary column.
    matrix = np.where(are_thresholds[:, np.newaxis], bins, 1 - bins.astype(np.int64)).T
    model = DecisionTreeClassifier(
        max_depth=max_depth,
        max_leaf_nodes=most_leaves,
        min_samples_leaf=options.min_samples_leaf,
        min_weight_fraction_leaf=min(share, 0.5),  # scikit-learn refuses more
        min_impurity_decrease=0.0 if is_cut_back else share,
        random_state=0,
    )
    tree = model.fit(matrix, codes, sample_weight=losses).tree_
    # scikit-learn sends a row to the left if its value is at most the threshold: there the condition of that bin
    # holds, but a single condition, as 0 or 1, fails.
    is_inner, runs = tree.children_left >= 0, np.maximum(tree.feature, 0)
    first = np.append(0, np.cumsum(n_thresholds, dtype=np.int64)[:-1])[runs]
    is_threshold = are_thresholds[runs]
    columns = np.where(is_inner, first + np.where(is_threshold, np.floor(tree.threshold), 0), -1)
    held = np.where(is_threshold, tree.children_left, tree.children_right)
    failed = np.where(is_threshold, tree.children_right, tree.children_left)
    return np.array([columns, held, failed], dtype=np.int32)
