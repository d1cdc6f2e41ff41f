"""Base class of all estimators: `fit`, from table to tree, and the methods of any fitted tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from hornbeam import _core
from hornbeam._budget import DEFAULT_TIME_LIMIT, Budget
from hornbeam._checks import shown
from hornbeam.binarizers import (
    Binarizer,
    BinaryColumns,
    SupervisedBinarizer,
    ThresholdBinarizer,
    ThresholdGuessBinarizer,
)
from hornbeam.fitting.monitor import Monitor
from hornbeam.fitting.parameters import check_callback, check_integer, check_limit, check_number, fit_to_table
from hornbeam.fitting.progress import Progress, Scale, make_trace
from hornbeam.fitting.search import Search
from hornbeam.streaming import is_streamed
from hornbeam.table import Table, TableInput
from hornbeam.tree import BaseTree

if TYPE_CHECKING:
    from typing_extensions import Self


class TreeEstimator(TableInput, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that keep one fitted tree in `tree_`."""

    binarizer: Any
    max_depth: int | None
    time_limit: float | None
    memory_limit: int | None
    verbose: int
    callback: Callable[[Progress], bool | None] | None
    trace: bool
    tree_: BaseTree
    _n_rows: int  # of the last fit
    _is_clone = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree and prove it, or go as far as the limits allow.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            NumPy array, list of rows, or data frame (pandas, polars, pyarrow, ...) of numbers, booleans, strings,
            categories, dates, datetimes, durations or times; None, NaN, NaT, NA and null are missing values. Some
            classifiers also take a table larger than memory, which is read twice in batches: a polars LazyFrame, a
            PyArrow dataset, a DuckDB relation or a Dask data frame, with the labels in one of its columns.
        y : array-like of shape (n_rows,) or str
            What to predict: for classifiers labels of at least two classes, strings, integers or booleans. Of a table
            that is read in batches: the name of the column of labels.
        sample_weight : array-like of shape (n_rows,), str or None, default=None
            Weights of the rows, finite and not negative. Rows of weight 0 are left out. None: every row weighs 1. Of a
            table that is read in batches: the name of the column of weights.
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
        MemoryError
            If `memory_limit` has no room for the distinct rows of a table that is read in batches.
        TimeoutError
            If a `time_limit` that you set is over before all rows of such a table were read.
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
        training, scale, options = self._prepare(X, y, sample_weight, budget, monitor)
        search = self._choose_search(training, scale, options)
        binarize_seconds = budget.elapsed()
        # Only now is Ctrl-C caught: before the search there is no tree that could be kept.
        outcome = search(callback=monitor.listener(scale), trace=self.trace, **monitor.checkpoint_listener(scale))
        self._set_tree(outcome, scale, training, binarize_seconds)
        self._set_result(outcome, scale)
        monitor.finish(outcome, scale)
        if not is_streamed(X):  # warnings are about a table in memory
            self._warn_of_tree(training.table, X)

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any, budget: Budget, monitor: Monitor
    ) -> tuple[Any, Any, _core.SearchOptions]:
        """Check the parameters and read the data; return the training rows, their scale and the search's options."""
        options = self._check_parameters()
        monitor.announce("making binary columns")
        if is_streamed(X):
            # A limit that the user did not set is for the search: passes over a large table have no tree to return.
            is_limited = self.time_limit != DEFAULT_TIME_LIMIT
            with nullcontext() if is_limited else budget.clock_stopped():
                training = self._read_stream(X, y, sample_weight, budget, monitor, options)
        else:
            training = self._read_training(X, y, sample_weight, budget)
        self.schema_, self._n_rows = training.table.schema, training.n_rows
        if training.triples is None:  # else there are few levels, and the table is none of the rows
            options = fit_to_table(options, training.table.n_rows, training.n_rows)
        if training.counts is None:  # else the binarizer was fitted between two passes; a reference was refused
            self._binarize(training)
            # After the binarizer, whose reference may be meant; from `X` itself, since the model is the user's.
            training = training._replace(reference=self._read_reference(X, training))
        return training, self._make_scale(training), options

    @abstractmethod
    def _check_parameters(self) -> _core.SearchOptions:
        """Check all parameters that need no data; return the options of the search."""

    @abstractmethod
    def _read_training(self, X: Any, y: Any, sample_weight: Any, budget: Budget) -> Any:
        """Read and check what `fit` was given: `TrainingRows`."""

    def _read_stream(
        self, X: Any, y: Any, sample_weight: Any, budget: Budget, monitor: Monitor, options: _core.SearchOptions
    ) -> Any:
        """Read a lazy table in batches, and fit the binarizer."""
        raise TypeError(
            f"X is a lazy table ({type(X).__name__}), which {type(self).__name__} does not read in batches. Call its "
            "collect() first, or use GOSDTClassifier, SPLITClassifier or LicketySPLITClassifier."
        )

    def _read_reference(self, X: Any, training: Any) -> npt.NDArray[np.int32] | None:
        """Return the predictions of a reference model for the rows, if there is one."""
        return None

    @abstractmethod
    def _make_scale(self, training: Any) -> Scale:
        """Return the problem in the integers of the search."""

    @abstractmethod
    def _choose_search(self, training: Any, scale: Any, options: _core.SearchOptions) -> Search:
        """Return the search to run."""

    @abstractmethod
    def _make_tree(self, arrays: _core.TreeArrays, training: Any) -> BaseTree:
        """Return the tree of the core on the user's columns."""

    @abstractmethod
    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        """Translate the outcome of the search into the user's units."""

    def _warn_of_tree(self, table: Table, X: Any) -> None:
        """Warn if the fitted tree shows a fault of the columns."""

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

    def get_depth(self) -> int:
        """Return the largest number of edges from the root to a leaf, `depth_`."""
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves, `n_leaves_`."""
        return self.n_leaves_

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
        if not isinstance(self.verbose, bool):
            check_integer("verbose", self.verbose, least=0)
        if not isinstance(self.trace, bool):
            raise TypeError(f"trace must be True or False, got {shown(self.trace)}.")
        max_depth = check_limit("max_depth", self.max_depth, least=0)
        for name, limit in (("time_limit", self.time_limit), ("memory_limit", self.memory_limit)):
            if isinstance(limit, float) and limit == inf:
                raise ValueError(f"{name} must be finite, got inf. For no limit, set {name}=None.")
            if limit is not None:
                check_number(name, limit)
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
        if isinstance(self.binarizer, str) and self.binarizer == "auto":
            return SupervisedBinarizer()
        raise ValueError(
            "binarizer must be 'exact', 'quantile', 'auto', 'guess', None (columns of 0 and 1) or a Binarizer such as "
            f"ThresholdBinarizer(), got {shown(self.binarizer)}."
        )

    def _binarize(self, training: Any) -> None:
        """Fit the binarizer."""
        self.binarizer_ = self._make_binarizer()
        self.binarizer_._fit_rows(training.table, training.labels, training.weights, training.budget)

    def _set_tree(
        self,
        outcome: _core.Outcome,
        scale: Scale,
        training: Any,
        binarize_seconds: float,
    ) -> None:
        """Set the attributes about the tree that a search found, its status, counters and trace."""
        self.tree_ = self._make_tree(outcome["tree"], training)
        self.status_ = outcome["status"]
        self.statistics_ = {
            **outcome["statistics"],
            "binarize_seconds": binarize_seconds,
            "n_binary_columns": len(self.binarizer_.conditions_),
        }
        if self.trace:
            self.trace_ = make_trace(outcome, scale)
        elif hasattr(self, "trace_"):  # of an earlier fit
            del self.trace_

    def _describe_end(self) -> str:
        """Return how the search ended, its time and its memory, in words; also what took longer before it."""
        seconds, megabytes = self.statistics_["seconds"], self.statistics_["bytes"] / 1e6
        before = self.statistics_["binarize_seconds"]
        reading = f" of search after {before:,.1f} s for reading X" if before >= max(seconds, 0.05) else ""
        limit = f", time_limit={float(self.time_limit):g}" if self.status_ == "time_limit" and self.time_limit else ""
        error = self.statistics_.get("cluster_error", "")
        status = f"status {self.status_!r}: {error}" if error else f"status {self.status_!r}"
        return f"{status}{limit}, {seconds:,.1f} s{reading}, {megabytes:,.1f} MB"

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
