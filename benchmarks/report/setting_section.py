"""Where and with what the runs were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.report.markdown import count
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.runs import REFERENCE_PEER


def setting_section(outcomes: Outcomes) -> str:
    """Write machine, versions, commits, limits and dates of the runs."""
    runs = outcomes.runs
    machines = _distinct(_words(run.record.machine) for run in runs)
    pythons = sorted({run.record.machine["python"] for run in runs})
    dates = sorted(run.record.date for run in runs)
    peers = _distinct(run.contender.peer for run in sorted(runs, key=lambda run: run.contender.order))
    versions = [
        f"{peer} {' and '.join(sorted({run.record.peer_version for run in runs if run.contender.peer == peer}))}"
        for peer in peers
    ]
    commits = sorted({run.record.commit for run in runs if run.contender.peer == REFERENCE_PEER})
    limits = sorted({run.instance.limit for run in runs})
    repeats = max(run.record.repeat for run in runs) + 1
    lines = [
        *(f"Machine: {machine}." for machine in machines),
        f"Python of the benchmarks, which not all peers share: {' and '.join(pythons)}.",
        f"Versions: {', '.join(versions)}.",
        f"Commit of hornbeam: {', '.join(commits) or 'it did not run'}; a + marks a tree with uncommitted changes.",
        f"Limit of wall time: {', '.join(f'{limit:g}' for limit in limits)} s.",
        f"Dates: {dates[0]}" + (f" to {dates[-1]}" if dates[-1] != dates[0] else "") + " (UTC).",
        f"{count(len(runs), 'run')} on {count(len(outcomes.instances), 'instance')}, at most "
        f"{count(repeats, 'repeat')} each; times are medians of the user CPU of the fit alone, in seconds.",
    ]
    if len(machines) > 1:
        lines.append("**Runs were made on several machines: times of different machines cannot be compared.**")
    return "## Setting\n\n" + "\n".join(f"* {line}" for line in lines) + "\n"


def _words(machine: Mapping[str, Any]) -> str:
    named = {**machine, "memory": f"{machine['memory'] / 2**30:.1f} GiB"}
    return ", ".join(f"{name} {value}" for name, value in named.items() if name != "python")


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
