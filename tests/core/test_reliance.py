"""The range of model reliance over sets of trees: against its definition on all trees of small problems."""

import itertools

import numpy as np
import pytest

from core.test_rashomon import bounds, find, many_trees, problems
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


def columns_of(tree):
    """Return the columns that a nested tree splits on."""
    return set() if len(tree) == 1 else {tree[0]} | columns_of(tree[1]) | columns_of(tree[2])


@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, None])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_range_is_that_over_all_trees_of_the_exhaustive_search(objective, max_depth, leaf_rule):
    n_compared = 0
    for problem in problems(objective, range(12), max_depth=max_depth):
        if problem.leaf_cost == 0 and max_depth is None:
            continue
        n_columns = len(problem.rows[0])
        groups = [column // 2 for column in range(n_columns)]
        losses = [problem.costs[c] for c in problem.classes]
        # Shares are not the weights, so that one is not taken for the other.
        shares = [1 + (3 * row) % 4 for row in range(len(problem.rows))]
        for bound in bounds(problem, leaf_rule):
            trees = trees_within(problem, bound, leaf_rule)
            if len(trees) > MOST_TREES:
                continue
            found = ranges(find(problem, bound, leaf_rule=leaf_rule), groups, shares)
            for group, told in enumerate(found):
                inside = {column for column in range(n_columns) if groups[column] == group}
                values = [reliance(tree, problem.rows, losses, problem.weights, inside, shares) for tree in trees]
                n_avoiding = sum(inside.isdisjoint(columns_of(tree)) for tree in trees)
                assert told == (min(values), max(values), n_avoiding), problem
                n_compared += 1
    assert n_compared > 0


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


def test_sets_of_resplit_have_no_graph():
    problem = Problem([[0], [1]], [0, 1], [1, 1], [[0, 1], [1, 0]], 1, max_depth=2)
    trees = find(problem, 4, lookahead_depth=1, greedy_depth=2)
    with pytest.raises(ValueError, match="read its trees one by one"):
        ranges(trees, [0], [1, 1])


def test_an_empty_set_is_refused():
    problem = Problem([[0], [1]], [0, 1], [1, 1], [[0, 1], [1, 0]], 1, max_depth=1)
    with pytest.raises(ValueError, match="the set is empty"):
        ranges(find(problem, -1), [0], [1, 1])
