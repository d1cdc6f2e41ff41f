"""What the estimators that find all near-optimal trees share: their bound, and how they report the set."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context
from math import inf
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from hornbeam import _core
from hornbeam._checks import check_choice
from hornbeam._user_frame import warn_user
from hornbeam.cluster import active_client
from hornbeam.estimators._regularized import RegularizedTree
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.advice import advice
from hornbeam.fitting.parameters import check_number
from hornbeam.fitting.progress import relative_gap
from hornbeam.fitting.search import Search
from hornbeam.rashomon.base_set import BaseRashomonSet
from hornbeam.rashomon.rounded import RoundedProblem
from hornbeam.rashomon.rounded_search import RoundedSetSearch
from hornbeam.rashomon.search import TreesWanted
from hornbeam.tree.words import count


class RashomonSetTree(RegularizedTree):
    """Base of the estimators that find all trees within a bound, and keep the best one as `tree_`."""

    epsilon: float
    epsilon_is: str
    rashomon_bound: float | None
    distinct: str
    rashomon_set_: BaseRashomonSet[Any]
    _senses: ClassVar[tuple[str, ...]] = ("splits", "columns")
    """In which trees may be distinct."""

    def _check_parameters(self) -> _core.SearchOptions:
        check_number("epsilon", self.epsilon)
        check_choice("epsilon_is", self.epsilon_is, ("multiplier", "absolute"))
        if self.rashomon_bound is not None:
            check_number("rashomon_bound", self.rashomon_bound)
        check_choice("distinct", self.distinct, self._senses)
        return super()._check_parameters()

    def _set_problem(self, training: Any, scale: Any, options: _core.SearchOptions) -> tuple[Any, ...]:
        """Return the parameters of `RashomonSearch`."""
        wanted = TreesWanted(self.distinct, self.epsilon, self.epsilon_is, self.rashomon_bound)
        return self.binarizer_.conditions_, training, scale, options, wanted, active_client(self.n_jobs)

    def _single(self, index: int, one: Any, names: tuple[str, ...] = ()) -> Any:
        """Return one tree of the set as a fitted estimator of its own, which also gets the attributes named."""
        check_is_fitted(self)
        tree = self.rashomon_set_[index]
        parameters = self.get_params(deep=False)
        common = [name for name in one.get_params(deep=False) if name in parameters]
        one.set_params(**{name: clone(parameters[name], safe=False) for name in common})
        for name in ("schema_", "binarizer_", "regularization_", "lower_bound_", "statistics_", *names):
            setattr(one, name, getattr(self, name))
        one.tree_ = tree
        one.objective_ = self.rashomon_set_.objective(index)
        one.loss_ = one.objective_ - one.regularization_ * one.n_leaves_
        one.gap_ = relative_gap(one.objective_, one.lower_bound_)
        one.status_ = "optimal" if self._is_optimal(one.objective_) else "heuristic"
        return one

    def _is_optimal(self, objective: float) -> bool:
        """Return whether a tree of this objective is as good as the best one."""
        return bool(objective == self.lower_bound_)

    def _certificate(self) -> str:
        return f"{super()._certificate()}; {self.rashomon_set_._size_in_words()} in the Rashomon set"

    def _set_result(self, outcome: Any, scale: Any) -> None:
        super()._set_result(outcome, scale)
        self.rashomon_set_, self.bound_ = outcome["rashomon_set"], float(outcome["bound"])
        self.n_trees_ = self.rashomon_set_.n_trees
        is_whole = self.status_ in ("complete", "heuristic")
        self.searched_up_to_ = self.bound_ if is_whole else self.rashomon_set_.searched_up_to
        self.complete_up_to_ = self.searched_up_to_ if self.rashomon_set_._is_exact else -inf

    def _warn_unless_proven(self) -> None:
        if self.status_ in ("complete", "heuristic"):
            if self.n_trees_ == 0:
                self._warn_of_empty_set()
            return
        known = "no tree"
        if self.n_trees_:
            trees = f"{'all ' if self.n_trees_ > 1 else ''}{count(self.n_trees_, 'tree')}"
            which = "" if self.rashomon_set_._is_exact else " that RESPLIT finds"
            known = f"{trees}{which} up to objective {self.searched_up_to_:.6g}"
        warn_user(
            f"The search stopped before all trees up to objective {self.bound_:.6g} were found (status "
            f"{self.status_!r}): the set holds {known}. For all of them, {advice(self)}",
            NotProvenWarning,
        )

    def _warn_of_empty_set(self) -> None:
        found = "prefix that RESPLIT finds" if self.status_ == "heuristic" else "tree"
        best = f"the best has {self.objective_:.6g}"
        if self.status_ == "complete" and self.lower_bound_ < self.objective_:
            best = f"the best has between {self.lower_bound_:.6g} and {self.objective_:.6g}"
        least = Context(prec=6, rounding=ROUND_CEILING).create_decimal_from_float(self.objective_)
        warn_user(
            f"The set is empty: no {found} has an objective of at most rashomon_bound={self.bound_:.6g}; {best}. Set "
            f"rashomon_bound to at least {least:f} for a set with a tree, or to None. tree_ is the best tree known.",
            UserWarning,
        )


class RoundedSetTree(RashomonSetTree):
    """Base of those whose trees are counted by rounded losses."""

    resolution: float
    _kind: ClassVar[type[RoundedProblem]]

    def _check_parameters(self) -> _core.SearchOptions:
        check_number("resolution", self.resolution, below=1)
        return super()._check_parameters()

    def _choose_search(self, training: Any, scale: Any, options: _core.SearchOptions) -> Search:
        problem = self._set_problem(training, scale, options)
        return RoundedSetSearch(self._kind, self.regularization_, self.resolution, *problem)

    def _is_optimal(self, objective: float) -> bool:
        # Only some scales round what the objective is computed from.
        return bool(objective <= self.lower_bound_ + 2 * getattr(self, "rounding_", 0.0))
