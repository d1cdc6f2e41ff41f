"""Scatter plots: each contender's time against hornbeam's, instance by instance."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.report.comparison import SHORTEST_SECONDS
from benchmarks.report.outcomes import MEMORY, PROVEN, TIMEOUT, Outcomes, Result
from benchmarks.report.plots.canvas import number_decades, save
from benchmarks.report.runs import Contender

_COLUMNS = 3
_AHEAD, _BEHIND = "#0072B2", "#D55E00"


def draw_scatter(outcomes: Outcomes, path: Path) -> Path | None:
    """Draw a panel for each contender of another peer that shares an instance with hornbeam that one of them proves.

    None if there is no such contender, or if problems were solved with several limits.
    """
    reference = outcomes.reference
    if reference is None or outcomes.has_several_limits:
        return None
    panels = {
        contender: points
        for contender in outcomes.contenders
        if contender.peer != reference.peer and (points := _points(outcomes, contender, reference))
    }
    if not panels:
        return None
    border = 2.0 * max(instance.limit for instance in outcomes.instances)
    n_columns = min(_COLUMNS, len(panels))
    n_rows = -(-len(panels) // n_columns)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False)
        cells = list(grid.flat)
        for axes, (contender, points) in zip(cells, panels.items(), strict=False):
            _draw_panel(axes, outcomes.label(contender), points, border)
        for axes in cells[len(panels) :]:
            axes.remove()
        for axes in cells[max(len(panels) - n_columns, 0) : len(panels)]:
            axes.tick_params(labelbottom=True)
        figure.supxlabel("hornbeam: user CPU time (seconds)", fontsize=10)
        figure.supylabel("other: user CPU time (seconds)", fontsize=10)

    return save(draw, 0.5 + 2.65 * n_rows, path)


def _points(outcomes: Outcomes, contender: Contender, reference: Contender) -> list[tuple[Result, Result]]:
    """Return hornbeam's result and the contender's where one proves and both have a time to show."""
    own = outcomes.results_of(reference)
    pairs = [(own[one], result) for one, result in outcomes.results_of(contender).items() if one in own]
    return [
        (mine, other)
        for mine, other in pairs
        if (mine.is_proven or other.is_proven) and _is_shown(mine) and _is_shown(other)
    ]


def _is_shown(result: Result) -> bool:
    return result.outcome in (PROVEN, TIMEOUT, MEMORY)


def _draw_panel(axes: Axes, name: str, points: list[tuple[Result, Result]], border: float) -> None:
    low, high = SHORTEST_SECONDS / 1.5, border * 1.5
    axes.plot([low, high], [low, high], color="#777777", linewidth=0.9, zorder=1)
    axes.axhline(border, color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.axvline(border, color="#999999", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    places = [(_place(mine, border), _place(other, border)) for mine, other in points]
    for colour, marker, above in ((_AHEAD, "o", True), (_BEHIND, "s", False)):
        chosen = [(x, y) for x, y in places if (y >= x) == above]
        axes.scatter(
            [x for x, _ in chosen],
            [y for _, y in chosen],
            s=16,
            color=colour,
            marker=marker,
            alpha=0.55,
            linewidths=0,
            clip_on=False,
            zorder=3,
        )
    ahead = sum(y >= x for x, y in places)
    axes.set_title(f"{name}\n{ahead} ahead, {len(places) - ahead} behind")
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), box_aspect=1)
    number_decades(axes.xaxis)
    number_decades(axes.yaxis)
    axes.tick_params(labelsize=8)


def _place(result: Result, border: float) -> float:
    return max(result.seconds or 0.0, SHORTEST_SECONDS) if result.is_proven else border
