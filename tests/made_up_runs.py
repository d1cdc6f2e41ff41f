"""Runs made up for the tests of the reports, and what the reports make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.report.comparison import compare
from benchmarks.report.document import write
from benchmarks.report.faults import Fault, find_faults
from benchmarks.report.outcomes import Outcomes
from benchmarks.results import Record
from benchmarks.results import write as write_results

MIB = 2**20


def record(peer: str = "hornbeam", dataset: str = "vote", **fields: Any) -> Record:
    """A run that proved the objective 0.25 in a second, unless told otherwise."""
    seconds = fields.get("user_seconds", 1.0)
    usual: dict[str, Any] = {
        "suite": "exact",
        "dataset": dataset,
        "binarization": "binary",
        "rows": 435,
        "columns": 48,
        "regularization": 0.01,
        "max_depth": 3,
        "limit": 20.0,
        "peer": peer,
        "proven": True,
        "lower_bound": 0.25,
        "objective": 0.25,
        "leaves": 4,
        "depth": 3,
        "user_seconds": seconds,
        "wall_seconds": seconds,
        "baseline_bytes": 50 * MIB,
        "peak_bytes": 60 * MIB,
        "machine": {"processor": "P", "cores": 2, "memory": 8 << 30, "system": "L", "python": "3"},
        "commit": "c0ffee",
        "date": "2025-01-02",
        "versions": {peer: f"{peer}-1"},
    }
    return Record(**{**usual, **fields})


def killed(peer: str, dataset: str = "vote", **fields: Any) -> Record:
    nothing = dict.fromkeys(("lower_bound", "claimed_objective", "objective", "leaves", "depth"))
    usual = {"status": "timeout", "proven": False, "user_seconds": 30.0, **nothing}
    return record(peer, dataset, **{**usual, **fields})


def stopped(peer: str, dataset: str = "vote", seconds: float = 20.0, **fields: Any) -> Record:
    return record(peer, dataset, **{"proven": False, "lower_bound": 0.2, "user_seconds": seconds, **fields})


def outcomes_of(*records: Record) -> Outcomes:
    return Outcomes(records)


def faults_of(*records: Record) -> list[Fault]:
    outcomes = outcomes_of(*records)
    return find_faults(outcomes.runs, outcomes.label)


def comparison_of(*records: Record) -> Any:
    return compare(outcomes_of(*records), 1)


def report_of(folder: Path, *records: Record, suite: str = "exact") -> str:
    path = folder / f"{suite}.jsonl"
    write_results(path, records)
    return write(suite, path, folder).read_text(encoding="utf-8")


def row_of(text: str, heading: str, first: str) -> list[str]:
    """The cells of the first line after a heading whose first cell is as given."""
    lines = text[text.index(heading) :].splitlines()
    return [cell.strip() for cell in next(line for line in lines if line.startswith(f"| {first} |")).split("|")[1:-1]]
