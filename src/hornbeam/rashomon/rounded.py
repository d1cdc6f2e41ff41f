"""Sets of trees whose costs are almost all different: the losses of leaves are rounded, so that trees can be counted.

The search for a set adds up numbers of trees by cost. Sums of squared errors, or of rewards, hardly ever agree, so each
tree would have a cost of its own. Therefore the loss of each leaf becomes a multiple of a *unit*, a power of two of
ticks. The core rounds it up, and the leaf penalty is lowered by one unit: together, the cost of each leaf is rounded
*down*, by less than a unit and 2^10 ticks (the lowest bits of a cost count leaves). So

- no tree within the bound is left out, since no cost becomes larger;
- a tree of L leaves in the set exceeds the bound by less than L units and L * 2^10 ticks.

Where the leaf penalty is less than a unit, it cannot be lowered; the bound is raised instead, by a unit for each leaf
that a tree may have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._budget import Limits
from hornbeam.binarizers import Conditions
from hornbeam.fitting.hazards import SurvivalScale
from hornbeam.fitting.numbers import NumericTraining
from hornbeam.fitting.reward_scale import RewardScale
from hornbeam.fitting.rewards import RewardData
from hornbeam.fitting.squares import SquaredErrorScale
from hornbeam.fitting.survival_rows import SurvivalTraining
from hornbeam.rashomon.found import GraphOfTrees
from hornbeam.table import TableSchema
from hornbeam.tree import ActionTree, HazardTree, RegressionTree

LEAF_BITS = 10
"""The costs of a set distinguish trees of up to 1023 leaves."""

_PENALTY_SHARE = 8  # a unit is at most this part of the leaf penalty, which it lowers


@dataclass(frozen=True, eq=False)
class RoundedProblem(ABC):
    """Everything that determines the trees of a set whose losses are rounded; see `SetProblem`.

    Attributes
    ----------
    scale : SquaredErrorScale, RewardScale or SurvivalScale
        Without bits for the number of leaves.
    regularization : float
        Leaf penalty in the user's unit.
    optimum : int
        Ticks of the best tree, before rounding.
    bound : Fraction
        The largest objective of a tree in the set.
    most_leaves : int
        No tree within the limits has more leaves.
    loss_bits : int
        The unit has 2^loss_bits ticks.
    columns, conditions, weights, max_depth, min_samples_leaf, schema, has_missing, target_name
        See `RashomonProblem`.
    """

    columns: npt.NDArray[np.uint8]
    conditions: Conditions
    weights: npt.NDArray[Any]
    scale: Any
    regularization: float
    optimum: int
    bound: Fraction
    most_leaves: int
    loss_bits: int
    max_depth: int | None
    min_samples_leaf: int
    schema: TableSchema
    has_missing: tuple[bool, ...]
    target_name: str

    leaf_rule: ClassVar[str]
    largest_bound: ClassVar[int]
    most_raised: ClassVar[int] = 1 << 2 * LEAF_BITS  # a unit for each leaf, if it is the least one
    is_exact: ClassVar[bool] = True

    @staticmethod
    @abstractmethod
    def targets_of(training: Any) -> dict[str, Any]:
        """Return the fields that are about the targets of training rows."""

    @abstractmethod
    def make_tree(self, arrays: _core.TreeArrays) -> Any:
        """Return a tree of the core on the user's columns."""

    def objective_of(self, arrays: _core.TreeArrays) -> float:
        """Return the objective of a tree, before rounding."""
        n_leaves = (len(arrays["column"]) + 1) // 2
        return float(self.scale.loss(arrays["leaf_of_row"]) + self.regularization * n_leaves)

    @staticmethod
    @abstractmethod
    def ticks_within(scale: Any, objective: Fraction) -> int:
        """Return the ticks of a bound: no tree of at most this objective has more."""

    def allowance(self) -> float:
        """Return how much the bound of ticks allows beyond `bound`, so that no tree is left out."""
        return float(self.scale.rounding(float(self.bound)))

    @abstractmethod
    def excess(self, objective: float) -> float:
        """Return how far the objective of a tree may lie above the one of its ticks, since data are rounded, too."""

    def find(
        self,
        bound: int | None,
        limits: Limits | None = None,
        callback: Callable[[_core.Progress], bool] | None = None,
    ) -> RoundedTrees:
        """Find all trees of at most `bound` ticks, before rounding, and those that come with them; None: none."""
        seconds, n_bytes = limits or (None, None)
        options = _core.SearchOptions(
            max_depth=self.max_depth, min_samples_leaf=self.min_samples_leaf, time_limit=seconds, memory_limit=n_bytes
        )
        penalty = ((self.scale.leaf_cost - self._lowered) >> LEAF_BITS << LEAF_BITS) + 1
        trees = _core.rashomon_set(
            _core.PackedColumns(self.columns, len(self.weights)),
            replace(self.scale, leaf_cost=penalty).problem(None, None, None),
            options,
            self.optimum + self._raised,
            -1 if bound is None else (bound + self._raised) | ((1 << LEAF_BITS) - 1),
            self.leaf_rule,
            leaf_bits=LEAF_BITS,
            loss_bits=self.loss_bits,
            callback=callback,
        )
        return RoundedTrees(trees, self._raised, n_bytes)

    @property
    def most_lost(self) -> int:
        """By how many ticks at most the cost of a leaf is less than it was."""
        return self._lowered + (1 << LEAF_BITS)

    def rounding(self, n_leaves: int) -> float:
        """Return by how much the objective of a tree of so many leaves may exceed the bound of the set that has it."""
        more = (n_leaves * self.most_lost + self._raised + 1) / float(self.scale.one) + self.allowance()
        return more + self.excess(float(self.bound) + more)

    def is_certain(self, ticks: int, n_leaves: int) -> bool:
        """Return whether trees of so many rounded ticks and leaves are within the bound whatever was rounded."""
        most = float(self.scale.objective(ticks + n_leaves * self.most_lost))
        return most + self.excess(most) <= float(self.bound)

    @property
    def _lowered(self) -> int:
        """By how many ticks the leaf penalty is less than it was."""
        unit: int = 1 << self.loss_bits
        return unit if unit <= self.scale.leaf_cost else 0

    @property
    def _raised(self) -> int:
        """By how many ticks the bound is more than it was."""
        return 0 if self._lowered else self.most_leaves << self.loss_bits


def bits_of_unit(slack: int, leaf_cost: int, resolution: float) -> int:
    """Return the power of two that a unit is.

    Parameters
    ----------
    slack : int
        Ticks from the optimum to the bound.
    leaf_cost : int
        Ticks of one leaf.
    resolution : float
        The largest unit, as a share of the slack.
    """
    largest = min(int(max(0, slack) * resolution), leaf_cost // _PENALTY_SHARE)
    return max(LEAF_BITS, largest.bit_length() - 1)


def most_lowered(leaf_cost: int) -> int:
    """Return by how many ticks the leaf penalty of a set may be less than it was."""
    return max(1 << LEAF_BITS, leaf_cost // _PENALTY_SHARE) + (1 << LEAF_BITS)


class RoundedTrees(GraphOfTrees):
    """The trees of a set whose losses are rounded.

    Parameters
    ----------
    trees : hornbeam._core.RashomonSet
        The graph.
    raised : int
        By how many ticks its bound was raised.
    memory_limit : int or None
        See `GraphOfTrees`.
    """

    def __init__(self, trees: _core.RashomonSet, raised: int, memory_limit: int | None) -> None:
        super().__init__(trees, LEAF_BITS, memory_limit)
        if self.complete_up_to is not None:
            self.complete_up_to = (self.complete_up_to >> LEAF_BITS << LEAF_BITS) - raised


@dataclass(frozen=True, eq=False)
class NumberProblem(RoundedProblem):
    """That of trees that predict means.

    Attributes
    ----------
    targets : ndarray of float64 of shape (n_rows,)
        The number of each row.
    """

    scale: SquaredErrorScale
    targets: npt.NDArray[np.float64]

    leaf_rule = "best"
    largest_bound = 2 ** (_core.SQUARED_ERROR_BITS + 1)

    @staticmethod
    def targets_of(training: NumericTraining) -> dict[str, Any]:
        """Return the numbers of the rows."""
        return {"targets": training.targets, "target_name": training.target_name}

    def make_tree(self, arrays: _core.TreeArrays) -> RegressionTree:
        """Return a tree of the core on the user's columns."""
        return RegressionTree.from_search(
            arrays, self.conditions, self.targets, self.weights, self.schema, self.has_missing, self.target_name
        )

    @staticmethod
    def ticks_within(scale: SquaredErrorScale, objective: Fraction) -> int:
        """Return the ticks of a bound: no tree of at most this objective has more."""
        return int((objective + Fraction(scale.rounding(float(objective)))) * Fraction(scale.one)) + 1

    def excess(self, objective: float) -> float:
        """Return how far the objective of a tree may lie above the one of its ticks."""
        return self.scale.excess(objective)

    def numbers(self, predictions: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return predictions of the search in the unit of the targets."""
        low, high = float(self.targets.min()), float(self.targets.max())
        shares = predictions / (self.scale.n_predictions - 1)
        return np.asarray(low * (1 - shares) + high * shares, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class HazardProblem(RoundedProblem):
    """That of trees that predict hazard ratios.

    Attributes
    ----------
    events, times : ndarray of bool and of float64 of shape (n_rows,)
        Whether each row had the event, and when it or censoring was.
    """

    scale: SurvivalScale
    events: npt.NDArray[np.bool_]
    times: npt.NDArray[np.float64]

    leaf_rule = "best"
    largest_bound = 2**_core.COST_BITS

    @staticmethod
    def targets_of(training: SurvivalTraining) -> dict[str, Any]:
        """Return events and times of the rows."""
        return {"events": training.events, "times": training.times, "target_name": training.target_name}

    def make_tree(self, arrays: _core.TreeArrays) -> HazardTree:
        """Return a tree of the core on the user's columns."""
        return HazardTree.from_search(
            arrays,
            self.conditions,
            self.events,
            self.times,
            self.weights,
            self.schema,
            self.has_missing,
            self.target_name,
        )

    @staticmethod
    def ticks_within(scale: SurvivalScale, objective: Fraction) -> int:
        """Return the ticks of a bound: no tree of at most this objective has more."""
        return scale.most_ticks(objective + Fraction(scale.rounding(float(objective))))

    def excess(self, objective: float) -> float:
        """Return how far the objective of a tree may lie above the one of its ticks."""
        return self.scale.excess(self.most_leaves)


@dataclass(frozen=True, eq=False)
class ActionProblem(RoundedProblem):
    """That of trees that choose actions.

    Attributes
    ----------
    rewards : ndarray of float64 of shape (n_rows, n_actions)
        What each action earns in each row, NaN where it is not available.
    classes : ndarray of shape (n_actions,)
        Names of the actions.
    """

    scale: RewardScale
    rewards: npt.NDArray[np.float64]
    classes: npt.NDArray[Any]

    leaf_rule = "differ"
    largest_bound = 2**_core.COST_BITS

    @staticmethod
    def targets_of(training: RewardData) -> dict[str, Any]:
        """Return the rewards of the rows, and the names of the actions."""
        return {"rewards": training.rewards, "classes": training.actions, "target_name": "action"}

    def make_tree(self, arrays: _core.TreeArrays) -> ActionTree:
        """Return a tree of the core on the user's columns."""
        weights = self.weights.astype(np.float64)
        return ActionTree.from_search(
            arrays,
            self.conditions,
            self.rewards,
            weights,
            self.classes,
            self.schema,
            self.has_missing,
        )

    def objective_of(self, arrays: _core.TreeArrays) -> float:
        """Return the objective of a tree, before the losses of leaves are rounded."""
        actions = arrays["prediction"][arrays["leaf_of_row"]]
        losses = self.scale.weights[np.arange(len(actions)), actions]
        n_leaves = (len(arrays["column"]) + 1) // 2
        return self.scale.objective(int(losses.sum()) + n_leaves * self.scale.leaf_cost)

    @staticmethod
    def ticks_within(scale: RewardScale, objective: Fraction) -> int:
        """Return the ticks of a bound: no tree of at most this objective has more."""
        return scale.most_ticks(objective)

    def allowance(self) -> float:
        """Return how much the bound of ticks allows beyond `bound`: the losses of rows are rounded down."""
        return 0.0

    def excess(self, objective: float) -> float:
        """Return how far the objective of a tree may lie above the one of its ticks."""
        return 0.0 if self.scale.is_exact else float(len(self.rewards) / self.scale.one)
