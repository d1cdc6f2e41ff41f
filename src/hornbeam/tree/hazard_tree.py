"""The tree of hazards: how much sooner the rows of each leaf have their event, and which share survives how long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.conditions import Condition
from hornbeam.survival.curves import StepFunction, cumulative_hazards, kaplan_meier, nelson_aalen, risk_tables
from hornbeam.table import TableSchema
from hornbeam.tree.base import BaseTree
from hornbeam.tree.checks import check_hazards
from hornbeam.tree.palette import colors_on_scale
from hornbeam.tree.routing import inner_nodes
from hornbeam.tree.words import count, number, rows_of


@dataclass(frozen=True, eq=False, repr=False)
class HazardTree(BaseTree):
    """Immutable binary decision tree whose leaves predict a hazard ratio and a survival curve.

    Nodes, conditions and missing values are those of `Tree`.

    Parameters
    ----------
    left, right : int32 ndarray of shape (n_nodes,)
        Child where the condition holds, and where it does not; -1 at leaves.
    conditions : sequence of Condition or None, length n_nodes
        The condition of each inner node; None at leaves.
    prediction : int32 ndarray of shape (n_nodes,)
        Index into `hazard_ratios` of what each node predicts: its own number.
    hazard_ratios : float64 ndarray of shape (n_nodes,)
        Events in each node, divided by those expected from the Nelson-Aalen estimate of all training rows; 1 at the
        root, 0 where no row has the event.
    n_events : float64 ndarray of shape (n_nodes,)
        Training weight of the events in each node.
    times : float64 ndarray of shape (n_times,)
        The different times of events of all training rows, rising.
    survival : float64 ndarray of shape (n_nodes, n_times)
        Kaplan-Meier estimate of each node at `times`.
    cumulative_hazards : float64 ndarray of shape (n_nodes, n_times)
        Nelson-Aalen estimate of each node at `times`.
    weights : float64 ndarray of shape (n_nodes,)
        Training weight in each node, greater than 0.
    n_samples : int64 ndarray of shape (n_nodes,)
        Number of training rows in each node.
    columns : TableSchema
        Names and kinds of the table's columns.
    has_missing : sequence of bool, length n_columns
        Whether each column had missing values in training. Only the wording of rules depends on it.
    target_name : str, default="time"
        Name of the times.

    Raises
    ------
    ValueError
        If the parts do not make a tree; the message names the part.
    TypeError
        If a category is not a string, integer, boolean or float.

    Examples
    --------
    >>> from hornbeam import SurvivalTree
    >>> X, y = [[20], [30], [50], [60]], [[1, 9], [0, 12], [1, 1], [1, 2]]
    >>> tree = SurvivalTree(max_depth=1).fit(X, y).tree_
    >>> print(tree)
    x0 <= 40?
    ├── yes: predict hazard ratio 0.4615 (1 event in 2 rows)
    └── no: predict hazard ratio 2.4 (2 events in 2 rows)
    >>> tree.survival[2].tolist()
    [0.5, 0.0, 0.0]
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    conditions: tuple[Condition | None, ...]
    prediction: npt.NDArray[np.int32]
    hazard_ratios: npt.NDArray[np.float64]
    n_events: npt.NDArray[np.float64]
    times: npt.NDArray[np.float64]
    survival: npt.NDArray[np.float64]
    cumulative_hazards: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    n_samples: npt.NDArray[np.int64]
    columns: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str = "time"

    _arrays = dict.fromkeys(
        ("hazard_ratios", "n_events", "times", "survival", "cumulative_hazards", "weights"), np.float64
    )
    verb = "predict hazard ratio"
    has_legend = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_hazards(self)

    @classmethod
    def from_search(
        cls,
        arrays: Mapping[str, Any],
        conditions: Sequence[Condition],
        events: npt.NDArray[np.bool_],
        times: npt.NDArray[np.float64],
        weights: npt.NDArray[Any],
        schema: TableSchema,
        has_missing: tuple[bool, ...],
        target_name: str = "time",
    ) -> HazardTree:
        """Make a tree from the binary columns of a search; its statistics come from the training rows.

        Parameters
        ----------
        arrays : dict of int32 ndarrays
            See `Tree.from_search`; the predictions in it are not used.
        conditions : sequence of Condition
            The condition behind each binary column.
        events : bool ndarray of shape (n_rows,)
            Whether each row had the event; at least one did.
        times : float64 ndarray of shape (n_rows,)
            Times of the event or of censoring, at least 0.
        weights : int64 or float64 ndarray of shape (n_rows,)
            Positive weight of each row.
        schema, has_missing, target_name
            See `columns`, `has_missing` and `target_name` of `HazardTree`.

        Returns
        -------
        HazardTree
        """
        floats = weights.astype(np.float64)
        links = arrays["left"], arrays["right"], arrays["leaf_of_row"]
        parts = np.column_stack([floats, floats * events, floats * cumulative_hazards(events, times, floats)])
        n_samples, sums = _core.node_statistics(*links, None, np.ascontiguousarray(parts), 3)
        weight, n_events, hazard = (sums[:, place].copy() for place in range(3))
        at = np.unique(times[events])
        tables = risk_tables(events, times, floats, at, arrays["leaf_of_row"], len(weight))
        for node, yes, no in reversed(list(inner_nodes(arrays["left"], arrays["right"]))):
            for table in tables:
                table[node] = table[yes] + table[no]
        ratios = np.divide(n_events, hazard, out=np.zeros_like(hazard), where=n_events > 0)
        ratios[0] = 1.0  # as the hazards of all rows add up to the number of events
        return cls._from_search(
            {**arrays, "prediction": np.arange(len(weight), dtype=np.int32)},
            conditions,
            schema,
            has_missing,
            target_name,
            n_samples=n_samples,
            hazard_ratios=ratios,
            n_events=n_events,
            times=at,
            survival=kaplan_meier(*tables),
            cumulative_hazards=nelson_aalen(*tables),
            weights=weight,
        )

    @property
    def output_column(self) -> str:
        """Name of a column of predictions, which are not times, see `BaseTree.output_column`."""
        return "predicted_hazard_ratio"

    @property
    def outputs(self) -> npt.NDArray[np.float64]:
        """The hazard ratios of all nodes."""
        return self.hazard_ratios

    @property
    def colors(self) -> list[str]:
        """Color of each node in drawings, by the place of its hazard ratio between those of the leaves."""
        leaves = self.hazard_ratios[self.left < 0]
        return colors_on_scale(self.hazard_ratios, float(leaves.min()), float(leaves.max()))

    @property
    def node_weights(self) -> npt.NDArray[np.float64]:
        """Training weight in each node; shape (n_nodes,)."""
        return self.weights

    def survival_function(self, node: int) -> StepFunction:
        """Return the Kaplan-Meier curve of the training rows of a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        StepFunction
        """
        return StepFunction(self.times, self.survival[node], 1.0)

    def cumulative_hazard_function(self, node: int) -> StepFunction:
        """Return the Nelson-Aalen curve of the training rows of a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        StepFunction
        """
        return StepFunction(self.times, self.cumulative_hazards[node], 0.0)

    def median_time(self, node: int) -> float:
        """Return the first time at which at most half of the rows of a node survive; infinity if more do to the end.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        float
        """
        # Products of shares are rounded: half of the rows is not always exactly 0.5.
        reached = np.flatnonzero(self.survival[node] <= 0.5 * (1 + 1e-12))
        return float(self.times[reached[0]]) if len(reached) else np.inf

    def shown_output(self, node: int) -> str:
        """Return the hazard ratio in four digits, see `BaseTree.shown_output`."""
        return number(float(self.hazard_ratios[node]))

    def describe(self, node: int, noun: str = "row", confidence: float | None = None) -> str:
        """Return the number of events in words, see `BaseTree.describe`: ``2 events in 12 rows``."""
        if confidence is not None:
            raise ValueError(
                "confidence is for classes. The leaves of a survival tree were chosen with the times of its rows, so "
                "intervals of their curves would be too narrow: see the curves of held-out rows."
            )
        return f"{self.shown_events(node)} in {rows_of(self, node, noun)}"

    def shown_events(self, node: int) -> str:
        """Return the number of events in words.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        str
        """
        n_events = float(self.n_events[node])
        return count(int(n_events), "event") if n_events.is_integer() else f"{number(n_events)} events"

    def leaf_record(self, node: int) -> dict[str, Any]:
        """Return weight, events and curves of a node, see `BaseTree.leaf_record`."""
        return {
            "weight": float(self.weights[node]),
            "n_events": float(self.n_events[node]),
            "survival": self.survival[node].tolist(),
            "hazards": self.cumulative_hazards[node].tolist(),
        }
