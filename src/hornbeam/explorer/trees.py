"""From a partial tree without open nodes to a `Tree`, and to the plain values that the page draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import AtMost, Condition, IsIn, IsOne, condition_text, readable_name
from hornbeam.explorer.partial_trees import Leaf, Open, PartialTree, Split
from hornbeam.rashomon.problem import RashomonProblem
from hornbeam.table import TableSchema
from hornbeam.tree import Tree


class TreeMaker:
    """Makes trees of a set from their splits.

    Parameters
    ----------
    problem : RashomonProblem
        Of the set.
    """

    def __init__(self, problem: RashomonProblem) -> None:
        self._problem = problem
        self._holds: dict[int, npt.NDArray[np.bool_]] = {}

    def make(self, tree: PartialTree) -> Tree:
        """Return a tree without open nodes as a `Tree`, with the statistics of the training rows."""
        problem, scale = self._problem, self._problem.scale
        columns: list[int] = []
        children: list[list[int]] = []
        predictions: list[int] = []
        leaf_of_row = np.zeros(len(problem.codes), dtype=np.int32)

        def add(node: PartialTree, rows: npt.NDArray[np.intp]) -> int:
            number = len(columns)
            children.append([-1, -1])
            if isinstance(node, Split):
                columns.append(node.condition)
                weights = np.bincount(problem.codes[rows], scale.weights[rows], minlength=len(problem.classes))
                predictions.append(int(np.argmin(weights @ scale.costs)))
                holds = self.holds(node.condition)[rows]
                children[number] = [add(node.true, rows[holds]), add(node.false, rows[~holds])]
            else:
                assert isinstance(node, Leaf)
                columns.append(-1)
                predictions.append(node.prediction)
                leaf_of_row[rows] = number
            return number

        add(tree, np.arange(len(problem.codes)))
        left, right = np.array(children, dtype=np.int32).T
        arrays = {
            "column": np.array(columns, dtype=np.int32),
            "left": np.ascontiguousarray(left),
            "right": np.ascontiguousarray(right),
            "prediction": np.array(predictions, dtype=np.int32),
            "leaf_of_row": leaf_of_row,
        }
        return Tree.from_search(
            arrays,
            problem.conditions,
            problem.codes,
            problem.weights,
            problem.classes,
            problem.schema,
            problem.has_missing,
            problem.target_name,
        )

    def holds(self, condition: int) -> npt.NDArray[np.bool_]:
        """Return for each training row whether a condition holds."""
        if condition not in self._holds:
            bits = np.unpackbits(self._problem.columns[condition], count=len(self._problem.codes), bitorder="little")
            self._holds[condition] = bits.view(np.bool_)
        return self._holds[condition]


def condition_record(condition: Condition, schema: TableSchema) -> dict[str, Any]:
    """Return a condition for the page.

    It has the number of its column, its words, its opposite in words, and what meets it: a threshold, or texts.
    """
    name, kind = readable_name(schema.names[condition.column]), schema.kinds[condition.column]
    if isinstance(condition, AtMost):
        words = {"text": condition_text(condition, schema), "opposite": condition.negated_text(name, kind)}
        value = condition.threshold_text(kind)
        return {"column": condition.column, **words, "threshold": condition.threshold, "value": value}
    words = {"text": condition_text(condition, schema), "opposite": condition.negated_text(name)}
    record = {"column": condition.column, **words}
    if isinstance(condition, IsIn):
        record["values"] = list(map(str, condition.values))
    elif isinstance(condition, IsOne):
        record["values"] = ["1", "true"]
    return record


def node_records(tree: Tree, partial: PartialTree, fixed: PartialTree) -> dict[str, Any]:
    """Return a tree as nested plain values: what each node tests or predicts, and its training rows.

    Parameters
    ----------
    tree : Tree
        The tree.
    partial : PartialTree
        The same tree with the numbers of its conditions.
    fixed : PartialTree
        The nodes that the user has fixed; the others are those of the best tree.
    """

    def record(node: int, one: PartialTree, pinned: PartialTree | None) -> dict[str, Any]:
        is_fixed = pinned is not None and not isinstance(pinned, Open)
        common = {
            "rows": int(tree.n_samples[node]),
            "weights": tree.class_weights[node].tolist(),
            "prediction": int(tree.prediction[node]),
            "fixed": is_fixed,
        }
        if not isinstance(one, Split):
            return common
        below = pinned if isinstance(pinned, Split) else None
        return {
            **common,
            "split": one.condition,
            "true": record(int(tree.left[node]), one.true, below and below.true),
            "false": record(int(tree.right[node]), one.false, below and below.false),
        }

    return record(0, partial, fixed)
