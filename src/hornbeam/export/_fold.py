"""Build something from a tree, children before parents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hornbeam.conditions import Condition
from hornbeam.tree import BaseTree

T = TypeVar("T")


def fold(tree: BaseTree, leaf: Callable[[int], T], inner: Callable[[int, Condition, T, T], T]) -> T:
    """Return ``inner(node, condition, yes, no)`` of the root, or ``leaf(node)`` if the root is a leaf.

    Without recursion, so that a deep tree meets no limit of the interpreter: in pre-order, walked backwards, the last
    two results made are always those of the node's children.
    """
    made: list[T] = []
    for node in reversed(range(tree.n_nodes)):
        condition = tree.conditions[node]
        made.append(leaf(node) if condition is None else inner(node, condition, made.pop(), made.pop()))
    return made.pop()
