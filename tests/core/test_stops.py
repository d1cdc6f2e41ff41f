"""What a search still does once it was told to stop: next to nothing, whatever the search and the moment."""

from dataclasses import replace

import numpy as np
import pytest

from core.calls import call
from core.hard import random_labels, unsolvable
from core.posteriors import search
from core.solving import arguments, solve, solve_leaf_sets, solve_lookahead
from hornbeam import _core
from oracles.posterior import Posterior


def wide():
    """Return rows of many columns, so that each step of a search takes long."""
    return random_labels(1, n_rows=100, n_columns=300, leaf_cost=1)


def solve_posterior(problem, **options):
    matrix, classes = np.array(problem.rows), np.array(problem.classes)
    return search(matrix, classes, Posterior(matrix, classes, [2.5, 2.5]), **options)


def solve_ranking(problem, **options):
    given = arguments(problem)
    del given["costs"]
    negatives = problem.classes.count(0)
    given |= {"half_pair_cost": 1, "max_false_positives": negatives * 2**20}
    return call(_core.solve_ranking, _core.RankingProblem, **given, **options)


def find_set(problem, **options):
    given = {**arguments(problem), "max_depth": 4, "optimum": 20, "bound": 300, **options}
    return _core.describe_set(call(_core.rashomon_set, **given))


SEARCHES = {
    "exact": solve,
    "exact, depth 4": lambda problem, **options: solve(replace(problem, max_depth=4), **options),
    "exact, 8 leaves": lambda problem, **options: solve(replace(problem, max_leaves=8), **options),
    "lookahead": lambda problem, **options: solve_lookahead(replace(problem, max_depth=8), 2, **options),
    "recursive lookahead": lambda problem, **options: solve_lookahead(
        replace(problem, max_depth=30), 1, recursive=True, **options
    ),
    "sets of leaves": solve_leaf_sets,
    "sets of leaves, for the AUC": solve_ranking,
    "posterior": solve_posterior,
    "Rashomon set": find_set,
}


# A lookahead of two steps still completes the leaves of its prefix, and every search finishes the step at hand.
MOST_AFTERWARDS = 7


@pytest.mark.parametrize("make", [unsolvable, wide])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_opens_few_subproblems_after_it_was_told_to_stop_and_reports_no_more(name, make):
    for n_reports in (1, 2, 5, 12):
        reports = []

        def stop(report, reports=reports, n=n_reports):
            reports.append(report)
            return len(reports) >= n

        outcome = SEARCHES[name](make(), callback=stop, callback_interval=0)
        assert outcome["status"] == "interrupted"
        assert len(reports) == n_reports
        n_before = reports[-1][3]
        assert n_before <= outcome["statistics"]["subproblems"] <= n_before + MOST_AFTERWARDS
