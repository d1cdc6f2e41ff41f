"""Base class of all classifiers: `fit`, from table to tree, and the methods of a fitted tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import shown
from hornbeam.binarizers import Binarizer, BinaryColumns, ThresholdBinarizer, ThresholdGuessBinarizer
from hornbeam.columns import warn_of_copy
from hornbeam.estimators._display import TreeDisplay
from hornbeam.fitting.monitor import Monitor
from hornbeam.fitting.parameters import check_callback, check_integer, check_limit, check_number, fit_to_table
from hornbeam.fitting.progress import Progress, Scale, make_trace
from hornbeam.fitting.search import Search
from hornbeam.fitting.training import TrainingData, read_training
from hornbeam.table import Table, TableInput
from hornbeam.tree import Tree
from hornbeam.tree.importances import gini_importances

if TYPE_CHECKING:
    from typing_extensions import Self


class TreeClassifier(TreeDisplay, TableInput, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers that keep one fitted `Tree` in `tree_`."""

    binarizer: Any
    max_depth: int | None
    time_limit: float | None
    memory_limit: int | None
    verbose: int
    callback: Callable[[Progress], bool | None] | None
    trace: bool
    classes_: npt.NDArray[Any]
    tree_: Tree
    _is_clone = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree and prove it, or go as far as the limits allow.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            NumPy array, list of rows, or data frame (pandas, polars, pyarrow, ...) of numbers, booleans, strings,
            categories, dates, datetimes, durations or times; None, NaN, NaT, NA and null are missing values.
        y : array-like of shape (n_rows,)
            Labels of at least two classes: strings, integers, booleans.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, finite and not negative. Rows of weight 0 are left out. None: every row weighs 1.
            `MAPTreeClassifier` requires whole numbers with a sum below 2^26, since its posterior counts rows.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter is out of range, `X`, `y` and `sample_weight` differ in length or are empty, a number of `X`
            is infinite, a label is missing, there is only one class, or a weight is negative, infinite or NaN.
        TypeError
            If a parameter has the wrong type, `X` is sparse, or a column holds anything but numbers, strings and dates.
        KeyboardInterrupt
            If Ctrl-C is pressed before the search begins, or while a clone is fitted. Otherwise Ctrl-C ends the search,
            and `fit` returns the best tree so far.

        Warns
        -----
        NotProvenWarning
            If the search was stopped before the proof, unless by `gap_limit`. The message suggests parameters that
            help, as code to paste.
        ColumnWarning
            If a column holds numbers or dates as text, looks like an identifier, or predicts the labels by itself; see
            `hornbeam.column_report`.
        """
        budget = Budget(self.time_limit, self.memory_limit)
        with Monitor(self) as monitor:
            self._fit(X, y, sample_weight, budget, monitor)
        self._warn_unless_proven()
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, budget: Budget, monitor: Monitor) -> None:
        options = self._check_parameters()
        monitor.announce("making binary columns")
        training = self._check_training(read_training(X, y, sample_weight, type(self).__name__, budget))
        self.schema_, self.classes_ = training.table.schema, training.classes
        options = fit_to_table(options, training.table.n_rows)
        self._binarize(training)
        # After the binarizer, whose reference may be meant; from `X` itself, since the model is the user's.
        training = training._replace(reference=self._read_reference(X, training))
        scale = self._make_scale(training)
        search = self._choose_search(training, scale, options)
        binarize_seconds = budget.elapsed()
        # Only now is Ctrl-C caught: before the search there is no tree that could be kept.
        outcome = search(callback=monitor.listener(scale), trace=self.trace)
        self._set_tree(outcome, scale, training, binarize_seconds)
        self._set_result(outcome, scale)
        monitor.finish(outcome, scale)
        warn_of_copy(self.tree_, training.table, X, stacklevel=3)

    @abstractmethod
    def _check_parameters(self) -> _core.SearchOptions:
        """Check all parameters that need no data; return the options of the search."""

    def _check_training(self, training: TrainingData) -> TrainingData:
        """Check what this classifier alone requires of the data."""
        return training

    def _read_reference(self, X: Any, training: TrainingData) -> npt.NDArray[np.int32] | None:
        """Return the predictions of a reference model for the rows, if there is one."""
        return None

    @abstractmethod
    def _make_scale(self, training: TrainingData) -> Scale:
        """Return the problem in the integers of the search."""

    @abstractmethod
    def _choose_search(self, training: TrainingData, scale: Any, options: _core.SearchOptions) -> Search:
        """Return the search to run."""

    @abstractmethod
    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        """Translate the outcome of the search into the user's units."""

    @abstractmethod
    def _warn_unless_proven(self) -> None:
        """Warn if a limit ended the search before the proof."""

    @property
    def n_leaves_(self) -> int:
        """Number of leaves of `tree_`."""
        return int(self._of_fit("tree_").n_leaves)

    @property
    def depth_(self) -> int:
        """Largest number of edges from the root to a leaf of `tree_`."""
        return int(self._of_fit("tree_").depth)

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

    def get_depth(self) -> int:
        """Return the largest number of edges from the root to a leaf, `depth_`."""
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves, `n_leaves_`."""
        return self.n_leaves_

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

    def _check_search_parameters(self) -> _core.SearchOptions:
        """Check the parameters that all searches have; return the options of the search."""
        check_callback(self.callback)
        check_integer("verbose", self.verbose, least=0)
        if not isinstance(self.trace, bool):
            raise TypeError(f"trace must be True or False, got {shown(self.trace)}.")
        max_depth = check_limit("max_depth", self.max_depth, least=0)
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit)
        if self.memory_limit is not None:
            check_number("memory_limit", self.memory_limit)
        return _core.SearchOptions(max_depth=max_depth)

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
            f"ThresholdBinarizer(), got {shown(self.binarizer)}."
        )

    def _binarize(self, training: TrainingData) -> None:
        """Fit the binarizer."""
        self.binarizer_ = self._make_binarizer()
        self.binarizer_._fit_rows(training.table, training.labels, training.weights, training.budget)

    def _set_tree(
        self,
        outcome: _core.Outcome,
        scale: Scale,
        training: TrainingData,
        binarize_seconds: float,
    ) -> None:
        """Set the attributes about the tree that a search found, its status, counters and trace."""
        conditions = self.binarizer_.conditions_
        self.tree_ = Tree.from_search(
            outcome["tree"],
            conditions,
            training.codes,
            training.weights,
            training.classes,
            self.schema_,
            training.table.has_missing(),
            training.target_name,
        )
        self.status_ = outcome["status"]
        self.statistics_ = {
            **outcome["statistics"],
            "binarize_seconds": binarize_seconds,
            "n_binary_columns": len(conditions),
        }
        if self.trace:
            self.trace_ = make_trace(outcome, scale)
        elif hasattr(self, "trace_"):  # of an earlier fit
            del self.trace_

    def _describe_end(self) -> str:
        """Return how the search ended, its time and its memory, in words."""
        seconds, megabytes = self.statistics_["seconds"], self.statistics_["bytes"] / 1e6
        return f"status {self.status_!r}, {seconds:,.1f} s, {megabytes:,.1f} MB"

    def __sklearn_clone__(self) -> Self:
        """Mark clones: they belong to a cross-validation or the like, which Ctrl-C has to end."""
        made: Self = super().__sklearn_clone__()
        made._is_clone = True
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Keep the mark of a clone that is sent to a worker; drop it when a fitted one is copied or stored."""
        state = dict(super().__getstate__())
        if "tree_" in state:
            state.pop("_is_clone", None)
        return state

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that missing values and categories are allowed."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # input_tags.string stays False: with it, scikit-learn's checks demand that any object be allowed as a cell.
        return tags
