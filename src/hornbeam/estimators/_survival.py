"""What the estimators with one fitted tree of hazards do with rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import Tags

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import check_weights
from hornbeam.estimators._base import TreeEstimator
from hornbeam.estimators._display import TreeDisplay
from hornbeam.estimators._rounded import RoundedScaleTree
from hornbeam.fitting.hazards import SurvivalScale, make_survival_scale
from hornbeam.fitting.survival_rows import SurvivalTraining, read_survival_training
from hornbeam.survival.curves import StepFunction
from hornbeam.survival.metrics import concordance_index
from hornbeam.survival.times import read_times
from hornbeam.tree import HazardTree
from hornbeam.tree.importances import hazard_importances

_Floats = npt.NDArray[np.float64]


class SurvivalMethods(TreeDisplay, TreeEstimator):
    """Base of the estimators that keep one fitted tree of hazards."""

    tree_: HazardTree
    _deviance_of_row: float

    def predict(self, X: Any) -> _Floats:
        """Predict the risk of each row: the hazard ratio of its leaf. A higher one means an earlier event.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`. Missing values and unseen categories fail every condition except
            "is missing".

        Returns
        -------
        ndarray of float of shape (n_rows,)
            At least 0; 1 is the hazard of all training rows together.

        Raises
        ------
        ValueError
            If the columns differ from those seen in `fit`, or a number is infinite.
        """
        table = self._table(X)
        return self.tree_.predict(table)

    def predict_survival_function(self, X: Any, return_array: bool = False) -> npt.NDArray[Any]:
        """Predict the share that survives each time: the Kaplan-Meier curve of each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        return_array : bool, default=False
            Whether to return the values at `event_times_` instead of functions.

        Returns
        -------
        ndarray of StepFunction of shape (n_rows,), or of float of shape (n_rows, n_times)
        """
        leaves = self.apply(X)
        if return_array:
            return np.asarray(self.tree_.survival[leaves])
        return _functions(leaves, self.tree_.survival_function)

    def predict_cumulative_hazard_function(self, X: Any, return_array: bool = False) -> npt.NDArray[Any]:
        """Predict the cumulative hazard over time: the Nelson-Aalen curve of each row's leaf.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        return_array : bool, default=False
            Whether to return the values at `event_times_` instead of functions.

        Returns
        -------
        ndarray of StepFunction of shape (n_rows,), or of float of shape (n_rows, n_times)
        """
        leaves = self.apply(X)
        if return_array:
            return np.asarray(self.tree_.cumulative_hazards[leaves])
        return _functions(leaves, self.tree_.cumulative_hazard_function)

    def score(self, X: Any, y: Any) -> float:
        """Return Harrell's concordance index of `predict`, see `hornbeam.concordance_index`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        y : structured array of shape (n_rows,), or array-like or data frame of shape (n_rows, 2)
            Events and times, see `fit`.

        Returns
        -------
        float
            From 0 to 1; 0.5 for a single leaf.
        """
        return concordance_index(y, self.predict(X))

    @property
    def event_times_(self) -> _Floats:
        """The different times of events of the training rows, rising."""
        times: _Floats = self._of_fit("tree_").times
        return times

    @property
    def feature_importances_(self) -> _Floats:
        """Share of each column in the decrease of the deviance by all splits of `tree_`; see the attributes."""
        return hazard_importances(self._of_fit("tree_"))

    def _score_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Return the concordance index of rows, in which weights do not count."""
        return concordance_index(y, self.predict(X))

    def _loss_on(self, X: Any, y: Any, sample_weight: Any) -> float:
        """Return the deviance of rows, as a fraction of that of a single leaf on the training rows.

        It is infinite if a row has its event in a leaf where no training row had it.
        """
        ratios, given = self.predict(X), read_times(y)
        weights = check_weights(sample_weight, len(given.times))
        hazards = self.tree_.cumulative_hazard_function(0)(given.times)
        with np.errstate(divide="ignore"):
            logs = np.log(ratios, where=given.events, out=np.zeros_like(ratios))
        # The single leaf has the ratio 1, and its deviance of the training rows is 1.
        more = np.average(hazards * (ratios - 1) - logs, weights=weights)
        return float(1 + more / self._deviance_of_row)

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn that `y` is required, and has two columns."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


class FittedSurvivalTree(SurvivalMethods, RoundedScaleTree):
    """Base of the estimators that search for survival trees."""

    _targets = "times"

    def _read_training(self, X: Any, y: Any, sample_weight: Any, budget: Budget) -> SurvivalTraining:
        return read_survival_training(X, y, sample_weight, type(self).__name__, budget)

    def _make_scale(self, training: SurvivalTraining) -> SurvivalScale:
        self.regularization_ = self._leaf_penalty()
        return make_survival_scale(training.events, training.times, training.weights, self.regularization_)

    def _make_tree(self, arrays: _core.TreeArrays, training: SurvivalTraining) -> HazardTree:
        return HazardTree.from_search(
            arrays,
            self.binarizer_.conditions_,
            training.events,
            training.times,
            training.weights,
            self.schema_,
            training.table.has_missing(),
            training.target_name,
        )

    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        super()._set_result(outcome, scale)
        # The scale has a unit of weight of its own.
        n_rows = float(scale.events.sum()) / float(self.tree_.n_events[0]) * float(self.tree_.weights[0])
        self._deviance_of_row = scale.deviance / n_rows


def _functions(leaves: npt.NDArray[Any], make: Any) -> npt.NDArray[Any]:
    """Return the function of each row, one object for each leaf."""
    of_leaf: dict[int, StepFunction] = {leaf: make(leaf) for leaf in np.unique(leaves).tolist()}
    functions = np.empty(len(leaves), dtype=object)
    for row, leaf in enumerate(leaves.tolist()):
        functions[row] = of_leaf[leaf]
    return functions
