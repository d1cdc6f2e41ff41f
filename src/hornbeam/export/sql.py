"""A tree as SQL expression."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from hornbeam._checks import shown
from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne, Scalar
from hornbeam.export._fold import fold
from hornbeam.tree import Tree
from hornbeam.tree.words import printable

Quote: TypeAlias = Literal['"', "`", "["]


def to_sql(tree: Tree, *, quote: Quote = '"') -> str:
    r"""Write the tree as a CASE expression, to be put into a SELECT over a table with the training columns.

    NULL is a missing value: a comparison with NULL is not true, so CASE goes to ELSE, as the tree does.

    Parameters
    ----------
    tree : Tree
        The tree to write.
    quote : {'"', "`", "["}, default='"'
        How names are quoted, and with it the dialect of literals. ``"``: standard SQL (PostgreSQL, SQLite, DuckDB,
        Snowflake). A backtick: MySQL, MariaDB, BigQuery, Spark, where texts are written with backslash escapes.
        ``[``: SQL Server, where booleans are 1 and 0 and texts begin with N.

    Returns
    -------
    str
        Expression without alias or semicolon; its value is the class label.

    Raises
    ------
    ValueError
        If `quote` is none of these, or a name or text holds a lone surrogate, which no database can store.

    Notes
    -----
    Columns that were boolean in training are compared as the numbers 0 and 1; cast them where SQL is strict about it
    (PostgreSQL). Texts are compared by the database's collation, which must tell upper from lower case.

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
    labels = [_literal(label, quote) for label in tree.classes.tolist()]

    # Lines are kept apart until the end: a literal that holds a line break must not be indented inside.
    def leaf(node: int) -> list[str]:
        return [labels[tree.prediction[node]]]

    def inner(_: int, condition: Condition, yes: list[str], no: list[str]) -> list[str]:
        test = _test(_identifier(tree.columns.names[condition.column], quote), condition, quote)
        branches = [f"THEN {yes[0]}", *yes[1:], f"ELSE {no[0]}", *no[1:]]
        return [f"CASE WHEN {test}", *(f"  {line}" for line in branches), "END"]

    lines: list[str] = fold(tree, leaf, inner)
    return "\n".join(lines)


def _test(name: str, condition: Condition, quote: Quote) -> str:
    match condition:
        case AtMost(threshold=threshold):
            return f"{name} <= {float(threshold)!r}"
        case IsOne():
            return f"{name} = 1"
        case IsIn(values=values):
            return f"{name} IN ({', '.join(_literal(value, quote) for value in values)})"
        case IsMissing():
            return f"{name} IS NULL"


def _identifier(name: str, quote: Quote) -> str:
    _check_storable(name)
    closing = "]" if quote == "[" else quote
    return f"{quote}{name.replace(closing, 2 * closing)}{closing}"


def _check_storable(text: str) -> None:
    if printable(text) != text:
        raise ValueError(f"{text!r} holds a lone surrogate, which no database can store; rename it, or use to_python.")


def _literal(value: Scalar, quote: Quote) -> str:
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
