"""The pruned subtrees of a tree are those of scikit-learn's cost-complexity pruning, and count their rows exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from hornbeam.tree.pruning import best_predictions, losses_of_nodes, pruned_for, pruned_subtrees


def grown(seed: int, n_classes: int = 2, n_rows: int = 120):
    """Return the arrays of a large tree by CART, with the weights, costs and codes of its rows."""
    X, y = make_classification(
        n_rows, 5, n_informative=4, n_redundant=0, n_classes=n_classes, flip_y=0.3, random_state=seed
    )
    weights = np.random.default_rng(seed).integers(1, 5, n_rows)
    # The values of the nodes are shares of the classes; node numbers are in preorder.
    model = DecisionTreeClassifier(random_state=0, min_samples_leaf=3).fit(X, y, sample_weight=weights)
    cart = model.tree_
    arrays = {
        "column": np.where(cart.children_left < 0, -1, cart.feature).astype(np.int32),
        "left": cart.children_left.astype(np.int32),
        "right": cart.children_right.astype(np.int32),
        "prediction": cart.value[:, 0].argmax(axis=1).astype(np.int32),
        "leaf_of_row": model.apply(X).astype(np.int32),
    }
    costs = 3 * (1 - np.eye(n_classes, dtype=np.int64))
    return arrays, weights, costs, y.astype(np.int32)


def leaves_below(arrays, node: int) -> list[int]:
    if arrays["column"][node] < 0:
        return [node]
    return leaves_below(arrays, arrays["left"][node]) + leaves_below(arrays, arrays["right"][node])


def least_cost(arrays, losses, penalty: float, node: int = 0) -> float:
    """Return by recursion the least cost of any subtree."""
    as_leaf = losses[node] + penalty
    if arrays["column"][node] < 0:
        return as_leaf
    return min(as_leaf, sum(least_cost(arrays, losses, penalty, arrays[side][node]) for side in ("left", "right")))


@pytest.mark.parametrize("n_classes", [2, 3])
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000))
def test_the_subtrees_are_the_cheapest_for_every_penalty(seed, n_classes):
    arrays, weights, costs, y = grown(seed, n_classes)
    losses = losses_of_nodes(arrays, weights, costs, y)
    found = list(pruned_subtrees(arrays, losses))
    lines = [(len(leaves_below(arrays, 0)), losses[leaves_below(arrays, 0)].sum())]
    lines += [(one.n_leaves, one.loss) for one in found]
    assert [leaves for leaves, _ in lines] == sorted({leaves for leaves, _ in lines}, reverse=True)
    assert lines[-1] == (1, losses[0])
    for penalty in [0.0, 0.5, *np.geomspace(1, weights.sum(), 12)]:
        assert min(loss + penalty * leaves for leaves, loss in lines) == pytest.approx(
            least_cost(arrays, losses, penalty)
        )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_subtree_is_a_tree_that_loses_what_it_says(n_classes):
    arrays, weights, costs, y = grown(0, n_classes)
    found = list(pruned_subtrees(arrays, losses_of_nodes(arrays, weights, costs, y)))
    assert len(found) > 3
    for one in found:
        tree = one.arrays()
        assert all(values.dtype == np.int32 for values in tree.values())
        is_leaf = tree["column"] < 0
        assert is_leaf.sum() == one.n_leaves
        assert len(is_leaf) == 2 * one.n_leaves - 1
        assert ((tree["left"] < 0) == is_leaf).all()
        assert ((tree["right"] < 0) == is_leaf).all()
        assert sorted([0, *tree["left"][~is_leaf], *tree["right"][~is_leaf]]) == list(range(len(is_leaf)))
        assert is_leaf[tree["leaf_of_row"]].all()
        assert (weights * costs[y, tree["prediction"][tree["leaf_of_row"]]]).sum() == one.loss
        again = losses_of_nodes(tree, weights, costs, y)
        assert again[is_leaf].sum() == one.loss


def test_a_leaf_has_no_subtrees():
    leaf = np.full(1, -1, dtype=np.int32)
    arrays = {"column": leaf, "left": leaf, "right": leaf, "prediction": leaf + 1, "leaf_of_row": np.zeros(3, np.int32)}
    assert list(pruned_subtrees(arrays, np.array([5]))) == []


def least_list_cost(arrays, losses, penalty: int, node: int = 0) -> int:
    """Return by recursion the least cost of any subtree with a leaf at each split."""
    as_leaf = losses[node] + penalty
    if arrays["column"][node] < 0:
        return as_leaf
    left, right = arrays["left"][node], arrays["right"][node]
    return min(
        as_leaf,
        losses[left] + penalty + least_list_cost(arrays, losses, penalty, right),
        least_list_cost(arrays, losses, penalty, left) + losses[right] + penalty,
    )


@pytest.mark.parametrize("is_list", [False, True])
@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), penalty=st.integers(0, 60), max_leaves=st.one_of(st.none(), st.integers(1, 9)))
def test_a_tree_is_pruned_to_the_cheapest_within_the_limits(seed, penalty, max_leaves, is_list):
    arrays, weights, costs, y = grown(seed)
    arrays["prediction"] = best_predictions(arrays, weights, costs, y)

    def losses_of(tree):
        return losses_of_nodes(tree, weights, costs, y)

    pruned = pruned_for(arrays, losses_of, penalty, max_leaves, is_list=is_list)
    is_leaf = pruned["column"] < 0
    assert is_leaf[pruned["leaf_of_row"]].all()
    lost = (weights * costs[y, pruned["prediction"][pruned["leaf_of_row"]]]).sum()
    cost, least = lost + penalty * is_leaf.sum(), (least_list_cost if is_list else least_cost)
    if is_list:
        assert (is_leaf | is_leaf[pruned["left"]] | is_leaf[pruned["right"]]).all()
    if max_leaves is None:
        assert cost == least(arrays, losses_of(arrays), penalty)
    else:
        assert is_leaf.sum() <= max_leaves
        assert least(arrays, losses_of(arrays), penalty) <= cost <= losses_of(arrays)[0] + penalty
