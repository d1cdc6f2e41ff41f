"""A contender against hornbeam: ratios of time and memory, and where hornbeam is behind."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log
from typing import NamedTuple

from benchmarks.report.markdown import NOTHING, times
from benchmarks.report.outcomes import MEMORY, PROVEN, TIMEOUT, UNPROVEN, Outcomes, Result
from benchmarks.results import Contender, Instance

# Shorter times count as this long: they are mostly the noise of a first call.
SHORTEST_SECONDS = 0.0001
# Less growth counts as this much: the process had free memory from before the fit.
LEAST_BYTES = 2**20
# Below this, what is measured is how a program is called and reads its table more than how it searches.
LASTING_SECONDS = 0.01
# The worst ratio is sought where either needs longer, memory is compared where either needs longer.
WORST_OVER_SECONDS = 0.05
MEMORY_OVER_SECONDS = 1.0


class Ratio(NamedTuple):
    """A contender's figure divided by hornbeam's: above 1 hornbeam is ahead.

    With `at_least` the contender did not finish, so that the true ratio is higher; with `at_most` hornbeam did not.
    """

    value: float
    instance: Instance
    at_least: bool = False
    at_most: bool = False

    def __str__(self) -> str:
        return sign([self]) + times(self.value)


class Comparison(NamedTuple):
    """A contender against hornbeam over the instances that both tried."""

    both: list[Ratio]  # of user seconds, where both prove
    # Of user seconds, where one or both prove; who does not counts with the limit, or with the time until the memory
    # ran out or it gave up. Without errors, wrong optima, rounded penalties and the unsupported; a contender that
    # proves nothing in the whole suite counts only where a limit stopped it.
    either: list[Ratio]
    lasting: list[Ratio]  # those of `either` where one of the two took longer than `LASTING_SECONDS`
    worst: Ratio | None  # the lowest of `either` where one of the two took longer than `WORST_OVER_SECONDS`
    # Where the contender proves and hornbeam does not, or is slower by more than the spread of the repeats.
    slower: list[Instance]
    n_proven: int  # instances that the contender proves, of those that both tried
    growth: list[Ratio]  # of bytes, where both prove and one took longer than `MEMORY_OVER_SECONDS`
    peak: list[Ratio]


def compare(outcomes: Outcomes, contender: Contender) -> Comparison:
    """Compare a contender with hornbeam."""
    pairs = outcomes.pairs(contender, outcomes.reference)
    proves = any(other.is_proven for _, other, _ in pairs)
    either = [
        (
            Ratio(ratio(other.seconds, own.seconds), one, not other.is_proven, not own.is_proven),
            max(other.seconds, own.seconds),
        )
        for one, other, own in pairs
        if (other.is_proven or own.is_proven) and _has_time(other, proves) and _has_time(own, True)
    ]
    both = [(one, other, own) for one, other, own in pairs if other.is_proven and own.is_proven]
    memory = [
        [
            Ratio(ratio(getattr(other, name), getattr(own, name), LEAST_BYTES), one)
            for one, other, own in both
            if max(other.seconds, own.seconds) > MEMORY_OVER_SECONDS
            and None not in (getattr(other, name), getattr(own, name))
        ]
        for name in ("growth_bytes", "peak_bytes")
    ]
    return Comparison(
        [Ratio(ratio(other.seconds, own.seconds), one) for one, other, own in both],
        [one for one, _ in either],
        [one for one, seconds in either if seconds > LASTING_SECONDS],
        min((one for one, seconds in either if seconds > WORST_OVER_SECONDS), key=lambda one: one.value, default=None),
        [one for one, other, own in pairs if other.is_proven and _is_slower(own, other)],
        sum(other.is_proven for _, other, _ in pairs),
        *memory,
    )


def geometric_mean(values: Iterable[float]) -> float | None:
    """Return the geometric mean, None of nothing."""
    logarithms = [log(value) for value in values]
    return exp(sum(logarithms) / len(logarithms)) if logarithms else None


def sign(ratios: Iterable[Ratio]) -> str:
    """Return what is written before ratios, or their mean, that are only bounds."""
    bounds = {(one.at_least, one.at_most) for one in ratios}
    low, high = any(low for low, _ in bounds), any(high for _, high in bounds)
    return "≈ " if low and high else "≥ " if low else "≤ " if high else ""


def mean_of(ratios: list[Ratio]) -> str:
    """Write the geometric mean of ratios, with its sign and their number."""
    mean = geometric_mean(one.value for one in ratios)
    return NOTHING if mean is None else f"{sign(ratios)}{times(mean)} ({len(ratios)})"


def ratio(other: float | None, own: float | None, least: float = SHORTEST_SECONDS) -> float:
    """Divide two figures, of which less than `least` counts as that."""
    assert other is not None
    assert own is not None
    return max(other, least) / max(own, least)


def _has_time(result: Result, counts_when_giving_up: bool) -> bool:
    return result.outcome in (PROVEN, TIMEOUT, MEMORY) or (counts_when_giving_up and result.outcome == UNPROVEN)


def _is_slower(own: Result, other: Result) -> bool:
    return not own.is_proven or own.seconds - other.seconds > max(own.spread, other.spread)
