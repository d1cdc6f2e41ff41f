"""A contender against hornbeam: ratios of time and memory, and where hornbeam is behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

from benchmarks.report.outcomes import MEMORY, PROVEN, TIMEOUT, UNPROVEN, Outcomes, Result
from benchmarks.report.runs import Contender, Instance

# Shorter times count as this long: they are mostly the noise of a first call.
SHORTEST_SECONDS = 0.0001
# Less growth counts as this much: the process had room from before the fit.
LEAST_BYTES = 2**20
# Below this, what is measured is how a program is called and reads its table more than how it searches.
LASTING_SECONDS = 0.01
# The worst ratio is sought where either needs longer, memory is compared where either needs longer.
WORST_OVER_SECONDS = 0.05
MEMORY_OVER_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Ratio:
    """A contender's figure divided by hornbeam's: above 1 hornbeam is ahead.

    `at_least` says that the contender did not finish, so that the true ratio is higher; `at_most` that hornbeam did
    not.
    """

    value: float
    instance: Instance
    at_least: bool = False
    at_most: bool = False

    @property
    def sign(self) -> str:
        """What is written before the value of a ratio that is only a bound."""
        return "≥ " if self.at_least else "≤ " if self.at_most else ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A contender against hornbeam over the instances that both tried."""

    both: tuple[Ratio, ...]  # of user seconds, where both prove
    # Of user seconds, where one or both prove; who does not counts with the limit, or with the time until the memory
    # ran out or it gave up. Without errors, wrong optima, rounded prices and the unsupported; a contender that proves
    # nothing in the whole suite counts only where a limit stopped it.
    either: tuple[Ratio, ...]
    lasting: tuple[Ratio, ...]  # those of `either` where one of the two took longer than `LASTING_SECONDS`
    worst: Ratio | None  # the lowest of `either` where one of the two took longer than `WORST_OVER_SECONDS`
    # Where the contender proves and hornbeam does not, or is slower by more than the spread of the repeats.
    slower: tuple[Instance, ...]
    n_proven: int  # instances that the contender proves, of those that both tried
    growth: tuple[Ratio, ...]  # of bytes, where both prove and one took longer than `MEMORY_OVER_SECONDS`
    peak: tuple[Ratio, ...]


def compare(outcomes: Outcomes, contender: Contender) -> Comparison:
    """Compare a contender with hornbeam."""
    pairs = _pairs(outcomes, contender)
    proves = any(other.is_proven for _, other, _ in pairs)
    both = [
        Ratio(_quotient(other.seconds, own.seconds, SHORTEST_SECONDS), one)
        for one, other, own in pairs
        if other.is_proven and own.is_proven
    ]
    either = [
        (
            Ratio(_quotient(other.seconds, own.seconds, SHORTEST_SECONDS), one, not other.is_proven, not own.is_proven),
            _longest(other, own),
        )
        for one, other, own in pairs
        if (other.is_proven or own.is_proven) and _has_time(other, proves) and _has_time(own, True)
    ]
    long = [
        (one, other, own)
        for one, other, own in pairs
        if other.is_proven and own.is_proven and _longest(other, own) > MEMORY_OVER_SECONDS
    ]
    return Comparison(
        tuple(both),
        tuple(ratio for ratio, _ in either),
        tuple(ratio for ratio, seconds in either if seconds > LASTING_SECONDS),
        min(
            (ratio for ratio, seconds in either if seconds > WORST_OVER_SECONDS),
            key=lambda ratio: ratio.value,
            default=None,
        ),
        tuple(one for one, other, own in pairs if _is_slower(own, other)),
        sum(other.is_proven for _, other, _ in pairs),
        tuple(
            Ratio(_quotient(other.growth_bytes, own.growth_bytes, LEAST_BYTES), one)
            for one, other, own in long
            if other.growth_bytes is not None and own.growth_bytes is not None
        ),
        tuple(
            Ratio(_quotient(other.peak_bytes, own.peak_bytes, LEAST_BYTES), one)
            for one, other, own in long
            if other.peak_bytes is not None and own.peak_bytes is not None
        ),
    )


def geometric_mean(values: Iterable[float]) -> float | None:
    """Return the geometric mean, None of nothing."""
    logarithms = [log(value) for value in values]
    return exp(sum(logarithms) / len(logarithms)) if logarithms else None


def _pairs(outcomes: Outcomes, contender: Contender) -> list[tuple[Instance, Result, Result]]:
    """Return the instances that both tried, with the contender's result and hornbeam's."""
    if outcomes.reference is None:
        return []
    own = outcomes.results_of(outcomes.reference)
    return [(one, result, own[one]) for one, result in outcomes.results_of(contender).items() if one in own]


def _has_time(result: Result, counts_when_giving_up: bool) -> bool:
    counted = (PROVEN, TIMEOUT, MEMORY, UNPROVEN) if counts_when_giving_up else (PROVEN, TIMEOUT, MEMORY)
    return result.outcome in counted and result.seconds is not None


def _is_slower(own: Result, other: Result) -> bool:
    if not other.is_proven or not own.is_proven:
        return other.is_proven
    assert own.seconds is not None
    assert other.seconds is not None
    return own.seconds - other.seconds > max(own.spread, other.spread)


def _longest(other: Result, own: Result) -> float:
    return max(other.seconds or 0.0, own.seconds or 0.0)


def _quotient(other: float | None, own: float | None, least: float) -> float:
    assert other is not None
    assert own is not None
    return max(other, least) / max(own, least)
