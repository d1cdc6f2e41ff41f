"""Time and memory against the number of rows or columns."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from benchmarks.report.markdown import NOTHING, mebibytes, number, table
from benchmarks.report.outcomes import Outcomes, Result
from benchmarks.report.runs import Contender, Instance

SIZES = ("rows", "columns")


@dataclass(frozen=True, slots=True)
class Series:
    """What a contender did on instances that differ in size: their sizes, instances and results, smallest first."""

    contender: Contender
    name: str
    points: tuple[tuple[int, Instance, Result], ...]


def series_of(outcomes: Outcomes, size: str) -> list[Series]:
    """Sort results into series of growing size; a series has one regularization and one limit of depth."""
    groups: dict[tuple[Contender, str], list[tuple[int, Instance, Result]]] = defaultdict(list)
    for contender in outcomes.contenders:
        for instance, result in outcomes.results_of(contender).items():
            problem = instance.problem
            depth = "any depth" if problem.max_depth is None else f"depth {problem.max_depth}"
            name = f"λ {problem.regularization:g}, {depth}"
            groups[contender, name].append((getattr(problem, size), instance, result))
    names = {name for _, name in groups}
    return [
        Series(contender, name if len(names) > 1 else "", tuple(sorted(points, key=lambda point: point[0])))
        for (contender, name), points in groups.items()
    ]


def sizes_section(suite: str, outcomes: Outcomes) -> str:
    """Write seconds and memory by size; empty unless the suite is one of sizes."""
    if suite not in SIZES:
        return ""
    rows = [
        (
            outcomes.label(series.contender),
            series.name or NOTHING,
            f"{size:,}",
            number(result.seconds) if result.is_proven else result.outcome,
            mebibytes(result.growth_bytes),
            mebibytes(result.peak_bytes),
        )
        for series in series_of(outcomes, suite)
        for size, _, result in series.points
    ]
    heads = ("contender", "problem", suite, "seconds", "memory growth (MiB)", "memory peak (MiB)")
    return f"## Growth with the number of {suite}\n\n" + table(heads, rows, 2)
