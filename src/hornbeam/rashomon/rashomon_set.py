"""The public set of near-optimal trees of classes: what they predict together, and what they rely on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.export import to_timbertrek
from hornbeam.rashomon.found import ClassSetProblem, GraphOfTrees
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.rashomon.reliance import Range, Reliances
from hornbeam.rashomon.votes import filtered
from hornbeam.rashomon.voting_set import VotingRashomonSet
from hornbeam.tree import Tree


class RashomonSet(VotingRashomonSet[Tree]):
    """All trees whose objective is at most a bound, or those that RESPLIT finds; made by `RashomonSetClassifier`.

    Trees are sorted by objective, then by number of leaves. The set is a graph of subproblems that the trees share: it
    lists no tree, but makes any one in about a millisecond, however many there are. Two sets made from the same data
    with the same parameters have the same trees under the same numbers. For the objectives "auc" and "partial_auc" it
    also holds the number and the area of each tree.

    ``len(trees)`` is their number as long as Python allows it (less than ``sys.maxsize``); `n_trees` is of any size.
    ``trees[i]`` is tree number i, a `Tree`; negative numbers count from the worst tree; a slice gives a list.

    Parameters
    ----------
    problem : SetProblem
        The problem of the set.
    found : FoundTrees
        What the search for it has found.

    Attributes
    ----------
    n_trees : int
        Number of trees.
    n_prefixes : int
        Number of prefixes that RESPLIT completes; 0 for the exact set.
    searched_up_to : float
        The bound that the search has reached: the set is the one of this bound. -inf if it holds no tree.
    complete_up_to : float
        The set holds exactly the trees with at most this objective. Equals `searched_up_to`, but is -inf for RESPLIT,
        which does not find all trees.

    See Also
    --------
    hornbeam.RashomonSetClassifier : Makes the set; its notes define which trees are different.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> trees = RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4).fit(X, y).rashomon_set_
    >>> len(trees), trees[0].n_leaves
    (12, 7)
    """

    _problem: ClassSetProblem

    def reliance(self, indices: Iterable[int] | None = None) -> npt.NDArray[np.float64]:
        """Return the model reliance of trees on each column: the increase in loss when its values are shuffled.

        Parameters
        ----------
        indices : iterable of int or None, default=None
            Numbers of the trees to use, such as those of `sample`. None: all, at about 0.3 milliseconds per tree.

        Returns
        -------
        ndarray of shape (n_indices, n_columns)
            In the unit of the loss; see `model_class_reliance` for the definition.

        Raises
        ------
        ValueError
            If the loss is not a sum over the rows.
        """
        return self._reliances().of_trees(map(self._arrays, self._numbers(indices)))

    def mean_reliance(self) -> npt.NDArray[np.float64]:
        """Return the mean over all trees of the model reliance on each column.

        The trees of an exact set of any size are summed at once. The sums are whole numbers, and each mean is the
        double nearest to their quotient. For 10^12 trees, that takes about 20 seconds. The trees of RESPLIT are
        measured one by one, at about 0.3 milliseconds per tree.

        Returns
        -------
        ndarray of shape (n_columns,)
            In the unit of the loss; see `model_class_reliance` for the definition.

        Raises
        ------
        ValueError
            If the set is empty, or the loss is not a sum over the rows.
        MemoryError
            If the index of the set does not fit into the `memory_limit` of the classifier.

        Examples
        --------
        >>> from hornbeam import RashomonSetClassifier
        >>> from hornbeam.datasets import load_monk
        >>> X, y = load_monk(1, return_X_y=True)
        >>> trees = RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4).fit(X, y).rashomon_set_
        >>> trees.mean_reliance().round(3).tolist()
        [0.333, 0.333, 0.0, 0.0, 0.25, 0.0]
        """
        reliances, found = self._reliances(), self._found()
        if self.n_trees == 0:
            raise ValueError("the set holds no tree; raise epsilon or rashomon_bound.")
        if not self._is_exact:
            return np.asarray(self.reliance().mean(axis=0))
        assert isinstance(found, GraphOfTrees)
        assert found.most is not None
        trees = filtered(found, [True] * len(self._problem.conditions))
        return reliances.mean_of_sums(reliances.sums_over(trees, found.most), self.n_trees)

    def to_timbertrek(self, indices: Iterable[int] | None = None) -> str:
        """Write trees of two classes as JSON for TimberTrek; see `hornbeam.export.to_timbertrek`.

        Parameters
        ----------
        indices : iterable of int or None, default=None
            Numbers of the trees. None: all; more than a few thousand are too many to be shown.

        Returns
        -------
        str
        """
        return to_timbertrek((self.objective(number), self[number]) for number in self._numbers(indices))

    def _reliances(self) -> Reliances:
        if not isinstance(self._problem, RashomonProblem):
            raise ValueError("model reliance needs a loss that is a sum over the rows, such as objective='accuracy'.")
        return Reliances(self._problem)

    def _range_of_reliance(self, callback: Callable[[_core.Progress], bool] | None = None) -> Range:
        """Return the least and the largest reliance on each column over all trees; see `Reliances.range_over`."""
        reliances, found = self._reliances(), self._found()
        assert isinstance(found, GraphOfTrees)
        return reliances.range_over(found.graph, callback)

    def _tree(self, index: int) -> Tree:
        made_of = self._problem
        arrays = self._arrays(index)
        return Tree.from_search(
            arrays,
            made_of.conditions,
            made_of.codes,
            made_of.weights,
            made_of.classes,
            made_of.schema,
            made_of.has_missing,
            made_of.target_name,
        )
