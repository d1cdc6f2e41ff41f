"""The checks that scikit-learn requires of every estimator, for survival trees: each `y` of a check is a time.

scikit-learn has no checks for right-censored times: it fits with one number for each row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam import RashomonSetSurvivalTree, SurvivalTree, SurvivalTreeCV


class Uncensored:
    """Takes one number for each row, which becomes the time of its event."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(X, _with_events(y), sample_weight)  # type: ignore[misc]

    def score(self, X: Any, y: Any) -> float:
        return super().score(X, _with_events(y))  # type: ignore[misc]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.multi_output, tags.target_tags.single_output = False, True
        return tags


class UncensoredTree(Uncensored, SurvivalTree):
    pass


class UncensoredTreeCV(Uncensored, SurvivalTreeCV):
    pass


class UncensoredRashomonSet(Uncensored, RashomonSetSurvivalTree):
    pass


def _with_events(y: Any) -> Any:
    if y is None:
        return None
    times = np.asarray(y, dtype=float)
    return np.column_stack([np.ones(len(times)), times - times.min()])


@parametrize_with_checks(
    [
        UncensoredTree(max_depth=2),
        UncensoredTree(0.05, max_leaves=3, trace=True, time_limit=5.0),
        UncensoredTreeCV(cv=2, max_depth=2, time_limit=5.0),
        UncensoredRashomonSet(max_depth=2),
    ]
)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
