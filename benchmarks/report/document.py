"""The report of a suite: a Markdown file and the pictures in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report.errors_section import errors_section, unsupported_section
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.plots.cactus import draw_cactus
from benchmarks.report.plots.courses import draw_courses
from benchmarks.report.plots.growth import draw_growth
from benchmarks.report.plots.scatter import draw_scatter
from benchmarks.report.runs import read_runs
from benchmarks.report.sections import (
    instances_section,
    rounding_section,
    setting_section,
    sizes_section,
    unproven_section,
)
from benchmarks.report.settings import ablation_section, threads_section
from benchmarks.report.summary_section import behind_section, summary_section


def write(suite: str, results: Path, directory: Path) -> Path:
    """Write the report of a suite."""
    outcomes = Outcomes(read_runs(results, suite))
    directory.mkdir(parents=True, exist_ok=True)
    sections = [
        f"# Benchmark: {suite}\n",
        errors_section(outcomes),
        setting_section(outcomes),
        summary_section(outcomes),
        *_pictures(suite, outcomes, directory),
        behind_section(outcomes),
        rounding_section(outcomes),
        unproven_section(outcomes),
        threads_section(outcomes),
        ablation_section(outcomes),
        sizes_section(suite, outcomes),
        instances_section(outcomes),
        unsupported_section(outcomes),
    ]
    path = directory / f"{suite}.md"
    path.write_text("\n".join(section for section in sections if section), encoding="utf-8")
    return path


def _pictures(suite: str, outcomes: Outcomes, directory: Path) -> Iterator[str]:
    """Draw what there is to draw, and name each picture in Markdown with what it shows."""
    made = (
        ("Instances proven within a time", draw_cactus(outcomes, directory / f"{suite}-cactus.png")),
        (
            "Time of each contender against hornbeam's: above the diagonal (blue discs) hornbeam is ahead, below "
            "(orange squares) behind; on the dashed borders is who does not prove within the limits",
            draw_scatter(outcomes, directory / f"{suite}-scatter.png"),
        ),
        (
            "Objective and lower bound in the course of a search; discs are the ends of runs of peers that do not "
            "tell it",
            draw_courses(outcomes, directory / f"{suite}-course.png"),
        ),
        (f"Time and memory against {suite}", draw_growth(suite, outcomes, directory / f"{suite}-growth.png")),
    )
    for text, path in made:
        if path is not None:
            yield f"![{text}]({path.name})\n\n*{text}.*\n"
