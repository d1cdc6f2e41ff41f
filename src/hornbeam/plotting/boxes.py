"""What is written in the nodes of the picture, and how large they are."""

from __future__ import annotations

from dataclasses import dataclass

from hornbeam.conditions import condition_text
from hornbeam.plotting.lettering import Style, width_of, wrap
from hornbeam.tree import Tree
from hornbeam.tree.words import count, has_unequal_weights, label, one_line, percent, predicted_share

PADDING = 7.0
BAR_HEIGHT = 5.0
BAR_GAP = 4.0

_CONDITION = Style(10)
_CLASS = Style(10, "bold")
_SHARE = Style(8.5)
_SUPPORT = Style(8.5, color="#555555")

_MAX_CONDITION_WIDTH = 150.0
_MAX_CLASS_WIDTH = 90.0


@dataclass(frozen=True, slots=True)
class Box:
    """A node of the picture, in points; `x` is its middle, `top` its upper edge. Leaves have a bar of class shares."""

    texts: tuple[tuple[str, Style], ...]
    width: float
    height: float
    has_bar: bool
    x: float = 0.0
    top: float = 0.0


def boxes_of(tree: Tree) -> list[Box]:
    """Return the box of each node, not yet in its place."""
    unequal = has_unequal_weights(tree)
    return [
        _box(_leaf_texts(tree, node, unequal), has_bar=True)
        if condition is None
        else _box(_inner_texts(tree, node), has_bar=False)
        for node, condition in enumerate(tree.conditions)
    ]


def _box(texts: list[tuple[str, Style]], *, has_bar: bool) -> Box:
    width = max(width_of(text, style) for text, style in texts) + 2 * PADDING
    height = sum(style.line_height for _, style in texts) + 2 * PADDING
    return Box(tuple(texts), width, height + (BAR_GAP + BAR_HEIGHT if has_bar else 0), has_bar)


def _leaf_texts(tree: Tree, node: int, unequal_weights: bool) -> list[tuple[str, Style]]:
    return [
        *((line, _CLASS) for line in wrap(label(tree, node), _CLASS, _MAX_CLASS_WIDTH, 3)),
        (f"{percent(predicted_share(tree, node))} of{' weight' if unequal_weights else ''}", _SHARE),
        (count(int(tree.n_samples[node])), _SHARE),
    ]


def _inner_texts(tree: Tree, node: int) -> list[tuple[str, Style]]:
    condition = tree.conditions[node]
    assert condition is not None
    name = tree.columns.names[condition.column]
    # What follows the name, ``<= 2.5``, is never broken between its sign and its value.
    test = (
        one_line(condition_text(condition, tree.columns))
        .removeprefix(one_line(name))
        .replace("<=", "≤")
        .strip()
        .replace(" ", "\xa0", 1)
    )
    lines = _condition_lines(one_line(name), test)
    return [*((line, _CONDITION) for line in lines), (count(int(tree.n_samples[node])), _SUPPORT)]


def _condition_lines(name: str, test: str) -> list[str]:
    """Break a condition so that its test, which matters most, is never cut off by a long name."""
    lines = wrap(f"{name} {test}", _CONDITION, _MAX_CONDITION_WIDTH, 3)
    if "…" not in lines[-1]:
        return lines
    return [*wrap(name, _CONDITION, _MAX_CONDITION_WIDTH, 2), *wrap(test, _CONDITION, _MAX_CONDITION_WIDTH, 3)]
