"""The figures of a suite's report, by section; their text and their columns are in the template ``suite``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from benchmarks.report.comparison import SHORTEST_SECONDS, Comparison, compare, geometric_mean, mean_of, ratio
from benchmarks.report.faults import BOUND_TOO_HIGH, KINDS, WRONG_CLAIM, Fault, find_faults
from benchmarks.report.markdown import NOTHING, count, number, times
from benchmarks.report.outcomes import PROVEN, ROUNDED, TIMEOUT, UNPROVEN, UNSUPPORTED, Outcomes, Result
from benchmarks.results import REFERENCE_PEER, TOLERANCE, Contender, Instance

SIZES = ("rows", "columns")
# Bounds too high by no more than this are what single precision makes of a sum.
ROUNDING = 1e-6


def errors(outcomes: Outcomes) -> dict[str, Any]:
    """Return each wrong proof, bound and tree; claims and roundings of other peers gathered; runs that failed."""
    faults = find_faults(outcomes.runs, outcomes.label)
    gathered = []
    for kind, contender in product(KINDS, outcomes.contenders):
        own = [one for one in faults if one.kind == kind and contender in one.contenders and _is_gathered(one)]
        if own:
            gathered.append({"n": len(own), "fault": max(own, key=lambda fault: fault.excess)})
    return {
        "verdict": verdict(faults),
        "listed": [
            {"fault": one, "own": "**yes**" if one.of_hornbeam else "no"} for one in faults if not _is_gathered(one)
        ],
        "gathered": gathered,
        "failures": failures(outcomes, "error", "timeout", "memory"),
        "rounding": ROUNDING,
    }


def verdict(faults: list[Fault]) -> str:
    """Say in a line how many faults of each kind there are, and how many of them are hornbeam's."""
    if not faults:
        return "No errors: proofs agree, and no proof, bound, depth or claimed objective contradicts a tree."
    kinds = Counter(fault.kind for fault in faults)
    said = ", ".join(f"{kind}: {kinds[kind]}" for kind in KINDS if kinds[kind])
    own = sum(fault.of_hornbeam for fault in faults)
    party = f"**hornbeam is party to {own} of them**" if own else "hornbeam is party to none of them"
    return f"{count(len(faults), 'error')} ({said}); {party}."


def _is_gathered(fault: Fault) -> bool:
    """Return whether a fault is counted per contender, not listed; hornbeam's own are all listed."""
    is_rounding = fault.kind == BOUND_TOO_HIGH and fault.excess <= ROUNDING
    return not fault.of_hornbeam and (fault.kind == WRONG_CLAIM or is_rounding)


def failures(outcomes: Outcomes, *statuses: str) -> list[tuple[Any, ...]]:
    """Gather runs of some statuses by contender and message; one that a limit stopped has none."""
    found: dict[tuple[str, str], list[str]] = {}
    for run in sorted(outcomes.runs, key=lambda run: (run.contender.order, run.problem.order, run.repeat)):
        if run.status in statuses and run.message:
            message = " ".join(f"{run.status}: {run.message}".split())
            key = (outcomes.label(run.contender), message if len(message) <= 200 else message[:199] + "…")
            found.setdefault(key, []).append(run.problem.name)
    return [(*key, len(names), names[0]) for key, names in found.items()]


def setting(outcomes: Outcomes) -> dict[str, Any]:
    """Return machines, versions, commits, limits and dates of the runs."""
    runs = outcomes.runs
    machines = [{**run.machine, "memory": f"{run.machine['memory'] / 2**30:.1f} GiB"} for run in runs]
    words = (", ".join(f"{name} {value}" for name, value in one.items() if name != "python") for one in machines)
    versions = {
        one.peer: sorted({run.versions[one.peer] for run in runs if run.peer == one.peer})
        for one in outcomes.contenders
    }
    return {
        "machines": list(dict.fromkeys(words)),
        "pythons": sorted({one["python"] for one in machines}),
        "versions": ", ".join(f"{peer} {' and '.join(of)}" for peer, of in versions.items()),
        "commits": sorted({run.commit for run in runs if run.peer == REFERENCE_PEER}),
        "limits": sorted({run.limit for run in runs}),
        "dates": sorted({run.date for run in runs}),
        "repeats": max(run.repeat for run in runs) + 1,
    }


def proofs(outcomes: Outcomes) -> str:
    """Say how many of the instances that another peer tried hornbeam proves, and how many all others together."""
    if outcomes.reference is None:
        return "hornbeam did not run."
    results = outcomes.results_of(outcomes.reference)
    own = {one for one, result in results.items() if result.is_proven}
    if not outcomes.others:
        return f"Of {count(len(results), 'instance')} hornbeam proves {len(own)}."
    theirs = [pair for contender in outcomes.others for pair in outcomes.results_of(contender).items()]
    tried = set(results) & {one for one, result in theirs if result.outcome != ROUNDED}
    own &= tried
    others = {one for one, result in theirs if result.is_proven} & tried
    return (
        f"Of {count(len(tried), 'instance')} hornbeam proves {len(own)}, all other peers together {len(others)}; "
        f"{len(own - others)} only hornbeam, {len(others - own)} only another."
    )


def outcome_counts(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return of each contender how often it had each outcome."""
    rows = []
    for contender in outcomes.contenders:
        counts = Counter(result.outcome for result in outcomes.results_of(contender).values())
        rows.append({"contender": outcomes.label(contender), "all": sum(counts.values()), "of": counts})
    return rows


def ratios_of(outcomes: Outcomes, contender: Contender, comparison: Comparison) -> dict[str, Any]:
    """Return the cells of a contender in a table of ratios."""
    worst = comparison.worst
    return {
        "contender": outcomes.label(contender),
        **{name: mean_of(getattr(comparison, name)) for name in ("both", "either", "lasting", "growth", "peak")},
        "worst": str(worst) if worst else NOTHING,
        "worst_on": worst.instance.problem.name if worst else NOTHING,
        "slower": f"{len(comparison.slower)} of {comparison.n_proven}" if comparison.n_proven else NOTHING,
    }


def behind(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return where hornbeam does not prove what another peer proves, and where it is slower, worst first."""
    own = outcomes.results_of(outcomes.reference)
    unproven, slower = [], []
    for contender in outcomes.others:
        results = outcomes.results_of(contender)
        for instance in compare(outcomes, contender).slower:
            other, mine = results[instance], own[instance]
            row = (instance.problem.name, outcomes.label(contender), number(other.seconds))
            if mine.is_proven:
                slower.append((other.seconds / max(mine.seconds, 1e-9), (*row, number(mine.seconds))))
            else:
                unproven.append((*row, mine.outcome))
    return {"unproven": sorted(unproven), "slower": [row for _, row in sorted(slower)]}


def unproven(outcomes: Outcomes) -> dict[str, Any]:
    """Compare the trees of peers that prove nothing; without rows unless one of them is of hornbeam."""
    finished: dict[Contender, dict[Instance, Result]] = {}
    for contender in outcomes.contenders:
        results = outcomes.results_of(contender)
        found = {one: result for one, result in results.items() if result.outcome == UNPROVEN}
        if found and not any(result.is_proven for result in results.values()):
            finished[contender] = found
    ours = next((contender for contender in finished if contender.peer.startswith(REFERENCE_PEER)), None)
    if ours is None:
        return {"rows": []}
    rows = [_unproven_row(outcomes, contender, results, finished[ours]) for contender, results in finished.items()]
    return {"ours": outcomes.label(ours), "shortest": 1000 * SHORTEST_SECONDS, "rows": rows}


def _unproven_row(
    outcomes: Outcomes, contender: Contender, results: dict[Instance, Result], own: dict[Instance, Result]
) -> dict[str, Any]:
    excess = [(result.objective or 0.0) - (outcomes.best_objective(one) or 0.0) for one, result in results.items()]
    seconds = [max(result.seconds, SHORTEST_SECONDS) for result in results.values()]
    pairs = [(result, own[one]) for one, result in results.items() if one in own]
    ratios = [ratio(other.seconds, mine.seconds) for other, mine in pairs]
    differences = [(other.objective or 0.0) - (mine.objective or 0.0) for other, mine in pairs]
    signs = Counter((difference > TOLERANCE) - (difference < -TOLERANCE) for difference in differences)
    return {
        "contender": outcomes.label(contender),
        "n": len(results),
        "n_best": sum(value <= TOLERANCE for value in excess),
        "mean": sum(excess) / len(excess),
        "most": max(excess),
        "seconds": geometric_mean(seconds),
        "longest": max(seconds),
        "ratio": f"{times(geometric_mean(ratios))} ({times(min(ratios))})" if ratios else NOTHING,
        "signs": f"{signs[-1]}, {signs[0]}, {signs[1]}",
    }


def rounded(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Count the trees of a rounded penalty that are optimal and that are not, and list these."""
    counts, worse = [], []
    for contender in outcomes.contenders:
        label, kinds, n = outcomes.label(contender), Counter[str](), 0
        for one, result in outcomes.results_of(contender).items():
            best = outcomes.best_objective(one)
            n += result.outcome == ROUNDED
            if result.outcome == ROUNDED and result.objective is not None and best is not None:
                excess, penalty = result.objective - best, one.problem.regularization * one.problem.rows
                if excess > TOLERANCE:
                    worse.append((one.problem.name, label, penalty, result.objective, best, excess))
                is_proven = outcomes.best[one.problem].proven
                kinds["beaten" if excess > TOLERANCE else "optimal" if is_proven else "unbeaten"] += 1
        if n:
            counts.append((label, n, kinds.total(), kinds["optimal"], kinds["unbeaten"], kinds["beaten"]))
    return {"counts": counts, "worse": sorted(worse)}


def threads(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return the speed-up of wall time from the fewest threads to every larger number, of each peer and its options."""
    means, rows = [], []
    for many in outcomes.contenders:
        few = min((one for one in outcomes.contenders if one[:2] == many[:2]), key=lambda one: one.threads)
        pairs = outcomes.pairs(many, few) if many != few else []
        own: list[dict[str, Any]] = [
            {
                "instance": instance.problem.name,
                "contender": outcomes.label(many),
                "before": _wall(before, instance),
                "after": _wall(after, instance),
                "value": before.wall_seconds / after.wall_seconds if before.is_proven and after.is_proven else None,
                "same": {True: "yes", False: "**no**", None: None}[_same_optimum(before, after)],
            }
            for instance, after, before in pairs
        ]
        values = [row["value"] for row in own if row["value"] is not None]
        if own:
            mean = {"threads": f"{outcomes.label(few)} → {outcomes.label(many)}", "same": _agreement(pairs)}
            mean |= {"mean": f"{times(geometric_mean(values))} ({len(values)})"}
            means.append({**mean, "least": min(values, default=None), "most": max(values, default=None)})
            rows += own
    return {"means": means, "rows": rows}


def _wall(result: Result, instance: Instance) -> str:
    return number(result.wall_seconds) if result.is_proven else f"{result.outcome}, limit {instance.limit:g}"


def _same_optimum(one: Result, other: Result) -> bool | None:
    """Compare two proofs; None unless both are proofs."""
    if not (one.is_proven and other.is_proven):
        return None
    return abs((one.objective or 0.0) - (other.objective or 0.0)) <= TOLERANCE


def _agreement(pairs: list[tuple[Instance, Result, Result]]) -> str:
    agreeing = [same for _, one, other in pairs if (same := _same_optimum(one, other)) is not None]
    return f"{sum(agreeing)} of {len(agreeing)}"


def ablation(outcomes: Outcomes) -> Iterator[dict[str, Any]]:
    """Yield the factors of hornbeam's other settings."""
    reference = outcomes.reference
    for contender in outcomes.contenders:
        if not reference or contender == reference or contender[::2] != reference[::2]:
            continue
        comparison = compare(outcomes, contender)
        largest = max(comparison.both, key=lambda one: one.value, default=None)
        pairs = outcomes.pairs(contender, reference)
        subproblems = [
            result.subproblems / mine.subproblems
            for _, result, mine in pairs
            if result.is_proven and mine.is_proven and result.subproblems and mine.subproblems
        ]
        yield {
            "setting": outcomes.label(contender),
            "both": mean_of(comparison.both),
            "either": mean_of(comparison.either),
            "subproblems": f"{times(geometric_mean(subproblems))} ({len(subproblems)})" if subproblems else None,
            "growth": mean_of(comparison.growth),
            "most": largest.value if largest else None,
            "most_on": largest.instance.problem.name if largest else None,
            "agreeing": _agreement(pairs),
        }


class Series(NamedTuple):
    """What a contender did on instances that differ in size: their sizes, instances and results, smallest first."""

    contender: Contender
    name: str  # tells the series of a contender apart; empty if there is only one
    points: list[tuple[int, Instance, Result]]


def series_of(outcomes: Outcomes, size: str) -> list[Series]:
    """Sort results into series of growing rows or columns, each with one regularization and one limit of depth."""
    groups: dict[tuple[Contender, str], list[tuple[int, Instance, Result]]] = defaultdict(list)
    for contender in outcomes.contenders:
        for instance, result in outcomes.results_of(contender).items():
            name = f"λ {instance.problem.regularization:g}, {instance.problem.depth}"
            groups[contender, name].append((getattr(instance.problem, size), instance, result))
    has_several = len({name for _, name in groups}) > 1
    return [
        Series(contender, name if has_several else "", sorted(points, key=lambda point: point[0]))
        for (contender, name), points in groups.items()
    ]


def sizes(suite: str, outcomes: Outcomes) -> Iterator[dict[str, Any]]:
    """Yield seconds and memory by size, unless the suite is not one of sizes."""
    for series in series_of(outcomes, suite) if suite in SIZES else ():
        for size, _, result in series.points:
            yield {
                "contender": outcomes.label(series.contender),
                "problem": series.name or None,
                "size": size,
                "seconds": number(result.seconds) if result.is_proven else result.outcome,
                "result": result,
            }


def instances(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return heads and cells of what every contender did on every instance."""
    has_limits = len({one.limit for one in outcomes.instances}) > 1
    rows = []
    for one in outcomes.instances:
        problem, best = one.problem, outcomes.best_objective(one)
        cells = [
            f"{problem.dataset} / {problem.binarization}",
            f"{problem.rows:,} x {problem.columns:,}",
            f"{problem.regularization:g}",
            NOTHING if problem.max_depth is None else str(problem.max_depth),
            *([f"{one.limit:g}"] if has_limits else []),
            NOTHING if best is None else f"{best:.6f}",
        ]
        rows.append([*cells, *(_cell(outcomes.get(one, contender), one, best) for contender in outcomes.contenders)])
    limit = ["limit"] if has_limits else []
    labels = [outcomes.label(contender) for contender in outcomes.contenders]
    heads = ["data / binarization", "rows x columns", "λ", "depth", *limit, "best objective known", *labels]
    return {"heads": heads, "cells": rows}


def _cell(result: Result | None, instance: Instance, best: float | None) -> str:
    if result is None:
        return ""
    if result.outcome == PROVEN:
        return f"{number(result.seconds)} ✓"
    if result.outcome == UNSUPPORTED:
        return NOTHING
    parts = [f"> {instance.limit:g}" if result.outcome == TIMEOUT else number(result.seconds)]
    if result.outcome not in (TIMEOUT, UNPROVEN):
        parts.append(result.outcome)
    if result.objective is not None and not (best is not None and abs(result.objective - best) <= TOLERANCE):
        parts.append(f"{result.objective:.6f}")
    if result.gap is not None:
        parts.append(f"gap {100 * result.gap:.2g} %")
    return ", ".join(parts)
