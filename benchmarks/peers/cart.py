"""CART of scikit-learn: a greedy tree, then pruned to the best of its subtrees."""

from __future__ import annotations

from typing import Any

from sklearn.tree import DecisionTreeClassifier

from benchmarks.peers import Outcome, Problem, State, Unsupported, branch


def prepare(problem: Problem) -> State:
    """Set up the classifier."""
    if problem.max_depth == 0:
        raise Unsupported("needs a depth limit of at least 1")
    model = DecisionTreeClassifier(max_depth=problem.max_depth, random_state=0)
    return State(problem, model, problem.X, problem.y)


def read(state: State) -> Outcome:
    """Prune the tree; nothing is proven of it."""
    tree, _ = _node(state.model.tree_, 0, state.problem.regularization)
    return Outcome(tree=tree, proven=False)


def _node(tree: Any, node: int, price: float) -> tuple[dict[str, Any], float]:
    """Return the best subtree with this root, and its part of the objective."""
    shares = tree.value[node, 0]
    leaf = {"class": int(shares.argmax())}
    cost = float(1 - shares.max()) * tree.n_node_samples[node] / tree.n_node_samples[0] + price
    if tree.children_left[node] < 0:
        return leaf, cost
    left, left_cost = _node(tree, tree.children_left[node], price)
    right, right_cost = _node(tree, tree.children_right[node], price)
    if cost <= left_cost + right_cost + 1e-12:
        return leaf, cost
    return branch(tree.feature[node], left, right, tree.threshold[node]), left_cost + right_cost
