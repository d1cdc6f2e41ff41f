"""A tree as JSON text that loads without executing code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import Condition, condition_from_dict, condition_to_dict
from hornbeam.table import TableSchema
from hornbeam.tree import ActionTree, BaseTree, HazardTree, QuantileTree, RegressionTree, Tree
from hornbeam.tree.checks import LABEL_TYPES
from hornbeam.tree.regression_tree import N_BINS
from hornbeam.tree.words import storable

VERSION = 1

_TREE_KEYS = {"format", "version", "target_name", "columns", "named", "nodes"}
_COLUMN_KEYS = {"name", "kind", "has_missing"}
_LEAF_KEYS = {"prediction", "n_samples"}
_INNER_KEYS = {"condition", "left", "right"}
# In addition to "kind" and "column".
_CONDITION_KEYS = {
    "at_most": {"threshold"},
    "is_one": set[str](),
    "is_true": set[str](),
    "is_in": {"values"},
    "is_missing": set[str](),
}


def to_json(tree: BaseTree) -> str:
    """Write the tree as JSON, which `from_json` reads back.

    Parameters
    ----------
    tree : BaseTree
        The tree to write.

    Returns
    -------
    str
        JSON text, one node per line.

    Notes
    -----
    Version 1 is an object with exactly these keys:

    ===============  ==================================================================================
    ``format``       ``"hornbeam-tree"``; ``"hornbeam-action-tree"`` for trees of actions,
                     ``"hornbeam-regression-tree"`` for trees of numbers,
                     ``"hornbeam-quantile-tree"`` for trees of quantiles,
                     ``"hornbeam-hazard-tree"`` for trees of hazards
    ``version``      ``1``
    ``target_name``  string
    ``classes``      array of different strings, integers, booleans or finite floats (written with a point);
                     for trees of actions under the key ``actions``; for trees of numbers, ``means`` has the
                     number that each node predicts, for trees of quantiles ``quantiles``, and for trees of hazards
                     ``hazard_ratios``
    ``quantile``     only for trees of quantiles: which quantile, above 0 and below 1
    ``times``        only for trees of hazards: array with the different times of events, rising
    ``columns``      array of objects with ``name`` (string), ``kind`` (``"number"``, ``"category"``, ``"date"``,
                     ``"datetime"``, ``"datetime_utc"``, ``"duration"`` or ``"time"``) and ``has_missing``
                     (boolean: were values missing in training?)
    ``named``        boolean: were the names of the columns given by the user?
    ``nodes``        array of nodes in pre-order, left child first; node 0 is the root
    ===============  ==================================================================================

    A leaf is an object with exactly these keys; an inner node has those of the second table too:

    =================  ================================================================================
    ``prediction``     index into ``classes``, ``actions``, ``means``, ``quantiles`` or ``hazard_ratios``
    ``n_samples``      number of training rows, at least 1
    ``class_weights``  array with the training weight of each class
    ``weight``         in place of it, for trees of actions: the training weight
    ``mean_rewards``   and array with the mean reward of each action, null where it is not known
    ``weight``         for trees of numbers or quantiles: the training weight,
    ``deviation``      its standard deviation,
    ``minimum``        its least target,
    ``maximum``        its largest target,
    ``histogram``      and array with the weight in 16 bins between the ends of the root
    ``mean``           for trees of quantiles also: its mean,
    ``loss``           and the mean quantile loss of its rows
    ``weight``         for trees of hazards: the training weight,
    ``n_events``       the training weight of its events,
    ``survival``       array with the Kaplan-Meier estimate at the ``times`` of the tree,
    ``hazards``        and array with the Nelson-Aalen estimate there
    =================  ================================================================================

    =================  ================================================================================
    ``condition``      object with ``kind``, ``column`` (index into ``columns``) and, for kind ``"at_most"``,
                       ``threshold`` (finite number; seconds since 1970-01-01 or midnight, or of a duration,
                       for columns of dates, times and durations), for kind ``"is_in"``, ``values`` (array of strings,
                       integers, booleans or floats); kinds ``"is_one"``, ``"is_true"`` (the same for booleans) and
                       ``"is_missing"`` have no more
    ``left``           index of the child for rows of which the condition holds
    ``right``          index of the child for all other rows
    =================  ================================================================================

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> from hornbeam import Tree
    >>> Tree.from_json(tree.to_json()) == tree
    True
    """
    nodes = ",\n".join(json_text(_node_record(tree, node)) for node in range(tree.n_nodes))
    return f"{head_of(tree)}{nodes}\n]}}\n"


def head_of(tree: BaseTree) -> str:
    """Write everything before the nodes of a tree."""
    columns = [
        {"name": name, "kind": kind, "has_missing": has_missing}
        for name, kind, has_missing in zip(tree.columns.names, tree.columns.kinds, tree.has_missing, strict=True)
    ]
    name, kind = next((name, kind) for name, kind in _KINDS.items() if kind.tree is type(tree))
    head = {
        "format": name,
        "version": VERSION,
        "target_name": tree.target_name,
        kind.outputs: tree.outputs.tolist(),
        **{key: np.asarray(getattr(tree, key)).tolist() for key in kind.of_tree},
        "columns": columns,
        "named": tree.columns.named,
    }
    return f'{json_text(head)[:-1]}, "nodes": [\n'


def from_json(text: str | bytes) -> BaseTree:
    """Read a tree of any kind that `to_json` wrote. Nothing in the text is executed.

    Parameters
    ----------
    text : str or bytes
        JSON text; bytes are UTF-8.

    Returns
    -------
    Tree, ActionTree, RegressionTree, QuantileTree or HazardTree
        Equal to the tree that was written.

    Raises
    ------
    ValueError
        If the text is not JSON, is not a tree of this version, or is damaged; the message names the place.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> from hornbeam.export import from_json
    >>> from_json(tree.to_json()) == tree
    True
    """
    record = parsed_json(text)
    kind = _KINDS.get(str(record.get("format"))) if isinstance(record, dict) else None
    if kind is None:
        known = ", ".join(map(repr, _KINDS))
        raise ValueError(f'This JSON is not a tree of hornbeam: its "format" is none of {known}.')
    if type(record.get("version")) is not int or record["version"] != VERSION:
        raise ValueError(
            f"This tree is written in version {record.get('version')!r} of its format; this hornbeam reads version "
            f"{VERSION}. Use the hornbeam that wrote it, or a newer one."
        )
    try:
        return _tree(record, kind)
    except (TypeError, ValueError) as error:
        raise ValueError(f"This JSON is a damaged tree. {error}") from None


def json_text(value: Any) -> str:
    """Write a plain value as `to_json` does."""
    # UTF-8 cannot hold a lone surrogate, but the escape of JSON, which looks like Python's, can.
    return storable(json.dumps(value, ensure_ascii=False, allow_nan=False))


def _node_record(tree: BaseTree, node: int) -> dict[str, Any]:
    condition = tree.conditions[node]
    links = {"left": int(tree.left[node]), "right": int(tree.right[node])}
    return {
        **({} if condition is None else {"condition": condition_to_dict(condition), **links}),
        "prediction": int(tree.prediction[node]),
        "n_samples": int(tree.n_samples[node]),
        **tree.leaf_record(node),
    }


def parsed_json(text: str | bytes) -> Any:
    """Return what a JSON text holds; ValueError if it is not JSON, or nested too deeply for Python's reader."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"it holds {constant}, which is not a number in JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise ValueError("This is not a tree that can be read: its JSON is nested too deeply.") from None
    except ValueError as error:
        is_name = isinstance(text, str) and text.endswith(".json")
        hint = " It looks like the name of a file; pass what the file holds." if is_name else ""
        raise ValueError(f"This is not valid JSON: {error}.{hint}") from None


def _tree(record: dict[str, Any], kind: _Kind) -> BaseTree:
    """Read the keys of version 1; types and ranges are checked here, everything else when the tree is made."""
    _check_keys(record, _TREE_KEYS | {kind.outputs} | kind.of_tree.keys(), "the tree")
    outputs = _labels(typed(record[kind.outputs], list, kind.outputs), kind.outputs)
    columns, has_missing = _columns(record)
    nodes = typed(record["nodes"], list, "nodes")
    parts = [_node(node, f"nodes[{index}]", kind, len(outputs), len(nodes)) for index, node in enumerate(nodes)]
    tree: BaseTree = kind.tree(
        **{name: np.array([part[name] for part in parts]) for name in ("left", "right", *_LEAF_KEYS)},
        **{kind.names.get(key, key): np.array([part[key] for part in parts]) for key in kind.of_node},
        **{kind.outputs: outputs},
        **{key: read(record[key], key, 0) for key, read in kind.of_tree.items()},
        conditions=tuple(part["condition"] for part in parts),
        columns=columns,
        has_missing=has_missing,
        target_name=typed(record["target_name"], str, "target_name"),
    )
    return tree


def _check_keys(record: Any, keys: set[str], where: str) -> None:
    found = set(typed(record, dict, where))
    if found != keys:
        missing, unknown = sorted(keys - found), sorted(found - keys)
        raise ValueError(f"{where} lacks the keys {missing} or has unknown keys {unknown}.")


def typed(value: Any, kind: type, where: str) -> Any:
    """Return the value if it is of exactly this type: True is not an integer here."""
    if type(value) is not kind:
        raise ValueError(f"{where} is {value!r:.80}; expected {kind.__name__}.")
    return value


def _integer(value: Any, where: str, low: int, high: int) -> int:
    """Return an integer from `low` up to, but not including, `high`."""
    if not low <= typed(value, int, where) < high:
        raise ValueError(f"{where} is {value}; expected {low} to {high - 1}.")
    return int(value)


def _number(value: Any, where: str) -> float:
    # An integer may be too large for a float; NaN and infinity fail the comparison too.
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        raise ValueError(f"{where} is {value!r:.80}; expected a finite number.")
    return float(value)


def _labels(labels: list[Any], key: str) -> npt.NDArray[Any]:
    """Return labels as an array that keeps their types: NumPy alone would turn mixed ones into strings."""
    for index, label in enumerate(labels):
        if type(label) not in LABEL_TYPES:
            raise ValueError(f"{key}[{index}] is {label!r:.80}; expected a label.")
    if len(set(map(type, labels))) == 1:
        return np.array(labels)
    mixed = np.empty(len(labels), dtype=object)
    mixed[:] = labels
    return mixed


def _columns(record: dict[str, Any]) -> tuple[TableSchema, tuple[bool, ...]]:
    columns = typed(record["columns"], list, "columns")
    for index, column in enumerate(columns):
        _check_keys(column, _COLUMN_KEYS, f"columns[{index}]")
        typed(column["name"], str, f"columns[{index}].name")
        typed(column["kind"], str, f"columns[{index}].kind")
        typed(column["has_missing"], bool, f"columns[{index}].has_missing")
    names, kinds = (tuple(column[key] for column in columns) for key in ("name", "kind"))
    schema = TableSchema(names, kinds, typed(record["named"], bool, "named"))
    return schema, tuple(column["has_missing"] for column in columns)


def _node(node: Any, where: str, kind: _Kind, n_outputs: int, n_nodes: int) -> dict[str, Any]:
    """Return the parts of one node, their types and ranges checked."""
    is_leaf = "condition" not in typed(node, dict, where)
    _check_keys(node, _LEAF_KEYS | kind.of_node.keys() | (set() if is_leaf else _INNER_KEYS), where)
    return {
        **{key: read(node[key], f"{where}.{key}", n_outputs) for key, read in kind.of_node.items()},
        "condition": None if is_leaf else _condition(node["condition"], f"{where}.condition"),
        "left": -1 if is_leaf else _integer(node["left"], f"{where}.left", 0, n_nodes),
        "right": -1 if is_leaf else _integer(node["right"], f"{where}.right", 0, n_nodes),
        "prediction": _integer(node["prediction"], f"{where}.prediction", 0, n_outputs),
        "n_samples": _integer(node["n_samples"], f"{where}.n_samples", 1, 2**63),
    }


def _numbers(values: Any, where: str, n_outputs: int) -> list[float]:
    """Return a number for each output."""
    if len(typed(values, list, where)) != n_outputs:
        raise ValueError(f"{where} must have {n_outputs} entries.")
    return [_number(value, where) for value in values]


def _any_numbers(values: Any, where: str, _: int = 0) -> list[float]:
    """Return a list of numbers, however many."""
    return [_number(value, where) for value in typed(values, list, where)]


def _numbers_or_null(values: Any, where: str, n_outputs: int) -> list[float]:
    """Return a number for each output, NaN for null."""
    known = [0.0 if value is None else value for value in typed(values, list, where)]
    read = _numbers(known, where, n_outputs)
    return [np.nan if value is None else number for value, number in zip(values, read, strict=True)]


def _condition(record: Any, where: str) -> Condition:
    kind = typed(typed(record, dict, where).get("kind"), str, f"{where}.kind")
    if kind not in _CONDITION_KEYS:
        raise ValueError(f"{where}.kind is {kind!r:.80}; expected one of {list(_CONDITION_KEYS)}.")
    _check_keys(record, _CONDITION_KEYS[kind] | {"kind", "column"}, where)
    _integer(record["column"], f"{where}.column", 0, 2**31)
    if kind == "at_most":
        _number(record["threshold"], f"{where}.threshold")
    if kind == "is_in":
        typed(record["values"], list, f"{where}.values")
    return condition_from_dict(record)


def _bins(values: Any, where: str, _: int) -> list[float]:
    """Return the weights of a histogram."""
    return _numbers(values, where, N_BINS)


def _one(value: Any, where: str, _: int) -> float:
    return _number(value, where)


_CURVES = ("survival", "hazards")


class _Kind(NamedTuple):
    """How the trees of one class are written: the key of their outputs, and what reads each key of a node.

    A reader gets the value, its place for messages, and the number of outputs. `names` has the fields of the tree that
    are called otherwise than the key. `of_tree` are further keys of the tree, with what reads them.
    """

    tree: type[Any]
    outputs: str
    of_node: Mapping[str, Callable[[Any, str, int], Any]]
    names: Mapping[str, str] = {}
    of_tree: Mapping[str, Callable[[Any, str, int], Any]] = {}


_OF_NUMBERS = {**dict.fromkeys(("weight", "deviation", "minimum", "maximum"), _one), "histogram": _bins}
_NAMES_OF_NUMBERS = {
    "weight": "weights",
    "deviation": "deviations",
    "minimum": "minima",
    "maximum": "maxima",
    "histogram": "histograms",
}
_KINDS = {
    "hornbeam-tree": _Kind(Tree, "classes", {"class_weights": _numbers}),
    "hornbeam-action-tree": _Kind(
        ActionTree,
        "actions",
        {"weight": _one, "mean_rewards": _numbers_or_null},
        {"weight": "weights"},
    ),
    "hornbeam-regression-tree": _Kind(
        RegressionTree,
        "means",
        _OF_NUMBERS,
        _NAMES_OF_NUMBERS,
    ),
    "hornbeam-quantile-tree": _Kind(
        QuantileTree,
        "quantiles",
        {**_OF_NUMBERS, "mean": _one, "loss": _one},
        {**_NAMES_OF_NUMBERS, "mean": "means", "loss": "losses"},
        {"quantile": _one},
    ),
    "hornbeam-hazard-tree": _Kind(
        HazardTree,
        "hazard_ratios",
        {**dict.fromkeys(("weight", "n_events"), _one), **dict.fromkeys(_CURVES, _any_numbers)},
        {"weight": "weights", "hazards": "cumulative_hazards"},
        {"times": _any_numbers},
    ),
}
