"""Wording shared by the drawings and exports of a tree."""

from __future__ import annotations

import numpy as np

from hornbeam.conditions import condition_text, readable_name
from hornbeam.tree.tree import Tree


def storable(text: object) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot hold, as escapes of a backslash, a u and four digits."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: object) -> str:
    """Return the storable text with its line breaks as spaces, so that names cannot break a drawing."""
    return " ".join(storable(text).splitlines())


def column_name(tree: Tree, column: int) -> str:
    """Return the name of a column, see `readable_name`."""
    return readable_name(tree.columns.names[column])


def question(tree: Tree, node: int) -> str:
    """Return the condition of an inner node in words, ``age <= 25.5``."""
    condition = tree.conditions[node]
    if condition is None:
        raise ValueError(f"Node {node} is a leaf; only inner nodes have a condition.")
    return one_line(condition_text(condition, tree.columns))


def label(tree: Tree, node: int) -> str:
    """Return the class that a node predicts, in words."""
    return one_line(tree.classes[tree.prediction[node]])


def percent(share: float) -> str:
    """Return a share of 0 to 1 in whole percent; ``0 %`` and ``100 %`` only where exactly that is meant."""
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %"


def count(number: int, noun: str = "row", plural: str | None = None) -> str:
    """Return ``1 row``, ``1,204 rows``; `plural` is for nouns that take more than an "s"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def predicted_share(tree: Tree, node: int) -> float:
    """Return the share of the predicted class in the training weight of a node, 0 to 1."""
    weights = tree.class_weights[node]
    return float(weights[tree.prediction[node]] / weights.sum())


def support(tree: Tree, node: int, noun: str = "row") -> str:
    """Return ``82 % of 1,204 rows``; rows of unequal weight are called by name."""
    rows = count(int(tree.n_samples[node]), noun)
    weight_of = "the weight of " if has_unequal_weights(tree) else ""
    return f"{percent(predicted_share(tree, node))} of {weight_of}{rows}"


def has_unequal_weights(tree: Tree) -> bool:
    """Return whether shares of weight differ from shares of rows in some node."""
    weights = tree.class_weights.sum(axis=1)
    return not np.allclose(weights / weights[0], tree.n_samples / tree.n_samples[0])
