"""Pictures of trees, by matplotlib, which is imported only when one is drawn."""

from hornbeam.plotting.picture import plot_tree, save_picture

__all__ = ["plot_tree", "save_picture"]
