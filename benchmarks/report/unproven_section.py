"""Peers that prove nothing: how good their trees are, and how long they take."""

from __future__ import annotations

from benchmarks.report.comparison import SHORTEST_SECONDS, geometric_mean
from benchmarks.report.faults import TOLERANCE
from benchmarks.report.markdown import NOTHING, number, table, times
from benchmarks.report.outcomes import UNPROVEN, Outcomes, Result
from benchmarks.report.runs import REFERENCE_PEER, Contender, Instance

_EXPLANATION = """\
Peers that never prove a tree, over what they finished. *Excess*: of the objective over the best one known. *Seconds*:
user CPU. *Time against* and *objective against*: on the same instances, of {ours}; times below {shortest:g} ms count as
that, a ratio above 1 says that {ours} is faster, and lower, equal and higher are the contender's objectives.
"""


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
    rows = [_row(outcomes, contender, results, finished[ours]) for contender, results in finished.items()]
    heads = (
        "contender",
        "instances",
        "best known",
        "mean excess",
        "largest excess",
        "seconds, mean",
        "seconds, longest",
        f"time against {name} (least)",
        "objective against it: lower, equal, higher",
    )
    text = _EXPLANATION.format(ours=name, shortest=1000 * SHORTEST_SECONDS)
    return "## Trees without a proof\n\n" + text + "\n" + table(heads, rows)


def _row(
    outcomes: Outcomes, contender: Contender, results: dict[Instance, Result], own: dict[Instance, Result]
) -> tuple[str, ...]:
    excess = [_objective(result) - _objective_of_best(outcomes, one) for one, result in results.items()]
    seconds = [_seconds(result) for result in results.values()]
    pairs = [(result, own[one]) for one, result in results.items() if one in own]
    ratios = [_seconds(other) / _seconds(mine) for other, mine in pairs]
    differences = [_objective(other) - _objective(mine) for other, mine in pairs]
    lower = sum(difference < -TOLERANCE for difference in differences)
    higher = sum(difference > TOLERANCE for difference in differences)
    return (
        outcomes.label(contender),
        str(len(results)),
        str(sum(value <= TOLERANCE for value in excess)),
        f"{sum(excess) / len(excess):.5f}",
        f"{max(excess):.5f}",
        number(geometric_mean(seconds)),
        number(max(seconds)),
        f"{times(geometric_mean(ratios))} ({times(min(ratios))})" if ratios else NOTHING,
        f"{lower}, {len(pairs) - lower - higher}, {higher}",
    )


def _objective_of_best(outcomes: Outcomes, instance: Instance) -> float:
    best = outcomes.best_objective(instance)
    assert best is not None
    return best


def _objective(result: Result) -> float:
    assert result.objective is not None
    return result.objective


def _seconds(result: Result) -> float:
    assert result.seconds is not None
    return max(result.seconds, SHORTEST_SECONDS)
