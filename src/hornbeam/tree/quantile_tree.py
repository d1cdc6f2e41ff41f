"""The tree of quantiles: the median, or another quantile, that each leaf predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import Condition
from hornbeam.table import TableSchema
from hornbeam.tree.checks import check_quantiles
from hornbeam.tree.quantiles import pinball_losses, quantiles_of_groups
from hornbeam.tree.regression_tree import RegressionTree
from hornbeam.tree.routing import inner_nodes, node_depths
from hornbeam.tree.words import number, rows_of


@dataclass(frozen=True, eq=False, repr=False)
class QuantileTree(RegressionTree):
    """Immutable binary decision tree whose leaves predict the median of a number, or another quantile.

    Parameters
    ----------
    left, right, conditions, prediction, means, deviations, minima, maxima, histograms, weights, n_samples, columns, \
has_missing, target_name
        See `RegressionTree`; `prediction` is an index into `quantiles`.
    quantiles : float64 ndarray of shape (n_nodes,)
        Weighted quantile of the target over the training rows of each node, inner nodes included.
    losses : float64 ndarray of shape (n_nodes,)
        Mean quantile loss in each node, of the median half the mean absolute error.
    quantile : float, default=0.5
        Which quantile, above 0 and below 1; 0.5 is the median.

    Raises
    ------
    ValueError
        If the parts do not make a tree; the message names the part.
    TypeError
        If a category is not a string, integer, boolean or float.

    Examples
    --------
    >>> from hornbeam import GOSDTRegressor
    >>> X, y = [[20], [30], [40], [50], [60]], [1, 2, 9, 8, 100]
    >>> tree = GOSDTRegressor(regularization=0.05, max_leaves=2, loss="absolute_error").fit(X, y).tree_
    >>> print(tree)
    x0 <= 55?
    ├── yes: predict 5 (mean absolute error 3.5 in 4 rows)
    └── no: predict 100 (mean absolute error 0 in 1 row)
    >>> tree.quantiles.tolist()
    [8.0, 5.0, 100.0]
    """

    quantiles: npt.NDArray[np.float64] = None  # type: ignore[assignment]
    losses: npt.NDArray[np.float64] = None  # type: ignore[assignment]
    quantile: float = 0.5

    _arrays: ClassVar[dict[str, Any]] = {**RegressionTree._arrays, "quantiles": np.float64, "losses": np.float64}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_quantiles(self)

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
        quantile: float = 0.5,
    ) -> QuantileTree:
        """Make a tree from the binary columns of a search; its statistics come from the training rows.

        Parameters
        ----------
        arrays, conditions, targets, weights, schema, has_missing, target_name
            See `RegressionTree.from_search`.
        quantile : float, default=0.5
            What the leaves predict.

        Returns
        -------
        QuantileTree
        """
        of_numbers = RegressionTree.from_search(arrays, conditions, targets, weights, schema, has_missing, target_name)
        links = arrays["left"], arrays["right"], arrays["leaf_of_row"]
        quantiles, losses = _of_nodes(*links, targets, weights.astype(np.float64), quantile)
        parts = {name: getattr(of_numbers, name) for name in of_numbers._fields()}
        return cls(**parts, quantiles=quantiles, losses=losses, quantile=quantile)

    @property
    def outputs(self) -> npt.NDArray[np.float64]:
        """The quantiles of all nodes."""
        return self.quantiles

    def _losses_of_nodes(self) -> npt.NDArray[np.float64]:
        """Return the mean loss of each node, see `RegressionTree`."""
        return self.losses / (self.losses.max() or 1.0)

    def _relative_losses(self, errors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return what rows lose that are off by so much, see `RegressionTree`."""
        return pinball_losses(errors, self.quantile) / (float(self.losses[0]) or 1.0)

    def describe(self, node: int, noun: str = "row", confidence: float | None = None) -> str:
        """Return the mean error in words, see `BaseTree.describe`: ``mean absolute error 0.5 in 12 rows``."""
        if confidence is not None:
            return super().describe(node, noun, confidence)
        return f"{self.name_of_error} {number(self.error(node))} in {rows_of(self, node, noun)}"

    @property
    def name_of_error(self) -> str:
        """What `error` returns, in words."""
        return "mean absolute error" if self.quantile == 0.5 else f"quantile {self.quantile:g}, mean loss"

    def error(self, node: int) -> float:
        """Return the mean absolute error in a node for the median, and its mean quantile loss otherwise.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        float
        """
        return float(self.losses[node]) * (2 if self.quantile == 0.5 else 1)

    def leaf_record(self, node: int) -> dict[str, Any]:
        """Return weight, spread and error of a node, see `BaseTree.leaf_record`."""
        return {
            **super().leaf_record(node),
            "mean": float(self.means[node]),
            "loss": float(self.losses[node]),
        }


def _of_nodes(
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    leaf_of_row: npt.NDArray[np.int32],
    targets: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    quantile: float,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the quantile of each node, and the mean loss by it."""
    quantiles, losses = np.empty(len(left)), np.empty(len(left))
    depths, parents = node_depths(left, right), np.zeros(len(left), dtype=np.intp)
    for node, held, failed in inner_nodes(left, right):
        parents[[held, failed]] = node
    node_of_row = leaf_of_row.astype(np.intp)
    # From the deepest level up: rows of a level are grouped by its nodes, then counted for their parents.
    for depth in range(int(depths.max()), -1, -1):
        here = depths[node_of_row] == depth
        groups, of_level, weights_here = node_of_row[here], targets[here], weights[here]
        found = quantiles_of_groups(groups, of_level, weights_here, quantile)
        lost = np.bincount(groups, weights_here * pinball_losses(of_level - found[groups], quantile))
        nodes = np.flatnonzero(depths == depth)
        quantiles[nodes] = found[nodes]
        losses[nodes] = lost[nodes] / np.bincount(groups, weights_here)[nodes]
        node_of_row[here] = parents[groups]
    return quantiles, losses
