"""Shared code of the reductions: a non-additive objective solved by several additive searches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays


class AdditiveReduction(ABC):
    """A search that runs several additive searches under limits that hold for all of them together.

    Costs of trees are integers or exact fractions. A subclass keeps `_scale`; `_upper`, `_tree` and `_n_leaves` of the
    best tree so far; and `_lower`, a bound on all trees.

    Parameters
    ----------
    codes : ndarray of int32 of shape (n_rows,)
        Class of each row.
    options : SearchOptions
        Options of each additive search, and limits of the whole search.
    counts : ndarray of int64 of shape (n_rows,) or None, default=None
        How many equal rows each row stands for; None: 1.
    """

    _scale: Any
    _upper: Any
    _lower: Any
    _tree: TreeArrays
    _n_leaves: int

    def __init__(
        self, codes: npt.NDArray[np.int32], options: _core.SearchOptions, counts: npt.NDArray[np.int64] | None = None
    ) -> None:
        self._codes, self._counts = codes, counts
        # Each additive search runs to its proof, since the whole search learns from the bounds: the gap that users
        # mean is that of the whole, which is checked in between.
        self._options = options.replace(gap_limit=0.0)
        self._max_leaves, self._gap_limit = options.max_leaves, Fraction(options.gap_limit)
        self._statistics = {"subproblems": 0, "table_entries": 0, "bytes": 0, "additive_searches": 0}
        self._bounds: Counter[str] = Counter()
        self._trace: list[Any] = []

    def __call__(self, *, callback: Callable[[Any], bool] | None, trace: bool) -> Any:
        """Search, and return what a search of the core returns, with costs as this search counts them."""
        self._begin, self._callback, self._is_traced = perf_counter(), callback, trace
        nothing, at_root = np.array([-1], np.int32), np.zeros(len(self._codes), dtype=np.int32)
        leaf = np.array([1], np.int32)
        self._start({"column": nothing, "left": nothing, "right": nothing, "prediction": leaf, "leaf_of_row": at_root})
        try:
            status = self._run()
        except KeyboardInterrupt:  # between two additive searches; one that runs ends by itself and reports it
            status = "interrupted"
        self._lower = self._proven()
        self._report()
        return {
            "tree": self._tree,
            "upper": self._upper,
            "lower": self._lower,
            "status": "optimal" if self._lower == self._upper else status,
            "statistics": {**self._statistics, "seconds": self._seconds(), "bounds": dict(self._bounds)},
            "trace": self._trace,
        }

    @abstractmethod
    def _start(self, leaf: TreeArrays) -> None:
        """Begin with the tree of one leaf."""

    @abstractmethod
    def _run(self) -> str:
        """Search until the proof or a limit, and return how it ended."""

    @abstractmethod
    def _proven(self) -> Any:
        """Return the largest lower bound that is known, at most `_upper`."""

    def _additive_problem(self, costs: npt.NDArray[np.int64], leaf_cost: int) -> _core.Problem:
        """Return the rows with other costs for the core."""
        return _core.Problem(self._codes, self._scale.weights, costs, leaf_cost, None, self._counts)

    def _seconds(self) -> float:
        return perf_counter() - self._begin

    def _left(self) -> float | None:
        """Return the seconds left for the next call of the core."""
        limit = self._options.time_limit
        return None if limit is None else max(0.0, limit - self._seconds())

    def _listener(self) -> Callable[[Any], bool] | None:
        """Return the function that the next call of the core reports to."""
        return None if self._callback is None else self._forward_core_progress

    def _check_limits(self) -> str | None:
        """Report between two searches; return the status if the whole search is to end."""
        # The bound takes exact arithmetic over all that is known, so it is computed only for those who look at it.
        if self._is_traced or self._callback is not None or self._gap_limit > 0:
            self._lower = self._proven()
            if self._report():
                return "interrupted"
            if self._upper - self._lower <= self._gap_limit * self._upper:
                return "gap_limit"
        return None

    def _leaf_class_weights(self, tree: TreeArrays) -> npt.NDArray[np.int64]:
        """Return the weight of the negatives and the positives in each node."""
        nodes = (tree["left"], tree["right"], tree["leaf_of_row"])
        _, weights = _core.node_statistics(*nodes, self._codes, self._scale.weights, 2)
        return weights.astype(np.int64)

    def _add_statistics(self, statistics: Mapping[str, Any]) -> None:
        self._bounds.update(statistics["bounds"])
        mine = self._statistics
        mine["bytes"] = max(mine["bytes"], statistics["bytes"])  # the searches run one after another
        mine["additive_searches"] += 1
        for name in ("subproblems", "table_entries"):
            mine[name] += statistics[name]

    def _forward_core_progress(self, record: Any) -> bool:
        """Report the progress of the core as that of the whole search."""
        # Objective and bound of an additive problem mean nothing to the user: those of the whole search stand.
        _, _, _, subproblems, memory, _ = record
        subproblems += self._statistics["subproblems"]
        return self._forward_progress(subproblems, max(self._statistics["bytes"], memory))

    def _forward_progress(self, subproblems: int, memory: int) -> bool:
        assert self._callback is not None
        return self._callback((self._seconds(), self._upper, self._lower, subproblems, memory, self._n_leaves))

    def _report(self) -> bool:
        """Add to the trace, and return whether the listener wants the search to stop."""
        subproblems, memory = self._statistics["subproblems"], self._statistics["bytes"]
        if self._is_traced and (not self._trace or self._trace[-1][1:3] != (self._upper, self._lower)):
            self._trace.append((self._seconds(), self._upper, self._lower, subproblems, memory, self._n_leaves))
        return self._callback is not None and self._forward_progress(subproblems, memory)
