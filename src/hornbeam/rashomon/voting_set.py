"""Sets of trees that predict one of several labels, or choose one of several actions: how they vote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.rashomon.base_set import BaseRashomonSet
from hornbeam.rashomon.found import GraphOfTrees, VotingProblem
from hornbeam.rashomon.votes import votes_of_all
from hornbeam.table import read_table
from hornbeam.tree.base import AnyTree


class VotingRashomonSet(BaseRashomonSet[AnyTree]):
    """Base of the sets whose trees predict one of the `classes` of their problem."""

    _problem: VotingProblem

    def votes(self, X: Any, indices: Iterable[int] | None = None) -> npt.NDArray[np.float64]:
        """Return for each row the share of the trees that predict each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        indices : iterable of int or None, default=None
            Numbers of the trees to use, such as those of `sample`, at about 0.1 milliseconds per tree. None: all. An
            exact set of a loss that is a sum over the rows counts all trees at once, in about the time that it took to
            find the set; the trees of other sets are made one by one.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Each row sums to 1. A class with a share greater than 0 is predicted by some good tree.

        Raises
        ------
        ValueError
            If the set or `indices` is empty.
        """
        n_classes = len(self._problem.classes)
        if indices is None and (exact := self._votes_of_all(X)) is not None:
            return (exact / self.n_trees).astype(np.float64)
        counts: Any = 0
        for prediction in self._predictions(X, indices):
            counts = counts + (prediction[:, None] == np.arange(n_classes))
        if isinstance(counts, int):
            raise ValueError("the set holds no tree (raise epsilon or rashomon_bound), or indices is empty.")
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def ambiguity(self, X: Any, indices: Iterable[int] | None = None) -> float:
        """Return the share of the rows for which some tree predicts a different class than the best tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        indices : iterable of int or None, default=None
            See `votes`.

        Returns
        -------
        float

        References
        ----------
        .. [1] C. Marx, F. Calmon, B. Ustun, "Predictive Multiplicity in Classification", ICML 2020.
        """
        if indices is None and (votes := self._votes_of_all(X)) is not None:
            best = self._best_predictions(X)
            return float(np.mean(votes[np.arange(len(best)), best] < self.n_trees))
        differs: Any = np.False_
        for differences in self._differences(X, indices):
            differs = differs | differences
        return float(np.mean(differs))

    def discrepancy(self, X: Any, indices: Iterable[int] | None = None) -> float:
        """Return the largest share of the rows for which one tree predicts a different class than the best tree.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        indices : iterable of int or None, default=None
            See `votes`.

        Returns
        -------
        float

        References
        ----------
        .. [1] C. Marx, F. Calmon, B. Ustun, "Predictive Multiplicity in Classification", ICML 2020.
        """
        return max((float(np.mean(differences)) for differences in self._differences(X, indices)), default=0.0)

    def _votes_of_all(self, X: Any) -> npt.NDArray[Any] | None:
        """Return how many trees predict each class for each row; None where the set has to be listed for that."""
        found = self._found()
        if not self._is_exact or self.n_trees == 0 or not isinstance(found, GraphOfTrees):
            return None
        return votes_of_all(found, self._problem.conditions, read_table(X, expect=self._problem.schema))

    def _best_predictions(self, X: Any) -> npt.NDArray[np.int32]:
        if self.n_trees == 0:
            raise ValueError("the set holds no tree; raise epsilon or rashomon_bound.")
        return next(self._predictions(X, [0]))

    def _differences(self, X: Any, indices: Iterable[int] | None) -> Iterator[npt.NDArray[np.bool_]]:
        """Return for each tree in turn the rows for which it predicts a different class than the best tree."""
        best = self._best_predictions(X)
        return (prediction != best for prediction in self._predictions(X, indices))
