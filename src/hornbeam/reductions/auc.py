"""The ranking objectives: the area under the ROC curve, or under a part of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from hornbeam import _core
from hornbeam.binarizers import Conditions, bin_conditions
from hornbeam.fitting.search import packed_columns, within
from hornbeam.fitting.training import TrainingData
from hornbeam.reductions.auc_scale import AucScale, make_auc_scale
from hornbeam.reductions.auc_search import AucSearch


class AucObjectives:
    """The `NonAdditiveObjective` of "auc" and "partial_auc"."""

    def check(self, classifier: Any) -> None:
        """Refuse parameters that have no meaning for rankings."""
        for name in ("class_weight", "reference"):
            if getattr(classifier, name) is not None:
                raise ValueError(f"{name} cannot be used with objective={classifier.objective!r}; set {name}=None.")
        if classifier.shape != "tree":
            raise ValueError(
                f"shape={classifier.shape!r} cannot be used with objective={classifier.objective!r}, whose search "
                "lists trees of any shape; set shape='tree'."
            )

    def make_scale(self, classifier: Any, training: TrainingData) -> AucScale:
        """Return the problem in ticks."""
        return make_auc_scale(training, classifier.objective, classifier._leaf_penalty(), classifier.theta)

    def choose_search(
        self,
        classifier: Any,
        conditions: Conditions,
        training: TrainingData,
        scale: AucScale,
        options: _core.SearchOptions,
    ) -> AucSearch:
        """Return the search by additive searches."""
        budget = training.budget
        columns = packed_columns(conditions, training)
        n_bytes = 4 * conditions.n_runs * training.table.n_rows
        # A budget is spent if not all columns are packed: the heuristics may only use those that the proof considers.
        has_room = not budget.is_spent() and budget.fits(n_bytes) and budget.hold(n_bytes)
        ordered = partial(_bin_columns, conditions, training) if has_room else None
        return AucSearch(columns, training.codes, scale, within(options, budget), ordered, training.counts)


def _bin_columns(conditions: Conditions, training: TrainingData) -> _core.OrderedColumns:
    return _core.OrderedColumns(*bin_conditions(conditions, training.table))
