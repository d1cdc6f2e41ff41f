"""A contender against hornbeam: ratios of time and memory, and where hornbeam is behind."""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log
from typing import Any

import numpy as np
import pandas

from benchmarks.report.markdown import NOTHING, times
from benchmarks.report.outcomes import MEMORY, PROVEN, TIMEOUT, UNPROVEN, Outcomes

# Shorter times count as this long: they are mostly the noise of a first call.
SHORTEST_SECONDS = 0.0001
# Less growth counts as this much: the process had free memory from before the fit.
LEAST_BYTES = 2**20
# Below this, what is measured is how a program is called and reads its table more than how it searches.
LASTING_SECONDS = 0.01
# The worst ratio is sought where either needs longer, memory is compared where either needs longer.
WORST_OVER_SECONDS = 0.05
MEMORY_OVER_SECONDS = 1.0


def compare(outcomes: Outcomes, contender: int) -> pandas.DataFrame:
    """Return the results of a contender with hornbeam's on the same instances, and their ratios.

    A ratio is the contender's figure divided by hornbeam's: above 1 hornbeam is ahead. Where the contender did not
    prove, the true ratio of time is higher; where hornbeam did not, lower.

    Parameters
    ----------
    outcomes : Outcomes
        With results of hornbeam.
    contender : int
        Its number.

    Returns
    -------
    DataFrame
        `Outcomes.pairs` with "time", "growth" and "peak", the ratios; "longest", the seconds of the slower one; and
        marks of instances:

        * "either" proves; who does not counts with the limit, or with the time until the memory ran out or it gave up.
          Without errors, wrong optima, rounded penalties and the unsupported; a contender that proves nothing in the
          whole suite counts only where a limit stopped it;
        * "behind" is hornbeam: the contender proves and hornbeam does not, or is slower by more than the spread of the
          repeats.
    """
    pairs = outcomes.pairs(contender, 0)
    proven, own_proven = pairs["is_proven"], pairs["is_proven_own"]
    timed = [PROVEN, TIMEOUT, MEMORY]
    has_time = pairs["outcome"].isin([*timed, UNPROVEN] if proven.any() else timed)
    spread = pairs[["spread", "spread_own"]].max(axis=1)
    return pairs.assign(
        time=ratio(pairs["seconds"], pairs["seconds_own"]),
        growth=ratio(pairs["growth_bytes"], pairs["growth_bytes_own"], LEAST_BYTES),
        peak=ratio(pairs["peak_bytes"], pairs["peak_bytes_own"], LEAST_BYTES),
        longest=pairs[["seconds", "seconds_own"]].max(axis=1),
        either=(proven | own_proven) & has_time & pairs["outcome_own"].isin([*timed, UNPROVEN]),
        behind=proven & (~own_proven | (pairs["seconds_own"] - pairs["seconds"] > spread)),
    )


def summary(pairs: pandas.DataFrame) -> dict[str, Any]:
    """Return the cells of a contender in a table of ratios, from what `compare` returns."""
    both, either = pairs[pairs["both"]], pairs[pairs["either"]]
    in_memory = both[both["longest"] > MEMORY_OVER_SECONDS]
    worst = worst_of(pairs)
    n_proven = pairs["is_proven"].sum()
    return {
        "both": mean_of(both),
        "either": mean_of(either),
        "lasting": mean_of(either[either["longest"] > LASTING_SECONDS]),
        "growth": mean_of(in_memory, "growth"),
        "peak": mean_of(in_memory, "peak"),
        "worst": f"{sign(worst)}{times(worst['time'].item())}" if len(worst) else NOTHING,
        "worst_on": worst["problem"].item().name if len(worst) else NOTHING,
        "slower": f"{pairs['behind'].sum()} of {n_proven}" if n_proven else NOTHING,
    }


def worst_of(pairs: pandas.DataFrame) -> pandas.DataFrame:
    """Return the line with the lowest ratio of time where one took long; none if none did."""
    long = pairs[pairs["either"] & (pairs["longest"] > WORST_OVER_SECONDS)]
    return long.nsmallest(1, "time")


def geometric_mean(values: Iterable[float]) -> float | None:
    """Return the geometric mean, None of nothing."""
    logarithms = [log(value) for value in values]
    return exp(sum(logarithms) / len(logarithms)) if logarithms else None


def sign(pairs: pandas.DataFrame) -> str:
    """Return what is written before ratios of time, or their mean, that are only bounds."""
    low, high = not pairs["is_proven"].all(), not pairs["is_proven_own"].all()
    return "≈ " if low and high else "≥ " if low else "≤ " if high else ""


def mean_of(pairs: pandas.DataFrame, name: str = "time") -> str:
    """Write the geometric mean of ratios, with its sign and their number."""
    ratios = pairs[name].dropna()
    return f"{sign(pairs)}{times(geometric_mean(ratios))} ({len(ratios)})" if len(ratios) else NOTHING


def ratio(other: Any, own: Any, least: float = SHORTEST_SECONDS) -> Any:
    """Divide figures, of which less than `least` counts as that."""
    return np.maximum(other, least) / np.maximum(own, least)
