"""Rashomon sets compared with TreeFARMS, PRAXIS and ArborEnum: how many trees, in what time and memory."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data, environments
from benchmarks.papers.measure import Records, write_report
from benchmarks.report.comparison import LEAST_BYTES, geometric_mean, ratio
from benchmarks.report.markdown import times
from benchmarks.runner import run_once
from benchmarks.suites import Task
from hornbeam import RashomonSetClassifier


class Case(NamedTuple):
    """A data set of binary columns, and which trees are wanted."""

    dataset: str
    regularization: str
    max_depth: int
    epsilon: str


CASES = (
    *(Case("compas_fairml.bin", "0.005", *wanted) for wanted in ((2, "0.01"), *product((3, 4), ("0.01", "0.05")))),
    *(Case("compas_tg16.bin", "0.01", 4, epsilon) for epsilon in ("0.05", "0.1")),
    *(
        Case(f"cp4im_{name}.bin", "0.01", max_depth, "0.1")
        for name, max_depth in product(("primary-tumor", "vote", "lymph", "tic-tac-toe"), (3, 4))
    ),
)
SOURCES = {f"{one.dataset}-{one.max_depth}-{one.epsilon}": one for one in CASES}
# Whom hornbeam is compared with under which definition of different trees.
PEERS = {"columns": ("treefarms",), "labels": ("praxis", "arborenum")}
REPEATS = 3
LONG_SECONDS = 20.0  # a run that uses more seconds of wall time is made once
MEMORY = 6 << 30


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Measure a case with every peer under its definition, and with hornbeam under each."""
    case = SOURCES[name]
    prepared = data.prepare(case.dataset, "binary")
    for distinct, peers in PEERS.items():
        penalty, ours = _problem(case, distinct, prepared)
        n_trees = 0
        for peer in ("hornbeam_sets", *peers):
            options = ours if peer == "hornbeam_sets" else {"epsilon": float(case.epsilon)}
            fields = _measure(case, peer, float(penalty), options, prepared, limit)
            if peer == "hornbeam_sets":
                n_trees, bound = fields["trees"], fields["bound"]
            elif peer == "treefarms" and fields["trees"] not in (None, n_trees):
                again = _measure(case, peer, float(penalty), {"bound": bound}, prepared, limit, repeats=1)
                fields["trees_at_our_bound"] = again["trees"]
            size = {"rows": prepared.rows, "columns": prepared.columns}
            yield {"distinct": distinct, "peer": peer, "version": environments.version(peer), **size, **fields}


def _problem(case: Case, distinct: str, prepared: data.Prepared) -> tuple[Fraction, dict[str, str]]:
    """Return the leaf penalty under a definition, and the options of hornbeam for it."""
    penalty, epsilon, epsilon_is = Fraction(case.regularization), Fraction(case.epsilon), "multiplier"
    if distinct == "labels":
        with np.load(prepared.path) as archive:
            X, y = archive["X"], archive["y"]
        penalty = Fraction(round(penalty * len(y)), len(y))
        exact: Any = {"regularization": penalty}
        best = RashomonSetClassifier(0, max_depth=case.max_depth, binarizer=None, **exact).fit(X, y)
        epsilon, epsilon_is = Fraction(round(epsilon * round(best.objective_ * len(y))), len(y)), "absolute"
    fractions = {"epsilon": str(epsilon), "regularization": str(penalty)}
    return penalty, {**fractions, "epsilon_is": epsilon_is, "distinct": distinct}


def _measure(
    case: Case,
    peer: str,
    penalty: float,
    options: dict[str, Any],
    prepared: data.Prepared,
    limit: float,
    repeats: int = REPEATS,
) -> dict[str, Any]:
    """Run a peer and return the medians, or why there are none."""
    task = Task("sets", case.dataset, "binary", penalty, case.max_depth, limit, options=options)
    runs: list[dict[str, Any]] = []
    while len(runs) < repeats:
        runs.append(run_once(task, peer, prepared, MEMORY))
        if runs[-1]["status"] != "ok" or not runs[-1]["proven"] or runs[-1]["wall_seconds"] > LONG_SECONDS:
            break
    last, is_whole = runs[-1], all(run["status"] == "ok" and run["proven"] for run in runs)
    return {
        "status": last["status"] if is_whole or last["status"] != "ok" else "stopped",
        "message": last.get("message", ""),
        "trees": int(last["extra"]["trees"]) if is_whole else None,
        "bound": last["extra"].get("bound") if is_whole else None,
        "objective": last["objective"] if is_whole else None,
        "user_seconds": median(run["user_seconds"] for run in runs),
        "growth_bytes": median(run["peak_bytes"] - run["baseline_bytes"] for run in runs) if is_whole else None,
        "repeats": len(runs),
    }


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-rashomon-sets.md``."""
    records = sorted(records, key=lambda record: list(SOURCES).index(record["dataset"]))
    cases, pairs = [], []
    own: dict[str, Any] = {}
    for record in records:
        if record["peer"] == "hornbeam_sets":
            own = record
        else:
            pairs.append((record, own))
        cases.append(_row(record, own))
    return write_report(
        directory,
        "rashomon-sets",
        records,
        versions=", ".join(sorted({f"{one['peer'].removesuffix('_sets')} {one['version']}" for one in records})),
        repeats=REPEATS,
        long=LONG_SECONDS,
        least=LEAST_BYTES,
        summaries=[_summary(peer, pairs) for peer in dict.fromkeys(other["peer"] for other, _ in pairs)],
        cases=cases,
        different=[{**other, "ours": own["trees"]} for other, own in pairs if "trees_at_our_bound" in other],
    )


def _summary(peer: str, pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    """Return of a peer the geometric means of the ratios, and where hornbeam is behind."""
    met = [(other, own) for other, own in pairs if other["peer"] == peer]
    ended = [(other, own) for other, own in met if other["trees"] is not None]
    return {
        "peer": peer,
        "ended": len(ended),
        "met": len(met),
        "same": sum(other["trees"] == own["trees"] for other, own in ended),
        "time": geometric_mean(_time_ratio(other, own) for other, own in ended),
        "least_time": geometric_mean(_time_ratio(other, own) for other, own in met),
        "faster": sum(other["user_seconds"] < own["user_seconds"] for other, own in ended),
        "memory": geometric_mean(_memory_ratio(other, own) for other, own in ended),
        "smaller": sum(other["growth_bytes"] < own["growth_bytes"] for other, own in ended),
    }


def _time_ratio(other: dict[str, Any], own: dict[str, Any]) -> float:
    return float(ratio(other["user_seconds"], own["user_seconds"]))


def _memory_ratio(other: dict[str, Any], own: dict[str, Any]) -> float:
    return float(ratio(other["growth_bytes"], own["growth_bytes"], LEAST_BYTES))


def _row(record: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    has_ended, is_other = record["trees"] is not None, record is not own
    sign = "" if has_ended else "≥ "
    return {
        **record,
        "case": SOURCES[record["dataset"]],
        "peer": record["peer"].removesuffix("_sets"),
        "trees": f"{record['trees']:,}" if has_ended else f"{record['status']} {record['message']}".strip(),
        "time": sign + times(_time_ratio(record, own)) if is_other else None,
        "memory": _memory_ratio(record, own) if is_other and has_ended else None,
    }
