"""Draw a tree with matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hornbeam.plotting.boxes import BAR_HEIGHT, PADDING, Box
from hornbeam.plotting.layout import SWATCH, Layout, Line, lay_out
from hornbeam.plotting.lettering import Style
from hornbeam.tree import Tree
from hornbeam.tree.palette import class_colors, tint

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes

_SUFFIXES = (".svg", ".png", ".pdf")
_EDGE_COLOR = "#8A8A8A"
_BORDER_COLOR = "#555555"
_ANSWER = Style(8.5, color="#555555")
_CORNER = 4.0
# How far above a child the edge turns down to it; the answer is written on this last part.
_DROP = 24.0


def plot_tree(tree: Tree, ax: Axes | None = None, *, title: str | None = None, subtitle: str | None = None) -> Axes:
    """Draw a tree.

    Inner nodes show their condition and number of training rows; edges say "yes" and "no"; leaves are coloured by
    predicted class, and show it, its share of the training weight, the number of training rows, and a bar with the
    shares of all classes. The colours can be told apart with any kind of colour vision.

    Parameters
    ----------
    tree : Tree
        The tree to draw.
    ax : matplotlib.axes.Axes or None, default=None
        Where to draw; the drawing, letters included, is scaled to fit the present size of these axes. None: a new
        figure as large as the tree needs at a letter size of 10 points.
    title, subtitle : str or None, default=None
        Headings, for example "Recidivism within two years" and "objective 0.3125, proven optimal".

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on, whose unit is one point of the unscaled drawing.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> from hornbeam.plotting import plot_tree
    >>> axes = plot_tree(tree, title="Four rows")
    >>> len(axes.texts) > tree.n_nodes
    True
    """
    import matplotlib.pyplot as plt

    layout = lay_out(tree, title, subtitle)
    if ax is None:
        ax = plt.figure(figsize=(layout.width / 72, layout.height / 72)).add_axes((0, 0, 1, 1))
    _draw(tree, layout, ax)
    return ax


def save_picture(
    tree: Tree, path: str | PathLike[str], *, title: str | None = None, subtitle: str | None = None, dpi: float = 150
) -> None:
    """Write the drawing of `plot_tree` to a file. The same tree gives the same bytes with the same matplotlib.

    Parameters
    ----------
    tree : Tree
        The tree to draw.
    path : str or path
        File to write, ending in ``.svg``, ``.png`` or ``.pdf``.
    title, subtitle : str or None, default=None
        Headings.
    dpi : float, default=150
        Resolution of a PNG file, in dots per inch; without effect on the other formats.

    Raises
    ------
    ValueError
        If `path` has another ending.
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
    import matplotlib as mpl
    from matplotlib.figure import Figure

    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise ValueError(f"path must end in .svg, .png or .pdf, found {str(path)!r}.")
    layout = lay_out(tree, title, subtitle)
    figure = Figure(figsize=(layout.width / 72, layout.height / 72))
    _draw(tree, layout, figure.add_axes((0, 0, 1, 1)))
    # Without salt and dates, two pictures of one tree would differ.
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix)
    with mpl.rc_context({"svg.hashsalt": "hornbeam"}):
        figure.savefig(path, dpi=dpi, format=suffix[1:], metadata=metadata)


def _draw(tree: Tree, layout: Layout, ax: Axes) -> None:
    pen = _Pen(ax, layout, class_colors(len(tree.classes)))
    for node, box in enumerate(layout.boxes):
        for child, answer in ((tree.left[node], "yes"), (tree.right[node], "no")):
            if child >= 0:
                pen.edge(box, layout.boxes[child], answer)
    shares = tree.class_weights / tree.class_weights.sum(axis=1, keepdims=True)
    for node, box in enumerate(layout.boxes):
        pen.box(box, int(tree.prediction[node]), shares[node].tolist())
    for line in layout.lines:
        pen.line(line)


class _Pen:
    """Draws on axes whose unit is made one point of the layout, times the scale that makes it fit."""

    def __init__(self, ax: Axes, layout: Layout, colors: list[str]) -> None:
        ax.set_axis_off()
        if engine := ax.figure.get_layout_engine():  # which would change the size of the axes later
            engine.execute(ax.figure.figure)
        room = ax.get_window_extent()
        self.scale = min(room.width / layout.width, room.height / layout.height) * 72 / ax.figure.dpi
        self.ax = ax
        self.colors = colors
        ax.set(xlim=(0, layout.width), ylim=(layout.height, 0), aspect="equal")

    def edge(self, parent: Box, child: Box, answer: str) -> None:
        """Draw the way from a parent to a child, and write the answer on it."""
        turn = child.top - _DROP
        self.ax.plot(
            [parent.x, parent.x, child.x, child.x],
            [parent.top + parent.height, turn, turn, child.top],
            color=_EDGE_COLOR,
            linewidth=self.scale,
            solid_joinstyle="round",
            zorder=1,
        )
        self.text(answer, _ANSWER, child.x, child.top - _DROP / 2, background="white")

    def box(self, box: Box, code: int, shares: list[float]) -> None:
        """Draw a node: an inner one, or a leaf that predicts class number `code`."""
        from matplotlib.patches import FancyBboxPatch

        color = self.colors[code]
        corner = (box.x - box.width / 2, box.top)
        self.ax.add_patch(
            FancyBboxPatch(
                corner,
                box.width,
                box.height,
                boxstyle=f"round,pad=0,rounding_size={_CORNER}",
                facecolor=tint(color) if box.has_bar else "white",
                edgecolor=color if box.has_bar else _BORDER_COLOR,
                linewidth=0.9 * self.scale,
                zorder=2,
            )
        )
        y = box.top + PADDING
        for text, style in box.texts:
            self.text(text, style, box.x, y + style.line_height / 2)
            y += style.line_height
        if box.has_bar:
            self.bar(box, shares)

    def bar(self, box: Box, shares: list[float]) -> None:
        """Draw the shares of the classes side by side at the bottom of a leaf."""
        width = box.width - 2 * PADDING
        x, y = box.x - width / 2, box.top + box.height - PADDING - BAR_HEIGHT
        for share, color in zip(shares, self.colors, strict=True):
            self.rectangle(x, y, share * width, BAR_HEIGHT, color)
            x += share * width

    def line(self, line: Line) -> None:
        """Write a line of the surroundings: behind its colour, or centred, since scaled letters are not as measured."""
        if line.swatch is None:
            self.text(line.text, line.style, (line.x + line.end) / 2, line.y)
        else:
            self.text(line.text, line.style, line.x, line.y, align="left")
            self.rectangle(line.x - 1.4 * SWATCH, line.y - SWATCH / 2, SWATCH, SWATCH, self.colors[line.swatch])

    def rectangle(self, x: float, y: float, width: float, height: float, color: str) -> None:
        """Fill a rectangle."""
        from matplotlib.patches import Rectangle

        self.ax.add_patch(Rectangle((x, y), width, height, facecolor=color, linewidth=0, zorder=3))

    def text(
        self, text: str, style: Style, x: float, y: float, *, align: str = "center", background: str | None = None
    ) -> None:
        """Write one line exactly as it stands: a dollar sign is no formula."""
        self.ax.text(
            x,
            y,
            text,
            fontsize=style.size * self.scale,
            fontweight=style.weight,
            color=style.color,
            horizontalalignment=align,
            verticalalignment="center_baseline",
            parse_math=False,
            usetex=False,
            bbox=background and {"facecolor": background, "edgecolor": "none", "pad": self.scale},
            zorder=4,
        )
