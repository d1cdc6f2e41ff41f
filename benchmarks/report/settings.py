"""Settings of one peer against each other: numbers of threads, and hornbeam with a bound off."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.report.comparison import compare, geometric_mean
from benchmarks.report.markdown import NOTHING, number, render, table, times
from benchmarks.report.outcomes import Outcomes, Result
from benchmarks.report.runs import Contender, Instance
from benchmarks.report.summary_section import mean_of
from benchmarks.results import TOLERANCE

_ABLATION = """\
Each setting divided by hornbeam's plain setting, geometric means over the instances that both prove; in brackets
their number. *Either proves* also counts those that only one proves, with the limit: at least (≥) that much. Below 1
the bound costs more than it saves. *Same optimum*: of the instances that both prove, those with equal objectives.
"""
_ABLATION_TABLE = """\
setting = {setting} | time, both prove = {both} | time, either proves = {either} | subproblems = {subproblems}
memory growth = {growth} | most time = {most:x} | on = {most_on} | same optimum = {agreeing}
"""


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """Wall seconds of a contender on an instance with few threads and with more."""

    instance: Instance
    few: Contender
    many: Contender
    before: Result
    after: Result

    @property
    def value(self) -> float | None:
        """How many times faster more threads are; None unless both prove."""
        before, after = self.before.wall_seconds, self.after.wall_seconds
        if not (self.before.is_proven and self.after.is_proven) or before is None or after is None:
            return None
        return before / after if after > 0 else None

    @property
    def agree(self) -> bool | None:
        """Whether both proved the same objective; None unless both prove."""
        return _same_optimum(self.before, self.after)


def speed_ups(outcomes: Outcomes) -> list[SpeedUp]:
    """Pair, of each peer and its options, the fewest threads with every larger number, instance by instance."""
    found = []
    for many in outcomes.contenders:
        same = [one for one in outcomes.contenders if (one.peer, one.options) == (many.peer, many.options)]
        few = min(same, key=lambda one: one.threads)
        if few == many:
            continue
        before = outcomes.results_of(few)
        found += [
            SpeedUp(instance, few, many, before[instance], after)
            for instance, after in outcomes.results_of(many).items()
            if instance in before
        ]
    return found


def threads_section(outcomes: Outcomes) -> str:
    """Write the speed-up of wall time by threads; empty if nothing ran with several numbers of threads."""
    pairs = speed_ups(outcomes)
    if not pairs:
        return ""
    means, rows = [], []
    for many in dict.fromkeys(pair.many for pair in pairs):
        own = [pair for pair in pairs if pair.many == many]
        values = [pair.value for pair in own if pair.value is not None]
        agreeing = [pair.agree for pair in own if pair.agree is not None]
        means.append(
            (
                f"{outcomes.label(own[0].few)} → {outcomes.label(many)}",
                f"{times(geometric_mean(values))} ({len(values)})",
                times(min(values, default=None)),
                times(max(values, default=None)),
                f"{sum(agreeing)} of {len(agreeing)}",
            )
        )
        rows += [_speed_up_row(outcomes, pair) for pair in own]
    return (
        "## Threads\n\nWall time with few threads divided by that with more, where both prove.\n\n"
        + table(("threads", "mean speed-up", "least", "most", "same optimum"), means)
        + "\n"
        + table(("instance", "contender", "wall seconds, fewest threads", "wall seconds", "speed-up", "same"), rows, 2)
    )


def ablation_section(outcomes: Outcomes) -> str:
    """Write the factors of hornbeam's other settings; empty if there are none."""
    reference = outcomes.reference
    others = [
        one
        for one in outcomes.contenders
        if reference and one.peer == reference.peer and one.threads == reference.threads and one != reference
    ]
    if reference is None or not others:
        return ""
    own = outcomes.results_of(reference)
    rows = []
    for contender in others:
        comparison = compare(outcomes, contender)
        largest = max(comparison.both, key=lambda ratio: ratio.value, default=None)
        pairs = [(result, own[one]) for one, result in outcomes.results_of(contender).items() if one in own]
        agreeing = [agree for result, mine in pairs if (agree := _same_optimum(result, mine)) is not None]
        subproblems = [
            result.subproblems / mine.subproblems
            for result, mine in pairs
            if result.is_proven and mine.is_proven and result.subproblems and mine.subproblems
        ]
        rows.append(
            {
                "setting": outcomes.label(contender),
                "both": mean_of(comparison.both),
                "either": mean_of(comparison.either),
                "subproblems": f"{times(geometric_mean(subproblems))} ({len(subproblems)})" if subproblems else None,
                "growth": mean_of(comparison.growth),
                "most": largest.value if largest else None,
                "most_on": largest.instance.name if largest else None,
                "agreeing": f"{sum(agreeing)} of {len(agreeing)}",
            }
        )
    return "## Ablation\n\n" + _ABLATION + "\n" + render(_ABLATION_TABLE, rows)


def _speed_up_row(outcomes: Outcomes, pair: SpeedUp) -> tuple[str, ...]:
    same = {True: "yes", False: "**no**", None: NOTHING}[pair.agree]
    seconds = (_wall(pair.before, pair.instance), _wall(pair.after, pair.instance))
    return (pair.instance.name, outcomes.label(pair.many), *seconds, times(pair.value), same)


def _wall(result: Result, instance: Instance) -> str:
    return number(result.wall_seconds) if result.is_proven else f"{result.outcome}, limit {instance.limit:g}"


def _same_optimum(one: Result, other: Result) -> bool | None:
    """Compare two proofs; None unless both are proofs."""
    if not (one.is_proven and other.is_proven):
        return None
    assert one.objective is not None
    assert other.objective is not None
    return abs(one.objective - other.objective) <= TOLERANCE
