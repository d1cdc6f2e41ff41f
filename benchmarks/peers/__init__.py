"""What is measured: one module for each peer, with `prepare`, `read` and, where it is not the `fit` below, `fit`.

A peer's module runs in the peer's own environment, where there is nothing but the standard library, NumPy and the peer.
`prepare` is not timed: it imports, compiles and brings the data into the peer's form. `fit` is timed. `read` is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

# Peers that round the leaf penalty to whole rows: where it is not whole, they solve another problem.
ROUND_THE_PRICE = frozenset({"arborenum", "praxis"})


@dataclass(frozen=True)
class Problem:
    """Find the tree of least ``errors / n + regularization * leaves``."""

    X: npt.NDArray[Any]  # columns of 0 and 1 as uint8 if `binary`, numbers as float64 otherwise
    y: npt.NDArray[np.int64]  # codes 0, 1, ... of the classes
    binary: bool  # whether the columns hold only 0 and 1
    regularization: float  # leaf penalty
    max_depth: int | None  # largest number of edges from the root to a leaf; None: no limit
    time_limit: float  # seconds of wall clock
    threads: int  # how many threads the peer may use
    options: dict[str, Any]  # what only this peer understands


@dataclass
class State:
    """What the functions of a peer pass on: the problem, the peer's own solver, and the data in the peer's form."""

    problem: Problem
    model: Any
    X: Any
    y: Any


@dataclass(frozen=True)
class Outcome:
    """The answer of a peer; what it does not tell is None or empty."""

    tree: dict[str, Any] | None  # in the common form, see `benchmarks.trees`; None: the peer returned no tree
    proven: bool  # whether the peer claims that no tree is better; with a rounded penalty it claims nothing
    lower_bound: float | None = None
    claimed_objective: float | None = None
    trace: list[list[float]] = field(default_factory=list)  # seconds, objective, lower bound
    extra: dict[str, float] = field(default_factory=dict)  # "subproblems"; of sets "trees" and "bound"


class Unsupported(Exception):  # noqa: N818 - it is an answer, not an error
    """Raised by `prepare`: the peer cannot solve this problem; the message says why."""


def require(
    problem: Problem,
    *,
    binary: bool = False,
    no_penalty: bool = False,
    at_least: int | None = None,
    at_most: float = inf,
) -> None:
    """Raise `Unsupported` if a problem is not binary, has a leaf penalty, or has a depth limit outside a range."""
    if binary and not problem.binary:
        raise Unsupported("takes binary columns only")
    if no_penalty and problem.regularization:
        raise Unsupported("has no leaf penalty")
    if at_least is not None and (problem.max_depth is None or not at_least <= problem.max_depth <= at_most):
        raise Unsupported(f"needs a depth limit of {at_least}" + (" or more" if at_most == inf else f" to {at_most:g}"))


def fit(state: State) -> None:
    """Fit the model of a peer, which is what most modules need."""
    state.model.fit(state.X, state.y)


def branch(feature: float, left: Any, right: Any, threshold: float = 0.5) -> dict[str, Any]:
    """Return an inner node of the common form; the default threshold is that of a binary column."""
    return {"feature": int(feature), "threshold": float(threshold), "left": left, "right": right}


def tree_from_paths(paths: Sequence[Sequence[int]], classes: Sequence[int]) -> dict[str, Any]:
    """Build the common form of a tree on binary columns from the path and the class of each leaf.

    A path holds, from the root down, j + 1 where column j is 1 and -(j + 1) where it is 0.
    """
    if not paths[0]:
        return {"class": int(classes[0])}
    leaves = list(zip(paths, classes, strict=True))
    zero, one = ([(path[1:], code) for path, code in leaves if (path[0] > 0) == side] for side in (False, True))
    left, right = (tree_from_paths(*zip(*side, strict=True)) for side in (zero, one))
    return branch(abs(paths[0][0]) - 1, left, right)


def tree_from_arrays(tree: Any, classes: Sequence[int], node: int = 0) -> dict[str, Any]:
    """Build the common form of a tree in scikit-learn's arrays, with the class of each node."""
    if tree.children_left[node] < 0:
        return {"class": int(classes[node])}
    left, right = (tree_from_arrays(tree, classes, side[node]) for side in (tree.children_left, tree.children_right))
    return branch(tree.feature[node], left, right, tree.threshold[node])


def tree_from_json(node: dict[str, Any]) -> dict[str, Any]:
    """Build the common form of a tree of the GOSDT family, which goes left where a column is false."""
    if "prediction" in node:
        return {"class": int(node["prediction"])}
    return branch(node["feature"], tree_from_json(node["false"]), tree_from_json(node["true"]))


def is_whole_price(regularization: float, n_rows: int) -> bool:
    """Say whether the leaf penalty is a whole number of rows; see `ROUND_THE_PRICE`."""
    rows = regularization * n_rows
    return abs(rows - round(rows)) <= 1e-6
