"""What the estimators with one fitted tree of numbers do with rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import check_weights
from hornbeam.estimators._base import TreeEstimator
from hornbeam.estimators._display import TreeDisplay
from hornbeam.estimators._rounded import RoundedScaleTree
from hornbeam.fitting.numbers import NumericTraining, read_numeric_training, read_targets
from hornbeam.fitting.squares import make_squared_error_scale
from hornbeam.tree import RegressionTree
from hornbeam.tree.importances import number_importances


class RegressorMethods(TreeDisplay, RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """Base of the estimators that keep one fitted tree of numbers."""

    tree_: RegressionTree

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Predict the number of each row: the mean of `y` in the training rows of its leaf, or the quantile.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`. Missing values and unseen categories fail every condition except
            "is missing".

        Returns
        -------
        ndarray of float of shape (n_rows,)

        Raises
        ------
        ValueError
            If the columns differ from those seen in `fit`, or a number is infinite.
        """
        table = self._table(X)
        return self.tree_.predict(table)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R^2, 1 minus the squared error of `predict` divided by that of the mean of `y`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        y : array-like of shape (n_rows,)
            The numbers to predict.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows. None: every row weighs 1.

        Returns
        -------
        float
            At most 1; below 0 if the mean of `y` predicts better.
        """
        return self._score_on(X, y, sample_weight)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each column in the decrease of the loss by all splits of `tree_`; see the attributes."""
        return number_importances(self._of_fit("tree_"))

    def _score_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))

    def _loss_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Return the mean loss of rows, as a fraction of that of a single leaf on the training rows."""
        losses = self.tree_._relative_losses(read_targets(y) - self.predict(X))
        return float(np.average(losses, weights=check_weights(sample_weight, len(losses))))


class SquaredErrorTree(RegressorMethods, RoundedScaleTree):
    """Base of the estimators that minimize the squared error plus a penalty for each leaf."""

    _targets = "numbers"

    def _read_training(self, X: Any, y: Any, sample_weight: Any, budget: Budget) -> NumericTraining:
        return read_numeric_training(X, y, sample_weight, type(self).__name__, budget)

    def _make_scale(self, training: NumericTraining) -> Any:
        self.regularization_ = self._leaf_penalty()
        return make_squared_error_scale(training.targets, training.weights, self.regularization_)

    def _make_tree(self, arrays: _core.TreeArrays, training: NumericTraining) -> RegressionTree:
        return self._from_search()(
            arrays,
            self.binarizer_.conditions_,
            training.targets,
            training.weights,
            self.schema_,
            training.table.has_missing(),
            training.target_name,
        )

    def _from_search(self) -> Callable[..., RegressionTree]:
        """Return what makes the tree."""
        return RegressionTree.from_search
