"""Exports of a tree: each format is one file with one function, which is also a method of `Tree`.

The command line, the documentation and the tests read the formats from `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.export import dot, json, latex, nested, python, rules, sklearn, sql, text
from hornbeam.export.dot import to_dot
from hornbeam.export.gosdt import from_gosdt_json
from hornbeam.export.json import from_json, to_json
from hornbeam.export.latex import to_latex
from hornbeam.export.nested import to_dict
from hornbeam.export.python import to_python
from hornbeam.export.rules import to_rules
from hornbeam.export.sklearn import to_sklearn
from hornbeam.export.sql import to_sql
from hornbeam.export.text import to_text
from hornbeam.export.timbertrek import to_timbertrek
from hornbeam.tree import BaseTree

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "FORMATS",
    "TEXT_FORMATS",
    "Format",
    "TreeMethods",
    "from_gosdt_json",
    "from_json",
    "to_dict",
    "to_dot",
    "to_json",
    "to_latex",
    "to_python",
    "to_rules",
    "to_sklearn",
    "to_sql",
    "to_text",
    "to_timbertrek",
]


class Format(NamedTuple):
    """A format: its function, a description, and how a result becomes the text of a file (None: not possible)."""

    export: Callable[..., Any]
    description: str
    as_text: Callable[[Any], str] | None = str


class TreeMethods:
    """The methods that this package adds to every tree; a type checker reads them here."""

    to_text = text.to_text
    to_rules = rules.to_rules
    to_dot = dot.to_dot
    to_latex = latex.to_latex
    to_dict = nested.to_dict
    to_sql = sql.to_sql
    to_python = python.to_python
    to_json = json.to_json
    to_sklearn = sklearn.to_sklearn

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read a tree that `to_json` wrote, see `hornbeam.export.from_json`.

        Parameters
        ----------
        text : str or bytes
            JSON text; bytes are UTF-8.

        Returns
        -------
        Tree, ActionTree or RegressionTree
            Of the class that the method is called of.

        Raises
        ------
        ValueError
            As `hornbeam.export.from_json`, or if the tree is of another kind.
        """
        tree = json.from_json(text)
        if not isinstance(tree, cls):
            raise ValueError(f"This JSON is of another kind of tree: use {type(tree).__name__}.from_json.")
        return tree


FORMATS = {
    "text": Format(to_text, "text for a terminal, as `print(tree)`"),
    "rules": Format(to_rules, "sentences, one per leaf", "\n".join),
    "dot": Format(to_dot, "a graph for Graphviz"),
    "latex": Format(to_latex, "a LaTeX document, for the package forest"),
    "json": Format(to_json, "JSON, which `Tree.from_json` reads back"),
    "dict": Format(to_dict, "nested dicts", partial(dumps, indent=2, ensure_ascii=False)),
    "sql": Format(to_sql, "SQL, one `CASE` expression"),
    "python": Format(to_python, "a Python function without dependencies"),
    "sklearn": Format(to_sklearn, "a fitted scikit-learn tree, for shap, dtreeviz, ONNX", None),
}
TEXT_FORMATS = [name for name, format in FORMATS.items() if format.as_text]

# `tree` does not import this package, so that formats depend on trees but trees on no format.
for _name, _method in vars(TreeMethods).items():
    if not _name.startswith("__"):
        setattr(BaseTree, _name, _method)
