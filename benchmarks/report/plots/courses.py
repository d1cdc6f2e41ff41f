"""Course of the searches: objective and lower bound against time."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.report.comparison import SHORTEST_SECONDS
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.plots.canvas import Styles, decades, number_decades, save
from benchmarks.report.runs import Contender, Problem, Run

_COLUMNS = 2
_MOST_PANELS = 6
_DASHED = (0, (3, 1.5))


def draw_courses(outcomes: Outcomes, path: Path) -> Path | None:
    """Draw the longest problems on which a search tells its course, a panel for each; none if none tells.

    Of a peer that tells, its longest run is drawn; of one that does not, the end of every run is a point, so that runs
    with several limits show its course. Of a peer with several settings only the plainest is drawn: more lines than
    that cannot be read.
    """
    plain = {one.peer: one for one in reversed(outcomes.contenders)}.values()
    courses: dict[Problem, dict[Contender, list[Run]]] = {}
    for run in sorted(outcomes.runs, key=_seconds):
        if run.record.status == "ok" and run.contender in plain:
            courses.setdefault(run.problem, {}).setdefault(run.contender, []).append(run)
    told = [one for one, runs in courses.items() if any(_tells(of_one[-1]) for of_one in runs.values())]
    longest = sorted(told, key=lambda one: (-_length(courses[one]), one.order))[:_MOST_PANELS]
    if not longest:
        return None
    styles = Styles(outcomes)
    n_rows = -(-len(longest) // _COLUMNS)

    def draw(figure: Figure) -> None:
        cells = list(figure.subplots(n_rows, _COLUMNS, squeeze=False).flat)
        for axes, problem in zip(cells, longest, strict=False):
            for contender in sorted(courses[problem], key=lambda one: one.order, reverse=True):
                _draw_course(axes, courses[problem][contender], styles)
            axes.set_title(f"{problem.dataset}, λ {problem.regularization:g}, {problem.depth}")
            axes.set_xscale("log")
            axes.set_xlim(decades(*axes.dataLim.intervalx))
            number_decades(axes.xaxis)
            axes.set_ylim(bottom=0)
        for axes in cells[len(longest) :]:
            axes.remove()
        figure.supxlabel("wall time (seconds)", fontsize=10)
        figure.supylabel("objective, lower bound", fontsize=10)
        shown = sorted({one for problem in longest for one in courses[problem]}, key=lambda one: one.order)
        handles = [Line2D([], [], color=styles.colour(one), linewidth=styles.line_width(one)) for one in shown]
        kinds = [Line2D([], [], color="#555555"), Line2D([], [], color="#555555", linestyle=_DASHED)]
        figure.legend(
            [*handles, *kinds],
            [*(outcomes.label(one) for one in shown), "objective", "lower bound"],
            loc="outside upper center",
            ncols=5,
        )

    return save(draw, 0.9 + 2.3 * n_rows, path)


def _draw_course(axes: Axes, runs: list[Run], styles: Styles) -> None:
    """Draw the course that the last, longest run tells, or the ends of all runs."""
    contender, last = runs[-1].contender, runs[-1].record
    if _tells(runs[-1]):
        points: list[Sequence[Any]] = [*last.trace, [_seconds(runs[-1]), last.objective, last.lower_bound]]
        look: dict[str, Any] = {"drawstyle": "steps-post"}
    else:
        points = [[_seconds(run), run.record.objective, run.record.lower_bound] for run in runs]
        look = {"marker": "o", "markersize": 4}
    seconds = [max(point[0], SHORTEST_SECONDS) for point in points]
    for part, dashes in ((1, "-"), (2, _DASHED)):
        values = [nan if point[part] is None else point[part] for point in points]
        colour, width = styles.colour(contender), styles.line_width(contender)
        axes.plot(seconds, values, color=colour, linestyle=dashes, linewidth=width, **look)


def _tells(run: Run) -> bool:
    return len(run.record.trace) > 1


def _seconds(run: Run) -> float:
    """Return how long a run took by the wall, at most its limit; one that failed, nothing."""
    return min(run.record.wall_seconds or 0.0, run.instance.limit)


def _length(runs: dict[Contender, list[Run]]) -> float:
    return max(_seconds(of_one[-1]) for of_one in runs.values())
