"""The table of the README: each peer against hornbeam in every suite, and where hornbeam loses."""

from __future__ import annotations

from pathlib import Path

from benchmarks.report.comparison import Comparison, Ratio, compare
from benchmarks.report.errors_section import verdict
from benchmarks.report.faults import find_faults
from benchmarks.report.markdown import NOTHING, table, times
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.runs import read_runs
from benchmarks.report.summary_section import mean_of, proofs, slower_of
from benchmarks.suites import SUITES

_EXPLANATION = """\
User CPU of the peer divided by hornbeam's (user and system together below 0.1 s), geometric mean: above 1 hornbeam is
faster. First over the instances that both prove, then over those that either proves, where one without a proof counts
with the limit (≥ at least, ≤ at most, ≈ both), then over those of them where one of the two takes over 10 ms; in
brackets the number of instances. The worst is the lowest ratio where one of the two takes over 50 ms.
"""


def performance_table(results: Path) -> str:
    """Return the README's table of ratios.

    Parameters
    ----------
    results : Path
        Directory with a file of JSON lines for each suite, ``<suite>.jsonl``.

    Returns
    -------
    str
        Markdown: a table with a row for each suite of one limit and peer that proves something or was stopped by it,
        then a line for each of these suites with what is proven and how many errors there are.

    Raises
    ------
    ValueError
        If the directory holds no results in which hornbeam meets another peer.
    """
    rows, lines = [], []
    for suite in sorted(SUITES):
        path = results / f"{suite}.jsonl"
        if not path.exists():
            continue
        outcomes = Outcomes(read_runs(path, suite))
        rivals = outcomes.other_peers()
        if outcomes.reference is None or not rivals or outcomes.has_several_limits:
            continue
        comparisons = {contender: compare(outcomes, contender) for contender in rivals}
        rows += [
            _row(suite, outcomes.label(contender), comparison)
            for contender, comparison in comparisons.items()
            if comparison.either
        ]
        faults = find_faults(outcomes.runs, outcomes.label)
        lines.append(f"* {suite}: {proofs(outcomes).strip()} {verdict(faults)}")
    if not rows:
        raise ValueError(f"results: {results.name} holds no suite with hornbeam and a peer; run such a suite first.")
    heads = ("suite", "peer", "both prove", "either proves", "over 10 ms", "hornbeam slower", "worst for hornbeam")
    return f"{_EXPLANATION}\n{table(heads, rows, 2)}\n" + "\n".join(lines) + "\n"


def _row(suite: str, peer: str, comparison: Comparison) -> tuple[str, ...]:
    return (
        suite,
        peer,
        mean_of(comparison.both),
        mean_of(comparison.either),
        mean_of(comparison.lasting),
        slower_of(comparison),
        _worst(comparison.worst),
    )


def _worst(worst: Ratio | None) -> str:
    """Write the worst ratio and its instance, unless hornbeam is ahead even there."""
    if worst is None:
        return NOTHING
    if worst.value >= 1:
        return f"{worst.sign}{times(worst.value)}"
    problem = worst.instance.problem
    depth = "" if problem.max_depth is None else f", depth {problem.max_depth}"
    return f"{worst.sign}{times(worst.value)} ({problem.dataset}, λ {problem.regularization:g}{depth})"
