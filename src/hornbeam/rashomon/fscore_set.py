"""All trees whose F-score is within a bound, counted exactly although the F-score is not a sum over the rows.

A tree with its labels is three numbers: its false positives FP, its false negatives FN and its leaves H. It costs
``N / D + regularization * H`` with ``N = FP + FN`` and ``D = 2 P + FP - FN``, where P is the weight of the positives
[1]_. It is a member of the set of a bound b if that is at most b.

**For one number of leaves, membership is additive.** Let ``c = b - regularization * h``. A tree of h leaves is a member
if and only if ``N <= c D``, since D is positive, and that is ``(1 - c) FP + (1 + c) FN <= 2 P c``: a sum over the rows
with two costs. So the members of h leaves are trees within a bound of an additive loss, which the core counts without
listing them [2]_. For a c above 1 all trees are members, and c is cut to 1.

**All members** are found by one such search for each h with ``c >= 0``. Costs are built so that FP, FN and H can be
read off the cost of a tree: FP and H are counted in its lowest bits. So c may be rounded up to a fraction p / q of few
bits: the search then finds some trees more, and each cost that it reports is compared with b exactly. The leaf penalty
m of a search only keeps trees of other sizes out of it. They are not counted, so any m is correct; the search is small
if it counts about the trees that are members with their own size, which is so for ``m = regularization * D``, and D is
about ``2 P / (1 + c)``.

**Labels.** The label of a leaf cannot be chosen for the leaf alone: which labels are best depends on all leaves. So
trees with the same splits and different labels are different members. A split of two leaves of one label is left out,
since the tree without it predicts the same and has a leaf less.

**After a stop**, searches for some h are incomplete. What such a search has not reached costs more than t, so ``q N - p
D > -s`` with ``s = 2 P p + m h - t``, and its loss is more than ``(p - s / P) / q``, as D is at least P. The set then
holds the members below the least such objective.

.. [1] J. Lin et al., "Generalized and Scalable Optimal Sparse Decision Trees", ICML 2020.
.. [2] R. Xin et al., "Exploring the Whole Rashomon Set of Sparse Decision Trees", NeurIPS 2022: sets for the F-score by
       a superset whose trees are examined one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Limits
from hornbeam.binarizers import Conditions
from hornbeam.fitting.scales import FScoreScale
from hornbeam.fitting.search import Search
from hornbeam.rashomon.found import GraphOfTrees, SetProblem
from hornbeam.rashomon.search import RashomonSearch
from hornbeam.reductions.fscore import FScoreSearch
from hornbeam.table import TableSchema

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays

_LEAST_BITS = 5  # of q; with fewer, the searches would count too many trees that are not members


class _Code(NamedTuple):
    """How the cost of a tree encodes its false positives, false negatives and leaves; p, q and m as above."""

    p: int
    q: int
    penalty: int
    fp_bits: int
    leaf_bits: int

    def costs(self) -> npt.NDArray[np.int64]:
        false_positive = ((self.q - self.p) << self.fp_bits) + 1 << self.leaf_bits
        false_negative = (self.q + self.p) << self.fp_bits + self.leaf_bits
        return np.array([[0, false_positive], [false_negative, 0]], dtype=np.int64)

    def leaf_cost(self) -> int:
        return (self.penalty << self.fp_bits + self.leaf_bits) + 1

    def most(self, positives: int, n_leaves: int) -> int:
        """Return the largest cost of a tree within the bound."""
        return (2 * positives * self.p + self.penalty * n_leaves + 1 << self.fp_bits + self.leaf_bits) - 1

    def decoded(self, cost: int) -> tuple[int, int, int]:
        """Return false positives, false negatives and leaves."""
        n_leaves = cost & (1 << self.leaf_bits) - 1
        false_positives = cost >> self.leaf_bits & (1 << self.fp_bits) - 1
        rest = (cost >> self.leaf_bits + self.fp_bits) - self.penalty * n_leaves - (self.q - self.p) * false_positives
        return false_positives, rest // (self.q + self.p), n_leaves


@dataclass(frozen=True, eq=False)
class FScoreSetProblem:
    """Everything that determines the trees of a set; see `RashomonProblem` for what is not described here.

    Attributes
    ----------
    leaf_rule : {"any_differ", "any"}
        "any_differ": no split has two leaves that predict the same. "any": such splits count, too.
    """

    columns: npt.NDArray[np.uint8]
    conditions: Conditions
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    scale: FScoreScale
    max_depth: int | None
    min_samples_leaf: int
    leaf_rule: Literal["any_differ", "any"]
    classes: npt.NDArray[Any]
    schema: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str
    is_exact: bool = field(default=True, init=False)

    def find(
        self,
        bound: Fraction | None,
        limits: Limits | None = None,
        callback: Callable[[_core.Progress], bool] | None = None,
    ) -> FScoreTrees:
        """Find all trees of at most this objective; None: none.

        Raises
        ------
        ValueError
            If the weights have too many bits for costs that encode the mistakes.
        """
        found = FScoreTrees(self.scale, bound)
        begin, (seconds, n_bytes) = perf_counter(), limits or (None, None)
        packed = _core.PackedColumns(self.columns, len(self.codes))
        for n_leaves, code in self._codes(bound):
            left = None if seconds is None else max(0.0, seconds - (perf_counter() - begin))
            room = None if n_bytes is None else max(0, n_bytes - found.statistics["bytes"])
            options = _core.SearchOptions(
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                time_limit=left,
                memory_limit=room,
            )
            problem = _core.Problem(self.codes, self.scale.weights, code.costs(), code.leaf_cost())
            most = code.most(self.scale.positives, n_leaves)
            graph = _core.rashomon_set(
                packed, problem, options, 0, most, self.leaf_rule, leaf_bits=code.leaf_bits, callback=callback
            )
            found.add(n_leaves, code, GraphOfTrees(graph, code.leaf_bits))
        found.sort()
        return found

    def _codes(self, bound: Fraction | None) -> Iterator[tuple[int, _Code]]:
        """Yield each number of leaves that a tree within the bound may have, and the costs for it."""
        if bound is None:
            return
        penalty = self.scale.leaf_cost
        depth = 64 if self.max_depth is None else min(self.max_depth, 64)
        most_leaves = min(max(1, len(self.codes) // self.min_samples_leaf), 2**depth)
        if penalty == 0:  # leaves are free: one search has the trees of all sizes
            yield most_leaves, self._code(bound, most_leaves, most_leaves)
            return
        for n_leaves in range(1, min(most_leaves, floor(bound / penalty)) + 1):
            yield n_leaves, self._code(bound - penalty * n_leaves, n_leaves, most_leaves)

    def _code(self, loss: Fraction, n_leaves: int, most_leaves: int) -> _Code:
        scale, loss = self.scale, min(loss, Fraction(1))
        penalty = scale.leaf_cost * 2 * scale.positives / (1 + loss)  # m / q
        least_q = 1 << _LEAST_BITS
        if penalty * least_q >= 1:  # larger trees cost more than the bound by their leaves alone, however q is rounded
            more = ceil(4 * scale.positives * (loss + Fraction(1, least_q)) / penalty)
            most_leaves = min(most_leaves, n_leaves + more)
        leaf_bits = most_leaves.bit_length()
        fp_bits = (scale.total - scale.positives).bit_length()
        q_bits = _core.COST_BITS - 2 - (2 * scale.total).bit_length() - fp_bits - leaf_bits
        if q_bits < _LEAST_BITS:
            raise ValueError(
                "objective='f1' supports sets of trees only for weights that are proportional to small integers, but "
                f"those of the rows add up to {scale.total} and a tree may have {most_leaves} leaves; round the "
                "weights, or lower max_depth or the bound."
            )
        q = 1 << q_bits
        return _Code(min(q, ceil(loss * q)), q, floor(penalty * q), fp_bits, leaf_bits)


class FScoreTrees:
    """The trees of several graphs by their F-score; see `FoundTrees`.

    Parameters
    ----------
    scale : FScoreScale
        Weights and leaf penalty.
    bound : Fraction or None
        The largest objective of a tree.
    """

    def __init__(self, scale: FScoreScale, bound: Fraction | None) -> None:
        self._scale, self._bound = scale, bound
        self._graphs: list[GraphOfTrees] = []
        self._groups: list[tuple[Fraction, int, int, int, int]] = []  # objective, leaves, graph, its group, count
        self._unknown_from: Fraction | None = None  # objective from which on trees may be missing
        self.status = "optimal"
        names = ("subproblems", "expansions", "splits", "costs", "bytes")
        self.statistics: dict[str, Any] = {**dict.fromkeys(names, 0), "seconds": 0.0}
        self.bounds: dict[str, int] = {}
        self.values: list[Fraction] = []
        self.leaves: list[int] = []
        self.counts: list[int] = []
        self.complete_up_to = bound

    def add(self, n_leaves: int, code: _Code, graph: GraphOfTrees) -> None:
        """Add the members of one number of leaves; without a leaf penalty, of any number up to this."""
        assert self._bound is not None
        scale, leaf_penalty = self._scale, self._scale.leaf_cost
        for group, (cost, count) in enumerate(zip(graph.costs, graph.counts, strict=True)):
            false_positives, false_negatives, size = code.decoded(cost)
            if leaf_penalty > 0 and size != n_leaves:
                continue
            denominator = 2 * scale.positives + false_positives - false_negatives
            value = Fraction(false_positives + false_negatives, denominator) + leaf_penalty * size
            if value <= self._bound:
                self._groups.append((value, size, len(self._graphs), group, count))
        self._graphs.append(graph)
        for name in self.statistics:
            self.statistics[name] += graph.statistics[name]
        for name, number in graph.bounds.items():
            self.bounds[name] = self.bounds.get(name, 0) + number
        if graph.status == "optimal":
            return
        if self.status == "optimal":
            self.status = graph.status
        reached = (0 if graph.complete_up_to is None else graph.complete_up_to + 1) >> code.fp_bits + code.leaf_bits
        reached -= 1
        missing = 2 * scale.positives * code.p + code.penalty * n_leaves - reached
        loss = (code.p - Fraction(missing, scale.positives)) / code.q
        least = max(Fraction(0), loss) + (leaf_penalty * n_leaves if leaf_penalty > 0 else 0)
        self._unknown_from = least if self._unknown_from is None else min(self._unknown_from, least)

    def sort(self) -> None:
        """Put the groups in order once all are known, without those that may be incomplete."""
        unknown_from = self._unknown_from
        self._groups = sorted(group for group in self._groups if unknown_from is None or group[0] < unknown_from)
        self.values = [group[0] for group in self._groups]
        self.leaves = [group[1] for group in self._groups]
        self.counts = [group[4] for group in self._groups]
        if unknown_from is not None:
            self.complete_up_to = self.values[-1] if self.values else None

    def cost(self, group: int) -> Fraction:
        """Return the objective of the trees of a group."""
        return self.values[group]

    def read(self, group: int, rank: int) -> TreeArrays:
        """Return tree number `rank` of a group."""
        _, _, graph, of_graph, _ = self._groups[group]
        return self._graphs[graph].read(of_graph, rank)


class FScoreSetSearch(RashomonSearch):
    """The search for all trees whose F-score is within a bound; parameters as in `RashomonSearch`."""

    def _choose_first_search(self) -> Search:
        return FScoreSearch(self._training, self._conditions, self._scale, self._options)

    def _best_objective(self, outcome: Any) -> Fraction:
        objective: Fraction = outcome["upper"]
        return objective

    def _cost_of_leaf(self) -> Fraction:
        scale = self._scale
        negatives = scale.total - scale.positives
        return Fraction(negatives, 2 * scale.positives + negatives) + Fraction(scale.leaf_cost)

    def _make_problem(self, optimum: Any, bound: Fraction) -> tuple[SetProblem, list[int]]:
        training, options = self._training, self._options
        columns, conditions, kept = self._columns()
        problem = FScoreSetProblem(
            columns,
            conditions,
            training.codes,
            training.weights,
            self._scale,
            options.max_depth,
            options.min_samples_leaf,
            "any" if self._wanted.distinct == "labels" else "any_differ",
            training.classes,
            training.table.schema,
            training.table.has_missing(),
            training.target_name,
        )
        return problem, kept

    def _most(self, bound: Fraction) -> Fraction:
        self._check_bound(bound, self._scale.leaf_cost)
        return bound
