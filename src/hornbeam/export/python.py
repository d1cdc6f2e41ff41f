"""A tree as source of a Python function."""

from __future__ import annotations

from keyword import iskeyword
from textwrap import indent

from hornbeam._checks import shown
from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne
from hornbeam.export._fold import fold
from hornbeam.tree import Tree
from hornbeam.tree.words import support

_INDENT = " " * 4
# CPython refuses source with more levels of indentation.
_MAX_LEVELS = 99

_HEAD = '''def {name}(row=(), /, **columns):
    """Return the predicted class of one row.

    The row is a mapping from names of columns to values, or keyword arguments. None and NaN are missing values.
    """
    row = dict(row, **columns)
'''


def to_python(tree: Tree, *, function_name: str = "predict") -> str:
    """Write the tree as a Python function that needs nothing but Python.

    Parameters
    ----------
    tree : Tree
        The tree to write.
    function_name : str, default="predict"
        Name of the function.

    Returns
    -------
    str
        Source of one function. It takes one row as mapping from names of columns to values, or as keyword arguments,
        and returns the class label. None and NaN are missing values; a column that is asked for but absent is a
        KeyError.

    Raises
    ------
    ValueError
        If `function_name` is no name in Python, or the source would be indented by more than 99 levels, which Python
        does not read; that takes a path on which 99 conditions hold.

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
    labels = list(map(repr, tree.classes.tolist()))

    def leaf(node: int) -> str:
        return f"return {labels[tree.prediction[node]]}  # {support(tree, node, 'training row')}\n"

    def inner(_: int, condition: Condition, yes: str, no: str) -> str:
        test = _test(f"row[{tree.columns.names[condition.column]!r}]", condition)
        # A question that follows a "no" becomes an "elif", which needs no deeper indentation.
        otherwise = f"el{no}" if no.startswith("if ") else f"else:\n{indent(no, _INDENT)}"
        return f"if {test}:\n{indent(yes, _INDENT)}{otherwise}"

    body = indent(fold(tree, leaf, inner), _INDENT)
    levels = max((len(line) - len(line.lstrip())) // len(_INDENT) for line in body.splitlines())
    if levels > _MAX_LEVELS:
        raise ValueError(f"The tree needs {levels} levels of indentation; Python reads {_MAX_LEVELS}. Use to_json.")
    return _HEAD.format(name=function_name) + body


def _test(value: str, condition: Condition) -> str:
    """Write the condition on `value`; comparisons with NaN are false by themselves, those with None must be avoided."""
    match condition:
        case AtMost(threshold=threshold):
            return f"{value} is not None and {value} <= {float(threshold)!r}"
        case IsOne():
            return f"{value} == 1"
        case IsIn(values=values):
            return f"{value} in {values!r}"
        case IsMissing():
            return f"{value} is None or {value} != {value}"
