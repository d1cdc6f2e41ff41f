"""What the suites `anytime`, `leaves`, `frontier` and `border` measure, and their targets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas

from benchmarks.report.comparison import geometric_mean
from benchmarks.report.faults import is_valid
from benchmarks.report.markdown import NOTHING, times
from benchmarks.report.outcomes import STOPPED_AT_LIMIT, UNSUPPORTED, Outcomes
from benchmarks.results import REFERENCE_PEER, TOLERANCE, Record
from benchmarks.suites import SUITES

# Data set, leaf penalty, seconds, and the objective that was known to be available by then, to four digits.
AVAILABLE = (
    ("classification_20000", 0.01, 1, 0.1852),
    ("sklearn_digits", 0.01, 1, 0.3475),
    ("covertype20k", 0.01, 1, 0.4251),
    ("adult", 0.01, 1, 0.1979),
    ("adult", 0.002, 1, 0.1629),
)
BEFORE = "release_0_1_0"
LEAST_GAP = 0.001


def target(text: str, met: bool, figure: str, n: int, of: int) -> dict[str, str]:
    """Return a line of the table of targets, measured `n` times `of` so many."""
    word = "met" if met else "missed"
    verdict = "not measured" if not n else f"{word} so far" if n < of else f"**{word}**"
    return {"target": text, "verdict": verdict, "figure": figure, "measured": f"{n} of {of}"}


def targets(suite: str, outcomes: Outcomes) -> list[dict[str, str]]:
    """Return of each target of a suite whether it is met, and the figure; nothing for a suite without targets."""
    if suite == "anytime":
        return _anytime_targets(at_limits(outcomes.runs))
    if suite == "leaves":
        return _leaves_targets(leaves(outcomes.runs))
    return _unproven_targets(suite, outcomes) if suite in ("frontier", "border") else []


def at_limits(runs: Iterable[Record]) -> pandas.DataFrame:
    """Return the objective and the bound of each peer on each problem at each limit.

    The binarization does not tell problems apart. What is late by more than a tenth of the limit, at least 0.2 s, is
    not there yet. A run that ended by itself counts for every limit above its seconds; a peer that was not run with a
    limit has no line.
    """
    table = pandas.DataFrame(
        {
            "problem": _problem(run),
            "dataset": run.dataset,
            "regularization": run.regularization,
            "peer": run.peer,
            "limit": run.limit,
            "seconds": run.wall_seconds,
            "objective": run.objective if is_valid(run) else np.nan,
            "bound": _bound(run),
        }
        for run in runs
        if run.status != UNSUPPORTED
    ).astype({"objective": float, "bound": float})
    parts = []
    for limit in sorted(table["limit"].unique()):
        is_final = table["seconds"] < np.minimum(limit, STOPPED_AT_LIMIT * table["limit"])
        part = table[(table["limit"] == limit) | is_final].assign(limit=limit)
        is_late = part["seconds"] > limit + max(0.2, 0.1 * limit)
        parts.append(part.assign(**{name: part[name].mask(is_late) for name in ("objective", "bound")}))
    keys = ["problem", "dataset", "regularization", "peer", "limit"]
    return pandas.concat(parts).groupby(keys, as_index=False).agg({"objective": "min", "bound": "max"})


def versus(table: pandas.DataFrame) -> pandas.DataFrame:
    """Return the lines of the other peers, with the objective of hornbeam on the same problem at the same limit."""
    own = table[table["peer"] == REFERENCE_PEER].set_index(["problem", "limit"])["objective"].rename("own")
    pairs = table[table["peer"] != REFERENCE_PEER].join(own, on=["problem", "limit"], how="inner")
    # No tree is worse than any.
    return pairs.assign(excess=pairs["own"].fillna(np.inf) - pairs["objective"].fillna(np.inf)).fillna({"excess": 0.0})


def peers_at_limits(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return of each other peer and limit how often hornbeam's tree is better, equal and worse, and by how much."""
    rows = []
    for (peer, limit), pairs in versus(at_limits(outcomes.runs)).groupby(["peer", "limit"]):
        excess, both = pairs["excess"], pairs.dropna(subset=["objective", "own"])
        worst = pairs.loc[excess.idxmax()]
        is_worse = worst["excess"] > TOLERANCE
        rows.append(
            {
                "peer": peer,
                "limit": limit,
                "n": len(pairs),
                "none": int(pairs["objective"].isna().sum()),
                "better": int((excess < -TOLERANCE).sum()),
                "equal": int((excess.abs() <= TOLERANCE).sum()),
                "worse": int((excess > TOLERANCE).sum()),
                "ratio": geometric_mean(both["objective"].clip(lower=1e-6) / both["own"].clip(lower=1e-6)),
                "most": float(worst["excess"]) if is_worse else None,
                "on": worst["problem"] if is_worse else None,
            }
        )
    return rows


def problems_at_limits(outcomes: Outcomes) -> dict[str, list[Any]]:
    """Return heads and cells of each peer's objectives by problem and limit, with hornbeam's bound."""
    values = at_limits(outcomes.runs).pivot(index=["problem", "limit"], columns="peer", values=["objective", "bound"])
    peers = sorted(values["objective"], key=lambda peer: (peer != REFERENCE_PEER, peer))
    chosen = [("objective", peer) for peer in peers]
    chosen[1:1] = [("bound", REFERENCE_PEER)] if REFERENCE_PEER in peers else []
    cells = [
        [problem, f"{limit:g}", *(NOTHING if np.isnan(value) else f"{value:.5f}" for value in of)]
        for (problem, limit), of in zip(values.index, values[chosen].to_numpy(), strict=True)
    ]
    heads = [peer if name == "objective" else f"{peer}'s bound" for name, peer in chosen]
    return {"heads": ["problem", "limit", *heads], "cells": cells}


def integrals(steps: Iterable[Sequence[float | None]], best: float, horizon: float) -> tuple[float, float]:
    """Return the integrals of the primal gap and of the gap from 0 to `horizon`, in seconds.

    Parameters
    ----------
    steps : iterable of sequences of three numbers
        Seconds from which on an objective and a lower bound are known; None if one is not.
    best : float
        The best objective known.
    horizon : float
        Seconds. Later steps do not count.

    Returns
    -------
    tuple of float
        The primal gap is (objective - best) / objective, the gap (objective - bound) / objective; both are 1 without a
        tree and 0 for an objective of 0. An unknown bound is 0.
    """
    known = pandas.DataFrame(steps, columns=["seconds", "objective", "bound"], dtype=float)
    known = known[known["seconds"] <= horizon].sort_values("seconds", kind="stable")
    objective, bound = known["objective"].cummin().ffill(), known["bound"].cummax().ffill().fillna(0.0)
    lengths = np.diff([*known["seconds"], horizon])
    start = known["seconds"].min() if len(known) else horizon
    gaps = (
        ((objective - lower).clip(lower=0.0) / objective.where(objective > 0, 1.0)).fillna(1.0)
        for lower in (best, bound)
    )
    primal, gap = (float(start + (one.to_numpy() * lengths).sum()) for one in gaps)
    return primal, gap


def peers_integrals(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return the mean integrals of each peer up to the longest limit, and hornbeam's on the same problems."""
    horizon = max(run.limit for run in outcomes.runs)
    best = at_limits(outcomes.runs).groupby("problem")["objective"].min()
    groups: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for run in outcomes.runs:
        if run.status != UNSUPPORTED:
            groups[_problem(run), run.peer].append(run)
    rows = []
    for (problem, peer), runs in groups.items():
        last = max(runs, key=lambda run: run.limit)
        if last.limit == horizon or last.wall_seconds < STOPPED_AT_LIMIT * last.limit:
            ends = [last] if last.trace else runs
            steps = [*last.trace, *([one.wall_seconds, one.objective, _bound(one)] for one in ends if is_valid(one))]
            rows.append((problem, peer, *integrals(steps, best[problem], horizon)))
    table = pandas.DataFrame(rows, columns=["problem", "peer", "primal", "gap"])
    own = table[table["peer"] == REFERENCE_PEER].set_index("problem")[["primal", "gap"]].add_suffix("_own")
    pairs = table.join(own, on="problem", how="inner").drop(columns="problem").groupby("peer")
    means = pairs.mean().assign(n=pairs.size(), horizon=horizon).reset_index()
    return [dict(zip(means, cells, strict=True)) for cells in means.itertuples(index=False)]


def _problem(run: Record) -> str:
    return f"{run.dataset}, λ {run.regularization:g}, {run.problem.depth}"


def _bound(run: Record) -> float | None:
    return run.objective if run.proven else run.lower_bound


def leaves(runs: Iterable[Record]) -> pandas.DataFrame:
    """Return training and test error of hornbeam and CART by data set and number of leaves, where both ran."""
    table = pandas.DataFrame(
        {
            "dataset": run.dataset,
            "leaves": run.max_leaves,
            "peer": run.peer,
            "rows": run.rows,
            "train": run.objective,
            "test": run.test_error,
            "seconds": run.wall_seconds,
        }
        for run in runs
        if run.status == "ok"
    )
    pairs = table.pivot_table(index=["dataset", "rows", "leaves"], columns="peer", values=["train", "test", "seconds"])
    if not {REFERENCE_PEER, "cart"} <= set(table["peer"]):
        return pairs.iloc[:0]
    return pairs.dropna()


def leaves_rows(outcomes: Outcomes) -> list[dict[str, Any]]:
    """Return the cells of the table of errors by data set and number of leaves."""
    return [
        {
            "dataset": dataset,
            "rows": rows,
            "leaves": size,
            **{f"{name}_{peer}": value for (name, peer), value in of.items()},
        }
        for (dataset, rows, size), of in leaves(outcomes.runs).iterrows()
    ]


def _anytime_targets(table: pandas.DataFrame) -> list[dict[str, str]]:
    pairs = versus(table)
    worse = pairs[pairs["excess"] > TOLERANCE]
    figure = f"worse in {len(worse)} of {len(pairs)} comparisons"
    if len(worse):
        most = worse.loc[worse["excess"].idxmax()]
        figure += f"; most by {most['excess']:.4f} than {most['peer']} at {most['limit']:g} s on {most['problem']}"
    own = table[table["peer"] == REFERENCE_PEER].set_index(["problem", "limit"])["objective"]
    n, of = len(pairs.groupby(["problem", "limit"])), len(SUITES["anytime"].rows) * len(SUITES["anytime"].limits)
    found = [target("never worse than any peer at any limit", worse.empty, figure, n, of), _gap_target(table)]
    for dataset, regularization, seconds, available in AVAILABLE:
        key = (f"{dataset}, λ {regularization:g}, any depth", float(seconds))
        text = f"{key[0]}: at most {available} after {seconds} s"
        value = own.get(key)
        met = value is not None and value < available + 1e-4
        found.append(target(text, met, NOTHING if value is None else f"{value:.6f}", int(value is not None), 1))
    return found


def _gap_target(table: pandas.DataFrame) -> dict[str, str]:
    """Return whether the gap at the longest limit is half of that of 0.1.0; a smaller one than 0.001 counts as that."""
    last = table[table["limit"] == max(SUITES["anytime"].limits)].set_index(["problem", "peer"])
    gaps = ((last["objective"] - last["bound"]) / last["objective"].clip(lower=1e-6)).unstack("peer")
    pairs = gaps.reindex(columns=[REFERENCE_PEER, BEFORE]).dropna()
    pairs = pairs[pairs[BEFORE] > LEAST_GAP]
    mean = geometric_mean(pairs[REFERENCE_PEER].clip(lower=LEAST_GAP) / pairs[BEFORE])
    text = "gap after 60 s at most half of that of 0.1.0, geometric mean over what that does not prove"
    figure = NOTHING if mean is None else times(mean)
    return target(text, mean is not None and mean <= 0.5, figure, len(pairs), len(SUITES["anytime"].rows))


def _leaves_targets(pairs: pandas.DataFrame) -> list[dict[str, str]]:
    texts = (
        "training error at most CART's at every size on every table",
        "training error 5 % lower in the geometric mean",
        "test accuracy at least CART's at equal size on 80 % of the tables",
    )
    n_all = len(SUITES["leaves"].rows) * len(SUITES["leaves"].options)
    if pairs.empty:
        return [target(text, False, NOTHING, 0, n_all) for text in texts]
    errors, n_rows = pairs["train"], pairs.index.get_level_values("rows").to_numpy()
    more = errors[REFERENCE_PEER] - errors["cart"]
    where = f"{more.idxmax()[0]} with {more.idxmax()[2]} leaves" if (more > TOLERANCE).any() else ""
    # No error counts as one row.
    ratios = errors[REFERENCE_PEER].clip(lower=1 / n_rows) / errors["cart"].clip(lower=1 / n_rows)
    mean = geometric_mean(ratios) or 1.0
    is_no_worse = pairs["test"][REFERENCE_PEER] <= pairs["test"]["cart"] + TOLERANCE
    share = is_no_worse.mean()
    by_table = (
        pairs["test"][REFERENCE_PEER].groupby("dataset").mean()
        <= pairs["test"]["cart"].groupby("dataset").mean() + TOLERANCE
    )
    worse = int((more > TOLERANCE).sum())
    figures = (
        f"higher in {worse} of {len(pairs)}" + (f"; most by {more.max():.4f} on {where}" if where else ""),
        f"{100 * (1 - mean):.1f} % lower",
        f"in {100 * share:.0f} % of {len(pairs)} sizes and tables; in the mean over sizes on {by_table.sum()} of "
        f"{len(by_table)} tables",
    )
    verdicts = (worse == 0, mean <= 0.95, bool(share >= 0.8))
    return [target(*one, len(pairs), n_all) for one in zip(texts, verdicts, figures, strict=True)]


def _unproven_targets(suite: str, outcomes: Outcomes) -> list[dict[str, str]]:
    """Return the targets of a suite of problems that 0.1.0 does not prove."""
    before = next((number for number in outcomes.others if outcomes.contenders[number].peer == BEFORE), -1)
    pairs = outcomes.pairs(before, 0)
    hard = pairs[~pairs["is_proven"]]
    proven, rest = hard["is_proven_own"].sum(), hard[~hard["is_proven_own"] & (hard["gap"] > 0)]
    ratios = (rest["gap_own"] / rest["gap"]).dropna()
    mean = geometric_mean(ratios)
    n_all = len(SUITES[suite].rows)
    texts = (
        "half proven in 60 s of what 0.1.0 does not prove",
        "gap of the rest at most half of that of 0.1.0, geometric mean",
    )
    return [
        target(texts[0], 2 * proven >= len(hard), f"{proven} of {len(hard)}", len(pairs), n_all),
        target(texts[1], mean is None or mean <= 0.5, f"{times(mean)} ({len(ratios)})", len(pairs), n_all),
    ]
