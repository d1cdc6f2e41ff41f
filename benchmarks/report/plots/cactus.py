"""Cactus plot: how many instances each contender proves within a time."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from benchmarks.report.comparison import SHORTEST_SECONDS
from benchmarks.report.outcomes import ROUNDED, Outcomes
from benchmarks.report.plots.canvas import Styles, decades, number_decades, save


def draw_cactus(outcomes: Outcomes, path: Path) -> Path | None:
    """Draw the cactus plot of a suite without rounded prices; none with several limits or without any proof."""
    if outcomes.has_several_limits:
        return None
    results = {contender: outcomes.results_of(contender) for contender in outcomes.contenders}
    rounded = {one for of_one in results.values() for one, result in of_one.items() if result.outcome == ROUNDED}
    times = {
        contender: sorted(
            max(result.seconds or 0.0, SHORTEST_SECONDS)
            for one, result in of_one.items()
            if result.is_proven and one not in rounded
        )
        for contender, of_one in results.items()
    }
    # The legend names them in the order of their lines, from above.
    shown = sorted((one for one in times if times[one]), key=lambda one: (-len(times[one]), sum(times[one]), one.order))
    if not shown:
        return None
    styles = Styles(outcomes)
    # Several threads may use more CPU than the limit of wall time.
    limit = max(*(instance.limit for instance in outcomes.instances), *(times[one][-1] for one in shown))
    earliest, _ = decades(min(times[contender][0] for contender in shown), limit)
    most = len(outcomes.instances) - len(rounded)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        # hornbeam's thick line lies below, so that it hides none.
        for contender in sorted(shown, key=lambda one: one.order):
            seconds = times[contender]
            axes.plot(
                [earliest, *seconds, limit],
                [0, *range(1, len(seconds) + 1), len(seconds)],
                drawstyle="steps-post",
                color=styles.colour(contender),
                linestyle=styles.dashes(contender),
                linewidth=styles.line_width(contender),
            )
        axes.axhline(most, color="#999999", linewidth=0.8, linestyle=(0, (4, 3)))
        axes.text(earliest * 1.1, most, f"all {most} instances", va="bottom", fontsize=9, color="#555555")
        axes.set_xscale("log")
        number_decades(axes.xaxis)
        axes.set_xlim(earliest, limit)
        axes.set_ylim(0, most * 1.07)
        axes.set_xlabel("user CPU time (seconds)")
        axes.set_ylabel("instances proven")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        figure.legend(
            [styles.line(contender) for contender in shown],
            [outcomes.label(contender) for contender in shown],
            loc="outside right center",
        )

    return save(draw, 4.5, path)
