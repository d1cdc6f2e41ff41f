"""Draw the reliance of good trees on columns with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from hornbeam._checks import is_integer, shown
from hornbeam.plotting.lettering import Letters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLORS = ("#56B4E9", "#0072B2")
_POINT = "#000000"
_LONGEST_NAME = 32

_Values = npt.NDArray[np.float64]


class Importance(Protocol):
    """The importance of columns, such as a `ModelClassReliance` or `RashomonImportance`."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""

    @property
    def bars(self) -> Mapping[str, tuple[_Values, _Values]]:
        """From the label of a bar to its ends, each of shape (n_columns,); later bars are drawn over earlier ones."""

    @property
    def points(self) -> Mapping[str, _Values]:
        """From the label of a point to its values; shape (n_columns,)."""


def plot_importance(importance: Importance, ax: Axes | None = None, *, most: int | None = 15) -> Axes:
    """Draw the range of model reliance, or the Rashomon importance distribution, of each column.

    Columns are sorted by the point, the largest on top, then by the upper end of the bar.

    Parameters
    ----------
    importance : ModelClassReliance or RashomonImportance
        The result of `model_class_reliance` or `rashomon_importance`.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure, as high as the columns need.
    most : int or None, default=15
        Number of columns to draw. None: all. If some are left out, the axis shows how many.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        If `most` is less than 1.

    Examples
    --------
    >>> from hornbeam import RashomonSetClassifier, model_class_reliance, plot_importance
    >>> X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 1, 0]] * 2
    >>> classifier = RashomonSetClassifier(epsilon=0.5, binarizer=None).fit(X, [0, 0, 1, 1, 0] * 2)
    >>> axes = plot_importance(model_class_reliance(classifier.rashomon_set_))
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['x2', 'x0', 'x1']
    """
    import matplotlib.pyplot as plt

    if most is not None and not (is_integer(most) and most >= 1):
        raise ValueError(f"most must be at least 1 or None, an integer, got {shown(most)}.")
    if not hasattr(importance, "bars"):
        raise TypeError(
            "importance must be the result of model_class_reliance or rashomon_importance, got "
            f"{type(importance).__name__}."
        )
    # The first range contains the others, so its upper end is that of the whole bar.
    (_, upper), main = next(iter(importance.bars.values())), next(iter(importance.points.values()))
    order = np.lexsort((upper, main))[::-1][: None if most is None else min(most, len(main))]
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 1.2 + 0.3 * len(order)), layout="constrained")
    places = np.arange(len(order))
    for number, (label, (low, high)) in enumerate(importance.bars.items()):
        ax.barh(
            places,
            (high - low)[order],
            left=low[order],
            height=0.6 - 0.25 * number,
            color=_COLORS[number],
            label=label,
            zorder=2,
        )
    for label, values in importance.points.items():
        ax.plot(values[order], places, "o", color=_POINT, markersize=4, label=label, zorder=3)
    ax.axvline(0, color="#BBBBBB", linewidth=0.8, zorder=1)
    letters = Letters.of(importance.columns)
    names = [_shortened(letters.show(importance.columns[column])) for column in order]
    ax.set_yticks(places, names, fontfamily=letters.families)
    ax.set_ylim(len(order) - 0.4, -0.6)
    # Bars that start at the left edge would otherwise suppress the margin there and touch the axis.
    ax.use_sticky_edges = False
    ax.margins(x=0.03)
    n_columns = len(importance.columns)
    ax.set_xlabel("model reliance: additional loss when the column is permuted", loc="right")
    ax.set_ylabel("column" if len(order) == n_columns else f"{len(order)} of {n_columns} columns")
    ax.legend(frameon=False, fontsize="small", loc="lower right")
    return ax


def _shortened(name: str) -> str:
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
    return name.replace("$", r"\$")
