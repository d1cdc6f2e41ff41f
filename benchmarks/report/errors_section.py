"""The report's first section: what cannot be true, and runs that failed."""

from __future__ import annotations

from collections import Counter
from itertools import product

from benchmarks.report.faults import BOUND_TOO_HIGH, KINDS, WRONG_CLAIM, Fault, find_faults
from benchmarks.report.markdown import count, number, one_line, table
from benchmarks.report.outcomes import Outcomes

# Bounds too high by no more than this are what single precision makes of a sum.
_ROUNDING = 1e-6

_EXPLANATION = """\
Objectives are recomputed from the trees; a difference counts from 1e-9. A proof that a better tree refutes, or that has
no tree within the limit of depth, is nowhere below counted as a proof.
"""


def errors_section(outcomes: Outcomes) -> str:
    """Write each wrong proof, bound and tree; claims and roundings of other peers in a line each; runs that failed."""
    faults = find_faults(outcomes.runs, outcomes.label)
    parts = ["## Errors\n", verdict(faults) + "\n", _EXPLANATION]
    listed = [fault for fault in faults if not _is_gathered(fault)]
    if listed:
        rows = [
            (fault.kind, "**yes**" if fault.of_hornbeam else "no", fault.problem.name, fault.text, number(fault.excess))
            for fault in listed
        ]
        parts.append(table(("error", "of hornbeam", "problem", "what", "by"), rows, 4))
    gathered = [fault for fault in faults if _is_gathered(fault)]
    if gathered:
        parts.append(_gathered(gathered, outcomes))
    failures = _failures(outcomes, ("error", "timeout", "memory"))
    if failures:
        parts += [
            "Runs that failed:\n",
            table(("contender", "message", "runs", "first on"), failures, 2),
        ]
    return "\n".join(parts)


def unsupported_section(outcomes: Outcomes) -> str:
    """Write what contenders cannot do; empty if there is nothing."""
    rows = _failures(outcomes, ("unsupported",))
    if not rows:
        return ""
    return "## Unsupported\n\n" + table(("contender", "why", "runs", "first on"), rows, 2)


def verdict(faults: list[Fault]) -> str:
    """Say in a line how many faults of each kind there are, and how many of them are hornbeam's."""
    if not faults:
        return "No errors: proofs agree, and no proof, bound, depth or claimed objective contradicts a tree."
    kinds = Counter(fault.kind for fault in faults)
    said = ", ".join(f"{kind}: {kinds[kind]}" for kind in KINDS if kinds[kind])
    own = sum(fault.of_hornbeam for fault in faults)
    party = f"**hornbeam is party to {own} of them**" if own else "hornbeam is party to none of them"
    return f"{count(len(faults), 'error')} ({said}); {party}."


def _is_gathered(fault: Fault) -> bool:
    """Say whether a fault is counted per contender, not listed; hornbeam's own are all listed."""
    is_rounding = fault.kind == BOUND_TOO_HIGH and fault.excess <= _ROUNDING
    return not fault.of_hornbeam and (fault.kind == WRONG_CLAIM or is_rounding)


def _gathered(faults: list[Fault], outcomes: Outcomes) -> str:
    rows = []
    for kind, contender in product(KINDS, outcomes.contenders):
        own = [fault for fault in faults if fault.kind == kind and contender in fault.contenders]
        if own:
            largest = max(own, key=lambda fault: fault.excess)
            rows.append((kind, str(len(own)), largest.text, largest.problem.name, number(largest.excess)))
    heads = ("error", "how often", "the largest", "its problem", "by")
    return f"Claims, and bounds too high by at most {_ROUNDING:g}, of other peers:\n\n" + table(heads, rows)


def _failures(outcomes: Outcomes, statuses: tuple[str, ...]) -> list[tuple[str, str, str, str]]:
    """Gather runs of some statuses by contender and message; one that a limit stopped has none."""
    found: dict[tuple[str, str], list[str]] = {}
    for run in sorted(outcomes.runs, key=lambda run: (run.contender.order, run.problem.order, run.record.repeat)):
        if run.record.status in statuses and run.record.message:
            key = (outcomes.label(run.contender), one_line(f"{run.record.status}: {run.record.message}"))
            found.setdefault(key, []).append(run.problem.name)
    return [(*key, str(len(names)), names[0]) for key, names in found.items()]
