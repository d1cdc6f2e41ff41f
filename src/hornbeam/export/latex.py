"""A tree as a LaTeX document."""

from __future__ import annotations

from textwrap import wrap

from hornbeam.tree import BaseTree
from hornbeam.tree.palette import tint
from hornbeam.tree.routing import node_depths
from hornbeam.tree.words import count, label, question

# Letters in a line of a node; a long list of categories is broken between them.
_WIDTH = 40
_HEAD = r"""\documentclass[border=4pt]{standalone}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
\usepackage{textcomp}
\usepackage{forest}
"""
_STYLE = r"""\begin{forest}
  for tree={draw, rounded corners, align=center, font=\small, l sep=9mm, s sep=4mm},
  yes/.style={edge label={node[midway, auto=right, font=\scriptsize]{yes}}},
  no/.style={edge label={node[midway, auto=left, font=\scriptsize]{no}}},
"""
# Letters that TeX or forest would read as commands, or that fonts would join to others.
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "|": r"\textbar{}",
    **{letter: rf"\{letter}" for letter in "$&#_%"},
    **{letter: f"{{{letter}}}" for letter in "[]*-,"},
}


def to_latex(tree: BaseTree) -> str:
    r"""Write the tree as a LaTeX document for the package forest, leaves colored by prediction.

    Parameters
    ----------
    tree : BaseTree
        The tree to write.

    Returns
    -------
    str
        A document in UTF-8 that holds the tree alone. To put the tree into a document of yours, copy the colors and
        the environment ``forest``, and load the packages of the first lines. pdfLaTeX sets Latin letters; for names in
        other alphabets use LuaLaTeX with a font that has them.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> print("\n".join(tree.to_latex().splitlines()[-6:]))
      [{x1 \textless{}= 40?\\4 rows}
        [{predict no\\100 \% of 3 rows}, fill=class0, yes]
        [{predict yes\\100 \% of 1 row}, fill=class1, no]
      ]
    \end{forest}
    \end{document}
    """
    colors = [tint(color).lstrip("#").upper() for color in tree.colors]
    lines = [rf"\definecolor{{class{index}}}{{HTML}}{{{color}}}" for index, color in enumerate(colors)]
    lines += [r"\begin{document}", *_STYLE.splitlines()]
    depths = node_depths(tree.left, tree.right).tolist()
    second = set(tree.right.tolist())
    open_nodes: list[int] = []
    for node, (condition, depth) in enumerate(zip(tree.conditions, depths, strict=True)):
        while len(open_nodes) > depth:  # the subtrees that the node before has completed
            lines.append(f"{'  ' * len(open_nodes)}]")
            open_nodes.pop()
        branch = "" if node == 0 else ", no" if node in second else ", yes"
        indent = "  " * (depth + 1)
        if condition is None:
            text = rf"{tree.verb} {_escape(label(tree, node))}\\{_escape(tree.describe(node))}"
            lines.append(f"{indent}[{{{text}}}, fill=class{tree.prediction[node]}{branch}]")
        else:
            lines_of_question = wrap(f"{question(tree, node)}?", _WIDTH, break_long_words=False)
            text = r"\\".join(map(_escape, [*lines_of_question, count(int(tree.n_samples[node]))]))
            lines.append(f"{indent}[{{{text}}}{branch}")
            open_nodes.append(node)
    lines += [f"{'  ' * depth}]" for depth in range(len(open_nodes), 0, -1)]
    return "\n".join([_HEAD.rstrip(), *lines, r"\end{forest}", r"\end{document}", ""])


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(letter, letter) for letter in text)
