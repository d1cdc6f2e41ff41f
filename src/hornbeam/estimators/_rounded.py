"""What the trees for numbers and times share: no binarizer by classes, and results of a scale that rounds."""

from __future__ import annotations

from typing import Any

from hornbeam import _core
from hornbeam._checks import shown
from hornbeam.binarizers import Binarizer
from hornbeam.binarizers._base import SupervisedBase
from hornbeam.estimators._exact import ExactTree
from hornbeam.estimators._frontier import FrontierMethods
from hornbeam.estimators._regularized import RegularizedTree
from hornbeam.fitting.progress import proven_bound, relative_gap


class RoundedScaleTree(RegularizedTree):
    """Base of the trees whose targets are not classes, and whose scale rounds what the search adds up."""

    _targets: str
    """What `y` holds, for messages."""

    def _make_binarizer(self) -> Binarizer:
        if isinstance(self.binarizer, SupervisedBase) or self.binarizer in ("auto", "guess"):
            raise ValueError(
                f"binarizer={shown(self.binarizer)} chooses thresholds by classes, and y holds {self._targets}. Use "
                "'quantile', 'exact', None or a ThresholdBinarizer."
            )
        return super()._make_binarizer()

    def _set_result(self, outcome: _core.Outcome, scale: Any) -> None:
        self.loss_ = scale.loss(outcome["tree"]["leaf_of_row"])
        self.objective_ = self.loss_ + self.regularization_ * self.n_leaves_
        self.rounding_ = scale.rounding(self.objective_)
        self.lower_bound_ = proven_bound(scale, outcome["lower"], self.objective_)
        self.gap_ = relative_gap(self.objective_, self.lower_bound_)


class RoundedTree(FrontierMethods, RoundedScaleTree, ExactTree):
    """Base of those that are proven."""
