"""The greedy tree that a search over sets of leaves starts from."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier


def cart_tree(
    packed: npt.NDArray[np.uint8],
    codes: npt.NDArray[np.int32],
    losses: npt.NDArray[np.int64],
    share: float,
    is_cut_back: bool,
    options: Mapping[str, Any],
) -> npt.NDArray[np.int32] | None:
    """Grow scikit-learn's tree on the binary columns, to a size that can pay.

    A leaf that saves no more than its price is in no best tree, so that a leaf holds at least that share of the loss
    and there are no more leaves than such shares, as in OSDT.

    Parameters
    ----------
    packed : ndarray of uint8 of shape (n_binary_columns, ceil(n_rows / 8))
    codes : ndarray of int32 of shape (n_rows,)
    losses : ndarray of int64 of shape (n_rows,)
        What each row weighs in the tree: the largest loss that it can have.
    share : float
        Price of a leaf as a share of their sum.
    is_cut_back : bool
        Whether the search cuts the tree back to what pays. If not, a split has to lower the impurity by `share`.
    options : mapping
        The limits "min_samples_leaf" and, where there are any, "max_depth" and "max_leaves".

    Returns
    -------
    ndarray of int32 of shape (3, n_nodes) or None
        Column (-1 at a leaf), child where it holds, child where it does not. None where only a single leaf is left.
    """
    most_leaves = floor(min(1 / share if share else len(codes), options.get("max_leaves", np.inf), len(codes)))
    if len(packed) == 0 or most_leaves < 2 or options.get("max_depth") == 0:
        return None
    matrix = np.unpackbits(packed, axis=1, count=len(codes), bitorder="little").T
    model = DecisionTreeClassifier(
        max_depth=options.get("max_depth"),
        max_leaf_nodes=most_leaves,
        min_samples_leaf=options["min_samples_leaf"],
        min_weight_fraction_leaf=min(share, 0.5),
        min_impurity_decrease=0.0 if is_cut_back else share,
        random_state=0,
    )
    tree = model.fit(matrix, codes, sample_weight=losses).tree_
    # scikit-learn goes to the left where a column is at most one half.
    columns = np.where(tree.children_left < 0, -1, tree.feature)
    return np.array([columns, tree.children_right, tree.children_left], dtype=np.int32)
