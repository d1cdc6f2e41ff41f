"""The chosen tree in a form that is used without the explorer."""

from __future__ import annotations

from typing import Any

from hornbeam._checks import shown
from hornbeam.export import FORMATS
from hornbeam.tree import Tree

# From a format of `hornbeam.export` to the name of the file and its media type. Pictures are drawn by the page.
FILES = {
    "python": ("tree.py", "text/x-python"),
    "sql": ("tree.sql", "application/sql"),
    "json": ("tree.json", "application/json"),
    "text": ("tree.txt", "text/plain"),
    "rules": ("rules.txt", "text/plain"),
    "latex": ("tree.tex", "application/x-tex"),
}


def take_away(format: Any, tree: Tree) -> dict[str, str]:
    """Return a file with the tree: its name, media type and text.

    Raises
    ------
    ValueError
        If there is no such format.
    """
    if not isinstance(format, str) or format not in FILES:
        raise ValueError(f"format: expected one of {', '.join(FILES)}, got {shown(format)}.")
    name, media_type = FILES[format]
    as_text = FORMATS[format].as_text
    assert as_text is not None
    return {"name": name, "type": media_type, "text": as_text(FORMATS[format].export(tree))}
