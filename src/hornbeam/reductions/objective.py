"""A non-additive objective: its parameters, its integer scale and its search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hornbeam import _core
    from hornbeam.binarizers import Conditions
    from hornbeam.fitting.scales import RegularizedScale
    from hornbeam.fitting.search import Search
    from hornbeam.fitting.training import TrainingData


class NonAdditiveObjective(Protocol):
    """An objective, or several of one kind, that `GOSDTClassifier` solves by a sequence of additive problems."""

    def check(self, classifier: Any) -> None:
        """Check the parameters of the classifier for this objective."""

    def make_scale(self, classifier: Any, training: TrainingData) -> RegularizedScale:
        """Turn the problem into the integers of the search."""

    def choose_search(
        self,
        classifier: Any,
        conditions: Conditions,
        training: TrainingData,
        scale: Any,
        options: _core.SearchOptions,
    ) -> Search:
        """Return the search."""
