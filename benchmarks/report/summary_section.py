"""A line for each contender: what it solved, and its ratios against hornbeam."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.report.comparison import (
    LASTING_SECONDS,
    LEAST_BYTES,
    MEMORY_OVER_SECONDS,
    SHORTEST_SECONDS,
    WORST_OVER_SECONDS,
    Comparison,
    Ratio,
    compare,
    geometric_mean,
)
from benchmarks.report.markdown import NOTHING, count, number, render, table, times
from benchmarks.report.outcomes import (
    ERROR,
    MEMORY,
    PROVEN,
    ROUNDED,
    TIMEOUT,
    UNPROVEN,
    UNSUPPORTED,
    WRONG,
    Outcomes,
    Result,
)
from benchmarks.report.runs import Contender, Instance

_COUNTED = (PROVEN, TIMEOUT, MEMORY, UNPROVEN, WRONG, ERROR, UNSUPPORTED, ROUNDED)

_EXPLANATION = f"""\
A ratio is the contender's figure divided by hornbeam's: above 1 hornbeam is ahead. Means are geometric; in brackets
the number of instances.

* Both prove: user CPU over the instances that both prove. Times below {SHORTEST_SECONDS * 1000:g} ms count as that.
* Either proves: also over those that only one proves. Who does not counts with the limit, or with the time it used
  until its memory ran out or it gave up: the ratio is "at least" (≥) where the contender did not prove, "at most" (≤)
  where hornbeam did not; a mean with both kinds is marked ≈. Errors, wrong optima, rounded prices and what is
  unsupported do not count; nor do runs without a proof that no limit stopped, of a contender that proves nothing in
  the suite.
* Over {LASTING_SECONDS * 1000:g} ms: those of them where either took longer.
* Worst: the lowest of these ratios where either took over {WORST_OVER_SECONDS * 1000:g} ms.
* hornbeam slower: of the instances that the contender proves, those where hornbeam's median is longer by more than
  the spread (longest minus shortest) of either's repeats, or hornbeam does not prove.
* Memory: where both prove and either took over {MEMORY_OVER_SECONDS:g} s. Growth is what the fit added to the peak of
  the process, at least {LEAST_BYTES // 2**20} MiB.
"""
_RATIOS = """\
contender = {contender} | both prove = {both} | either proves = {either} | over 10 ms = {lasting} | worst = {worst}
worst on = {worst_on} | hornbeam slower = {slower} | memory growth = {growth} | memory peak = {peak}
"""


def summary_section(outcomes: Outcomes) -> str:
    """Write the counts of outcomes, the ratios, and who proves what."""
    parts = ["## Summary\n", _outcome_table(outcomes), proofs(outcomes)]
    rivals = outcomes.other_peers()
    if outcomes.reference is not None and rivals:
        rows = [ratios_of(outcomes, contender, compare(outcomes, contender)) for contender in rivals]
        parts += [_EXPLANATION, render(_RATIOS, rows)]
    return "\n".join(parts)


def behind_section(outcomes: Outcomes) -> str:
    """List where hornbeam does not prove what another peer proves, and where it is slower; empty without a peer."""
    if outcomes.reference is None or not outcomes.other_peers():
        return ""
    own = outcomes.results_of(outcomes.reference)
    unproven, slower = [], []
    for contender in outcomes.other_peers():
        results = outcomes.results_of(contender)
        for instance in compare(outcomes, contender).slower:
            other, mine = results[instance], own[instance]
            row = (instance.name, outcomes.label(contender), number(other.seconds))
            if mine.is_proven:
                assert mine.seconds is not None and other.seconds is not None  # noqa: PT018
                slower.append((other.seconds / max(mine.seconds, 1e-9), (*row, number(mine.seconds))))
            else:
                unproven.append((*row, mine.outcome))
    heads = ("instance", "contender", "its seconds")
    parts = ["## Where hornbeam is behind\n"]
    if unproven:
        parts += ["A peer proves and hornbeam does not:\n", table((*heads, "hornbeam"), sorted(unproven), 2)]
    if slower:
        parts += [
            "Both prove, and hornbeam is slower beyond noise, worst first:\n",
            table((*heads, "hornbeam's seconds"), [row for _, row in sorted(slower)], 2),
        ]
    return "\n".join(parts if len(parts) > 1 else [*parts, "Nowhere.\n"])


def proofs(outcomes: Outcomes) -> str:
    """Say how many of the instances that another peer tried hornbeam proves, and how many all others together."""
    if outcomes.reference is None:
        return "hornbeam did not run.\n"
    tried = set(outcomes.results_of(outcomes.reference))
    own = _where(outcomes, [outcomes.reference], _is_proven)
    rivals = outcomes.other_peers()
    if not rivals:
        return f"Of {count(len(tried), 'instance')} hornbeam proves {len(own)}.\n"
    tried &= _where(outcomes, rivals, lambda result: result.outcome != ROUNDED)
    own &= tried
    others = _where(outcomes, rivals, _is_proven) & tried
    return (
        f"Of {count(len(tried), 'instance')} hornbeam proves {len(own)}, all other peers together {len(others)}; "
        f"{len(own - others)} only hornbeam, {len(others - own)} only another.\n"
    )


def mean_of(ratios: Sequence[Ratio]) -> str:
    """Write the geometric mean of ratios, with its sign and their number."""
    mean = geometric_mean(ratio.value for ratio in ratios)
    if mean is None:
        return NOTHING
    low, high = any(ratio.at_least for ratio in ratios), any(ratio.at_most for ratio in ratios)
    sign = "≈ " if low and high else "≥ " if low else "≤ " if high else ""
    return f"{sign}{times(mean)} ({len(ratios)})"


def _outcome_table(outcomes: Outcomes) -> str:
    rows = []
    for contender in outcomes.contenders:
        counts = Counter(result.outcome for result in outcomes.results_of(contender).values())
        rows.append((outcomes.label(contender), str(sum(counts.values())), *(str(counts[name]) for name in _COUNTED)))
    return table(("contender", "instances", *_COUNTED), rows)


def ratios_of(outcomes: Outcomes, contender: Contender, comparison: Comparison) -> dict[str, Any]:
    """Return the cells of a contender in a table of ratios."""
    worst = comparison.worst
    return {
        "contender": outcomes.label(contender),
        **{name: mean_of(getattr(comparison, name)) for name in ("both", "either", "lasting", "growth", "peak")},
        "worst": f"{worst.sign}{times(worst.value)}" if worst else NOTHING,
        "worst_on": worst.instance.name if worst else NOTHING,
        "slower": f"{len(comparison.slower)} of {comparison.n_proven}" if comparison.n_proven else NOTHING,
    }


def _is_proven(result: Result) -> bool:
    return result.is_proven


def _where(outcomes: Outcomes, contenders: list[Contender], holds: Callable[[Result], bool]) -> set[Instance]:
    """Return the instances of whose results, by some of the contenders, something holds."""
    return {
        instance
        for contender in contenders
        for instance, result in outcomes.results_of(contender).items()
        if holds(result)
    }
