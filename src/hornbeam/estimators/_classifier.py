"""Base class of all classifiers: labels in, classes and their shares out."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.columns import warn_of_copy
from hornbeam.estimators._base import TreeEstimator
from hornbeam.estimators._display import TreeDisplay
from hornbeam.fitting.monitor import Monitor
from hornbeam.fitting.training import TrainingData, read_training
from hornbeam.streaming import is_streamed, write_predictions
from hornbeam.table import Table
from hornbeam.tree import Tree
from hornbeam.tree.importances import gini_importances
from hornbeam.tree.prediction_columns import prediction_columns, tested_columns
from hornbeam.tree.shares import Smoothing


class TreeClassifier(TreeDisplay, ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """Base of the classifiers that keep one fitted `Tree` in `tree_`."""

    classes_: npt.NDArray[Any]
    tree_: Tree
    smoothing: Smoothing = None  # a parameter of some subclasses

    def _read_training(self, X: Any, y: Any, sample_weight: Any, budget: Budget) -> TrainingData:
        training = self._check_training(read_training(X, y, sample_weight, type(self).__name__, budget))
        self.classes_ = training.classes
        return training

    def _check_training(self, training: TrainingData) -> TrainingData:
        """Check what this classifier alone requires of the data."""
        return training

    def _make_tree(self, arrays: _core.TreeArrays, training: TrainingData) -> Tree:
        if training.triples is not None:
            leaves, codes, counts = training.triples.rows_of_leaves(arrays)
            arrays = {**arrays, "leaf_of_row": leaves}
            training = training._replace(codes=codes, weights=np.ones_like(counts), counts=counts)
        return Tree.from_search(
            arrays,
            self.binarizer_.conditions_,
            training.codes,
            training.weights,
            training.classes,
            self.schema_,
            training.table.has_missing(),
            training.target_name,
            training.counts,
        )

    def _warn_of_tree(self, table: Table, X: Any) -> None:
        warn_of_copy(self.tree_, table, X)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each column in the decrease of the Gini impurity by all splits of `tree_`, one number a column.

        As in scikit-learn's trees: the shares are at least 0 and sum to 1, a column that `tree_` does not use has 0,
        and all are 0 if `tree_` is a single leaf. A table column counts once, whatever the number of its binary
        columns. The impurity is that of the training weights in each node (`sample_weight`, not `class_weight` or
        costs), whatever the objective of the search. For importances over all good trees instead of one see
        `RashomonImportance` and `model_class_reliance`.
        """
        return gini_importances(self._of_fit("tree_"))

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
            weights: with these the predicted class need not have the largest share. The parameter `smoothing`, where
            the classifier has it, moves them away from 0 and 1.
        """
        table = self._table(X)
        return self.tree_.predict_proba(table, smoothing=self.smoothing)

    def predict_to_parquet(self, X: Any, path: str | PathLike[str], *, proba: bool = False) -> int:
        """Predict the rows of a table larger than memory, and write them to a Parquet file batch by batch.

        Parameters
        ----------
        X : lazy table
            A polars LazyFrame, a PyArrow dataset, a DuckDB relation or a Dask data frame. Only the columns that the
            tree tests are read.
        path : str or path
            The file to write, with a row for each row of `X` in their order. It appears when it is complete.
        proba : bool, default=False
            Whether to add the probability of each class, as in `predict_proba`.

        Returns
        -------
        int
            Number of rows. ``verbose=1`` shows them while they are written, and rows per second.

        Raises
        ------
        ValueError
            If `X` lacks a column that the tree tests, or has no row.
        TypeError
            If `X` is not a lazy table.
        ImportError
            If pyarrow is not installed.

        Examples
        --------
        >>> import polars as pl
        >>> from hornbeam import GOSDTClassifier
        >>> rows = pl.DataFrame({"age": [20, 30, 40, 50] * 5, "bought": [0, 0, 1, 1] * 5}).lazy()
        >>> classifier = GOSDTClassifier(regularization=0.01).fit(rows, "bought")
        >>> classifier.predict_to_parquet(rows, "predictions.parquet")  # doctest: +SKIP
        20
        """
        check_is_fitted(self)
        if not is_streamed(X):
            raise TypeError(f"X must be a lazy table, got {type(X).__name__}; use predict for one in memory.")
        predict_proba = self.predict_proba if proba else None
        with Monitor(self) as monitor:
            monitor.announce("predicting")
            return write_predictions(
                X,
                # A column is needed for the number of rows, even if the tree tests none.
                tested_columns(self.tree_) or [self.tree_.columns.names[0]],
                path,
                lambda frame: prediction_columns(self.tree_, frame, predict_proba),
                monitor.report_rows,
            )

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the natural logarithms of `predict_proba`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            In the order of `classes_`; -inf where the share is 0.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))
