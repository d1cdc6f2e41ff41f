"""The trees that the search for a set has found: how many there are of each cost and size, and any one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Limits
from hornbeam.binarizers import Conditions
from hornbeam.table import TableSchema

if TYPE_CHECKING:
    from hornbeam._core import TreeArrays

_WORD_BITS = 64


class FoundTrees(Protocol):
    """The trees of a set in groups of equal objective and number of leaves, in ascending order of both.

    Attributes
    ----------
    values : list
        Exact objective of each group in the numbers of the scale.
    leaves, counts : list of int
        Leaves of the trees of each group, and how many trees it has.
    complete_up_to : number or None
        All trees of at most this objective are in the set; None if the search knows no tree.
    status : str
        "optimal" if the search ended, otherwise the limit that stopped it.
    statistics, bounds : dict
        Of the search.
    """

    values: list[Any]
    leaves: list[int]
    counts: list[int]
    complete_up_to: Any
    status: str
    statistics: dict[str, Any]
    bounds: dict[str, int]

    def cost(self, group: int) -> Any:
        """Return what a tree of a group costs, as a search for a single tree returns it."""

    def read(self, group: int, rank: int) -> TreeArrays:
        """Return tree number `rank` of a group."""


class SetProblem(Protocol):
    """Everything that determines the trees of a set, and what is needed to make them; see `RashomonProblem`."""

    @property
    def columns(self) -> npt.NDArray[np.uint8]:
        """Whether each condition holds for each row, packed."""

    @property
    def conditions(self) -> Conditions:
        """What the columns test."""

    @property
    def scale(self) -> Any:
        """Converts the costs of trees to objectives."""

    @property
    def schema(self) -> TableSchema:
        """Names and kinds of the columns of the table."""

    @property
    def has_missing(self) -> tuple[bool, ...]:
        """Which of them have missing values."""

    @property
    def target_name(self) -> str:
        """Name of the labels."""

    @property
    def is_exact(self) -> bool:
        """Whether the set holds all trees."""

    def find(
        self, bound: Any, limits: Limits | None = None, callback: Callable[[_core.Progress], bool] | None = None
    ) -> FoundTrees:
        """Find all trees of at most this objective, in the numbers of the scale; None: none."""


class VotingProblem(SetProblem, Protocol):
    """That of a set whose trees predict one of several labels."""

    @property
    def classes(self) -> npt.NDArray[Any]:
        """What the trees predict."""


class ClassSetProblem(VotingProblem, Protocol):
    """That of a set whose rows have one class each."""

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        """Class of each row."""

    @property
    def weights(self) -> npt.NDArray[Any]:
        """Weight of each row."""


class GraphOfTrees:
    """Trees of an additive loss, as the core finds and counts them.

    Parameters
    ----------
    trees : hornbeam._core.RashomonSet
        The graph.
    leaf_bits : int
        How many of the lowest bits of a tree's ticks count its leaves.
    memory_limit : int or None, default=None
        Bytes that the graph may need together with what is kept of it for filters.

    Attributes
    ----------
    most : int or None
        No tree of the graph costs more ticks, with the bits that count leaves; None if the search knows no tree.
    n_prefixes : int
        Number of prefixes that RESPLIT completes; 0 for the exact set.
    """

    def __init__(self, trees: _core.RashomonSet, leaf_bits: int, memory_limit: int | None = None) -> None:
        self.graph, self.memory_limit = trees, memory_limit
        found = _core.describe_set(trees)
        self.costs = found["costs"]
        self.values: list[Any] = [cost >> leaf_bits << leaf_bits for cost in self.costs]
        self.leaves = [cost & (1 << leaf_bits) - 1 for cost in self.costs]
        self.counts = [to_integer(words) for words in found["counts"]]
        self.most: int | None = found["complete_up_to"] if found["complete_up_to"] >= 0 else None
        self.complete_up_to = self.most
        self.status: str = found["status"]
        self.statistics: dict[str, Any] = {**found["statistics"]}
        self.bounds: dict[str, int] = found["bounds"]
        self.n_prefixes = to_integer(found["prefixes"])

    def cost(self, group: int) -> int:
        """Return the ticks of the trees of a group, with the bits that count leaves."""
        return self.costs[group]

    def read(self, group: int, rank: int) -> TreeArrays:
        """Return tree number `rank` of a group."""
        return _core.read_tree(self.graph, self.costs[group], _to_words(rank))


def stopped_by(callback: Callable[[_core.Progress], bool] | None, what: str) -> BaseException:
    """Return the error of work that was stopped: by its callback, or without one by Ctrl-C."""
    return KeyboardInterrupt() if callback is None else InterruptedError(f"{what} was stopped.")


def to_integer(words: Iterable[int]) -> int:
    """Return the number of these words of 64 bits, the lowest first."""
    return sum(word << _WORD_BITS * place for place, word in enumerate(words))


def _to_words(number: int) -> list[int]:
    n_words = -(-number.bit_length() // _WORD_BITS)
    return [number >> _WORD_BITS * place & (1 << _WORD_BITS) - 1 for place in range(n_words)]
