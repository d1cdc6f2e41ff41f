"""Peers that round the price of a leaf to whole rows: where their tree is not the optimum of the price as it is."""

from __future__ import annotations

from benchmarks.report.faults import TOLERANCE
from benchmarks.report.markdown import number, objective, table
from benchmarks.report.outcomes import ROUNDED, Outcomes
from benchmarks.report.runs import Instance

_EXPLANATION = """\
{names} round the price of a leaf, λ times the rows, to whole rows.
Where it is not whole they solve another problem: their times and proofs count nowhere in this report, and their trees
are scored at the price as it is.
"""


def rounding_section(outcomes: Outcomes) -> str:
    """Count the trees of a rounded price that are optimal and that are not, and list these; empty without any."""
    counts, worse = [], []
    for contender in outcomes.contenders:
        results = [(one, result) for one, result in outcomes.results_of(contender).items() if result.outcome == ROUNDED]
        if not results:
            continue
        label = outcomes.label(contender)
        n_optimal = n_unbeaten = n_beaten = 0
        for one, result in results:
            best = outcomes.best_objective(one)
            if result.objective is None or best is None:
                continue
            if result.objective - best > TOLERANCE:
                n_beaten += 1
                worse.append(_row(one, label, result.objective, best))
            elif outcomes.best[one.problem].record.proven:
                n_optimal += 1
            else:
                n_unbeaten += 1
        n_finished = n_optimal + n_unbeaten + n_beaten
        counts.append((label, *map(str, (len(results), n_finished, n_optimal, n_unbeaten, n_beaten))))
    if not counts:
        return ""
    names = " and ".join(row[0] for row in counts)
    heads = ("contender", "instances", "finished", "optimal", "nothing better known", "not optimal")
    parts = ["## Prices rounded to whole rows\n", _EXPLANATION.format(names=names), table(heads, counts)]
    if worse:
        heads = ("instance", "contender", "price in rows", "its tree", "best known", "excess")
        parts += ["Where they are not optimal:\n", table(heads, sorted(worse), 2)]
    return "\n".join(parts)


def _row(instance: Instance, label: str, found: float, best: float) -> tuple[str, ...]:
    price = instance.problem.regularization * instance.problem.rows
    return instance.name, label, f"{price:.2f}", objective(found), objective(best), number(found - best)
