"""Invariants of a tree, checked whenever one is made, so that all other code can rely on them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hornbeam.conditions import AtMost, Condition, IsIn, IsOne, IsTrue
from hornbeam.table import KINDS
from hornbeam.tree.routing import inner_nodes

if TYPE_CHECKING:
    from hornbeam.tree.action_tree import ActionTree
    from hornbeam.tree.base import BaseTree
    from hornbeam.tree.hazard_tree import HazardTree
    from hornbeam.tree.quantile_tree import QuantileTree
    from hornbeam.tree.regression_tree import RegressionTree
    from hornbeam.tree.tree import Tree

LABEL_TYPES = (str, bool, int, float)


def check_structure(tree: BaseTree) -> None:
    """Raise ValueError or TypeError, naming the part of the tree that is wrong, whatever its leaves predict."""
    _check_columns(tree)
    _check_shapes(tree)
    _check_links(tree)
    check_conditions(tree)
    _check_numbers_of_rows(tree)


def check_classes(tree: Tree) -> None:
    """Raise ValueError or TypeError if the labels are wrong, or the weights of the classes do not add up."""
    _check_labels(tree, "classes", "label")
    _check_weights(tree)


def check_actions(tree: ActionTree) -> None:
    """Raise ValueError or TypeError if the names of the actions, the rewards or the weights are wrong."""
    _check_labels(tree, "actions", "action")
    check_shapes(tree, {"mean_rewards": (len(tree.conditions), len(tree.actions)), "weights": (len(tree.conditions),)})
    if any(math.isinf(mean) for of_node in tree.mean_rewards.tolist() for mean in of_node):
        raise ValueError("mean_rewards: expected finite numbers, or NaN where no reward is known.")
    if not all(0 < weight < math.inf for weight in tree.weights.tolist()):
        raise ValueError("weights: every node must be reached by training rows of positive, finite weight.")


def check_numbers(tree: RegressionTree) -> None:
    """Raise ValueError if the numbers that a regression tree predicts, or their spread, are wrong."""
    n_nodes = len(tree.conditions)
    per_node = ("means", "deviations", "minima", "maxima", "weights")
    check_shapes(tree, {**dict.fromkeys(per_node, (n_nodes,)), "histograms": (n_nodes, 16)})
    for name in (*per_node, "histograms"):
        if not all(map(math.isfinite, getattr(tree, name).ravel().tolist())):
            raise ValueError(f"{name}: expected finite numbers.")
    if tree.prediction.tolist() != list(range(n_nodes)):
        raise ValueError("prediction: each node predicts its own mean, so these are the numbers of the nodes.")
    if not ((tree.minima <= tree.means) & (tree.means <= tree.maxima) & (tree.deviations >= 0)).all():
        raise ValueError("means: each must lie between minimum and maximum of its node; deviations are at least 0.")
    if not (tree.weights > 0).all() or not (tree.histograms >= 0).all():
        raise ValueError("weights: every node must be reached by training rows of positive weight.")


def check_quantiles(tree: QuantileTree) -> None:
    """Raise ValueError if the quantiles that a tree predicts, or its losses, are wrong."""
    n_nodes = len(tree.conditions)
    check_shapes(tree, {"quantiles": (n_nodes,), "losses": (n_nodes,)})
    if not ((tree.minima <= tree.quantiles) & (tree.quantiles <= tree.maxima)).all():
        raise ValueError("quantiles: each must lie between minimum and maximum of its node.")
    if not all(0 <= loss < math.inf for loss in tree.losses.tolist()):
        raise ValueError("losses: expected finite numbers of at least 0.")
    if not 0 < tree.quantile < 1:
        raise ValueError(f"quantile: expected a number above 0 and below 1, got {tree.quantile}.")


def check_hazards(tree: HazardTree) -> None:
    """Raise ValueError if the hazard ratios or the curves of a survival tree are wrong."""
    n_nodes, n_times = len(tree.conditions), tree.times.size
    curves, per_node = ("survival", "cumulative_hazards"), ("hazard_ratios", "n_events", "weights")
    check_shapes(
        tree,
        {**dict.fromkeys(per_node, (n_nodes,)), **dict.fromkeys(curves, (n_nodes, n_times)), "times": (n_times,)},
    )
    for name in (*per_node, *curves, "times"):
        if not all(math.isfinite(value) and value >= 0 for value in getattr(tree, name).ravel().tolist()):
            raise ValueError(f"{name}: expected finite numbers of at least 0.")
    if tree.prediction.tolist() != list(range(n_nodes)):
        raise ValueError("prediction: each node predicts its own hazard ratio, so these are the numbers of the nodes.")
    if not (tree.times[1:] > tree.times[:-1]).all() or not (tree.survival <= 1).all():
        raise ValueError("times: they must increase, and no survival curve may exceed 1.")
    if not (tree.weights > 0).all():
        raise ValueError("weights: every node must be reached by training rows of positive weight.")


def check_conditions(tree: BaseTree) -> None:
    """Raise ValueError or TypeError if a condition does not suit its column."""
    for node, condition in enumerate(tree.conditions):
        if condition is not None:
            _check_condition(tree, node, condition)


def _check_columns(tree: BaseTree) -> None:
    names, kinds = tree.columns.names, tree.columns.kinds
    if not len(names) == len(kinds) == len(tree.has_missing):
        raise ValueError(
            f"columns: {len(names)} names, {len(kinds)} kinds and {len(tree.has_missing)} entries of has_missing; "
            "expected one of each per column."
        )
    if len(set(names)) < len(names):
        raise ValueError(f"columns: the names must differ, found {names}.")
    for kind in set(kinds).difference(KINDS):
        name = names[kinds.index(kind)]
        raise ValueError(f"columns: kind of {name!r} is {kind!r}; expected {', '.join(map(repr, KINDS))}.")


def _check_labels(tree: BaseTree, part: str, noun: str) -> None:
    if tree.outputs.ndim != 1 or not len(tree.outputs):
        raise ValueError(f"{part}: expected a list of at least one {noun}, found shape {tree.outputs.shape}.")
    labels = tree.outputs.tolist()
    for label in labels:
        if type(label) not in LABEL_TYPES:
            raise TypeError(f"{part}: {noun} {label!r} is of type {type(label).__name__}; use str, int, bool or float.")
        if isinstance(label, float) and not math.isfinite(label):
            raise ValueError(f"{part}: {noun} {label} is not a finite number.")
    if len(set(labels)) < len(labels):
        raise ValueError(f"{part}: the {noun}s must differ, found {labels}.")


def _check_shapes(tree: BaseTree) -> None:
    n_nodes = len(tree.conditions)
    check_shapes(tree, dict.fromkeys(("left", "right", "prediction", "n_samples"), (n_nodes,)))
    if n_nodes == 0:
        raise ValueError("conditions: a tree has at least one node, found none.")


def check_shapes(tree: BaseTree, expected: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ValueError if an array of the tree does not have the shape given by its name."""
    for name, shape in expected.items():
        found = getattr(tree, name).shape
        if found != shape:
            raise ValueError(f"{name}: expected shape {shape}, found {found}.")


def _check_links(tree: BaseTree) -> None:
    """Check that a walk along the links, left first, visits the nodes in order: then there is no cycle and no gap."""
    n_nodes = len(tree.conditions)
    expected = [0]
    for node, (left, right) in enumerate(zip(tree.left.tolist(), tree.right.tolist(), strict=True)):
        if not expected or expected.pop() != node:
            raise ValueError(f"left, right: node {node} is out of place; nodes must be in pre-order, left child first.")
        if tree.conditions[node] is None:
            if (left, right) != (-1, -1):
                raise ValueError(f"left, right: leaf {node} has children {left} and {right}; expected -1 and -1.")
        elif not node < left < n_nodes or not node < right < n_nodes:
            raise ValueError(f"left, right: children {left} and {right} of node {node} are not among its later nodes.")
        else:
            expected += [right, left]
    if expected:
        raise ValueError(f"left, right: node {expected[-1]} is the child of several nodes.")


def _check_condition(tree: BaseTree, node: int, condition: Condition) -> None:
    if not 0 <= condition.column < len(tree.columns.names):
        raise ValueError(
            f"conditions: node {node} tests column {condition.column}; the number of columns is "
            f"{len(tree.columns.names)}."
        )
    kind = tree.columns.kinds[condition.column]
    needed = {AtMost: "number", IsOne: "number", IsTrue: "number", IsIn: "category"}.get(type(condition), kind)
    if kind != needed and not (isinstance(condition, AtMost) and kind != "category"):
        raise ValueError(f"conditions: node {node} needs a column of kind {needed!r}, but tests one of kind {kind!r}.")
    if isinstance(condition, AtMost) and not math.isfinite(condition.threshold):
        raise ValueError(f"conditions: the threshold of node {node} is {condition.threshold}; expected a finite one.")
    if isinstance(condition, IsIn):
        _check_values(node, condition)


def _check_values(node: int, condition: IsIn) -> None:
    if not condition.values:
        raise ValueError(f"conditions: node {node} tests for a category in an empty list.")
    for value in condition.values:
        if type(value) not in LABEL_TYPES:
            raise TypeError(
                f"conditions: node {node} has category {value!r} of type {type(value).__name__}; use str, int, bool or "
                "float."
            )
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"conditions: node {node} has category {value}; expected a finite number.")


# Plain numbers: most trees are small, and a single call of NumPy costs more than such a loop.
def _check_numbers_of_rows(tree: BaseTree) -> None:
    n_samples, n_outputs = tree.n_samples.tolist(), len(tree.outputs)
    if not all(0 <= index < n_outputs for index in tree.prediction.tolist()):
        raise ValueError(f"prediction: expected indices from 0 to {n_outputs - 1}, found {tree.prediction}.")
    if min(n_samples) <= 0:
        raise ValueError("n_samples: every node must be reached by training rows.")
    for node, left, right in inner_nodes(tree.left, tree.right):
        if n_samples[node] != n_samples[left] + n_samples[right]:
            raise ValueError("n_samples: the rows of two children must add up to those of their parent.")


def _check_weights(tree: Tree) -> None:
    check_shapes(tree, {"class_weights": (len(tree.conditions), len(tree.classes))})
    weights = tree.class_weights.tolist()
    if not all(0 <= weight < math.inf for of_node in weights for weight in of_node):
        raise ValueError("class_weights: expected finite weights of at least 0.")
    if not all(map(any, weights)):
        raise ValueError("class_weights: every node must be reached by training rows of positive weight.")
    for node, left, right in inner_nodes(tree.left, tree.right):
        for whole, held, failed in zip(weights[node], weights[left], weights[right], strict=True):
            # Sums of real weights depend on their order: compare up to rounding.
            if abs(whole - (held + failed)) > 1e-8 + 1e-6 * (held + failed):
                raise ValueError("class_weights: the weights of two children must add up to those of their parent.")
