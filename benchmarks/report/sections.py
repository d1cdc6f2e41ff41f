"""The figures of a suite's report, by section; their text and their columns are in the template ``suite``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas

from benchmarks.report.comparison import SHORTEST_SECONDS, compare, geometric_mean, ratio, summary
from benchmarks.report.faults import BOUND_TOO_HIGH, KINDS, WRONG_CLAIM, Fault, find_faults
from benchmarks.report.markdown import NOTHING, count, number, times
from benchmarks.report.outcomes import OUTCOMES, PROVEN, ROUNDED, TIMEOUT, UNPROVEN, UNSUPPORTED, Outcomes
from benchmarks.results import REFERENCE_PEER, TOLERANCE

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
        "commits": sorted({run.commit for run in runs if run.peer.startswith(REFERENCE_PEER)}),
        "limits": sorted({run.limit for run in runs}),
        "dates": sorted({run.date for run in runs}),
        "repeats": max(run.repeat for run in runs) + 1,
    }


def proofs(outcomes: Outcomes) -> str:
    """Say how many of the instances that another peer tried hornbeam proves, and how many all others together."""
    if not outcomes.has_reference:
        return "hornbeam did not run."
    results = outcomes.results
    own, theirs = results[results["contender"] == 0], results[results["contender"].isin(outcomes.others)]
    proven, proven_by_others = (set(of.loc[of["is_proven"], "instance"]) for of in (own, theirs))
    if not outcomes.others:
        return f"Of {count(len(own), 'instance')} hornbeam proves {len(proven)}."
    tried = set(own["instance"]) & set(theirs.loc[theirs["outcome"] != ROUNDED, "instance"])
    proven, proven_by_others = proven & tried, proven_by_others & tried
    return (
        f"Of {count(len(tried), 'instance')} hornbeam proves {len(proven)}, all other peers together "
        f"{len(proven_by_others)}; {len(proven - proven_by_others)} only hornbeam, "
        f"{len(proven_by_others - proven)} only another."
    )


def outcome_counts(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return of each contender how often it had each outcome."""
    counts = pandas.crosstab(outcomes.results["contender"], outcomes.results["outcome"])
    counts = counts.reindex(columns=list(OUTCOMES), fill_value=0)
    return list(counts.assign(contender=outcomes.labels, all=counts.sum(axis=1)).to_dict("records"))


def behind(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return where hornbeam does not prove what another peer proves, and where it is slower, worst first."""
    unproven, slower = [], []
    for contender in outcomes.others if outcomes.has_reference else ():
        pairs = compare(outcomes, contender)
        for one in pairs[pairs["behind"]].itertuples():
            row = (one.problem.name, one.label, number(one.seconds))
            if one.is_proven_own:
                slower.append((one.seconds / max(one.seconds_own, 1e-9), (*row, number(one.seconds_own))))
            else:
                unproven.append((*row, one.outcome_own))
    return {"unproven": sorted(unproven), "slower": [row for _, row in sorted(slower)]}


def unproven(outcomes: Outcomes) -> dict[str, Any]:
    """Compare the trees of peers that prove nothing; without rows unless one of them is of hornbeam."""
    results = outcomes.results
    proves = results.groupby("contender")["is_proven"].transform("any")
    finished = results[~proves & (results["outcome"] == UNPROVEN)]
    names = [outcomes.contenders[number].peer for number in finished["contender"]]
    of_hornbeam = finished[[name.startswith(REFERENCE_PEER) for name in names]]
    if of_hornbeam.empty:
        return {"rows": []}
    own = of_hornbeam[of_hornbeam["label"] == of_hornbeam["label"].iloc[0]]
    pairs = finished.merge(own[["instance", "seconds", "objective"]], "left", "instance", suffixes=("", "_own"))
    rows = [_unproven_row(of) for _, of in pairs.groupby("contender")]
    return {"ours": own["label"].iloc[0], "shortest": 1000 * SHORTEST_SECONDS, "rows": rows}


def _unproven_row(pairs: pandas.DataFrame) -> dict[str, Any]:
    excess, seconds = pairs["objective"] - pairs["best"], pairs["seconds"].clip(lower=SHORTEST_SECONDS)
    ratios = ratio(pairs["seconds"], pairs["seconds_own"]).dropna()
    differences = pairs["objective"] - pairs["objective_own"]
    signs = (differences < -TOLERANCE, differences.abs() <= TOLERANCE, differences > TOLERANCE)
    return {
        "contender": pairs["label"].iloc[0],
        "n": len(pairs),
        "n_best": (excess <= TOLERANCE).sum(),
        "mean": excess.mean(),
        "most": excess.max(),
        "seconds": geometric_mean(seconds),
        "longest": seconds.max(),
        "ratio": f"{times(geometric_mean(ratios))} ({times(ratios.min())})" if len(ratios) else NOTHING,
        "signs": ", ".join(str(holds.sum()) for holds in signs),
    }


def rounded(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Count the trees of a rounded penalty that are optimal and that are not, and list these."""
    rounded = outcomes.results[outcomes.results["outcome"] == ROUNDED]
    excess = rounded["objective"] - rounded["best"]
    is_worse = excess > TOLERANCE
    rounded = rounded.assign(
        excess=excess,
        finished=excess.notna(),
        optimal=excess.notna() & ~is_worse & rounded["is_best_proven"],
        unbeaten=excess.notna() & ~is_worse & ~rounded["is_best_proven"],
        beaten=is_worse,
    )
    kinds = rounded.groupby("label", sort=False)[["finished", "optimal", "unbeaten", "beaten"]]
    worse = [
        (
            one.problem.name,
            one.label,
            one.problem.regularization * one.problem.rows,
            one.objective,
            one.best,
            one.excess,
        )
        for one in rounded[is_worse].itertuples()
    ]
    return {"counts": [(label, len(of), *of.sum()) for label, of in kinds], "worse": sorted(worse)}


def threads(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return the speed-up of wall time from the fewest threads to every larger number, of each peer and its options."""
    means, rows = [], []
    for many, contender in enumerate(outcomes.contenders):
        few = [one[:2] for one in outcomes.contenders].index(contender[:2])
        pairs = outcomes.pairs(many, few)
        if many == few or pairs.empty:
            continue
        pairs["value"] = (pairs["wall_seconds_own"] / pairs["wall_seconds"]).where(pairs["both"])
        pairs["is_same"] = _is_same_optimum(pairs)
        values = pairs["value"].dropna()
        mean = {"threads": f"{outcomes.labels[few]} → {outcomes.labels[many]}", "same": _agreement(pairs)}
        mean |= {"mean": f"{times(geometric_mean(values))} ({len(values)})"}
        means.append({**mean, "least": values.min(), "most": values.max()})
        rows += [
            {
                "instance": one.problem.name,
                "contender": one.label,
                "before": _wall(one.wall_seconds_own, one.outcome_own, one.limit),
                "after": _wall(one.wall_seconds, one.outcome, one.limit),
                "value": one.value,
                "same": None if not one.both else "yes" if one.is_same else "**no**",
            }
            for one in pairs.itertuples()
        ]
    return {"means": means, "rows": rows}


def _wall(seconds: float, outcome: str, limit: float) -> str:
    return number(seconds) if outcome == PROVEN else f"{outcome}, limit {limit:g}"


def _is_same_optimum(pairs: pandas.DataFrame) -> Any:
    return pairs["both"] & ((pairs["objective"] - pairs["objective_own"]).abs() <= TOLERANCE)


def _agreement(pairs: pandas.DataFrame) -> str:
    return f"{_is_same_optimum(pairs).sum()} of {pairs['both'].sum()}"


def ablation(outcomes: Outcomes) -> Iterator[dict[str, Any]]:
    """Yield the factors of hornbeam's other settings."""
    plain = outcomes.contenders[0]
    of_plain = [number for number, one in enumerate(outcomes.contenders) if one[::2] == plain[::2]]
    for contender in of_plain[1:] if outcomes.has_reference else ():
        pairs = compare(outcomes, contender)
        both = pairs[pairs["both"]]
        (most,) = both.nlargest(1, "time").to_dict("records") or [{"time": None, "problem": None}]
        subproblems = (both["subproblems"] / both["subproblems_own"]).dropna()
        yield {
            **summary(pairs),
            "setting": outcomes.labels[contender],
            "subproblems": f"{times(geometric_mean(subproblems))} ({len(subproblems)})" if len(subproblems) else None,
            "most": most["time"],
            "most_on": most["problem"] and most["problem"].name,
            "agreeing": _agreement(pairs),
        }


def series_of(outcomes: Outcomes, size: str) -> pandas.DataFrame:
    """Return the results by "size", rows or columns, in series with one leaf penalty and one limit of depth.

    The column "series" tells the series of a contender apart; it is empty if there is only one.
    """
    problems = outcomes.results["problem"]
    names = [f"λ {one.regularization:g}, {one.depth}" for one in problems]
    table = outcomes.results.assign(
        size=[getattr(one, size) for one in problems], series=names if len(set(names)) > 1 else ""
    )
    groups = table.groupby(["contender", "series"], sort=False)
    return pandas.concat(of.sort_values("size", kind="stable") for _, of in groups)


def sizes(suite: str, outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return seconds and memory by size, unless the suite is not one of sizes."""
    if suite not in SIZES:
        return []
    table = series_of(outcomes, suite)
    table["time"] = table["seconds"].map(number).where(table["is_proven"], table["outcome"])
    return list(table.replace({"series": {"": NOTHING}}).to_dict("records"))


def instances(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return heads and cells of what every contender did on every instance."""
    has_limits = len({one.limit for one in outcomes.instances}) > 1
    cells = {(one.instance, one.contender): _cell(one) for one in outcomes.results.itertuples()}
    best = outcomes.results.groupby("instance")["best"].first()
    rows = [
        [
            f"{one.problem.dataset} / {one.problem.binarization}",
            f"{one.problem.rows:,} x {one.problem.columns:,}",
            f"{one.problem.regularization:g}",
            NOTHING if one.problem.max_depth is None else str(one.problem.max_depth),
            *([f"{one.limit:g}"] if has_limits else []),
            NOTHING if np.isnan(best[number]) else f"{best[number]:.6f}",
            *(cells.get((number, contender), "") for contender in range(len(outcomes.contenders))),
        ]
        for number, one in enumerate(outcomes.instances)
    ]
    limit = ["limit"] if has_limits else []
    heads = ["data / binarization", "rows x columns", "λ", "depth", *limit, "best objective known", *outcomes.labels]
    return {"heads": heads, "cells": rows}


def _cell(result: Any) -> str:
    if result.is_proven:
        return f"{number(result.seconds)} ✓"
    if result.outcome == UNSUPPORTED:
        return NOTHING
    parts = [f"> {result.limit:g}" if result.outcome == TIMEOUT else number(result.seconds)]
    if result.outcome not in (TIMEOUT, UNPROVEN):
        parts.append(result.outcome)
    if not (np.isnan(result.objective) or abs(result.objective - result.best) <= TOLERANCE):
        parts.append(f"{result.objective:.6f}")
    if not np.isnan(result.gap):
        parts.append(f"gap {100 * result.gap:.2g} %")
    return ", ".join(parts)
