"""The public set of near-optimal trees: trees by number, counts, samples and predictions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import accumulate
from math import inf
from random import Random
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._checks import is_integer, random_numbers, shown
from hornbeam.export import to_timbertrek
from hornbeam.fitting.parameters import check_integer
from hornbeam.plotting import trees_html
from hornbeam.rashomon.found import FoundTrees, GraphOfTrees, SetProblem
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.rashomon.reliance import Range, Reliances
from hornbeam.rashomon.votes import predictions_of, votes_of_all
from hornbeam.table import read_table
from hornbeam.tree import Tree
from hornbeam.tree.words import count

_N_SHOWN = 3  # trees in a notebook


class RashomonSet(Sequence[Tree]):
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

    def __init__(self, problem: SetProblem, found: FoundTrees) -> None:
        self._problem = problem
        self._trees: FoundTrees | None = found
        self._bound = found.complete_up_to
        self.searched_up_to = -inf if self._bound is None else problem.scale.objective(self._bound)
        self._is_exact = problem.is_exact
        self.complete_up_to = self.searched_up_to if self._is_exact else -inf
        self.n_prefixes: int = getattr(found, "n_prefixes", 0)
        self._values, self._leaves, self._counts = found.values, found.leaves, found.counts
        self._ends = list(accumulate(self._counts))
        self.n_trees = self._ends[-1] if self._ends else 0

    def __len__(self) -> int:
        """Return the number of trees; OverflowError where it is too large for Python's `len`, see `n_trees`."""
        return self.n_trees

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        """Return one tree by its number, or the list of those of a slice."""
        if isinstance(index, slice):
            return [self._tree(number) for number in range(*index.indices(self.n_trees))]
        return self._tree(self._position(index)[0])

    def __iter__(self) -> Iterator[Tree]:
        """Make the trees one after another, the best first."""
        return map(self._tree, range(self.n_trees))

    def objective(self, index: int) -> float:
        """Return the objective of one tree.

        Parameters
        ----------
        index : int
            Number of the tree.

        Returns
        -------
        float
        """
        return float(self._problem.scale.objective(self._values[self._position(index)[1]]))

    def objectives(self) -> tuple[npt.NDArray[np.float64], list[int]]:
        """Return the objectives that occur, and how many trees have each.

        Returns
        -------
        objectives : ndarray of shape (n_objectives,)
            In ascending order.
        counts : list of int of length n_objectives
            Exact numbers of trees.
        """
        by_objective = _added_up(zip(self._values, self._counts, strict=True))
        return np.array([self._problem.scale.objective(value) for value in by_objective]), list(by_objective.values())

    def n_leaves(self) -> dict[int, int]:
        """Return the number of trees for each number of leaves.

        Returns
        -------
        dict of int to int
            From a number of leaves to the exact number of trees, in ascending order.
        """
        return dict(sorted(_added_up(zip(self._leaves, self._counts, strict=True)).items()))

    def depths(self) -> dict[int, int]:
        """Return the number of trees of each depth.

        The set is found again for each smaller depth limit, each time in no more time than the set itself.

        Returns
        -------
        dict of int to int
            From a depth in edges to the exact number of trees, in ascending order.
        """
        counts: dict[int, int] = {}
        depth = n_before = 0
        while n_before < self.n_trees:
            problem: SetProblem = replace(self._problem, max_depth=depth)  # type: ignore[type-var]
            n_trees = sum(problem.find(self._bound).counts)
            if n_trees > n_before:
                counts[depth] = n_trees - n_before
            depth, n_before = depth + 1, n_trees
        return counts

    def sample(self, n: int, random_state: Any = None) -> list[int]:
        """Sample trees uniformly and independently.

        Parameters
        ----------
        n : int
            Number of trees to sample.
        random_state : int, RandomState or None, default=None
            As in scikit-learn.

        Returns
        -------
        list of int of length n
            Numbers of trees; some may be equal.

        Raises
        ------
        ValueError
            If the set is empty and `n` is not 0.
        """
        n = check_integer("n", n, least=0)
        if n > 0 and self.n_trees == 0:
            raise ValueError("the set holds no tree to sample.")
        seeds = random_numbers(random_state).randint(2**32, size=4, dtype=np.uint64)
        random = Random(sum(int(seed) << 32 * place for place, seed in enumerate(seeds)))
        return [random.randrange(self.n_trees) for _ in range(n)]

    def filter(
        self,
        *,
        uses: Iterable[int | str] = (),
        avoids: Iterable[int | str] = (),
        n_leaves: int | Container[int] | None = None,
        depth: int | Container[int] | None = None,
        where: Callable[[Tree], Any] | None = None,
    ) -> Iterator[tuple[int, Tree]]:
        """Iterate over the trees that meet all the conditions, the best first.

        Trees are made one by one as the iterator advances, so the first ones are available at once.

        Parameters
        ----------
        uses, avoids : iterable of int or str, default=()
            Columns of `X`, by number or name, that the tree must use, or must not use.
        n_leaves, depth : int, container of int or None, default=None
            The numbers allowed, such as 4 or ``range(3, 6)``. None: any.
        where : callable or None, default=None
            Function from a `Tree` to whether it is wanted, for example by its accuracy or fairness on other data.

        Yields
        ------
        index : int
            Number of the tree.
        tree : Tree

        Raises
        ------
        ValueError
            If there is no such column.
        """
        for name, allowed in (("n_leaves", n_leaves), ("depth", depth)):
            if not (allowed is None or is_integer(allowed) or isinstance(allowed, Container)):
                raise TypeError(f"{name} must be an integer, a container of integers or None, got {shown(allowed)}.")
        used, avoided = self._column_numbers(uses), self._column_numbers(avoids)

        # A function of its own, so that wrong arguments raise at the call and not when the first tree is needed.
        def found() -> Iterator[tuple[int, Tree]]:
            begin = 0
            for size, end in zip(self._leaves, self._ends, strict=True):
                if _is_allowed(size, n_leaves):  # the number of leaves is known without making the trees
                    for number in range(begin, end):
                        tree = self._tree(number)
                        columns = {condition.column for condition in tree.conditions if condition is not None}
                        is_wanted = used <= columns and not avoided & columns and _is_allowed(tree.depth, depth)
                        if is_wanted and (where is None or where(tree)):
                            yield number, tree
                begin = end

        return found()

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
            raise ValueError("the set holds no tree, or indices is empty.")
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

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the table."""
        return self._problem.schema.names

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

    def _numbers(self, indices: Iterable[int] | None) -> Iterable[int]:
        if indices is None:
            return range(self.n_trees)
        try:
            numbers = list(indices)
        except TypeError:
            raise TypeError(f"indices must be a list of the numbers of trees, got {shown(indices)}.") from None
        for number in numbers:
            if not is_integer(number):
                raise TypeError(f"indices must hold numbers of trees, which are integers, got {shown(number)}.")
        return numbers

    def _found(self) -> FoundTrees:
        if self._trees is None:  # after unpickling
            trees = self._problem.find(self._bound)
            if trees.status == "interrupted":  # a part of the set would have other numbers
                raise KeyboardInterrupt
            self._trees = trees
        return self._trees

    def _reliances(self) -> Reliances:
        if not isinstance(self._problem, RashomonProblem):
            raise ValueError("model reliance needs a loss that is a sum over the rows, such as objective='accuracy'.")
        return Reliances(self._problem)

    def _range_of_reliance(self, callback: Callable[[_core.Progress], bool] | None = None) -> Range:
        """Return the least and the largest reliance on each column over all trees; see `Reliances.range_over`."""
        reliances, found = self._reliances(), self._found()
        assert isinstance(found, GraphOfTrees)
        return reliances.range_over(found.graph, callback)

    def _position(self, index: Any) -> tuple[int, int]:
        """Return the number of a tree, from 0, and the index of its cost."""
        if not is_integer(index):
            raise TypeError(f"the index of a tree must be an integer, got {shown(index)}.")
        number = int(index) + self.n_trees if index < 0 else int(index)
        if not 0 <= number < self.n_trees:
            raise IndexError(f"tree {shown(index)} is not in a set of {count(self.n_trees, 'tree')}.")
        return number, bisect_right(self._ends, number)

    def _arrays(self, index: int) -> _core.TreeArrays:
        number, at = self._position(index)
        rank = number - (self._ends[at] - self._counts[at])
        return self._found().read(at, rank)

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

    def _votes_of_all(self, X: Any) -> npt.NDArray[Any] | None:
        """Return how many trees predict each class for each row; None where the set has to be listed for that."""
        found = self._found()
        if not self._is_exact or self.n_trees == 0 or not isinstance(found, GraphOfTrees):
            return None
        return votes_of_all(found, self._problem.conditions, read_table(X, expect=self._problem.schema))

    def _predictions(self, X: Any, indices: Iterable[int] | None) -> Iterator[npt.NDArray[np.int32]]:
        """Return the predictions of the trees for each row, as indices into the classes."""
        table = read_table(X, expect=self._problem.schema)
        return predictions_of(map(self._arrays, self._numbers(indices)), self._problem.conditions, table)

    def _best_predictions(self, X: Any) -> npt.NDArray[np.int32]:
        if self.n_trees == 0:
            raise ValueError("the set holds no tree.")
        return next(self._predictions(X, [0]))

    def _differences(self, X: Any, indices: Iterable[int] | None) -> Iterator[npt.NDArray[np.bool_]]:
        """Return for each tree in turn the rows for which it predicts a different class than the best tree."""
        best = self._best_predictions(X)
        return (prediction != best for prediction in self._predictions(X, indices))

    def _column_numbers(self, columns: Iterable[int | str]) -> set[int]:
        names = self._problem.schema.names
        numbers = set()
        for column in columns:
            known: Any = names.index(column) if isinstance(column, str) and column in names else column
            if not is_integer(known) or not 0 <= known < len(names):
                raise ValueError(f"there is no column {shown(column)}; the columns are {', '.join(map(repr, names))}.")
            numbers.add(int(known))
        return numbers

    def __getstate__(self) -> dict[str, Any]:
        """Leave the graph out: it is found again when it is first needed."""
        return {**self.__dict__, "_trees": None}

    def __repr__(self) -> str:
        """Return the number of trees and the range of their objectives."""
        scale = self._problem.scale
        if self.n_trees == 0:
            return "<RashomonSet of no tree>"
        first, last = scale.objective(self._values[0]), scale.objective(self._values[-1])
        return f"<RashomonSet of {count(self.n_trees, 'tree')}, objectives {first:.6g} to {last:.6g}>"

    def _repr_html_(self) -> str:
        """Return for notebooks how many trees there are, and pictures of the best ones."""
        n_shown = min(_N_SHOWN, self.n_trees)
        if n_shown == 0:
            return trees_html([], "RashomonSet of no tree")
        first, last = self.objective(0), self._problem.scale.objective(self._values[-1])
        objectives = f"objective {first:.6g}" if first == last else f"objectives {first:.6g} to {last:.6g}"
        heading = f"RashomonSet of {self._size_in_words()}, {objectives}"
        if n_shown < self.n_trees:
            heading += f". The best {n_shown}:"
        captions = (f"Tree {number}: objective {self.objective(number):.6g}" for number in range(n_shown))
        return trees_html(zip(self[:n_shown], captions, strict=True), heading)

    def _size_in_words(self) -> str:
        """Return 1 tree, 1,204 trees or 3.1e+20 trees."""
        count = f"{self.n_trees:,}" if self.n_trees < 10**15 else f"{Decimal(self.n_trees):.1e}"
        return f"{count} tree{'s' if self.n_trees != 1 else ''}"


def _added_up(counts: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    sums: dict[Any, int] = {}
    for key, number in counts:
        sums[key] = sums.get(key, 0) + number
    return sums


def _is_allowed(number: int, allowed: int | Container[int] | None) -> bool:
    if allowed is None:
        return True
    return number in allowed if isinstance(allowed, Container) else number == allowed
