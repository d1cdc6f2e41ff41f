"""What else could have been chosen: the best good trees of each size, and without each column of the chosen tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from hornbeam.explorer.filters import Filters
from hornbeam.explorer.listed import ListedSession
from hornbeam.explorer.overview import overview_of
from hornbeam.explorer.partial_trees import Open, PartialTree, Split
from hornbeam.explorer.session import Session
from hornbeam.tree import Tree


class Alternative(NamedTuple):
    """Good trees that could have been chosen: how many there are, and their best objective; None if there are none."""

    name: str
    n_trees: int
    objective: float | None


def best_of_sizes(session: Session | ListedSession, objective_of: Callable[[int], float]) -> list[Alternative]:
    """Return the good trees of each number of leaves; `objective_of` makes objectives of ticks."""
    overview = overview_of(session.query(Filters()), Open(), objective_of)
    n_trees: Counter[int] = Counter()
    for cell in overview["cells"]:
        n_trees[cell["leaves"]] += int(cell["n_trees"])
    return [Alternative(str(one["leaves"]), n_trees[one["leaves"]], one["objective"]) for one in overview["frontier"]]


def best_without(
    columns: Sequence[int],
    session: Session | ListedSession,
    objective_of: Callable[[int], float],
    stop: Callable[[Any], bool] | None = None,
) -> list[Alternative]:
    """Return for each of some columns the good trees that do not test it.

    Parameters
    ----------
    columns : sequence of int
        Numbers of columns of the table.
    session : Session or ListedSession
    objective_of : callable
        From ticks to an objective.
    stop : callable or None, default=None
        Called while trees without a column are counted; that ends if it returns True.

    Raises
    ------
    InterruptedError
        If counting was stopped.
    """
    found = []
    for column in columns:
        others = session.query(Filters(never=frozenset({column})), stop)
        least = others.least(Open())
        objective = None if least is None else objective_of(least)
        name = str(session.problem.schema.names[column])
        found.append(Alternative(name, others.number_of_trees(Open()), objective))
    return found


def columns_of(tree: Tree) -> list[int]:
    """Return the numbers of the columns that a tree tests, ascending."""
    return sorted({condition.column for condition in tree.conditions if condition is not None})


def choices_in_words(filters: Filters, tree: PartialTree, names: Sequence[str]) -> list[str]:
    """Return what the user asked of the tree: the filters, and how many nodes were fixed."""
    texts = [f"never tests {names[column]}" for column in sorted(filters.never)]
    texts += [f"always tests {names[column]}" for column in sorted(filters.always)]
    if filters.max_leaves is not None:
        texts.append(f"at most {filters.max_leaves} leaves")
    if filters.max_depth is not None:
        texts.append(f"depth at most {filters.max_depth}")
    if filters.min_rows > 1:
        texts.append(f"at least {filters.min_rows:,} rows in each leaf")
    if filters.max_objective is not None:
        texts.append(f"objective at most {filters.max_objective:.6f}")
    n_fixed = _number_of_fixed_nodes(tree)
    if n_fixed:
        texts.append(f"{n_fixed} {'node' if n_fixed == 1 else 'nodes'} fixed by hand")
    return texts


def _number_of_fixed_nodes(tree: PartialTree) -> int:
    if isinstance(tree, Split):
        return 1 + _number_of_fixed_nodes(tree.true) + _number_of_fixed_nodes(tree.false)
    return int(not isinstance(tree, Open))
