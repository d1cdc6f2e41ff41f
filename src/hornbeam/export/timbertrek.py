"""A set of trees as the JSON that TimberTrek reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

from hornbeam.conditions import Condition, condition_text
from hornbeam.tree import Tree
from hornbeam.tree.words import column_name, storable

_Rules: TypeAlias = dict[str, Any]  # from a feature to the rules that continue there; from "_" to trees that end here


def to_timbertrek(trees: Iterable[tuple[float, Tree]]) -> str:
    """Write trees of two classes as JSON for TimberTrek [1]_, which shows the decision paths that they share.

    Upload the text to its web page as "my own set", or read it with ``json.loads`` and pass it to
    ``timbertrek.visualize`` in a notebook.

    Parameters
    ----------
    trees : iterable of (float, Tree)
        Objectives and trees.

    Returns
    -------
    str
        JSON text.

    Raises
    ------
    ValueError
        If a tree does not have two classes.

    Notes
    -----
    The text is an object with three keys:

    ==============  ===================================================================================
    ``trie``        the decision paths of all trees, nested: an object with the feature ``f`` (``"root"`` at the top)
                    and ``c``, the objects that follow; a path ends with ``{"f": "_", "t": tree}``
    ``featureMap``  from a feature to the name of its column, the test, and a short name
    ``treeMap``     from a tree to its root, its objective and its accuracy on the training data; a node has the
                    children ``c``, first the one where the condition holds, and ``f``: its feature, training weight and
                    -1, or of a leaf ``"+"`` or ``"-"``, training weight and how much of it is classified correctly
    ==============  ===================================================================================

    Features are conditions, numbered from 0 in order of appearance; trees are numbered from 1 in the order given.
    ``"+"`` is the second class. A tree of a single leaf has no path: its number is skipped.

    References
    ----------
    .. [1] Z. J. Wang, C. Zhong, R. Xin, T. Takagi, Z. Chen, D. H. Chau, C. Rudin, M. Seltzer, "TimberTrek: Exploring
           and Curating Sparse Decision Trees with Interactive Visualization", IEEE VIS 2022.

    Examples
    --------
    >>> import json
    >>> from hornbeam import GOSDTClassifier
    >>> from hornbeam.export import to_timbertrek
    >>> classifier = GOSDTClassifier().fit([[20], [30], [40], [50]], ["no", "no", "yes", "yes"])
    >>> found = json.loads(to_timbertrek([(classifier.objective_, classifier.tree_)]))
    >>> root, objective, accuracy = found["treeMap"]["1"]
    >>> found["featureMap"], round(objective, 6), accuracy
    ({'0': ['x0', '<= 35', 'x0']}, 0.02, 1.0)
    """
    features: dict[Condition, str] = {}
    texts: dict[str, list[str]] = {}
    roots: dict[int, list[Any]] = {}
    rules: _Rules = {}
    for number, (objective, tree) in enumerate(trees, start=1):
        if len(tree.classes) != 2:
            raise ValueError(f"TimberTrek shows trees of two classes; tree {number} has {len(tree.classes)}.")
        for condition in tree.conditions:
            if condition is not None and condition not in features:
                feature, name = str(len(features)), column_name(tree, condition.column)
                features[condition] = feature
                texts[feature] = [name, condition_text(condition, tree.columns).removeprefix(name).strip(), name]
        if tree.n_nodes > 1:  # a single leaf has no path of splits to show
            roots[number] = [_record(tree, 0, features), objective, _accuracy(tree)]
            _add_paths(tree, 0, features, rules, number)
    found = {"trie": {"f": "root", "c": _children(rules)}, "featureMap": texts, "treeMap": roots}
    return storable(json.dumps(found, ensure_ascii=False, allow_nan=False))


def _record(tree: Tree, node: int, features: dict[Condition, str]) -> dict[str, Any]:
    weights, condition = tree.class_weights[node], tree.conditions[node]
    if condition is None:
        prediction = int(tree.prediction[node])
        return {"f": ["-+"[prediction], _plain(weights.sum()), _plain(weights[prediction])]}
    sides = (int(tree.left[node]), int(tree.right[node]))
    return {
        "f": [features[condition], _plain(weights.sum()), -1],
        "c": [_record(tree, child, features) for child in sides],
    }


def _accuracy(tree: Tree) -> float:
    leaves = [node for node in range(tree.n_nodes) if tree.conditions[node] is None]
    correct = sum(tree.class_weights[leaf, tree.prediction[leaf]] for leaf in leaves)
    return round(float(correct / tree.class_weights[0].sum()), 5)


def _add_paths(tree: Tree, node: int, features: dict[Condition, str], rules: _Rules, number: int) -> None:
    condition = tree.conditions[node]
    if condition is None:
        rules.setdefault("_", {})[number] = None
        return
    below = rules.setdefault(features[condition], {})
    for child in (int(tree.left[node]), int(tree.right[node])):
        _add_paths(tree, child, features, below, number)


def _children(rules: _Rules) -> list[dict[str, Any]]:
    children: list[dict[str, Any]] = []
    for feature, below in rules.items():
        if feature == "_":
            children.extend({"f": "_", "t": number} for number in below)
        else:
            children.append({"f": feature, "c": _children(below)})
    return children


def _plain(weight: Any) -> int | float:
    """Return a whole weight as an integer, as TimberTrek writes numbers of rows."""
    return int(weight) if weight == int(weight) else float(weight)
