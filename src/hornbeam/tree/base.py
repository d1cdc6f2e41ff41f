"""What every tree has, whatever its leaves predict: nodes, conditions and the way of a row through them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from hornbeam.conditions import Condition
from hornbeam.table import TableSchema, read_table
from hornbeam.tree.checks import check_conditions, check_structure
from hornbeam.tree.palette import class_colors
from hornbeam.tree.routing import leaf_of_rows, node_depths, path_matrix
from hornbeam.tree.words import count

if TYPE_CHECKING:
    from hornbeam.export import TreeMethods
else:
    TreeMethods = object  # when `hornbeam.export` is imported, it adds these methods to `BaseTree`

_STRUCTURE = {"left": np.int32, "right": np.int32, "prediction": np.int32, "n_samples": np.int64}

AnyTree = TypeVar("AnyTree", bound="BaseTree")


class BaseTree(ABC, TreeMethods):
    """Base of the trees: a frozen dataclass with the fields below and those of its leaves.

    A subclass names in `_arrays` the arrays of its leaves with their types, states in `outputs` what its leaves predict
    and in `describe` how well. The exports as text need nothing else. `hornbeam.export.json` and
    `hornbeam.export.sklearn` have an entry for each subclass, and `hornbeam.plotting.leaves` draws its leaves.
    """

    left: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    conditions: tuple[Condition | None, ...]
    prediction: npt.NDArray[np.int32]
    """Index into `outputs` of what each node predicts."""
    n_samples: npt.NDArray[np.int64]
    columns: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str

    _arrays: ClassVar[Mapping[str, Any]]
    verb: ClassVar[str] = "predict"
    """What a leaf does with its output, in sentences."""
    has_legend: ClassVar[bool] = True
    """Whether drawings list the outputs with their colors."""

    @property
    def output_column(self) -> str:
        """Name of a column of predictions."""
        return f"predicted_{self.target_name}"

    @property
    @abstractmethod
    def outputs(self) -> npt.NDArray[Any]:
        """The different predictions of the tree."""

    @property
    def colors(self) -> list[str]:
        """Color of each of the outputs in drawings, as ``#RRGGBB``."""
        return class_colors(len(self.outputs))

    def shown_output(self, node: int) -> str:
        """Return what a node predicts, in words.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        str
        """
        return str(self.outputs[self.prediction[node]])

    @property
    @abstractmethod
    def node_weights(self) -> npt.NDArray[np.float64]:
        """Training weight in each node; shape (n_nodes,)."""

    @abstractmethod
    def describe(self, node: int, noun: str = "row", confidence: float | None = None) -> str:
        """Return in words how well a node predicts its training rows.

        Parameters
        ----------
        node : int
            Number of the node.
        noun : str, default="row"
            What a row is called.
        confidence : float or None, default=None
            Adds the confidence interval of the share, see `Tree.share_intervals`. Only for classes.

        Returns
        -------
        str
            For classes ``82 % of 1,204 rows``.
        """

    @abstractmethod
    def leaf_record(self, node: int) -> dict[str, Any]:
        """Return the statistics of the training rows of a node.

        Parameters
        ----------
        node : int
            Number of the node.

        Returns
        -------
        dict
            Plain Python values by name, for exports.
        """

    def __post_init__(self) -> None:
        for name, dtype in {**_STRUCTURE, **self._arrays}.items():
            array = np.array(getattr(self, name), dtype=dtype, order="C")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "has_missing", tuple(map(bool, self.has_missing)))
        check_structure(self)

    @classmethod
    def _from_search(
        cls: type[AnyTree],
        arrays: Mapping[str, Any],
        conditions: Sequence[Condition],
        schema: TableSchema,
        has_missing: tuple[bool, ...],
        target_name: str,
        **parts: Any,
    ) -> AnyTree:
        """Make a tree of what the core returns; `parts` are the numbers of rows, and the arrays of the leaves."""
        parts |= {
            "left": arrays["left"],
            "right": arrays["right"],
            "conditions": tuple([None if column < 0 else conditions[column] for column in arrays["column"].tolist()]),
            "prediction": arrays["prediction"],
            "columns": schema,
            "has_missing": has_missing,
            "target_name": target_name,
        }
        for name in (*_STRUCTURE, *cls._arrays):
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
        """Return what the tree predicts for each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), data frame or Table
            See `apply`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Entries of `outputs`.
        """
        return np.asarray(self.outputs[self.prediction[self.apply(X)]])

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, name), getattr(other, name)) for name in self._fields())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[BaseTree], tuple[Any, ...]]:
        # The read-only flag of an array does not survive pickling, so the tree is made again from its parts.
        return type(self), tuple(getattr(self, name) for name in self._fields())

    def _fields(self) -> list[str]:
        return [field.name for field in fields(self)]  # type: ignore[arg-type]

    def __repr__(self) -> str:
        leaves, columns = count(self.n_leaves, "leaf", "leaves"), count(len(self.columns.names), "column")
        return f"<{type(self).__name__} of {leaves}, depth {self.depth}, {columns}{self._about_leaves()}>"

    def _about_leaves(self) -> str:
        """Return what `repr` adds about the leaves."""
        return ""

    def __str__(self) -> str:
        return self.to_text()


def _same(one: Any, other: Any) -> bool:
    """Compare two parts of trees; labels of an array as Python scalars, so that neither int32 nor object matters."""
    if isinstance(one, np.ndarray) and one.dtype == other.dtype == np.float64:
        return np.array_equal(one, other, equal_nan=True)
    if isinstance(one, np.ndarray):
        one, other = one.tolist(), other.tolist()
        if one and not isinstance(one[0], list) and list(map(type, one)) != list(map(type, other)):
            return False
    return bool(one == other)
