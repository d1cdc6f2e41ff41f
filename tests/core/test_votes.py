"""Numbers of trees that predict each class for each row: against all trees of small problems, one by one."""

import itertools
from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from core.test_rashomon import bounds, counts, find, many_trees, number_of_trees, problems
from hornbeam import _core
from oracles.problems import MAX_TOTAL, OBJECTIVES
from oracles.rashomon import trees_within
from oracles.reliance import predict

MOST_TREES = 2000


def packed(rows):
    bits = np.packbits(np.array(rows, dtype=np.uint8).T, axis=1, bitorder="little")
    return _core.PackedColumns(np.ascontiguousarray(bits), len(rows))


def votes(trees, rows, most, n_classes, **limits):
    """Return for each row the number of trees of each class."""
    words = _core.count_votes(trees, packed(rows), most, **limits)
    assert words.shape[:2] == (len(rows), n_classes)
    return [[sum(word << 64 * i for i, word in enumerate(count)) for count in row] for row in words.tolist()]


def filtered(trees, n_columns, never=(), max_depth=None, min_rows=0):
    return _core.filter_set(trees, [column not in never for column in range(n_columns)], max_depth, min_rows)


def passes(tree, rows, never, max_depth, min_rows):
    """Return whether a nested tree passes a filter; `rows` are those that reach it."""
    if len(tree) == 1:
        return len(rows) >= min_rows
    sides = [row for row in rows if row[tree[0]]], [row for row in rows if not row[tree[0]]]
    return (
        tree[0] not in never
        and max_depth != 0
        and all(
            passes(below, side, never, None if max_depth is None else max_depth - 1, min_rows)
            for below, side in zip(tree[1:], sides, strict=True)
        )
    )


def n_leaves(tree):
    return 1 if len(tree) == 1 else n_leaves(tree[1]) + n_leaves(tree[2])


def expected(trees, rows, n_classes):
    found = [Counter(predict(tree, row) for tree in trees) for row in rows]
    return [[count[k] for k in range(n_classes)] for count in found]


@pytest.mark.parametrize("leaf_rule", ["differ", "best", "any"])
@pytest.mark.parametrize("max_depth", [0, 1, 2, 3, None])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_votes_are_those_of_the_exhaustive_search(objective, max_depth, leaf_rule):
    n_compared, random = 0, Random(0)
    for problem in problems(objective, range(8), max_depth=max_depth):
        n_columns, n_classes = len(problem.rows[0]), len(problem.costs[0])
        if n_columns == 0 or (problem.leaf_cost == 0 and max_depth is None):
            continue
        # All rows that there can be: columns that agree on the training rows differ on others.
        rows = list(itertools.product([0, 1], repeat=n_columns))
        for bound in bounds(problem, leaf_rule):
            costs = trees_within(problem, bound, leaf_rule)
            if len(costs) > MOST_TREES:
                continue
            found = find(problem, bound, leaf_rule=leaf_rule)
            for never, depth, least in [((), None, 0), ((random.randrange(n_columns),), 2, 2), ((), 1, 0)]:
                some = [tree for tree in costs if passes(tree, problem.rows, never, depth, least)]
                trees = filtered(found, n_columns, never, depth, least)
                assert votes(trees, rows, bound, n_classes) == expected(some, rows, n_classes), problem
                lower = sorted(costs.values())[len(costs) // 2]
                cheap = [tree for tree in some if costs[tree] <= lower]
                assert votes(trees, rows, lower, n_classes) == expected(cheap, rows, n_classes), problem
                n_compared += 1
    assert n_compared > 0


@pytest.mark.parametrize("leaf_rule", ["differ", "any"])
@pytest.mark.parametrize("max_depth", [2, 3, None])
def test_the_number_of_leaves_limits_the_trees(max_depth, leaf_rule):
    n_compared = 0
    for problem in problems("zero_one", range(30), max_depth=max_depth):
        # Costs whose lowest four bits count leaves.
        if problem.leaf_cost < 1 or not problem.rows[0] or 64 * (problem.total() + problem.leaf_cost) >= MAX_TOTAL:
            continue
        costs = [[16 * cost for cost in row] for row in problem.costs]
        problem = replace(problem, costs=costs, leaf_cost=16 * problem.leaf_cost + 1)
        bound = problem.optimum() + 2 * problem.leaf_cost
        all_trees = trees_within(problem, bound, leaf_rule)
        if len(all_trees) > MOST_TREES or max(map(n_leaves, all_trees)) > 15:
            continue
        trees = filtered(find(problem, bound, leaf_rule=leaf_rule), len(problem.rows[0]))
        for most in range(1, 6):
            some = [tree for tree in all_trees if n_leaves(tree) <= most]
            found = votes(trees, problem.rows, bound, len(costs[0]), max_leaves=most, leaf_mask=15)
            assert found == expected(some, problem.rows, len(costs[0])), problem
            n_compared += len(some) < len(all_trees)
    assert n_compared > 0


@pytest.mark.parametrize("n_columns", [3, 6, 7])
def test_votes_of_any_size_are_exact(n_columns):
    problem = many_trees(n_columns)
    trees = filtered(find(problem, 2**n_columns, leaf_rule="any"), n_columns)
    # Every tree and the one with all labels turned: each row gets half of the votes.
    half = number_of_trees(n_columns, 2) // 2
    assert votes(trees, problem.rows, 2**n_columns, 2) == [[half, half]] * len(problem.rows)


def test_the_sum_over_costs_may_exceed_a_word_where_the_number_of_no_cost_does():
    problem = many_trees(5)
    rows = [[*row, row[0]] for row in problem.rows]
    problem = replace(problem, rows=rows, weights=[1 + 7 * k % 17 for k in range(32)])
    found = find(problem, problem.total(), leaf_rule="any")
    numbers = counts(found)
    half = sum(numbers.values()) // 2
    assert max(numbers.values()) < 2**64 < half
    assert votes(filtered(found, 6), rows, problem.total(), 2) == [[half, half]] * 32


def test_counting_votes_stops_when_the_callback_says_so():
    problem = many_trees(4)
    trees = filtered(find(problem, 16, leaf_rule="any"), 4)
    assert _core.count_votes(trees, packed(problem.rows), 16, callback=lambda _: True) is None


def test_rows_with_other_columns_are_refused():
    trees = filtered(find(many_trees(3), 8), 3)
    with pytest.raises(ValueError, match="rows: must have the columns of the set"):
        _core.count_votes(trees, packed([[0, 1]]), 8)
    with pytest.raises(ValueError, match="budget: must be below"):
        _core.count_votes(trees, packed([[0, 1, 1]]), 2**59)


def test_a_filter_is_counted_by_at_least_one_thread():
    trees = find(many_trees(3), 16, leaf_rule="any")
    with pytest.raises(ValueError, match=r"n_threads: must be in \[1, 1024\]"):
        _core.filter_set(trees, [True] * 3, n_threads=0)


def test_what_filters_keep_counts_against_the_memory_limit():
    trees = find(many_trees(4), 16, leaf_rule="any")
    allowed = [True, True, False, True]
    n_bytes = _core.describe_set(trees)["statistics"]["bytes"]
    with pytest.raises(MemoryError, match="memory_limit: raise it"):
        _core.filter_set(trees, allowed, memory_limit=n_bytes)

    def fits(limit):
        try:
            return _core.filter_set(trees, allowed, memory_limit=limit) is not None
        except MemoryError:
            return False

    needed = next(limit for limit in itertools.count(n_bytes, 256) if fits(limit))
    kept = _core.filter_set(trees, allowed, memory_limit=needed)
    assert kept is not None
    assert not fits(needed)  # while the first one is kept
    del kept
    assert fits(needed)
