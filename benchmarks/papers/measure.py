"""What the papers share: one tree of one method, what is published, the file of results, the report."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks import results
from benchmarks.data import Array
from benchmarks.peers import PEERS, Outcome, Problem
from benchmarks.report.markdown import fill
from benchmarks.trees import score
from benchmarks.worker import stopwatch
from hornbeam import NotProvenWarning

Records = list[dict[str, Any]]


def measure(
    peer: str,
    X: Array,
    y: Array,
    regularization: float,
    max_depth: int | None,
    limit: float,
    options: Mapping[str, Any] | None = None,
) -> tuple[Outcome, dict[str, Any]]:
    """Fit a peer to binary (uint8) or numeric columns; return its outcome and fields for the file of results.

    Objective, leaves and depth are counted from the rows; `limit` is in seconds, "user_seconds" are CPU of the fit.
    """
    problem = Problem(X, y, X.dtype == np.uint8, regularization, max_depth, limit, 1, dict(options or {}))
    fit, read = PEERS[peer].prepare(problem)
    user_seconds = stopwatch()
    fit()
    seconds = user_seconds()
    outcome = read()
    assert outcome.tree is not None
    worth = vars(score(outcome.tree, X, y, regularization))
    return outcome, {
        **{name: worth[name] for name in ("objective", "leaves", "depth")},
        "proven": outcome.proven,
        "lower_bound": outcome.lower_bound,
        "user_seconds": seconds,
    }


def fit_seconds(model: Any, X: Any, y: Array) -> float:
    """Fit a model, which may not prove its tree, and return the user CPU seconds."""
    user_seconds = stopwatch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        model.fit(X, y)
    return user_seconds()


def attributes(model: Any, *names: str, **renamed: str) -> dict[str, Any]:
    """Return attributes of a fitted model, which end with underscores, as fields of a record."""
    own = {**dict(zip(names, names, strict=True)), **renamed}
    return {field: getattr(model, f"{name}_") for field, name in own.items()}


def read_rows(name: str) -> Records:
    """Return the rows of a table of this folder; numbers are read as such, an empty cell is None."""

    def value(cell: str) -> Any:
        try:
            return json.loads(cell)
        except json.JSONDecodeError:
            return cell or None

    with Path(__file__).with_name(f"{name}.tsv").open(encoding="utf-8") as file:
        return [{head: value(cell) for head, cell in row.items()} for row in csv.DictReader(file, delimiter="\t")]


def grouped(records: Iterable[dict[str, Any]], *names: str) -> dict[tuple[Any, ...], Records]:
    """Return the records by the values of some fields; one that a record does not have is None, a list a tuple."""
    groups: dict[tuple[Any, ...], Records] = {}
    for record in records:
        values = (record.get(name) for name in names)
        key = tuple(tuple(value) if isinstance(value, list) else value for value in values)
        groups.setdefault(key, []).append(record)
    return groups


def mean_of(records: Records, name: str) -> float:
    """Return the mean of a field."""
    return float(mean(record[name] for record in records))


def complete(
    path: Path, sources: Mapping[str, Iterable[dict[str, Any]]], limit: float, *, again: bool = False
) -> Records:
    """Measure what a file of JSON lines does not hold yet with this limit, write it there, and return all it holds.

    `sources` yield records as they are measured. A record gets the name of its source as "dataset", and the seconds
    of a search as "limit". The file holds whole sources only: one that is interrupted is measured anew the next time.
    """
    found: dict[str, Records] = {name: records for (name,), records in grouped(results.load(path), "dataset").items()}
    shared = results.origin()
    for name, records in sources.items():
        if name in found and found[name][0]["limit"] == limit and not again:
            continue
        found[name] = []
        for record in records:
            record = {"dataset": name, "limit": limit, **record}
            print(" ".join(f"{field} {value}" for field, value in record.items()), flush=True)
            found[name].append({**record, **shared})
        results.store(path, chain(*found.values()))
    return list(chain(*found.values()))


def write_report(directory: Path, name: str, records: Records, **values: Any) -> Path:
    """Write ``paper-<name>.md`` with `values`, with machine, date and commits as "setting", and "limit"."""
    machine, date = records[0]["machine"], max(record["date"] for record in records)
    setting = (
        f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}, one thread; "
        f"{date}; hornbeam at commit {', '.join(sorted({record['commit'] for record in records}))}. "
        "Seconds are user CPU."
    )
    limit = max(record["limit"] for record in records)
    return fill(directory / f"paper-{name}.md", name, setting=setting, limit=limit, **values)
