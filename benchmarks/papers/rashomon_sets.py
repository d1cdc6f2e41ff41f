"""Rashomon sets beside TreeFARMS, PRAXIS and ArborEnum: how many trees, in what time and memory."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks import data, environments
from benchmarks.papers.measure import write_report
from benchmarks.report.comparison import LEAST_BYTES, SHORTEST_SECONDS, geometric_mean
from benchmarks.report.markdown import mebibytes, render, times
from benchmarks.runner import run_once
from benchmarks.suites import Instance
from hornbeam import RashomonSetClassifier


class Case(NamedTuple):
    """A data set of binary columns, and which trees are wanted."""

    dataset: str
    regularization: str
    max_depth: int
    epsilon: str


def _cases() -> Iterator[Case]:
    for max_depth, epsilon in ((2, "0.01"), (3, "0.01"), (3, "0.05"), (4, "0.01"), (4, "0.05")):
        yield Case("compas_fairml.bin", "0.005", max_depth, epsilon)
    for epsilon in ("0.05", "0.1"):
        yield Case("compas_tg16.bin", "0.01", 4, epsilon)
    for name in ("primary-tumor", "vote", "lymph", "tic-tac-toe"):
        for max_depth in (3, 4):
            yield Case(f"cp4im_{name}.bin", "0.01", max_depth, "0.1")


SOURCES = {f"{one.dataset}-{one.max_depth}-{one.epsilon}": one for one in _cases()}
# Whom hornbeam is compared with under which definition of different trees.
PEERS = {"columns": ("treefarms",), "labels": ("praxis", "arborenum")}
REPEATS = 3
# A run that takes more seconds of wall time is made once.
LONG_SECONDS = 20.0
MEMORY = 6 << 30
_EXPLANATION = """\
All trees within ε of the optimum, relative to it; λ is the price of a leaf, depth counts edges. User CPU seconds of the
fit, below 0.1 s with those of the system, and by how much it raised the largest resident memory of its process (what
fits in memory the process had before counts as nothing); medians of {repeats} runs, of one run if it took more than
{long:g} s of wall time. Before it, hornbeam, PRAXIS and ArborEnum have fitted a few rows. Each peer runs in an
environment of its own and has {limit:g} s of wall time; PRAXIS and ArborEnum know no limit and are killed after 1.5
times as much and 10 s. PRAXIS and ArborEnum are exact here: their lookahead is one less than the depth.

Peers differ in which trees are different, and hornbeam is measured under the definition of each. *columns*: nested
splits none of which has two leaves that predict the same; this is TreeFARMS's. *labels*: a leaf may predict any class,
and the price of a leaf and what ε allows are rounded to whole rows; this is that of PRAXIS and ArborEnum. Where
TreeFARMS finds another number of trees, it is asked again for the trees up to the bound that hornbeam found: *at our
bound*. The authors' program for RESPLIT is not here: it is in no package registry.
"""
_WRONG = """\
## Who is wrong where numbers differ

TreeFARMS first looks for the optimum, and can stop with a gap between its lower and its upper bound, takes the upper
one for the optimum; so its bound is too wide, and its time in the table is that for the larger set. Given the right
bound, it counts the same trees.
"""
_SUMMARY = """\
peer = {peer} | ended = {ended} of {met} | as many trees = {same} of {ended} | time, where it ended = {time:x}
time, at least = {least_time:x} | faster than hornbeam = {faster} | memory = {memory:x}
smaller than hornbeam = {smaller}
"""
_CASES = """\
data = {case.dataset} | λ = {case.regularization} | depth = {case.max_depth} | ε = {case.epsilon}
different = {distinct} | peer = {peer} | trees = {trees} | seconds = {user_seconds:n} | ratio = {time}
MiB = {growth_bytes:MiB} | ratio = {memory:x}
"""
_DIFFERENT = """\
case = {dataset} | TreeFARMS = {trees:,} | hornbeam = {ours:,} | TreeFARMS at our bound = {trees_at_our_bound:,}
"""


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Measure a case with every peer under its definition, and with hornbeam under each."""
    case = SOURCES[name]
    prepared = data.prepare(case.dataset, "binary")
    for distinct, peers in PEERS.items():
        price, ours = _problem(case, distinct, prepared)
        n_trees = 0
        for peer in ("hornbeam_sets", *peers):
            options = ours if peer == "hornbeam_sets" else {"epsilon": float(case.epsilon)}
            fields = _measure(case, peer, float(price), options, prepared, limit)
            if peer == "hornbeam_sets":
                n_trees, bound = fields["trees"], fields["bound"]
            elif peer == "treefarms" and fields["trees"] not in (None, n_trees):
                again = _measure(case, peer, float(price), {"bound": bound}, prepared, limit, repeats=1)
                fields["trees_at_our_bound"] = again["trees"]
            yield {
                "dataset": name,
                "distinct": distinct,
                "peer": peer,
                "version": environments.version(peer),
                "rows": prepared.rows,
                "columns": prepared.columns,
                "limit": limit,
                **fields,
            }


def _problem(case: Case, distinct: str, prepared: data.Prepared) -> tuple[Fraction, dict[str, str]]:
    """Return the price of a leaf under a definition, and the options of hornbeam for it."""
    price, epsilon, epsilon_is = Fraction(case.regularization), Fraction(case.epsilon), "multiplier"
    if distinct == "labels":
        with np.load(prepared.path) as archive:
            X, y = archive["X"], archive["y"]
        price = Fraction(round(price * len(y)), len(y))
        exact: Any = {"regularization": price}
        best = RashomonSetClassifier(0, max_depth=case.max_depth, binarizer=None, **exact).fit(X, y)
        epsilon, epsilon_is = Fraction(round(epsilon * round(best.objective_ * len(y))), len(y)), "absolute"
    return price, {
        "epsilon": str(epsilon),
        "epsilon_is": epsilon_is,
        "regularization": str(price),
        "distinct": distinct,
    }


def _measure(
    case: Case,
    peer: str,
    price: float,
    options: dict[str, Any],
    prepared: data.Prepared,
    limit: float,
    repeats: int = REPEATS,
) -> dict[str, Any]:
    """Run a peer and return the medians, or why there are none."""
    instance = Instance("sets", case.dataset, "binary", price, case.max_depth, limit, options=options)
    runs: list[dict[str, Any]] = []
    while len(runs) < repeats:
        runs.append(run_once(instance, peer, prepared, MEMORY))
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


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-rashomon-sets.md``."""
    records = sorted(records, key=lambda record: list(SOURCES).index(record["dataset"]))
    versions = sorted({f"{record['peer'].removesuffix('_sets')} {record['version']}" for record in records})
    limit = max(record["limit"] for record in records)
    rows, pairs = [], []
    own: dict[str, Any] = {}
    for record in records:
        if record["peer"] == "hornbeam_sets":
            own = record
        else:
            pairs.append((record, own))
        rows.append(_row(record, own))
    different = [{**other, "ours": own["trees"]} for other, own in pairs if "trees_at_our_bound" in other]
    return write_report(
        directory,
        "rashomon-sets",
        "Rashomon sets beside other programs",
        records,
        f"Versions: {', '.join(versions)}.\n",
        _EXPLANATION.format(repeats=REPEATS, long=LONG_SECONDS, limit=limit),
        "## Summary\n",
        render(_SUMMARY, [_summary(peer, pairs) for peer in dict.fromkeys(other["peer"] for other, _ in pairs)]),
        "Geometric means of the ratios; who did not end counts with the seconds spent. For the means, growth "
        f"below {mebibytes(LEAST_BYTES)} MiB counts as this much.\n",
        "## Cases\n\nRatios are the peer's figure divided by hornbeam's; ≥: the peer did not end.\n",
        render(_CASES, rows, 6),
        *([_WRONG, render(_DIFFERENT, different)] if different else []),
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
    return float(max(other["user_seconds"], SHORTEST_SECONDS) / max(own["user_seconds"], SHORTEST_SECONDS))


def _memory_ratio(other: dict[str, Any], own: dict[str, Any]) -> float:
    return float(max(other["growth_bytes"], LEAST_BYTES) / max(own["growth_bytes"], LEAST_BYTES))


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
