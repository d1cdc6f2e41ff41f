"""The greedy trees of scikit-learn from which searches start."""

from __future__ import annotations

from math import floor, log2
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.binarizers import Conditions, Thresholds, bins_of
from hornbeam.fitting.numbers import NumericTraining
from hornbeam.fitting.start_tree import Splits
from hornbeam.fitting.training import TrainingData
from hornbeam.table import Table

# What scikit-learn's tree takes: at most so many seconds for a cell and level, and bytes for a cell.
_SECONDS_OF_CELL = 1e-7
_BYTES_OF_CELL = 4
# Trees of numbers that take no longer are grown in any case: a search that ends so soon may have no tree.
_QUICK_SECONDS = 0.1


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
    n_levels = min(log2(most_leaves) + 1, np.inf if max_depth is None else max_depth)
    if not _allows(budget, conditions.n_runs * len(codes), n_levels):
        return None
    columns = _Columns(conditions, training.table)
    model = DecisionTreeClassifier(
        max_depth=max_depth,
        max_leaf_nodes=most_leaves,
        min_samples_leaf=options.min_samples_leaf,
        min_weight_fraction_leaf=min(share, 0.5),  # scikit-learn refuses more
        min_impurity_decrease=0.0 if is_cut_back else share,
        random_state=0,
    )
    return columns.splits(model.fit(columns.matrix, codes, sample_weight=losses).tree_)


def cart_regression_trees(
    conditions: Conditions,
    training: NumericTraining,
    targets: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    penalty: float,
    options: _core.SearchOptions,
) -> list[Splits]:
    """Grow scikit-learn's tree of numbers on the binary columns, and prune it for the leaf penalty.

    With a limit on leaves there is a second one, grown best first up to that limit.

    Parameters
    ----------
    conditions : Conditions
        The binary columns.
    training : NumericTraining
        The rows, and the budget. If the trees might exceed the budget, there is none, unless they take a tenth of a
        second.
    targets, weights : float64 ndarray of shape (n_rows,)
        What scikit-learn's tree predicts, and with what weight.
    penalty : float
        Leaf penalty in the unit of the sum of squared errors.
    options : SearchOptions
        Its `min_samples_leaf`, `max_depth` and `max_leaves` limit the trees.

    Returns
    -------
    list of Splits
        None, one or two.
    """
    n_rows, max_depth, max_leaves = len(targets), options.max_depth, options.max_leaves
    if len(conditions) == 0 or max_depth == 0 or max_leaves == 1 or n_rows < 2:
        return []
    sizes = [None] if max_leaves is None else [None, max_leaves]
    n_levels = min(2 * log2(n_rows), np.inf if max_depth is None else max_depth)  # rarely more, if all leaves are pure
    if not _allows(training.budget, conditions.n_runs * n_rows, len(sizes) * n_levels, _QUICK_SECONDS):
        return []
    columns = _Columns(conditions, training.table)
    trees = []
    for size in sizes:
        model = DecisionTreeRegressor(
            max_depth=max_depth,
            max_leaf_nodes=size,
            min_samples_leaf=options.min_samples_leaf,
            ccp_alpha=penalty / float(weights.sum()),
            random_state=0,
        )
        column, left, right = columns.splits(model.fit(columns.matrix, targets, weights).tree_).tolist()
        tested = [None if number < 0 else conditions[number] for number in column]
        trees.append(Splits(tested, left, right, training.table.schema, None, "the tree of scikit-learn"))
    return trees


def _allows(budget: Budget, n_cells: int, n_levels: float, quick_seconds: float = 0.0) -> bool:
    """Return whether a budget has room for a tree of so many levels, or the tree takes at most `quick_seconds`.

    scikit-learn cannot be interrupted by a limit, so a tree that might exceed the budget is not begun at all.
    """
    seconds = _SECONDS_OF_CELL * n_cells * n_levels
    is_soon_grown = seconds <= quick_seconds or budget.allows(2 * seconds)
    return is_soon_grown and budget.fits(_BYTES_OF_CELL * n_cells)


class _Columns:
    """The table that scikit-learn's tree is grown on: all thresholds of a column are one column of numbers.

    Parameters
    ----------
    conditions : Conditions
    table : Table

    Attributes
    ----------
    matrix : ndarray of float32 of shape (n_rows, n_runs)
        As scikit-learn takes it, without a copy. A bin of thresholds is 0 where its first condition holds; a single
        condition is 1 where it does.
    """

    def __init__(self, conditions: Conditions, table: Table) -> None:
        self._are_thresholds = np.array([isinstance(run, Thresholds) for run in conditions.runs])
        self._n_thresholds = [len(run) if isinstance(run, Thresholds) else 1 for run in conditions.runs]
        columns = np.empty((conditions.n_runs, table.n_rows), dtype=np.float32)
        for index, run in enumerate(conditions.runs):
            column = table.column(run.column)
            columns[index] = bins_of(run, column) if isinstance(run, Thresholds) else run.holds(column)
        self.matrix = columns.T

    def splits(self, tree: Any) -> npt.NDArray[np.int32]:
        """Return a tree of scikit-learn as the condition of each node, -1 at leaves, and its children."""
        # scikit-learn sends a row to the left if its value is at most the threshold: there the condition of that bin
        # holds, but a single condition, as 0 or 1, fails.
        is_inner, runs = tree.children_left >= 0, np.maximum(tree.feature, 0)
        first = np.append(0, np.cumsum(self._n_thresholds, dtype=np.int64)[:-1])[runs]
        is_threshold = self._are_thresholds[runs]
        columns = np.where(is_inner, first + np.where(is_threshold, np.floor(tree.threshold), 0), -1)
        held = np.where(is_threshold, tree.children_left, tree.children_right)
        failed = np.where(is_threshold, tree.children_right, tree.children_left)
        return np.array([columns, held, failed], dtype=np.int32)
