"""Trees that rank: the area under the ROC curve, or under a part of it, in the integers of its search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam._units import small_integers
from hornbeam.binarizers import Conditions, pack_conditions
from hornbeam.estimators._cart import cart_tree
from hornbeam.estimators._parameters import check_switches
from hornbeam.estimators._search import Search
from hornbeam.estimators._training import Training
from hornbeam.estimators.osdt import BOUNDS
from hornbeam.objectives import exact_fraction
from hornbeam.table import Table

_CUT_PARTS = 2**20
_MOST_BITS = 51


@dataclass(frozen=True, slots=True)
class PairUnits:
    """One problem in ticks: `price` of them for half a pair of a positive and a negative row of weight 1.

    Attributes
    ----------
    weights : ndarray of int64 of shape (n_rows,)
        Weights of the rows, all greater than zero.
    costs : ndarray of int64 of shape (2, 2)
        1 for a row of weight 1 of the other class: what the start is grown by.
    price, leaf_cost : int
        Ticks of half a pair and of one leaf.
    cut : int
        The curve counts up to so many 2^-20 parts of a negative row of weight 1.
    one : int
        Ticks of all pairs, which is an objective of 1.
    """

    weights: npt.NDArray[np.int64]
    costs: npt.NDArray[np.int64]
    price: int
    leaf_cost: int
    cut: int
    one: int

    @property
    def regularization(self) -> float:
        """The price of one leaf that is really used, as a share of all pairs."""
        return self.leaf_cost / self.one

    def objective(self, ticks: int) -> float:
        """Return the objective of a tree, or of a bound, of so many ticks."""
        return ticks / self.one


def check_theta(objective: str, theta: Any) -> None:
    """Check that `theta` is given where the objective needs it, and only there.

    Raises
    ------
    ValueError
        If it is not, or is out of range.
    TypeError
        If it is no number.
    """
    if objective != "partial_auc":
        if theta is not None:
            raise ValueError(f"theta is used by objective='partial_auc' only, but objective={objective!r}.")
    elif theta is None or not 0 < exact_fraction(theta, "theta") <= 1:
        raise ValueError(f"objective='partial_auc' needs theta, greater than 0 and at most 1, got {theta!r}.")


def make_pair_units(training: Training, objective: str, regularization: float, theta: Any) -> PairUnits:
    """Turn a problem into ticks; `theta` None stands for the whole curve.

    Raises
    ------
    ValueError
        If there are not two classes, or a leaf would cost more than the largest possible loss.
    """
    if len(training.classes) != 2:
        raise ValueError(
            f"objective={objective!r} needs two classes, of which the second of classes_ is positive, but y holds "
            f"{len(training.classes)}."
        )
    whole = small_integers(training.weights)
    negative, positive = (int(whole[training.codes == code].sum()) for code in (0, 1))
    half_pairs = 2 * negative * positive
    price = 1 << (_MOST_BITS - half_pairs.bit_length())
    one = price * half_pairs
    leaf_cost = round(exact_fraction(regularization, "regularization") * Fraction(one))
    if leaf_cost > one:
        raise ValueError(
            f"regularization={regularization!r} is more than the largest possible loss, 1; no split could ever pay."
        )
    cut = round(exact_fraction(1 if theta is None else theta, "theta") * negative * _CUT_PARTS)
    return PairUnits(whole, 1 - np.eye(2, dtype=np.int64), price, leaf_cost, max(1, cut), one)


class RankingObjectives:
    """The `ObjectiveFamily` of "auc" and "partial_auc"."""

    def check(self, classifier: Any, options: dict[str, Any]) -> None:
        """Refuse what ranks have no use for; the search has one thread and bounds of its own."""
        for name in ("class_weight", "reference"):
            if getattr(classifier, name) is not None:
                raise ValueError(f"{name} is not for objective={classifier.objective!r}; leave it at None.")
        options["bounds"] = check_switches("bounds", classifier.bounds, BOUNDS)
        del options["n_threads"]

    def make_units(self, classifier: Any, training: Training) -> PairUnits:
        """Return the problem in ticks."""
        return make_pair_units(training, classifier.objective, classifier.regularization, classifier.theta)

    def choose_search(
        self, classifier: Any, conditions: Conditions, training: Training, units: PairUnits, options: dict[str, Any]
    ) -> Search:
        """Return the search over sets of leaves."""
        return search_ranks(conditions, training.table, training.codes, units, options)


def search_ranks(
    conditions: Conditions, table: Table, codes: npt.NDArray[np.int32], units: PairUnits, options: Mapping[str, Any]
) -> Search:
    """Return the search; classes, weights, costs and leaf cost are still to give."""
    packed = pack_conditions(conditions, table)
    start = cart_tree(packed, codes, units.weights, units.regularization, False, options)

    def search(
        classes: npt.NDArray[np.int32],
        weights: npt.NDArray[np.int64],
        costs: npt.NDArray[np.int64],
        leaf_cost: int,
        **others: Any,
    ) -> _core.Outcome:
        del costs  # the price of a pair stands for them
        return _core.solve_ranking(
            packed, table.n_rows, classes, weights, units.price, units.cut, leaf_cost, start=start, **options, **others
        )

    return search
