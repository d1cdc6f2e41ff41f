"""A tree as nested dicts."""

from __future__ import annotations

from typing import Any

from hornbeam.conditions import Condition, condition_to_dict
from hornbeam.export._fold import fold
from hornbeam.tree import BaseTree
from hornbeam.tree.words import question


def to_dict(tree: BaseTree) -> dict[str, Any]:
    """Return the tree as nested dicts of plain Python values, for programs that walk it from the root.

    `to_json` is the form to store: this one cannot be read back.

    Parameters
    ----------
    tree : BaseTree
        The tree to convert.

    Returns
    -------
    dict
        A leaf has ``prediction``, ``n_samples``, and for classes ``class_weights`` (one weight per class, in the
        order of the tree's `classes`), for actions ``weight`` and ``mean_rewards`` (in the order of `actions`). An
        inner node has these too, and ``condition`` (its kind, the *name* of its ``column``, and ``threshold`` or
        ``values``; the threshold of a date is in seconds since 1970-01-01), ``text`` (the condition in words), and the
        children ``yes`` and ``no``.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> tree.to_dict()["text"], tree.to_dict()["no"]["prediction"]
    ('x1 <= 40', 'yes')
    """
    outputs = tree.outputs.tolist()

    def leaf(node: int) -> dict[str, Any]:
        return {
            "prediction": outputs[tree.prediction[node]],
            "n_samples": int(tree.n_samples[node]),
            **tree.leaf_record(node),
        }

    def inner(node: int, condition: Condition, yes: dict[str, Any], no: dict[str, Any]) -> dict[str, Any]:
        named = {**condition_to_dict(condition), "column": tree.columns.names[condition.column]}
        return {"condition": named, "text": question(tree, node), "yes": yes, "no": no, **leaf(node)}

    return fold(tree, leaf, inner)
