"""One immutable tree of flat arrays, on the columns of the user's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from hornbeam import _core
from hornbeam.conditions import Condition
from hornbeam.table import TableSchema, read_table
from hornbeam.tree.checks import check_conditions, check_tree
from hornbeam.tree.routing import leaf_of_rows, node_depths, path_matrix

if TYPE_CHECKING:
    from hornbeam.export import TreeMethods
else:
    TreeMethods = object  # when `hornbeam.export` is imported, it adds these methods to `Tree`

# Types of the arrays; `classes` keeps the type of the user's labels.
_DTYPES = {
    "left": np.int32,
    "right": np.int32,
    "prediction": np.int32,
    "class_weights": np.float64,
    "n_samples": np.int64,
    "classes": None,
}


@dataclass(frozen=True, eq=False, repr=False)
class Tree(TreeMethods):
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

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            array = np.array(getattr(self, name), dtype=dtype, order="C")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "has_missing", tuple(map(bool, self.has_missing)))
        check_tree(self)

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

        Returns
        -------
        Tree
        """
        left, right = arrays["left"], arrays["right"]
        n_samples, class_weights = _core.node_statistics(
            left, right, arrays["leaf_of_row"], codes, weights, len(classes)
        )
        parts = {
            "left": left,
            "right": right,
            "conditions": tuple([None if column < 0 else conditions[column] for column in arrays["column"].tolist()]),
            "prediction": arrays["prediction"],
            "class_weights": class_weights,
            "n_samples": n_samples,
            "classes": classes.copy(),
            "columns": schema,
            "has_missing": has_missing,
            "target_name": target_name,
        }
        for name in _DTYPES:
            parts[name].setflags(write=False)
        # The core has checked what it returns; only the conditions may be a user's.
        tree = cls.__new__(cls)
        tree.__dict__.update(parts)
        check_conditions(tree)
        return tree

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.conditions)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return (self.n_nodes + 1) // 2

    @property
    def depth(self) -> int:
        """Number of edges between the root and the deepest leaf; 0 for a single leaf."""
        return int(node_depths(self.left, self.right).max())

    def apply(self, X: Any) -> npt.NDArray[np.intp]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            Whatever `hornbeam.table.read_table` reads, with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers of leaves.

        Raises
        ------
        ValueError
            If the columns of `X` differ from those of the training table in number, name or kind.
        """
        return leaf_of_rows(self.left, self.right, self.conditions, read_table(X, expect=self.columns))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            See `apply`.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 where the row passes the node, root and leaf included.
        """
        return path_matrix(self.left, self.right, self.apply(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the predicted class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            See `apply`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Labels from `classes`.
        """
        return np.asarray(self.classes[self.prediction[self.apply(X)]])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return for each row the shares of the classes in the training weight of its leaf.

        Under unequal costs `predict` may differ from the class of the largest share.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            See `apply`.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Shares of 0 to 1 in the order of `classes`.
        """
        shares = self.class_weights / self.class_weights.sum(axis=1, keepdims=True)
        return np.asarray(shares[self.apply(X)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return all(_same(getattr(self, part.name), getattr(other, part.name)) for part in fields(self))

    def __reduce__(self) -> tuple[type[Tree], tuple[Any, ...]]:
        # The read-only flag of an array does not survive pickling, so the tree is made again from its parts.
        return Tree, tuple(getattr(self, part.name) for part in fields(self))

    def __repr__(self) -> str:
        from hornbeam.tree.words import count

        leaves, columns = count(self.n_leaves, "leaf", "leaves"), count(len(self.columns.names), "column")
        return f"<Tree of {leaves}, depth {self.depth}, {columns}, {count(len(self.classes), 'class', 'classes')}>"

    def __str__(self) -> str:
        return self.to_text()


def _same(one: Any, other: Any) -> bool:
    """Compare two parts of trees; labels of an array as Python scalars, so that neither int32 nor object matters."""
    if isinstance(one, np.ndarray):
        one, other = one.tolist(), other.tolist()
        if one and not isinstance(one[0], list) and list(map(type, one)) != list(map(type, other)):
            return False
    return bool(one == other)
