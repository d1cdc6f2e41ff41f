"""The table of docs/benchmarks.md: each peer against hornbeam in every suite, and where hornbeam loses."""

from __future__ import annotations

from pathlib import Path

from benchmarks.report.comparison import Ratio, compare
from benchmarks.report.errors_section import verdict
from benchmarks.report.faults import find_faults
from benchmarks.report.markdown import NOTHING, render, times
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.runs import read_runs
from benchmarks.report.summary_section import proofs, ratios_of
from benchmarks.suites import SUITES

_EXPLANATION = """\
A value above 1 means that hornbeam is faster.

* **Both prove**: CPU time of the other program divided by hornbeam's, as a geometric mean over the problems that both
  solve to proven optimality. The number of problems is in parentheses.
* **Either proves**: the same over the problems that at least one of them proves. A program that ran into the time limit
  counts with the limit, so the ratio is a bound (≥ at least, ≤ at most, ≈ either way).
* **Over 10 ms**: of those, the problems where at least one of the two takes more than 10 ms.
* **hornbeam slower**: on how many of the problems that both prove hornbeam takes longer.
* **Worst for hornbeam**: the lowest ratio where at least one of the two takes more than 50 ms.
"""
_RATIOS = """\
suite = {suite} | peer = {contender} | both prove = {both} | either proves = {either} | over 10 ms = {lasting}
hornbeam slower = {slower} | worst for hornbeam = {worst}
"""


def performance_table(results: Path) -> str:
    """Return the table of ratios of docs/benchmarks.md, in Markdown, of all suites in a directory of results."""
    rows, lines = [], []
    for suite in sorted(SUITES):
        path = results / f"{suite}.jsonl"
        if not path.exists():
            continue
        outcomes = Outcomes(read_runs(path, suite))
        rivals = outcomes.other_peers()
        if outcomes.reference is None or not rivals or outcomes.has_several_limits:
            continue
        for contender in rivals:
            comparison = compare(outcomes, contender)
            if comparison.either:
                worst = {"suite": suite, "worst": _worst(comparison.worst)}
                rows.append({**ratios_of(outcomes, contender, comparison), **worst})
        faults = find_faults(outcomes.runs, outcomes.label)
        lines.append(f"* {suite}: {proofs(outcomes).strip()} {verdict(faults)}")
    if not rows:
        raise ValueError(f"results: {results.name} holds no suite with hornbeam and a peer; run such a suite first.")
    return f"{_EXPLANATION}\n{render(_RATIOS, rows, 2)}\n" + "\n".join(lines) + "\n"


def _worst(worst: Ratio | None) -> str:
    """Write the worst ratio and its instance, unless hornbeam is ahead even there."""
    if worst is None:
        return NOTHING
    if worst.value >= 1:
        return f"{worst.sign}{times(worst.value)}"
    problem = worst.instance.problem
    depth = "" if problem.max_depth is None else f", depth {problem.max_depth}"
    return f"{worst.sign}{times(worst.value)} ({problem.dataset}, λ {problem.regularization:g}{depth})"
