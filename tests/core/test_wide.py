"""All searches on 9 to 20 columns and nearly equal rows. Hypothesis shrinks what fails; keep it as an @example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import test_ranking
from core.posteriors import resolution, search
from core.solving import check_proven, check_tree, solve, solve_leaf_sets, solve_lookahead
from core.test_posterior import nats
from core.test_rashomon import find, in_order
from core.test_resplit import find_resplit
from oracles.lookahead import greedy_cost, licketysplit_cost, lookahead_cost
from oracles.posterior import Posterior
from oracles.rashomon import trees_within
from oracles.resplit import prefixes_within, trees_of_prefixes
from oracles.wide import wide_problems


@given(st.data())
@settings(max_examples=20)
def test_the_exact_search_proves_the_optimum_of_brute_force(data):
    limits = {"max_depth": data.draw(st.integers(1, 3)), "max_leaves": data.draw(st.none() | st.integers(2, 5))}
    problem = data.draw(wide_problems(min_samples_leaf=data.draw(st.integers(1, 2)), **limits))
    check_proven(problem, solve(problem), problem.optimum())


@given(st.data())
@settings(max_examples=20)
def test_sets_of_leaves_prove_the_optimum_of_brute_force(data):
    limits = {"max_depth": data.draw(st.integers(1, 3)), "max_leaves": data.draw(st.integers(2, 4))}
    problem = data.draw(wide_problems(n_rows=(4, 16), **limits))
    check_proven(problem, solve_leaf_sets(problem), problem.optimum())


@given(wide_problems(n_rows=(4, 16)), st.integers(0, 20))
@settings(max_examples=20)
def test_sets_of_leaves_rank_as_well_as_the_best_of_all_partitions(problem, leaf_cost):
    classes = [0, 1, *(each % 2 for each in problem.classes[2:])]
    weights = [min(weight, 5) for weight in problem.weights]
    ranking = {"rows": problem.rows, "classes": classes, "weights": weights, "half_pair_cost": 3}
    ranking["leaf_cost"] = leaf_cost
    test_ranking.check_proven(ranking | {"max_depth": 2}, test_ranking.solve(ranking | {"max_depth": 2}))


@given(st.data())
@settings(max_examples=20)
def test_split_and_licketysplit_are_the_recursions_of_the_paper(data):
    max_depth, last_by_loss = data.draw(st.integers(1, 3)), data.draw(st.booleans())
    problem = data.draw(wide_problems(max_depth=max_depth))
    rows = tuple(range(len(problem.rows)))
    split = solve_lookahead(problem, 1, last_by_loss=last_by_loss)
    lickety = solve_lookahead(problem, 1, recursive=True, last_by_loss=last_by_loss)
    check_tree(problem, split)
    check_tree(problem, lickety)
    prefix, _ = lookahead_cost(problem, rows, max_depth, 1, last_by_loss)
    assert solve_lookahead(problem, 1, last_by_loss=last_by_loss, keep_greedy=True)["upper"] == prefix
    assert problem.optimum() <= split["upper"] <= prefix <= greedy_cost(problem, rows, max_depth, last_by_loss)
    assert lickety["upper"] == licketysplit_cost(problem, rows, max_depth, 1, last_by_loss)


@given(wide_problems(n_rows=(4, 16), max_depth=2), st.integers(0, 10))
@settings(max_examples=15)
@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
def test_rashomon_sets_and_those_of_resplit_have_the_trees_of_brute_force(leaf_rule, problem, percent):
    prefix, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), 2, 1)
    bound = prefix + problem.total() * percent // 100
    assert dict(in_order(find(problem, bound, leaf_rule=leaf_rule))) == trees_within(problem, bound, leaf_rule)
    expected = trees_of_prefixes(problem, prefixes_within(problem, 1, bound), leaf_rule)
    assert dict(in_order(find_resplit(problem, 1, bound, prefix, leaf_rule=leaf_rule))) == expected


@given(wide_problems(n_rows=(4, 20)), st.integers(1, 3), st.sampled_from([0.2, 0.95, 0.999]))
@settings(max_examples=15)
def test_the_posterior_search_finds_the_best_of_all_trees(problem, max_depth, alpha):
    matrix, classes = np.array(problem.rows, dtype=np.uint8), np.array(problem.classes)
    posterior = Posterior(matrix, classes, [2.5] * len(problem.costs), alpha, 0.5, max_depth)
    outcome = search(matrix, classes, posterior)
    assert outcome["status"] == "optimal"
    best, error = posterior.best(posterior.all_rows), resolution(posterior)
    assert nats(outcome["upper"]) == pytest.approx(best, abs=error, rel=0)
