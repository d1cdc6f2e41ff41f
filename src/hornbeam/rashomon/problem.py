"""What a set of near-optimal trees is made of: the problem, and the call of the core that finds the set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.binarizers import Conditions
from hornbeam.fitting.scales import Units
from hornbeam.table import TableSchema


@dataclass(frozen=True, eq=False)
class Enumeration:
    """Everything that says which trees there are, and what they are made of.

    Attributes
    ----------
    columns : ndarray of uint8 of shape (n_conditions, ceil(n_rows / 8))
        Answers of the conditions for the training rows, as `pack_conditions` makes them.
    conditions : Conditions
        What the columns ask.
    codes, weights : ndarrays of shape (n_rows,)
        Class and weight of each training row.
    units : Units
        With bits for the number of leaves.
    optimum : int
        Ticks of the best tree, or of RESPLIT's best prefix.
    options : dict
        "max_depth", "min_samples_leaf" and "leaf_rule" for the core; of RESPLIT, also "lookahead_depth",
        "greedy_depth" and "leaf_bits".
    classes, schema, has_missing, target_name
        See `Tree`.
    """

    columns: npt.NDArray[np.uint8]
    conditions: Conditions
    codes: npt.NDArray[np.int32]
    weights: npt.NDArray[Any]
    units: Units
    optimum: int
    options: dict[str, Any]
    classes: npt.NDArray[Any]
    schema: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str

    def find(self, bound: int, **limits: Any) -> _core.RashomonSet:
        """Find all trees of at most `bound` ticks, or those of RESPLIT."""
        units = self.units
        find = partial(_core.rashomon_set, self.columns, len(self.codes), self.codes, units.weights, units.costs)
        return find(units.leaf_cost, self.optimum, bound, **self.options, **limits)
