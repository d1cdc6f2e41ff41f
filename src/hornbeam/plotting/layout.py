"""Where everything stands in the picture of a tree.

All lengths are points (1/72 inch); x grows to the right, y downwards. Leaves are evenly spaced, every parent stands in
the middle between its children.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import IsMissing
from hornbeam.plotting.boxes import Box, boxes_of
from hornbeam.plotting.lettering import Style, width_of, wrap
from hornbeam.tree import Tree
from hornbeam.tree.routing import node_depths
from hornbeam.tree.words import one_line

# Between a parent and its children: room for the branching edge and the words "yes" and "no".
_LEVEL_GAP = 38.0
SWATCH = 9.0

_MARGIN = 12.0
_BOX_GAP = 10.0
_SECTION_GAP = 16.0
_ENTRY_GAP = 14.0
# Headings and legend are as wide as the tree, but not narrower than this.
_MIN_WIDTH = 330.0
_MAX_LABEL_WIDTH = 160.0
_MAX_HEADING_LINES = 3

_TITLE = Style(13, "bold")
_SUBTITLE = Style(10, color="#555555")
_LEGEND = Style(9)
_FOOTNOTE = Style(8, color="#555555")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text around the tree: `x` is its left end, `y` the middle of its height.

    `swatch` is the class whose colour is shown before it in the legend, None for no colour.
    """

    text: str
    style: Style
    x: float
    y: float = 0.0
    swatch: int | None = None

    @property
    def end(self) -> float:
        """The right end of the line."""
        return self.x + width_of(self.text, self.style)


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture: its size, the boxes by number of node, and the lines above and below them."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def lay_out(tree: Tree, title: str | None, subtitle: str | None) -> Layout:
    """Place headings, tree, legend and footnote under one another, each centred."""
    boxes = _place(tree, boxes_of(tree))
    tree_width = max(box.x + box.width / 2 for box in boxes)
    room = max(tree_width, _MIN_WIDTH)
    above = list(_headings(title, subtitle, room))
    below = [*_legend_rows(tree, room), *_footnote(tree)]
    width = max([tree_width, *(row[-1].end for row in [*above, *below])])
    lines, y = _stack(above, width, _MARGIN)
    y += _SECTION_GAP if above else 0
    shift = _MARGIN + (width - tree_width) / 2
    boxes = [replace(box, x=box.x + shift, top=box.top + y) for box in boxes]
    more, y = _stack(below, width, max(box.top + box.height for box in boxes) + _SECTION_GAP)
    return Layout(width + 2 * _MARGIN, y + _MARGIN, tuple(boxes), (*lines, *more))


def _place(tree: Tree, boxes: list[Box]) -> list[Box]:
    """Put the boxes at their places, the leftmost edge at x = 0 and the root at the top."""
    depths = node_depths(tree.left, tree.right)
    heights = [
        max(box.height for box, at in zip(boxes, depths, strict=True) if at == level) for level in range(tree.depth + 1)
    ]
    tops = np.cumsum([0, *heights]) + _LEVEL_GAP * np.arange(len(heights) + 1)
    ranks = _ranks(tree)
    x = ranks * _pitch(ranks, depths, boxes)
    x -= min(at - box.width / 2 for at, box in zip(x, boxes, strict=True))
    return [replace(box, x=float(at), top=float(tops[level])) for box, at, level in zip(boxes, x, depths, strict=True)]


def _ranks(tree: Tree) -> npt.NDArray[np.float64]:
    """Return the horizontal place of each node in units of the distance between leaves."""
    is_leaf = tree.left < 0
    ranks = np.where(is_leaf, np.cumsum(is_leaf) - 1.0, 0.0)
    for node in np.flatnonzero(~is_leaf)[::-1]:
        ranks[node] = (ranks[tree.left[node]] + ranks[tree.right[node]]) / 2
    return ranks


def _pitch(ranks: npt.NDArray[np.float64], depths: npt.NDArray[np.intp], boxes: list[Box]) -> float:
    """Return the smallest distance between leaves at which no two boxes of a level touch."""
    last: dict[int, int] = {}
    pitch = 0.0
    for node, level in enumerate(depths.tolist()):
        if level in last:
            before = last[level]
            needed = (boxes[before].width + boxes[node].width) / 2 + _BOX_GAP
            pitch = max(pitch, needed / float(ranks[node] - ranks[before]))
        last[level] = node
    return pitch


def _headings(title: str | None, subtitle: str | None, room: float) -> Iterator[list[Line]]:
    for text, style in ((title, _TITLE), (subtitle, _SUBTITLE)):
        if text:
            yield from ([Line(line, style, 0)] for line in wrap(one_line(text), style, room, _MAX_HEADING_LINES))


def _legend_rows(tree: Tree, room: float) -> list[list[Line]]:
    """Return the name of the target and the colours of the classes, in rows that fit into `room`."""
    name = f"{wrap(one_line(tree.target_name), _LEGEND, _MAX_LABEL_WIDTH, 1)[0]}:"
    rows = [[Line(name, _LEGEND, 0)]]
    for code, label in enumerate(tree.classes):
        text = wrap(one_line(label), _LEGEND, _MAX_LABEL_WIDTH, 1)[0]
        entry = Line(text, _LEGEND, rows[-1][-1].end + _ENTRY_GAP + SWATCH, swatch=code)
        if entry.end > room:
            rows.append([replace(entry, x=1.4 * SWATCH)])
        else:
            rows[-1].append(entry)
    return rows


def _footnote(tree: Tree) -> Iterator[list[Line]]:
    """Say where missing values go, if the tree asks a column that had some anything but whether it is missing."""
    asked = [condition for condition in tree.conditions if condition and not isinstance(condition, IsMissing)]
    if any(tree.has_missing[condition.column] for condition in asked):
        yield [Line('A missing value answers "no", except where the question is whether it is missing.', _FOOTNOTE, 0)]


def _stack(rows: Iterable[list[Line]], width: float, y: float) -> tuple[list[Line], float]:
    """Put rows under one another from `y` on, each centred; return the lines and where the last one ends."""
    placed = []
    for row in rows:
        height = 1.2 * max(line.style.line_height for line in row)
        shift = _MARGIN + (width - row[-1].end) / 2
        placed += [replace(line, x=line.x + shift, y=y + height / 2) for line in row]
        y += height
    return placed, y
