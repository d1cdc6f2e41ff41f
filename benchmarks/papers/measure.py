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
    """Fit a method."""
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
    """Measure what a file of JSON lines does not hold yet, and write it there with machine, commit and time."""
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
