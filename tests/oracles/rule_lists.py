"""Brute force over all rule lists: trees in which one of the two sides of every split is a leaf. Plain Python."""

from __future__ import annotations

from typing import Any

from oracles.problems import Problem


def optimal_list_cost(problem: Problem) -> int:
    """Return the exact minimum of the cost over all rule lists within the limits of a problem."""
    rows, n_columns = problem.rows, len(problem.rows[0])
    fewest = max(1, problem.min_samples_leaf)
    known: dict[tuple[tuple[int, ...], int], int] = {}

    def leaf(members: tuple[int, ...]) -> int:
        losses = [
            sum(problem.weights[r] * problem.costs[problem.classes[r]][k] for r in members)
            for k in range(len(problem.costs[0]))
        ]
        return min(losses) + problem.leaf_cost

    def best(members: tuple[int, ...], n_splits: int) -> int:
        if (members, n_splits) not in known:
            found = [leaf(members)]
            for column in range(n_columns if n_splits > 0 else 0):
                held = tuple(r for r in members if rows[r][column])
                failed = tuple(r for r in members if not rows[r][column])
                if min(len(held), len(failed)) >= fewest:
                    found.append(leaf(held) + best(failed, n_splits - 1))
                    found.append(best(held, n_splits - 1) + leaf(failed))
            known[members, n_splits] = min(found)
        return known[members, n_splits]

    limits = [len(rows)]
    if problem.max_depth is not None:
        limits.append(problem.max_depth)
    if problem.max_leaves is not None:
        limits.append(problem.max_leaves - 1)
    return best(tuple(range(len(rows))), min(limits))


def is_rule_list(tree: Any) -> bool:
    """Return whether one of the two sides of every split of a flat tree is a leaf."""
    column = [int(number) for number in tree["column"]]
    sides = zip(tree["left"], tree["right"], strict=True)
    return all(column[n] < 0 or column[int(a)] < 0 or column[int(b)] < 0 for n, (a, b) in enumerate(sides))
