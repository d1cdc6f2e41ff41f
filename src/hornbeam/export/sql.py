"""A tree as an SQL expression."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from hornbeam._checks import shown
from hornbeam._dates import date_text
from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne, Scalar
from hornbeam.export._fold import fold
from hornbeam.table import Kind, TableSchema
from hornbeam.tree import BaseTree
from hornbeam.tree.words import storable

Quote: TypeAlias = Literal['"', "`", "["]

# For each kind of dates: the word before a literal of standard SQL, and the type in SQL Server.
_DATE_TYPES = {
    "date": ("DATE", "date"),
    "datetime": ("TIMESTAMP", "datetime2"),
    "datetime_utc": ("TIMESTAMP WITH TIME ZONE", "datetimeoffset"),
    "time": ("TIME", "time"),
}


def to_sql(tree: BaseTree, *, quote: Quote = '"') -> str:
    r"""Write the tree as a CASE expression, for use in a SELECT over a table with the training columns.

    NULL is a missing value: a comparison with NULL is not true, so CASE goes to ELSE, as the tree does.

    Parameters
    ----------
    tree : BaseTree
        The tree to write.
    quote : {'"', "`", "["}, default='"'
        How names are quoted, and with it the dialect of literals. ``"``: standard SQL (PostgreSQL, SQLite, DuckDB,
        Snowflake). A backtick: MySQL, MariaDB, BigQuery, Spark, where strings have backslash escapes. ``[``: SQL
        Server, where booleans are 1 and 0 and strings begin with N.

    Returns
    -------
    str
        Expression without alias or semicolon; its value is the class label, or the action.

    Raises
    ------
    ValueError
        If `quote` is none of these, or a name or string holds a lone surrogate, which no database can store.

    Notes
    -----
    Columns that were boolean in training are compared as the numbers 0 and 1; cast them if the database is strict about
    it (PostgreSQL). Strings are compared by the database's collation, which must distinguish upper and lower case.

    Columns of dates, times and durations are compared with literals of their type: ``DATE '2023-05-01'``,
    ``TIMESTAMP '2023-05-01 12:30:00'``, ``TIME '12:30:00'``, ``INTERVAL '93784 seconds'``, and with a time zone
    ``TIMESTAMP WITH TIME ZONE '2023-05-01 12:30:00+00:00'``; for a backtick ``TIMESTAMP '2023-05-01 12:30:00+00:00'``
    and ``INTERVAL 93784 SECOND``. SQL Server casts strings to date, datetime2, datetimeoffset and time; durations,
    which it lacks, must be numbers of seconds there. Columns of dates must be of type DATE: the time of a timestamp
    would count. SQLite has no dates: store them as ISO 8601 strings and delete the words DATE and TIMESTAMP.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> print(tree.to_sql())
    CASE WHEN "x1" <= 40.0
      THEN 'no'
      ELSE 'yes'
    END
    """
    if not isinstance(quote, str) or quote not in get_args(Quote):
        raise ValueError(f"quote must be one of {get_args(Quote)}, found {shown(quote)}.")
    outputs = [literal_sql(each, quote) for each in tree.outputs.tolist()]

    # Lines are joined only at the end: a literal may hold a line break, after which nothing must be indented.
    def leaf(node: int) -> list[str]:
        return [outputs[tree.prediction[node]]]

    def inner(_: int, condition: Condition, yes: list[str], no: list[str]) -> list[str]:
        test = condition_sql(tree.columns, condition, quote)
        branches = [f"THEN {yes[0]}", *yes[1:], f"ELSE {no[0]}", *no[1:]]
        return [f"CASE WHEN {test}", *(f"  {line}" for line in branches), "END"]

    lines: list[str] = fold(tree, leaf, inner)
    return "\n".join(lines)


def condition_sql(columns: TableSchema, condition: Condition, quote: Quote = '"') -> str:
    """Write a condition on the columns of a table; ValueError if a name or string cannot be stored."""
    name, kind = _identifier(columns.names[condition.column], quote), columns.kinds[condition.column]
    match condition:
        case AtMost(threshold=threshold):
            return f"{name} <= {_number_or_date(float(threshold), kind, quote)}"
        case IsOne():
            return f"{name} = 1"
        case IsIn(values=values):
            return f"{name} IN ({', '.join(literal_sql(value, quote) for value in values)})"
        case IsMissing():
            return f"{name} IS NULL"


def _number_or_date(threshold: float, kind: Kind, quote: Quote) -> str:
    if kind in ("number", "category"):
        return repr(threshold)
    if kind == "duration":
        return {'"': f"INTERVAL '{threshold:.15g} seconds'", "`": f"INTERVAL {threshold:.15g} SECOND"}.get(
            quote, f"{threshold:.15g}"
        )
    text = date_text(threshold, kind).replace(" UTC", "+00:00")
    standard, of_sql_server = _DATE_TYPES[kind]
    if quote == "[":
        return f"CAST('{text}' AS {of_sql_server})"
    return f"{'TIMESTAMP' if quote == '`' and kind == 'datetime_utc' else standard} '{text}'"


def _identifier(name: str, quote: Quote) -> str:
    _check_storable(name)
    closing = "]" if quote == "[" else quote
    return f"{quote}{name.replace(closing, 2 * closing)}{closing}"


def _check_storable(text: str) -> None:
    if storable(text) != text:
        raise ValueError(f"{text!r} holds a lone surrogate, which no database can store; rename it, or use to_python.")


def literal_sql(value: Scalar, quote: Quote = '"') -> str:
    """Write a value; ValueError if it is a string that cannot be stored."""
    if isinstance(value, bool):
        return str(int(value)) if quote == "[" else str(value).upper()
    if not isinstance(value, str):
        return repr(value)
    _check_storable(value)
    if quote == "`":
        escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
        return f"'{escaped}'"
    doubled = value.replace("'", "''")
    return f"N'{doubled}'" if quote == "[" else f"'{doubled}'"
