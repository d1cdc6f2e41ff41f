"""A tree as a fitted tree of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne
from hornbeam.tree import ActionTree, BaseTree, HazardTree, RegressionTree, Tree
from hornbeam.tree.words import question

# The values at leaves of scikit-learn's trees, for a child, and for a column and a threshold.
_NO_CHILD, _UNDEFINED = -1, -2


def to_sklearn(
    tree: BaseTree, *, conditions: Sequence[Condition] | None = None
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a fitted tree of scikit-learn that predicts the same on numeric input.

    Nodes keep their numbers, so ``apply`` returns the same as well.

    Parameters
    ----------
    tree : BaseTree
        The tree to convert.
    conditions : sequence of Condition or None, default=None
        None: the model takes the columns of the table, all numbers (dates as seconds), with NaN for missing values.
        Otherwise the model takes the 0/1 matrix whose columns tell whether these conditions hold, which is
        ``binarizer.transform(X)`` for the ``conditions_`` of a fitted binarizer. A tree that tests categories has only
        this form.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier
        For a `RegressionTree` or a `HazardTree`, a `sklearn.tree.DecisionTreeRegressor`.

    Raises
    ------
    ValueError
        If the tree tests categories and `conditions` is None, or if it tests a condition that is not among
        `conditions`.

    Notes
    -----
    *Rounding.* scikit-learn rounds input to float32 and compares it with a float64 threshold. Therefore each threshold
    is also rounded to float32, so that ``x <= t`` stays true for every x, even for x = t (0.1 as float32 is more than
    0.1). Only a value that exceeds t but rounds to the same float32 changes sides.

    *Missing values.* They go to the side where the condition fails. "x is missing" becomes ``x <= inf`` with the
    children swapped, as scikit-learn itself writes it. dtreeviz 2.3 cannot draw such a node, and models converted by
    skl2onnx 1.20 send every missing value to the right child, which is the wrong one for 0/1 columns.

    *Dates.* Columns of dates, times and durations are numbers of seconds for the model: since 1970-01-01 00:00 (in UTC
    if there is a time zone), since midnight, or of the duration, such as ``table["day"].astype("datetime64[s]")
    .astype("int64")`` in pandas. In float32, seconds of this century are multiples of 128: dates are safe, but times of
    day within two minutes of a threshold are not. The 0/1 matrix of `conditions` is exact.

    *0/1 columns.* ``x = 1`` becomes ``x <= 0.5`` with the children swapped.

    *Probabilities.* ``predict`` of scikit-learn returns the first class with the largest share. If the tree predicts
    another class, because costs are unequal or shares are tied, the leaf gets a share of 1 for that class, and
    ``predict_proba`` differs from the tree's. ``impurity`` is always the Gini impurity of the training shares.

    *Numbers.* The `impurity` of a node is its variance.

    *Actions.* The classes of the model are the actions. Every node has a share of 1 for its best action, and an
    ``impurity`` of 0.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> tree.to_sklearn().predict([[1, 50]]).tolist()
    ['yes']
    """
    n_features = len(tree.columns.names) if conditions is None else len(conditions)
    splits = _splits_on_columns(tree) if conditions is None else _splits_on_conditions(tree, conditions)
    leaves = _leaves_of(tree)
    model = leaves.model(tree, n_features)
    if conditions is None and tree.columns.named:
        model.feature_names_in_ = np.array(tree.columns.names, dtype=object)
    kind, arguments, state = model.tree_.__reduce__()
    nodes = np.zeros(tree.n_nodes, dtype=state["nodes"].dtype)
    for node, split in enumerate(splits):
        for field, value in split.items():
            nodes[field][node] = value
    nodes["n_node_samples"] = tree.n_samples
    nodes["weighted_n_node_samples"] = tree.node_weights
    nodes["impurity"] = leaves.impurity
    values = np.ascontiguousarray(leaves.values[:, np.newaxis, :])
    state |= {"max_depth": tree.depth, "node_count": tree.n_nodes, "nodes": nodes, "values": values}
    # Danger: __setstate__ of a tree that already has nodes writes past their memory; only a new one takes the state.
    model.tree_ = kind(*arguments)
    model.tree_.__setstate__(state)
    return model


def _splits_on_columns(tree: BaseTree) -> list[dict[str, Any]]:
    """Return the fields of each node that scikit-learn splits by, over the columns of the table."""
    splits = []
    for node, condition in enumerate(tree.conditions):
        match condition:
            case None:
                splits.append(_leaf())
            case AtMost(column, threshold):
                with np.errstate(over="ignore"):  # too large for float32: infinity separates the same values
                    splits.append(_split(tree, node, column, float(np.float32(threshold)), missing_go_to_left=False))
            case IsMissing(column):
                splits.append(_split(tree, node, column, np.inf, swapped=True, missing_go_to_left=False))
            case IsOne(column):
                splits.append(_split(tree, node, column, 0.5, swapped=True, missing_go_to_left=True))
            case IsIn():
                raise ValueError(
                    f"scikit-learn's trees support only numbers, but node {node} tests {question(tree, node)!r}. "
                    "Convert the binary columns: call to_sklearn(conditions=binarizer.conditions_), and pass "
                    "binarizer.transform(X) to the model."
                )
    return splits


def _splits_on_conditions(tree: BaseTree, conditions: Sequence[Condition]) -> list[dict[str, Any]]:
    """Return the fields of each node that scikit-learn splits by, over a 0/1 matrix."""
    place = {condition: column for column, condition in enumerate(conditions)}
    splits = []
    for node, condition in enumerate(tree.conditions):
        if condition is not None and condition not in place:
            raise ValueError(
                f"Node {node} tests {question(tree, node)!r}, which is not among the {len(place)} conditions."
            )
        splits.append(
            _leaf()
            if condition is None
            else _split(tree, node, place[condition], 0.5, swapped=True, missing_go_to_left=True)
        )
    return splits


def _leaf() -> dict[str, Any]:
    return {"left_child": _NO_CHILD, "right_child": _NO_CHILD, "feature": _UNDEFINED, "threshold": _UNDEFINED}


def _split(
    tree: BaseTree, node: int, column: int, threshold: float, *, swapped: bool = False, missing_go_to_left: bool
) -> dict[str, Any]:
    """Compare a column with a threshold; `swapped` if the condition holds for the larger values, or for none."""
    holds, fails = tree.left[node], tree.right[node]
    return {
        "left_child": fails if swapped else holds,
        "right_child": holds if swapped else fails,
        "feature": column,
        "threshold": threshold,
        "missing_go_to_left": missing_go_to_left,
    }


# Models are fitted to nothing, for their fitted attributes and for this version's layout of a node.


def _classifier(tree: BaseTree, n_features: int) -> DecisionTreeClassifier:
    codes = np.arange(len(tree.outputs))
    model = DecisionTreeClassifier().fit(np.zeros((len(codes), n_features), dtype=np.float32), codes)
    model.classes_ = tree.outputs.copy()
    return model


def _regressor(_: BaseTree, n_features: int) -> DecisionTreeRegressor:
    return DecisionTreeRegressor().fit(np.zeros((1, n_features), dtype=np.float32), [0.0])


class _Leaves(NamedTuple):
    """What scikit-learn's tree predicts in each node: `values` of shape (n_nodes, n_outputs), whose largest wins.

    Of numbers there is one value, the prediction.
    """

    values: npt.NDArray[np.float64]
    impurity: npt.NDArray[np.float64]
    model: Callable[[BaseTree, int], Any] = _classifier


@singledispatch
def _leaves_of(tree: BaseTree) -> _Leaves:
    """Return the predictions of a tree of some kind."""
    raise TypeError(f"{type(tree).__name__} has no counterpart in scikit-learn.")


@_leaves_of.register
def _(tree: Tree) -> _Leaves:
    values = tree.class_weights / tree.class_weights.sum(axis=1, keepdims=True)
    impurity = 1 - (values**2).sum(axis=1)
    other = (tree.left < 0) & (values.argmax(axis=1) != tree.prediction)
    values[other] = np.eye(len(tree.classes))[tree.prediction[other]]
    return _Leaves(values, impurity)


@_leaves_of.register
def _(tree: ActionTree) -> _Leaves:
    return _Leaves(np.eye(len(tree.actions))[tree.prediction], np.zeros(tree.n_nodes))


@_leaves_of.register
def _(tree: RegressionTree) -> _Leaves:
    return _Leaves(tree.outputs[:, np.newaxis], tree.deviations**2, _regressor)


@_leaves_of.register
def _(tree: HazardTree) -> _Leaves:
    return _Leaves(tree.hazard_ratios[:, np.newaxis], np.zeros(tree.n_nodes), _regressor)
