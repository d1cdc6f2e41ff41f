"""The problem behind a set of near-optimal trees, and the call of the core that finds the set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Limits
from hornbeam.binarizers import Conditions
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.rashomon.found import GraphOfTrees
from hornbeam.table import TableSchema


class Lookahead(NamedTuple):
    """Depths of RESPLIT: levels of splits that are searched exhaustively, and the largest depth of a tree."""

    depth: int
    greedy_depth: int


@dataclass(frozen=True, eq=False)
class RashomonProblem:
    """Everything that determines the trees of a set, and what is needed to make them.

    Attributes
    ----------
    columns : ndarray of uint8 of shape (n_conditions, ceil(n_rows / 8))
        Whether each condition holds for each training row, as packed by `pack_conditions`.
    conditions : Conditions
        What the columns test.
    codes, weights : ndarrays of shape (n_rows,)
        Class and weight of each training row.
    scale : AdditiveScale
        With bits for the number of leaves.
    optimum : int
        Ticks of the best tree or less, or of RESPLIT's best prefix.
    max_depth : int or None
    min_samples_leaf : int
    leaf_rule : {"differ", "any"}
        "differ": two leaves of one split predict different classes. "any": leaves may predict any class.
    lookahead : Lookahead or None
        The depths of RESPLIT; None for the exact set.
    classes, schema, has_missing, target_name
        See `Tree`.
    """

    columns: npt.NDArray[np.uint8]
    conditions: Conditions
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    scale: AdditiveScale
    optimum: int
    max_depth: int | None
    min_samples_leaf: int
    leaf_rule: Literal["differ", "any"]
    lookahead: Lookahead | None
    classes: npt.NDArray[Any]
    schema: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str

    def find(
        self,
        bound: int | None,
        limits: Limits | None = None,
        callback: Callable[[_core.Progress], bool] | None = None,
    ) -> GraphOfTrees:
        """Find all trees of at most `bound` ticks, or those that RESPLIT finds; None: none."""
        scale, n_rows = self.scale, len(self.codes)
        seconds, n_bytes = limits or (None, None)
        options = _core.SearchOptions(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, time_limit=seconds, memory_limit=n_bytes
        )
        trees = _core.rashomon_set(
            _core.PackedColumns(self.columns, n_rows),
            _core.Problem(self.codes, scale.weights, scale.costs, scale.leaf_cost),
            options,
            self.optimum,
            -1 if bound is None else bound,
            self.leaf_rule,
            lookahead_depth=self.lookahead and self.lookahead.depth,
            greedy_depth=self.lookahead.greedy_depth if self.lookahead else 0,
            leaf_bits=scale.leaf_bits,
            callback=callback,
        )
        return GraphOfTrees(trees, scale.leaf_bits, n_bytes)

    @property
    def is_exact(self) -> bool:
        """Whether the set holds all trees."""
        return self.lookahead is None
