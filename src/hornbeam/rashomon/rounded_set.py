"""The public sets of near-optimal trees of numbers, times and actions, whose losses are rounded to be counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.rashomon.base_set import BaseRashomonSet
from hornbeam.rashomon.found import FoundTrees, GraphOfTrees, to_integer
from hornbeam.rashomon.rounded import ActionProblem, HazardProblem, NumberProblem, RoundedProblem
from hornbeam.rashomon.votes import filtered, spread_of_all
from hornbeam.rashomon.voting_set import VotingRashomonSet
from hornbeam.table import read_table
from hornbeam.tree import ActionTree, HazardTree, RegressionTree
from hornbeam.tree.base import AnyTree


class RoundedRashomonSet(BaseRashomonSet[AnyTree]):
    """Base of the sets whose losses are rounded to be counted."""

    _problem: RoundedProblem

    def __init__(self, problem: RoundedProblem, found: FoundTrees) -> None:
        super().__init__(problem, found)
        groups = zip(self._values, self._leaves, self._counts, strict=True)
        self.n_certain: int = sum(n for ticks, leaves, n in groups if problem.is_certain(ticks, leaves))
        self.rounding = problem.rounding(max(self._leaves)) if self._leaves else 0.0

    def objective(self, index: int) -> float:
        """Return the objective of one tree, counted from the training rows without rounding.

        Parameters
        ----------
        index : int
            Number of the tree.

        Returns
        -------
        float
        """
        return float(self._problem.objective_of(self._arrays(index)))

    def objectives(self) -> tuple[npt.NDArray[np.float64], list[int]]:
        """Return the rounded objectives that occur, and how many trees have each.

        Returns
        -------
        objectives : ndarray of shape (n_objectives,)
            In ascending order, which is that of the trees. The objective of a tree is larger by at most `rounding`.
        counts : list of int of length n_objectives
            Exact numbers of trees.
        """
        return super().objectives()

    def column_use(self) -> npt.NDArray[np.float64]:
        """Return for each column of the table the share of the trees that test it.

        All trees are counted, in about the time that it took to find the set.

        Returns
        -------
        ndarray of shape (n_columns,)
            0 to 1. A column with 1 is tested by all good trees, so that none does without it.

        Raises
        ------
        ValueError
            If the set is empty.
        """
        graph = self._graph()
        tested = np.array([condition.column for condition in self._problem.conditions])
        shares = np.zeros(len(self.columns))
        for column in np.unique(tested):
            shares[column] = 1 - self._count(graph, (tested != column).tolist()) / self.n_trees
        return shares

    def _count(self, graph: GraphOfTrees, is_allowed: list[bool]) -> int:
        """Return how many trees test only allowed conditions."""
        assert graph.most is not None
        view = _core.view_node(filtered(graph, is_allowed), [], graph.most, False)
        return 0 if view is None else sum(to_integer(words) for words in view["trees"][1].tolist())

    def _graph(self) -> GraphOfTrees:
        if self.n_trees == 0:
            raise ValueError("the set holds no tree; raise epsilon or rashomon_bound.")
        found = self._found()
        assert isinstance(found, GraphOfTrees)
        return found

    def _objective_up_to(self, bound: Any) -> float:
        scale = self._problem.scale
        objective = scale.objective(bound)
        return float(objective - scale.rounding(objective) if hasattr(scale, "rounding") else objective)

    def _tree(self, index: int) -> AnyTree:
        tree: AnyTree = self._problem.make_tree(self._arrays(index))
        return tree


class NumericRashomonSet(RoundedRashomonSet[AnyTree]):
    """Base of those whose trees predict a number."""

    def predictions(self, X: Any, indices: Iterable[int] | None = None) -> npt.NDArray[np.float64]:
        """Return what trees predict for each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.
        indices : iterable of int or None, default=None
            Numbers of the trees, such as those of `sample`. None: all, one by one.

        Returns
        -------
        ndarray of shape (n_indices, n_rows)
        """
        table = read_table(X, expect=self._problem.schema)
        found = [self._tree(number).predict(table) for number in self._numbers(indices)]
        return np.array(found, dtype=np.float64).reshape(len(found), table.n_rows)


class PredictionRange(NamedTuple):
    """What all trees of a set predict for some rows.

    Attributes
    ----------
    low, high : ndarray of float of shape (n_rows,)
        The least and the largest number that a tree predicts.
    mean : ndarray of float of shape (n_rows,)
        The mean over all trees.

    Examples
    --------
    >>> import numpy as np
    >>> PredictionRange(np.array([1.0]), np.array([3.0]), np.array([1.5])).high.tolist()
    [3.0]
    """

    low: npt.NDArray[np.float64]
    high: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]


class RegressionRashomonSet(NumericRashomonSet[RegressionTree]):
    """All regression trees whose objective is at most a bound; made by `RashomonSetRegressor`.

    A sequence as `RashomonSet` is: a graph of the subproblems that the trees share, which makes any tree when it is
    asked for. Trees are sorted by their rounded objectives, see `RashomonSetRegressor`; `objective` returns that of a
    tree without rounding.

    Parameters
    ----------
    problem : NumberProblem
        The problem of the set.
    found : FoundTrees
        What the search for it has found.

    Attributes
    ----------
    n_trees : int
        Number of trees.
    n_certain : int
        Number of those that are within the bound for certain, as far as rounded losses can tell. So at least
        `n_certain` and at most `n_trees` trees have an objective within the bound.
    rounding : float
        By how much the objective of a tree of the set exceeds the bound at most.
    searched_up_to, complete_up_to : float
        The set has all trees of at most this objective.

    See Also
    --------
    hornbeam.RashomonSetRegressor : Makes the set.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from hornbeam import RashomonSetRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> trees = RashomonSetRegressor(epsilon=0.02, regularization=0.02, max_depth=2).fit(X, y).rashomon_set_
    >>> trees.n_certain, trees.n_trees, trees[0].n_leaves
    (16, 16, 4)
    """

    _problem: NumberProblem

    def prediction_range(self, X: Any) -> PredictionRange:
        """Return the least, the largest and the mean number that all trees predict for each row.

        No tree is made: this takes about the time that it took to find the set. Predictions are taken as whole steps of
        the search, as in `GOSDTRegressor`; half a step, the most that they are off, is a millionth of the range of the
        targets for thousands of rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features_in_)
            With the columns seen in `fit`.

        Returns
        -------
        PredictionRange

        Raises
        ------
        ValueError
            If the set is empty.
        """
        table = read_table(X, expect=self._problem.schema)
        low, high, sums = spread_of_all(self._graph(), self._problem.conditions, table)
        in_units = self._problem.numbers
        return PredictionRange(in_units(low), in_units(high), in_units((sums / self.n_trees).astype(np.float64)))


class SurvivalRashomonSet(NumericRashomonSet[HazardTree]):
    """All survival trees whose objective is at most a bound; made by `RashomonSetSurvivalTree`.

    `predictions` has the hazard ratios of each tree; everything else is as in `RegressionRashomonSet`.

    Parameters
    ----------
    problem : HazardProblem
        The problem of the set.
    found : FoundTrees
        What the search for it has found.

    Attributes
    ----------
    n_trees, n_certain, rounding, searched_up_to, complete_up_to
        See `RegressionRashomonSet`.

    See Also
    --------
    hornbeam.RashomonSetSurvivalTree : Makes the set.

    Examples
    --------
    >>> from hornbeam import RashomonSetSurvivalTree
    >>> X, y = [[20], [30], [50], [60]], [[1, 9], [0, 12], [1, 1], [1, 2]]
    >>> trees = RashomonSetSurvivalTree(0.1, max_depth=1).fit(X, y).rashomon_set_
    >>> trees.n_trees, trees.predictions([[20], [60]])[0].round(2).tolist()
    (1, [0.46, 2.4])
    """

    _problem: HazardProblem


class PolicyRashomonSet(RoundedRashomonSet[ActionTree], VotingRashomonSet[ActionTree]):
    """All policy trees whose objective is at most a bound; made by `RashomonSetPolicyTree`.

    `votes` has the share of the trees that choose each action for each row; everything else is as in
    `RegressionRashomonSet`.

    Parameters
    ----------
    problem : ActionProblem
        The problem of the set.
    found : FoundTrees
        What the search for it has found.

    Attributes
    ----------
    n_trees, n_certain, rounding, searched_up_to, complete_up_to
        See `RegressionRashomonSet`.

    See Also
    --------
    hornbeam.RashomonSetPolicyTree : Makes the set.

    Examples
    --------
    >>> from hornbeam import RashomonSetPolicyTree
    >>> X, rewards = [[20], [30], [50], [60]], [[3, 1], [2, 1], [0, 2], [1, 2]]
    >>> policy = RashomonSetPolicyTree(0.3, "absolute", regularization=0.1, max_depth=1).fit(X, rewards)
    >>> trees = policy.rashomon_set_
    >>> trees.n_trees, trees.votes([[20], [40]])[0].tolist()
    (2, [1.0, 0.0])
    """

    _problem: ActionProblem

    def _chosen(self, index: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64], npt.NDArray[Any]]:
        """Return the action that a tree chooses for each training row, the rewards of the rows and their weights."""
        arrays = self._arrays(index)
        return arrays["prediction"][arrays["leaf_of_row"]], self._problem.rewards, self._problem.weights
