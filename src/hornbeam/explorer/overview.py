"""The whole set at one glance: how many trees there are of each size and objective, and what they rely on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hornbeam.explorer.listed import ListedQuery
from hornbeam.explorer.partial_trees import PartialTree
from hornbeam.explorer.queries import Query
from hornbeam.explorer.session import Session

if TYPE_CHECKING:
    from hornbeam._core import Progress

MOST_BINS = 14  # of objectives in the heat map
SAMPLE = 200  # trees for disagreement and for the importance of columns, where it takes longer to count all
MOST_WORK = 350_000  # of `Session.work_of_reliance` for what is measured without being asked for: 1 to 2 seconds


def overview_of(query: Query | ListedQuery, tree: PartialTree, objective_of: Callable[[int], float]) -> dict[str, Any]:
    """Return the numbers of trees by leaves and objective, and the best objective of each number of leaves.

    Parameters
    ----------
    query : Query or ListedQuery
        The trees that filters leave.
    tree : PartialTree
        Only trees with these splits count.
    objective_of : callable
        From ticks to an objective.

    Returns
    -------
    dict
        ``edges``, the ends of the bins of objectives; ``cells`` of the leaves, the number of a bin, and the trees in
        it; and the ``frontier`` of the best objective for each number of leaves.
    """
    by_size = query.by_size(tree)
    if not by_size:
        return {"edges": [], "cells": [], "frontier": []}
    objectives = {ticks: objective_of(ticks) for ticks, _ in by_size}
    distinct = sorted(set(objectives.values()))
    low, high = distinct[0], distinct[-1]
    n_bins = min(MOST_BINS, len(distinct))
    width = (high - low) / n_bins or 1.0
    cells: Counter[tuple[int, int]] = Counter()
    frontier: dict[int, float] = {}
    for (ticks, leaves), number in by_size.items():
        objective = objectives[ticks]
        cells[leaves, min(int((objective - low) / width), n_bins - 1)] += number
        frontier[leaves] = min(frontier.get(leaves, objective), objective)
    return {
        "edges": [low + width * place for place in range(n_bins)] + [high],
        "cells": [{"leaves": k, "bin": place, "n_trees": str(number)} for (k, place), number in sorted(cells.items())],
        "frontier": [{"leaves": k, "objective": best} for k, best in sorted(frontier.items())],
    }


def importance_of(
    session: Session,
    is_wanted_exact: bool = False,
    stop: Callable[[Progress], bool] | None = None,
    random_state: int = 0,
) -> dict[str, Any]:
    """Return how much the trees of a set rely on each column, and the share of them that test it.

    Parameters
    ----------
    session : Session
    is_wanted_exact : bool, default=False
        Whether to measure all trees however long it takes. Otherwise, sets for which that takes more than about a
        second (see `MOST_WORK`) are sampled.
    stop : callable or None, default=None
        Called while trees are measured or counted; that stops if it returns True.
    random_state : int, default=0
        Seed of the sample of a set of more than `SAMPLE` trees.

    Returns
    -------
    dict
        ``n_trees`` (text), how many trees were measured; ``is_exact``, whether these are all; and for each of the
        ``columns`` the ``least``, the ``mean`` and the ``most`` reliance, that of the ``best`` tree, and the exact
        ``share`` of all trees that test the column.

    Raises
    ------
    InterruptedError
        If counting was stopped.
    """
    trees = session.trees
    n_trees = trees.n_trees
    best = trees.reliance([0])[0]
    if is_wanted_exact or session.has_reliance or session.work_of_reliance <= MOST_WORK:
        (least, most, n_avoiding), means = session.reliance(stop)
        n_measured = n_trees
    else:
        numbers = sampled(trees, random_state)
        reliances = trees.reliance(numbers)
        least, most, n_measured = reliances.min(axis=0), reliances.max(axis=0), len(numbers)
        means = reliances.mean(axis=0)
        n_avoiding = session.numbers_avoiding(stop)
    columns = [
        {
            "column": column,
            "least": float(least[column]),
            "mean": float(means[column]),
            "best": float(best[column]),
            "most": float(most[column]),
            "share": (n_trees - n_avoiding.get(column, n_trees)) / n_trees,
        }
        for column in range(len(best))
    ]
    return {"n_trees": str(n_measured), "is_exact": n_measured == n_trees, "columns": columns}


def sampled(trees: Any, random_state: int) -> list[int]:
    """Return the numbers of all trees of a small set, or of a random sample."""
    if trees.n_trees <= SAMPLE:
        return list(range(trees.n_trees))
    return sorted(set(trees.sample(SAMPLE, random_state)))
