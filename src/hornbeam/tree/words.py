"""Wording shared by the drawings and exports of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.conditions import condition_text, readable_name

if TYPE_CHECKING:
    from hornbeam.tree.base import BaseTree


def storable(text: object) -> str:
    """Return the text with lone surrogates, which UTF-8 cannot hold, as escapes of a backslash, a u and four digits."""
    return str(text).encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: object) -> str:
    """Return the storable text with its line breaks as spaces, so that names cannot break a drawing."""
    return " ".join(storable(text).splitlines())


def column_name(tree: BaseTree, column: int) -> str:
    """Return the name of a column, see `readable_name`."""
    return readable_name(tree.columns.names[column])


def question(tree: BaseTree, node: int) -> str:
    """Return the condition of an inner node in words, ``age <= 25.5``."""
    condition = tree.conditions[node]
    if condition is None:
        raise ValueError(f"Node {node} is a leaf; only inner nodes have a condition.")
    return one_line(condition_text(condition, tree.columns))


def label(tree: BaseTree, node: int) -> str:
    """Return what a node predicts, in words."""
    return one_line(tree.shown_output(node))


def percent(share: float) -> str:
    """Return a share of 0 to 1 in whole percent; ``0 %`` and ``100 %`` only where exactly that is meant."""
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{100 * share:.0f} %"


def number(value: float) -> str:
    """Return a number of the user's in four digits, ``2.5``, ``12,340``."""
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e9 else f"{value:.4g}"


def count(number: int, noun: str = "row", plural: str | None = None) -> str:
    """Return ``1 row``, ``1,204 rows``; `plural` is for nouns that take more than an "s"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def rows_of(tree: BaseTree, node: int, noun: str = "row") -> str:
    """Return ``1,204 rows``, the training rows of a node; rows of unequal weight are called by name."""
    weight_of = "the weight of " if has_unequal_weights(tree) else ""
    return f"{weight_of}{count(int(tree.n_samples[node]), noun)}"


def has_unequal_weights(tree: BaseTree) -> bool:
    """Return whether shares of weight differ from shares of rows in some node."""
    weights = tree.node_weights
    return not np.allclose(weights / weights[0], tree.n_samples / tree.n_samples[0])
