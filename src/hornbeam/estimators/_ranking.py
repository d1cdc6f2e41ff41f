"""The objectives of trees that rank: the area under the ROC curve, or under a part of it."""

from __future__ import annotations

from typing import Any

from hornbeam import _core
from hornbeam.binarizers import Conditions
from hornbeam.estimators._pair_units import PairUnits, make_pair_units
from hornbeam.estimators._rank_search import RankSearch
from hornbeam.estimators._search import packed_columns, within
from hornbeam.estimators._training import Training


class RankingObjectives:
    """The `ObjectiveFamily` of "auc" and "partial_auc"."""

    def check(self, classifier: Any) -> None:
        """Refuse what ranks have no use for."""
        for name in ("class_weight", "reference"):
            if getattr(classifier, name) is not None:
                raise ValueError(f"{name} is not for objective={classifier.objective!r}; leave it at None.")

    def make_units(self, classifier: Any, training: Training) -> PairUnits:
        """Return the problem in ticks."""
        return make_pair_units(training, classifier.objective, classifier.regularization, classifier.theta)

    def choose_search(
        self,
        classifier: Any,
        conditions: Conditions,
        training: Training,
        units: PairUnits,
        options: _core.SearchOptions,
    ) -> RankSearch:
        """Return the search by searches for sums."""
        columns = packed_columns(conditions, training)
        return RankSearch(columns, training.codes, units, within(options, training.budget))
