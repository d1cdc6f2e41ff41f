"""Base class of the exact classifiers, whose search may start from trees and bounds that are known already."""

from __future__ import annotations

from os import PathLike
from typing import Any

from hornbeam import _core
from hornbeam._checks import shown
from hornbeam._user_frame import warn_user
from hornbeam.estimators._regularized import RegularizedTreeClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.checkpoints import with_checkpoint
from hornbeam.fitting.parameters import check_number
from hornbeam.fitting.scales import AdditiveScale
from hornbeam.fitting.start_tree import Splits, StartArrays, read_splits, start_arrays
from hornbeam.fitting.training import TrainingData

_MOST_TICKS = 2**_core.COST_BITS - 1  # no tree costs more

NOTHING_KNOWN = {"start_tree": None, "warm_start": False, "known_lower_bound": None, "known_upper_bound": None}
"""The parameters about what is known, with their defaults."""

OF_ONE_SEARCH = {**NOTHING_KNOWN, "checkpoint": None, "checkpoint_interval": 60}
"""The parameters that belong to one search of one problem, with their defaults."""


class ExactTreeClassifier(RegularizedTreeClassifier):
    """Base of the classifiers that can start from a tree and from known bounds, where the objective is additive."""

    reference: Any
    start_tree: Any
    warm_start: bool
    known_lower_bound: float | None
    known_upper_bound: float | None
    checkpoint: str | PathLike[str] | None
    checkpoint_interval: float
    _is_bound_refuted = False

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
                "known_upper_bound needs a proof, and a reference guesses bounds. Set reference=None or "
                "known_upper_bound=None."
            )
        for name, default in NOTHING_KNOWN.items():
            if self.objective in self._non_additive_objectives and getattr(self, name) is not default:
                raise ValueError(
                    f"{name} needs an additive objective, but objective={self.objective!r} is solved by a sequence of "
                    f"searches for other objectives. Set {name}={default}."
                )

    def _use_known(
        self, training: TrainingData, scale: AdditiveScale, options: _core.SearchOptions
    ) -> tuple[StartArrays | None, _core.SearchOptions]:
        """Return the start tree on the conditions of the binarizer, and the options with the known bounds.

        Conditions of the tree that the binarizer lacks are added to it.
        """
        start = None
        trees = self._known_trees()
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
        if self.checkpoint is not None and self.objective in self._non_additive_objectives:
            raise ValueError(
                f"checkpoint needs an additive objective, but objective={self.objective!r} is solved by a sequence of "
                "searches for other objectives. Set checkpoint=None."
            )
        return with_checkpoint(self, options)

    def _known_number(self, name: str) -> float | None:
        return None if getattr(self, name) is None else check_number(name, getattr(self, name))

    def _known_trees(self) -> list[Splits]:
        trees = [] if self.start_tree is None else [read_splits(self.start_tree)]
        if self.warm_start and "tree_" in vars(self):
            trees.append(read_splits(self.tree_, "warm_start=True: the tree of the last fit"))
        return trees

    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        super()._set_result(outcome, scale)
        known = self._known_number("known_lower_bound")
        self._is_bound_refuted = known is not None and outcome["upper"] < scale.nearest_ticks(known)

    def _warn_unless_proven(self) -> None:
        lower, upper = self._known_number("known_lower_bound"), self._known_number("known_upper_bound")
        if self._is_bound_refuted:
            warn_user(
                f"known_lower_bound={lower:g} is wrong: the objective of tree_ is only {self.objective_:.6g}. "
                "lower_bound_ does without it. Set known_lower_bound=None."
            )
        if self.status_ != "cutoff":
            return super()._warn_unless_proven()
        warn_user(
            f"No tree within the limits has an objective of at most known_upper_bound={upper:g}: all have at least "
            f"{self.lower_bound_:.6g}. tree_ is the best one that was found on the way, with {self.objective_:.6g}. "
            f"For an optimal tree, fit again with known_upper_bound={self.objective_!r} and warm_start=True.",
            NotProvenWarning,
        )
