"""What is measured: one module for each peer, with `prepare`, `fit` and `read`.

A peer's module runs in the peer's own environment, where there is nothing but the standard library, NumPy and the peer.
`prepare` is not timed: it imports, compiles and brings the data into the peer's form. `fit` is timed. `read` is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

# Peers that round the price of a leaf to whole rows: where it is not whole, they solve another problem.
ROUND_THE_PRICE = frozenset({"arborenum", "praxis"})


@dataclass(frozen=True)
class Problem:
    """Find the tree of least ``errors / n + regularization * leaves``."""

    X: npt.NDArray[Any]  # columns of 0 and 1 as uint8 if `binary`, numbers as float64 otherwise
    y: npt.NDArray[np.int64]  # codes 0, 1, ... of the classes
    binary: bool  # whether the columns hold only 0 and 1
    regularization: float  # price of a leaf
    max_depth: int | None  # largest number of edges from the root to a leaf; None: no limit
    time_limit: float  # seconds of wall clock
    threads: int  # how many threads the peer may use
    options: dict[str, Any]  # what only this peer understands


@dataclass
class State:
    """What a peer's three functions hand on."""

    problem: Problem  # as given
    model: Any  # the peer's own solver
    X: Any  # the data in the peer's form
    y: Any
    result: Any = None  # what the fit left, where that is not in `model`


@dataclass(frozen=True)
class Outcome:
    """What a peer answers."""

    # In the common form: ``{"feature": j, "threshold": t, "left": node, "right": node}``, left where ``X[:, j] <= t``,
    # and ``{"class": code}``. None: the peer returned no tree.
    tree: dict[str, Any] | None
    proven: bool  # whether the peer says that no tree is better; of a rounded price it says nothing about this problem
    lower_bound: float | None = None  # no tree is better than this, says the peer. None: it says nothing
    claimed_objective: float | None = None  # the objective of `tree`, says the peer. None: it says nothing
    # The course of the search; empty where the peer does not tell it.
    trace: list[list[float]] = field(default_factory=list)
    extra: dict[str, float] = field(default_factory=dict)  # counters of the peer


class Unsupported(Exception):  # noqa: N818 - it is an answer, not an error
    """Raised by `prepare`: the peer cannot solve this problem; the message says why."""


def tree_from_paths(paths: Sequence[Sequence[int]], classes: Sequence[int]) -> dict[str, Any]:
    """Build the common form of a tree on binary columns from its leaves."""
    if not paths[0]:
        return {"class": int(classes[0])}
    leaves = list(zip(paths, classes, strict=True))
    zero, one = ([(path[1:], code) for path, code in leaves if (path[0] > 0) == side] for side in (False, True))
    return {
        "feature": abs(paths[0][0]) - 1,
        "threshold": 0.5,
        "left": tree_from_paths(*zip(*zero, strict=True)),
        "right": tree_from_paths(*zip(*one, strict=True)),
    }


def is_whole_price(regularization: float, n_rows: int) -> bool:
    """Say whether the price of a leaf is a whole number of rows; see `ROUND_THE_PRICE`."""
    rows = regularization * n_rows
    return abs(rows - round(rows)) <= 1e-6
