"""Peers that round the price of a leaf to whole rows: where their tree is not the optimum of the price as it is."""

from __future__ import annotations

from benchmarks.report.faults import TOLERANCE
from benchmarks.report.markdown import number, objective, table
from benchmarks.report.outcomes import ROUNDED, Outcomes, Result
from benchmarks.report.runs import Contender, Instance

_EXPLANATION = """\
{names} round the price of a leaf, λ times the rows, to whole rows.
Where it is not whole they solve another problem: their times and proofs count nowhere in this report, and their trees
are scored at the price as it is.
"""


def rounding_section(outcomes: Outcomes) -> str:
    """Count the trees of a rounded price that are optimal and that are not, and list these; empty without any."""
    counts, worse = [], []
    for contender in outcomes.contenders:
        results = {one: result for one, result in outcomes.results_of(contender).items() if result.outcome == ROUNDED}
        if not results:
            continue
        found = {
            one: excess for one, result in results.items() if (excess := _excess(outcomes, one, result)) is not None
        }
        beaten = {one: excess for one, excess in found.items() if excess > TOLERANCE}
        optimal = sum(_is_proven(outcomes, one) for one in found if one not in beaten)
        label = outcomes.label(contender)
        counts.append(
            (label, *map(str, (len(results), len(found), optimal, len(found) - optimal - len(beaten), len(beaten))))
        )
        worse += [_row(outcomes, one, contender, excess) for one, excess in beaten.items()]
    if not counts:
        return ""
    names = " and ".join(row[0] for row in counts)
    heads = ("contender", "instances", "finished", "optimal", "nothing better known", "not optimal")
    parts = ["## Prices rounded to whole rows\n", _EXPLANATION.format(names=names), table(heads, counts)]
    if worse:
        heads = ("instance", "contender", "price in rows", "its tree", "best known", "excess")
        parts += ["Where they are not optimal:\n", table(heads, sorted(worse), 2)]
    return "\n".join(parts)


def _excess(outcomes: Outcomes, instance: Instance, result: Result) -> float | None:
    """Return by how much a tree is above the best one known; None if there is no tree."""
    best = outcomes.best.get(instance.problem)
    if result.objective is None or best is None or best.record.objective is None:
        return None
    return result.objective - best.record.objective


def _is_proven(outcomes: Outcomes, instance: Instance) -> bool:
    return outcomes.best[instance.problem].record.proven


def _row(outcomes: Outcomes, instance: Instance, contender: Contender, excess: float) -> tuple[str, ...]:
    problem = instance.problem
    best = outcomes.best[problem].record.objective
    assert best is not None
    return (
        instance.name,
        outcomes.label(contender),
        f"{problem.regularization * problem.rows:.2f}",
        objective(best + excess),
        objective(best),
        number(excess),
    )
