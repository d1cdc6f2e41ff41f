"""Base classes of the exact estimators, whose search may start from trees and bounds that are known already."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from hornbeam import _core
from hornbeam._checks import check_choice, shown
from hornbeam._user_frame import warn_user
from hornbeam.cluster import active_client
from hornbeam.estimators._regularized import RegularizedTree, RegularizedTreeClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.checkpoints import with_checkpoint
from hornbeam.fitting.parameters import check_bounds, check_limit, check_number
from hornbeam.fitting.search import BOUNDS, Search, exact_search
from hornbeam.fitting.start_tree import Splits, StartArrays, read_splits, start_arrays
from hornbeam.fitting.training import TrainingRows

_MOST_TICKS = 2**_core.COST_BITS - 1  # no tree costs more

NOTHING_KNOWN = {"start_tree": None, "warm_start": False, "known_lower_bound": None, "known_upper_bound": None}
"""The parameters about what is known, with their defaults."""

OF_ONE_SEARCH = {**NOTHING_KNOWN, "checkpoint": None, "checkpoint_interval": 60}
"""The parameters that belong to one search of one problem, with their defaults."""


class ExactTree(RegularizedTree):
    """Base of the estimators whose tree is proven, and whose search can start from a tree and from known bounds."""

    max_leaves: int | None
    shape: str
    gap_limit: float | None
    bounds: Mapping[str, bool] | None
    start_tree: Any
    warm_start: bool
    checkpoint: str | PathLike[str] | None
    checkpoint_interval: float
    # Parameters of some subclasses.
    reference: Any = None
    known_lower_bound: float | None = None
    known_upper_bound: float | None = None
    _is_bound_refuted = False

    def _check_parameters(self) -> _core.SearchOptions:
        options = super()._check_parameters()
        gap_limit = 0.0 if self.gap_limit is None else check_number("gap_limit", self.gap_limit, below=1)
        max_leaves = check_limit("max_leaves", self.max_leaves, least=1)
        bounds = check_bounds(self.bounds, BOUNDS)
        check_choice("shape", self.shape, ("tree", "rule_list"))
        self._check_known()
        options = self._check_checkpoint(options)
        is_list = self.shape == "rule_list"
        return options.replace(gap_limit=gap_limit, max_leaves=max_leaves, rule_list=is_list, bounds=bounds)

    def _check_frontier(self) -> None:
        """Raise ValueError if a parameter does not go with a frontier."""

    def _choose_search(self, training: Any, scale: Any, options: _core.SearchOptions) -> Search:
        known = self._known_trees() + self._greedy_trees(training, scale, options)
        start, options = self._use_known(known, training, scale, options)
        conditions, client = self.binarizer_.conditions_, active_client(self.n_jobs)
        return exact_search(conditions, training, scale, options, start, client)

    def _check_known(self) -> None:
        """Check the parameters about what is known, as far as possible without data."""
        if self.start_tree is not None:
            read_splits(self.start_tree)
        if not isinstance(self.warm_start, bool):
            raise TypeError(f"warm_start must be True or False, got {shown(self.warm_start)}.")
        for name in ("known_lower_bound", "known_upper_bound"):
            self._known_number(name)
        if self.known_upper_bound is not None and self.reference is not None:
            raise ValueError(
                "known_upper_bound needs a proof, but a reference only guesses bounds. Set reference=None or "
                "known_upper_bound=None."
            )

    def _use_known(
        self, trees: list[Splits], training: TrainingRows, scale: Any, options: _core.SearchOptions
    ) -> tuple[StartArrays | None, _core.SearchOptions]:
        """Return the best of some trees on the conditions of the binarizer, and the options with the known bounds.

        Conditions of the tree that the binarizer lacks are added to it.
        """
        start = None
        if trees:
            conditions = self.binarizer_.conditions_
            start, self.binarizer_.conditions_ = start_arrays(trees, conditions, training, scale, options)
        lower, upper = self._known_number("known_lower_bound"), self._known_number("known_upper_bound")
        if lower is not None:
            options = options.replace(known_lower=min(max(0, scale.nearest_ticks(lower)), _MOST_TICKS))
        if upper is not None:
            options = options.replace(cutoff=min(max(-1, scale.nearest_ticks(upper)), _MOST_TICKS))
        return start, options

    def _check_checkpoint(self, options: _core.SearchOptions) -> _core.SearchOptions:
        """Check the parameters of the checkpoint; return the options with them."""
        return with_checkpoint(self, options)

    def _known_number(self, name: str) -> float | None:
        return None if getattr(self, name) is None else check_number(name, getattr(self, name))

    def _known_trees(self) -> list[Splits]:
        trees = [] if self.start_tree is None else [read_splits(self.start_tree)]
        if self.warm_start and "tree_" in vars(self):
            trees.append(read_splits(self.tree_, "warm_start=True: the tree of the last fit"))
        return trees

    def _greedy_trees(self, training: Any, scale: Any, options: _core.SearchOptions) -> list[Splits]:
        """Return trees that are found without the core, whose search starts from the best one."""
        return []

    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        super()._set_result(outcome, scale)
        known = self._known_number("known_lower_bound")
        self._is_bound_refuted = known is not None and outcome["upper"] < scale.nearest_ticks(known)

    def _warn_unless_proven(self) -> None:
        lower, upper = self._known_number("known_lower_bound"), self._known_number("known_upper_bound")
        if self._is_bound_refuted:
            warn_user(
                f"known_lower_bound={lower:g} is wrong: the objective of tree_ is only {self.objective_:.6g}. "
                "lower_bound_ ignores it. Set known_lower_bound=None."
            )
        if self.status_ != "cutoff":
            return super()._warn_unless_proven()
        warn_user(
            f"No tree within the limits has an objective of at most known_upper_bound={upper:g}: all have at least "
            f"{self.lower_bound_:.6g}. tree_ is the best one that was found on the way, with {self.objective_:.6g}. "
            f"For an optimal tree, fit again with known_upper_bound={self.objective_!r} and warm_start=True.",
            NotProvenWarning,
        )


class ExactTreeClassifier(ExactTree, RegularizedTreeClassifier):
    """Base of the exact classifiers: not every objective is one search, which could start from what is known."""

    def _check_known(self) -> None:
        super()._check_known()
        for name, default in NOTHING_KNOWN.items():
            if self.objective in self._non_additive_objectives and getattr(self, name) is not default:
                raise ValueError(
                    f"{name} needs an objective that is a sum over the rows, but "
                    f"objective={self.objective!r} is solved by a sequence of searches. Set {name}={default}."
                )

    def _check_checkpoint(self, options: _core.SearchOptions) -> _core.SearchOptions:
        if self.checkpoint is not None and self.objective in self._non_additive_objectives:
            raise ValueError(
                "checkpoint needs an objective that is a sum over the rows, but "
                f"objective={self.objective!r} is solved by a sequence of searches. Set checkpoint=None."
            )
        return super()._check_checkpoint(options)

    def _check_frontier(self) -> None:
        if self.objective in self._non_additive_objectives:
            raise ValueError(
                "A frontier needs an objective that is a sum over the rows, but "
                f"objective={self.objective!r}. Fit once for each max_leaves instead."
            )
        if self.reference is not None:
            raise ValueError("A frontier needs proofs, but a reference only guesses bounds. Set reference=None.")
