"""Base class of the classifiers that penalize leaves: `fit`, from table to tree, by any search."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam.columns import warn_of_copy
from hornbeam.estimators._base import TreeClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.advice import advice
from hornbeam.fitting.monitor import Monitor
from hornbeam.fitting.parameters import LARGEST_LIMIT, check_integer, check_number, fit_to_table, number_of_threads
from hornbeam.fitting.progress import relative_gap
from hornbeam.fitting.scales import RegularizedScale, make_scale
from hornbeam.fitting.search import Search
from hornbeam.fitting.training import TrainingData, read_training
from hornbeam.objectives import OBJECTIVES, ClassData, Exact, Loss, check_objective

if TYPE_CHECKING:
    from typing_extensions import Self


class RegularizedTreeClassifier(TreeClassifier):
    """Base of the classifiers that minimize ``loss + regularization * n_leaves``.

    A subclass checks its own parameters in `_check_parameters` and returns the search to run in `_choose_search`. The
    loss is additive unless the subclass names other objectives and returns their scale in `_make_scale`.
    """

    regularization: float
    min_samples_leaf: int
    objective: str
    omega: float
    cost_matrix: Any
    class_weight: Any
    n_jobs: int | None
    _non_additive_objectives: tuple[str, ...] = ()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree and prove it, or go as far as the limits allow.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_columns)
            NumPy array, list of rows, or data frame (pandas, polars, pyarrow, ...) of numbers, booleans, strings,
            categories, dates, datetimes, durations or times; None, NaN, NaT, NA and null are missing values.
        y : array-like of shape (n_rows,)
            Labels of at least two classes: texts, integers, booleans.
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weights of the rows, finite and not negative. Rows of weight 0 are left out. None: every row weighs 1.

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
            If the search was stopped before the proof, unless by `gap_limit`. The message suggests what helps this
            problem, as code to paste.
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
        training = read_training(X, y, sample_weight, type(self).__name__, budget)
        self.schema_, self.classes_ = training.table.schema, training.classes
        options = fit_to_table(options, training.table.n_rows)
        self._binarize(training)
        training = training._replace(reference=self._read_reference(X, training))
        units = self._make_scale(training)
        search = self._choose_search(training, units, options)
        binarize_seconds = budget.elapsed()
        outcome = search(callback=monitor.listener(units), trace=self.trace)
        self._set_tree(outcome, units, training, training.weights, binarize_seconds)
        self._set_result(outcome, units)
        monitor.finish(outcome, units)
        warn_of_copy(self.tree_, training.table, X, stacklevel=3)

    def _read_reference(self, X: Any, training: TrainingData) -> npt.NDArray[np.int32] | None:
        """Return what a reference model predicts for the rows, if there is one."""
        return None

    @abstractmethod
    def _choose_search(self, training: TrainingData, units: Any, options: _core.SearchOptions) -> Search:
        """Return the search to run."""

    def _check_parameters(self) -> _core.SearchOptions:
        """Check all parameters that need no data; return what goes to the search."""
        check_number("regularization", self.regularization)
        check_objective(self.objective, self.omega, self.cost_matrix, self._non_additive_objectives)
        return self._check_search_parameters().replace(
            min_samples_leaf=min(LARGEST_LIMIT, check_integer("min_samples_leaf", self.min_samples_leaf, least=1)),
            n_threads=number_of_threads(self.n_jobs),
        )

    def _make_scale(self, training: TrainingData) -> RegularizedScale:
        """Return the problem in the integers of the search."""

        def make_loss(totals: tuple[Exact, ...]) -> Loss:
            data = ClassData(training.classes, totals, self.omega, self.cost_matrix, self.class_weight)
            return OBJECTIVES[self.objective](data)

        n_classes = len(training.classes)
        return make_scale(
            training.weights, training.codes, n_classes, make_loss, self.regularization, self._leaf_bits()
        )

    def _leaf_bits(self) -> int:
        """Return how many bits of a tree's ticks count its leaves."""
        return 0

    def _set_result(self, outcome: _core.Outcome, units: RegularizedScale) -> None:
        """Translate the outcome of the search into the user's units."""
        upper, lower = outcome["upper"], outcome["lower"]
        self.objective_ = units.objective(upper)
        self.loss_ = units.objective(upper - units.leaf_cost * self.n_leaves_)
        self.lower_bound_ = units.objective(lower)
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)
        self.regularization_ = units.regularization

    def _warn_unless_proven(self) -> None:
        if self.status_ in ("optimal", "gap_limit", "guessed", "heuristic"):
            return
        warnings.warn(
            f"The search stopped before its tree was proven optimal ({self._describe_end()}): objective "
            f"{self.objective_:.6g}, lower bound {self.lower_bound_:.6g}, gap {100 * self.gap_:.2f} %. The tree is "
            f"valid. For a smaller gap or a proof, {advice(self)}",
            NotProvenWarning,
            stacklevel=3,
        )
