"""RESPLIT: the trees of prefixes closed by greedy trees, against plain Python, tree by tree; order, limits, numbers."""

import itertools
from dataclasses import replace

import pytest

from core.solving import arguments, look_ahead
from core.test_rashomon import counts, find, in_order, many_trees
from hornbeam import _core
from oracles.lookahead import lookahead_cost
from oracles.problems import MAX_TOTAL, random_problem
from oracles.rashomon import trees_within
from oracles.resplit import prefixes_within, trees_of_prefixes

OBJECTIVES = ["zero_one", "class_weighted", "balanced", "omega", "cost_matrix", "reduced_matrix"]


def find_resplit(problem, steps, bound, best=0, **options):
    """Return RESPLIT's set of a problem."""
    given = {"lookahead_depth": steps, "greedy_depth": problem.max_depth, **options}
    return find(problem, bound, optimum=best, **given)


def problems(objective, n_seeds, n_rows=(4, 14), n_columns=(1, 4), **limits):
    """Return problems with cheap leaves where every class costs something, and a price of a leaf that decides."""
    for seed in range(n_seeds):
        problem = random_problem(seed, objective, n_rows=n_rows, n_columns=n_columns, **limits)
        leaf_cost = max(problem.total() // [10, 20, 40][seed % 3], 1)
        if all(any(row) for row in problem.costs):
            yield replace(problem, leaf_cost=leaf_cost)


def n_prefixes(trees):
    """Return the number of prefixes within the bound."""
    return sum(word << 64 * i for i, word in enumerate(_core.describe_set(trees)["prefixes"]))


@pytest.mark.parametrize("any_prediction", [False, True])
@pytest.mark.parametrize(("steps", "max_depth"), [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_set_is_that_of_the_paper(objective, steps, max_depth, any_prediction):
    n_columns = (1, 4 if max_depth < 3 else 3)
    for problem in problems(objective, 9, max_depth=max_depth, n_columns=n_columns):
        best, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), max_depth, steps)
        assert look_ahead(problem, steps, keep_greedy=True)["upper"] == best
        for bound in (best, best + problem.leaf_cost // 2, best + problem.total() // 6):
            prefixes = prefixes_within(problem, steps, bound)
            expected = trees_of_prefixes(problem, prefixes, any_prediction)
            if len(expected) > 3000:
                continue
            trees = find_resplit(problem, steps, bound, best, any_prediction=any_prediction)
            found = in_order(trees)
            assert n_prefixes(trees) == len(prefixes), problem
            assert len(found) == len(expected), problem
            assert dict(found) == expected, problem
