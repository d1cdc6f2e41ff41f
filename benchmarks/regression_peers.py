"""Fits one regression tree with one peer: ``python -m benchmarks.regression_peers PEER TABLE PENALTY DEPTH LIMIT``.

Runs in the environment of the peer, so it imports nothing but the standard library, NumPy and the peer. TABLE is a
NumPy archive of `X`, columns of 0 and 1 or numbers, and `y`. Prints a line of JSON: the CPU seconds of `fit` alone, and
the objective of the tree, counted from its predictions and its number of leaves.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.worker import measured

Array = npt.NDArray[Any]


class Task(NamedTuple):
    """Find the tree of least squared error over that of a single leaf, plus a penalty for each leaf."""

    X: Array
    y: Array
    penalty: float
    max_depth: int | None
    time_limit: float


class Answer(NamedTuple):
    """The tree of a peer."""

    predicted: Array
    n_leaves: int
    proven: bool
    """Whether the peer claims that no tree is better."""
    lower_bound: float | None = None


Solver = tuple[Callable[[], Any], Callable[[], Answer]]  # `fit`, which is measured, and what reads the answer


def hornbeam(task: Task) -> Solver:
    """`GOSDTRegressor` on the binary columns, or on every threshold of numbers."""
    from hornbeam import GOSDTRegressor

    binarizer: Literal["exact"] | None = None if task.X.dtype == np.uint8 else "exact"
    GOSDTRegressor(0, 1, binarizer=binarizer).fit(task.X[:8], task.y[:8])  # loads what fits load
    model = GOSDTRegressor(task.penalty, task.max_depth, binarizer=binarizer, time_limit=task.time_limit)

    def read() -> Answer:
        return Answer(model.predict(task.X), model.n_leaves_, model.status_ == "optimal", model.lower_bound_)

    return lambda: model.fit(task.X, task.y), read


def streed(task: Task) -> Solver:
    """STreeD's piecewise constant regression; its limit on the depth is at most 20."""
    from pystreed import STreeDRegressor  # type: ignore[import-not-found]

    depth = 20 if task.max_depth is None else task.max_depth
    model = STreeDRegressor(max_depth=depth, cost_complexity=task.penalty, time_limit=task.time_limit)
    columns = task.X.astype(np.intc)

    def read() -> Answer:
        return Answer(model.predict(columns), int(model.get_n_leaves()), bool(model.fit_result.is_optimal()))

    return lambda: model.fit(columns, task.y), read


def osrt(task: Task) -> Solver:
    """OSRT; it counts a single leaf as depth 1, and whole seconds, and has no tree if they run out."""
    import pandas as pd
    from osrt import OSRT  # type: ignore[import-not-found]

    model = OSRT(
        {
            "regularization": task.penalty,
            "depth_budget": 0 if task.max_depth is None else task.max_depth + 1,
            "time_limit": ceil(task.time_limit),
            "metric": "L2",
            "weights": [],
            "similar_support": False,  # as in the authors' examples
            "model_limit": 1,
        }
    )
    columns = pd.DataFrame(task.X, columns=[f"x{number}" for number in range(task.X.shape[1])])
    target = pd.Series(task.y)

    def read() -> Answer:
        return Answer(np.asarray(model.predict(columns)), int(model.leaves()), not model.timeout)

    return lambda: model.fit(columns, target), read


def cart(task: Task) -> Solver:
    """scikit-learn's tree, pruned for the same penalty; it proves nothing."""
    from sklearn.tree import DecisionTreeRegressor

    model = DecisionTreeRegressor(
        max_depth=task.max_depth, ccp_alpha=task.penalty * float(task.y.var()), random_state=0
    )
    return lambda: model.fit(task.X, task.y), lambda: Answer(model.predict(task.X), int(model.get_n_leaves()), False)


SOLVERS: Mapping[str, Callable[[Task], Solver]] = {"hornbeam": hornbeam, "streed": streed, "osrt": osrt, "cart": cart}


def solve(peer: str, path: str, penalty: float, max_depth: int | None, limit: float) -> dict[str, Any]:
    """Return the fields of a record that the run decides."""
    with np.load(path) as archive:
        task = Task(archive["X"], archive["y"], penalty, max_depth, limit)
    fit, read = SOLVERS[peer](task)
    record = measured(fit)
    predicted, n_leaves, is_proven, lower_bound = read()
    loss = float(((task.y - predicted) ** 2).mean() / task.y.var())
    return {
        **record,
        "proven": is_proven,
        "objective": loss + penalty * n_leaves,
        "n_leaves": n_leaves,
        "lower_bound": lower_bound,
    }


if __name__ == "__main__":
    _, peer, path, penalty, depth, limit = sys.argv
    print(json.dumps(solve(peer, path, float(penalty), None if depth == "None" else int(depth), float(limit))))
