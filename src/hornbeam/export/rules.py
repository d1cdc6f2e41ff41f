"""A tree as English sentences, one per leaf."""

from __future__ import annotations

from hornbeam.conditions import AtMost, Condition, IsIn, IsMissing, IsOne
from hornbeam.table import Kind
from hornbeam.tree import BaseTree
from hornbeam.tree.words import column_name, label, one_line

# A condition on the path to a leaf, and whether it held.
Answer = tuple[Condition, bool]


def to_rules(tree: BaseTree, *, confidence: float | None = None) -> list[str]:
    """Write the tree in English, one sentence per leaf, from left to right.

    All conditions on a column are merged into one: an interval, a list of categories, or whether it is missing. A
    comparison is never true of a missing value. If missing values also follow the rule, and that column had some in
    training, it ends with "or missing".

    Parameters
    ----------
    tree : BaseTree
        The tree to write.
    confidence : float or None, default=None
        Adds to each rule the confidence interval of its share, for example 0.95; see `Tree.share_intervals`.

    Returns
    -------
    list of str
        Sentences such as ``If priors_count <= 2.5 and 20.5 < age <= 25.5, predict no (82 % of 1,204 training rows).``
        in the order of the leaves. Exactly one holds for each row.

    Examples
    --------
    >>> from hornbeam import GOSDTClassifier
    >>> X, y = [[0, 20], [0, 30], [1, 25], [1, 50]], ["no", "no", "no", "yes"]
    >>> tree = GOSDTClassifier(regularization=0.1).fit(X, y).tree_
    >>> for rule in tree.to_rules():
    ...     print(rule)
    If x1 <= 40, predict no (100 % of 3 training rows).
    If x1 > 40, predict yes (100 % of 1 training row).
    """
    answers: dict[int, list[Answer]] = {0: []}
    sentences = []
    for node, condition in enumerate(tree.conditions):
        path = answers.pop(node)
        if condition is None:
            outcome = f"{tree.verb} {label(tree, node)} ({tree.describe(node, 'training row', confidence)})."
            sentences.append(f"If {_premise(tree, path)}, {outcome}" if path else f"Always {outcome}")
        else:
            answers[int(tree.left[node])] = [*path, (condition, True)]
            answers[int(tree.right[node])] = [*path, (condition, False)]
    return sentences


def _premise(tree: BaseTree, path: list[Answer]) -> str:
    """Join the conditions of the path on each column, in the order in which it first tests them."""
    columns = dict.fromkeys(condition.column for condition, _ in path)
    return " and ".join(
        one_line(
            _about_column(
                column_name(tree, column),
                tree.columns.kinds[column],
                [condition for condition, holds in path if holds and condition.column == column],
                [condition for condition, holds in path if not holds and condition.column == column],
                tree.has_missing[column],
            )
        )
        for column in columns
    )


def _about_column(name: str, kind: Kind, held: list[Condition], failed: list[Condition], has_missing: bool) -> str:
    """Return all conditions of the path on one column, in words."""
    if any(isinstance(condition, IsMissing) for condition in held):
        return f"{name} is missing"
    compared = " and ".join(
        words
        for words in (_interval(name, kind, held, failed), _one(name, held, failed), _categories(name, held, failed))
        if words
    )
    if not compared:
        return f"{name} is not missing"
    # A condition that held, or a failed "is missing", rules missing values out.
    present = bool(held) or any(isinstance(condition, IsMissing) for condition in failed)
    return compared if present or not has_missing else f"({compared} or missing)"


def _interval(name: str, kind: Kind, held: list[Condition], failed: list[Condition]) -> str:
    """Return the thresholds between which a number or date lies; empty if there are none."""
    upper = min((c for c in held if isinstance(c, AtMost)), key=lambda c: c.threshold, default=None)
    lower = max((c for c in failed if isinstance(c, AtMost)), key=lambda c: c.threshold, default=None)
    if upper is None:
        return "" if lower is None else lower.negated_text(name, kind)
    return upper.text(name, kind) if lower is None else f"{lower.threshold_text(kind)} < {upper.text(name, kind)}"


def _one(name: str, held: list[Condition], failed: list[Condition]) -> str:
    """Return whether a 0/1 column is 1, or a boolean true, in words; empty if the path does not test it."""
    for conditions, holds in ((held, True), (failed, False)):
        for condition in conditions:
            if isinstance(condition, IsOne):
                return condition.text(name) if holds else condition.negated_text(name)
    return ""


def _categories(name: str, held: list[Condition], failed: list[Condition]) -> str:
    """Return the categories that are left, or those excluded if the path names none; empty if there are neither."""
    excluded = dict.fromkeys(value for c in failed if isinstance(c, IsIn) for value in c.values)
    wanted = [c for c in held if isinstance(c, IsIn)]
    if not wanted:
        return IsIn(0, tuple(excluded)).negated_text(name) if excluded else ""
    allowed = set.intersection(*(set(c.values) for c in wanted)) - excluded.keys()
    return IsIn(0, tuple(value for value in wanted[0].values if value in allowed)).text(name)
