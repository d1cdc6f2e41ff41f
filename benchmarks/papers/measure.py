"""One tree of one method: what it costs, what it is worth on other rows, how long it took."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.data import Array
from benchmarks.peers import Outcome, Problem
from benchmarks.trees import score
from benchmarks.worker import stopwatch


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
    user_seconds = stopwatch()
    peer.fit(state)
    seconds = user_seconds()
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


def complete(
    path: Path, sources: Mapping[str, Iterable[dict[str, Any]]], limit: float, *, again: bool = False
) -> list[dict[str, Any]]:
    """Measure what a file of JSON lines does not hold yet, and write it there with machine, commit and time.

    Parameters
    ----------
    path : Path
        The file. It holds whole sources only: one that is interrupted is measured anew the next time.
    sources : dict from text to iterable of dict
        The records of each source, measured as they are asked for, with the name of the source as "dataset" and the
        seconds of each search as "limit".
    limit : float
        What is there with another limit is measured anew.
    again : bool, default=False
        Whether also what is there with this limit.

    Returns
    -------
    list of dict
        All that the file holds now.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for record in results.load(path):
        found.setdefault(record["dataset"], []).append(record)
    for name, records in sources.items():
        if name in found and found[name][0]["limit"] == limit and not again:
            continue
        found[name] = []
        for record in records:
            print(" ".join(f"{field} {value}" for field, value in record.items()), flush=True)
            found[name].append({**record, **results.origin()})
        results.store(path, chain(*found.values()))
    return list(chain(*found.values()))


def write_report(path: Path, title: str, records: list[dict[str, Any]], *sections: str) -> Path:
    """Write a Markdown file: a title, on which machine, when and with which commit records were made, then sections."""
    text = "\n".join((f"# {title}\n", _setting(records), *sections))
    path.write_text(text, encoding="utf-8")
    return path


def _setting(records: list[dict[str, Any]]) -> str:
    machine = records[0]["machine"]
    commits = ", ".join(sorted({record["commit"] for record in records}))
    return (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, one thread; "
        f"{max(record['date'] for record in records)}; hornbeam at commit {commits}. Seconds are user CPU.\n"
    )
