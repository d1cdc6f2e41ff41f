"""The best trees of all sizes, and for all leaf penalties."""

from hornbeam.frontier.frontier import Frontier, PathSegment

__all__ = ["Frontier", "PathSegment"]
