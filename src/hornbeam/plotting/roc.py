"""Draw receiver operating characteristics with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hornbeam._checks import as_array, shown
from hornbeam.plotting.lettering import Letters
from hornbeam.tree.palette import LINE_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_roc(
    y: npt.ArrayLike,
    scores: npt.ArrayLike | Mapping[str, npt.ArrayLike],
    ax: Axes | None = None,
    *,
    positive: Any = None,
    sample_weight: npt.ArrayLike | None = None,
) -> Axes:
    """Draw receiver operating characteristics and their convex hulls.

    The scores of a tree have as many values as the tree has leaves; the curve has a point for each, joined by lines. A
    dashed line shows the hull where it is above the curve; on the training data the two coincide. The legend shows the
    areas under both.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels of two classes.
    scores : array-like of shape (n_rows,), or dict from str to such
        The higher, the more likely positive: for example the second column of `predict_proba`. A dict draws several
        curves, labeled by its keys.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure.
    positive : label or None, default=None
        The positive class. None: the larger label.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Weights of the rows. None: every row weighs 1.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    ValueError
        If `y` does not hold two classes, or `positive` is not one of them.

    Examples
    --------
    >>> from hornbeam import plot_roc
    >>> axes = plot_roc([0, 0, 1, 1], {"one": [0.1, 0.4, 0.4, 0.9], "other": [0.3, 0.2, 0.1, 0.5]})
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['one: area 0.8750, of the hull 0.8750', 'other: area 0.5000, of the hull 0.7500']
    """
    import matplotlib.pyplot as plt
    from sklearn.metrics import auc, roc_curve

    given = as_array("y", y)
    try:
        labels = np.unique(given)
    except (TypeError, ValueError):  # labels that cannot be compared
        raise ValueError(f"y must hold labels of one type, got {shown(y)}.") from None
    if given.ndim != 1 or len(labels) != 2 or bool((labels != labels).any()):
        raise ValueError(f"y must hold two classes, got {shown(labels.tolist())}.")
    positive = labels[1] if positive is None else positive
    if type(positive) not in (type(label) for label in (*labels, *labels.tolist())) or positive not in labels.tolist():
        raise ValueError(f"positive must be one of {labels.tolist()}, got {shown(positive)}.")
    weights = None if sample_weight is None else _numbers("sample_weight", sample_weight, len(given))
    if ax is None:
        _, ax = plt.subplots(figsize=(4.8, 4.8), layout="constrained")
    ax.plot([0, 1], [0, 1], color="#BBBBBB", linewidth=0.8, zorder=1)
    curves: Mapping[str, Any] = scores if isinstance(scores, Mapping) else {"": scores}
    if not curves:
        raise ValueError("scores must hold at least one curve, got an empty dict.")
    names = [name if isinstance(name, str) else shown(name) for name in curves]
    letters = Letters.of(names)
    for number, (name, values) in enumerate(zip(names, curves.values(), strict=True)):
        false, true, _ = roc_curve(
            given == positive, _numbers("scores", values, len(given)), sample_weight=weights, drop_intermediate=False
        )
        hull = convex_hull(false, true)
        area, area_of_hull = auc(false, true), auc(*hull)
        label = f"{letters.show(name)}: area {area:.4f}, of the hull {area_of_hull:.4f}".removeprefix(": ")
        color = LINE_COLORS[number % len(LINE_COLORS)]
        ax.plot(*hull, color=color, linestyle=(0, (3, 1.5)), linewidth=1.2)
        ax.plot(false, true, marker="o", markersize=3, color=color, label=label)
    ax.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    ax.set_aspect("equal")
    ax.legend(loc="lower right", frameon=False, prop={"family": letters.families, "size": "small"})
    return ax


def _numbers(name: str, values: npt.ArrayLike, n_rows: int) -> npt.NDArray[np.float64]:
    array = as_array(name, values)
    try:
        with np.errstate(over="ignore"):
            numbers = array.astype(np.float64) if array.dtype.kind not in "cmM" else np.array(np.nan)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if numbers.shape != (n_rows,) or not np.isfinite(numbers).all():
        raise ValueError(f"{name} must hold {n_rows} finite numbers, one for each label of y, got {shown(values)}.")
    return numbers


def convex_hull(
    false: npt.NDArray[np.float64], true: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the upper hull of the points of a curve that rises from (0, 0) to (1, 1), from left to right."""
    hull: list[tuple[float, float]] = []
    for point in zip(false.tolist(), true.tolist(), strict=True):
        while len(hull) > 1 and _turns_left(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    xs, ys = zip(*hull, strict=True)
    return np.array(xs), np.array(ys)


def _turns_left(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    rise = (middle[0] - first[0]) * (last[1] - first[1])
    return rise >= (middle[1] - first[1]) * (last[0] - first[0])
