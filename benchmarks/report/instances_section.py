"""The full table: a row for each instance, a column for each contender."""

from __future__ import annotations

from benchmarks.report.faults import TOLERANCE
from benchmarks.report.markdown import NOTHING, number, objective, percent, table
from benchmarks.report.outcomes import PROVEN, TIMEOUT, UNPROVEN, UNSUPPORTED, Outcomes, Result
from benchmarks.report.runs import Instance

_EXPLANATION = """\
Of a proof (✓) the median user seconds; its objective is the best one. Without a proof: the seconds (> limit), the
objective where it is not the best one, and the gap between objective and lower bound as a share of the objective.
"""


def instances_section(outcomes: Outcomes) -> str:
    """Write what every contender did on every instance."""
    several_limits = len({one.limit for one in outcomes.instances}) > 1
    rows = []
    for one in outcomes.instances:
        problem = one.problem
        depth = NOTHING if problem.max_depth is None else str(problem.max_depth)
        limit = [f"{one.limit:g}"] if several_limits else []
        rows.append(
            (
                f"{problem.dataset} / {problem.binarization}",
                f"{problem.rows:,} x {problem.columns:,}",
                f"{problem.regularization:g}",
                depth,
                *limit,
                objective(outcomes.best_objective(one)),
                *(_cell(outcomes, one, outcomes.get(one, contender)) for contender in outcomes.contenders),
            )
        )
    labels = [outcomes.label(contender) for contender in outcomes.contenders]
    limit_head = ["limit"] if several_limits else []
    heads = ("data / binarization", "rows x columns", "λ", "depth", *limit_head, "best objective known", *labels)
    return "## All instances\n\n" + _EXPLANATION + "\n" + table(heads, rows)


def _cell(outcomes: Outcomes, instance: Instance, result: Result | None) -> str:
    if result is None:
        return ""
    if result.outcome == PROVEN:
        return f"{number(result.seconds)} ✓"
    if result.outcome == UNSUPPORTED:
        return NOTHING
    parts = [f"> {instance.limit:g}" if result.outcome == TIMEOUT else number(result.seconds)]
    if result.outcome not in (TIMEOUT, UNPROVEN):
        parts.append(result.outcome)
    best = outcomes.best_objective(instance)
    if result.objective is not None and not (best is not None and abs(result.objective - best) <= TOLERANCE):
        parts.append(objective(result.objective))
    if result.gap is not None:
        parts.append(f"gap {percent(result.gap)}")
    return ", ".join(part for part in parts if part != NOTHING)
