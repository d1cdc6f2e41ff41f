"""Draw the frontier of loss and size, and the scores of a cross-validation, with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hornbeam.tree.palette import LINE_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHED = (0, (3, 1.5))


class _Frontier(Protocol):
    """What is drawn; `Frontier` is one."""

    n_leaves: npt.NDArray[np.int64]
    losses: npt.NDArray[np.float64]
    lower_bounds: npt.NDArray[np.float64]
    statuses: Sequence[str]
    path: Sequence[Any]

    def losses_on(self, X: Any, y: Any, sample_weight: Any) -> npt.NDArray[np.float64]:
        """Return the losses on other rows."""


def plot_frontier(
    frontier: _Frontier, X: Any = None, y: Any = None, *, sample_weight: Any = None, ax: Axes | None = None
) -> Axes:
    """Draw the least loss against the number of leaves.

    The steps are the losses of the best trees of each size, the discs those that are best for some leaf penalty, and
    the dashed line their convex hull. Where a size is not proven, a band extends down to its lower bound. With rows
    that the trees have not seen, a second line shows the losses on them.

    Parameters
    ----------
    frontier : Frontier
        Of `GOSDTClassifier.frontier` or `GOSDTClassifier.regularization_path`.
    X : array-like or data frame of shape (n_rows, n_columns) or None, default=None
        Rows that were not used for the frontier, with the same columns.
    y : array-like of shape (n_rows,) or None, default=None
        Their labels, rewards, numbers, or events and times.
    sample_weight : array-like of shape (n_rows,) or None, default=None
        Their weights.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    TypeError
        If `frontier` is not a `Frontier`.
    ValueError
        If only one of `X` and `y` is given.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier, plot_frontier
    >>> from hornbeam.datasets import load_balance_scale
    >>> X, y = load_balance_scale(return_X_y=True)
    >>> plot_frontier(GOSDTClassifier(regularization=0.02).frontier(X, y)).get_xlabel()
    'largest number of leaves'
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MaxNLocator

    if not hasattr(frontier, "lower_bounds"):
        raise TypeError(f"frontier must be a Frontier, got {type(frontier).__name__}.")
    if (X is None) != (y is None):
        raise ValueError("X and y belong together: give both, or neither.")
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    blue, orange = LINE_COLORS[:2]
    sizes, losses = frontier.n_leaves, frontier.losses
    is_open = np.array(frontier.statuses) != "optimal"
    if is_open.any():
        bounds = np.where(is_open, frontier.lower_bounds, losses)
        ax.fill_between(
            *_steps(sizes, bounds), _steps(sizes, losses)[1], color=blue, alpha=0.15, linewidth=0, label="not proven"
        )
    ax.plot(*_steps(sizes, losses), color=blue, label="training loss" if X is not None else "loss")
    corners = [(one.n_leaves, one.loss) for one in frontier.path]
    ax.plot(*zip(*corners, strict=True), color=blue, linestyle=_DASHED, marker="o", label="regularization path")
    if X is not None:
        ax.plot(*_steps(sizes, frontier.losses_on(X, y, sample_weight)), color=orange, label="loss on other rows")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_ylim(bottom=0)
    ax.set_xlabel("largest number of leaves")
    ax.set_ylabel("loss")
    ax.legend(frameon=False)
    return ax


def plot_cv(classifier: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the mean score of a cross-validation against the leaf penalty, with its standard error.

    Parameters
    ----------
    classifier : GOSDTClassifierCV, PolicyTreeCV, GOSDTRegressorCV or SurvivalTreeCV
        Fitted. A vertical line is drawn at the chosen leaf penalty, and the numbers above are the leaves of the trees
        over all rows.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw. None: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If the classifier is not fitted.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifierCV, plot_cv
    >>> from hornbeam.datasets import load_monk
    >>> X, y = load_monk(1, return_X_y=True)
    >>> plot_cv(GOSDTClassifierCV(min_regularization=0.01).fit(X, y)).get_xlabel()
    'leaf penalty (regularization)'
    """
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    check_is_fitted(classifier, "cv_results_")
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    results = classifier.cv_results_
    penalties, means = results["param_regularization"], results["mean_test_score"]
    has_mean = np.isfinite(means)  # that of a policy tree which chooses an action that is not available is -inf
    ax.errorbar(
        penalties[has_mean],
        means[has_mean],
        results["standard_error"][has_mean],
        color=LINE_COLORS[0],
        marker="o",
        capsize=3,
    )
    ax.axvline(classifier.regularizations_[classifier.best_index_], color="#555555", linestyle=_DASHED, linewidth=1)
    ax.set_xscale("log")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xticks(penalties, [f"{penalty:.2g}" for penalty in penalties], rotation=45)
    ax.set_xlabel("leaf penalty (regularization)")
    ax.set_ylabel(f"mean score of {classifier.n_splits_} folds")
    above = ax.secondary_xaxis("top")
    above.set_xticks(penalties, [str(n) for n in results["n_leaves"]])
    above.xaxis.set_minor_formatter(NullFormatter())
    above.set_xlabel("leaves of the tree over all rows")
    return ax


def _steps(sizes: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the corners of steps from each size to the next one."""
    ends = np.append(sizes[1:], sizes[-1])
    return np.column_stack([sizes, ends]).ravel(), np.repeat(values, 2)
