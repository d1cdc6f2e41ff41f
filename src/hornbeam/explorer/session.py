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
_MOST_NEXT = 12  # of them before they are asked for


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
        raise ValueError("the set holds no tree to explore; raise epsilon or rashomon_bound.")
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
                without = self._restricted(self._normal(Restriction(frozenset({column}))), callback, is_kept=False)
                self._n_avoiding[column] = without.trees_with(Open(), self._bound).number(limit)
        return self._n_avoiding

    def index(self, callback: Callable[[Progress], bool]) -> None:
        """Index the graph for filters, as the first filter does that is not known; see `query`."""
        found = self.trees._found()
        filtered(found, [True] * len(self.problem.conditions), callback=callback, seconds_between_calls=0.01)

    def next_steps(self, filters: Filters) -> list[Callable[[Callable[[Progress], bool]], object]]:
        """Return tasks that count what the filters leave if a column is never (or always) used as well.

        There are none if memory is limited: such sets would take the place of those that the user has asked for.
        """
        if self.trees._found().memory_limit is not None:
            return []
        columns = [column for column in self._tested() if column not in filters.never | filters.always]
        steps = (replace(filters, never=filters.never | {column}) for column in columns[:_MOST_NEXT])
        return [partial(self.query, step) for step in steps]

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
        terms = [(sign, self._restricted(self._normal(one), callback)) for sign, one in filters.terms()]
        return Query(terms, Limit(ticks_of(filters, self._bound, self.problem.scale), filters.max_leaves))

    def _normal(self, restriction: Restriction) -> Restriction:
        """Return the same restriction without what the set obeys anyway."""
        depth, least = self.problem.max_depth, self.problem.min_samples_leaf
        max_depth = restriction.max_depth
        if max_depth is not None and depth is not None and max_depth >= depth:
            max_depth = None
        return Restriction(restriction.never, max_depth, max(1, least, restriction.min_rows))

    def _restricted(
        self, restriction: Restriction, callback: Callable[[Progress], bool] | None, *, is_kept: bool = True
    ) -> RestrictedSet:
        with self._lock:
            if restriction in self._sets:
                self._sets.move_to_end(restriction)
                return self._sets[restriction]
        made = self._count(restriction, callback)
        if is_kept:
            with self._lock:
                self._sets[restriction] = made
                if len(self._sets) > _MOST_SETS:
                    self._sets.popitem(last=False)
        return made

    def _count(self, restriction: Restriction, callback: Callable[[Progress], bool] | None) -> RestrictedSet:
        """Count a restricted set; those that were asked for before are dropped if they leave no memory for it."""
        is_whole = restriction == self._normal(Restriction())
        while True:
            try:
                return RestrictedSet(self.problem, None if is_whole else restriction, self.trees._found(), callback)
            except MemoryError:
                with self._lock:
                    if not self._sets:
                        raise
                    self._sets.popitem(last=False)
