"""The contents of the boxes of the picture, and their sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hornbeam.conditions import Condition
from hornbeam.plotting.distributions import Distribution
from hornbeam.plotting.leaves import Leaves
from hornbeam.plotting.lettering import Letters, Style
from hornbeam.plotting.view import View
from hornbeam.tree import BaseTree
from hornbeam.tree.words import column_name, count, label, question

CHART_HEIGHT = 34.0
CAPTION = Style(7, color="#555555")

_BAR_GAP = 4.0
_CHART_GAP = 3.0
_CHART_WIDTH = 118.0
_PADDING = 7.0
_TIGHT = 3.0  # padding where boxes are stacked
_STACKED_BAR_WIDTH = 34.0
_STACKED_INDENT = 4.0

_CONDITION = Style(10)
_CLASS = Style(10, "bold")
_SHARE = Style(8.5)
_SUPPORT = Style(8.5, color="#555555")

_MAX_CONDITION_WIDTH = 150.0
_MAX_STACKED_CONDITION_WIDTH = 118.0
_MAX_CLASS_WIDTH = 90.0
_MAX_STACKED_CLASS_WIDTH = 130.0

Kind: TypeAlias = Literal["split", "leaf", "collapsed"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A line of a box: `x` is its left end, or its middle if it is centered; `y` is the middle of its height."""

    text: str
    style: Style
    x: float
    y: float
    is_centered: bool = True


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle in a box, in points from the upper left corner of the box."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Box:
    """A node of the picture, in points; `x` is its middle, `top` its upper edge.

    Leaves and collapsed subtrees have a bar, the chart of their kind; splits may have a chart.
    """

    kind: Kind
    pieces: tuple[Piece, ...]
    width: float
    height: float
    bar: Area | None = None
    chart: Area | None = None
    x: float = 0.0
    top: float = 0.0

    @property
    def left(self) -> float:
        """Its left edge."""
        return self.x - self.width / 2

    @property
    def middle(self) -> float:
        """The middle of its height."""
        return self.top + self.height / 2


def boxes_of(
    tree: BaseTree,
    leaves: Leaves,
    view: View,
    letters: Letters,
    charts: Mapping[int, Distribution],
    *,
    is_stacked: bool,
    confidence: float | None = None,
) -> list[Box]:
    """Return the box of each node of the view, not yet placed; stacked leaves have one line."""
    boxes = []
    for node, left, n_hidden in zip(view.nodes, view.left, view.n_hidden, strict=True):
        condition = tree.conditions[node]
        if left >= 0 and condition is not None:
            boxes.append(_split(tree, node, condition, letters, node in charts, is_stacked))
        elif is_stacked:
            boxes.append(_stacked_leaf(tree, leaves, node, n_hidden, letters, confidence))
        else:
            lines = _leaf_lines(tree, leaves, node, n_hidden, letters)
            if confidence is not None and not n_hidden:
                lines.append((f"({leaves.interval(node, confidence)})", _SHARE))
            boxes.append(_leaf(lines, leaves, letters, n_hidden))
    return boxes


def _leaf_lines(tree: BaseTree, leaves: Leaves, node: int, n_hidden: int, letters: Letters) -> list[tuple[str, Style]]:
    if n_hidden:
        name, said, rows = leaves.hidden_lines(node)
        names = letters.wrap(letters.show(name), _SHARE, _MAX_CLASS_WIDTH - 30, 2)
        names[-1] = f"{letters.apart(names[-1])}: {said}"
        return [(f"{n_hidden:,} leaves", _CONDITION), *((line, _SHARE) for line in names), (rows, _SHARE)]
    names = letters.wrap(letters.show(label(tree, node)), _CLASS, _MAX_CLASS_WIDTH, 3)
    return [*((line, _CLASS) for line in names), *((line, _SHARE) for line in leaves.lines(node))]


def _leaf(lines: list[tuple[str, Style]], leaves: Leaves, letters: Letters, n_hidden: int) -> Box:
    width = max(leaves.least_width, *(letters.width(text, style) for text, style in lines)) + 2 * _PADDING
    pieces, y = _lines(lines, width / 2, _PADDING)
    bar = Area(_PADDING, y + _BAR_GAP, width - 2 * _PADDING, leaves.chart_height)
    kind: Kind = "collapsed" if n_hidden else "leaf"
    return Box(kind, pieces, width, y + _BAR_GAP + leaves.chart_height + _PADDING, bar)


def _stacked_leaf(
    tree: BaseTree, leaves: Leaves, node: int, n_hidden: int, letters: Letters, confidence: float | None
) -> Box:
    """One line: the bar, the output in bold, and how good it is; or how many leaves are hidden, and the best output."""
    if n_hidden:
        name, said, rows = leaves.hidden_lines(node)
        shown = letters.wrap(letters.show(name), _SHARE, _MAX_STACKED_CLASS_WIDTH, 1)[0]
        lines = [(f"{n_hidden:,} leaves", _CONDITION), (f"{letters.apart(shown)}: {said} {rows}", _SHARE)]
    else:
        lines = [
            (letters.wrap(letters.show(label(tree, node)), _CLASS, _MAX_STACKED_CLASS_WIDTH, 1)[0], _CLASS),
            (tree.describe(node, confidence=confidence), _SHARE),
        ]
    height = _CLASS.line_height + 2 * _TIGHT
    bar_width = max(_STACKED_BAR_WIDTH, leaves.least_width)
    x, pieces = _STACKED_INDENT + bar_width + 6, []
    for text, style in lines:
        pieces.append(Piece(text, style, x, height / 2, is_centered=False))
        x += letters.width(text, style) + 6
    bar = Area(_STACKED_INDENT, (height - leaves.stacked_height) / 2, bar_width, leaves.stacked_height)
    return Box("collapsed" if n_hidden else "leaf", tuple(pieces), x - 6 + _STACKED_INDENT + 3, height, bar)


def _split(tree: BaseTree, node: int, condition: Condition, letters: Letters, has_chart: bool, is_stacked: bool) -> Box:
    name = letters.show(column_name(tree, condition.column))
    # The test after the name, ``<= 2.5``, is never broken between its sign and its value.
    test = letters.show(question(tree, node)).removeprefix(name).replace("<=", "≤").strip().replace(" ", "\xa0", 1)
    max_width = _MAX_STACKED_CONDITION_WIDTH if is_stacked else _MAX_CONDITION_WIDTH
    padding = _TIGHT if is_stacked else _PADDING
    lines = [(line, _CONDITION) for line in _condition_lines(name, test, letters, max_width)]
    rows = (count(int(tree.n_samples[node])), _SUPPORT)
    width = max(letters.width(text, style) for text, style in (*lines, rows))
    chart = None
    if has_chart:
        width = max(width, _CHART_WIDTH)
    width += 2 * padding + (6 if is_stacked else 0)
    pieces, y = _lines(lines, width / 2, padding)
    if has_chart:
        chart = Area((width - _CHART_WIDTH) / 2, y + _CHART_GAP, _CHART_WIDTH, CHART_HEIGHT)
        y += _CHART_GAP + CHART_HEIGHT + CAPTION.line_height + _CHART_GAP
    last, y = _lines([rows], width / 2, y)
    return Box("split", (*pieces, *last), width, y + padding, chart=chart)


def _lines(lines: list[tuple[str, Style]], x: float, y: float) -> tuple[tuple[Piece, ...], float]:
    """Place lines one below the other from `y` on; return them and the end of the last one."""
    pieces = []
    for text, style in lines:
        pieces.append(Piece(text, style, x, y + style.line_height / 2))
        y += style.line_height
    return tuple(pieces), y


def _condition_lines(name: str, test: str, letters: Letters, max_width: float) -> list[str]:
    """Break a condition so that its test, which matters most, is never cut off by a long name."""
    lines = letters.wrap(f"{letters.apart(name)} {test}", _CONDITION, max_width, 3)
    if "…" not in lines[-1]:
        return lines
    return [*letters.wrap(name, _CONDITION, max_width, 2), *letters.wrap(test, _CONDITION, max_width, 3)]
