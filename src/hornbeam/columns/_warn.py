"""The warnings of `fit` about columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from hornbeam._user_frame import module_of_user, warn_user
from hornbeam.columns._remarks import Suspect, copy_in_tree, suspects_of
from hornbeam.columns._remedies import Remedies
from hornbeam.exceptions import ColumnWarning
from hornbeam.table import Table

if TYPE_CHECKING:
    from hornbeam.tree import Tree

_MOST_WARNINGS = 5
_warned_of: set[tuple[str, str]] = set()  # columns and problems of which a fold of a cross-validation has warned


def warn_of_columns(table: Table, X: Any, codes: npt.NDArray[Any] | None, n_classes: int) -> None:
    """Warn of columns that are probably not meant as they were read from `X`, unless all are packed flags.

    `codes` are the classes of the rows, or None if there are none. Of flags only a copy of the target can be suspected,
    which `warn_of_copy` finds in the tree at no cost.
    """
    if table.flags is not None:
        return
    suspects = suspects_of(table, X, codes, n_classes)
    suspects.sort(key=lambda suspect: suspect.problem != "copy of the target")  # the most harmful ones first
    suspects = _not_warned_of(suspects, table)
    if not suspects:
        return
    remedies = Remedies(X, table)
    for suspect in suspects[:_MOST_WARNINGS]:
        warn_user(_message(suspect, table, remedies), ColumnWarning)
    if len(suspects) > _MOST_WARNINGS:
        others = ", ".join(repr(table.names[suspect.position]) for suspect in suspects[_MOST_WARNINGS:][:10])
        warn_user(
            f"{len(suspects) - _MOST_WARNINGS} more columns are suspect: {others}"
            f"{', ...' if len(suspects) > _MOST_WARNINGS + 10 else ''}. print(hornbeam.column_report(X, y)) lists all.",
            ColumnWarning,
        )


def _not_warned_of(suspects: list[Suspect], table: Table) -> list[Suspect]:
    """Return the suspects; if scikit-learn's cross-validation called hornbeam, only those that no earlier fold had.

    Each fold has different rows, and so different messages about the same columns, which Python would all show.
    """
    if not suspects or not module_of_user().startswith("sklearn.model_selection."):
        return suspects
    fresh = [suspect for suspect in suspects if (table.names[suspect.position], suspect.problem) not in _warned_of]
    _warned_of.update((table.names[suspect.position], suspect.problem) for suspect in fresh)
    return fresh


def warn_of_copy(tree: Tree, table: Table, X: Any) -> None:
    """Warn of a packed flag from which alone a fitted tree predicts the target."""
    suspect = None if table.flags is None else copy_in_tree(tree)
    if suspect is not None:
        warn_user(_message(suspect, table, Remedies(X, table)), ColumnWarning)


def _message(suspect: Suspect, table: Table, remedies: Remedies) -> str:
    remark = suspect.remark(table, remedies)
    match suspect.problem:
        case "number as text":
            keep = remedies.keep(suspect.position)
            advice = (
                "; each value became a category. Convert it:\n    {}\nIf categories are meant, declare them:\n    "
                + keep
            )
        case "date as text":
            advice = "; each value became a category. Convert it:\n    {}"
        case "missing as number":
            advice = ". If it is one, make it a missing value:\n    {}"
        case "spelling":
            advice = (
                "; each is a category of its own. Unify them:\n    {}\nIf they differ on purpose, declare them:\n    "
            )
            advice += remedies.keep(suspect.position)
        case "identifier":
            advice = "; splits on it do not generalize to new rows. Leave it out:\n    {}"
        case "copy of the target":
            advice = ". If it is not known when the tree is used, leave it out:\n    {}"
    return f"Column {remark.column!r} {remark.found}{advice.replace('{}', remark.remedy)}"
