"""The tree of actions: what a policy does with each row, and what the actions earn in each node."""

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
from hornbeam.tree.checks import check_actions
from hornbeam.tree.words import count, number, rows_of


@dataclass(frozen=True, eq=False, repr=False)
class ActionTree(BaseTree):
    """Immutable binary decision tree whose leaves choose an action.

    Nodes, conditions and missing values are those of `Tree`.

    Parameters
    ----------
    left, right : int32 ndarray of shape (n_nodes,)
        Child where the condition holds, and where it does not; -1 at leaves.
    conditions : sequence of Condition or None, length n_nodes
        The condition of each inner node; None at leaves.
    prediction : int32 ndarray of shape (n_nodes,)
        Index into `actions` of the best action for all rows of each node, inner nodes included.
    mean_rewards : float64 ndarray of shape (n_nodes, n_actions)
        Mean reward of each action, less its cost, over the training rows of each node whose reward is known; NaN if
        none is.
    weights : float64 ndarray of shape (n_nodes,)
        Training weight in each node, greater than 0.
    n_samples : int64 ndarray of shape (n_nodes,)
        Number of training rows in each node.
    actions : ndarray of shape (n_actions,)
        Names of the actions: strings, integers, booleans or floats.
    columns : TableSchema
        Names and kinds of the table's columns.
    has_missing : sequence of bool, length n_columns
        Whether each column had missing values in training. Only the wording of rules depends on it.
    target_name : str, default="action"
        What the legend of a picture calls the actions.

    Raises
    ------
    ValueError
        If the parts do not make a tree; the message names the part.
    TypeError
        If an action or a category is not a string, integer, boolean or float.

    Examples
    --------
    >>> import pandas as pd
    >>> from hornbeam import PolicyTree
    >>> X = pd.DataFrame({"age": [20, 30, 50, 60]})
    >>> rewards = pd.DataFrame({"call": [3, 2, 0, 1], "letter": [1, 1, 2, 2]})
    >>> tree = PolicyTree(regularization=0.1).fit(X, rewards).tree_
    >>> print(tree)
    age <= 40?
    ├── yes: choose call (mean reward 2.5 in 2 rows)
    └── no: choose letter (mean reward 2 in 2 rows)
    >>> tree.mean_rewards.tolist()
    [[1.5, 1.5], [2.5, 1.0], [0.5, 2.0]]
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    conditions: tuple[Condition | None, ...]
    prediction: npt.NDArray[np.int32]
    mean_rewards: npt.NDArray[np.float64]
    weights: npt.NDArray[np.float64]
    n_samples: npt.NDArray[np.int64]
    actions: npt.NDArray[Any]
    columns: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str = "action"

    _arrays = {"mean_rewards": np.float64, "weights": np.float64, "actions": None}  # noqa: RUF012
    verb = "choose"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_actions(self)

    @classmethod
    def from_search(
        cls,
        arrays: Mapping[str, Any],
        conditions: Sequence[Condition],
        rewards: npt.NDArray[np.float64],
        weights: npt.NDArray[np.float64],
        actions: npt.NDArray[Any],
        schema: TableSchema,
        has_missing: tuple[bool, ...],
    ) -> ActionTree:
        """Make a tree from the binary columns of a search; its statistics come from the training rows.

        Parameters
        ----------
        arrays : dict of int32 ndarrays
            See `Tree.from_search`.
        conditions : sequence of Condition
            The condition behind each binary column.
        rewards : float64 ndarray of shape (n_rows, n_actions)
            Rewards less costs; NaN where the reward is not known.
        weights : float64 ndarray of shape (n_rows,)
            Positive weight of each row.
        actions, schema, has_missing
            See `actions`, `columns` and `has_missing` of `ActionTree`.

        Returns
        -------
        ActionTree
        """
        is_known = ~np.isnan(rewards)
        known = np.where(is_known, weights[:, np.newaxis], 0.0)
        # Sums of rewards near the end of float64 would overflow: they are added up in units of the largest one.
        unit = np.ldexp(1.0, int(np.frexp(np.abs(rewards, where=is_known, out=np.zeros_like(rewards)).max())[1]))
        parts = np.column_stack([known * np.where(is_known, rewards / unit, 0.0), known, weights])
        links = arrays["left"], arrays["right"], arrays["leaf_of_row"]
        n_samples, sums = _core.node_statistics(*links, None, np.ascontiguousarray(parts), parts.shape[1])
        totals, weight_of_known, node_weights = np.split(sums, [len(actions), 2 * len(actions)], axis=1)
        with np.errstate(invalid="ignore"):
            means = totals / weight_of_known * unit
        return cls._from_search(
            arrays,
            conditions,
            schema,
            has_missing,
            "action",
            n_samples=n_samples,
            mean_rewards=means,
            weights=node_weights[:, 0].copy(),
            actions=actions.copy(),
        )

    @property
    def outputs(self) -> npt.NDArray[Any]:
        """The actions."""
        return self.actions

    @property
    def node_weights(self) -> npt.NDArray[np.float64]:
        """Training weight in each node; shape (n_nodes,)."""
        return self.weights

    def predicted_reward(self, node: int) -> float:
        """Return the mean reward of the chosen action in a node; NaN if it is not known of any row.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        float
        """
        return float(self.mean_rewards[node, self.prediction[node]])

    def predict_rewards(self, X: Any) -> npt.NDArray[np.float64]:
        """Return for each row the mean reward of each action in the training rows of its leaf.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            See `apply`.

        Returns
        -------
        ndarray of shape (n_rows, n_actions)
            In the order of `actions`.
        """
        return np.asarray(self.mean_rewards[self.apply(X)])

    def describe(self, node: int, noun: str = "row", confidence: float | None = None) -> str:
        """Return the mean reward of the action in words, see `BaseTree.describe`: ``mean reward 2.5 in 12 rows``."""
        if confidence is not None:
            raise ValueError(
                "confidence is for classes. The leaves of a policy were chosen with its rewards, so intervals of their "
                "means would be too good: see the value and standard error of hornbeam.policy_value on held-out rows."
            )
        return f"mean reward {number(self.predicted_reward(node))} in {rows_of(self, node, noun)}"

    def leaf_record(self, node: int) -> dict[str, Any]:
        """Return weight and mean rewards of a node, see `BaseTree.leaf_record`; None where no reward is known."""
        means = [None if np.isnan(mean) else mean for mean in self.mean_rewards[node].tolist()]
        return {"weight": float(self.weights[node]), "mean_rewards": means}

    def _about_leaves(self) -> str:
        return f", {count(len(self.actions), 'action')}"
