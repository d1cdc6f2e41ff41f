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
    """Find the tree of least ``errors / n + regularization * leaves``.

    Parameters
    ----------
    X : uint8 or float64 ndarray of shape (n, p)
        Columns of 0 and 1 as uint8 if `binary`, numbers as float64 otherwise.
    y : int64 ndarray of shape (n,)
        Codes 0, 1, ... of the classes.
    binary : bool
        Whether the columns hold only 0 and 1.
    regularization : float
        Price of a leaf.
    max_depth : int or None
        Largest number of edges from the root to a leaf; None: no limit.
    time_limit : float
        Seconds of wall clock.
    threads : int
        How many threads the peer may use.
    options : dict
        What only this peer understands.
    """

    X: npt.NDArray[Any]
    y: npt.NDArray[np.int64]
    binary: bool
    regularization: float
    max_depth: int | None
    time_limit: float
    threads: int
    options: dict[str, Any]


@dataclass
class State:
    """What a peer's three functions hand on.

    Parameters
    ----------
    problem : Problem
        As given.
    model : object
        The peer's own solver.
    X, y : object
        The data in the peer's form.
    result : object
        What the fit left, where that is not in `model`.
    """

    problem: Problem
    model: Any
    X: Any
    y: Any
    result: Any = None


@dataclass(frozen=True)
class Outcome:
    """What a peer answers.

    Parameters
    ----------
    tree : dict or None
        In the common form: ``{"feature": j, "threshold": t, "left": node, "right": node}``, left where ``X[:, j] <=
        t``, and ``{"class": code}``. None: the peer returned no tree.
    proven : bool
        Whether the peer says that no tree is better; of a rounded price it says nothing about this problem.
    lower_bound : float or None
        No tree is better than this, says the peer. None: it says nothing.
    claimed_objective : float or None
        The objective of `tree`, says the peer. None: it says nothing.
    trace : list of [seconds, objective, lower bound]
        The course of the search; empty where the peer does not tell it.
    extra : dict from text to float
        Counters of the peer.
    """

    tree: dict[str, Any] | None
    proven: bool
    lower_bound: float | None = None
    claimed_objective: float | None = None
    trace: list[list[float]] = field(default_factory=list)
    extra: dict[str, float] = field(default_factory=dict)


class Unsupported(Exception):  # noqa: N818 - it is an answer, not an error
    """Raised by `prepare`: the peer cannot solve this problem; the message says why."""


def tree_from_paths(paths: Sequence[Sequence[int]], classes: Sequence[int]) -> dict[str, Any]:
    """Build the common form of a tree on binary columns from its leaves.

    Parameters
    ----------
    paths : sequence of sequences of int
        For each leaf what holds there, from the root down: j + 1 where column j is 1, -(j + 1) where it is 0.
    classes : sequence of int
        Code of the class of each leaf.

    Returns
    -------
    dict
        The tree, see `Outcome`.
    """
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
    """Say whether the price of a leaf is a whole number of rows; see `ROUND_THE_PRICE`.

    Parameters
    ----------
    regularization : float
        Price of a leaf as a share of the rows.
    n_rows : int
        How many rows there are.

    Returns
    -------
    bool
        Whether it is, up to what a product of floats is off.
    """
    rows = regularization * n_rows
    return abs(rows - round(rows)) <= 1e-6
