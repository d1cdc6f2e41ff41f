"""The chosen tree in a form that is used without the explorer."""

from __future__ import annotations

import pickle
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from hornbeam._checks import shown
from hornbeam.export import FORMATS, to_sklearn
from hornbeam.plotting import save_picture
from hornbeam.tree import Tree

# From a format to the name of the file and its media type. The page draws other pictures itself.
_TEXTS = {
    "python": ("tree.py", "text/x-python"),
    "sql": ("tree.sql", "application/sql"),
    "json": ("tree.json", "application/json"),
    "text": ("tree.txt", "text/plain"),
    "rules": ("rules.txt", "text/plain"),
    "latex": ("tree.tex", "application/x-tex"),
}
_BYTES = {
    "pdf": ("tree.pdf", "application/pdf"),
    "sklearn": ("tree.pkl", "application/octet-stream"),
}
_settings_of_matplotlib = Lock()  # which drawing changes, while other requests may draw, too


def take_away(format: Any, tree: Tree, title: str) -> dict[str, str]:
    """Return a file with the tree: its name and media type, and its ``text`` or ``base64``.

    Parameters
    ----------
    format : str
        "sklearn" is a pickled `sklearn.tree.DecisionTreeClassifier`; the others are those of `hornbeam.export`, and
        "pdf" a picture.
    tree : Tree
    title : str
        Of the picture.

    Raises
    ------
    ValueError
        If there is no such format, or the tree cannot be written in it.
    """
    if not isinstance(format, str) or format not in {**_TEXTS, **_BYTES}:
        raise ValueError(f"format: expected one of {', '.join({**_TEXTS, **_BYTES})}, got {shown(format)}.")
    if format in _BYTES:
        name, media_type = _BYTES[format]
        content = _pdf(tree, title) if format == "pdf" else pickle.dumps(to_sklearn(tree))
        return {"name": name, "type": media_type, "base64": b64encode(content).decode()}
    name, media_type = _TEXTS[format]
    as_text = FORMATS[format].as_text
    assert as_text is not None
    return {"name": name, "type": media_type, "text": as_text(FORMATS[format].export(tree))}


def _pdf(tree: Tree, title: str) -> bytes:
    with TemporaryDirectory() as folder, _settings_of_matplotlib:
        path = Path(folder, "tree.pdf")
        save_picture(tree, path, title=title)
        return path.read_bytes()
