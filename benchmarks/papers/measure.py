"""One tree of one method: what it costs, what it is worth on other rows, how long it took."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers, results
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
    """Fit a method to binary (uint8) or numeric columns; return its outcome and fields for the file of results.

    Objective, leaves and depth are counted from the rows; `limit` is in seconds, "user_seconds" are CPU of the fit.
    """
    peer = importlib.import_module(f"benchmarks.peers.{method.peer}")
    state = peer.prepare(Problem(X, y, X.dtype == np.uint8, regularization, max_depth, limit, 1, dict(method.options)))
    user_seconds = stopwatch()
    getattr(peer, "fit", peers.fit)(state)
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
    """Measure what a file of JSON lines does not hold yet with this limit, write it there, and return all it holds.

    `sources` yield records as they are asked for, with the name of the source as "dataset" and the seconds of a search
    as "limit". The file holds whole sources only: one that is interrupted is measured anew the next time.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    shared = results.origin()
    for record in results.load(path):
        found.setdefault(record["dataset"], []).append(record)
    for name, records in sources.items():
        if name in found and found[name][0]["limit"] == limit and not again:
            continue
        found[name] = []
        for record in records:
            print(" ".join(f"{field} {value}" for field, value in record.items()), flush=True)
            found[name].append({**record, **shared})
        results.store(path, chain(*found.values()))
    return list(chain(*found.values()))


def write_report(directory: Path, name: str, title: str, records: list[dict[str, Any]], *sections: str) -> Path:
    """Write ``paper-<name>.md``: a title, machine, date and commits of the records, then the sections."""
    machine, date = records[0]["machine"], max(record["date"] for record in records)
    setting = (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, one thread; "
        f"{date}; hornbeam at commit {', '.join(sorted({record['commit'] for record in records}))}. "
        "Seconds are user CPU.\n"
    )
    path = directory / f"paper-{name}.md"
    path.write_text("\n".join((f"# {title}\n", setting, *sections)), encoding="utf-8")
    return path
