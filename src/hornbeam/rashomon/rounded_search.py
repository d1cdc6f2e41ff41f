"""The search for a set of trees of numbers, times or actions: the optimum first, then the trees by rounded losses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hornbeam import _core
from hornbeam.rashomon.base_set import BaseRashomonSet
from hornbeam.rashomon.found import FoundTrees, SetProblem
from hornbeam.rashomon.rounded import (
    LEAF_BITS,
    ActionProblem,
    HazardProblem,
    NumberProblem,
    RoundedProblem,
    bits_of_unit,
    most_lowered,
)
from hornbeam.rashomon.rounded_set import PolicyRashomonSet, RegressionRashomonSet, SurvivalRashomonSet
from hornbeam.rashomon.search import RashomonSearch

_SETS: dict[type[RoundedProblem], Any] = {
    ActionProblem: PolicyRashomonSet,
    HazardProblem: SurvivalRashomonSet,
    NumberProblem: RegressionRashomonSet,
}


class RoundedSetSearch(RashomonSearch):
    """The search for all trees within a bound whose losses are rounded.

    Parameters
    ----------
    kind : type of RoundedProblem
        What the trees predict.
    regularization : float
        Leaf penalty in the user's unit.
    resolution : float
        See `RashomonSetRegressor`.
    problem
        The parameters of `RashomonSearch`.
    """

    _needs_first_search = True  # it determines how losses are rounded

    def __init__(self, kind: type[RoundedProblem], regularization: float, resolution: float, *problem: Any) -> None:
        self._kind, self._regularization, self._resolution = kind, regularization, resolution
        super().__init__(*problem)

    def _best_objective(self, outcome: _core.Outcome) -> Fraction:
        if self._kind is ActionProblem:
            return super()._best_objective(outcome)
        n_leaves = int((outcome["tree"]["column"] < 0).sum())
        loss = Fraction(self._scale.loss(outcome["tree"]["leaf_of_row"]))
        # As a float, in which the objectives of trees are compared with the bound.
        return Fraction(float(loss) + self._regularization * n_leaves)

    def _make_problem(self, optimum: Any, bound: Fraction) -> tuple[SetProblem, list[int]]:
        training, options, scale = self._training, self._options, self._scale
        columns, conditions, kept = self._columns()
        most = self._most(bound)
        problem = self._kind(
            columns=columns,
            conditions=conditions,
            weights=training.weights,
            scale=scale,
            regularization=self._regularization,
            optimum=optimum,
            bound=bound,
            most_leaves=self._most_leaves(most),
            loss_bits=bits_of_unit(most - optimum, scale.leaf_cost, self._resolution),
            max_depth=options.max_depth,
            min_samples_leaf=options.min_samples_leaf,
            schema=training.table.schema,
            has_missing=training.table.has_missing(),
            **self._kind.targets_of(training),
        )
        return problem, kept

    def _make_set(self, problem: Any, found: FoundTrees) -> BaseRashomonSet[Any]:
        made: BaseRashomonSet[Any] = _SETS[self._kind](problem, found)
        return made

    def _most(self, bound: Fraction) -> int:
        ticks = max(-1, self._kind.ticks_within(self._scale, bound))
        if ticks + self._kind.most_raised >= self._kind.largest_bound:
            raise ValueError(f"{self._wanted.name()} is too large: even the worst tree would be in the set; lower it.")
        return int(ticks)

    def _most_leaves(self, ticks: int) -> int:
        """Return how many leaves a tree of so many ticks within the limits may have."""
        n_rows, depth = self._training.table.n_rows, self._options.max_depth
        most = min(n_rows // self._options.min_samples_leaf, 2 ** min(n_rows if depth is None else depth, 64))
        least_penalty = self._scale.leaf_cost - most_lowered(self._scale.leaf_cost)
        if least_penalty > 0:
            most = min(most, ticks // least_penalty)
        self._check_most_leaves(most, LEAF_BITS)
        return max(1, int(most))
