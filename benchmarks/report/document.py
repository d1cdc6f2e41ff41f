"""The report of a suite, a Markdown file with pictures, and the table of docs/benchmarks.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.report import anytime, comparison, held_out, plots, sections
from benchmarks.report.comparison import compare, summary, worst_of
from benchmarks.report.faults import find_faults
from benchmarks.report.markdown import fill
from benchmarks.report.outcomes import Outcomes, read_runs
from benchmarks.suites import SUITES


def write(suite: str, results: Path, directory: Path) -> Path:
    """Write the report of a suite."""
    outcomes = Outcomes(read_runs(results, suite))
    directory.mkdir(parents=True, exist_ok=True)
    if suite == "held_out":
        return _write_held_out(outcomes, directory)
    own: dict[str, Any] = {"targets": anytime.targets(suite, outcomes)}
    if suite == "anytime":
        own["at_limits"], own["integrals"] = anytime.peers_at_limits(outcomes), anytime.peers_integrals(outcomes)
        own["problems"] = anytime.problems_at_limits(outcomes)
    elif suite == "leaves":
        own["rows"] = anytime.leaves_rows(outcomes)
    rivals = outcomes.others if outcomes.has_reference else []
    return fill(
        directory / f"{suite}.md",
        suite if suite in ("anytime", "leaves") else "suite",
        suite=suite,
        **own,
        outcomes=outcomes,
        errors=sections.errors(outcomes),
        setting=sections.setting(outcomes),
        outcome_counts=sections.outcome_counts(outcomes),
        proofs=sections.proofs(outcomes),
        ratios=[{"contender": outcomes.labels[one], **summary(compare(outcomes, one))} for one in rivals],
        pictures=list(plots.draw_all(suite, outcomes, directory)),
        behind=sections.behind(outcomes),
        rounded=sections.rounded(outcomes),
        unproven=sections.unproven(outcomes),
        threads=sections.threads(outcomes),
        ablation=list(sections.ablation(outcomes)),
        sizes=sections.sizes(suite, outcomes),
        instances=sections.instances(outcomes),
        unsupported=sections.failures(outcomes, "unsupported"),
        shortest=comparison.SHORTEST_SECONDS,
        lasting=comparison.LASTING_SECONDS,
        worst_over=comparison.WORST_OVER_SECONDS,
        memory_over=comparison.MEMORY_OVER_SECONDS,
        least_bytes=comparison.LEAST_BYTES,
    )


def _write_held_out(outcomes: Outcomes, directory: Path) -> Path:
    found = held_out.tables(outcomes.runs)
    if found["pairs"] is not None:
        held_out.draw(found["pairs"], directory / "held_out.png")
    return fill(
        directory / "held_out.md",
        "held_out",
        **found,
        outcomes=outcomes,
        setting=sections.setting(outcomes),
        significant=held_out.SIGNIFICANT,
    )


def write_performance(results: Path, path: Path) -> Path:
    """Write the table of ratios of docs/benchmarks.md, in Markdown, of all suites in a directory of results."""
    rows: list[dict[str, Any]] = []
    suites = []
    for suite in sorted(SUITES):
        file = results / f"{suite}.jsonl"
        if not file.exists():
            continue
        outcomes = Outcomes(read_runs(file, suite))
        is_compared = not (outcomes.has_several_limits or anytime.targets(suite, outcomes))
        if not (outcomes.has_reference and outcomes.others and is_compared):
            continue
        for contender in outcomes.others:
            pairs = compare(outcomes, contender)
            if not pairs["either"].any():
                continue
            cells = {"suite": suite, "contender": outcomes.labels[contender], **summary(pairs)}
            for one in worst_of(pairs).itertuples():
                if one.time < 1:
                    depth = "" if one.problem.max_depth is None else f", depth {one.problem.max_depth}"
                    cells["worst"] += f" ({one.problem.dataset}, λ {one.problem.regularization:g}{depth})"
            rows.append(cells)
        verdict = sections.verdict(find_faults(outcomes.runs, outcomes.label))
        suites.append((suite, sections.proofs(outcomes), verdict))
    if not rows:
        raise ValueError(f"results: {results.name} holds no suite with hornbeam and a peer; run such a suite first.")
    return fill(path, "performance", rows=rows, suites=suites)
