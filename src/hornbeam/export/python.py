"""A tree as the source of a Python function."""

from __future__ import annotations

from keyword import iskeyword
from textwrap import indent

from hornbeam._checks import shown
from hornbeam._dates import datetime_of
from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne
from hornbeam.export._fold import fold
from hornbeam.table import Kind, TableSchema
from hornbeam.tree import BaseTree

_INDENT = " " * 4
# CPython refuses source with more levels of indentation.
_MAX_LEVELS = 99

HEAD = '''def {name}(row=(), /, **columns):
    """Return the prediction for one row.

    The row is a mapping from names of columns to values, or keyword arguments. None and NaN are missing values.
    """{dates}
    row = dict(row, **columns)
'''

# For each kind of dates: the names imported from datetime, and what the function expects.
_DATES = {
    "date": ((), "a date or a datetime, of which only the date counts"),
    "datetime": (("datetime",), "a datetime without time zone"),
    "datetime_utc": (("datetime", "timezone"), "a datetime with a time zone"),
    "duration": (("timedelta",), "a timedelta"),
    "time": (("time",), "a time"),
}


def to_python(tree: BaseTree, *, function_name: str = "predict") -> str:
    """Write the tree as a Python function that needs nothing but Python.

    Parameters
    ----------
    tree : BaseTree
        The tree to write.
    function_name : str, default="predict"
        Name of the function.

    Returns
    -------
    str
        Source of one function. It takes one row as a mapping from column names to values, or as keyword arguments, and
        returns the prediction. None, NaN and NaT are missing values; a tested column that is absent raises KeyError.
        Dates, times and durations are objects of Python's `datetime` or of pandas; a comment in the function states
        what each such column must be.

    Raises
    ------
    ValueError
        If `function_name` is not a valid name, if a path on which 99 conditions hold would need more levels of
        indentation than Python allows, or if a threshold is a date outside the years 1 to 9999.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> names = {}
    >>> exec(tree.to_python(), names)
    >>> names["predict"](x0=1, x1=50)
    'yes'
    """
    if not isinstance(function_name, str) or not function_name.isidentifier() or iskeyword(function_name):
        raise ValueError(f"function_name must be a name that Python accepts, found {shown(function_name)}.")
    outputs = list(map(repr, tree.outputs.tolist()))

    def leaf(node: int) -> str:
        return f"return {outputs[tree.prediction[node]]}  # {tree.describe(node, 'training row')}\n"

    def inner(_: int, condition: Condition, yes: str, no: str) -> str:
        test = condition_source(tree.columns, condition)
        # A condition on the "no" side becomes an "elif", which needs no deeper indentation.
        otherwise = f"el{no}" if no.startswith("if ") else f"else:\n{indent(no, _INDENT)}"
        return f"if {test}:\n{indent(yes, _INDENT)}{otherwise}"

    body = indent(fold(tree, leaf, inner), _INDENT)
    levels = max((len(line) - len(line.lstrip())) // len(_INDENT) for line in body.splitlines())
    if levels > _MAX_LEVELS:
        raise ValueError(f"The tree needs {levels} levels of indentation; Python allows {_MAX_LEVELS}. Use to_json.")
    return HEAD.format(name=function_name, dates=_about_dates(tree)) + body


def _about_dates(tree: BaseTree) -> str:
    """Return the imports for the dates that the tree tests, and a comment on each of their columns."""
    used = sorted({condition.column for condition in tree.conditions if isinstance(condition, AtMost)})
    dates = [about for column in used if (about := about_date(tree.columns, column))]
    imported = sorted({name for needed, _ in dates for name in needed})
    lines = [f"from datetime import {', '.join(imported)}", ""] if imported else []
    lines += [comment for _, comment in dates]
    return "".join(f"\n{_INDENT if line else ''}{line}" for line in lines)


def about_date(columns: TableSchema, column: int) -> tuple[tuple[str, ...], str] | None:
    """Return what the comparisons of a column of dates import from datetime, and a comment; None for other columns."""
    if columns.kinds[column] not in _DATES:
        return None
    imported, expected = _DATES[columns.kinds[column]]
    return imported, f"# row[{columns.names[column]!r}] is {expected}."


def condition_source(columns: TableSchema, condition: Condition) -> str:
    """Write a condition on the columns of a table as an expression of Python that is false for missing values."""
    return _test(f"row[{columns.names[condition.column]!r}]", columns.kinds[condition.column], condition)


def _test(value: str, kind: Kind, condition: Condition) -> str:
    """Write the condition on `value`; comparisons with NaN are false by themselves, those with None must be avoided."""
    match condition:
        case AtMost(threshold=threshold) if kind in _DATES:
            return f"{value} is not None and {_date_test(value, kind, float(threshold))}"
        case AtMost(threshold=threshold):
            return f"{value} is not None and {value} <= {float(threshold)!r}"
        case IsOne():
            return f"{value} == 1"
        case IsIn(values=values):
            return f"{value} in {values!r}"
        case IsMissing():
            return f"{value} is None or {value} != {value}"


def _date_test(value: str, kind: Kind, threshold: float) -> str:
    """Write a comparison that is false for pandas' NaT."""
    if kind == "duration":
        return f"{value} <= timedelta(seconds={threshold!r})"
    moment = datetime_of(threshold)
    if kind == "date":
        return f"{value}.isoformat()[:10] <= {moment.date().isoformat()!r}"
    parts = [moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond]
    while parts[-1] == 0 and len(parts) > 5:
        parts.pop()
    if kind == "time":
        return f"{value} == {value} and {value} <= time({', '.join(map(str, parts[3:]))})"
    zone = ", tzinfo=timezone.utc" if kind == "datetime_utc" else ""
    return f"{value} <= datetime({', '.join(map(str, parts))}{zone})"
