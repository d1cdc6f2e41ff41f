"""Draw the convergence of searches with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hornbeam._checks import check_choice, shown
from hornbeam.plotting.lettering import Letters
from hornbeam.tree.palette import LINE_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHED = (0, (3, 1.5))


class Point(Protocol):
    """State of a search at one moment; `Progress` is one."""

    @property
    def elapsed(self) -> float:
        """Seconds since the search began."""

    @property
    def objective(self) -> float:
        """Objective of the best tree found so far."""

    @property
    def lower_bound(self) -> float:
        """No tree has a smaller objective."""


def plot_trace(
    trace: Sequence[Point] | Mapping[str, Sequence[Point]], ax: Axes | None = None, *, against: str = "elapsed"
) -> Axes:
    """Draw how the objective and the lower bound of searches converge.

    A solid line shows the objective of the best tree found so far, a dashed line the lower bound, and a star the moment
    at which the best tree was found, as in the figures of the OSDT paper. Lines extend to the end of the search.

    Parameters
    ----------
    trace : sequence of Progress, or dict from str to sequence of Progress
        `trace_` of a classifier fitted with ``trace=True``. A dict draws several, labeled by its keys.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure.
    against : {"elapsed", "subproblems", "memory"}, default="elapsed"
        The horizontal axis: seconds, subproblems or bytes. It is logarithmic and begins at the smallest value above 0.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        If a trace is empty or `against` is unknown.

    Examples
    --------
    >>> from hornbeam import OSDTClassifier, plot_trace
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> traces = {
    ...     policy: OSDTClassifier(0.02, policy=policy, trace=True).fit(X, y).trace_
    ...     for policy in ("curiosity", "lower_bound")
    ... }
    >>> plot_trace(traces, against="subproblems").get_xlabel()
    'subproblems'
    """
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D
    from matplotlib.ticker import LogLocator, NullFormatter

    labels = {"elapsed": "seconds", "subproblems": "subproblems", "memory": "bytes"}
    check_choice("against", against, tuple(labels))
    traces = trace if isinstance(trace, Mapping) else {"": trace}
    for name, points in traces.items():
        if not isinstance(points, Sequence) or not all(hasattr(point, "lower_bound") for point in points):
            raise TypeError(f"trace must be the trace_ of a classifier, or a dict of several, got {shown(points)}.")
        if len(points) == 0:
            raise ValueError(f"trace {name!r} is empty; fit the classifier with trace=True.")
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    letters = Letters.of(traces)
    handles: list[Any] = []
    for number, (name, points) in enumerate(traces.items()):
        color = LINE_COLORS[number % len(LINE_COLORS)]
        _draw_course(ax, points, against, color)
        if name:
            handles.append(Line2D([], [], color=color, label=letters.show(name)))
    grey = "#555555"
    handles += [
        Line2D([], [], color=grey, label="objective"),
        Line2D([], [], color=grey, linestyle=_DASHED, label="lower bound"),
        Line2D([], [], color=grey, linestyle="", marker="*", markersize=10, label="best tree found"),
    ]
    ax.set_xscale("log")
    ax.xaxis.set_minor_formatter(NullFormatter())
    low, high = ax.get_xlim()
    if high < 100 * low:  # with at most two powers of ten on the axis, numbers between them are needed
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(labels[against])
    ax.set_ylabel("objective, lower bound")
    ax.legend(handles=handles, frameon=False, prop={"family": letters.families})
    return ax


def _draw_course(ax: Axes, points: Sequence[Point], against: str, color: str) -> None:
    along = [getattr(point, against) for point in points]
    least = min((value for value in along if value > 0), default=1)
    along = [max(value, least) for value in along]
    objectives = [point.objective for point in points]
    ax.plot(along, objectives, drawstyle="steps-post", color=color)
    ax.plot(along, [point.lower_bound for point in points], drawstyle="steps-post", color=color, linestyle=_DASHED)
    found = objectives.index(objectives[-1])
    ax.plot(along[found], objectives[found], marker="*", markersize=13, color=color, clip_on=False, zorder=3)
