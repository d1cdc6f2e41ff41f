"""Fits one survival tree with one peer: ``python -m benchmarks.survival_peers PEER TABLE DEPTH LIMIT``.

Runs in the environment of the peer, so it imports nothing but the standard library, NumPy and the peer. TABLE is a
NumPy archive of `X`, columns of 0 and 1, `events` and `times`. Prints a line of JSON: the CPU seconds of `fit` alone,
and the deviance of the tree over that of a single leaf, counted from the leaves of its rows.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.worker import measured

Array = npt.NDArray[Any]


class Task(NamedTuple):
    """Find the tree of least deviance within a depth."""

    X: Array
    events: Array
    times: Array
    max_depth: int
    time_limit: float


class Answer(NamedTuple):
    """The tree of a peer."""

    leaves: Array  # of each row a number
    proven: bool  # whether the peer claims that no tree is better
    lower_bound: float | None = None


Solver = tuple[Callable[[], Any], Callable[[], Answer]]  # `fit`, which is measured, and what reads the answer


def structured(task: Task) -> Array:
    """Return events and times in the form of scikit-survival."""
    y = np.empty(len(task.times), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = task.events, task.times
    return y


def hornbeam(task: Task) -> Solver:
    """`SurvivalTree` on the binary columns, without a leaf penalty."""
    from hornbeam import SurvivalTree

    few = [[0], [1], [0]], [[1, 1.0], [0, 2.0], [1, 3.0]]
    SurvivalTree(0, 1, binarizer=None).fit(*few)  # loads what fits load
    model = SurvivalTree(0, task.max_depth, binarizer=None, time_limit=task.time_limit)
    y = structured(task)

    def read() -> Answer:
        return Answer(model.apply(task.X), model.status_ == "optimal", model.lower_bound_)

    return lambda: model.fit(task.X, y), read


def streed(task: Task) -> Solver:
    """STreeD's survival trees, which have no leaf penalty."""
    from pystreed import STreeDSurvivalAnalysis  # type: ignore[import-not-found]

    class Streed(STreeDSurvivalAnalysis):  # type: ignore[misc]
        """Version 1.4.0 indexes a list with booleans, which those of NumPy 2 do not allow."""

        def _compute_baseline_cumulative_hazard_function(self, events: Array, times: Array) -> Any:
            return super()._compute_baseline_cumulative_hazard_function(events.astype(int), times)

    model = Streed(max_depth=task.max_depth, time_limit=task.time_limit)
    columns, y = task.X.astype(np.intc), structured(task)

    def read() -> Answer:
        ratios = super(STreeDSurvivalAnalysis, model).predict(columns)
        return Answer(np.unique(ratios, return_inverse=True)[1], bool(model.fit_result.is_optimal()))

    return lambda: model.fit(columns, y), read


def osst(task: Task) -> Solver:
    """OSST, which minimizes another loss: the integrated Brier score. It counts a single leaf as depth 1."""
    import pandas as pd
    from osst.model.osst import OSST  # type: ignore[import-not-found]

    model = OSST(
        {
            "regularization": 1e-9,  # 0 is refused
            "depth_budget": task.max_depth + 1,
            "minimum_captured_points": 1,
            "time_limit": ceil(task.time_limit),
        }
    )
    columns = pd.DataFrame(task.X, columns=[f"x{number}" for number in range(task.X.shape[1])])

    def read() -> Answer:
        leaves = np.asarray(model.predict(columns))
        return Answer(np.unique(leaves, return_inverse=True)[1], not model.timeout)

    return lambda: model.fit(columns, task.events.astype(int), task.times), read


def sksurv(task: Task) -> Solver:
    """scikit-survival's tree, grown greedily by log-rank tests; it proves nothing."""
    from sksurv.tree import SurvivalTree  # type: ignore[import-not-found]

    model = SurvivalTree(max_depth=task.max_depth, min_samples_split=2, min_samples_leaf=1, random_state=0)
    columns, y = task.X.astype(np.float32), structured(task)
    return lambda: model.fit(columns, y), lambda: Answer(model.tree_.apply(columns), False)


SOLVERS: Mapping[str, Callable[[Task], Solver]] = {
    "hornbeam": hornbeam,
    "streed": streed,
    "osst": osst,
    "sksurv": sksurv,
}


def deviance(leaves: Array, events: Array, times: Array) -> float:
    """Return the deviance of a tree over that of a single leaf, from the leaf of each row, a number from 0 on."""
    steps, happened = np.unique(times[events == 1], return_counts=True)
    at_risk = len(times) - np.searchsorted(np.sort(times), steps)
    hazard_after = np.append(0, np.cumsum(happened / at_risk))
    hazards = hazard_after[np.searchsorted(steps, times, side="right")]
    own = float(np.log(hazards[events == 1]).sum())

    def lost(groups: Array) -> float:
        n_events, hazard = np.bincount(groups, events), np.bincount(groups, hazards)
        with_events = n_events > 0
        return -own - float((n_events[with_events] * np.log(n_events[with_events] / hazard[with_events])).sum())

    return lost(leaves) / lost(np.zeros(len(leaves), dtype=np.intp))


def solve(peer: str, path: str, max_depth: int, limit: float) -> dict[str, Any]:
    """Return the fields of a record that the run decides."""
    with np.load(path) as archive:
        task = Task(archive["X"], archive["events"], archive["times"], max_depth, limit)
    fit, read = SOLVERS[peer](task)
    record = measured(fit)
    leaves, is_proven, lower_bound = read()
    return {
        **record,
        "proven": is_proven,
        "objective": deviance(leaves, task.events, task.times),
        "n_leaves": len(np.unique(leaves)),
        "lower_bound": lower_bound,
    }


if __name__ == "__main__":
    _, peer, path, depth, limit = sys.argv
    print(json.dumps(solve(peer, path, int(depth), float(limit))))
