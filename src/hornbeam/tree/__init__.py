"""The public tree: immutable flat arrays whose conditions refer to the columns of the training table."""

from hornbeam.tree.tree import Tree

__all__ = ["Tree"]
