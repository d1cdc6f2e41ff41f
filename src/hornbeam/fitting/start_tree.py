"""The tree that a search starts from: read from any origin, pruned for the problem, on the columns of the search.

A tree of another origin need not fit: it may have been grown on other rows, for another leaf penalty, or without the
limits. It is made to fit in this order. Its splits are applied to the training rows: one that leaves too few rows on
one side is left out, and below `max_depth` there is none. Every node predicts what is best for its rows, and the tree
is pruned for the leaf penalty and the other limits. What is left is looked up among the conditions of the search, by
the rows that they separate; a condition that is not there is added to them, so that nothing of the tree is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from json import dumps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._checks import shown
from hornbeam.binarizers import Conditions, Place, places_of
from hornbeam.conditions import AtMost, Condition, IsMissing
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.fitting.squares import SquaredErrorScale
from hornbeam.fitting.training import TrainingRows
from hornbeam.table import Kind, Table, TableSchema
from hornbeam.tree import BaseTree
from hornbeam.tree.pruning import pruned_for

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays

TreeScale: TypeAlias = AdditiveScale | SquaredErrorScale
"""The scales of the problems whose search can start from a tree."""
StartArrays = npt.NDArray[np.int32]
"""Shape (3, n_nodes): index of the condition (-1 at a leaf), child where it holds, child where it fails."""

_LEAF = -1
_NODES_AT_ONCE = 2048  # of a tree that is applied whatever the time, since even no time is enough for a start tree


@dataclass(frozen=True)
class Splits:
    """The splits of a tree of any origin.

    Attributes
    ----------
    conditions : sequence of Condition or None
        Of each node; None at leaves. Node 0 is the root.
    left, right : sequence of int
        Child where the condition holds, and where it fails.
    columns : TableSchema
        Of the table of the tree.
    missing_left : sequence of bool or None
        Whether missing values go to the left, although the condition fails; None: nowhere.
    origin : str
        How messages call the tree.
    """

    conditions: Sequence[Condition | None]
    left: Sequence[int]
    right: Sequence[int]
    columns: TableSchema
    missing_left: Sequence[bool] | None
    origin: str


def read_splits(given: Any, origin: str = "start_tree") -> Splits:
    """Read a tree: of hornbeam, of a fitted estimator of hornbeam or scikit-learn, or as JSON.

    Raises
    ------
    ValueError
        If an estimator is not fitted, or the JSON is not a tree of hornbeam.
    TypeError
        If `given` is none of these.
    """
    if isinstance(given, (str, bytes, Mapping)):
        try:
            given = BaseTree.from_json(dumps(given) if isinstance(given, Mapping) else given)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{origin} is not JSON that Tree.to_json wrote. {error}") from None
    tree = given if isinstance(given, BaseTree) else getattr(given, "tree_", None)
    if isinstance(tree, BaseTree):
        return Splits(tree.conditions, tree.left.tolist(), tree.right.tolist(), tree.columns, None, origin)
    if hasattr(tree, "children_left"):
        return _splits_of_sklearn(given, origin)
    if hasattr(given, "fit"):
        raise ValueError(
            f"{origin} must be fitted, got {shown(given)}, which has no tree. scikit-learn's clone, which "
            "cross_val_score and GridSearchCV use, drops what an estimator has learned, but it keeps a Tree: pass the "
            "tree_ of an estimator of hornbeam."
        )
    raise TypeError(
        f"{origin} must be a Tree, a fitted tree estimator of hornbeam or scikit-learn, JSON that Tree.to_json wrote, "
        f"or None, got {shown(given)}."
    )


def _splits_of_sklearn(model: Any, origin: str) -> Splits:
    tree = model.tree_
    names = getattr(model, "feature_names_in_", None)
    n_columns = int(model.n_features_in_)
    kinds: list[Kind] = ["number"] * n_columns
    given = tuple(map("x{}".format, range(n_columns))) if names is None else tuple(map(str, names))
    schema = TableSchema(given, tuple(kinds), named=names is not None)
    left, columns, thresholds = tree.children_left.tolist(), tree.feature.tolist(), tree.threshold.tolist()
    conditions = [
        None if child == _LEAF else AtMost(column, threshold)
        for child, column, threshold in zip(left, columns, thresholds, strict=True)
    ]
    missing_left = getattr(tree, "missing_go_to_left", None)  # scikit-learn 1.3
    return Splits(
        conditions,
        left,
        tree.children_right.tolist(),
        schema,
        None if missing_left is None else missing_left.astype(bool).tolist(),
        origin,
    )


def tested_conditions(trees: Sequence[Splits], schema: TableSchema) -> list[Condition]:
    """Return the conditions on the columns of a table that trees test, each once.

    Raises
    ------
    ValueError
        See `start_arrays`.
    """
    found: dict[Condition, None] = {}
    for tree in trees:
        column_of = _columns_in(tree, schema)
        for node, condition in enumerate(tree.conditions):
            if condition is None:
                continue
            column = column_of[condition.column]
            found[replace(condition, column=column)] = None
            if tree.missing_left is not None and tree.missing_left[node]:
                found[IsMissing(column)] = None
    return list(found)


def start_arrays(
    trees: Sequence[Splits],
    conditions: Conditions,
    training: TrainingRows,
    scale: TreeScale,
    options: _core.SearchOptions,
) -> tuple[StartArrays | None, Conditions]:
    """Return the best of some trees, made to fit the problem, on the conditions of the search.

    Parameters
    ----------
    trees : sequence of Splits
    conditions : Conditions
        Of the search.
    training : TrainingRows
    scale : TreeScale
    options : SearchOptions
        The limits on the tree.

    Returns
    -------
    start : ndarray or None
        See `StartArrays`; None for a single leaf, from which every search starts.
    conditions : Conditions
        With those of the tree that are not among them.

    Raises
    ------
    ValueError
        If a tree tests a column that the table does not have, or has as another kind.
    """

    def losses_of(tree: TreeArrays) -> npt.NDArray[np.int64]:
        return scale.losses_of_nodes(tree, training.codes)

    fitting: list[tuple[int, TreeArrays, list[Condition]]] = []
    for tree in trees:
        applied = _Applied(tree, training, scale, options)
        whole = applied.arrays()
        whole["prediction"] = scale.best_predictions(whole, training.codes)
        arrays = pruned_for(whole, losses_of, scale.leaf_cost, options.max_leaves, is_list=options.rule_list)
        is_leaf = arrays["column"] == _LEAF
        cost = int((losses_of(arrays)[is_leaf] + scale.leaf_cost).sum())
        fitting.append((cost, arrays, applied.distinct()))
    _, best, tested = min(fitting, key=lambda one: one[0])
    if len(best["column"]) == 1:
        return None, conditions
    return _on_conditions(best, tested, conditions, training.table)


def _on_conditions(
    tree: TreeArrays, tested: list[Condition], conditions: Conditions, table: Table
) -> tuple[StartArrays, Conditions]:
    used = np.unique(tree["column"][tree["column"] != _LEAF])
    wanted = [tested[number] for number in used]
    places = places_of(wanted, conditions, table)
    others = [condition for condition, place in zip(wanted, places, strict=True) if place is None]
    if others:
        conditions = conditions.adding(others)
        places = places_of(wanted, conditions, table)
    found = cast("list[Place]", places)
    is_inner = tree["column"] != _LEAF
    number = np.searchsorted(used, tree["column"][is_inner])
    start = np.array([tree["column"], tree["left"], tree["right"]], dtype=np.int32)
    start[0, is_inner] = np.array([place.position for place in found])[number]
    is_turned = np.zeros(len(is_inner), dtype=bool)
    is_turned[is_inner] = np.array([place.is_opposite for place in found])[number]
    start[1:, is_turned] = start[:0:-1, is_turned]
    return start, conditions


class _Node(NamedTuple):
    """A node of the given tree that is still to be applied."""

    number: int
    rows: npt.NDArray[np.intp]
    depth: int
    parent: int
    """Its parent in the new tree."""
    is_left: bool


class _Applied:
    """A tree applied to the training rows, without the splits that they or the limit on the depth do not allow.

    Nor is there a split where a leaf loses no more than one more leaf costs, so that large trees take little time, or
    where a large tree has used up the time of the fit.

    Raises
    ------
    ValueError
        See `start_arrays`.
    """

    def __init__(self, tree: Splits, training: TrainingRows, scale: TreeScale, options: _core.SearchOptions) -> None:
        table = training.table
        self._tree, self._table, self._codes = tree, table, training.codes
        self._least, self._counts = options.min_samples_leaf, training.counts
        self._column_of = _columns_in(tree, table.schema)
        self._numbers: dict[Condition, int] = {}
        most_depth = np.inf if options.max_depth is None else options.max_depth
        self._column: list[int] = []
        self._children: tuple[list[int], list[int]] = ([], [])
        self._leaf_of_row = np.empty(table.n_rows, dtype=np.int32)
        nodes = [_Node(0, np.arange(table.n_rows), 0, _LEAF, is_left=False)]
        while nodes:
            node = nodes.pop()
            has_time = len(self._column) < _NODES_AT_ONCE or not training.budget.is_spent()
            may_split = (
                has_time and node.depth < most_depth and scale.loss_of_leaf(node.rows, self._codes) > scale.leaf_cost
            )
            split = self._split(node) if may_split else None
            number = self._add(node, None if split is None else split[0])
            if split is None:
                self._leaf_of_row[node.rows] = number
                continue
            _, held, (left, right) = split
            below = node.depth + 1
            nodes.append(_Node(right, node.rows[~held], below, number, is_left=False))
            nodes.append(_Node(left, node.rows[held], below, number, is_left=True))

    def arrays(self) -> TreeArrays:
        """Return the tree on `distinct`, in pre-order, without predictions."""
        left, right = (np.array(side, dtype=np.int32) for side in self._children)
        column = np.array(self._column, dtype=np.int32)
        return {
            "column": column,
            "left": left,
            "right": right,
            "prediction": np.zeros_like(column),
            "leaf_of_row": self._leaf_of_row,
        }

    def distinct(self) -> list[Condition]:
        """Return the conditions that the tree tests, each once."""
        return list(self._numbers)

    def _add(self, node: _Node, condition: Condition | None) -> int:
        number = len(self._column)
        self._column.append(_LEAF if condition is None else self._numbers.setdefault(condition, len(self._numbers)))
        for side in self._children:
            side.append(_LEAF)
        if node.parent != _LEAF:
            self._children[0 if node.is_left else 1][node.parent] = number
        return number

    def _split(self, node: _Node) -> tuple[Condition, npt.NDArray[np.bool_], tuple[int, int]] | None:
        """Return the first split from a node on that leaves enough rows on both sides.

        The rows of a split that does not go on with the side that most of them are on.

        Returns
        -------
        condition : Condition
            On the columns of the table.
        held : ndarray of bool
            Where it holds.
        sides : tuple of int
            The nodes where the left and the right side go on.
        """
        tree, rows, number = self._tree, node.rows, node.number
        while (condition := tree.conditions[number]) is not None and self._n_given(rows) >= 2 * self._least:
            condition = replace(condition, column=self._column_of[condition.column])
            column = self._table.column(condition.column, rows)
            held, sides = condition.holds(column), (tree.left[number], tree.right[number])
            if tree.missing_left is not None and tree.missing_left[number]:
                missing = column.is_missing()
                if self._n_given(rows[missing]) >= self._least:
                    # The same split follows for the other rows.
                    condition, held, sides = IsMissing(condition.column), missing, (tree.left[number], number)
            n_held, n_others = self._n_given(rows[held]), self._n_given(rows[~held])
            if min(n_held, n_others) >= self._least:
                return condition, held, sides
            number = sides[0] if n_held >= n_others else sides[1]
        return None

    def _n_given(self, rows: npt.NDArray[np.intp]) -> int:
        """Return how many given rows some rows of the table stand for."""
        return len(rows) if self._counts is None else int(self._counts[rows].sum())


def _columns_in(tree: Splits, schema: TableSchema) -> dict[int, int]:
    """Return for each column that a tree tests its number in a table: by name if both have names, else by place.

    Raises
    ------
    ValueError
        See `start_arrays`.
    """
    tested = sorted({condition.column for condition in tree.conditions if condition is not None})
    is_by_name = tree.columns.named and schema.named
    if is_by_name:
        missing = [tree.columns.names[column] for column in tested if tree.columns.names[column] not in schema.names]
        if missing:
            raise ValueError(
                f"{tree.origin} tests columns that X does not have: {', '.join(map(repr, missing[:5]))}"
                f"{', ...' if len(missing) > 5 else ''}. It must be a tree on the columns of X."
            )
    elif len(tree.columns.names) != len(schema.names):
        raise ValueError(
            f"{tree.origin} is a tree on {len(tree.columns.names)} columns, but X has {len(schema.names)}. It must be "
            "a tree on the columns of X."
        )
    found = {column: schema.names.index(tree.columns.names[column]) if is_by_name else column for column in tested}
    for column, number in found.items():
        expected, kind = tree.columns.kinds[column], schema.kinds[number]
        if (expected == "category") != (kind == "category"):
            raise ValueError(
                f"{tree.origin} tests column {schema.names[number]!r} as a {expected}, but in X it is a {kind}. It "
                "must be a tree on the columns of X."
            )
    return found
