"""Time and memory against the number of rows or columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.report.outcomes import Outcomes, Result
from benchmarks.report.plots.canvas import Styles, decades, number_decades, save
from benchmarks.report.sections import SIZES, Series, series_of


def draw_growth(suite: str, outcomes: Outcomes, path: Path) -> Path | None:
    """Draw seconds and peak memory of the proofs by size, a row of panels for each problem; only of suites of sizes."""
    if suite not in SIZES:
        return None
    series = [one for one in series_of(outcomes, suite) if any(result.is_proven for _, _, result in one.points)]
    names = list(dict.fromkeys(one.name for one in series))
    if not names:
        return None
    styles = Styles(outcomes)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(len(names), 2, squeeze=False, sharex=True)
        for (left, right), name in zip(grid, names, strict=True):
            chosen = [one for one in series if one.name == name]
            _draw_lines(left, chosen, styles, lambda result: result.seconds)
            _draw_lines(right, chosen, styles, lambda result: result.peak_bytes and result.peak_bytes / 2**20)
            left.set(title=name, ylabel="user CPU time (seconds)")
            right.set(title=name, ylabel="peak memory (MiB)")
        for axes in grid[-1]:
            axes.set_xlabel(f"number of {suite}")
        shown = sorted({one.contender for one in series}, key=lambda one: one.order)
        figure.legend(
            [styles.line(contender) for contender in shown],
            [outcomes.label(contender) for contender in shown],
            loc="outside upper center",
            ncols=5,
        )

    return save(draw, 0.8 + 2.9 * len(names), path)


def _draw_lines(axes: Axes, series: list[Series], styles: Styles, value: Callable[[Result], float | None]) -> None:
    for one in reversed(series):
        points = [(size, number) for size, _, result in one.points if result.is_proven and (number := value(result))]
        axes.plot(
            [size for size, _ in points],
            [number for _, number in points],
            color=styles.colour(one.contender),
            linestyle=styles.dashes(one.contender),
            linewidth=styles.line_width(one.contender),
            marker="o",
            markersize=4,
            clip_on=False,
        )
    sizes = sorted({size for one in series for size, _, _ in one.points})
    axes.set(xscale="log", yscale="log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_ylim(decades(*axes.dataLim.intervaly))
    number_decades(axes.yaxis)
