"""Place everything in the picture of a tree.

All lengths are points (1/72 inch); x grows to the right, y downwards. In a vertical layout the root is on top, leaves
are evenly spaced, and every parent is centered between its children. In a horizontal layout the root is on the left and
leaves are stacked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hornbeam.conditions import IsMissing
from hornbeam.plotting.boxes import Box, boxes_of
from hornbeam.plotting.distributions import Distribution
from hornbeam.plotting.leaves import Leaves, leaves_of
from hornbeam.plotting.lettering import Letters, Style
from hornbeam.plotting.view import View, view_of
from hornbeam.tree import BaseTree
from hornbeam.tree.words import question

Orientation: TypeAlias = Literal["auto", "vertical", "horizontal"]
Depth: TypeAlias = "int | Literal['auto'] | None"

# The largest picture made automatically, in points: as wide as a slide, a little higher than wide.
PAGE = (960.0, 1080.0)
MIN_SCALE = 0.75  # text of 10 points shrinks to at least 7.5 points to fit a page

# Between a parent and its children: space for the branching edge and the words "yes" and "no".
_LEVEL_GAP = 38.0
_COLUMN_GAP = 36.0
SWATCH = 9.0

_MARGIN = 12.0
_BOX_GAP = 10.0
_STACK_GAP = 3.5
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
    """One line of text around the tree: `x` is its left end, `end` its right end, `y` the middle of its height.

    `swatch` is the output whose color is shown before it in the legend, None for no color.
    """

    text: str
    style: Style
    x: float
    end: float
    y: float = 0.0
    swatch: int | None = None

    def moved(self, by: float, y: float) -> Line:
        """Return the line shifted to the right by `by`, at height `y`."""
        return replace(self, x=self.x + by, end=self.end + by, y=y)


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture: its size, the boxes by index in the view, and the lines above and below them."""

    width: float
    height: float
    is_horizontal: bool
    view: View
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    letters: Letters
    charts: Mapping[int, Distribution]
    leaves: Leaves
    page: tuple[float, float]

    @property
    def scale(self) -> float:
        """Factor for all lengths that makes the picture fit a page, if the text stays large enough."""
        return max(MIN_SCALE, min(1.0, self.page[0] / self.width, self.page[1] / self.height))

    @property
    def fits(self) -> bool:
        """Whether the picture fits the page; a horizontal one may be scaled down."""
        scale = MIN_SCALE if self.is_horizontal else 1.0
        return self.width * scale <= self.page[0] and self.height * scale <= self.page[1]


def lay_out(
    tree: BaseTree,
    title: str | None = None,
    subtitle: str | None = None,
    *,
    layout: Orientation = "auto",
    max_depth: Depth = "auto",
    charts: Mapping[int, Distribution] | None = None,
    page: tuple[float, float] = PAGE,
    keeps_missing: bool = False,
    confidence: float | None = None,
) -> Layout:
    """Choose orientation and depth if they are "auto", and place everything.

    The layout is vertical if that fits the page, else horizontal, with as many levels as fit.

    Raises
    ------
    ValueError
        If `layout` or `max_depth` is not as described at `plot_tree`.
    """
    _check(layout, max_depth)
    letters = Letters.of(_strings(tree, title, subtitle), keeps_missing=keeps_missing)
    leaves = leaves_of(tree)
    sides = ("vertical", "horizontal") if layout == "auto" else (layout,)

    def made(depth: int, *, is_last: bool) -> Layout | None:
        """Return the first picture of this depth that fits; if it is the last resort, one that may not."""
        view = view_of(tree, depth)
        for side in sides:
            is_forced = is_last and side == sides[-1]
            if is_forced or _may_fit(view, page, side == "horizontal"):
                is_horizontal = side == "horizontal"
                found = _placed(
                    tree, leaves, view, letters, title, subtitle, charts or {}, page, is_horizontal, confidence
                )
                if is_forced or found.fits:
                    return found
        return None

    # Most trees fit as a whole. If not, the largest depth that fits is found by bisection, as a layout takes time:
    # every string is measured.
    deepest = tree.depth if max_depth is None or max_depth == "auto" else min(max_depth, tree.depth)
    low = min(1, deepest) if max_depth == "auto" else deepest
    best = made(deepest, is_last=low == deepest)
    if best is not None:
        return best
    best, high = made(low, is_last=True), deepest - 1
    while low < high:
        middle = (low + high + 1) // 2
        if (found := made(middle, is_last=False)) is not None:
            best, low = found, middle
        else:
            high = middle - 1
    assert best is not None
    return best


def _may_fit(view: View, page: tuple[float, float], is_horizontal: bool) -> bool:
    """Return False if the gaps alone are too large, which is faster than a layout."""
    across, along = (page[1], page[0]) if is_horizontal else page
    return view.n_shown * _STACK_GAP <= across / MIN_SCALE and max(view.depths) * _COLUMN_GAP <= along / MIN_SCALE


def _check(layout: object, max_depth: object) -> None:
    if layout not in ("auto", "vertical", "horizontal"):
        raise ValueError(f"layout must be 'auto', 'vertical' or 'horizontal', got {layout!r}.")
    is_depth = isinstance(max_depth, (int, np.integer)) and not isinstance(max_depth, bool) and max_depth >= 0
    if not (max_depth is None or max_depth == "auto" or is_depth):
        raise ValueError(f"max_depth must be 'auto', None or an integer of at least 0, got {max_depth!r}.")


def _strings(tree: BaseTree, title: str | None, subtitle: str | None) -> Iterator[str]:
    """Yield every string of the user that the picture may show."""
    yield from (str(text) for text in (title or "", subtitle or "", tree.target_name, *tree.outputs.tolist()))
    yield from (question(tree, node) for node, condition in enumerate(tree.conditions) if condition is not None)


def _placed(
    tree: BaseTree,
    leaves: Leaves,
    view: View,
    letters: Letters,
    title: str | None,
    subtitle: str | None,
    charts: Mapping[int, Distribution],
    page: tuple[float, float],
    is_horizontal: bool,
    confidence: float | None,
) -> Layout:
    """Place headings, tree, legend and footnotes one below the other, each centered."""
    boxes = boxes_of(tree, leaves, view, letters, charts, is_stacked=is_horizontal, confidence=confidence)
    boxes = _place_in_columns(view, boxes) if is_horizontal else _place_in_rows(view, boxes)
    tree_width = max(box.left + box.width for box in boxes)
    max_width = max(tree_width, _MIN_WIDTH)
    above = list(_headings(title, subtitle, letters, max_width))
    notes = _footnotes(tree, leaves, view, letters, max_width)
    below = [*_legend_rows(tree, letters, max_width), *notes]
    width = max([tree_width, *(row[-1].end for row in [*above, *below])])
    lines, y = _stack(above, width, _MARGIN)
    y += _SECTION_GAP if above else 0
    shift = _MARGIN + (width - tree_width) / 2
    boxes = [replace(box, x=box.x + shift, top=box.top + y) for box in boxes]
    more, y = _stack(below, width, max(box.top + box.height for box in boxes) + _SECTION_GAP)
    return Layout(
        width + 2 * _MARGIN,
        y + _MARGIN,
        is_horizontal,
        view,
        tuple(boxes),
        (*lines, *more),
        letters,
        charts,
        leaves,
        page,
    )


def _place_in_rows(view: View, boxes: list[Box]) -> list[Box]:
    """Place the boxes with the leftmost edge at x = 0 and the root at the top."""
    heights = _largest(view, [box.height for box in boxes])
    tops = np.cumsum([0, *heights]) + _LEVEL_GAP * np.arange(len(heights) + 1)
    positions = _positions(view)
    x = positions * _pitch(positions, view.depths, boxes)
    x -= min(at - box.width / 2 for at, box in zip(x, boxes, strict=True))
    return [
        replace(box, x=float(at), top=float(tops[level])) for box, at, level in zip(boxes, x, view.depths, strict=True)
    ]


def _largest(view: View, sizes: list[float]) -> list[float]:
    """Return the largest of the sizes on each level."""
    largest = [0.0] * (max(view.depths) + 1)
    for level, size in zip(view.depths, sizes, strict=True):
        largest[level] = max(largest[level], size)
    return largest


def _positions(view: View) -> npt.NDArray[np.float64]:
    """Return the horizontal position of each node in units of the distance between leaves."""
    left, right = np.array(view.left), np.array(view.right)
    is_leaf = left < 0
    positions = np.where(is_leaf, np.cumsum(is_leaf) - 1.0, 0.0)
    for node in np.flatnonzero(~is_leaf)[::-1]:
        positions[node] = (positions[left[node]] + positions[right[node]]) / 2
    return positions


def _pitch(positions: npt.NDArray[np.float64], depths: list[int], boxes: list[Box]) -> float:
    """Return the smallest distance between leaves at which no two boxes of a level touch."""
    last: dict[int, int] = {}
    pitch = 0.0
    for node, level in enumerate(depths):
        if level in last:
            before = last[level]
            needed = (boxes[before].width + boxes[node].width) / 2 + _BOX_GAP
            pitch = max(pitch, needed / float(positions[node] - positions[before]))
        last[level] = node
    return pitch


def _place_in_columns(view: View, boxes: list[Box]) -> list[Box]:
    """Put each level into a column: the root at x = 0, leaves one below the other, parents between their children.

    A box that would touch the one above it in its column is moved down with everything below it in the tree.
    """
    widths = _largest(view, [box.width for box in boxes])
    lefts = np.cumsum([0, *widths]) + _COLUMN_GAP * np.arange(len(widths) + 1)
    middles = np.zeros(len(boxes))
    # For each node: the end of its subtree in pre-order, and the node above it in its column.
    ends, above = list(range(1, len(boxes) + 1)), [-1] * len(boxes)
    last: dict[int, int] = {}
    for node, level in enumerate(view.depths):
        above[node], last[level] = last.get(level, -1), node
    bottom = -_STACK_GAP  # of the leaves so far
    # Children before parents, without recursion: trees may be deeper than Python's stack.
    waiting = [(0, False)]
    while waiting:
        node, has_children = waiting.pop()
        box, left, right = boxes[node], view.left[node], view.right[node]
        if left >= 0 and not has_children:
            waiting += [(node, True), (right, False), (left, False)]
            continue
        middle = bottom + _STACK_GAP + box.height / 2
        if left >= 0:
            middle = (middles[left] + middles[right]) / 2
            ends[node] = ends[right]
        middles[node] = middle
        least = box.height / 2
        if above[node] >= 0:
            before = above[node]
            least += middles[before] + boxes[before].height / 2 + _STACK_GAP
        if middle < least:
            middles[node : ends[node]] += least - middle
            bottom += least - middle if left >= 0 else 0
        if left < 0:
            bottom = middles[node] + box.height / 2
    return [
        replace(box, x=float(lefts[level]) + box.width / 2, top=float(middle) - box.height / 2)
        for box, level, middle in zip(boxes, view.depths, middles, strict=True)
    ]


def _headings(title: str | None, subtitle: str | None, letters: Letters, max_width: float) -> Iterator[list[Line]]:
    for text, style in ((title, _TITLE), (subtitle, _SUBTITLE)):
        if text:
            yield from _paragraph(letters.show(text), style, letters, max_width)


def _paragraph(text: str, style: Style, letters: Letters, max_width: float) -> Iterator[list[Line]]:
    for line in letters.wrap(text, style, max_width, _MAX_HEADING_LINES):
        yield [Line(line, style, 0, letters.width(line, style))]


def _legend_rows(tree: BaseTree, letters: Letters, max_width: float) -> list[list[Line]]:
    """Return the name of the target and the colors of the outputs, in rows that fit into `max_width`."""
    if not tree.has_legend:
        return []

    def line(text: str, x: float, swatch: int | None) -> Line:
        return Line(text, _LEGEND, x, x + letters.width(text, _LEGEND), swatch=swatch)

    name = letters.wrap(letters.show(tree.target_name), _LEGEND, _MAX_LABEL_WIDTH, 1)[0]
    rows = [[line(f"{name}:", 0, None)]]
    for code, label in enumerate(tree.outputs):
        text = letters.wrap(letters.show(label), _LEGEND, _MAX_LABEL_WIDTH, 1)[0]
        entry = line(text, rows[-1][-1].end + _ENTRY_GAP + SWATCH, code)
        if entry.end > max_width:
            rows.append([line(text, 1.4 * SWATCH, code)])
        else:
            rows[-1].append(entry)
    return rows


def _footnotes(tree: BaseTree, leaves: Leaves, view: View, letters: Letters, max_width: float) -> Iterator[list[Line]]:
    """Return notes on the charts of the leaves, on what is collapsed, and on where missing values go if they occur."""
    if leaves.footnote:
        yield from _paragraph(leaves.footnote, _FOOTNOTE, letters, max_width)
    n_collapsed, n_hidden = sum(map(bool, view.n_hidden)), sum(view.n_hidden)
    if n_collapsed:
        boxes = "The dashed box stands" if n_collapsed == 1 else f"{n_collapsed:,} dashed boxes stand"
        subtrees = "a subtree" if n_collapsed == 1 else "subtrees"
        text = f"{boxes} for {subtrees} with {n_hidden:,} of the {tree.n_leaves:,} leaves."
        yield from _paragraph(text, _FOOTNOTE, letters, max_width)
    tested = [condition for condition in tree.conditions if condition and not isinstance(condition, IsMissing)]
    if any(tree.has_missing[condition.column] for condition in tested):
        text = 'A missing value answers "no", except where the question is whether it is missing.'
        yield from _paragraph(text, _FOOTNOTE, letters, max_width)


def _stack(rows: Iterable[list[Line]], width: float, y: float) -> tuple[list[Line], float]:
    """Place rows one below the other from `y` on, each centered; return the lines and the end of the last one."""
    placed = []
    for row in rows:
        height = 1.2 * max(line.style.line_height for line in row)
        shift = _MARGIN + (width - row[-1].end) / 2
        placed += [line.moved(shift, y + height / 2) for line in row]
        y += height
    return placed, y
