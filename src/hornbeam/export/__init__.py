"""A tree in other forms: each format is one file with one function, also found as method of `Tree`."""

from hornbeam.export.dot import to_dot
from hornbeam.export.json import from_json, to_json
from hornbeam.export.nested import to_dict
from hornbeam.export.python import to_python
from hornbeam.export.rules import to_rules
from hornbeam.export.sklearn import to_sklearn
from hornbeam.export.sql import to_sql
from hornbeam.export.text import to_text
from hornbeam.export.timbertrek import to_timbertrek

__all__ = [
    "from_json",
    "to_dict",
    "to_dot",
    "to_json",
    "to_python",
    "to_rules",
    "to_sklearn",
    "to_sql",
    "to_text",
    "to_timbertrek",
]
