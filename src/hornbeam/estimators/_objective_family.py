"""What an objective that is not a sum over the rows brings along: its parameters, its integers and its search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from hornbeam import _core
    from hornbeam.binarizers import Conditions
    from hornbeam.estimators._search import Search
    from hornbeam.estimators._training import Training


class ObjectiveFamily(Protocol):
    """Objectives of one kind; `GOSDTClassifier` names each family once, by its objectives."""

    def check(self, classifier: Any) -> None:
        """Check the parameters of the classifier for this objective."""

    def make_units(self, classifier: Any, training: Training) -> Any:
        """Turn the problem into the integers of the search."""

    def choose_search(
        self,
        classifier: Any,
        conditions: Conditions,
        training: Training,
        units: Any,
        options: _core.SearchOptions,
    ) -> Search:
        """Return the search."""
