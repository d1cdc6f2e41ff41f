"""Base classes of the estimators, and of the classifiers, that penalize leaves."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal

from hornbeam import _core
from hornbeam._budget import Budget
from hornbeam._checks import shown
from hornbeam._user_frame import warn_user
from hornbeam.binarizers import ThresholdGuessBinarizer
from hornbeam.estimators._base import TreeEstimator
from hornbeam.estimators._classifier import TreeClassifier
from hornbeam.exceptions import NotProvenWarning
from hornbeam.fitting.advice import advice
from hornbeam.fitting.monitor import Monitor
from hornbeam.fitting.parameters import LARGEST_LIMIT, check_integer, check_number, number_of_threads
from hornbeam.fitting.progress import relative_gap
from hornbeam.fitting.reference import NEEDS_GUESSES
from hornbeam.fitting.scales import RegularizedScale, make_scale
from hornbeam.fitting.search import suits_ordered_search
from hornbeam.fitting.start_tree import Splits
from hornbeam.fitting.training import TrainingData
from hornbeam.objectives import OBJECTIVES, ClassData, Exact, Loss, check_objective
from hornbeam.streaming import check_folder, read_streamed
from hornbeam.tree.shares import check_smoothing

_LARGEST_PENALTY = 0.01  # of "auto"


class RegularizedTree(TreeEstimator):
    """Base of the estimators that minimize ``loss + regularization * n_leaves``.

    A subclass checks its own parameters in `_check_parameters`, returns the problem in integers in `_make_scale`, and
    the search to run in `_choose_search`.
    """

    regularization: float | Literal["auto"]
    min_samples_leaf: int
    n_jobs: int | None
    # The leaf penalty "auto"; see docs/notes/2026-11-23-defaults.md.
    _rows_of_a_leaf = 2  # that one more leaf must classify correctly
    _least_penalty = 0.002

    def _check_parameters(self) -> _core.SearchOptions:
        if not self._is_auto():
            check_number("regularization", self.regularization)
        return self._check_search_parameters().replace(
            min_samples_leaf=min(LARGEST_LIMIT, check_integer("min_samples_leaf", self.min_samples_leaf, least=1)),
            n_threads=number_of_threads(self.n_jobs),
        )

    def _is_auto(self) -> bool:
        return isinstance(self.regularization, str) and self.regularization == "auto"

    def _leaf_penalty(self) -> float:
        """Return the leaf penalty; "auto" stands for one that depends on the number of rows."""
        if not self._is_auto():
            return self.regularization  # type: ignore[return-value]
        return min(_LARGEST_PENALTY, max(self._least_penalty, self._rows_of_a_leaf / self._n_rows))

    def _set_result(self, outcome: _core.Outcome, scale: RegularizedScale) -> None:
        """Set the attributes about the objective, in the user's units."""
        upper, lower = outcome["upper"], outcome["lower"]
        self.objective_ = scale.objective(upper)
        self.loss_ = scale.objective(upper - scale.leaf_cost * self.n_leaves_)
        self.lower_bound_ = scale.objective(lower)
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)
        self.regularization_ = scale.regularization

    def _warn_unless_proven(self) -> None:
        if self.status_ in ("optimal", "gap_limit", "guessed", "known_bound", "heuristic"):
            return
        warn_user(
            f"The search stopped before its tree was proven optimal ({self._describe_end()}): objective "
            f"{self.objective_:.6g}, lower bound {self.lower_bound_:.6g}, gap {100 * self.gap_:.2f} %. The tree is "
            f"valid. For a smaller gap or a proof, {advice(self)}",
            NotProvenWarning,
        )


class RegularizedTreeClassifier(RegularizedTree, TreeClassifier):
    """Base of the classifiers that minimize ``loss + regularization * n_leaves``.

    The loss is additive unless the subclass names other objectives and returns their scale in `_make_scale`.
    """

    objective: str
    omega: float
    cost_matrix: Any
    class_weight: Any
    temporary_folder: str | PathLike[str] | None  # where _reads_streams
    _non_additive_objectives: tuple[str, ...] = ()
    _reads_streams = False  # whether its searches see merged rows, and nothing else of the table

    def _check_parameters(self) -> _core.SearchOptions:
        options = super()._check_parameters()
        check_smoothing(self.smoothing)
        check_objective(self.objective, self.omega, self.cost_matrix, self._non_additive_objectives)
        if self._reads_streams:
            check_folder(self.temporary_folder)
        return options

    def _read_stream(
        self, X: Any, y: Any, sample_weight: Any, budget: Budget, monitor: Monitor, options: _core.SearchOptions
    ) -> TrainingData:
        if not self._reads_streams:
            return super()._read_stream(X, y, sample_weight, budget, monitor, options)  # type: ignore[no-any-return]
        self._check_stream()
        reference = getattr(self, "reference", None)
        # That of a binarizer predicts by the results of the conditions, which are equal in all rows that are merged.
        of_binarizer = isinstance(reference, str)
        levels = options.max_depth if self._needs_only_triples(options) and not of_binarizer else None
        rows = read_streamed(
            X,
            y,
            sample_weight,
            self._make_binarizer(),
            budget,
            monitor.report_rows,
            levels,
            self._known_trees(),
            self.temporary_folder,
            None if of_binarizer else reference,
        )
        self.binarizer_, self.classes_ = rows.binarizer, rows.training.classes
        training = rows.training
        if training.counts is None:
            return training
        if of_binarizer:
            training = training._replace(reference=self._read_reference(X, training))
        # The ordered search, which is for few rows and additive objectives, counts a row as one.
        is_additive = self.objective not in self._non_additive_objectives
        counts_rows = self.min_samples_leaf > 1 and training.triples is None and is_additive
        if counts_rows and suits_ordered_search(self.binarizer_.conditions_, training.n_rows, options):
            return training.unmerged()
        return training

    def _needs_only_triples(self, options: _core.SearchOptions) -> bool:
        """Return whether the fit needs no more of a table than how many rows three conditions hold for."""
        return False

    def _known_trees(self) -> list[Splits]:
        """Return the trees that the user gave to start from."""
        return []

    def _check_stream(self) -> None:
        """Refuse parameters that are wrong for a lazy table, or need every row of it."""
        reference = getattr(self, "reference", None)
        if isinstance(reference, str) and reference == "binarizer":
            if not isinstance(self._make_binarizer(), ThresholdGuessBinarizer):
                raise ValueError(NEEDS_GUESSES)
        elif reference is not None and not hasattr(reference, "predict"):
            raise ValueError(
                "reference must be a fitted estimator or 'binarizer' if X is read in batches, since it predicts each "
                f"batch; got {shown(reference)}."
            )

    def _leaf_penalty(self) -> float:
        is_measured = self.objective not in self._non_additive_objectives
        return _LARGEST_PENALTY if self._is_auto() and not is_measured else super()._leaf_penalty()

    def _make_scale(self, training: TrainingData) -> RegularizedScale:
        def make_loss(totals: tuple[Exact, ...]) -> Loss:
            data = ClassData(training.classes, totals, self.omega, self.cost_matrix, self.class_weight)
            return OBJECTIVES[self.objective](data)

        n_classes = len(training.classes)
        rows = training.weights, training.codes, n_classes
        scale = make_scale(
            *rows,
            make_loss,
            self._leaf_penalty(),
            self._leaf_bits(),
            is_share=self._is_auto(),
            counts=training.counts,
        )
        self.regularization_ = scale.regularization  # for the note on a long search
        return scale

    def _leaf_bits(self) -> int:
        """Return how many bits of a tree's ticks count its leaves."""
        return 0
