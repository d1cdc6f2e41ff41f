"""What all sets of trees have in common: trees by number, counts, samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
from hornbeam.fitting.parameters import check_integer
from hornbeam.plotting import trees_html
from hornbeam.rashomon.found import FoundTrees, GraphOfTrees, SetProblem
from hornbeam.rashomon.votes import predictions_of
from hornbeam.table import read_table
from hornbeam.tree.base import AnyTree
from hornbeam.tree.words import count

_N_SHOWN = 3  # trees in a notebook


class BaseRashomonSet(ABC, Sequence[AnyTree]):
    """Trees in the order of their objectives, of which any one is made when it is asked for.

    Parameters
    ----------
    problem : SetProblem
        The problem of the set.
    found : FoundTrees
        What the search for it has found.
    """

    def __init__(self, problem: SetProblem, found: FoundTrees) -> None:
        self._problem = problem
        self._trees: FoundTrees | None = found
        self._memory_limit: int | None = getattr(found, "memory_limit", None)
        self._bound = found.complete_up_to
        self.searched_up_to = -inf if self._bound is None else self._objective_up_to(self._bound)
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
    def __getitem__(self, index: int) -> AnyTree: ...
    @overload
    def __getitem__(self, index: slice) -> list[AnyTree]: ...
    def __getitem__(self, index: int | slice) -> AnyTree | list[AnyTree]:
        """Return one tree by its number, or the list of those of a slice."""
        if isinstance(index, slice):
            return [self._tree(number) for number in range(*index.indices(self.n_trees))]
        return self._tree(self._position(index)[0])

    def __iter__(self) -> Iterator[AnyTree]:
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
            raise ValueError("the set holds no tree to sample; raise epsilon or rashomon_bound.")
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
        where: Callable[[AnyTree], Any] | None = None,
    ) -> Iterator[tuple[int, AnyTree]]:
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
        def found() -> Iterator[tuple[int, AnyTree]]:
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

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the table."""
        return self._problem.schema.names

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
            if isinstance(trees, GraphOfTrees):
                trees.memory_limit = self._memory_limit
            self._trees = trees
        return self._trees

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
        scale, name = self._problem.scale, type(self).__name__
        if self.n_trees == 0:
            return f"<{name} of no tree>"
        first, last = scale.objective(self._values[0]), scale.objective(self._values[-1])
        return f"<{name} of {count(self.n_trees, 'tree')}, objectives {first:.6g} to {last:.6g}>"

    def _repr_html_(self) -> str:
        """Return for notebooks how many trees there are, and pictures of the best ones."""
        n_shown = min(_N_SHOWN, self.n_trees)
        if n_shown == 0:
            return trees_html([], f"{type(self).__name__} of no tree")
        first, last = self.objective(0), self._problem.scale.objective(self._values[-1])
        objectives = f"objective {first:.6g}" if first == last else f"objectives {first:.6g} to {last:.6g}"
        heading = f"{type(self).__name__} of {self._size_in_words()}, {objectives}"
        if n_shown < self.n_trees:
            heading += f". The best {n_shown}:"
        captions = (f"Tree {number}: objective {self.objective(number):.6g}" for number in range(n_shown))
        return trees_html(zip(self[:n_shown], captions, strict=True), heading)

    def _size_in_words(self) -> str:
        """Return 1 tree, 1,204 trees or 3.1e+20 trees."""
        count = f"{self.n_trees:,}" if self.n_trees < 10**15 else f"{Decimal(self.n_trees):.1e}"
        return f"{count} tree{'s' if self.n_trees != 1 else ''}"

    def _objective_up_to(self, bound: Any) -> float:
        """Return the objective up to which a bound in the numbers of the scale has all trees."""
        return float(self._problem.scale.objective(bound))

    @abstractmethod
    def _tree(self, index: int) -> AnyTree:
        """Make one tree."""

    def _predictions(self, X: Any, indices: Iterable[int] | None) -> Iterator[npt.NDArray[np.int32]]:
        """Return the predictions of the trees for each row, as indices into the classes."""
        table = read_table(X, expect=self._problem.schema)
        return predictions_of(map(self._arrays, self._numbers(indices)), self._problem.conditions, table)


def _added_up(counts: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    sums: dict[Any, int] = {}
    for key, number in counts:
        sums[key] = sums.get(key, 0) + number
    return sums


def _is_allowed(number: int, allowed: int | Container[int] | None) -> bool:
    if allowed is None:
        return True
    return number in allowed if isinstance(allowed, Container) else number == allowed
