"""Fits one policy tree with one peer: ``python -m benchmarks.policy_peers PEER TABLE DEPTH LIMIT``.

Runs in the environment of the peer, so it imports nothing but the standard library, NumPy and the peer. TABLE is a
NumPy archive of `X` and `rewards`. Prints a line of JSON: the CPU seconds of `fit` alone, and the mean reward of the
rows under the policy, counted from the actions that the peer predicts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.worker import measured

Array = npt.NDArray[Any]
# `fit`, and what returns the actions of the rows and whether the peer claims that the tree is optimal.
Fit = tuple[Callable[[], Any], Callable[[], tuple[Array, bool]]]


def hornbeam(X: Array, rewards: Array, depth: int, limit: float) -> Fit:
    """`PolicyTree` without a leaf penalty."""
    from hornbeam import PolicyTree

    binarizer: Any = None if X.dtype == np.uint8 else "exact"
    PolicyTree(0, 1, binarizer=binarizer).fit(X[:8], rewards[:8])  # loads what fits load
    policy = PolicyTree(0, depth, binarizer=binarizer, time_limit=limit)
    return lambda: policy.fit(X, rewards), lambda: (policy.predict(X), policy.status_ == "optimal")


def streed(X: Array, rewards: Array, depth: int, limit: float) -> Fit:
    """STreeD's task of costs of each row; it takes binary columns."""
    from pystreed import STreeDInstanceCostSensitiveClassifier  # type: ignore[import-not-found]

    model = STreeDInstanceCostSensitiveClassifier(max_depth=depth, time_limit=limit)
    costs = rewards.max(axis=1, keepdims=True) - rewards
    binary = X.astype(np.intc)
    return lambda: model.fit(binary, costs), lambda: (model.predict(binary), bool(model.fit_result.is_optimal()))


def econml(X: Array, rewards: Array, depth: int, limit: float) -> Fit:
    """EconML's greedy tree, grown on all rows without limits but the depth; it has no time limit."""
    from econml.policy import PolicyTree  # type: ignore[import-not-found]

    policy = PolicyTree(
        max_depth=depth, min_samples_split=2, min_samples_leaf=1, min_balancedness_tol=0.5, honest=False, random_state=0
    )
    return lambda: policy.fit(X, rewards), lambda: (policy.predict(X), False)


SOLVERS: Mapping[str, Callable[[Array, Array, int, float], Fit]] = {
    "hornbeam": hornbeam,
    "streed": streed,
    "econml": econml,
}


def solve(peer: str, path: str, depth: int, limit: float) -> dict[str, Any]:
    """Return the fields of a record that the run decides."""
    with np.load(path) as archive:
        X, rewards = archive["X"], archive["rewards"]
    fit, read = SOLVERS[peer](X, rewards, depth, limit)
    record = measured(fit)
    actions, is_proven = read()
    value = float(rewards[np.arange(len(rewards)), np.asarray(actions, dtype=np.intp)].mean())
    return {**record, "proven": is_proven, "value": value}


if __name__ == "__main__":
    print(json.dumps(solve(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))))
