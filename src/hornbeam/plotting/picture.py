"""Pictures of a tree: on axes of matplotlib, and as files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np

from hornbeam._checks import is_number, shown
from hornbeam.plotting.distributions import Data, distributions_of
from hornbeam.plotting.layout import Depth, Layout, Orientation, lay_out
from hornbeam.plotting.pen import draw
from hornbeam.tree import BaseTree

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes

_SUFFIXES = (".svg", ".png", ".pdf")


class Fitted(Protocol):
    """A fitted estimator of one tree."""

    tree_: BaseTree


def plot_tree(
    tree: BaseTree | Fitted,
    ax: Axes | None = None,
    *,
    data: Data | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    layout: Orientation = "auto",
    max_depth: Depth = "auto",
    confidence: float | None = None,
    figsize: tuple[float, float] | None = None,
) -> Axes:
    r"""Draw a tree.

    Splits show their condition and number of training rows; edges show "yes" and "no". Leaves are colored by predicted
    class, and show that class, its share of the training weight, the number of training rows, and a bar with the shares
    of all classes. The colors are distinct for all kinds of color vision. Leaves that choose an action show its mean
    reward in place of the share, and a bar for each action.

    Parameters
    ----------
    tree : Tree, ActionTree or fitted estimator
        The tree to draw.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; the drawing, including its text, is scaled to the current size of these axes. None: a new figure,
        as large as the tree needs with text of 10 points, or of 7.5 points for a large tree.
    data : tuple of (X, y) or None, default=None
        Rows to show at the splits, usually the training data, for trees of actions with their rewards: a histogram of
        the split column, with a triangle at the threshold; or bars of its categories, with those of the condition on
        the left. They are stacked by class, by the best action of each row, by the prediction nearest to its number,
        or in survival trees by the leaf that it reaches. Classes are stacked in the order of the legend; missing values
        have their own bar. All other numbers remain those of the training rows.
    title, subtitle : str or None, default=None
        Headings, for example "Recidivism within two years" and "objective 0.3125, proven optimal".
    layout : {"auto", "vertical", "horizontal"}, default="auto"
        Where the root is: on top, or on the left with the leaves stacked. "auto": on top if the tree is then at most
        13.3 inches wide, otherwise on the left.
    max_depth : int, None or "auto", default="auto"
        Depth below which subtrees are collapsed into dashed boxes, which show their number of leaves, their most
        frequent class and a bar of class shares. None: nothing is collapsed, however large the figure. "auto": the
        largest depth at which the figure is at most 13.3 x 15 inches, which fits about 60 leaves.
    confidence : float or None, default=None
        Shows in each leaf the confidence interval of its share, for example 0.95; see `Tree.share_intervals`.
    figsize : (float, float) or None, default=None
        Width and height of the new figure in inches; the drawing, including its text, is scaled to it. None: see `ax`.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on, whose unit is one point of the unscaled drawing.

    Raises
    ------
    TypeError
        If `tree` is not a tree or a fitted estimator of one.
    ValueError
        If `layout`, `max_depth`, `confidence` or `figsize` is not one of the above, `data` does not fit the tree, or
        both `ax` and `figsize` are given.

    Notes
    -----
    Characters that the default font lacks are drawn with other installed fonts. A character that no font has is shown
    as an escape such as ``\u4e2d``.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier, plot_tree
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> classifier = GOSDTClassifier(regularization=0.1).fit(X, y)
    >>> axes = plot_tree(classifier, data=(X, y), title="Four rows")
    >>> [text.get_text() for text in axes.texts][:3]
    ['yes', 'no', 'x1 ≤\xa040']
    """
    import matplotlib.pyplot as plt

    tree = _tree_of(tree)
    if figsize is not None:
        _check_figsize(figsize, ax)
    charts = None if data is None else distributions_of(tree, data)
    made = lay_out(tree, title, subtitle, layout=layout, max_depth=max_depth, charts=charts, confidence=confidence)
    if ax is None:
        ax = plt.figure(figsize=figsize or _inches(made), facecolor="white").add_axes((0, 0, 1, 1))
    draw(tree, made, ax)
    return ax


def _check_figsize(figsize: Any, ax: Axes | None) -> None:
    if ax is not None:
        raise ValueError("figsize is the size of a new figure, but ax is given: set the size of the figure of ax.")
    is_pair = isinstance(figsize, (tuple, list, np.ndarray)) and len(figsize) == 2
    if not is_pair or not all(is_number(side) and 0 < side < inf for side in figsize):
        raise ValueError(f"figsize must be (width, height), two positive numbers of inches, got {shown(figsize)}.")


def save_picture(
    tree: BaseTree | Fitted,
    path: str | PathLike[str],
    *,
    data: Data | None = None,
    title: str | None = None,
    subtitle: str | None = None,
    layout: Orientation = "auto",
    max_depth: Depth = "auto",
    confidence: float | None = None,
    dpi: float = 150,
) -> None:
    """Write the drawing of `plot_tree` to a file; the same tree gives the same bytes with the same matplotlib.

    SVG files contain searchable text, which the viewer shows in its own fonts, whatever the script.

    Parameters
    ----------
    tree : Tree, ActionTree or fitted estimator
        The tree to draw.
    path : str or path
        File to write, ending in ``.svg``, ``.png`` or ``.pdf``.
    data, title, subtitle, layout, max_depth, confidence
        See `plot_tree`.
    dpi : float, default=150
        Resolution of a PNG file, in dots per inch; without effect on the other formats.

    Raises
    ------
    ValueError
        If `path` has another ending, or for the reasons of `plot_tree`.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> from tempfile import TemporaryDirectory
    >>> from hornbeam.plotting import save_picture
    >>> with TemporaryDirectory() as folder:
    ...     save_picture(tree, f"{folder}/tree.svg", title="Four rows")
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ValueError(f"path must end in .svg, .png or .pdf, found {str(path)!r}.")
    tree = _tree_of(tree)
    charts = None if data is None else distributions_of(tree, data)
    is_svg = suffix == ".svg"
    made = lay_out(
        tree,
        title,
        subtitle,
        layout=layout,
        max_depth=max_depth,
        charts=charts,
        keeps_missing=is_svg,
        confidence=confidence,
    )
    write(tree, made, path, suffix[1:], dpi)


def write(tree: BaseTree, layout: Layout, target: str | PathLike[str] | IO[bytes], form: str, dpi: float = 72) -> None:
    """Write a picture in the form "svg", "png" or "pdf"; an SVG should be laid out with `keeps_missing`."""
    from matplotlib.figure import Figure

    with _settings():
        figure = Figure(figsize=_inches(layout), facecolor="white")
        draw(tree, layout, figure.add_axes((0, 0, 1, 1)))
        # With dates, and without the salt of `_settings`, two pictures of one tree would differ.
        metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        figure.savefig(target, dpi=dpi, format=form, metadata=metadata)


def _tree_of(tree: BaseTree | Fitted) -> BaseTree:
    found = tree if isinstance(tree, BaseTree) else getattr(tree, "tree_", None)
    if not isinstance(found, BaseTree):
        raise TypeError(f"tree must be a tree or a fitted estimator, got {type(tree).__name__} without tree_.")
    return found


def _inches(layout: Layout) -> tuple[float, float]:
    return layout.width * layout.scale / 72, layout.height * layout.scale / 72


@contextmanager
def _settings() -> Iterator[None]:
    """Keep the text of SVG files as text; matplotlib need not have glyphs for what the viewer draws."""
    import matplotlib as mpl

    text: dict[Any, Any] = {"svg.hashsalt": "hornbeam", "svg.fonttype": "none"}
    page: dict[Any, Any] = {"savefig.bbox": None, "savefig.transparent": False, "savefig.facecolor": "auto"}
    with mpl.rc_context({**text, **page}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield
