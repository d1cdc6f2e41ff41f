"""Sets of near-optimal trees: against all trees of small problems, tree by tree; order, limits and large numbers."""

import itertools
from dataclasses import replace

import pytest

from core.calls import call
from core.solving import arguments, solve
from hornbeam import _core
from oracles.problems import MAX_TOTAL, OBJECTIVES, Problem, random_problem
from oracles.rashomon import nested, trees_within


def find(problem, bound, optimum=None, **options):
    """Return the set of the trees that cost at most `bound`."""
    optimum = solve(problem)["upper"] if optimum is None else optimum
    given = {**arguments(problem), "optimum": optimum, "bound": bound, **options}
    return call(_core.rashomon_set, **given)


def counts(trees):
    """Return how many trees have each cost."""
    description = _core.describe_set(trees)
    numbers = [sum(word << 64 * i for i, word in enumerate(words)) for words in description["counts"]]
    return dict(zip(description["costs"], numbers, strict=True))


def in_order(trees, most=None):
    """Return the trees of a set in their order, at most so many, with their costs."""
    places = ((cost, rank) for cost, count in counts(trees).items() for rank in range(count))
    return [(nested(_core.read_tree(trees, cost, [rank])), cost) for cost, rank in itertools.islice(places, most)]


def problems(objective, seeds, **limits):
    """Return problems where every class costs something."""
    for seed in seeds:
        problem = random_problem(seed, objective, n_rows=(1, 9), n_columns=(0, 4), **limits)
        if all(any(row) for row in problem.costs):
            yield problem


def bounds(problem, leaf_rule):
    """Return the optimum, and bounds that a few thousand trees at most are within."""
    optimum, per_row = problem.optimum(), problem.total() // len(problem.rows)
    few_trees = problem.max_depth is not None and problem.max_depth <= 2 and leaf_rule != "any"
    wider = [optimum + problem.total() + 4 * problem.leaf_cost] if few_trees and problem.leaf_cost <= per_row else []
    return [bound for bound in (optimum, optimum + problem.leaf_cost // 2, *wider) if bound < MAX_TOTAL]


@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, None])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_set_has_the_trees_of_the_exhaustive_search(objective, max_depth, leaf_rule):
    n_rows_least = [1, 2] if max_depth in (2, 3) else [1]
    for min_samples_leaf in n_rows_least:
        for problem in problems(objective, range(8), max_depth=max_depth, min_samples_leaf=min_samples_leaf):
            if problem.leaf_cost == 0 and max_depth is None:
                continue
            for bound in bounds(problem, leaf_rule):
                expected = trees_within(problem, bound, leaf_rule)
                found = in_order(find(problem, bound, leaf_rule=leaf_rule))
                assert len(found) == len(expected), problem
                assert dict(found) == expected, problem


def test_columns_that_are_equal_on_one_side_of_a_split_only_make_trees_of_their_own():
    rows = [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 0], [1, 0, 0, 1]]
    problem = Problem(rows, [0, 2, 1, 0], [1, 2, 5, 4], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], 3, max_depth=2)
    expected = trees_within(problem, 9)
    assert {(2, (column, (2,), (1,)), (0,)) for column in (0, 1, 3)} <= set(expected)
    assert dict(in_order(find(problem, 9))) == expected


@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
@pytest.mark.parametrize("max_depth", [3, 4, None])
def test_the_order_does_not_depend_on_the_bound(max_depth, leaf_rule):
    for problem in problems("zero_one", range(20), max_depth=max_depth):
        leaf_cost = max(problem.leaf_cost, problem.total() // 8)
        problem = replace(problem, leaf_cost=min(leaf_cost, 2**49))
        optimum = solve(problem)["upper"]
        if optimum + 2 * leaf_cost < MAX_TOTAL:
            smaller, larger = (
                find(problem, optimum + slack, leaf_rule=leaf_rule) for slack in (leaf_cost, 2 * leaf_cost)
            )
            first = in_order(smaller, 500)
            assert first == in_order(larger, len(first))


def test_a_lower_bound_in_place_of_the_optimum_gives_the_same_set():
    for problem in problems("class_weighted", range(20), max_depth=3):
        optimum = solve(problem)["upper"]
        bound = optimum + problem.leaf_cost
        if bound < MAX_TOTAL:
            assert in_order(find(problem, bound)) == in_order(find(problem, bound, optimum=0))


def many_trees(n_columns):
    """Return a problem without a leaf penalty whose rows are all 0/1 vectors."""
    rows = [list(row) for row in itertools.product([0, 1], repeat=n_columns)]
    return Problem(rows, [sum(row) % 2 for row in rows], [1] * len(rows), [[0, 1], [1, 0]], 0)


def number_of_trees(n_columns, n_labels):
    """Count trees with any labels on all 0/1 vectors: f(n) = labels + n f(n - 1)^2."""
    number = n_labels
    for columns in range(1, n_columns + 1):
        number = n_labels + columns * number**2
    return number


@pytest.mark.parametrize("n_columns", [3, 6, 7])
def test_numbers_of_any_size_are_exact(n_columns):
    problem = many_trees(n_columns)
    trees = find(problem, 2**n_columns, leaf_rule="any")
    found = counts(trees)
    number = number_of_trees(n_columns, 2)
    assert sum(found.values()) == number
    assert found[0] == found[2**n_columns]  # every tree and the one with all labels turned
    for cost, rank in [(0, 0), (0, found[0] - 1), (2 ** (n_columns - 1), found[2 ** (n_columns - 1)] // 3)]:
        words = [rank >> 64 * place & 2**64 - 1 for place in range(8)]
        tree = _core.read_tree(trees, cost, words)
        assert problem.cost(tree) == cost
    with pytest.raises(ValueError, match="rank"):
        _core.read_tree(trees, 0, [found[0] >> 64 * place & 2**64 - 1 for place in range(8)])


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}, {"memory_limit": 500_000}])
def test_limits_end_in_a_complete_set_of_a_smaller_bound(limit):
    problem = replace(many_trees(8), leaf_cost=1)
    bound = 256
    trees = find(problem, bound, optimum=0, leaf_rule="any", **limit)
    description = _core.describe_set(trees)
    assert description["status"] == next(iter(limit))
    assert description["complete_up_to"] < bound
    if description["complete_up_to"] >= 0:
        assert counts(trees) == counts(find(problem, description["complete_up_to"], optimum=0, leaf_rule="any"))
    else:
        assert counts(trees) == {}


@pytest.mark.parametrize("n_polls", [0, 1, 3])
def test_an_interrupted_search_keeps_what_is_complete(n_polls):
    problem = replace(many_trees(7), leaf_cost=1)
    left = itertools.count(n_polls, -1)
    trees = find(problem, 128, optimum=0, callback=lambda _: next(left) <= 0, callback_interval=0.0)
    description = _core.describe_set(trees)
    assert description["status"] == "interrupted"
    if description["complete_up_to"] >= 0:
        assert counts(trees) == counts(find(problem, description["complete_up_to"], optimum=0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"costs": [[0, 0], [1, 0]]}, "every class must cost something"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"max_depth": -1}, "max_depth"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    problem = replace(many_trees(2), **change)
    with pytest.raises(ValueError, match=message):
        find(problem, 1, optimum=0)
    with pytest.raises(ValueError, match="bound"):
        find(many_trees(2), MAX_TOTAL, optimum=0)
