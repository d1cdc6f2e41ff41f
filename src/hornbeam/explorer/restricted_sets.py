"""The trees of a set that use only some columns, and obey tighter limits: which of them have a partial tree.

The core counts them again over the graph of the whole set, without a search, so every count is exact.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt
from joblib import cpu_count

from hornbeam import _core
from hornbeam.explorer.histograms import Histogram, number_of_choices, one_tree
from hornbeam.explorer.partial_trees import Leaf, Open, PartialTree, Path, Split, node_at, path_to
from hornbeam.rashomon.found import GraphOfTrees
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.rashomon.votes import Answers, count_votes, filtered

if TYPE_CHECKING:
    from hornbeam._core import Progress
    from hornbeam.rashomon.reliance import Reliances

_MOST_VIEWS = 4096  # of nodes, kept for the next click
Leaves = list[tuple[int, int]]  # cost and prediction


class Restriction(NamedTuple):
    """What trees must not do.

    Attributes
    ----------
    never : frozenset of int
        Columns of the table that they must not test.
    max_depth : int or None
        Largest depth in edges, if less than that of the set.
    min_rows : int
        Least number of rows in a leaf, if more than that of the set.
    """

    never: frozenset[int] = frozenset()
    max_depth: int | None = None
    min_rows: int = 1


class Limit(NamedTuple):
    """Which trees count: those of at most `ticks`, with at most `leaves` leaves."""

    ticks: int
    leaves: int | None = None


class Subtrees(NamedTuple):
    """What a node may be: its trees by cost, and which of them are single leaves."""

    trees: Histogram
    leaves: Leaves


class SplitChoice(NamedTuple):
    """A split at an open node, and what may be on both of its sides: where it holds, and where it fails."""

    condition: int
    sides: tuple[Subtrees, Subtrees]


class TreesOfParts(NamedTuple):
    """Trees, as all choices of one tree of each part.

    Attributes
    ----------
    parts : tuple of Histogram
    left_out : sequence of tuple of Histogram
        Choices that are among the others but are not trees of the set, in parts of their own.
    leaf_mask : int
        The bits of a cost that count leaves.
    """

    parts: tuple[Histogram, ...]
    left_out: Sequence[tuple[Histogram, ...]]
    leaf_mask: int

    def number(self, limit: Limit) -> int:
        """Return how many there are within a limit."""
        number = number_of_choices(self.parts, limit.ticks, self.leaf_mask, limit.leaves)
        return number - sum(
            number_of_choices(parts, limit.ticks, self.leaf_mask, limit.leaves) for parts in self.left_out
        )

    def cheapest(self, n_costs: int, most: int) -> tuple[Counter[int], int]:
        """Return the numbers by cost of those made of the first `n_costs` costs, and up to which cost all are known."""
        counts: Counter[int] = Counter()
        known_up_to = most
        for sign, parts in [(1, self.parts), *((-1, left_out) for left_out in self.left_out)]:
            if not all(map(len, parts)):
                continue
            least = sum(part.least for part in parts)
            product = one_tree(0)
            for part in parts:
                if len(part) > n_costs:
                    known_up_to = min(known_up_to, least - part.least + int(part.costs[n_costs]) - 1)
                product = product.times(part.first(n_costs), most)
            for cost, count in zip(product.costs.tolist(), product.counts.tolist(), strict=True):
                counts[cost] += sign * count
        return counts, known_up_to

    def is_within(self, cost: int, limit: Limit) -> bool:
        """Return whether trees of a cost are within a limit."""
        return cost <= limit.ticks and (limit.leaves is None or cost & self.leaf_mask <= limit.leaves)


class Context(NamedTuple):
    """Everything in a partial tree outside an open node.

    Attributes
    ----------
    above : Histogram
        Without the node's sibling.
    sibling : Subtrees or None
        None at the root.
    all : Histogram
        With the sibling.
    """

    above: Histogram
    sibling: Subtrees | None
    all: Histogram


class RestrictedSet:
    """The trees of a set that obey a restriction.

    Parameters
    ----------
    problem : RashomonProblem
        Of the whole set.
    restriction : Restriction or None
        None: all trees.
    found : GraphOfTrees
        The whole set.
    callback : callable or None, default=None
        Called while trees are counted, which stops if this returns True.

    Raises
    ------
    InterruptedError
        If `callback` returned True.
    """

    def __init__(
        self,
        problem: RashomonProblem,
        restriction: Restriction | None,
        found: GraphOfTrees,
        callback: Callable[[Progress], bool] | None = None,
    ) -> None:
        self._whole = found
        self._trees: _core.RashomonSet | _core.FilteredSet = found.graph
        if restriction is not None:
            is_allowed = [one.column not in restriction.never for one in problem.conditions]
            limits = (restriction.max_depth, restriction.min_rows)
            n_threads = min(cpu_count(), _core.MOST_THREADS)  # a reader waits for the answer
            self._trees = filtered(found, is_allowed, *limits, callback, 0.01, n_threads)
        self.leaf_mask = (1 << problem.scale.leaf_bits) - 1
        self._n_conditions = len(problem.conditions)
        self._must_differ = problem.leaf_rule == "differ"
        self._lock = Lock()
        self._views: OrderedDict[tuple[Path, int, bool], Any] = OrderedDict()

    def trees_with(self, tree: PartialTree, most: int) -> TreesOfParts:
        """Return the trees of at most `most` ticks that have the splits and leaves of a partial tree."""
        if not isinstance(tree, Split):
            return TreesOfParts((self._subtrees(tree, (), most).trees,), [], self.leaf_mask)
        sides = self._sides(tree, (), most)
        left_out = [(one_tree(cost),) for cost in self._trivial(*sides)]
        return TreesOfParts((sides[0].trees, sides[1].trees), left_out, self.leaf_mask)

    def histogram(self, tree: PartialTree, most: int) -> Histogram:
        """Return the trees of at most `most` ticks with a partial tree, by cost."""
        return self._subtrees(tree, (), most).trees

    def votes(
        self, answers: Answers, n_rows: int, limit: Limit, callback: Callable[[Progress], bool] | None = None
    ) -> npt.NDArray[Any]:
        """Return how many trees within a limit predict each class for each row; see `count_votes`."""
        trees = self._filtered(callback)
        return count_votes(trees, answers, n_rows, limit.ticks, limit.leaves, self.leaf_mask, callback)

    def sums_of_reliance(
        self, reliances: Reliances, limit: Limit, callback: Callable[[Progress], bool] | None = None
    ) -> dict[int, int]:
        """Return the sum over the trees within a limit of the reliance on each column; see `Reliances.sums_over`."""
        trees = self._filtered(callback)
        return reliances.sums_over(trees, limit.ticks, limit.leaves, self.leaf_mask, callback)

    def _filtered(self, callback: Callable[[Progress], bool] | None) -> _core.FilteredSet:
        if isinstance(self._trees, _core.RashomonSet):
            return filtered(self._whole, [True] * self._n_conditions, callback=callback)
        return self._trees

    def context(self, tree: PartialTree, place: str, most: int) -> Context:
        """Return what surrounds the node at a place in trees of at most `most` ticks."""
        above, sibling, everything = one_tree(0), None, one_tree(0)
        path: Path = ()
        here = self._subtrees(node_at(tree, place), path_to(tree, place), most).trees
        if not len(here):
            return Context(here, None, here)
        most -= here.least
        for letter in place:
            assert isinstance(tree, Split)
            holds = letter == "T"
            above = everything
            other = tree.false if holds else tree.true
            left = most - above.least if len(above) else -1
            sibling = self._subtrees(other, (*path, (tree.condition, not holds)), left)
            everything = above.times(sibling.trees, most)
            path = (*path, (tree.condition, holds))
            tree = tree.true if holds else tree.false
        return Context(above, sibling, everything)

    def choices(self, path: Path, most: int) -> tuple[Leaves, list[SplitChoice]]:
        """Return what may stand at the end of a path, within `most` ticks: leaves and splits."""
        view = self._view(path, most, with_splits=True)
        if view is None:
            return [], []
        choices = []
        for split in view["splits"]:
            false_side, true_side = (
                Subtrees(Histogram.from_core(trees), leaves)
                for trees, leaves in zip(split["trees"], split["leaves"], strict=True)
            )
            for column, is_flipped in split["copies"]:
                sides = (false_side, true_side) if is_flipped else (true_side, false_side)
                choices.append(SplitChoice(column, sides))
        choices.sort(key=lambda choice: choice.condition)
        return view["leaves"], choices

    def with_leaf(self, context: Context, leaf: tuple[int, int], most: int) -> TreesOfParts:
        """Return the trees that have a leaf, of this cost and prediction, in a context."""
        cost, prediction = leaf
        around = context.all
        if context.sibling is not None and self._must_differ:
            same = [one for one, predicted in context.sibling.leaves if predicted == prediction]
            if same:
                around = context.above.times(context.sibling.trees.without(same), most)
        return TreesOfParts((around, one_tree(cost)), [], self.leaf_mask)

    def with_split(self, context: Context, choice: SplitChoice, most: int) -> TreesOfParts:
        """Return the trees that have a split in a context."""
        left_out = [(context.all, one_tree(cost)) for cost in self._trivial(*choice.sides)]
        parts = (choice.sides[0].trees, choice.sides[1].trees, context.all)
        return TreesOfParts(parts, left_out, self.leaf_mask)

    def _subtrees(self, tree: PartialTree, path: Path, most: int) -> Subtrees:
        view = self._view(path, most)
        if view is None:
            return Subtrees(Histogram.of([]), [])
        if isinstance(tree, Open):
            return Subtrees(Histogram.from_core(view["trees"]), view["leaves"])
        if isinstance(tree, Leaf):
            leaves = [one for one in view["leaves"] if one[1] == tree.prediction]
            return Subtrees(Histogram.of([cost for cost, _ in leaves]), leaves)
        true_side, false_side = self._sides(tree, path, most)
        trees = true_side.trees.times(false_side.trees, most)
        return Subtrees(trees.without(self._trivial(true_side, false_side)), [])

    def _sides(self, tree: Split, path: Path, most: int) -> tuple[Subtrees, Subtrees]:
        true_side = self._subtrees(tree.true, (*path, (tree.condition, True)), most)
        left = most - true_side.trees.least if len(true_side.trees) else -1
        return true_side, self._subtrees(tree.false, (*path, (tree.condition, False)), left)

    def _trivial(self, a: Subtrees, b: Subtrees) -> list[int]:
        """Return the costs of pairs of leaves that must not stand below one split."""
        if not self._must_differ:
            return []
        return [x + y for x, of_a in a.leaves for y, of_b in b.leaves if of_a == of_b]

    def _view(self, path: Path, most: int, *, with_splits: bool = False) -> Any:
        """Return what the core knows of the end of a path, None if no tree of the set has it."""
        if most < 0:
            return None
        key = (path, most, with_splits)
        with self._lock:  # several pages may ask at once
            if key in self._views:
                self._views.move_to_end(key)
            else:
                self._views[key] = _core.view_node(self._trees, path, most, with_splits)
                if len(self._views) > _MOST_VIEWS:
                    self._views.popitem(last=False)
            return self._views[key]
