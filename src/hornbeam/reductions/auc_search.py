"""Trees of the largest area under their ROC curve, found and proven by a sequence of additive problems.

The curve of a tree shows how many positives can be covered with x negatives by using leaves, or parts of them, the
most positive first. It is concave, and its area up to a number of negatives, the last that count, depends on all
leaves at once.

**A tangent is additive.** Whichever leaves are used, a leaf of p positives and n negatives gives at most
``max(0, p - s n)`` beyond s for each negative. So the curve at x is at most ``s x`` plus the sum of that over the
leaves, for any slope ``s >= 0``. Let s be the slope at x of another concave curve, the reference, with edges of n_b
negatives and p_b positives that begin after x_b negatives. Added up to those, for every tree

    ``area <= sum_b p_b (x_b + n_b / 2) + sum_leaves sum_b max(0, p n_b - n p_b)``,

with equality for a tree whose curve is the reference. The last sum runs over the edges that are less positive than the
leaf. So the loss of a leaf is the least of several numbers, one for each place between two edges, each linear in p and
n. That is a cost matrix of two classes and as many predictions as places: the exact search for an additive loss proves
a lower bound for all trees, within all limits, and finds a tree that attains it and is usually good for the area, too.

**Which reference?** The largest bound is that of the mixture of curves, leaf by leaf, that no further tree improves. It
is approached by adding the tree that each search finds and re-optimizing the mixture weights of all trees (fully
corrective Frank-Wolfe [1]_, see `CurveMixture`). Any reference gives a true bound, so references may be rounded.

**The remaining trees are listed.** The gap between the bound and the best tree known is then usually smaller than the
leaf penalty, and few trees have a sum in between: they are found as a set of near-optimal trees (TreeFARMS [2]_), and
the area of each is computed. When their sums reach the best cost known, no better tree is left.

**If the first search takes long,** it may not end within the time limit, and its tree is good for one tangent only. So
it is interrupted, and primal heuristics look for trees that are good for tangents at several typical curves, for
weighted errors, and then at the curve of the best tree so far. They find a tree of a large area, but no bound. Then the
first search starts again.

Costs of trees and bounds are integers; floating point chooses references only.

.. [1] M. Frank, P. Wolfe, "An Algorithm for Quadratic Programming", Naval Research Logistics Quarterly 3, 1956.
.. [2] R. Xin et al., "Exploring the Whole Rashomon Set of Sparse Decision Trees", NeurIPS 2022.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.reductions.additive_reduction import AdditiveReduction
from hornbeam.reductions.auc_scale import AucScale
from hornbeam.reductions.curve_mixture import CurveMixture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hornbeam._core import TreeArrays

_Integers = npt.NDArray[np.int64]

# All three are fractions of the gap.
_REFERENCE_ROUNDING = 1 / 50  # how much coarser a reference may be than its mixture
_FRANK_WOLFE_TOLERANCE = 1 / 50  # how close the mixture weights are to the best ones
_LISTING_THRESHOLD = 1 / 10  # how much a better mixture may still gain when the remaining trees are listed
# The heuristics run over curves 1 - (1 - x)^a and curves with one corner (a, 1 - a), in an order that was measured.
_POWERS, _CORNERS = (4, 2, 8), (0.2, 0.35, 0.1)
_OMEGAS, _PENALTIES = (1, 2, 4), (1.0, 2.5)  # then over weighted errors; penalties in leaf penalties
_HEURISTIC_WORK = 1 << 27  # points of the first local search, about half a second; it doubles when it finds nothing
_TRIAL_SECONDS, _TRIAL_SHARE = 1.0, 1 / 8  # of the first search before the heuristics; the share is of the time limit
_IDLE_SHARE, _HEURISTIC_SHARE = 1 / 4, 1 / 2  # of the time limit: without a better tree, and in all
_LARGEST_BOUND = 2**_core.COST_BITS - 1  # of a set of trees


class Tangent(NamedTuple):
    """The costs of an additive problem, and what to add to its optimum for a lower bound; both in ticks."""

    costs: _Integers
    base: int


class AucSearch(AdditiveReduction):
    """One search for the tree with the largest area.

    Parameters
    ----------
    columns : PackedColumns
        The binary columns.
    codes : ndarray of int32 of shape (n_rows,)
        1 for rows of the positive class, 0 for the others.
    scale : AucScale
        Weights and costs.
    options : SearchOptions
        Options of each additive search, and limits of the whole search.
    ordered : callable or None, default=None
        Returns the same columns as `OrderedColumns`, for primal heuristics; None: no heuristics.
    counts : ndarray of int64 of shape (n_rows,) or None, default=None
        How many equal rows each row stands for; None: 1.
    """

    _scale: AucScale
    _upper: int
    _lower: int

    def __init__(
        self,
        columns: _core.PackedColumns,
        codes: npt.NDArray[np.int32],
        scale: AucScale,
        options: _core.SearchOptions,
        ordered: Callable[[], _core.OrderedColumns] | None = None,
        counts: npt.NDArray[np.int64] | None = None,
    ) -> None:
        super().__init__(codes, options, counts)
        self._scale, self._columns, self._ordered = scale, columns, ordered
        self._statistics["leaf_sets_listed"] = 0
        self._best_tangent: Tangent | None = None

    def _start(self, leaf: TreeArrays) -> None:
        self._lower, self._upper, self._n_leaves = 0, 2 * (self._scale.one + self._scale.leaf_cost), 1
        self._totals = self._leaf_class_weights(leaf)[0]
        self._theta = self._scale.max_false_positives / (int(self._totals[0]) << _core.FALSE_POSITIVE_BITS)
        self._mixture = CurveMixture(self._theta, self._scale.regularization)
        self._mixture.add(self._take_tree(leaf) / self._totals)

    def best_tangent(self) -> Tangent | None:
        """Return the tangent of the largest lower bound; None before the first additive search has ended."""
        return self._best_tangent

    def _proven(self) -> int:
        return min(self._lower, self._upper)

    def _run(self) -> str:
        while (status := self._check_limits()) is None:
            gap = (self._upper - self._lower) / self._scale.one
            # Every edge of the reference is one more prediction to the additive search, so edges are merged as far as
            # the bound hardly notices.
            tangent = self._tangent(self._mixture.points(_REFERENCE_ROUNDING * gap))
            status, leaves = self._search_sum(tangent)
            ordered, self._ordered = self._ordered, None
            if ordered is not None and status == "time_limit" and self._left() != 0:
                if self._find_good_trees(ordered()) == "interrupted":
                    return "interrupted"
                continue
            if status != "optimal" or self._lower >= self._upper:
                return status
            gap = (self._upper - self._lower) / self._scale.one
            # No bound of a mixture exceeds its loss: `missing` is all that further tangents can gain. A tree that is
            # known already cannot improve the mixture either.
            missing = self._mixture.loss() - self._lower / self._scale.one
            if not self._mixture.add(leaves / self._totals) or missing <= _LISTING_THRESHOLD * gap:
                return self._list_trees(tangent)
            self._mixture.improve(_FRANK_WOLFE_TOLERANCE * gap)
        return status

    def _find_good_trees(self, ordered: _core.OrderedColumns) -> str | None:
        """Run primal heuristics as long as they find better trees, and return the status that ended them early."""
        self._last_gain = self._seconds()
        for curve in _typical_curves(self._theta):
            if (status := self._find_good_tree(ordered, self._tangent(curve), 0)) is not None:
                return status
        for omega, penalty in itertools.product(_OMEGAS, _PENALTIES):
            cost = self._scale.one // int(self._totals @ (1, omega))
            weighted = Tangent(np.array([[0, cost], [omega * cost, 0]]), 0)
            more = round(self._scale.leaf_cost * (penalty - 1))
            if (status := self._find_good_tree(ordered, weighted, 0, more=more)) is not None:
                return status
        work = _HEURISTIC_WORK
        while work <= 4 * _HEURISTIC_WORK and len(self._best_leaves) > 1:
            upper = self._upper
            best = CurveMixture(self._theta, self._scale.regularization)
            best.add(self._best_leaves / self._totals)
            if (status := self._find_good_tree(ordered, self._tangent(best.points(0)), 2, work)) is not None:
                return status
            work *= 1 if self._upper < upper else 2
        return None

    def _find_good_tree(
        self, ordered: _core.OrderedColumns, tangent: Tangent, idle_rounds: int, work: int = 2**64 - 1, more: int = 0
    ) -> str | None:
        """Keep the tree that heuristics find for additive costs; return the status if they are to end."""
        if (status := self._check_limits()) is not None:
            return status
        seconds, limit = None, self._options.time_limit
        if limit is not None:
            seconds = min(self._last_gain + _IDLE_SHARE * limit, _HEURISTIC_SHARE * limit) - self._seconds()
            if seconds <= 0:
                return "time_limit"
        outcome = _core.near_optimal(
            ordered,
            self._problem(tangent, more),
            self._options.replace(max_leaves=self._max_leaves, time_limit=seconds),
            work,
            idle_rounds,
            callback=self._listener(),
        )
        self._statistics["bytes"] = max(self._statistics["bytes"], outcome["statistics"]["bytes"])
        upper = self._upper
        self._take_tree(outcome["tree"])
        if self._upper < upper:
            self._last_gain = self._seconds()
        return None if outcome["status"] in ("heuristic", "optimal") else str(outcome["status"])

    def _tangent(self, corners: npt.NDArray[np.float64]) -> Tangent:
        """Return the tangent at a curve from (0, 0) to (1, 1), rounded to parts of a row."""
        scale, (negatives, positives) = self._scale, self._totals.tolist()
        part_bits = min(_core.FALSE_POSITIVE_BITS, scale.half_pair_cost.bit_length() - 1)
        half_pair_cost = scale.half_pair_cost >> part_bits  # of half a pair of a row with a part of a row
        across, up = np.rint(corners * (self._totals << part_bits)).astype(np.int64).T
        limit = -(
            -scale.max_false_positives >> (_core.FALSE_POSITIVE_BITS - part_bits)
        )  # rounded up: a larger area is a weaker, true bound
        last = int(np.searchsorted(across, limit))  # the first corner at `limit` or beyond it
        wide, high = np.diff(across[: last + 1]), np.diff(up[: last + 1])
        excess, width = int(across[last]) - limit, int(wide[-1])
        wide[-1], high[-1] = width - excess, int(high[-1]) * (width - excess) // width
        wide, high = wide[wide > 0], high[wide > 0]
        if not high.any():
            high[0] = 1  # the listing needs a cost for each class
        # One prediction for each number of edges that are more positive than the leaf: what negatives and positives
        # cost there.
        lost = np.stack([np.append(high[::-1].cumsum()[::-1], 0), np.append(0, wide.cumsum())])
        below = sum(h * (2 * x + w) for x, w, h in zip(lost[1].tolist(), wide.tolist(), high.tolist(), strict=False))
        all_parts = 2 * positives * ((negatives << part_bits) - limit)
        return Tangent(
            2 * half_pair_cost * lost, half_pair_cost * all_parts - (-(-half_pair_cost * below >> part_bits))
        )

    def _search_sum(self, tangent: Tangent) -> tuple[str, _Integers]:
        """Solve an additive problem, learn from it, and return its status and the leaves of its tree."""
        outcome = self._solve(tangent, self._max_leaves)
        self._add_statistics(outcome["statistics"])
        leaves = self._take_tree(outcome["tree"])
        self._least_sum, self._least_leaves = outcome["lower"], len(leaves)
        lower = self._least_sum + tangent.base
        if self._best_tangent is None or self._lower < lower:
            self._best_tangent = tangent
        self._lower = max(self._lower, lower)
        return str(outcome["status"]), leaves

    def _list_trees(self, tangent: Tangent) -> str:
        """Compute the AUC of every tree that the last tangent does not exclude."""
        bound, most = self._upper - 1 - tangent.base, self._max_leaves or 0  # only better trees are of interest
        more, optimum, status = self._leaf_surcharge(tangent, bound)
        if status != "optimal":
            return status
        known = self._options
        trees = _core.rashomon_set(
            self._columns,
            self._problem(tangent, more),
            _core.SearchOptions(
                max_depth=known.max_depth,
                min_samples_leaf=known.min_samples_leaf,
                time_limit=self._left(),
                memory_limit=known.memory_limit,
            ),
            optimum,
            bound + more * most,
            leaf_rule="best",
            callback=self._listener(),
        )
        found = _core.describe_set(trees)
        self._statistics["bytes"] = max(self._statistics["bytes"], int(found["statistics"]["bytes"]))
        scale = self._scale
        costs = (scale.half_pair_cost, scale.max_false_positives, scale.leaf_cost, self._upper)
        limits = _core.SearchOptions(
            max_leaves=self._max_leaves, time_limit=self._left(), memory_limit=known.memory_limit
        )
        best = _core.best_ranking(trees, *costs, limits, callback=self._listener())
        self._statistics["leaf_sets_listed"] += best["leaf_sets"]
        if best["tree"] is not None:
            self._take_tree(best["tree"])
        if best["status"] != "optimal":
            return best["status"]
        self._lower = max(self._lower, found["complete_up_to"] + 1 - more * most + tangent.base)
        return found["status"]

    def _leaf_surcharge(self, tangent: Tangent, bound: int) -> tuple[int, int, str]:
        """Return a per-leaf surcharge that makes trees above `max_leaves` rare, the optimum under it, and the status.

        The search for a set of trees has no `max_leaves`. Instead every leaf pays a surcharge, and the bound is raised
        by that of `max_leaves` leaves: all trees within the limit stay within the bound. The surcharge grows until the
        best tree of any size is within the limit, each time to where the best tree of the last round costs as much as
        the best one within the limit.
        """
        more, largest = 0, 0 if self._max_leaves is None else (_LARGEST_BOUND - bound) // self._max_leaves
        while more < largest:
            outcome = self._solve(tangent, None, more)
            self._add_statistics(outcome["statistics"])
            n_leaves = int((outcome["tree"]["column"] < 0).sum())
            if outcome["status"] != "optimal" or n_leaves <= (self._max_leaves or 0):
                return more, outcome["lower"], outcome["status"]
            saved = self._least_sum - (outcome["upper"] - more * n_leaves)
            more = min(largest, max(more + 1, saved // (n_leaves - self._least_leaves)))
        return more, 0 if self._max_leaves else self._least_sum, "optimal"

    def _problem(self, tangent: Tangent, more: int) -> _core.Problem:
        """Return the additive problem of a tangent, with a surcharge for each leaf."""
        return self._additive_problem(tangent.costs, self._scale.leaf_cost + more)

    def _solve(self, tangent: Tangent, max_leaves: int | None, more: int = 0) -> _core.Outcome:
        """Solve the additive problem of a tangent within what the limits leave."""
        seconds = self._left()
        if self._ordered is not None:
            seconds = _TRIAL_SECONDS if seconds is None else min(_TRIAL_SECONDS, _TRIAL_SHARE * seconds)
        options = self._options.replace(max_leaves=max_leaves, time_limit=seconds)
        return _core.solve(self._columns, self._problem(tangent, more), options, callback=self._listener())

    def _take_tree(self, tree: TreeArrays) -> _Integers:
        """Keep a tree if it is better than the best so far, and return its leaves: negatives and positives of each."""
        class_weights = self._leaf_class_weights(tree)
        leaves = class_weights[tree["column"] < 0]
        # With a surcharge instead of the limit, a search may return a larger tree.
        if self._max_leaves is not None and len(leaves) > self._max_leaves:
            return leaves
        cost = self._scale.cost(leaves)
        if (cost, len(leaves)) < (self._upper, self._n_leaves):
            prediction = (class_weights[:, 1] > class_weights[:, 0]).astype(np.int32)
            self._upper, self._n_leaves, self._tree = cost, len(leaves), {**tree, "prediction": prediction}
            self._best_leaves = leaves
        return leaves


def _typical_curves(theta: float) -> Iterator[npt.NDArray[np.float64]]:
    """Yield concave curves from (0, 0) to (1, 1) that bend before `theta`."""
    x = np.linspace(0, 1, 9)
    for power, corner in zip(_POWERS, _CORNERS, strict=True):
        yield np.array([[0.0, 0.0], [corner * theta, 1 - corner], [1.0, 1.0]])
        inside = np.column_stack([x * theta, 1 - (1 - x * theta) ** (power / theta)])
        yield inside if theta == 1 else np.concatenate([inside, [[1.0, 1.0]]])
