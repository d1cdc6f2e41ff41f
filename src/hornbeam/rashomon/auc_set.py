"""All trees whose area under the ROC curve, or under a part of it, is within a bound.

The area of a tree depends on all leaves at once, so the trees of a set cannot be counted by adding up costs. But a
tangent to the area is additive, and the additive cost of a tree plus a constant is at most its cost by the area (see
the page on areas under the curve, "A tangent is additive"). So the trees within a bound by the area are among those
within the same bound by a tangent, and the core finds these as a graph of subproblems without listing them [1]_. They
are then listed, one by one, and the area of each is computed: members are those within the bound, exactly.

**What it costs.** One tree of the superset after the other is read and its leaves are weighed: about a thousand trees a
second with 200 columns. The tangent is the one that bounded the best tree from below
best, so the superset is small where the bound is close to the optimum: there the additive cost of a tree is its cost by
the area less a gap, usually below the leaf penalty. It grows, as the set itself does, exponentially with the bound; its
number is known exactly before the listing begins, and is in the statistics.

**If a limit ends the listing,** trees come by rising additive cost. All trees with a smaller cost by the area than the
additive cost of the next tree have been listed: up to there the set is complete.

Trees have no labels here, since the area ranks the leaves by their share of positives: trees are different if their
nested splits are. A leaf that a split divides into two leaves of one share is another tree of the same area.

.. [1] R. Xin et al., "Exploring the Whole Rashomon Set of Sparse Decision Trees", NeurIPS 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Limits
from hornbeam.binarizers import Conditions
from hornbeam.fitting.search import Search, packed_columns, within
from hornbeam.rashomon.found import GraphOfTrees, SetProblem
from hornbeam.rashomon.search import RashomonSearch
from hornbeam.reductions.auc_scale import AucScale
from hornbeam.reductions.auc_search import AucSearch, Tangent
from hornbeam.table import TableSchema

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays

    Listener = Callable[[_core.Progress], bool]

_BYTES_OF_MEMBER = 300  # of its numbers in Python
_TREES_BETWEEN_POLLS = 64


@dataclass(frozen=True, eq=False)
class AucSetProblem:
    """Everything that determines the trees of a set; see `RashomonProblem` for what is not described here.

    Attributes
    ----------
    tangent : Tangent or None
        The additive costs, and what to add to them for a lower bound of the cost by the area. None: no set.
    """

    columns: npt.NDArray[np.uint8]
    conditions: Conditions
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    scale: AucScale
    tangent: Tangent | None
    max_depth: int | None
    min_samples_leaf: int
    classes: npt.NDArray[Any]
    schema: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str
    is_exact: bool = field(default=True, init=False)

    def find(self, bound: int | None, limits: Limits | None = None, callback: Listener | None = None) -> AucTrees:
        """Find all trees of at most so many ticks; None: none."""
        begin, (seconds, n_bytes) = perf_counter(), limits or (None, None)
        tangent = self.tangent or Tangent(np.array([[0, 1], [1, 0]], dtype=np.int64), 0)
        most = -1 if bound is None or self.tangent is None else max(-1, bound - tangent.base)
        if most >= 1 << _core.COST_BITS:
            raise ValueError("epsilon or rashomon_bound is too large: nearly all trees would be in the set; lower it.")
        options = _core.SearchOptions(
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            time_limit=seconds,
            memory_limit=n_bytes,
        )
        problem = _core.Problem(self.codes, self.scale.weights, tangent.costs, self.scale.leaf_cost)
        packed = _core.PackedColumns(self.columns, len(self.codes))
        graph = _core.rashomon_set(packed, problem, options, 0, most, "best", callback=callback)
        trees = AucTrees(self, GraphOfTrees(graph, 0), bound)
        left = None if seconds is None else seconds - (perf_counter() - begin)
        trees.list_members(Limits(left, n_bytes), callback)
        return trees


class AucTrees:
    """The trees of a graph whose area is within the bound; see `FoundTrees`.

    Parameters
    ----------
    problem : AucSetProblem
        The problem of the set.
    graph : GraphOfTrees
        All trees within the bound by the tangent, and perhaps more.
    bound : int or None
        The largest cost of a tree by the area.
    """

    def __init__(self, problem: AucSetProblem, graph: GraphOfTrees, bound: int | None) -> None:
        self._problem, self._graph, self._bound = problem, graph, bound
        self._members: list[tuple[int, int, int, int]] = []  # cost by the area, leaves, group of the graph, rank
        self.status = graph.status
        self.statistics = {**graph.statistics, "superset": sum(graph.counts)}
        self.bounds = graph.bounds
        self.values: list[int] = []
        self.leaves: list[int] = []
        self.counts: list[int] = []
        self.complete_up_to: int | None = bound

    def list_members(self, limits: Limits, callback: Listener | None) -> None:
        """Compute the area of each tree of the graph, until a limit is reached."""
        begin, base = perf_counter(), 0 if self._problem.tangent is None else self._problem.tangent.base
        seconds_before, n_bytes = self.statistics["seconds"], self.statistics["bytes"]
        known_up_to = self._bound if self.status == "optimal" else (self._graph.complete_up_to or -1) + base
        for number, (group, rank) in enumerate(self._superset()):
            if number % _TREES_BETWEEN_POLLS == 0:
                used, seconds = n_bytes + _BYTES_OF_MEMBER * len(self._members), perf_counter() - begin
                progress: Any = (seconds_before + seconds, 0, 0, self.statistics["subproblems"], used, 0)
                ended = None
                if limits.seconds is not None and seconds >= limits.seconds:
                    ended = "time_limit"
                elif limits.bytes is not None and used > limits.bytes:
                    ended = "memory_limit"
                elif callback is not None and callback(progress):
                    ended = "interrupted"
                if ended is not None:
                    self.status, known_up_to = ended, self._graph.costs[group] + base - 1
                    break
            self._take(group, rank)
        self.statistics["seconds"] = seconds_before + perf_counter() - begin
        if self.status != "optimal":
            self._members = [member for member in self._members if known_up_to is not None and member[0] <= known_up_to]
            self.complete_up_to = known_up_to if self._members else None
        self._members.sort()
        self.values, self.leaves = [one[0] for one in self._members], [one[1] for one in self._members]
        self.counts = [1] * len(self._members)
        self.statistics["bytes"] = n_bytes + _BYTES_OF_MEMBER * len(self._members)

    def _superset(self) -> Iterator[tuple[int, int]]:
        for group, count in enumerate(self._graph.counts):
            for rank in range(count):
                yield group, rank

    def _take(self, group: int, rank: int) -> None:
        assert self._bound is not None
        tree = self._graph.read(group, rank)
        leaves = self._class_weights(tree)[tree["column"] < 0]
        cost = self._problem.scale.cost(leaves)
        if cost <= self._bound:
            self._members.append((cost, len(leaves), group, rank))

    def _class_weights(self, tree: TreeArrays) -> npt.NDArray[np.int64]:
        """Return the weight of the negatives and the positives in each node."""
        nodes = (tree["left"], tree["right"], tree["leaf_of_row"])
        _, weights = _core.node_statistics(*nodes, self._problem.codes, self._problem.scale.weights, 2)
        return weights.astype(np.int64)

    def cost(self, group: int) -> int:
        """Return the cost of the tree of a group by the area."""
        return self.values[group]

    def read(self, group: int, rank: int) -> TreeArrays:
        """Return the tree of a group; it predicts the heavier class of each leaf."""
        tree = self._graph.read(*self._members[group][2:])
        weights = self._class_weights(tree)
        return {**tree, "prediction": (weights[:, 1] > weights[:, 0]).astype(np.int32)}


class AucSetSearch(RashomonSearch):
    """The search for all trees whose area is within a bound; parameters as in `RashomonSearch`."""

    _needs_first_search = True  # it finds the tangent

    def _choose_first_search(self) -> Search:
        columns = packed_columns(self._conditions, self._training)
        self._auc_search = AucSearch(
            columns, self._training.codes, self._scale, within(self._options, self._training.budget)
        )
        return self._auc_search

    def _best_objective(self, outcome: _core.Outcome) -> Fraction:
        return Fraction(outcome["upper"], self._scale.one)

    def _make_problem(self, optimum: Any, bound: Fraction) -> tuple[SetProblem, list[int]]:
        training, options = self._training, self._options
        columns, conditions, kept = self._columns()
        problem = AucSetProblem(
            columns,
            conditions,
            training.codes,
            training.weights,
            self._scale,
            self._auc_search.best_tangent(),
            options.max_depth,
            options.min_samples_leaf,
            training.classes,
            training.table.schema,
            training.table.has_missing(),
            training.target_name,
        )
        return problem, kept

    def _most(self, bound: Fraction) -> int:
        self._check_bound(bound, self._scale.regularization)
        one: int = self._scale.one
        return floor(bound * one)
