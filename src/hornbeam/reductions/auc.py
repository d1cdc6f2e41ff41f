"""The objectives of trees that rank: the area under the ROC curve, or under a part of it."""

from __future__ import annotations

from typing import Any

from hornbeam.binarizers import Conditions, pack_within
from hornbeam.fitting.parameters import check_switches
from hornbeam.fitting.search import BOUNDS
from hornbeam.fitting.training import Training
from hornbeam.reductions.auc_scale import PairUnits, make_pair_units
from hornbeam.reductions.auc_search import RankSearch


class RankingObjectives:
    """The `ObjectiveFamily` of "auc" and "partial_auc"."""

    def check(self, classifier: Any, options: dict[str, Any]) -> None:
        """Refuse what ranks have no use for; the bounds are those of the searches for sums."""
        for name in ("class_weight", "reference"):
            if getattr(classifier, name) is not None:
                raise ValueError(f"{name} is not for objective={classifier.objective!r}; leave it at None.")
        options["switches"] = check_switches("bounds", classifier.bounds, BOUNDS)

    def make_units(self, classifier: Any, training: Training) -> PairUnits:
        """Return the problem in ticks."""
        return make_pair_units(training, classifier.objective, classifier.regularization, classifier.theta)

    def choose_search(
        self, classifier: Any, conditions: Conditions, training: Training, units: PairUnits, options: dict[str, Any]
    ) -> RankSearch:
        """Return the search by searches for sums."""
        packed = pack_within(conditions, training.table, training.budget)
        return RankSearch(packed, training.table.n_rows, units, {**options, **training.budget.left()})
