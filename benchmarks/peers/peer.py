"""What a peer is: a function that prepares its program for a problem, and what it can solve.

A peer runs in an environment of its own, where there is nothing but the standard library, NumPy and the peer, so a
function imports its program. It also compiles and brings the data into the program's form; none of that is timed. It
returns what is timed, `fit`, and `read`, which returns the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt


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

    @property
    def whole_seconds(self) -> int:
        """The time limit for programs that count whole seconds."""
        return max(1, ceil(self.time_limit))


@dataclass(frozen=True)
class Outcome:
    """The answer of a peer; what it does not report is None or empty."""

    tree: dict[str, Any] | None  # in the common form, see `benchmarks.trees`; None: the peer returned no tree
    proven: bool = False  # whether the peer claims that no tree is better; with a rounded penalty it claims nothing
    lower_bound: float | None = None
    claimed_objective: float | None = None
    trace: list[list[float]] = field(default_factory=list)  # seconds, objective, lower bound
    extra: dict[str, float] = field(default_factory=dict)  # "subproblems"; of sets "trees" and "bound"
    # Of a model that is no tree in the common form: its classes for rows, and its leaves if it has them.
    predict: Callable[[npt.NDArray[Any]], npt.NDArray[Any]] | None = None
    leaves: int | None = None


Solver: TypeAlias = tuple[Callable[[], Any], Callable[[], Outcome]]  # `fit` and `read`


class Unsupported(Exception):  # noqa: N818 - it is an answer, not an error
    """Raised by `Peer.prepare`: the peer cannot solve this problem; the message says why."""


@dataclass(frozen=True)
class Peer:
    """A program and what it can solve."""

    solver: Callable[[Problem], Solver]
    packages: tuple[str, ...]  # pinned, the peer itself first; none: the interpreter of the benchmarks has it
    only_binary: bool = False  # whether it accepts only columns of 0 and 1
    has_penalty: bool = True  # whether it has a leaf penalty
    rounds_penalty: bool = False  # to whole rows: where it is not whole, the peer solves another problem
    stops: bool = True  # at the time limit; one that does not may take ten times as long
    depths: tuple[float, float] | None = None  # limits of depth that it accepts; None: any, and none

    def prepare(self, problem: Problem) -> Solver:
        """Return `fit` and `read` for a problem; raise `Unsupported` if the peer cannot solve it."""
        depth = problem.max_depth
        if self.only_binary and not problem.binary:
            raise Unsupported("takes binary columns only")
        if not self.has_penalty and problem.regularization:
            raise Unsupported("has no leaf penalty")
        if self.depths and (depth is None or not self.depths[0] <= depth <= self.depths[1]):
            least, most = self.depths
            raise Unsupported(f"needs a depth limit of {least:g}" + (" or more" if most == inf else f" to {most:g}"))
        return self.solver(problem)


PEERS: dict[str, Peer] = {}


def peer(*packages: str, **accepted: Any) -> Callable[[Callable[[Problem], Solver]], Callable[[Problem], Solver]]:
    """Add a function to `PEERS`, under its name; see `Peer` for the arguments."""

    def add(solver: Callable[[Problem], Solver]) -> Callable[[Problem], Solver]:
        PEERS[solver.__name__] = Peer(solver, packages, **accepted)
        return solver

    return add


def is_whole(regularization: float, n_rows: int) -> bool:
    """Return whether the leaf penalty is a whole number of rows; see `Peer.rounds_penalty`."""
    rows = regularization * n_rows
    return abs(rows - round(rows)) <= 1e-6
