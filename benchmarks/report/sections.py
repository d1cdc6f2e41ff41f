"""Sections of a report: the setting, who proves nothing, rounded penalties, sizes, and every instance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.report.comparison import SHORTEST_SECONDS, geometric_mean
from benchmarks.report.markdown import NOTHING, count, number, objective, percent, render, table, times
from benchmarks.report.outcomes import PROVEN, ROUNDED, TIMEOUT, UNPROVEN, UNSUPPORTED, Outcomes, Result
from benchmarks.report.runs import REFERENCE_PEER, Contender, Instance
from benchmarks.results import TOLERANCE

SIZES = ("rows", "columns")

_UNPROVEN = """\
Peers that never prove a tree, over what they finished. *Excess*: of the objective over the best one known. *Seconds*:
user CPU. *Time against* and *objective against*: on the same instances, of {ours}; times below {shortest:g} ms count as
that, a ratio above 1 says that {ours} is faster, and lower, equal and higher are the contender's objectives.
"""
_UNPROVEN_TABLE = """\
contender = {contender} | instances = {n} | best known = {n_best} | mean excess = {mean:.5f}
largest excess = {most:.5f} | seconds, mean = {seconds:n} | seconds, longest = {longest:n}
time against %s (least) = {ratio} | objective against it: lower, equal, higher = {lower}, {equal}, {higher}
"""
_ROUNDING = """\
{names} round the price of a leaf, λ times the rows, to whole rows.
Where it is not whole they solve another problem: their times and proofs count nowhere in this report, and their trees
are scored at the price as it is.
"""
_WORSE_TABLE = """\
instance = {0} | contender = {1} | price in rows = {2:.2f} | its tree = {3:.6f} | best known = {4:.6f} | excess = {5:n}
"""
_SIZES_TABLE = """\
contender = {contender} | problem = {problem} | %s = {size:,} | seconds = {seconds}
memory growth (MiB) = {result.growth_bytes:MiB} | memory peak (MiB) = {result.peak_bytes:MiB}
"""
_INSTANCES = """\
Of a proof (✓) the median user seconds; its objective is the best one. Without a proof: the seconds (> limit), the
objective where it is not the best one, and the gap between objective and lower bound as a share of the objective.
"""


def setting_section(outcomes: Outcomes) -> str:
    """Write machine, versions, commits, limits and dates of the runs."""
    runs = sorted(outcomes.runs, key=lambda run: run.contender.order)
    records = [run.record for run in outcomes.runs]
    machines = list(dict.fromkeys(_words(record.machine) for record in records))
    versions: dict[str, set[str]] = {}
    for run in runs:
        versions.setdefault(run.contender.peer, set()).add(run.record.peer_version)
    commits = sorted({record.commit for record in records if record.peer == REFERENCE_PEER})
    dates = sorted({record.date for record in records})
    lines = [
        *(f"Machine: {machine}." for machine in machines),
        "Python of the benchmarks, which not all peers share: "
        f"{' and '.join(sorted({record.machine['python'] for record in records}))}.",
        f"Versions: {', '.join(f'{peer} ' + ' and '.join(sorted(of)) for peer, of in versions.items())}.",
        f"Commit of hornbeam: {', '.join(commits) or 'it did not run'}; a + marks a tree with uncommitted changes.",
        f"Limit of wall time: {', '.join(f'{limit:g}' for limit in sorted({record.limit for record in records}))} s.",
        f"Dates: {dates[0]}" + (f" to {dates[-1]}" if len(dates) > 1 else "") + " (UTC).",
        f"{count(len(runs), 'run')} on {count(len(outcomes.instances), 'instance')}, at most "
        f"{count(max(record.repeat for record in records) + 1, 'repeat')} each; times are medians of the user CPU of "
        "the fit alone, in seconds.",
    ]
    if len(machines) > 1:
        lines.append("**Runs were made on several machines: times of different machines cannot be compared.**")
    return "## Setting\n\n" + "\n".join(f"* {line}" for line in lines) + "\n"


def _words(machine: Mapping[str, Any]) -> str:
    named = {**machine, "memory": f"{machine['memory'] / 2**30:.1f} GiB"}
    return ", ".join(f"{name} {value}" for name, value in named.items() if name != "python")


def unproven_section(outcomes: Outcomes) -> str:
    """Compare the trees of peers that prove nothing; empty unless one of them is of hornbeam."""
    finished: dict[Contender, dict[Instance, Result]] = {}
    for contender in outcomes.contenders:
        results = outcomes.results_of(contender)
        unproven = {one: result for one, result in results.items() if result.outcome == UNPROVEN}
        if unproven and not any(result.is_proven for result in results.values()):
            finished[contender] = unproven
    ours = next((contender for contender in finished if contender.peer.startswith(REFERENCE_PEER)), None)
    if ours is None:
        return ""
    name = outcomes.label(ours)
    rows = [_unproven_row(outcomes, contender, results, finished[ours]) for contender, results in finished.items()]
    text = _UNPROVEN.format(ours=name, shortest=1000 * SHORTEST_SECONDS)
    return "## Trees without a proof\n\n" + text + "\n" + render(_UNPROVEN_TABLE % name, rows)


def _unproven_row(
    outcomes: Outcomes, contender: Contender, results: dict[Instance, Result], own: dict[Instance, Result]
) -> dict[str, Any]:
    excess = [_known(result.objective) - _known(outcomes.best_objective(one)) for one, result in results.items()]
    seconds = [_seconds(result) for result in results.values()]
    pairs = [(result, own[one]) for one, result in results.items() if one in own]
    ratios = [_seconds(other) / _seconds(mine) for other, mine in pairs]
    differences = [_known(other.objective) - _known(mine.objective) for other, mine in pairs]
    lower = sum(difference < -TOLERANCE for difference in differences)
    higher = sum(difference > TOLERANCE for difference in differences)
    return {
        "contender": outcomes.label(contender),
        "n": len(results),
        "n_best": sum(value <= TOLERANCE for value in excess),
        "mean": sum(excess) / len(excess),
        "most": max(excess),
        "seconds": geometric_mean(seconds),
        "longest": max(seconds),
        "ratio": f"{times(geometric_mean(ratios))} ({times(min(ratios))})" if ratios else NOTHING,
        **{"lower": lower, "equal": len(pairs) - lower - higher, "higher": higher},
    }


def _known(value: float | None) -> float:
    assert value is not None
    return value


def _seconds(result: Result) -> float:
    return max(_known(result.seconds), SHORTEST_SECONDS)


def rounding_section(outcomes: Outcomes) -> str:
    """Count the trees of a rounded price that are optimal and that are not, and list these; empty without any."""
    counts, worse = [], []
    for contender in outcomes.contenders:
        results = [(one, result) for one, result in outcomes.results_of(contender).items() if result.outcome == ROUNDED]
        if not results:
            continue
        label = outcomes.label(contender)
        finished = {"optimal": 0, "unbeaten": 0, "beaten": 0}
        for one, result in results:
            best = outcomes.best_objective(one)
            if result.objective is None or best is None:
                continue
            excess = result.objective - best
            if excess > TOLERANCE:
                price = one.problem.regularization * one.problem.rows
                worse.append((one.name, label, price, result.objective, best, excess))
            is_proven = outcomes.best[one.problem].record.proven
            finished["beaten" if excess > TOLERANCE else "optimal" if is_proven else "unbeaten"] += 1
        counts.append((label, *map(str, (len(results), sum(finished.values()), *finished.values()))))
    if not counts:
        return ""
    names = " and ".join(row[0] for row in counts)
    heads = ("contender", "instances", "finished", "optimal", "nothing better known", "not optimal")
    parts = ["## Prices rounded to whole rows\n", _ROUNDING.format(names=names), table(heads, counts)]
    if worse:
        parts += ["Where they are not optimal:\n", render(_WORSE_TABLE, sorted(worse), 2)]
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class Series:
    """What a contender did on instances that differ in size: their sizes, instances and results, smallest first."""

    contender: Contender
    name: str  # tells the series of a contender apart; empty if there is only one
    points: tuple[tuple[int, Instance, Result], ...]


def series_of(outcomes: Outcomes, size: str) -> list[Series]:
    """Sort results into series of growing rows or columns, each with one regularization and one limit of depth."""
    groups: dict[tuple[Contender, str], list[tuple[int, Instance, Result]]] = defaultdict(list)
    for contender in outcomes.contenders:
        for instance, result in outcomes.results_of(contender).items():
            name = f"λ {instance.problem.regularization:g}, {instance.problem.depth}"
            groups[contender, name].append((getattr(instance.problem, size), instance, result))
    has_several = len({name for _, name in groups}) > 1
    return [
        Series(contender, name if has_several else "", tuple(sorted(points, key=lambda point: point[0])))
        for (contender, name), points in groups.items()
    ]


def sizes_section(suite: str, outcomes: Outcomes) -> str:
    """Write seconds and memory by size; empty unless the suite is one of sizes."""
    if suite not in SIZES:
        return ""
    rows: Iterable[dict[str, Any]] = (
        {
            "contender": outcomes.label(series.contender),
            "problem": series.name or NOTHING,
            "size": size,
            "seconds": number(result.seconds) if result.is_proven else result.outcome,
            "result": result,
        }
        for series in series_of(outcomes, suite)
        for size, _, result in series.points
    )
    return f"## Growth with the number of {suite}\n\n" + render(_SIZES_TABLE % suite, rows, 2)


def instances_section(outcomes: Outcomes) -> str:
    """Write what every contender did on every instance."""
    several_limits = len({one.limit for one in outcomes.instances}) > 1
    rows = []
    for one in outcomes.instances:
        problem = one.problem
        rows.append(
            (
                f"{problem.dataset} / {problem.binarization}",
                f"{problem.rows:,} x {problem.columns:,}",
                f"{problem.regularization:g}",
                NOTHING if problem.max_depth is None else str(problem.max_depth),
                *([f"{one.limit:g}"] if several_limits else []),
                objective(outcomes.best_objective(one)),
                *(_cell(outcomes, one, outcomes.get(one, contender)) for contender in outcomes.contenders),
            )
        )
    labels = [outcomes.label(contender) for contender in outcomes.contenders]
    limit_head = ["limit"] if several_limits else []
    heads = ("data / binarization", "rows x columns", "λ", "depth", *limit_head, "best objective known", *labels)
    return "## All instances\n\n" + _INSTANCES + "\n" + table(heads, rows)


def _cell(outcomes: Outcomes, instance: Instance, result: Result | None) -> str:
    if result is None:
        return ""
    if result.outcome == PROVEN:
        return f"{number(result.seconds)} ✓"
    if result.outcome == UNSUPPORTED:
        return NOTHING
    parts = [f"> {instance.limit:g}" if result.outcome == TIMEOUT else number(result.seconds)]
    if result.outcome not in (TIMEOUT, UNPROVEN):
        parts.append(result.outcome)
    best = outcomes.best_objective(instance)
    if result.objective is not None and not (best is not None and abs(result.objective - best) <= TOLERANCE):
        parts.append(objective(result.objective))
    if result.gap is not None:
        parts.append(f"gap {percent(result.gap)}")
    return ", ".join(part for part in parts if part != NOTHING)
