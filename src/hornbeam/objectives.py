"""The additive objectives: the cost of predicting a class for a row of another class.

An objective is a function from the weight of each class to a `Loss`, named in `OBJECTIVES`. To add one, write a
function and a line in this file. All numbers are exact, integers or fractions: a float counts as the decimal that
Python prints for it, so 0.1 is one tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import inf
from numbers import Integral, Rational
from operator import mul
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_float, check_choice, is_number, shown

Exact: TypeAlias = int | Fraction
"""Divide these with `Fraction`: ``/`` would round the quotient of two integers to a float."""

Costs: TypeAlias = tuple[tuple[Exact, ...], ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """The cost ``costs[c][k] / scale`` of predicting class k for a row of class c and weight 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from hornbeam.objectives import Loss
    >>> equal = Loss(costs=((0, 1), (1, 0)), scale=200)  # the share of 200 rows that is predicted wrongly
    >>> Fraction(equal.costs[0][1], equal.scale)
    Fraction(1, 200)
    """

    costs: Costs
    scale: Exact


@dataclass(frozen=True, slots=True)
class ClassData:
    """The input of an objective: the labels, their total weights, and the parameters of the estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from hornbeam.objectives import ClassData, balanced
    >>> balanced(ClassData(classes=np.array(["no", "yes"]), totals=(90, 10))).costs
    ((0, Fraction(1, 90)), (Fraction(1, 10), 0))
    """

    classes: npt.NDArray[Any]
    totals: tuple[Exact, ...]
    omega: Any = 1.0
    cost_matrix: Any = None
    class_weight: Any = None

    def multipliers(self) -> tuple[Exact, ...]:
        """Return the class weights, one for each class."""
        return _multipliers(self.class_weight, self.classes, self.totals)


def accuracy(data: ClassData) -> Loss:
    """Charge 1 for every mistake: the share of the weight with a wrong prediction."""
    return _mistakes(data, [1] * len(data.totals))


def balanced(data: ClassData) -> Loss:
    """Give each class the same share of the loss: 1 minus the balanced accuracy."""
    return _mistakes(data, [Fraction(1, total) for total in data.totals])


def weighted(data: ClassData) -> Loss:
    """Charge omega for a missed row of the second class: (FP + omega FN) / (omega N+ + N-), as GOSDT does."""
    if len(data.totals) != 2:
        raise ValueError(
            f"objective='weighted' needs two classes, but y holds {len(data.totals)}; use class_weight or "
            "objective='cost'."
        )
    omega = exact_fraction(data.omega, "omega")
    if omega == 0:
        raise ValueError("omega must be greater than 0, got 0.")
    return _mistakes(data, [1, omega])


def cost(data: ClassData) -> Loss:
    """Charge the user's costs: the mean cost of a row, in the unit of `cost_matrix`."""
    costs = _check_cost_matrix(data.cost_matrix, len(data.totals))
    weights = data.multipliers()
    scaled = tuple(tuple(weight * cost for cost in row) for weight, row in zip(weights, costs, strict=True))
    return Loss(scaled, _dot(weights, data.totals))


OBJECTIVES: dict[str, Callable[[ClassData], Loss]] = {
    "accuracy": accuracy,
    "balanced": balanced,
    "weighted": weighted,
    "cost": cost,
}


def check_objective(objective: object, omega: object, cost_matrix: object, others: Sequence[str] = ()) -> None:
    """Check the name of the objective, and that no parameter of another objective is given.

    Parameters
    ----------
    objective, omega, cost_matrix
        As given to the estimator.
    others : sequence of str, default=()
        Non-additive objectives that the estimator also supports.

    Raises
    ------
    ValueError
        If `objective` is unknown, or `omega` or `cost_matrix` is given to an objective that does not use it.
    """
    objective = check_choice("objective", objective, (*OBJECTIVES, *others))
    if objective != "cost" and cost_matrix is not None:
        raise ValueError(f"cost_matrix is used by objective='cost' only, but objective={objective!r}.")
    if objective == "cost" and cost_matrix is None:
        raise ValueError("objective='cost' needs cost_matrix, an array of shape (n_classes, n_classes).")
    if objective not in ("weighted", "f1") and not is_one(omega):
        raise ValueError(f"omega is used by objective='weighted' only, but objective={objective!r}; set omega=1.")


def is_one(value: object) -> bool:
    """Return whether a parameter has its default value, the number 1."""
    return is_number(value) and value == 1


def exact_fraction(value: Any, name: str) -> Exact:
    """Read a finite number that is not negative as an integer or exact fraction; floats as the decimal Python prints.

    Raises
    ------
    ValueError
        If `value` is negative, NaN, or infinite as float64.
    TypeError
        If `value` is not a number.
    """
    if not is_number(value):
        raise TypeError(f"{name} must be a number, got {shown(value)}.")
    if value < 0 or not as_float(value) < inf:
        raise ValueError(f"{name} must be finite and not negative, got {shown(value)}.")
    if type(value) is not float and isinstance(value, Rational):
        return int(value) if isinstance(value, Integral) else Fraction(value)
    return Fraction(*Decimal(str(value)).as_integer_ratio())


def _mistakes(data: ClassData, error_costs: Sequence[Exact]) -> Loss:
    """Charge each mistake the cost of its class times the class weight, as a share of the largest possible loss."""
    error_costs = list(map(mul, error_costs, data.multipliers()))
    labels = range(len(error_costs))
    costs = tuple([tuple([0 if c == k else error_cost for k in labels]) for c, error_cost in enumerate(error_costs)])
    return Loss(costs, _dot(error_costs, data.totals))


def _dot(left: Sequence[Exact], right: Sequence[Exact]) -> Exact:
    return sum(a * b for a, b in zip(left, right, strict=True))


def _check_cost_matrix(cost_matrix: Any, n_classes: int) -> list[list[Exact]]:
    try:
        matrix = np.asarray(cost_matrix, dtype=object)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"cost_matrix must have shape ({n_classes}, {n_classes}): {error}") from None
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost_matrix must have shape ({n_classes}, {n_classes}), a row for the true and a column for the "
            f"predicted class; got shape {matrix.shape}."
        )
    return [
        [exact_fraction(cost, f"cost_matrix[{c}, {k}]") for k, cost in enumerate(row)] for c, row in enumerate(matrix)
    ]


def _multipliers(class_weight: Any, classes: npt.NDArray[Any], totals: Sequence[Exact]) -> tuple[Exact, ...]:
    """Read `class_weight` as scikit-learn does: None, "balanced", or a dict in which absent labels weigh 1."""
    if class_weight is None:
        return (1,) * len(totals)
    if isinstance(class_weight, str) and class_weight == "balanced":
        return tuple(Fraction(sum(totals), len(totals) * total) for total in totals)
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight must be None, 'balanced' or a dict from label to weight, got {shown(class_weight)}."
        )
    labels = classes.tolist()
    known = set(labels)  # not a list: pandas' NA is neither equal to a label nor different from it
    unknown = [label for label in class_weight if label not in known]
    if unknown and len(class_weight) - len(unknown) < len(labels):
        raise ValueError(f"class_weight names {shown(unknown[0])}, which is not one of the classes {labels}.")
    weights = tuple(exact_fraction(class_weight.get(label, 1), f"class_weight of class {label!r}") for label in labels)
    if 0 in weights:
        raise ValueError("class_weight must be greater than 0; to leave rows out, set their sample_weight to 0.")
    return weights
