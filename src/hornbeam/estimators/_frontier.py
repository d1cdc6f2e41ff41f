"""The frontier of an exact classifier: reads the data once, and turns what the searches find into classifiers."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, inf
from typing import Any

from sklearn.base import clone

from hornbeam._budget import Budget
from hornbeam._user_frame import warn_user
from hornbeam.cluster import active_client
from hornbeam.estimators._exact import OF_ONE_SEARCH
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.checkpoints import with_file_in_folder
from hornbeam.fitting.monitor import Monitor
from hornbeam.fitting.progress import proven_bound
from hornbeam.fitting.search import searches_of_penalties
from hornbeam.fitting.training import TrainingRows
from hornbeam.frontier.frontier import Frontier, PathSegment
from hornbeam.frontier.search import FrontierSearch, Line, Segment
from hornbeam.tree.words import count


class FrontierMethods:
    """Mixin of the exact trees whose targets are not classes: the best trees of all sizes."""

    def frontier(self, X: Any, y: Any, sample_weight: Any = None) -> Frontier:
        """Find the best tree of at most k leaves, for every k; see `GOSDTClassifier.frontier`.

        Parameters
        ----------
        X, y, sample_weight
            See `fit`.

        Returns
        -------
        Frontier
            Its `classifiers` are fitted estimators of this class.

        Raises
        ------
        ValueError
            As `fit`, and if `checkpoint` is not a folder.
        TypeError
            As `fit`.

        Warns
        -----
        NotProvenWarning
            If some sizes are not proven.

        Examples
        --------
        >>> from hornbeam import GOSDTRegressor, PolicyTree, SurvivalTree
        >>> X, y = [[1], [2], [3], [4]], [0, 4, 4, 8]
        >>> frontier = GOSDTRegressor(regularization=0.01).frontier(X, y)
        >>> frontier.n_leaves.tolist(), [round(loss, 3) for loss in frontier.losses.tolist()]
        ([1, 2, 3], [1.0, 0.333, 0.0])
        >>> rewards = [[1, 0], [0, 2], [0, 2], [3, 0]]
        >>> [one.value_ for one in PolicyTree(regularization=0.01).frontier(X, rewards).classifiers]
        [1.0, 1.75, 2.0]
        >>> times = [[1, 1.0], [1, 2.0], [0, 9.0], [1, 8.0]]
        >>> SurvivalTree(regularization=0.05).frontier(X, times).n_leaves.tolist()
        [1, 2, 3, 4]
        """
        return find_frontier(self, X, y, sample_weight, only_path=False)

    def regularization_path(self, X: Any, y: Any, sample_weight: Any = None) -> Frontier:
        """Find the best tree for every leaf penalty down to `regularization`.

        Parameters, errors and warnings: see `frontier`.

        Returns
        -------
        Frontier
            With the sizes of its `path` only.
        """
        return find_frontier(self, X, y, sample_weight, only_path=True)


def find_frontier(model: Any, X: Any, y: Any, sample_weight: Any, *, only_path: bool) -> Frontier:
    """Return the frontier of an `ExactTree`, which is not changed; see `GOSDTClassifier.frontier`.

    Raises
    ------
    ValueError
        If a parameter does not go with a frontier, or the checkpoint is of another problem or no folder.
    """
    budget = Budget(model.time_limit, model.memory_limit)
    names = model.get_params(deep=False)
    of_one_search = {name: default for name, default in OF_ONE_SEARCH.items() if name in names}
    work = clone(copy(model).set_params(**of_one_search))  # of one leaf penalty
    work._is_clone, work._keeps_rows = model._is_clone, True
    work._check_frontier()
    with Monitor(model) as monitor:
        training, scale, options = work._prepare(X, y, sample_weight, budget, monitor)
        # No split can be worth more than the largest possible loss.
        largest_penalty = max(scale.leaf_cost, scale.largest_loss(training.codes))
        ends = {largest_penalty: "largest", scale.leaf_cost: "least"}
        solve = searches_of_penalties(
            work.binarizer_.conditions_,
            training,
            scale,
            options,
            monitor.listener(scale),
            partial(with_file_in_folder, model, ends),
            active_client(model.n_jobs),
            **monitor.checkpoint_listener(scale),
        )
        search = FrontierSearch(
            solve,
            scale.leaf_cost,
            largest_penalty,
            budget,
            options.gap_limit,
            lambda tree: scale.losses_of_nodes(tree, training.codes),
        )
        search.find_path(is_all=only_path)
        if not only_path:
            search.find_sizes(options.max_leaves or search.most_leaves())
            search.find_path(is_all=True)  # in the time that is left, if there is any
        most = options.max_leaves or search.most_leaves()
        found = _Classifiers(work, training, scale, search).frontier(
            most, only_path=only_path, seconds=budget.elapsed()
        )
    _warn_unless_proven(found, "regularization path" if only_path else "frontier")
    return found


class _Classifiers:
    """Makes fitted classifiers of the trees of a search.

    Parameters
    ----------
    work : ExactTree
        Has read the training data.
    training : TrainingRows
    scale : AdditiveScale or SquaredErrorScale
        Of the least leaf penalty.
    search : FrontierSearch
        It has ended.
    """

    def __init__(self, work: Any, training: TrainingRows, scale: Any, search: FrontierSearch) -> None:
        self._work, self._training, self._scale, self._search = work, training, scale, search

    def frontier(self, n_leaves: int, *, only_path: bool, seconds: float) -> Frontier:
        segments = self._search.segments()
        on_path = {segment.line.leaves for segment in segments}
        sizes = [one for one in self._search.sizes(n_leaves) if not only_path or one.n_leaves in on_path]
        path = [self._segment(segment) for segment in segments]
        is_proven = all(one.is_proven for one in segments) and all(one.lower == one.line.loss for one in sizes)
        # Where a search was stopped, others may have proven everything all the same.
        status = "optimal" if is_proven else self._search.status
        statuses = ["optimal" if one.lower == one.line.loss else status for one in sizes]
        classifiers = [
            self._classifier(one.line, 0, one.lower, end, max_leaves=one.n_leaves)
            for one, end in zip(sizes, statuses, strict=True)
        ]
        return Frontier(
            n_leaves=[one.n_leaves for one in sizes],
            losses=[one.loss_ for one in classifiers],
            lower_bounds=[one.lower_bound_ for one in classifiers],
            statuses=statuses,
            classifiers=classifiers,
            path=path,
            bounds=[self._bound(ticks, bound, path) for ticks, bound in self._search.bounds()],
            status=status,
            statistics={**self._search.statistics, "seconds": seconds},
        )

    def _segment(self, segment: Segment) -> PathSegment:
        # The tree is the same for all penalties of the interval; the classifier has one of them.
        ticks = ceil(segment.low) if segment.high is None else int((segment.low + segment.high) / 2)
        cost = segment.line.cost(ticks)
        lower = cost if segment.is_proven else min(cost, self._search.lower(ticks))
        status = "optimal" if segment.is_proven else self._search.status
        made = self._classifier(segment.line, ticks, lower, status)
        low, high = self._penalty(segment.low), inf if segment.high is None else self._penalty(segment.high)
        return PathSegment(low, high, segment.line.leaves, made.loss_, segment.is_proven, made)

    def _bound(self, ticks: int, bound: int, path: list[PathSegment]) -> tuple[float, float]:
        """Return a leaf penalty and what a bound of the search for it proves."""
        penalty = self._penalty(ticks)
        best = min(one.loss + penalty * one.n_leaves for one in path)
        return penalty, proven_bound(self._scale, bound, best)

    def _penalty(self, ticks: Fraction | int) -> float:
        return float(ticks / Fraction(self._scale.one))

    def _classifier(self, line: Line, ticks: int, lower: int, status: str, **parameters: Any) -> Any:
        made = copy(self._work)
        scale = replace(self._scale, leaf_cost=ticks)
        outcome: Any = {
            "tree": line.make_tree(),
            "upper": line.cost(ticks),
            "lower": lower,
            "status": status,
            "statistics": self._search.statistics,
            "trace": [],
        }
        made._set_tree(outcome, scale, self._training, 0.0)
        made.regularization_ = scale.regularization
        made._set_result(outcome, scale)
        return made.set_params(regularization=scale.regularization, **parameters)


def _warn_unless_proven(frontier: Frontier, name: str) -> None:
    if frontier.status == "optimal":
        return
    open_sizes = [int(k) for k, status in zip(frontier.n_leaves, frontier.statuses, strict=True) if status != "optimal"]
    leaves = count(open_sizes[0], "leaf", "leaves") if open_sizes else ""
    sizes = f"{len(open_sizes)} of {len(frontier)} sizes, from {leaves} on" if open_sizes else "all leaf penalties"
    warn_user(
        f"The {name} is not proven for {sizes} (status {frontier.status!r}): there it holds the best trees known and "
        "lower bounds. For a proof, set a larger time_limit or leaf penalty, or a smaller max_depth or max_leaves.",
        NotProvenWarning,
    )
