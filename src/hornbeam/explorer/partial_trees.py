"""A tree of which only some nodes are fixed: the state of the explorer, and how it is read from a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from hornbeam._checks import is_integer, shown

Path: TypeAlias = tuple[tuple[int, bool], ...]  # numbers of conditions, and whether they hold
MOST_NODES = 4096  # of a partial tree in a message


@dataclass(frozen=True, slots=True)
class Open:
    """A node where any subtree may stand."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A leaf that predicts a class, by number."""

    prediction: int


@dataclass(frozen=True, slots=True)
class Split:
    """A node that tests a condition, by number."""

    condition: int
    true: PartialTree
    false: PartialTree


PartialTree: TypeAlias = Open | Leaf | Split


def read_partial(record: Any, n_conditions: int, n_classes: int) -> PartialTree:
    """Read a partial tree from plain values of a message.

    Parameters
    ----------
    record : dict or None
        None is an open node, ``{"leaf": class}`` a leaf, ``{"split": condition, "true": ..., "false": ...}`` a split.
    n_conditions, n_classes : int
        How many there are.

    Returns
    -------
    PartialTree

    Raises
    ------
    ValueError
        If the record is none of these, a number is out of range, or there are too many nodes.
    """
    n_nodes = 0

    def read(one: Any, depth: int) -> PartialTree:
        nonlocal n_nodes
        n_nodes += 1
        if n_nodes > MOST_NODES or depth > 64:
            raise ValueError(f"tree: expected at most {MOST_NODES} nodes on 64 levels.")
        if one is None:
            return Open()
        if not isinstance(one, dict):
            raise ValueError(f"tree: expected a split, a leaf or null, got {shown(one)}.")
        if "leaf" in one:
            return Leaf(_number("leaf", one["leaf"], n_classes))
        condition = _number("split", one.get("split"), n_conditions)
        return Split(condition, read(one.get("true"), depth + 1), read(one.get("false"), depth + 1))

    return read(record, 0)


def read_path(text: Any) -> str:
    """Read the place of a node: a letter for each step from the root, "T" where the condition holds, else "F"."""
    if not isinstance(text, str) or len(text) > 64 or set(text) - {"T", "F"}:
        raise ValueError(f"path: expected letters T and F, got {shown(text)}.")
    return text


def node_at(tree: PartialTree, place: str) -> PartialTree:
    """Return the node at a place.

    Raises
    ------
    ValueError
        If the tree has no such node.
    """
    for letter in place:
        if not isinstance(tree, Split):
            raise ValueError(f"path: the tree has no node {place!r}.")
        tree = tree.true if letter == "T" else tree.false
    return tree


def replaced(tree: PartialTree, place: str, new: PartialTree) -> PartialTree:
    """Return the tree with another node at a place."""
    if not place:
        return new
    assert isinstance(tree, Split)
    if place[0] == "T":
        return Split(tree.condition, replaced(tree.true, place[1:], new), tree.false)
    return Split(tree.condition, tree.true, replaced(tree.false, place[1:], new))


def path_to(tree: PartialTree, place: str) -> Path:
    """Return the conditions above a place."""
    steps = []
    for letter in place:
        assert isinstance(tree, Split)
        steps.append((tree.condition, letter == "T"))
        tree = tree.true if letter == "T" else tree.false
    return tuple(steps)


def _number(name: str, value: Any, size: int) -> int:
    if not is_integer(value) or not 0 <= value < size:
        raise ValueError(f"{name}: expected a number from 0 to {size - 1}, got {shown(value)}.")
    return int(value)
