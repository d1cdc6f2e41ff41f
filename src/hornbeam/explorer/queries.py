"""Questions about the trees of a set that filters leave: how many there are, their best objective, their splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam.explorer.partial_trees import Leaf, Open, PartialTree, Split, node_at, path_to, replaced
from hornbeam.explorer.restricted_sets import Limit, RestrictedSet, TreesOfParts
from hornbeam.rashomon.votes import Answers

if TYPE_CHECKING:
    from hornbeam._core import Progress
    from hornbeam.rashomon.reliance import Reliances

_FIRST_COSTS = 6


class Option(NamedTuple):
    """A way to go on at an open node.

    Attributes
    ----------
    node : Leaf or Split
        The split with two open sides.
    n_trees : int
        How many trees have it, of those that have the rest of the partial tree.
    least : int
        Ticks of the best of them.
    """

    node: Leaf | Split
    n_trees: int
    least: int


class Query:
    """The trees of a set that filters leave.

    Parameters
    ----------
    terms : sequence of (int, RestrictedSet)
        The sets, with 1 if their trees are added and -1 if they are subtracted; the first one contains all others.
    limit : Limit
        Which trees count.
    """

    def __init__(self, terms: Sequence[tuple[int, RestrictedSet]], limit: Limit) -> None:
        self._terms, self._limit = terms, limit
        self._whole = terms[0][1]

    def number_of_trees(self, tree: PartialTree) -> int:
        """Return how many trees have the splits and leaves of a partial tree."""
        return _number(self._trees_with(tree), self._limit)

    def least(self, tree: PartialTree) -> int | None:
        """Return the ticks of the best tree with a partial tree; None if there is none."""
        return _least(self._trees_with(tree), self._limit)

    def by_size(self, tree: PartialTree) -> dict[tuple[int, int], int]:
        """Return the numbers of trees with a partial tree by ticks of the objective and number of leaves."""
        sums: dict[int, int] = {}
        for sign, one in self._terms:
            trees = one.histogram(tree, self._limit.ticks)
            for cost, count in zip(trees.costs.tolist(), trees.counts.tolist(), strict=True):
                sums[cost] = sums.get(cost, 0) + sign * count
        mask, most = self._whole.leaf_mask, self._limit.leaves
        return {
            (cost & ~mask, cost & mask): count
            for cost, count in sorted(sums.items())
            if count and (most is None or cost & mask <= most)
        }

    def options(self, tree: PartialTree, place: str) -> list[Option]:
        """Return all leaves and splits at an open node that some tree has, the best first."""
        options = []
        for node, terms in self._nodes_at(tree, place).items():
            number = _number(terms, self._limit)
            least = _least(terms, self._limit) if number else None
            if least is not None:
                options.append(Option(node, number, least))
        return sorted(options, key=lambda option: option.least)

    def completed(self, tree: PartialTree) -> PartialTree:
        """Return the best tree with a partial tree; of equal ones that with leaves, then with the first conditions.

        Raises
        ------
        ValueError
            If there is none.
        """
        least = self.least(tree)
        if least is None:
            raise ValueError("no tree of the set has all of these splits.")
        best = Query(self._terms, Limit(least, self._limit.leaves))
        waiting = [""]
        while waiting:
            place = waiting.pop()
            node = node_at(tree, place)
            if isinstance(node, Open):
                nodes = best._nodes_at(tree, place).items()
                node = next(node for node, terms in nodes if _number(terms, best._limit))
                tree = replaced(tree, place, node)
            if isinstance(node, Split):
                waiting += [place + "F", place + "T"]
        return tree

    def votes(
        self, answers: Answers, n_rows: int, callback: Callable[[Progress], bool] | None = None
    ) -> npt.NDArray[Any]:
        """Return how many trees predict each class for each row.

        Parameters
        ----------
        answers : Answers
        n_rows : int
        callback : callable or None, default=None
            Called while trees are counted; that stops if it returns True.

        Returns
        -------
        ndarray of int of any size, shape (n_rows, n_classes)

        Raises
        ------
        InterruptedError
            If counting was stopped.
        """
        counts: Any = 0
        for sign, one in self._terms:
            counts = counts + sign * one.votes(answers, n_rows, self._limit, callback)
        return np.asarray(counts)

    def mean_reliance(
        self, reliances: Reliances, callback: Callable[[Progress], bool] | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the mean over all trees of the reliance on each column; there is a tree.

        Parameters
        ----------
        reliances : Reliances
            Of the set.
        callback : callable or None, default=None
            See `votes`.
        """
        sums: Counter[int] = Counter()
        for sign, one in self._terms:
            for column, total in one.sums_of_reliance(reliances, self._limit, callback).items():
                sums[column] += sign * total
        return reliances.mean_of_sums(sums, self.number_of_trees(Open()))

    def _nodes_at(self, tree: PartialTree, place: str) -> dict[Leaf | Split, list[tuple[int, TreesOfParts]]]:
        """Return what may stand at an open node: leaves, then splits, each with the trees that have it."""
        assert isinstance(node_at(tree, place), Open)
        found: dict[Leaf | Split, list[tuple[int, TreesOfParts]]] = {}
        most = self._limit.ticks
        for sign, trees in self._terms:
            context = trees.context(tree, place, most)
            if not len(context.all):
                continue
            leaves, splits = trees.choices(path_to(tree, place), most - context.all.least)
            for leaf in leaves:
                found.setdefault(Leaf(leaf[1]), []).append((sign, trees.with_leaf(context, leaf, most)))
            for split in splits:
                node = Split(split.condition, Open(), Open())
                found.setdefault(node, []).append((sign, trees.with_split(context, split, most)))
        return found

    def _trees_with(self, tree: PartialTree) -> list[tuple[int, TreesOfParts]]:
        return [(sign, one.trees_with(tree, self._limit.ticks)) for sign, one in self._terms]


def _number(terms: Sequence[tuple[int, TreesOfParts]], limit: Limit) -> int:
    return sum(sign * parts.number(limit) for sign, parts in terms)


def _least(terms: Sequence[tuple[int, TreesOfParts]], limit: Limit) -> int | None:
    """Return the least cost of the trees of a sum, None if there is none: from more and more of the cheapest ones."""
    n_costs = _FIRST_COSTS
    while True:
        counts: Counter[int] = Counter()
        known_up_to = limit.ticks
        for sign, parts in terms:
            cheapest, known = parts.cheapest(n_costs, limit.ticks)
            known_up_to = min(known_up_to, known)
            for cost, count in cheapest.items():
                counts[cost] += sign * count
        found = [cost for cost, count in counts.items() if count and terms[0][1].is_within(cost, limit)]
        least = min(found, default=limit.ticks + 1)
        if least <= known_up_to:
            return least
        if known_up_to == limit.ticks:
            return None
        n_costs *= 4
