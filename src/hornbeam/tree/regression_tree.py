"""The tree of numbers: the mean that each leaf predicts, and how the training rows of each node spread around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.conditions import Condition
from hornbeam.table import TableSchema
from hornbeam.tree.base import BaseTree
from hornbeam.tree.checks import check_numbers
from hornbeam.tree.palette import colors_on_scale
from hornbeam.tree.routing import inner_nodes
from hornbeam.tree.words import number, rows_of

N_BINS = 16
"""Bins of the histograms of a tree."""


@dataclass(frozen=True, eq=False, repr=False)
class RegressionTree(BaseTree):
    """Immutable binary decision tree whose leaves predict a number.

    Nodes, conditions and missing values are those of `Tree`.

    Parameters
    ----------
    left, right : int32 ndarray of shape (n_nodes,)
        Child where the condition holds, and where it does not; -1 at leaves.
    conditions : sequence of Condition or None, length n_nodes
        The condition of each inner node; None at leaves.
    prediction : int32 ndarray of shape (n_nodes,)
        Index into `means` of what each node predicts: its own number.
    means : float64 ndarray of shape (n_nodes,)
        Weighted mean of the target over the training rows of each node, inner nodes included.
    deviations : float64 ndarray of shape (n_nodes,)
        Weighted standard deviation of the target in each node, the square root of the mean squared error there.
    minima, maxima : float64 ndarray of shape (n_nodes,)
        Least and largest target in each node.
    histograms : float64 ndarray of shape (n_nodes, 16)
        Weight in each node by target, in 16 bins of equal width between least and largest target of all rows.
    weights : float64 ndarray of shape (n_nodes,)
        Training weight in each node, greater than 0.
    n_samples : int64 ndarray of shape (n_nodes,)
        Number of training rows in each node.
    columns : TableSchema
        Names and kinds of the table's columns.
    has_missing : sequence of bool, length n_columns
        Whether each column had missing values in training. Only the wording of rules depends on it.
    target_name : str, default="target"
        Name of the target.

    Raises
    ------
    ValueError
        If the parts do not make a tree; the message names the part.
    TypeError
        If a category is not a string, integer, boolean or float.

    Examples
    --------
    >>> from hornbeam import GOSDTRegressor
    >>> X, y = [[20], [30], [50], [60]], [1.5, 2.5, 8.0, 8.0]
    >>> tree = GOSDTRegressor(regularization=0.05).fit(X, y).tree_
    >>> print(tree)
    x0 <= 40?
    ├── yes: predict 2 (standard deviation 0.5 in 2 rows)
    └── no: predict 8 (standard deviation 0 in 2 rows)
    >>> tree.means.tolist()
    [5.0, 2.0, 8.0]
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    conditions: tuple[Condition | None, ...]
    prediction: npt.NDArray[np.int32]
    means: npt.NDArray[np.float64]
    deviations: npt.NDArray[np.float64]
    minima: npt.NDArray[np.float64]
    maxima: npt.NDArray[np.float64]
    histograms: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    n_samples: npt.NDArray[np.int64]
    columns: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str = "target"

    _arrays = dict.fromkeys(("means", "deviations", "minima", "maxima", "histograms", "weights"), np.float64)
    has_legend = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(self)

    @classmethod
    def from_search(
        cls,
        arrays: Mapping[str, Any],
        conditions: Sequence[Condition],
        targets: npt.NDArray[np.float64],
        weights: npt.NDArray[Any],
        schema: TableSchema,
        has_missing: tuple[bool, ...],
        target_name: str = "target",
    ) -> RegressionTree:
        """Make a tree from the binary columns of a search; its statistics come from the training rows.

        Parameters
        ----------
        arrays : dict of int32 ndarrays
            See `Tree.from_search`; the predictions in it are not used.
        conditions : sequence of Condition
            The condition behind each binary column.
        targets : float64 ndarray of shape (n_rows,)
            Finite targets.
        weights : int64 or float64 ndarray of shape (n_rows,)
            Positive weight of each row.
        schema, has_missing, target_name
            See `columns`, `has_missing` and `target_name` of `RegressionTree`.

        Returns
        -------
        RegressionTree
        """
        links = arrays["left"], arrays["right"], arrays["leaf_of_row"]
        low, high = _ends(targets, *links)
        # Squares of targets near the ends of float64 would leave its range: sums are of -1 to 1, in units of half the
        # range of all targets.
        middle = targets.min() / 2 + targets.max() / 2
        unit = max(float(targets.max() / 2 - targets.min() / 2), float(np.finfo(np.float64).tiny))
        shifted = (targets - middle) / unit
        # The middle of targets next to each other is one of them, so that the other may be 2 units away.
        bins = np.clip((shifted + 1) * (N_BINS / 2), 0, N_BINS - 1).astype(np.int32)
        floats = weights.astype(np.float64)
        parts = np.column_stack([floats, floats * shifted, floats * shifted**2])
        n_samples, sums = _core.node_statistics(*links, None, np.ascontiguousarray(parts), 3)
        _, histograms = _core.node_statistics(*links, bins, floats, N_BINS)
        weight, total, squares = (sums[:, place].copy() for place in range(3))
        mean = total / weight
        # Rounding must neither move a mean out of the range of its rows nor make a variance negative.
        variances = np.where(low == high, 0.0, np.maximum(0.0, squares / weight - mean**2))
        arrays = {**arrays, "prediction": np.arange(len(weight), dtype=np.int32)}
        return cls._from_search(
            arrays,
            conditions,
            schema,
            has_missing,
            target_name,
            n_samples=n_samples,
            means=np.clip(middle + unit * mean, low, high),
            deviations=unit * np.sqrt(variances),
            minima=low,
            maxima=high,
            histograms=histograms,
            weights=weight,
        )

    @property
    def outputs(self) -> npt.NDArray[np.float64]:
        """The means of all nodes."""
        return self.means

    @property
    def colors(self) -> list[str]:
        """Color of each node in drawings, by the place of its output between those of the leaves."""
        leaves = self.outputs[self.left < 0]
        return colors_on_scale(self.outputs, float(leaves.min()), float(leaves.max()))

    @property
    def node_weights(self) -> npt.NDArray[np.float64]:
        """Training weight in each node; shape (n_nodes,)."""
        return self.weights

    def _losses_of_nodes(self) -> npt.NDArray[np.float64]:
        """Return the mean loss of each node by its output, in a unit in which no square overflows."""
        relative: npt.NDArray[np.float64] = (self.deviations / (self.deviations.max() or 1.0)) ** 2
        return relative

    def _relative_losses(self, errors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return what rows lose that are off by so much, as multiples of the mean loss of the root by its output.

        Parameters
        ----------
        errors : float64 ndarray of shape (n_rows,)
            Target less prediction.

        Returns
        -------
        float64 ndarray of shape (n_rows,)
        """
        # Of a constant target any unit will do.
        losses: npt.NDArray[np.float64] = (errors / (float(self.deviations[0]) or 1.0)) ** 2
        return losses

    def shown_output(self, node: int) -> str:
        """Return the output in four digits, see `BaseTree.shown_output`."""
        return number(float(self.outputs[node]))

    def describe(self, node: int, noun: str = "row", confidence: float | None = None) -> str:
        """Return the spread in words, see `BaseTree.describe`: ``standard deviation 0.5 in 12 rows``."""
        if confidence is not None:
            raise ValueError(
                "confidence is for classes. The leaves of a regression tree were chosen with the targets of its rows, "
                "so intervals of their means would be too narrow: predict held-out rows, and see how far they are off."
            )
        return f"standard deviation {number(float(self.deviations[node]))} in {rows_of(self, node, noun)}"

    def leaf_record(self, node: int) -> dict[str, Any]:
        """Return weight and spread of a node, see `BaseTree.leaf_record`."""
        return {
            "weight": float(self.weights[node]),
            "deviation": float(self.deviations[node]),
            "minimum": float(self.minima[node]),
            "maximum": float(self.maxima[node]),
            "histogram": self.histograms[node].tolist(),
        }


def _ends(
    targets: npt.NDArray[np.float64],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    leaf_of_row: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the least and the largest target in each node."""
    low, high = np.full(len(left), np.inf), np.full(len(left), -np.inf)
    np.minimum.at(low, leaf_of_row, targets)
    np.maximum.at(high, leaf_of_row, targets)
    for node, yes, no in reversed(list(inner_nodes(left, right))):
        low[node], high[node] = min(low[yes], low[no]), max(high[yes], high[no])
    return low, high
