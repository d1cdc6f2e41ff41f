"""One tree of one method: what it costs, what it is worth on other rows, how long it took."""

from __future__ import annotations

import importlib
import json
import resource
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.data import Array
from benchmarks.peers import Outcome, Problem
from benchmarks.trees import score


@dataclass(frozen=True)
class Method:
    """A peer that runs where hornbeam runs, with its options."""

    peer: str
    options: Mapping[str, Any] = field(default_factory=dict)


def measure(
    method: Method, X: Array, y: Array, regularization: float, max_depth: int | None, limit: float
) -> tuple[Outcome, dict[str, Any]]:
    """Fit a method.

    Parameters
    ----------
    method : Method
        What to fit.
    X : ndarray of shape (n_rows, n_columns)
        Columns of 0 and 1 if uint8, numbers otherwise.
    y : ndarray of shape (n_rows,), int64
        Codes of the classes.
    regularization : float
        Price of a leaf as a share of the rows.
    max_depth : int or None
        Largest depth in edges; None: no limit.
    limit : float
        Seconds that the method is told to stop after.

    Returns
    -------
    outcome : Outcome
        Its tree and what it says of it.
    fields : dict
        For the file of results: objective, leaves and depth counted from the rows; whether it is proven best; the lower
        bound; user CPU seconds of the fit.
    """
    peer = importlib.import_module(f"benchmarks.peers.{method.peer}")
    state = peer.prepare(Problem(X, y, X.dtype == np.uint8, regularization, max_depth, limit, 1, dict(method.options)))
    begin = user_seconds()
    peer.fit(state)
    seconds = user_seconds() - begin
    outcome: Outcome = peer.read(state)
    assert outcome.tree is not None
    worth = score(outcome.tree, X, y, regularization)
    return outcome, {
        "objective": worth.objective,
        "leaves": worth.leaves,
        "depth": worth.depth,
        "proven": outcome.proven,
        "lower_bound": outcome.lower_bound,
        "user_seconds": seconds,
    }


def user_seconds() -> float:
    """Return the user CPU seconds of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def write_lines(path: Path, records: Iterable[dict[str, Any]], *, mode: str = "w") -> list[dict[str, Any]]:
    """Write records to a file of JSON lines one by one as they come, each with machine, commit and time, and say them.

    Parameters
    ----------
    path : Path
        The file.
    records : iterable of dict
        What to write.
    mode : {"w", "a"}, default="w"
        "w": the file is written anew. "a": what it holds stays.

    Returns
    -------
    list of dict
        What was written.
    """
    origin = {"machine": results.describe_machine(), "commit": results.describe_commit()}
    written = []
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open(mode, encoding="utf-8") as file:
        for record in records:
            line = {**record, **origin, "time": datetime.now(timezone.utc).isoformat(timespec="seconds")}
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(" ".join(f"{name} {value}" for name, value in record.items()), flush=True)
            written.append(line)
    return written


def setting(records: list[dict[str, Any]]) -> str:
    """Say in a paragraph on which machine, when and with which commit records were made."""
    machine = records[0]["machine"]
    commits = ", ".join(sorted({record["commit"] for record in records}))
    return (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, one thread; "
        f"{records[-1]['time'][:10]}; hornbeam at commit {commits}. Seconds are user CPU.\n"
    )
