"""Draw a layout on axes of matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.plotting.boxes import CAPTION, Area, Box
from hornbeam.plotting.distributions import Distribution
from hornbeam.plotting.layout import SWATCH, Layout, Line
from hornbeam.plotting.leaves import Mark
from hornbeam.plotting.lettering import Letters, Style
from hornbeam.tree import BaseTree
from hornbeam.tree.palette import tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EDGE_COLOR = "#8A8A8A"
_BORDER_COLOR = "#555555"
_MARK_COLOR = "#222222"
_ANSWER = Style(8.5, color="#555555")
_SIDE_ANSWER = Style(7.5, color="#555555")
_CORNER = 4.0
# Length of the last part of an edge, after its turn to the child; the answer is written there.
_DROP = 24.0
_SIDE_DROP = 27.0
_MARK = 4.0  # height of the triangle at the threshold


def draw(tree: BaseTree, layout: Layout, ax: Axes) -> None:
    """Draw the picture, scaled to the current size of the axes."""
    pen = _Pen(ax, layout, tree.colors)
    view = layout.view
    for box, left, right in zip(layout.boxes, view.left, view.right, strict=True):
        for child, answer in ((left, "yes"), (right, "no")):
            if child >= 0:
                pen.edge(box, layout.boxes[child], answer)
    for node, box in zip(view.nodes, layout.boxes, strict=True):
        pen.box(box, int(tree.prediction[node]))
        if box.bar is not None:
            pen.marks(box, box.bar, layout.leaves.marks(node), is_divided=layout.leaves.is_divided)
        if box.chart is not None:
            pen.chart(box, box.chart, layout.charts[node])
    for line in layout.lines:
        pen.line(line)


class _Pen:
    """Draws on axes whose unit is one point of the layout, times the scale that makes it fit."""

    def __init__(self, ax: Axes, layout: Layout, colors: list[str]) -> None:
        ax.set_axis_off()
        if engine := ax.figure.get_layout_engine():  # it would change the size of the axes later
            engine.execute(ax.figure.figure)
        window = ax.get_window_extent()
        self.scale = min(window.width / layout.width, window.height / layout.height) * 72 / ax.figure.dpi
        self.ax = ax
        self.colors = colors
        self.letters: Letters = layout.letters
        self.is_horizontal = layout.is_horizontal
        ax.set(xlim=(0, layout.width), ylim=(layout.height, 0), aspect="equal")

    def edge(self, parent: Box, child: Box, answer: str) -> None:
        """Draw the edge from a parent to a child, and write the answer on it."""
        if self.is_horizontal:
            turn = child.left - _SIDE_DROP
            xs = [parent.left + parent.width, turn, turn, child.left]
            ys = [parent.middle, parent.middle, child.middle, child.middle]
            place = (child.left - _SIDE_DROP / 2, child.middle)
        else:
            turn = child.top - _DROP
            xs = [parent.x, parent.x, child.x, child.x]
            ys = [parent.top + parent.height, turn, turn, child.top]
            place = (child.x, child.top - _DROP / 2)
        self.ax.plot(xs, ys, color=_EDGE_COLOR, linewidth=self.scale, solid_joinstyle="round", zorder=1)
        self.text(answer, _SIDE_ANSWER if self.is_horizontal else _ANSWER, *place, background="white")

    def box(self, box: Box, code: int) -> None:
        """Draw a node: a split, a leaf that predicts output number `code`, or a collapsed subtree."""
        from matplotlib.patches import FancyBboxPatch

        color = self.colors[code]
        is_leaf = box.kind == "leaf"
        self.ax.add_patch(
            FancyBboxPatch(
                (box.left, box.top),
                box.width,
                box.height,
                boxstyle=f"round,pad=0,rounding_size={_CORNER}",
                facecolor=tint(color) if is_leaf else "white",
                edgecolor=color if is_leaf else _BORDER_COLOR,
                linewidth=0.9 * self.scale,
                linestyle=(0, (3, 2)) if box.kind == "collapsed" else "solid",
                zorder=2,
            )
        )
        for piece in box.pieces:
            align = "center" if piece.is_centered else "left"
            self.text(piece.text, piece.style, box.left + piece.x, box.top + piece.y, align=align)

    def marks(self, box: Box, area: Area, marks: list[Mark], *, is_divided: bool) -> None:
        """Draw the chart of a leaf, on request with white lines between its marks."""
        for mark in marks:
            x, y = box.left + area.x + mark.x * area.width, box.top + area.y + mark.y * area.height
            height = mark.height * area.height
            self.rectangle(x, y, mark.width * area.width, height, mark.color)
            if is_divided and 0 < mark.x < 1:
                self.stroke([x, x], [y, y + height], "white", 0.6)

    def chart(self, box: Box, area: Area, data: Distribution) -> None:
        """Draw the rows of a node by the value of the split column, stacked by class, with a triangle at the split."""
        from matplotlib.collections import PolyCollection

        unit, tall = area.width / data.width, (area.height - _MARK) / max(1, data.counts.sum(axis=1).max())
        left, foot = box.left + area.x, box.top + area.y + area.height - _MARK
        thick = (data.width - data.places[-1]) * unit if len(data.places) > 1 else unit
        # One collection for all rectangles: matplotlib takes many times as long for as many artists.
        shapes, colors = [], []
        for place, counts in zip(data.places, data.counts.tolist(), strict=True):
            is_last = place == data.places[-1]
            x, width, y = left + place * unit, (thick if is_last else unit) * 0.92, foot
            for count, color in zip(counts, self.colors, strict=True):
                if count:
                    shapes.append([(x, y), (x + width, y), (x + width, y - count * tall), (x, y - count * tall)])
                    colors.append(color)
                    y -= count * tall
        self.ax.add_collection(
            PolyCollection(shapes, facecolors=colors, edgecolors="white", linewidths=0.25 * self.scale, zorder=3),
            autolim=False,
        )
        self.stroke([left, left + area.width], [foot, foot], _BORDER_COLOR, 0.6)
        mark = left + data.mark * unit
        self.stroke([mark, mark], [box.top + area.y, foot], _MARK_COLOR, 0.7, dashed=True)
        triangle = [[(mark, foot + 0.5), (mark - _MARK / 2, foot + _MARK), (mark + _MARK / 2, foot + _MARK)]]
        self.ax.add_collection(PolyCollection(triangle, facecolors=_MARK_COLOR, linewidths=0, zorder=4), autolim=False)
        for caption in data.captions:
            width = (caption.end - caption.start) * unit
            text = self.letters.wrap(self.letters.show(caption.text), CAPTION, width, 1)[0]
            if self.letters.width(text, CAPTION) <= width:
                part = {"left": 0.0, "center": 0.5, "right": 1.0}[caption.align]
                x = left + caption.start * unit + part * width
                y = box.top + area.y + area.height + CAPTION.line_height / 2
                self.text(text, CAPTION, x, y, align=caption.align)

    def line(self, line: Line) -> None:
        """Write a line around the tree: after its color, or centered, since scaled text is not as wide as measured."""
        if line.swatch is None:
            self.text(line.text, line.style, (line.x + line.end) / 2, line.y)
        else:
            self.text(line.text, line.style, line.x, line.y, align="left")
            self.rectangle(line.x - 1.4 * SWATCH, line.y - SWATCH / 2, SWATCH, SWATCH, self.colors[line.swatch])

    def rectangle(self, x: float, y: float, width: float, height: float, color: str) -> None:
        """Fill a rectangle."""
        from matplotlib.patches import Rectangle

        self.ax.add_patch(Rectangle((x, y), width, height, facecolor=color, linewidth=0, zorder=3))

    def stroke(self, xs: list[float], ys: list[float], color: str, width: float, *, dashed: bool = False) -> None:
        """Draw a straight line."""
        style = (0, (2.5, 2)) if dashed else "solid"
        self.ax.plot(
            xs, ys, color=color, linewidth=width * self.scale, linestyle=style, solid_capstyle="butt", zorder=3.5
        )

    def text(
        self, text: str, style: Style, x: float, y: float, *, align: str = "center", background: str | None = None
    ) -> None:
        """Write one line literally: a dollar sign does not begin a formula."""
        font = self.letters.font(text, style)
        self.ax.text(
            x,
            y,
            text,
            **{**font, "size": style.size * self.scale},
            color=style.color,
            horizontalalignment=align,
            verticalalignment="center_baseline",
            parse_math=False,
            usetex=False,
            bbox=background and {"facecolor": background, "edgecolor": "none", "pad": self.scale},
            zorder=4,
        )
