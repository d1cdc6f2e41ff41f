"""The tree that users hold: frozen flat arrays, asked in the words of the table it was grown on."""

from hornbeam.tree.base import BaseTree
from hornbeam.tree.tree import Tree

__all__ = ["BaseTree", "Tree"]
