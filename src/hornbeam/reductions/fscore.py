"""Trees of best F-score, a ratio of sums over the rows: found and proven by a short sequence of additive problems.

A tree with its labels is three numbers: its mistakes ``N = FP + FN``, ``D = 2P + FP - FN`` and its leaves H; it costs
``R = N / D + regularization * H``, where P is the weight of the positives and ``N / D`` is 1 minus the F-score [1]_.
All numbers are integers or exact fractions: nothing here has a tolerance.

**An additive problem is a linear bound.** For ``0 <= a < 1`` and ``m >= 0``, ``(1 - a) FP + (1 + a) FN + m H`` equals
``N - a D + m H + 2 P a``. The exact search over trees *and* labels with these costs therefore proves ``N - a D + m H >=
v`` for all trees, where v is its lower bound minus ``2 P a``, even if it was stopped early.

**What is left open.** A tree of h leaves is better than the best one known, of cost U, if and only if ``N < c D`` with
``c = U - regularization * h``. It then has ``2P / (1 + c) < D < 2P / (1 - c)``, since ``N = D - 2 TP``, ``TP <= P`` and
``TP <= D - P``; and each linear bound gives ``(c - a) D > v - m h``. So for each h an interval of D is open. If it is
empty, no tree of h leaves is better; if none is open, the best tree known is optimal.

**The next bound** has ``a = c`` for an open h: it closes h if all trees have ``N - c D + m (H - h) >= 0``. With m close
to ``regularization * D`` it also closes neighbors of h. A known tree rules out some values of m: with fewer leaves than
h, those above ``(N - c D) / (h - H)``; with more, those below ``(c D - N) / (H - h)``. An h that has some m left comes
first. If there is none, the trees of h leaves may be inside the convex hull of smaller and larger ones; the search is
then limited to at most h leaves, so that only the first condition counts.

**It ends.** The search returns a tree that attains its optimum. Either ``v >= m h`` and h is closed, or the tree
violates ``N - c D + m (H - h) >= 0``. All known trees satisfy that, so it is a new one; there are finitely many. If c
and m have too large a denominator for the 2^52 of the core, c is rounded up and m down. Should that neither close h nor
find a new tree, the trees of at most h leaves are searched with ``m = 0`` for the least ratio known (Dinkelbach's
iteration [2]_). Its denominator is at most ``P + total`` and fits: the ratio is proven, or a tree of a lower one found.

This replaces the equivalent points bound for F-score of [1]_ (theorem B.9), which is false: its proof assumes that
rows which must be lost can be lost in one way only, whatever the label. Here labels are searched, too.

.. [1] J. Lin et al., "Generalized and Scalable Optimal Sparse Decision Trees", ICML 2020: section 2, appendix D.
.. [2] W. Dinkelbach, "On Nonlinear Fractional Programming", Management Science 13, 1967.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.binarizers import Conditions
from hornbeam.fitting.scales import FScoreScale, make_fscore_scale
from hornbeam.fitting.search import Listener, packed_columns, within
from hornbeam.fitting.training import TrainingData
from hornbeam.objectives import ClassData, Exact, is_one
from hornbeam.reductions.additive_reduction import AdditiveReduction
from hornbeam.reductions.fixed_labels import FixedLabelSearch, check_omega

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays
    from hornbeam.binarizers import Conditions
    from hornbeam.fitting.training import TrainingData

_Interval: TypeAlias = tuple[Fraction, Fraction]
# From costs, the leaf penalty, options and a listener to an outcome.
_Solver: TypeAlias = "Callable[[npt.NDArray[np.int64], int, _core.SearchOptions, Listener | None], _core.Outcome]"


class _Point(NamedTuple):
    """A tree with its labels, as far as the search is concerned."""

    mistakes: int
    denominator: int
    leaves: int

    @property
    def loss(self) -> Fraction:
        return Fraction(self.mistakes, self.denominator)


class _LinearBound(NamedTuple):
    """``mistakes - slope * denominator + leaf_penalty * leaves >= least`` for trees of at most `most_leaves` leaves."""

    slope: Fraction
    leaf_penalty: Fraction
    least: Fraction
    most_leaves: int | None

    def holds_for(self, leaves: int) -> bool:
        return self.most_leaves is None or leaves <= self.most_leaves


class FScoreObjective:
    """The `NonAdditiveObjective` of "f1"."""

    def check(self, classifier: Any) -> None:
        """Refuse parameters that have no meaning for a ratio or for labels by omega."""
        if classifier.reference is not None:
            raise ValueError("reference cannot be used with objective='f1', which is not a sum over the rows.")
        if classifier.labelling == "best" and not is_one(classifier.omega):
            raise ValueError("omega is used by objective='weighted' and by labelling='omega' only; set omega=1.")
        if classifier.labelling == "omega":
            check_omega(classifier.omega)
            if classifier.bounds is not None:
                raise ValueError("bounds cannot be used with labelling='omega', whose search has no such bounds.")
            if classifier.shape != "tree":
                raise ValueError("labelling='omega' needs shape='tree'; for rule lists, set labelling='best'.")

    def make_scale(self, classifier: Any, training: TrainingData) -> FScoreScale:
        """Return weights times class weights as integers, and the exact leaf penalty."""
        classes, class_weight = training.classes, classifier.class_weight
        if len(classes) != 2:
            raise ValueError(
                f"objective='f1' needs two classes, of which the second of classes_ is positive, but y holds "
                f"{len(classes)}."
            )

        def multipliers(totals: tuple[Exact, ...]) -> tuple[Exact, ...]:
            return ClassData(classes, totals, class_weight=class_weight).multipliers()

        penalty = classifier._leaf_penalty()
        return make_fscore_scale(training.weights, training.codes, multipliers, penalty, training.counts)

    def choose_search(
        self,
        classifier: Any,
        conditions: Conditions,
        training: TrainingData,
        scale: FScoreScale,
        options: _core.SearchOptions,
    ) -> FScoreSearch:
        """Return the search by a few additive searches."""
        omega = check_omega(classifier.omega) if classifier.labelling == "omega" else None
        return FScoreSearch(training, conditions, scale, options, omega)


class FScoreSearch(AdditiveReduction):
    """One search for the tree with the best F-score.

    Parameters
    ----------
    training : TrainingData
        The rows, and the budget of the search.
    conditions : Conditions
        The condition behind each binary column.
    scale : FScoreScale
        Weights and leaf penalty.
    options : SearchOptions
        Options of each additive search, and limits of the whole search.
    omega : Fraction or None
        None: the search chooses the labels. Otherwise a leaf is positive if its positives times omega outweigh its
        negatives.
    """

    _scale: FScoreScale
    _upper: Fraction
    _lower: Fraction

    def __init__(
        self,
        training: TrainingData,
        conditions: Conditions,
        scale: FScoreScale,
        options: _core.SearchOptions,
        omega: Fraction | None = None,
    ) -> None:
        table, budget = training.table, training.budget
        self._columns = packed_columns(conditions, training)
        super().__init__(training.codes, within(options, budget), training.counts)
        self._scale, self._omega = scale, omega
        depth = 64 if options.max_depth is None else min(options.max_depth, 64)
        limits = [max(1, training.n_rows // options.min_samples_leaf), 2**depth]
        self._most_leaves = min(limits if self._max_leaves is None else [self._max_leaves, *limits])
        # With labels by omega the fast search over all labels goes first: what it proves holds for fewer trees, too.
        self._solvers: list[_Solver] = [self._solve_in_core]
        if omega is not None and not budget.is_spent() and budget.hold(FixedLabelSearch.bytes_for(conditions, table)):
            of_rows = training.codes, scale.weights, training.counts
            self._solvers.append(FixedLabelSearch(conditions, table, *of_rows, omega))
        self._linear_bounds: list[_LinearBound] = []
        self._points: set[_Point] = set()
        self._unresolved: set[int] = set()

    def _start(self, leaf: TreeArrays) -> None:
        self._lower, self._upper, self._n_leaves = Fraction(0), 2 + self._scale.leaf_cost, 1  # above a leaf's
        self._take_tree(leaf)
        above = self._scale.positives + self._scale.total + 1
        self._open = dict.fromkeys(self._worthwhile(), (Fraction(0), Fraction(above)))
        self._narrow([])

    def _worthwhile(self) -> range:
        """Return the numbers of leaves whose penalty alone is below the best cost known."""
        leaf_penalty = self._scale.leaf_cost
        if leaf_penalty == 0:  # leaves are free: the largest number stands for all smaller ones
            return range(self._most_leaves, self._most_leaves + 1)
        return range(1, min(self._most_leaves, -(-self._upper // leaf_penalty) - 1) + 1)

    def _run(self) -> str:
        while self._open:
            status = self._check_limits() or self._search_sum(*self._next_sum())
            if status != "optimal":
                return status
        return "optimal"

    def _next_sum(self) -> tuple[int, Fraction, Fraction, int | None]:
        """Return a number of leaves, and slope, leaf penalty and `max_leaves` of the problem that may close it."""
        # A bound closes neighbors, too, so it pays to begin inside the open numbers; a third was the fastest on average
        # (docs/notes/2026-11-22-f-score.md).
        numbers = sorted(self._open)
        start = numbers[len(numbers) // 3]
        for h in sorted(numbers, key=lambda h: abs(h - start)):
            slope, least, most = self._slope_and_range(h)
            if least <= most and h not in self._unresolved:
                wanted = self._scale.leaf_cost * sum(self._open[h]) / 2
                return h, slope, _short_between(least, min(max(wanted, least), most), most), self._max_leaves
        # No penalty can close any number of leaves while larger trees are in the way, so these are excluded. The
        # fewest leaves first: they make the smallest problem. After a failure, Dinkelbach's iteration always ends.
        h = numbers[0]
        if h in self._unresolved:
            return h, min(point.loss for point in self._points if point.leaves <= h), Fraction(0), h
        slope, _, most = self._slope_and_range(h)
        return h, slope, most, h

    def _slope_and_range(self, h: int) -> tuple[Fraction, Fraction, Fraction]:
        """Return the slope for a number of leaves, and the interval of penalties that known trees leave."""
        slope = self._upper - self._scale.leaf_cost * h
        least = max([Fraction(0), *((slope * d - n) / (k - h) for n, d, k in self._points if k > h)])
        below = ((n - slope * d) / (h - k) for n, d, k in self._points if k < h)
        return slope, least, min(below, default=least + 2 * self._scale.total)

    def _search_sum(self, h: int, slope: Fraction, leaf_penalty: Fraction, max_leaves: int | None) -> str:
        """Solve an additive problem, learn from it, and return its status."""
        slope, leaf_penalty, factor = self._scale.fit(slope, leaf_penalty)
        n_points = len(self._points)
        for solve in self._solvers:
            status = self._add_linear_bound(solve, slope, leaf_penalty, factor, max_leaves)
            if status != "optimal" or h not in self._open:
                return status
        if len(self._points) == n_points:
            self._unresolved.add(h)
        return "optimal"

    def _solve_in_core(
        self, costs: npt.NDArray[np.int64], leaf_cost: int, options: _core.SearchOptions, listener: Listener | None
    ) -> _core.Outcome:
        return _core.solve(self._columns, self._additive_problem(costs, leaf_cost), options, callback=listener)

    def _add_linear_bound(
        self, solve: _Solver, slope: Fraction, leaf_penalty: Fraction, factor: int, max_leaves: int | None
    ) -> str:
        outcome = solve(
            np.array([[0, (1 - slope) * factor], [(1 + slope) * factor, 0]], dtype=np.int64),
            int(leaf_penalty * factor),
            self._options.replace(max_leaves=max_leaves, time_limit=self._left()),
            self._listener(),
        )
        self._add_statistics(outcome["statistics"])
        least = Fraction(outcome["lower"], factor) - 2 * self._scale.positives * slope
        self._linear_bounds.append(
            _LinearBound(slope, leaf_penalty, least, max_leaves if max_leaves != self._max_leaves else None)
        )
        upper = self._upper
        self._take_tree(outcome["tree"])
        self._narrow(self._linear_bounds if self._upper < upper else self._linear_bounds[-1:])
        return str(outcome["status"])

    def _take_tree(self, tree: TreeArrays) -> None:
        """Note a tree with its labels; keep it with its best labels if it is better than the best so far."""
        scale = self._scale
        class_weights: list[list[int]] = self._leaf_class_weights(tree).tolist()
        leaves = np.flatnonzero(tree["column"] < 0).tolist()
        labels = tree["prediction"].tolist()
        if self._omega is not None:
            labels = [self._omega * positive > negative for negative, positive in class_weights]
        best = self._point(class_weights, leaves, (leaf for leaf in leaves if labels[leaf]))
        self._points.add(best)
        # For given leaves, the best labels are positive from some share of positives on: few enough to try them all.
        if self._omega is None:
            shares = {leaf: Fraction(class_weights[leaf][1], sum(class_weights[leaf])) for leaf in leaves}
            by_share = sorted(leaves, key=shares.__getitem__, reverse=True)
            points = (self._point(class_weights, leaves, by_share[:n]) for n in range(1, len(leaves) + 1))
            best = min(points, key=lambda point: point.loss)
            self._points.add(best)
        cost = best.loss + scale.leaf_cost * len(leaves)
        if (cost, len(leaves)) >= (self._upper, self._n_leaves):
            return
        # In the tree of best F-score that share is half of the F-score, here in the form of omega.
        omega = (1 + best.loss) / (1 - best.loss) if self._omega is None else self._omega
        prediction = [omega * positive > negative for negative, positive in class_weights]
        labeled: TreeArrays = {**tree, "prediction": np.array(prediction, dtype=np.int32)}
        self._upper, self._n_leaves, self._tree = cost, len(leaves), labeled

    def _point(self, class_weights: list[list[int]], leaves: list[int], positive: Iterable[int]) -> _Point:
        negatives_found, positives_found = 0, 0
        for leaf in positive:
            negatives_found += class_weights[leaf][0]
            positives_found += class_weights[leaf][1]
        denominator = self._scale.positives + positives_found + negatives_found
        return _Point(denominator - 2 * positives_found, denominator, len(leaves))

    def _narrow(self, bounds: Iterable[_LinearBound]) -> None:
        """Narrow the open intervals of the denominator by bounds, and by the best cost known."""
        twice = 2 * self._scale.positives
        for h, (low, high) in list(self._open.items()):
            loss = self._upper - self._scale.leaf_cost * h  # a better tree of h leaves has a smaller loss
            if loss > 0:
                low, high = max(low, twice / (1 + loss)), min(high, twice / (1 - loss) if loss < 1 else high)
                for bound in bounds:
                    if bound.holds_for(h):
                        low, high = _beyond(bound, h, loss, low, high)
            if loss > 0 and low < high:
                self._open[h] = low, high
            else:
                del self._open[h]

    def _proven(self) -> Fraction:
        """Return the least cost that no bound excludes."""
        return min((self._least_cost(h, *interval) for h, interval in self._open.items()), default=self._upper)

    def _least_cost(self, h: int, low: Fraction, high: Fraction) -> Fraction:
        """Return a lower bound for the trees of h leaves with a denominator in an interval.

        Each bound says that the loss is at least ``slope + rest * x``, where x is 1 over the denominator. The largest
        of these lines is convex in x; it is followed downhill from the least x.
        """
        lines = [
            (bound.slope, bound.least - bound.leaf_penalty * h) for bound in self._linear_bounds if bound.holds_for(h)
        ]
        lines.append((Fraction(0), Fraction(0)))
        at, last = 1 / high, 1 / low
        while True:
            value, rest = max((slope + rest * at, rest) for slope, rest in lines)
            if rest >= 0 or at == last:
                return min(value + self._scale.leaf_cost * h, self._upper)
            start = value - rest * at
            at = min([last, *((start - other) / (steep - rest) for other, steep in lines if steep > rest)])


def _beyond(bound: _LinearBound, h: int, loss: Fraction, low: Fraction, high: Fraction) -> _Interval:
    """Return the part of an open interval that a bound leaves to trees of h leaves and less than a loss."""
    gain, rest = loss - bound.slope, bound.least - bound.leaf_penalty * h
    if gain == 0:
        return (low, high) if rest < 0 else (high, high)
    return (max(low, rest / gain), high) if gain > 0 else (low, min(high, rest / gain))


def _short_between(least: Fraction, wanted: Fraction, most: Fraction) -> Fraction:
    """Return a binary fraction of few places near `wanted` if there is one in the interval: it keeps integers small."""
    near = (Fraction(round(wanted * 2**places), 2**places) for places in range(12))
    return next((each for each in near if least <= each <= most), wanted)
