"""How good a tree is on some rows, in the measure that fits the objective of its set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from hornbeam.tree import Tree

_Numbers = npt.NDArray[Any]


class Score(NamedTuple):
    """A measure of trees; larger is better.

    Attributes
    ----------
    name : str
    measure : callable
        From what is said of each row, the number of its class, and its weight, to a number of 0 to 1.
    ranks : bool
        Whether a tree says of a row how large the share of the second class is in its leaf; otherwise it names a class.
    """

    name: str
    measure: Callable[[_Numbers, _Numbers, _Numbers], float | None]
    ranks: bool = False

    def in_training(self, tree: Tree) -> float | None:
        """Return the score of a tree on its training rows."""
        leaves = np.flatnonzero(tree.left < 0)
        weights = tree.class_weights[leaves]
        said = weights[:, 1] / weights.sum(axis=1) if self.ranks else tree.prediction[leaves]
        n_classes = weights.shape[1]
        actual = np.tile(np.arange(n_classes), len(leaves))
        return self.measure(np.repeat(said, n_classes), actual, weights.ravel())


def score_for(objective: str) -> Score:
    """Return the measure that fits an objective."""
    if objective in ("auc", "partial_auc"):
        return Score("area under the curve", _area, ranks=True)
    return Score("F-score", _f_score) if objective == "f1" else Score("accuracy", _accuracy)


def _accuracy(predicted: _Numbers, actual: _Numbers, weights: _Numbers) -> float:
    return float(np.average(predicted == actual, weights=weights))


def _f_score(predicted: _Numbers, actual: _Numbers, weights: _Numbers) -> float | None:
    """Return the F-score of the second class; None if it is neither among the rows nor predicted."""
    right = 2 * weights[(predicted == 1) & (actual == 1)].sum()
    total = right + weights[predicted != actual].sum()
    return float(right / total) if total else None


def _area(shares: _Numbers, actual: _Numbers, weights: _Numbers) -> float | None:
    """Return the area under the ROC curve; None if the rows are of one class."""
    used = weights > 0
    if len(np.unique(actual[used])) < 2:
        return None
    return float(roc_auc_score(actual[used], shares[used], sample_weight=weights[used]))
