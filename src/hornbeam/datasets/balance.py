"""The balance scale."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from hornbeam.datasets.dataset import Dataset


def load_balance_scale(*, return_X_y: bool = False, as_frame: bool = False) -> Dataset | tuple[Any, Any]:
    """Return the 625 ways to load a balance scale, and the side to which it tips.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)`` instead of a `Dataset`.
    as_frame : bool, default=False
        Return pandas objects instead of arrays; needs pandas.

    Returns
    -------
    Dataset or tuple
        4 features, each an integer from 1 to 5: weight and distance on the left, weight and distance on the right. The
        target is "L" (288 rows) or "R" (288 rows), the side with the larger product of weight and distance, or "B" (49
        rows) if they balance. The rows are in lexicographic order.

    References
    ----------
    .. [1] R. S. Siegler, "Three aspects of cognitive development", Cognitive Psychology 8, 1976; UCI Machine Learning
           Repository, "Balance Scale".

    Examples
    --------
    >>> load_balance_scale().target[:3].tolist()
    ['B', 'R', 'R']
    """
    data = np.array(list(product(range(1, 6), repeat=4)))
    left, right = data[:, 0] * data[:, 1], data[:, 2] * data[:, 3]
    dataset = Dataset(
        data=data,
        target=np.select([left > right, left < right], ["L", "R"], "B"),
        feature_names=("left_weight", "left_distance", "right_weight", "right_distance"),
        target_name="tips_to",
        description="A row is a loaded scale; the target is the side with the larger weight times distance, or B.",
    )
    return dataset.deliver(return_X_y=return_X_y, as_frame=as_frame)
