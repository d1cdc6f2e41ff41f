"""A tree as text for a terminal."""

from __future__ import annotations

from hornbeam.conditions import Condition
from hornbeam.export._fold import fold
from hornbeam.tree import BaseTree
from hornbeam.tree.words import label, question

# Before the "yes" child and below it, before the "no" child and below it.
_BOXES = ("├── ", "│   ", "└── ", "    ")
_ASCII = ("|-- ", "|   ", "`-- ", "    ")


def to_text(tree: BaseTree, *, ascii: bool = False, confidence: float | None = None) -> str:
    """Draw the tree with one line per node.

    Parameters
    ----------
    tree : BaseTree
        The tree to draw.
    ascii : bool, default=False
        Whether to draw with ``|`` and ``-`` in place of box characters. Names are left as they are.
    confidence : float or None, default=None
        Adds to each leaf the confidence interval of its share, for example 0.95; see `Tree.share_intervals`.

    Returns
    -------
    str
        Lines without a line break at the end. A leaf shows its class, the share of that class in the training weight
        of the leaf, and the number of training rows. A missing value answers "no" to all but "is missing".

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> print(GOSDTClassifier(regularization=0.1).fit(X, y).tree_.to_text(ascii=True))
    x1 <= 40?
    |-- yes: predict no (100 % of 3 rows)
    `-- no: predict yes (100 % of 1 row)

    A larger tree::

        priors_count <= 2.5?
        ├── yes: age <= 20.5?
        │   ├── yes: predict 1 (62 % of 104 rows)
        │   └── no: predict 0 (68 % of 3,970 rows)
        └── no: predict 1 (64 % of 2,098 rows)
    """
    before_yes, under_yes, before_no, under_no = _ASCII if ascii else _BOXES

    def leaf(node: int) -> list[str]:
        return [f"{tree.verb} {label(tree, node)} ({tree.describe(node, confidence=confidence)})"]

    def inner(node: int, _: Condition, yes: list[str], no: list[str]) -> list[str]:
        return [
            f"{question(tree, node)}?",
            f"{before_yes}yes: {yes[0]}",
            *(under_yes + line for line in yes[1:]),
            f"{before_no}no: {no[0]}",
            *(under_no + line for line in no[1:]),
        ]

    lines: list[str] = fold(tree, leaf, inner)
    return "\n".join(lines)
