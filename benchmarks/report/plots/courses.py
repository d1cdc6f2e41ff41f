"""Course of the searches: objective and lower bound against time."""

from __future__ import annotations

from math import nan
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.report.comparison import SHORTEST_SECONDS
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.plots.canvas import Styles, decades, number_decades, save
from benchmarks.report.runs import Contender, Instance, Run

_COLUMNS = 2
_MOST_PANELS = 6
_DASHED = (0, (3, 1.5))


def draw_courses(outcomes: Outcomes, path: Path) -> Path | None:
    """Draw the longest searches that tell their course, a panel for each instance; none if none tells.

    Of a peer with several settings only the plainest is drawn: more lines than that cannot be read.
    """
    plain = {one.peer: one for one in reversed(outcomes.contenders)}.values()
    courses: dict[Instance, dict[Contender, Run]] = {}
    for run in outcomes.runs:
        if len(run.record.trace) > 1 and run.contender in plain:
            courses.setdefault(run.instance, {}).setdefault(run.contender, run)
    longest = sorted(courses, key=lambda one: (-_length(courses[one]), one.problem.order, one.limit))[:_MOST_PANELS]
    if not longest:
        return None
    styles = Styles(outcomes)
    n_rows = -(-len(longest) // _COLUMNS)

    def draw(figure: Figure) -> None:
        cells = list(figure.subplots(n_rows, _COLUMNS, squeeze=False).flat)
        for axes, instance in zip(cells, longest, strict=False):
            for contender in sorted(courses[instance], key=lambda one: one.order, reverse=True):
                _draw_course(axes, courses[instance][contender], styles)
            problem = instance.problem
            depth = "any depth" if problem.max_depth is None else f"depth {problem.max_depth}"
            axes.set_title(f"{problem.dataset}, λ {problem.regularization:g}, {depth}")
            axes.set_xscale("log")
            axes.set_xlim(decades(*axes.dataLim.intervalx))
            number_decades(axes.xaxis)
            axes.set_ylim(bottom=0)
        for axes in cells[len(longest) :]:
            axes.remove()
        figure.supxlabel("wall time (seconds)", fontsize=10)
        figure.supylabel("objective, lower bound", fontsize=10)
        shown = sorted({one for course in longest for one in courses[course]}, key=lambda one: one.order)
        handles = [Line2D([], [], color=styles.colour(one), linewidth=styles.line_width(one)) for one in shown]
        kinds = [Line2D([], [], color="#555555"), Line2D([], [], color="#555555", linestyle=_DASHED)]
        figure.legend(
            [*handles, *kinds],
            [*(outcomes.label(one) for one in shown), "objective", "lower bound"],
            loc="outside upper center",
            ncols=4,
        )

    return save(draw, 0.9 + 2.3 * n_rows, path)


def _draw_course(axes: Axes, run: Run, styles: Styles) -> None:
    trace = run.record.trace
    seconds = [max(point[0], SHORTEST_SECONDS) for point in trace]
    end = max(seconds[-1], min(run.record.wall_seconds, run.instance.limit))
    for part, dashes in ((1, "-"), (2, _DASHED)):
        values = [nan if point[part] is None else point[part] for point in trace]
        axes.plot(
            [*seconds, end],
            [*values, values[-1]],
            drawstyle="steps-post",
            color=styles.colour(run.contender),
            linestyle=dashes,
            linewidth=styles.line_width(run.contender),
        )


def _length(runs: dict[Contender, Run]) -> float:
    return max(run.record.wall_seconds for run in runs.values())
