"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

from textwrap import wrap

from hornbeam.tree import BaseTree
from hornbeam.tree.palette import tint
from hornbeam.tree.words import count, label, question

# Letters in a line of a node; a long list of categories is broken between them.
_WIDTH = 40


def to_dot(tree: BaseTree) -> str:
    """Write the tree for Graphviz, leaves colored by prediction.

    Parameters
    ----------
    tree : BaseTree
        The tree to write.

    Returns
    -------
    str
        A directed graph in UTF-8; draw it with ``dot -Tsvg``.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> tree.to_dot().splitlines()[0]
    'digraph tree {'
    """
    colors = tree.colors
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
    ]
    for node, condition in enumerate(tree.conditions):
        if condition is None:
            color = colors[tree.prediction[node]]
            text = f"{_escape(label(tree, node))}\\n{_escape(tree.describe(node))}"
            lines.append(f'  {node} [label="{text}", color="{color}", fillcolor="{tint(color)}"];')
        else:
            lines_of_question = wrap(question(tree, node), _WIDTH, break_long_words=False)
            text = "\\n".join(map(_escape, [*lines_of_question, count(int(tree.n_samples[node]))]))
            lines.append(f'  {node} [label="{text}"];')
            lines.append(f'  {node} -> {tree.left[node]} [label="yes"];')
            lines.append(f'  {node} -> {tree.right[node]} [label="no"];')
    return "\n".join([*lines, "}", ""])


def _escape(text: str) -> str:
    """Escape what Graphviz would read: backslashes, quotes, and ``&`` as the start of an HTML entity.

    Braces and bars have a meaning only in record shapes, which are not used.
    """
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
