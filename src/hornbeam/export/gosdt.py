"""Trees that the programs gosdt and treefarms have written as JSON."""

from __future__ import annotations

from math import inf, isfinite, nextafter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_array, as_float, check_weights, is_number
from hornbeam.conditions import AtMost, Condition, IsIn, condition_of_ones
from hornbeam.export.json import parsed_json, typed
from hornbeam.table import Table, read_table
from hornbeam.tree import Tree
from hornbeam.tree.routing import leaf_of_rows

_ONES = (True, 1, "1", "true")  # how the programs write the reference of a binary column


class _Data(NamedTuple):
    table: Table
    classes: npt.NDArray[Any]


def from_gosdt_json(text: str | bytes, X: Any, y: Any, sample_weight: Any = None) -> list[Tree]:
    """Read the trees in the JSON of the programs gosdt, treefarms or split. Nothing in the text is executed.

    Their files have neither the classes nor the numbers of rows, so they are read together with the training data.

    Parameters
    ----------
    text : str or bytes
        JSON text: a tree, or a list of trees, such as ``get_result()["models_string"]`` of gosdt's `GOSDTClassifier`,
        or ``tree.json()`` of a tree of TreeFARMS.
    X : array-like or data frame of shape (n_rows, n_columns)
        The table that the program was trained on, as a rule of 0 and 1, with its columns in the same order.
    y : array-like of shape (n_rows,)
        The classes of the rows.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Positive weights of the rows. None: every row weighs 1.

    Returns
    -------
    list of Tree
        The trees on the columns of `X`, in the order of the text.

    Raises
    ------
    ValueError
        If the text is not JSON, a node is not one of these programs' (the message names the place, such as
        ``tree 0, true.false``), it does not suit a column of `X` or a class of `y`, or no row of `X` reaches it.

    Notes
    -----
    An inner node has the keys ``feature`` (number of a column), ``true`` and ``false`` (its children), and with some
    versions ``name`` (of the column), ``relation`` and ``reference``. Without a relation, and with ``"=="`` and 1, true
    or "true", the condition is that a column of 0 and 1 is 1; with ``"=="`` and another value that a column of
    categories has this value; with ``">="`` that a number is at least the reference. A leaf has ``prediction``: the
    number of a class in sorted order or, where the leaf also has the ``name`` of the target, the class itself. Loss and
    complexity are not used.

    Examples
    --------
    >>> from hornbeam.export import from_gosdt_json
    >>> model = '{"feature": 1, "true": {"prediction": 0, "loss": 0.0}, "false": {"prediction": 1, "loss": 0.0}}'
    >>> [tree] = from_gosdt_json(model, [[0, 0], [0, 1], [1, 1]], ["yes", "no", "no"])
    >>> print(tree)
    x1 = 1?
    ├── yes: predict no (100 % of 2 rows)
    └── no: predict yes (100 % of 1 row)
    """
    table, labels = read_table(X), as_array("y", y)
    if labels.shape != (table.n_rows,):
        raise ValueError(f"y must have shape ({table.n_rows},), one class for each row of X, got {labels.shape}.")
    weights = check_weights(sample_weight, table.n_rows)
    if weights.min() <= 0:
        raise ValueError("sample_weight must be greater than 0; leave the other rows of X and y out.")
    classes, codes = np.unique(labels, return_inverse=True)
    record = parsed_json(text)
    records = record if isinstance(record, list) else [record]
    name = str(getattr(y, "name", None) or "target")
    data = _Data(table, classes)
    trees = []
    for number, one in enumerate(records):
        arrays, conditions = _arrays(one, data, f"tree {number}")
        trees.append(
            Tree.from_search(
                arrays, conditions, codes.astype(np.int32), weights, classes, table.schema, table.has_missing(), name
            )
        )
    return trees


def _arrays(record: Any, data: _Data, tree: str) -> tuple[dict[str, npt.NDArray[np.int32]], list[Condition]]:
    """Return the nodes in pre-order, with the leaf of each row, and the conditions of the inner nodes."""
    conditions: list[Condition] = []
    columns: list[int] = []
    predictions: list[int] = []
    children: list[list[int]] = []
    places: list[str] = []
    # Without recursion, so that a deep tree meets no limit of the interpreter.
    waiting: list[tuple[Any, str, int]] = [(record, tree, -1)]
    while waiting:
        node, place, parent = waiting.pop()
        number = len(columns)
        if parent >= 0:
            children[parent].append(number)
        children.append([])
        places.append(place)
        if "prediction" in typed(node, dict, place):
            columns.append(-1)
            predictions.append(_class(node, data.classes, place))
            continue
        condition, is_negated = _condition(node, data.table, place)
        columns.append(len(conditions))
        predictions.append(0)  # of an inner node, which nothing reads
        conditions.append(condition)
        mark = "." if parent >= 0 else ", "
        sides = [(node[side], f"{place}{mark}{side}", number) for side in ("true", "false")]
        # The last one is next: first the child for rows of which the condition holds.
        waiting += sides if is_negated else sides[::-1]
    left, right = (np.array([pair[side] if pair else -1 for pair in children], dtype=np.int32) for side in (0, 1))
    of_nodes = [None if column < 0 else conditions[column] for column in columns]
    leaves = leaf_of_rows(left, right, of_nodes, data.table)
    reached = np.bincount(leaves, minlength=len(columns))
    for number, column in enumerate(columns):
        if column < 0 and not reached[number]:
            raise ValueError(f"{places[number]}: no row of X reaches this leaf; X must be the training table.")
    arrays = {"column": columns, "prediction": predictions, "leaf_of_row": leaves}
    return {
        **{key: np.asarray(values, dtype=np.int32) for key, values in arrays.items()},
        "left": left,
        "right": right,
    }, conditions


def _class(leaf: dict[str, Any], classes: npt.NDArray[Any], place: str) -> int:
    """Return the index of the class that a leaf predicts."""
    found = leaf["prediction"]
    if leaf.get("name", "Prediction") == "Prediction":
        if type(found) is not int or not 0 <= found < len(classes):
            raise ValueError(
                f"{place}: prediction is {found!r:.80}; expected 0 to {len(classes) - 1}, the number of a class in y."
            )
        return found
    for index, label in enumerate(classes.tolist()):
        if label == found or str(label) == str(found):
            return index
    raise ValueError(f"{place}: prediction is {found!r:.80}, which is not a class in y; they are {classes.tolist()}.")


def _condition(node: dict[str, Any], table: Table, place: str) -> tuple[Condition, bool]:
    """Return the condition of an inner node, and whether it is the opposite of the node's."""
    missing = [key for key in ("feature", "true", "false") if key not in node]
    if missing:
        raise ValueError(f"{place}: a node needs prediction, or feature, true and false; it lacks {missing}.")
    names, column = table.schema.names, node["feature"]
    if type(column) is not int or not 0 <= column < len(names):
        raise ValueError(f"{place}: feature is {column!r:.80}; expected 0 to {len(names) - 1}, a column of X.")
    if table.schema.named and node.get("name", names[column]) != names[column]:
        raise ValueError(
            f"{place}: column {column} is named {node['name']!r:.80} in the model and {names[column]!r} in X; X must "
            "have the columns of the training table in the same order."
        )
    relation, reference = node.get("relation", "=="), node.get("reference", 1)
    of_column = table.columns[column]
    if relation == ">=" and of_column.kind == "number" and is_number(reference) and isfinite(as_float(reference)):
        return AtMost(column, nextafter(float(reference), -inf)), True  # at least r: not at most the number below r
    if relation == "==" and of_column.kind == "category" and isinstance(reference, (str, int, float)):
        return IsIn(column, (reference,)), False
    if relation == "==" and of_column.kind == "number" and reference in _ONES:
        if not (np.isin(of_column.values, (0, 1)) | of_column.is_missing()).all():
            raise ValueError(f"{place}: tests whether {names[column]!r} is 1; this column of X must hold 0 and 1 only.")
        return condition_of_ones(of_column.is_boolean)(column), False
    raise ValueError(
        f"{place}: relation {relation!r:.20} with reference {reference!r:.80} does not suit column {names[column]!r} "
        f"of kind {of_column.kind!r}; expected '==' for 0 and 1 or a category, '>=' with a number for numbers."
    )
