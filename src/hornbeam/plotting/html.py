"""Trees for notebooks: pictures in HTML, or text if matplotlib is not installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from io import BytesIO
from xml.etree import ElementTree

from hornbeam.plotting.layout import lay_out
from hornbeam.plotting.lettering import displayable
from hornbeam.plotting.picture import write
from hornbeam.tree import BaseTree

# What a notebook shows with little scrolling: about 30 leaves.
_PAGE = (960.0, 640.0)
_MAX_LINES = 80
_SVG = "http://www.w3.org/2000/svg"
_CARD = "display:inline-block;vertical-align:top;padding:8px;margin:2px;background:#fff;color:#222"
_TEXT = "font-family:sans-serif;font-size:13px"


def trees_html(trees: Iterable[tuple[BaseTree, str]], heading: str = "") -> str:
    """Return pictures of trees side by side, each on a white card with a caption below it.

    Large trees are collapsed so that each picture is at most 13.3 x 8.9 inches. Without matplotlib, each tree is text
    of at most 80 lines. All strings of the user are escaped.

    Parameters
    ----------
    trees : iterable of (BaseTree, str)
        The trees and their captions.
    heading : str, default=""
        A line above them.

    Returns
    -------
    str
        HTML of one element.
    """
    parts = [f"<div>{_escaped(heading)}</div>"] if heading else []
    trees = list(trees)
    max_width = "100%" if len(trees) == 1 else "440px"
    for tree, caption in trees:
        below = f"<div>{_escaped(caption)}</div>" if caption else ""
        parts.append(f'<div style="{_CARD};max-width:{max_width}">{_picture(tree)}{below}</div>')
    return f'<div style="{_TEXT}">{"".join(parts)}</div>'


def _repr_html_(tree: BaseTree) -> str:
    """Return the picture for notebooks, or text if matplotlib is not installed."""
    return trees_html([(tree, "")])


BaseTree._repr_html_ = _repr_html_  # type: ignore[attr-defined]


def _picture(tree: BaseTree) -> str:
    try:
        return _svg(tree)
    except ImportError:
        return f"<pre>{_escaped(_shortened(tree.to_text()))}</pre>"


def _svg(tree: BaseTree) -> str:
    """Return an `svg` element that adapts to its surroundings and does not affect the rest of the page."""
    file = BytesIO()
    write(tree, lay_out(tree, page=_PAGE, keeps_missing=True), file, "svg")
    root = ElementTree.fromstring(file.getvalue())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{{{_SVG}}}metadata" or list(_styles(child)):
                parent.remove(child)  # a style sheet would apply to the whole page
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        if element.tag == "g":
            element.attrib.pop("id", None)  # the same in every picture, but unique in a valid page
    label = f"Decision tree: {tree.n_leaves} leaves, depth {tree.depth}"
    style = "max-width:100%;height:auto;background:#fff;stroke-linejoin:round;stroke-linecap:butt"
    root.attrib.update({"xmlns": _SVG, "role": "img", "aria-label": label, "style": style})
    return ElementTree.tostring(root, encoding="unicode")


def _styles(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    return (child for child in element if child.tag == f"{{{_SVG}}}style")


def _escaped(text: str) -> str:
    """Escape for HTML; control characters and lone surrogates, which no page may hold, become visible."""
    return escape("\n".join(map(displayable, text.split("\n"))))


def _shortened(text: str) -> str:
    lines = text.split("\n")
    if len(lines) <= _MAX_LINES:
        return text
    return "\n".join([*lines[:_MAX_LINES], f"... {len(lines) - _MAX_LINES:,} more lines"])
