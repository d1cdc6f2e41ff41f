"""What all tree classifiers share: choosing the binary columns, and everything that is done with a fitted tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hornbeam.binarizers import Binarizer, BinaryColumns, ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.estimators._progress import logger
from hornbeam.estimators._training import Training
from hornbeam.table import Table, TableInput
from hornbeam.tree import Tree

_MANY_COLUMNS = 1000


class TreeClassifier(TableInput, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers whose fitted form is one `Tree` in `tree_`."""

    binarizer: Any
    classes_: npt.NDArray[Any]
    tree_: Tree

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`. Missing values and unseen categories fail every condition except
            "is missing".

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels out of `classes_`.

        Raises
        ------
        ValueError
            If the columns differ from those seen in `fit`, or a number is infinite.
        """
        table = self._table(X)
        return self.tree_.predict(table)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the share of each class in the training weight of each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            In the order of `classes_`; each row sums to 1. The shares count `sample_weight` only, not costs or class
            weights: with these the predicted class need not have the largest share.
        """
        table = self._table(X)
        return self.tree_.predict_proba(table)

    def apply(self, X: Any) -> npt.NDArray[np.integer[Any]]:
        """Return the leaf that each row falls into.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        ndarray of int of shape (n_rows,)
            Numbers of nodes of `tree_`.
        """
        table = self._table(X)
        return self.tree_.apply(table)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row passes, its leaf included.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node.
        """
        table = self._table(X)
        return self.tree_.decision_path(table)

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        return self._read(X)

    def _make_binarizer(self) -> Binarizer:
        """Return the unfitted binarizer that the parameter `binarizer` stands for."""
        if self.binarizer is None:
            return BinaryColumns()
        if isinstance(self.binarizer, Binarizer):
            return clone(self.binarizer)  # type: ignore[no-any-return]
        if isinstance(self.binarizer, str) and self.binarizer in ("exact", "quantile"):
            return ThresholdBinarizer(strategy=self.binarizer)  # type: ignore[arg-type]
        if isinstance(self.binarizer, str) and self.binarizer == "guess":
            return ThresholdGuessBinarizer()
        raise ValueError(
            "binarizer must be 'exact', 'quantile', 'guess', None (columns of 0 and 1) or a Binarizer such as "
            f"ThresholdBinarizer(), got {self.binarizer!r}."
        )

    def _binarize(self, training: Training) -> None:
        """Fit the binarizer."""
        self.binarizer_ = self._make_binarizer()
        self.binarizer_._fit_rows(training.table, training.labels, training.weights)

    def _warn_of_many_columns(self) -> None:
        """Say that a search which works through all columns would be helped by fewer."""
        n_columns = len(self.binarizer_.conditions_)
        if self.binarizer == "exact" and n_columns > _MANY_COLUMNS:
            logger.warning(
                "binarizer='exact' makes %d binary columns of this table; binarizer='quantile' makes fewer, which the "
                "search finishes much sooner.",
                n_columns,
            )

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that missing values and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # input_tags.string stays False: with it, scikit-learn's checks demand that any object be taken as a cell.
        return tags
