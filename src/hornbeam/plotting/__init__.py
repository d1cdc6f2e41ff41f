"""Pictures of trees and searches, by matplotlib, which is imported only when one is drawn."""

from hornbeam.plotting.frontier import plot_cv, plot_frontier
from hornbeam.plotting.html import trees_html
from hornbeam.plotting.importance import plot_importance
from hornbeam.plotting.picture import plot_tree, save_picture
from hornbeam.plotting.roc import plot_roc
from hornbeam.plotting.trace import plot_trace

__all__ = [
    "plot_cv",
    "plot_frontier",
    "plot_importance",
    "plot_roc",
    "plot_trace",
    "plot_tree",
    "save_picture",
    "trees_html",
]
