"""RESPLIT: the trees of prefixes closed by greedy trees, against plain Python, tree by tree; order, limits, numbers."""

import itertools
from dataclasses import replace

import pytest

from core.solving import solve_lookahead
from core.test_rashomon import counts, find, in_order, many_trees
from hornbeam import _core
from oracles.lookahead import lookahead_cost
from oracles.problems import random_problem
from oracles.rashomon import trees_within
from oracles.resplit import prefixes_within, trees_of_prefixes

OBJECTIVES = ["zero_one", "class_weighted", "balanced", "omega", "cost_matrix", "reduced_matrix"]


def find_resplit(problem, steps, bound, best=0, **options):
    """Return RESPLIT's set of a problem."""
    given = {"lookahead_depth": steps, "greedy_depth": problem.max_depth, **options}
    return find(problem, bound, optimum=best, **given)


def problems(objective, n_seeds, n_rows=(4, 14), n_columns=(1, 4), **limits):
    """Return problems with cheap leaves where every class costs something, and a leaf penalty that decides."""
    for seed in range(n_seeds):
        problem = random_problem(seed, objective, n_rows=n_rows, n_columns=n_columns, **limits)
        leaf_cost = max(problem.total() // [10, 20, 40][seed % 3], 1)
        if all(any(row) for row in problem.costs):
            yield replace(problem, leaf_cost=leaf_cost)


def n_prefixes(trees):
    """Return the number of prefixes within the bound."""
    return sum(word << 64 * i for i, word in enumerate(_core.describe_set(trees)["prefixes"]))


@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
@pytest.mark.parametrize(("steps", "max_depth"), [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3), (3, 3), (2, 4)])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_set_is_that_of_the_paper(objective, steps, max_depth, leaf_rule):
    n_columns = (1, 4 if max_depth < 3 else 3)
    for problem in problems(objective, 9, max_depth=max_depth, n_columns=n_columns):
        best, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), max_depth, steps)
        assert solve_lookahead(problem, steps, keep_greedy=True)["upper"] == best
        for bound in (best, best + problem.leaf_cost // 2, best + problem.total() // 6):
            prefixes = prefixes_within(problem, steps, bound)
            expected = trees_of_prefixes(problem, prefixes, leaf_rule)
            if len(expected) > 3000:
                continue
            trees = find_resplit(problem, steps, bound, best, leaf_rule=leaf_rule)
            found = in_order(trees)
            assert n_prefixes(trees) == len(prefixes), problem
            assert len(found) == len(expected), problem
            assert dict(found) == expected, problem


def test_no_tree_costs_more_than_the_bound_and_none_is_left_out_that_is_no_worse_than_greedy_everywhere():
    for problem in problems("zero_one", 20, max_depth=3):
        best, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), 3, 1)
        bound = best + problem.leaf_cost
        exact = trees_within(problem, bound)
        found = dict(in_order(find_resplit(problem, 1, bound, best)))
        assert found.items() <= exact.items()
        assert min(found.values()) <= best


def test_every_rank_in_a_set_of_deep_prefixes_reads_another_tree():
    problem = random_problem(1, "zero_one", n_rows=(12, 40), n_columns=(4, 6), max_depth=4)
    for divisor in (40, 80):
        penalized = replace(problem, leaf_cost=problem.total() // divisor)
        best = solve_lookahead(penalized, 3, keep_greedy=True)["upper"]
        trees = find_resplit(penalized, 3, best + 2 * penalized.leaf_cost, best)
        found = in_order(trees)
        assert len(found) > 100
        assert len(dict(found)) == len(found)


def test_rows_per_leaf_hold_for_greedy_trees_and_all_others():
    for problem in problems("zero_one", 20, n_rows=(8, 20), max_depth=3, min_samples_leaf=3):
        best, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), 3, 2)
        bound = best + problem.leaf_cost
        expected = trees_of_prefixes(problem, prefixes_within(problem, 2, bound))
        assert dict(in_order(find_resplit(problem, 2, bound, best))) == expected


def test_leaves_in_the_lowest_bits_decide_no_comparison_with_a_greedy_tree():
    n_decided = 0
    for problem in problems("zero_one", 40, max_depth=3):
        costs = [[8 * (c != k) for k in range(len(problem.costs))] for c in range(len(problem.costs))]
        problem = replace(problem, weights=[1] * len(problem.rows), costs=costs, leaf_cost=8 + 1)
        best, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), 3, 1)
        bound = (best + 8) | 7
        prefixes = prefixes_within(problem, 1, bound)
        expected = trees_of_prefixes(problem, prefixes, grain=8)
        assert dict(in_order(find_resplit(problem, 1, bound, best, leaf_bits=3))) == expected
        n_decided += len(expected) - len(trees_of_prefixes(problem, prefixes))
    assert n_decided > 0


@pytest.mark.parametrize("max_depth", [0, 1, 2, 3])
def test_trees_of_less_depth_are_those_of_the_set(max_depth):
    for problem in problems("class_weighted", 12, max_depth=3):
        best, _ = lookahead_cost(problem, tuple(range(len(problem.rows))), 3, 2)
        bound = best + 2 * problem.leaf_cost
        every = dict(in_order(find_resplit(problem, 2, bound, best)))
        shallow = find_resplit(replace(problem, max_depth=max_depth), 2, bound, best, greedy_depth=3)
        assert dict(in_order(shallow)) == {tree: cost for tree, cost in every.items() if depth_of(tree) <= max_depth}


def depth_of(tree):
    """Return the depth of a nested tree."""
    return 0 if len(tree) == 1 else 1 + max(depth_of(tree[1]), depth_of(tree[2]))


def test_numbers_of_any_size():
    problem = replace(many_trees(8), max_depth=8)
    trees = find_resplit(problem, 2, 256, leaf_rule="any")
    exact = counts(find(problem, 256, optimum=0, leaf_rule="any"))
    found = counts(trees)
    assert sum(found.values()) > 2**70
    assert all(count <= exact[cost] for cost, count in found.items())
    for cost in list(found)[:: max(1, len(found) // 5)]:
        for rank in (0, found[cost] // 3, found[cost] - 1):
            assert problem.cost(_core.read_tree(trees, cost, [rank >> 64 * i & 2**64 - 1 for i in range(8)])) == cost
    with pytest.raises(ValueError, match="rank"):
        _core.read_tree(trees, 0, [found[0] >> 64 * i & 2**64 - 1 for i in range(8)])


def wide_problem():
    """Return a problem with sets of some thousand trees, and a bound for them."""
    problem = random_problem(3, "zero_one", n_rows=(400, 400), n_columns=(14, 14), max_depth=5)
    problem = replace(problem, leaf_cost=problem.total() // 100)
    best = solve_lookahead(problem, 3, keep_greedy=True)["upper"]
    return problem, best, best + 3 * problem.leaf_cost


def check_part(problem, best, bound, trees, reason):
    """Assert that a set is the one of the bound that it says was reached, in the same order."""
    description = _core.describe_set(trees)
    reached = description["complete_up_to"]
    assert description["status"] == (reason if reached < bound else "optimal")
    if reached < 0:
        assert counts(trees) == {}
        return
    again = find_resplit(problem, 3, reached, best)
    assert counts(trees) == counts(again)
    assert in_order(trees, 300) == in_order(again, 300)


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}, {"memory_limit": 1_000_000}])
def test_limits_end_in_the_set_of_a_smaller_bound(limit):
    problem, best, bound = wide_problem()
    trees = find_resplit(problem, 3, bound, best, **limit)
    assert _core.describe_set(trees)["complete_up_to"] < bound
    check_part(problem, best, bound, trees, next(iter(limit)))


@pytest.mark.parametrize("n_polls", [0, 1, 2, 3, 4])
def test_an_interrupted_search_keeps_the_set_of_the_last_bound_that_it_reached(n_polls):
    problem, best, bound = wide_problem()
    left = itertools.count(n_polls, -1)
    callback = {"callback": lambda _: next(left) <= 0, "callback_interval": 0.0}
    trees = find_resplit(problem, 3, bound, best, memory_limit=10**9, **callback)
    check_part(problem, best, bound, trees, "interrupted")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lookahead_depth": 0}, "lookahead_depth"),
        ({"lookahead_depth": 3, "greedy_depth": 2}, "greedy_depth"),
        ({"greedy_depth": 1, "lookahead_depth": 1}, "max_depth"),
        ({"leaf_bits": 60}, "leaf_bits"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        find_resplit(replace(many_trees(2), max_depth=2), 1, 10, **change)
