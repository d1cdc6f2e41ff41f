"""What the explorer knows of one set of trees: restricted sets that were counted for filters, and how to ask them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hornbeam.explorer.filters import Filters, ticks_of
from hornbeam.explorer.listed import ListedSession
from hornbeam.explorer.partial_trees import Open, PartialTree
from hornbeam.explorer.queries import Query
from hornbeam.explorer.restricted_sets import Limit, RestrictedSet, Restriction
from hornbeam.explorer.trees import TreeMaker
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.rashomon.rashomon_set import RashomonSet
from hornbeam.rashomon.votes import filtered
from hornbeam.tree import Tree

if TYPE_CHECKING:
    from hornbeam._core import Progress
    from hornbeam.rashomon.reliance import Range

_MOST_SETS = 24  # that are kept
_MOST_NEXT = 12  # that are kept before they are asked for


def session_of(classifier: Any) -> Session | ListedSession:
    """Return what answers questions about the set of a classifier.

    Parameters
    ----------
    classifier : RashomonSetClassifier
        Fitted.

    Raises
    ------
    ValueError
        If the set is empty.
    TypeError
        If the classifier has no set, or one whose trees do not predict classes.
    """
    if hasattr(classifier, "fit"):  # others are refused below
        check_is_fitted(classifier)
    trees = getattr(classifier, "rashomon_set_", None)
    if not isinstance(trees, RashomonSet):
        name = type(classifier).__name__
        instead = (
            f" The explorer shows trees that predict classes; of a {name}, look at the trees of rashomon_set_ instead, "
            "by number, such as rashomon_set_[0], or by rashomon_set_.filter()."
        )
        raise TypeError(f"classifier must be a RashomonSetClassifier, got {name}.{'' if trees is None else instead}")
    if trees.n_trees == 0:
        if classifier.status_ in ("complete", "heuristic"):
            raise ValueError("the set holds no tree to explore; raise epsilon or rashomon_bound.")
        raise ValueError(
            f"the search was stopped (status {classifier.status_!r}) before it found the good trees: there is none to "
            "explore; give it more time, or choose a smaller max_depth."
        )
    is_counted = isinstance(trees._problem, RashomonProblem) and trees._problem.is_exact
    return Session(classifier) if is_counted else ListedSession(classifier)


class Session:
    """A set that is counted over its graph, and the restricted sets of its filters.

    Parameters
    ----------
    classifier : RashomonSetClassifier
        Fitted, with an additive objective and ``method="exact"``; its set holds a tree.
    """

    def __init__(self, classifier: Any) -> None:
        self.classifier, self.trees = classifier, classifier.rashomon_set_
        self.problem: RashomonProblem = self.trees._problem
        self.n_trees: int = self.trees.n_trees
        self.maker = TreeMaker(self.problem)
        self._bound: int = self.trees._bound
        self._sets: OrderedDict[Restriction, RestrictedSet] = OrderedDict()
        self._ahead: OrderedDict[Restriction, RestrictedSet] = OrderedDict()  # that nobody has asked for yet
        self._lock = Lock()
        self._n_avoiding: dict[int, int] = {}
        self._range: tuple[Range, npt.NDArray[np.float64]] | None = None
        self._range_lock = Lock()

    @property
    def has_reliance(self) -> bool:
        """Whether `reliance` has been measured before."""
        return self._range is not None

    @property
    def work_of_reliance(self) -> int:
        """About what `reliance` goes through: the counts of the graph, once for each column of a condition."""
        return self.n_costs * len(self._tested())

    @property
    def n_costs(self) -> int:
        """How many counts the graph of the set holds."""
        return int(self.trees._found().statistics["costs"])

    def made(self, tree: PartialTree) -> Tree:
        """Return a tree without open nodes as a `Tree`."""
        return self.maker.make(tree)

    def reliance(self, callback: Callable[[Progress], bool] | None = None) -> tuple[Range, npt.NDArray[np.float64]]:
        """Return the range of the reliance on each column over all trees, and its mean; they are measured only once.

        Parameters
        ----------
        callback : callable or None, default=None
            Called meanwhile; measuring stops if it returns True.

        Raises
        ------
        InterruptedError
            If measuring was stopped.
        """
        with self._range_lock:  # whoever asks while it is measured waits for the same answer
            if self._range is None:
                found = self.trees._range_of_reliance(callback)
                means = self.query(Filters(), callback).mean_reliance(self.trees._reliances(), callback)
                self._range = found, means
            return self._range

    def numbers_avoiding(self, callback: Callable[[Progress], bool] | None = None) -> dict[int, int]:
        """Return for each column that some condition tests the number of trees that never test it.

        Parameters
        ----------
        callback : callable or None, default=None
            See `query`.
        """
        limit = Limit(self._bound)
        for column in self._tested():
            if column not in self._n_avoiding:
                # These sets do not take the places of those that the user has asked for.
                without = self._restricted(self._normal(Restriction(frozenset({column}))), callback, None)
                self._n_avoiding[column] = without.trees_with(Open(), self._bound).number(limit)
        return self._n_avoiding

    def index(self, callback: Callable[[Progress], bool]) -> None:
        """Index the graph for filters, as the first filter does that is not known; see `query`."""
        found = self.trees._found()
        filtered(found, [True] * len(self.problem.conditions), callback=callback, seconds_between_calls=0.01)

    def next_steps(self, filters: Filters) -> list[Callable[[Callable[[Progress], bool]], object]]:
        """Return tasks that count what filters leave if a column is never (or always) used as well, or with less depth.

        There are none if memory is limited: such sets would take the place of those that the user has asked for.
        """
        if self.trees._found().memory_limit is not None:
            return []
        columns = [column for column in self._tested() if column not in filters.never | filters.always]
        steps = [replace(filters, never=filters.never | {column}) for column in columns]
        depths = [depth for depth in (filters.max_depth, self.problem.max_depth) if depth is not None]
        steps += [replace(filters, max_depth=depth) for depth in range(min(depths, default=0) - 1, 1, -1)]
        n_steps = max(1, _MOST_NEXT // len(filters.terms()))
        return [partial(self._count_ahead, step) for step in steps[:n_steps]]

    def _count_ahead(self, filters: Filters, callback: Callable[[Progress], bool]) -> None:
        for _, one in filters.terms():
            self._restricted(self._normal(one), callback, self._ahead)

    def _tested(self) -> list[int]:
        return sorted({condition.column for condition in self.problem.conditions})

    def query(self, filters: Filters, callback: Callable[[Progress], bool] | None = None) -> Query:
        """Return the trees that filters leave; restricted sets that are not yet known are counted first.

        Parameters
        ----------
        filters : Filters
        callback : callable or None, default=None
            Called while trees are counted; that stops if it returns True.

        Raises
        ------
        InterruptedError
            If counting was stopped.
        """
        terms = [(sign, self._restricted(self._normal(one), callback, self._sets)) for sign, one in filters.terms()]
        return Query(terms, Limit(ticks_of(filters, self._bound, self.problem.scale), filters.max_leaves))

    def _normal(self, restriction: Restriction) -> Restriction:
        """Return the same restriction without what the set obeys anyway."""
        depth, least = self.problem.max_depth, self.problem.min_samples_leaf
        max_depth = restriction.max_depth
        if max_depth is not None and depth is not None and max_depth >= depth:
            max_depth = None
        return Restriction(restriction.never, max_depth, max(1, least, restriction.min_rows))

    def _restricted(
        self,
        restriction: Restriction,
        callback: Callable[[Progress], bool] | None,
        kept: OrderedDict[Restriction, RestrictedSet] | None,
    ) -> RestrictedSet:
        """Return a restricted set, which is kept with `kept` unless that is None, in place of the oldest there."""
        with self._lock:
            made = self._sets.get(restriction) or self._ahead.get(restriction)
        if made is None:
            made = self._count(restriction, callback)
        with self._lock:
            if kept is self._sets:
                self._ahead.pop(restriction, None)
            if kept is self._sets or (kept is self._ahead and restriction not in self._sets):
                kept[restriction] = made
                kept.move_to_end(restriction)
                if len(kept) > (_MOST_SETS if kept is self._sets else _MOST_NEXT):
                    kept.popitem(last=False)
        return made

    def _count(self, restriction: Restriction, callback: Callable[[Progress], bool] | None) -> RestrictedSet:
        """Count a restricted set; those that were asked for before are dropped if they leave no memory for it."""
        is_whole = restriction == self._normal(Restriction())
        while True:
            try:
                return RestrictedSet(self.problem, None if is_whole else restriction, self.trees._found(), callback)
            except MemoryError:
                with self._lock:
                    sets = self._ahead or self._sets
                    if not sets:
                        raise
                    sets.popitem(last=False)
