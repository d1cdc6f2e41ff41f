"""The tree of classes: one immutable tree of flat arrays, on the columns of the user's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.conditions import Condition
from hornbeam.table import TableSchema
from hornbeam.tree.base import BaseTree
from hornbeam.tree.checks import check_classes
from hornbeam.tree.shares import Smoothing, check_smoothing, class_shares, share_intervals
from hornbeam.tree.words import count, percent, rows_of


@dataclass(frozen=True, eq=False, repr=False)
class Tree(BaseTree):
    """Immutable binary decision tree whose nodes test conditions on the columns of the user's table.

    Nodes are numbered in pre-order, left child first; node 0 is the root. A row goes to the left child if the
    condition holds, to the right child otherwise; a missing value fails every condition except `IsMissing`. All arrays
    are read-only copies. Two trees are equal if all their parts are: numbers are compared by value, labels by value and
    type. Trees have no hash.

    Parameters
    ----------
    left, right : int32 ndarray of shape (n_nodes,)
        Child where the condition holds, and where it does not; -1 at leaves.
    conditions : sequence of Condition or None, length n_nodes
        The condition of each inner node; None at leaves.
    prediction : int32 ndarray of shape (n_nodes,)
        Index into `classes` of the best prediction for the rows of each node, inner nodes included. Under unequal
        costs it need not be the class of the largest weight.
    class_weights : float64 ndarray of shape (n_nodes, n_classes)
        Training weight of each class in each node; no node has a weight of 0.
    n_samples : int64 ndarray of shape (n_nodes,)
        Number of training rows in each node.
    classes : ndarray of shape (n_classes,)
        Class labels: strings, integers, booleans or floats.
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
        If a class label or a category is not a string, integer, boolean or float.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> print(tree)
    x1 <= 40?
    ├── yes: predict no (100 % of 3 rows)
    └── no: predict yes (100 % of 1 row)
    >>> tree.n_leaves, tree.depth, tree.predict([[1, 45]]).tolist()
    (2, 1, ['yes'])
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    conditions: tuple[Condition | None, ...]
    prediction: npt.NDArray[np.int32]
    class_weights: npt.NDArray[np.float64]
    n_samples: npt.NDArray[np.int64]
    classes: npt.NDArray[Any]
    columns: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str = "target"

    _arrays = {"class_weights": np.float64, "classes": None}  # noqa: RUF012 (None: the type of the labels)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_classes(self)

    @classmethod
    def from_search(
        cls,
        arrays: Mapping[str, Any],
        conditions: Sequence[Condition],
        codes: npt.NDArray[np.int32],
        weights: npt.NDArray[np.int64] | npt.NDArray[np.float64],
        classes: npt.NDArray[Any],
        schema: TableSchema,
        has_missing: tuple[bool, ...],
        target_name: str = "target",
        counts: npt.NDArray[np.int64] | None = None,
    ) -> Tree:
        """Make a tree from the binary columns of a search; its statistics come from the training rows.

        Parameters
        ----------
        arrays : dict of int32 ndarrays of shape (n_nodes,)
            ``column`` (index into `conditions`, -1 at leaves), ``left``, ``right`` and ``prediction`` in pre-order; and
            ``leaf_of_row`` of shape (n_rows,), the leaf that each training row reaches.
        conditions : sequence of Condition
            The condition behind each binary column.
        codes : int32 ndarray of shape (n_rows,)
            Index into `classes` of each row's class.
        weights : int64 or float64 ndarray of shape (n_rows,)
            Positive weight of each row.
        classes, schema, has_missing, target_name
            See `classes`, `columns`, `has_missing` and `target_name` of `Tree`.
        counts : int64 ndarray of shape (n_rows,) or None, default=None
            How many training rows each row stands for, all of its weight. None: 1.

        Returns
        -------
        Tree
        """
        n_samples, class_weights = _core.node_statistics(
            arrays["left"], arrays["right"], arrays["leaf_of_row"], codes, weights, len(classes), counts
        )
        return cls._from_search(
            arrays,
            conditions,
            schema,
            has_missing,
            target_name,
            n_samples=n_samples,
            class_weights=class_weights,
            classes=classes.copy(),
        )

    @property
    def outputs(self) -> npt.NDArray[Any]:
        """The classes."""
        return self.classes

    @property
    def node_weights(self) -> npt.NDArray[np.float64]:
        """Training weight in each node; shape (n_nodes,)."""
        return np.asarray(self.class_weights.sum(axis=1))

    def predicted_share(self, node: int) -> float:
        """Return the share of the predicted class in the training weight of a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        float
            From 0 to 1.
        """
        weights = self.class_weights[node]
        return float(weights[self.prediction[node]] / weights.sum())

    def describe(self, node: int, noun: str = "row", confidence: float | None = None) -> str:
        """Return the share of the predicted class in words, see `BaseTree.describe`: ``82 % of 1,204 rows``."""
        text = f"{percent(self.predicted_share(node))} of {rows_of(self, node, noun)}"
        if confidence is None:
            return text
        return f"{text}; {100 * confidence:g} % interval {self.describe_interval(node, confidence)}"

    def describe_interval(self, node: int, confidence: float) -> str:
        """Return the confidence interval of the share of the predicted class in words: ``80 % to 84 %``.

        Parameters
        ----------
        node : int
            Number of the node.
        confidence : float
            See `share_intervals`.

        Returns
        -------
        str
        """
        alone = share_intervals(self.class_weights[[node]], self.n_samples[[node]], confidence, "wilson")
        low, high = alone[0, self.prediction[node]]
        return f"{percent(low)} to {percent(high)}"

    def leaf_record(self, node: int) -> dict[str, Any]:
        """Return the weight of each class in a node, see `BaseTree.leaf_record`."""
        return {"class_weights": self.class_weights[node].tolist()}

    def predict_proba(self, X: Any, *, smoothing: Smoothing = None) -> npt.NDArray[np.float64]:
        """Return for each row the shares of the classes in the training weight of its leaf.

        Under unequal costs `predict` may differ from the class of the largest share.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            See `apply`.
        smoothing : float, "laplace" or None, default=None
            None: the shares. "laplace": each class weighs 1 more in every leaf. A number m: the m-estimate, as if every
            leaf had m more weight, divided as in all training rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Shares of 0 to 1 in the order of `classes`.

        Raises
        ------
        ValueError
            If `smoothing` is negative, infinite or an unknown string.
        TypeError
            If `smoothing` has the wrong type.
        """
        check_smoothing(smoothing)
        return np.asarray(class_shares(self.class_weights, smoothing)[self.apply(X)])

    def share_intervals(
        self, confidence: float = 0.95, *, method: Literal["wilson", "clopper-pearson"] = "wilson"
    ) -> npt.NDArray[np.float64]:
        """Return confidence intervals of the shares of the classes in each node.

        They hold for a node that was chosen before the labels were seen. The leaves of a tree were chosen with the
        labels, so the shares on new rows are somewhat less extreme; held-out rows tell how much.

        Parameters
        ----------
        confidence : float, default=0.95
            Probability that an interval covers the true share, greater than 0 and less than 1.
        method : {"wilson", "clopper-pearson"}, default="wilson"
            "wilson": the score interval, close to `confidence` also for few rows. "clopper-pearson": at least
            `confidence` for any true share, and wider.

        Returns
        -------
        ndarray of float of shape (n_nodes, n_classes, 2)
            Lower and upper ends, from 0 to 1. The sample size is the number of training rows in the node; with weights
            that are not counts of rows, the intervals are approximate.

        Raises
        ------
        ValueError
            If `confidence` is not between 0 and 1, or `method` is unknown.

        References
        ----------
        .. [1] L. D. Brown, T. T. Cai, A. DasGupta, "Interval Estimation for a Binomial Proportion", Statistical Science
               16(2), 2001.

        Examples
        --------
        >>> from hornbeam import GOSDTClassifier
        >>> X, y = [[0]] * 40 + [[1]] * 10, [0] * 36 + [1] * 14
        >>> tree = GOSDTClassifier(regularization=0.05).fit(X, y).tree_
        >>> tree.share_intervals()[tree.apply([[0]])[0], 0].round(2).tolist()
        [0.77, 0.96]
        """
        return share_intervals(self.class_weights, self.n_samples, confidence, method)

    def _about_leaves(self) -> str:
        return f", {count(len(self.classes), 'class', 'classes')}"
