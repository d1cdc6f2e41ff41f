"""What the classifiers share whose objective is a sum over the rows: from table to tree, by whatever search."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._units import Units, make_units
from hornbeam.columns import warn_of_copy
from hornbeam.estimators._advice import advice
from hornbeam.estimators._base import TreeClassifier
from hornbeam.estimators._monitor import Monitor
from hornbeam.estimators._parameters import LARGEST_LIMIT, check_integer, check_number, fit_to_table, number_of_threads
from hornbeam.estimators._progress import relative_gap
from hornbeam.estimators._search import Search, search_by_bits, search_by_ranks, suits_ranks
from hornbeam.estimators._training import Training, read_training
from hornbeam.exceptions import NotProvenWarning
from hornbeam.objectives import OBJECTIVES, ClassData, Exact, Loss, check_objective

if TYPE_CHECKING:
    from typing_extensions import Self


class AdditiveClassifier(TreeClassifier):
    """Base of the classifiers that minimize ``loss + regularization * n_leaves`` for a loss that is a sum.

    A subclass checks the parameters that only it has in `_check_parameters` and says in `_choose_search` which search
    of the core is to run.
    """

    regularization: float
    min_samples_leaf: int
    objective: str
    omega: float
    cost_matrix: Any
    class_weight: Any
    n_jobs: int | None
    _other_objectives: tuple[str, ...] = ()  # that are no sums

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
        units = self._make_units(training)
        search = self._choose_search(training, units, options)
        binarize_seconds = budget.elapsed()
        outcome = search(callback=monitor.listener(units), trace=self.trace)
        self._set_tree(outcome, units, training, training.weights, binarize_seconds)
        self._set_result(outcome, units)
        monitor.finish(outcome, units)
        warn_of_copy(self.tree_, training.table, X, stacklevel=3)

    def _read_reference(self, X: Any, training: Training) -> npt.NDArray[np.int32] | None:
        """Return what a reference model predicts for the rows, if there is one."""
        return None

    @abstractmethod
    def _choose_search(self, training: Training, units: Units, options: _core.SearchOptions) -> Search:
        """Return the search to run."""

    def _check_parameters(self) -> _core.SearchOptions:
        """Check all parameters that need no data; return what goes to the search."""
        check_number("regularization", self.regularization)
        check_objective(self.objective, self.omega, self.cost_matrix, self._other_objectives)
        return self._check_search_parameters().replace(
            min_samples_leaf=min(LARGEST_LIMIT, check_integer("min_samples_leaf", self.min_samples_leaf, least=1)),
            n_threads=number_of_threads(self.n_jobs),
        )

    def _choose_exact_search(self, training: Training, units: Units, options: _core.SearchOptions) -> Search:
        """Return the exact search that is expected to be the faster one."""
        conditions = self.binarizer_.conditions_
        search_by = search_by_ranks if suits_ranks(conditions, training, units, options) else search_by_bits
        return search_by(conditions, training, units, options)

    def _make_units(self, training: Training) -> Units:
        def make_loss(totals: tuple[Exact, ...]) -> Loss:
            data = ClassData(training.classes, totals, self.omega, self.cost_matrix, self.class_weight)
            return OBJECTIVES[self.objective](data)

        n_classes = len(training.classes)
        return make_units(
            training.weights, training.codes, n_classes, make_loss, self.regularization, self._leaf_bits()
        )

    def _leaf_bits(self) -> int:
        """Return how many bits of a tree's ticks count its leaves."""
        return 0

    def _set_result(self, outcome: _core.Outcome, units: Units) -> None:
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
