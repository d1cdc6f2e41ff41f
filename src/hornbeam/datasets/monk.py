"""The three MONK's problems."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from hornbeam.datasets.dataset import Dataset

_VALUES = {
    "head_shape": ("round", "square", "octagon"),
    "body_shape": ("round", "square", "octagon"),
    "is_smiling": ("yes", "no"),
    "holding": ("sword", "balloon", "flag"),
    "jacket_color": ("red", "yellow", "green", "blue"),
    "has_tie": ("yes", "no"),
}
_FIRST = tuple(values[0] for values in _VALUES.values())


def _monk_1(robot: tuple[str, ...]) -> bool:
    head, body, _, _, jacket, _ = robot
    return head == body or jacket == "red"


def _monk_2(robot: tuple[str, ...]) -> bool:
    return sum(value == first for value, first in zip(robot, _FIRST, strict=True)) == 2


def _monk_3(robot: tuple[str, ...]) -> bool:
    _, body, _, holding, jacket, _ = robot
    return (jacket == "green" and holding == "sword") or (jacket != "blue" and body != "octagon")


_RULES: dict[int, tuple[str, Callable[[tuple[str, ...]], bool]]] = {
    1: ("the head and the body have the same shape, or the jacket is red", _monk_1),
    2: ("exactly two of the six features have their first value", _monk_2),
    3: ("the jacket is green and it holds a sword, or the jacket is not blue and the body no octagon", _monk_3),
}


def load_monk(problem: int = 1, *, return_X_y: bool = False, as_frame: bool = False) -> Dataset | tuple[Any, Any]:
    """Return all 432 robots of a MONK's problem with their true class.

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        1: head and body have the same shape, or the jacket is red (216 rows of class 1).
        2: exactly two features have their first value (142 rows of class 1).
        3: green jacket and sword, or jacket not blue and body no octagon (228 rows of class 1). The noise that the
        authors add to the training sample of this problem is left out.
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Dataset`.
    as_frame : bool, default=False
        Return pandas objects instead of arrays; needs pandas.

    Returns
    -------
    Dataset or tuple
        6 features, all categories as strings in the words of the authors; the target is 0 or 1. The rows stand in
        lexicographic order of the authors' codes.

    Raises
    ------
    ValueError
        If `problem` is not 1, 2 or 3.

    References
    ----------
    .. [1] S. B. Thrun et al., "The MONK's problems: a performance comparison of different learning algorithms",
           CMU-CS-91-197, 1991.

    Examples
    --------
    >>> int(load_monk(2).target.sum())
    142
    """
    if problem not in _RULES:
        raise ValueError(f"problem must be 1, 2 or 3, got {problem!r}")
    words, rule = _RULES[problem]
    robots = list(product(*_VALUES.values()))
    dataset = Dataset(
        data=np.array(robots, dtype=object),
        target=np.array([int(rule(robot)) for robot in robots]),
        feature_names=tuple(_VALUES),
        target_name="is_monk",
        description=f"A row is a robot; the target is 1 if {words}.",
    )
    return dataset.deliver(return_X_y=return_X_y, as_frame=as_frame)
