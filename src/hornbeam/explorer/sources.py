"""What a page without a server makes files of: texts of all conditions and classes, and the report but for its tree.

The page puts them together as the functions of `hornbeam.export` do; see ``explorer/src/exports.ts``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hornbeam.conditions import Condition, IsIn, condition_to_dict, readable_name
from hornbeam.explorer.engine import Engine
from hornbeam.explorer.report import row_of, table_row, template_of, without_of
from hornbeam.export.json import head_of, json_text
from hornbeam.export.python import HEAD, about_date, condition_source
from hornbeam.export.sql import condition_sql, literal_sql
from hornbeam.tree.words import one_line

_CUT = "\0"  # where a text is continued with what depends on the tree


def sources_of(engine: Engine) -> dict[str, Any]:
    """Return the texts that files with any tree of a set are made of.

    Parameters
    ----------
    engine : Engine
        Of the set.

    Returns
    -------
    dict
        See `Sources` in ``explorer/src/exports.ts``. A text that cannot be written is an object with an ``error``.
    """
    problem = engine.problem
    schema, tree = problem.schema, engine.session.trees[0]
    tested = sorted({condition.column for condition in problem.conditions})
    without = engine.without(tested)
    best = engine.session.trees.objective(0)
    return {
        "columns": [
            {"name": readable_name(name), "has_missing": has_missing, "date": about_date(schema, column)}
            for column, (name, has_missing) in enumerate(zip(schema.names, problem.has_missing, strict=True))
        ],
        "conditions": _conditions(engine),
        "outputs": [
            {"label": one_line(label), "python": repr(label), "sql": _tried(literal_sql, label)}
            for label in problem.classes.tolist()
        ],
        "python": HEAD.format(name="predict", dates=_CUT).split(_CUT),
        "json": head_of(tree),
        "report": template_of(engine.facts(0)),
        "penalty": engine.classifier.regularization_,
        "without": without_of([]),
        "without_rows": {column: table_row(row_of(one, best)) for column, one in zip(tested, without, strict=True)},
    }


def _conditions(engine: Engine) -> list[dict[str, Any]]:
    schema = engine.problem.schema
    numbers: dict[Any, int] = {}  # of values: those that are equal in Python have the same

    def record(condition: Condition) -> dict[str, Any]:
        values = condition.values if isinstance(condition, IsIn) else ()
        return {
            "kind": condition.kind,
            "json": json_text(condition_to_dict(condition)),
            "python": condition_source(schema, condition),
            "sql": _tried(condition_sql, schema, condition),
            "values": [[numbers.setdefault(value, len(numbers)), str(value)] for value in values],
        }

    return [record(condition) for condition in engine.problem.conditions]


def _tried(write: Callable[..., str], *of: Any) -> str | dict[str, str]:
    try:
        return write(*of)
    except ValueError as error:
        return {"error": str(error)}
