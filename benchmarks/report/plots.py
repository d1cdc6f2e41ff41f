"""Pictures of a suite, and what all pictures share: their look and the styles of the contenders.

The same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

import matplotlib.style
import numpy as np
import pandas
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter
from PIL import Image

from benchmarks.report.comparison import SHORTEST_SECONDS, compare
from benchmarks.report.outcomes import ROUNDED, UNPROVEN, Outcomes
from benchmarks.report.sections import SIZES, series_of
from benchmarks.results import Problem, Record

WIDTH = 8.0
N_COLORS = 128
# Okabe and Ito's colors, which the color-blind tell apart, without yellow, too pale on white.
_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
_DASHES = ((0, ()), (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
_DASHED = (0, (3, 1.5))
_BORDER: dict[str, Any] = {"color": "#999999", "linewidth": 0.8, "linestyle": (0, (4, 3))}


@contextmanager
def picture(path: Path, height: float) -> Iterator[Figure]:
    """Give a figure, `WIDTH` wide and `height` high in inches, and then write it as PNG with a palette."""
    with matplotlib.style.context(["default", Path(__file__).with_name("look.mplstyle")]):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        drawn = BytesIO()
        figure.savefig(drawn)
    image = Image.open(drawn).convert("RGB")
    image.quantize(N_COLORS, dither=Image.Dither.NONE).save(path, optimize=True)


def panels(figure: Figure, n_panels: int, n_columns: int, **shared: Any) -> list[Axes]:
    """Return so many panels of a figure, in rows of `n_columns`."""
    cells = list(figure.subplots(-(-n_panels // n_columns), n_columns, squeeze=False, **shared).flat)
    for axes in cells[n_panels:]:
        axes.remove()
    return cells[:n_panels]


def legend_above(figure: Figure, n_columns: int) -> None:
    """Put one legend above all panels, with the lines of each label once."""
    lines = {str(line.get_label()): line for axes in figure.axes for line in axes.get_lines()}
    shown = {label: line for label, line in lines.items() if not label.startswith("_")}
    figure.legend(list(shown.values()), list(shown), loc="outside upper center", ncols=n_columns)


def draw_all(suite: str, outcomes: Outcomes, directory: Path) -> Iterator[tuple[str, str]]:
    """Draw what there is to draw, and yield of each picture what it shows and its name."""
    usual = ("cactus", "scatter", "convergence", *(("growth",) if suite in SIZES else ()))
    chosen: Sequence[str] = {"anytime": ("convergence",), "leaves": ()}.get(suite, usual)
    for name, draw, text in (
        ("cactus", draw_cactus, "Instances proven within a time"),
        (
            "scatter",
            draw_scatter,
            "Time of each contender against hornbeam's: above the diagonal (blue discs) hornbeam is ahead, below "
            "(orange squares) behind; on the dashed borders is who does not prove within the limits",
        ),
        (
            "convergence",
            draw_convergence,
            "Objective and lower bound over time; discs are the ends of runs of peers that do not report them during "
            "a run",
        ),
        ("growth", draw_growth, f"Time and memory against {suite}"),
    ):
        path = directory / f"{suite}-{name}.png"
        if name in chosen and draw(outcomes, path):
            yield text, path.name


def style(number: int) -> dict[str, Any]:
    """Return the look of a contender's lines, the same in all pictures of a suite; those of hornbeam are thick."""
    return {
        "color": _COLORS[number % len(_COLORS)],
        "linestyle": _DASHES[number // len(_COLORS) % len(_DASHES)],
        "linewidth": 2.6 if number == 0 else 1.5,
    }


def _add_legend(figure: Figure, outcomes: Outcomes, shown: Iterable[int], **where: Any) -> None:
    shown = list(shown)
    figure.legend([Line2D([], [], **style(one)) for one in shown], [outcomes.labels[one] for one in shown], **where)


def draw_cactus(outcomes: Outcomes, path: Path) -> bool:
    """Draw how many instances each contender proves within a time, without rounded penalties.

    Return False, and draw nothing, with several limits or without any proof.
    """
    results = outcomes.results
    rounded = set(results.loc[results["outcome"] == ROUNDED, "instance"])
    proven = results[results["is_proven"] & ~results["instance"].isin(rounded)]
    if outcomes.has_several_limits or proven.empty:
        return False
    seconds = proven["seconds"].clip(lower=SHORTEST_SECONDS)
    times = {contender: sorted(of) for contender, of in seconds.groupby(proven["contender"])}
    # Several threads may use more CPU than the limit of wall time.
    limit = max(results["limit"].max(), seconds.max())
    earliest, _ = decades(seconds.min(), limit)
    most = len(outcomes.instances) - len(rounded)
    with picture(path, 4.5) as figure:
        axes = figure.subplots()
        # hornbeam's thick line lies below, so that it hides none.
        for contender, of in times.items():
            points = [earliest, *of, limit], [0, *range(1, len(of) + 1), len(of)]
            axes.plot(*points, drawstyle="steps-post", **style(contender))
        axes.axhline(most, **_BORDER)
        axes.text(earliest * 1.1, most, f"all {most} instances", va="bottom", fontsize=9, color="#555555")
        axes.set_xscale("log")
        number_decades(axes.xaxis)
        axes.set(xlim=(earliest, limit), ylim=(0, most * 1.07))
        axes.set(xlabel="user CPU time (seconds)", ylabel="instances proven")
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        # The legend names them in the order of their lines, from above.
        shown = sorted(times, key=lambda one: (-len(times[one]), sum(times[one])))
        _add_legend(figure, outcomes, shown, loc="outside right center")
    return True


def draw_scatter(outcomes: Outcomes, path: Path) -> bool:
    """Draw each contender's time against hornbeam's, where one of them proves.

    Return False, and draw nothing, without such a contender, or with several limits.
    """
    if outcomes.has_several_limits or not outcomes.has_reference:
        return False
    compared = [compare(outcomes, contender) for contender in outcomes.others]
    shown = [pairs for pairs in (_with_times(pairs) for pairs in compared) if len(pairs)]
    if not shown:
        return False
    border = 2.0 * outcomes.results["limit"].max()
    n_columns = min(3, len(shown))
    with picture(path, 0.5 + 2.65 * -(-len(shown) // n_columns)) as figure:
        cells = panels(figure, len(shown), n_columns, sharex=True, sharey=True)
        for axes, pairs in zip(cells, shown, strict=True):
            _draw_panel(axes, pairs, border)
        for axes in cells[-n_columns:]:
            axes.tick_params(labelbottom=True)
        figure.supxlabel("hornbeam: user CPU time (seconds)", fontsize=10)
        figure.supylabel("other: user CPU time (seconds)", fontsize=10)
    return True


def _with_times(pairs: pandas.DataFrame) -> pandas.DataFrame:
    """Return the pairs of which one proves and the other does, too, or was stopped."""
    gave_up = (pairs[["outcome", "outcome_own"]] == UNPROVEN).any(axis=1)
    return pairs[pairs["either"] & ~gave_up]


def _draw_panel(axes: Axes, pairs: pandas.DataFrame, border: float) -> None:
    low, high = SHORTEST_SECONDS / 1.5, border * 1.5
    axes.plot([low, high], [low, high], color="#777777", linewidth=0.9, zorder=1)
    axes.axhline(border, **_BORDER, zorder=1)
    axes.axvline(border, **_BORDER, zorder=1)
    x, y = (
        pairs[f"seconds{own}"].clip(lower=SHORTEST_SECONDS).where(pairs[f"is_proven{own}"], border)
        for own in ("_own", "")
    )
    look: dict[str, Any] = {"s": 16, "alpha": 0.55, "linewidths": 0, "clip_on": False, "zorder": 3}
    for color, marker, chosen in (("#0072B2", "o", y >= x), ("#D55E00", "s", y < x)):
        axes.scatter(x[chosen], y[chosen], color=color, marker=marker, **look)
    axes.set_title(f"{pairs['label'].iloc[0]}\n{(y >= x).sum()} ahead, {(y < x).sum()} behind")
    axes.set(xscale="log", yscale="log", xlim=(low, high), ylim=(low, high), box_aspect=1)
    number_decades(axes.xaxis)
    number_decades(axes.yaxis)
    axes.tick_params(labelsize=8)


def draw_convergence(outcomes: Outcomes, path: Path) -> bool:
    """Draw objective and lower bound against time, a panel for each of the six longest problems that have a trace.

    Of a peer with traces, its longest run is drawn; of another, the end of every run is a point, so that runs with
    several limits show its convergence. Of a peer with several settings only the plainest is drawn: more lines than
    that cannot be read. Return False, and draw nothing, without a trace.
    """
    plain = {one.peer: one for one in reversed(outcomes.contenders)}.values()
    runs_of: dict[Problem, dict[int, list[Record]]] = {}
    for run in sorted(outcomes.runs, key=_seconds):
        if run.status == "ok" and run.contender in plain:
            number = outcomes.contenders.index(run.contender)
            runs_of.setdefault(run.problem, {}).setdefault(number, []).append(run)
    traced = {
        one: max(_seconds(runs[-1]) for runs in by.values())
        for one, by in runs_of.items()
        if any(len(runs[-1].trace) > 1 for runs in by.values())
    }
    longest = sorted(traced, key=lambda one: (-traced[one], one.order))[:6]
    if not longest:
        return False
    with picture(path, 0.9 + 2.3 * -(-len(longest) // 2)) as figure:
        for axes, problem in zip(panels(figure, len(longest), 2), longest, strict=True):
            for number, runs in sorted(runs_of[problem].items(), reverse=True):
                _draw_trace(axes, runs, style(number))
            axes.set_title(f"{problem.dataset}, λ {problem.regularization:g}, {problem.depth}")
            axes.set_xscale("log")
            axes.set_xlim(decades(*axes.dataLim.intervalx))
            number_decades(axes.xaxis)
            axes.set_ylim(bottom=0)
        figure.supxlabel("wall time (seconds)", fontsize=10)
        figure.supylabel("objective, lower bound", fontsize=10)
        shown = sorted({number for problem in longest for number in runs_of[problem]})
        handles = [Line2D([], [], **{**style(one), "linestyle": "-"}) for one in shown]
        handles += [Line2D([], [], color="#555555", linestyle=dashes) for dashes in ("-", _DASHED)]
        labels = [*(outcomes.labels[one] for one in shown), "objective", "lower bound"]
        figure.legend(handles, labels, loc="outside upper center", ncols=5)
    return True


def _draw_trace(axes: Axes, runs: list[Record], look: dict[str, Any]) -> None:
    """Draw the trace of the last, longest run, or the ends of all runs."""
    ends = [(_seconds(run), run.objective, run.lower_bound) for run in runs]
    has_trace = len(runs[-1].trace) > 1
    points = np.array([*runs[-1].trace, ends[-1]] if has_trace else ends, dtype=float)
    look = {**look, **({"drawstyle": "steps-post"} if has_trace else {"marker": "o", "markersize": 4})}
    for part, dashes in ((1, "-"), (2, _DASHED)):
        axes.plot(points[:, 0].clip(SHORTEST_SECONDS), points[:, part], **{**look, "linestyle": dashes})


def _seconds(run: Record) -> float:
    """Return how long a run took by the wall, at most its limit; one that failed, nothing."""
    return min(run.wall_seconds, run.limit)


def draw_growth(outcomes: Outcomes, path: Path) -> bool:
    """Draw seconds and peak memory of the proofs by rows or columns, a row of panels for each problem.

    Return False, and draw nothing, without a proof.
    """
    suite = path.name.partition("-")[0]
    table = series_of(outcomes, suite).assign(mebibytes=lambda of: of["peak_bytes"] / 2**20)
    table = table[table.groupby(["contender", "series"])["is_proven"].transform("any")]
    if table.empty:
        return False
    names = table["series"].unique()
    with picture(path, 0.8 + 2.9 * len(names)) as figure:
        grid = figure.subplots(len(names), 2, squeeze=False, sharex=True)
        for row, name in zip(grid, names, strict=True):
            series, sizes = table[table["series"] == name], sorted(set(table.loc[table["series"] == name, "size"]))
            labels = {"seconds": "user CPU time (seconds)", "mebibytes": "peak memory (MiB)"}
            for axes, (figures, label) in zip(row, labels.items(), strict=True):
                for contender, of in [*series[series["is_proven"]].groupby("contender")][::-1]:
                    look = {"marker": "o", "markersize": 4, "clip_on": False, **style(contender)}
                    axes.plot("size", figures, data=of.dropna(subset=figures), **look)
                axes.set(xscale="log", yscale="log")
                axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
                axes.set_xticks([], minor=True)
                axes.set_ylim(decades(*axes.dataLim.intervaly))
                number_decades(axes.yaxis)
                axes.set(title=name, ylabel=label)
        for axes in grid[-1]:
            axes.set_xlabel(f"number of {suite}")
        _add_legend(figure, outcomes, sorted(table["contender"].unique()), loc="outside upper center", ncols=5)
    return True


def decades(low: float, high: float) -> tuple[float, float]:
    """Return the powers of ten around values, at least one decade apart."""
    first = floor(log10(low))
    return 10.0**first, 10.0 ** max(ceil(log10(high)), first + 1)


def number_decades(axis: Axis) -> None:
    """Write the powers of ten of a logarithmic axis as plain numbers, and nothing between them."""
    axis.set_major_locator(LogLocator(numticks=20))
    axis.set_major_formatter("{x:,.15g}")
    axis.set_minor_formatter(NullFormatter())
