"""The range of model reliance over sets of trees: against its definition on all trees of small problems."""

import itertools
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import pytest

from core.test_rashomon import bounds, find, many_trees, number_of_trees, problems
from core.test_votes import filtered, passes
from hornbeam import _core
from oracles.problems import OBJECTIVES, Problem
from oracles.rashomon import trees_within
from oracles.reliance import reliance

MOST_TREES = 60  # so many are tested one by one, for all pairs of rows


def ranges(trees, groups, shares):
    """Return the least and the largest reliance on each group, and how many trees avoid it, as whole numbers."""
    found = _core.reliance(trees, np.array(groups, dtype=np.int32), np.array(shares, dtype=np.int64))
    return [
        (*((high << 64) + low for high, low in ends), sum(word << 64 * place for place, word in enumerate(words)))
        for *ends, words in found
    ]


def sums(trees, groups, shares, most, never=(), max_depth=None, min_rows=0, **limits):
    """Return the sum of the reliance on each group over the trees that pass a filter, as whole numbers."""
    some = filtered(trees, len(groups), never, max_depth, min_rows)
    shares = np.array(shares, dtype=np.int64)
    found = _core.sum_reliance(some, np.array(groups, dtype=np.int32), shares, most, **limits)
    return [sum((a - b) << 64 * i for i, (a, b) in enumerate(zip_longest(*sides, fillvalue=0))) for sides in found]


def columns_of(tree):
    """Return the columns that a nested tree splits on."""
    return set() if len(tree) == 1 else {tree[0]} | columns_of(tree[1]) | columns_of(tree[2])


class Case(NamedTuple):
    """All trees of a small problem within a bound with their costs, and how much each relies on pairs of columns."""

    problem: Problem
    bound: int
    costs: dict
    groups: list[int]
    shares: list[int]
    reliances: dict


def cases(objective, max_depth, leaf_rule):
    """Generate sets of few trees."""
    for problem in problems(objective, range(12), max_depth=max_depth):
        if problem.leaf_cost == 0 and max_depth is None:
            continue
        n_columns = len(problem.rows[0])
        groups = [column // 2 for column in range(n_columns)]
        inside = [{column for column in range(n_columns) if groups[column] == group} for group in sorted(set(groups))]
        losses = [problem.costs[c] for c in problem.classes]
        # Shares are not the weights, so that one is not taken for the other.
        shares = [1 + (3 * row) % 4 for row in range(len(problem.rows))]
        for bound in bounds(problem, leaf_rule):
            costs = trees_within(problem, bound, leaf_rule)
            if len(costs) > MOST_TREES:
                continue
            reliances = {
                tree: [reliance(tree, problem.rows, losses, problem.weights, one, shares) for one in inside]
                for tree in costs
            }
            yield Case(problem, bound, costs, groups, shares, reliances)


@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, None])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_range_and_sum_are_those_over_all_trees_of_the_exhaustive_search(objective, max_depth, leaf_rule):
    n_compared = 0
    for problem, bound, costs, groups, shares, reliances in cases(objective, max_depth, leaf_rule):
        found = find(problem, bound, leaf_rule=leaf_rule)
        for group, told in enumerate(ranges(found, groups, shares)):
            values = [each[group] for each in reliances.values()]
            n_avoiding = sum(all(groups[column] != group for column in columns_of(tree)) for tree in costs)
            assert told == (min(values), max(values), n_avoiding), problem
        if not groups:
            continue
        lower = sorted(costs.values())[len(costs) // 2]
        for most, *filters in [(bound, (), None, 0), (lower, (), None, 0), (bound, (0,), 2, 2)]:
            some = [tree for tree in costs if costs[tree] <= most and passes(tree, problem.rows, *filters)]
            expected = [sum(reliances[tree][group] for tree in some) for group in sorted(set(groups))]
            assert sums(found, groups, shares, most, *filters) == expected, problem
            n_compared += 1
    assert n_compared > 0


@pytest.mark.parametrize("n_columns", [3, 6])
def test_sums_of_any_size_are_exact(n_columns):
    n_rows = 2**n_columns
    trees = find(many_trees(n_columns), n_rows, leaf_rule="any")
    assert (number_of_trees(n_columns, 2) > 1 << 64) == (n_columns == 6)
    groups, shares = range(n_columns), [1 << 40] * n_rows
    # The tree with all labels turned loses what this one does not, and relies on columns by as much less than 0.
    assert sums(trees, groups, shares, n_rows) == [0] * n_columns
    some = sums(trees, groups, shares, n_rows // 4)
    assert some == sums(trees, groups, shares, n_rows - 1 - n_rows // 4)
    assert some == [some[0]] * n_columns
    assert some[0] > 0


def test_columns_that_are_equal_on_some_rows_are_relied_on_each_for_itself():
    # Below column 2 the columns 0, 1 and 3 part the rows alike; their groups are different.
    rows = [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 0], [1, 0, 0, 1]]
    problem = Problem(rows, [0, 2, 1, 0], [1, 2, 5, 4], [[0, 1, 1], [1, 0, 1], [1, 1, 0]], 3, max_depth=2)
    losses = [problem.costs[c] for c in problem.classes]
    trees = trees_within(problem, 9)
    expected = []
    for column in range(4):
        values = [reliance(tree, rows, losses, problem.weights, {column}, problem.weights) for tree in trees]
        expected.append((min(values), max(values), sum(column not in columns_of(tree) for tree in trees)))
    assert ranges(find(problem, 9), [0, 1, 2, 3], problem.weights) == expected
    totals = [sum(reliance(t, rows, losses, problem.weights, {c}, problem.weights) for t in trees) for c in range(4)]
    assert sums(find(problem, 9), [0, 1, 2, 3], problem.weights, 9) == totals
    assert len(set(expected)) > 1


def test_measuring_stops_when_the_callback_says_so():
    trees = find(many_trees(4), 16, leaf_rule="any")
    shares = np.ones(16, dtype=np.int64)
    groups = np.arange(4, dtype=np.int32)
    assert _core.reliance(trees, groups, shares, callback=lambda _: True) is None
    n_calls = itertools.count()
    assert _core.reliance(trees, groups, shares, callback=lambda _: next(n_calls) == 2, callback_interval=0.0) is None
    assert next(n_calls) == 3
    assert len(_core.reliance(trees, groups, shares, callback=lambda _: False, callback_interval=0.0)) == 4
    trees = filtered(trees, 4)
    assert _core.sum_reliance(trees, groups, shares, 16, callback=lambda _: True) is None
    n_calls = itertools.count()
    stop_later = {"callback": lambda _: next(n_calls) == 2, "callback_interval": 0.0}
    assert _core.sum_reliance(trees, groups, shares, 16, **stop_later) is None
    assert next(n_calls) == 3


@pytest.mark.parametrize(
    ("groups", "shares", "message"),
    [
        ([0, 0], [1] * 4, "groups: there must be one for each column"),
        ([0, -1, 0, 0], [1] * 4, "groups: must be at least 0"),
        ([0] * 4, [1] * 3, "shares: there must be one for each row"),
        ([0] * 4, [1, 1, 1, -1], "shares: must be at least 0"),
        ([0] * 4, [2**51, 2**51, 0, 0], "shares: must be at least 0, and their total below 2"),
    ],
)
def test_arguments_out_of_range_are_refused(groups, shares, message):
    rows = [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 1, 0], [1, 0, 0, 1]]
    problem = Problem(rows, [0, 1, 1, 0], [1, 2, 5, 4], [[0, 1], [1, 0]], 3, max_depth=2)
    with pytest.raises(ValueError, match=message):
        ranges(find(problem, 9), groups, shares)
    some = filtered(find(problem, 9), 4)
    with pytest.raises(ValueError, match=message):
        _core.sum_reliance(some, np.array(groups, dtype=np.int32), np.array(shares, dtype=np.int64), 9)


def test_sets_of_resplit_have_no_graph():
    problem = Problem([[0], [1]], [0, 1], [1, 1], [[0, 1], [1, 0]], 1, max_depth=2)
    trees = find(problem, 4, lookahead_depth=1, greedy_depth=2)
    with pytest.raises(ValueError, match="read its trees one by one"):
        ranges(trees, [0], [1, 1])


def test_an_empty_set_is_refused():
    problem = Problem([[0], [1]], [0, 1], [1, 1], [[0, 1], [1, 0]], 1, max_depth=1)
    with pytest.raises(ValueError, match="the set is empty"):
        ranges(find(problem, -1), [0], [1, 1])
