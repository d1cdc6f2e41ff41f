"""Optimal sparse decision trees, with proof."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("hornbeam")
except PackageNotFoundError:  # used from a source tree, without installation
    __version__ = "unknown"
