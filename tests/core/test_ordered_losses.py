"""Trees of two levels of many rows with losses of their own, against sums over all pairs of thresholds by NumPy."""

import numpy as np
import pytest

from hornbeam import _core


def least_of_stumps(bins: np.ndarray, losses: np.ndarray, leaf_cost: int, rows_per_leaf: int) -> int:
    """Return the least cost of a leaf or a stump; `bins` has a row for each variable."""
    total = losses.sum(axis=0)
    least = leaf_cost + total.min()
    for of_variable in bins:
        order = np.argsort(of_variable, kind="stable")
        ends = np.flatnonzero(np.diff(of_variable[order]))
        ends = ends[(ends + 1 >= rows_per_leaf) & (len(order) - ends - 1 >= rows_per_leaf)]
        if len(ends) > 0:
            below = losses[order].cumsum(axis=0)[ends]
            least = min(least, 2 * leaf_cost + (below.min(axis=1) + (total - below).min(axis=1)).min())
    return int(least)


def least_of_two_levels(bins: np.ndarray, losses: np.ndarray, leaf_cost: int, rows_per_leaf: int) -> int:
    """Return the least cost of a tree of at most two levels."""
    least = least_of_stumps(bins, losses, leaf_cost, rows_per_leaf)
    for of_variable in bins:
        for threshold in np.unique(of_variable)[:-1]:
            held = of_variable <= threshold
            if min(held.sum(), (~held).sum()) >= rows_per_leaf:
                sides = (
                    least_of_stumps(bins[:, rows], losses[rows], leaf_cost, rows_per_leaf) for rows in (held, ~held)
                )
                least = min(least, sum(sides))
    return least


def solve(bins: np.ndarray, losses: np.ndarray, leaf_cost: int, rows_per_leaf: int) -> int:
    """Return the cost of the tree that the search proves, without the heuristics, which find what it misses."""
    found = _core.solve(
        _core.OrderedColumns(bins, bins.max(axis=1)),
        _core.Problem(None, losses, np.eye(losses.shape[1], dtype=np.int64), leaf_cost),
        _core.SearchOptions(max_depth=2, min_samples_leaf=rows_per_leaf, bounds={"primal": False}),
    )
    assert (found["status"], found["lower"]) == ("optimal", found["upper"])
    return found["upper"]


LARGEST = pytest.mark.parametrize("largest", [3, 200, 2**30])  # so that sums take lanes of 16, 32 and 64 bits
ROWS_PER_LEAF = pytest.mark.parametrize("rows_per_leaf", [1, 30])


@LARGEST
@ROWS_PER_LEAF
def test_two_levels_of_many_rows(largest, rows_per_leaf):
    for seed in range(2):
        draw = np.random.default_rng(seed)
        n_rows, n_actions = 300, int(draw.integers(3, 7))
        bins = draw.integers(0, 120, (2, n_rows)).astype(np.uint32)
        losses = draw.integers(0, largest, (n_rows, n_actions), endpoint=True)
        losses -= losses.min(axis=1, keepdims=True)
        leaf_cost = int(draw.integers(0, largest + 1))
        expected = least_of_two_levels(bins, losses, leaf_cost, rows_per_leaf)
        assert solve(bins, losses, leaf_cost, rows_per_leaf) == expected


@LARGEST
@ROWS_PER_LEAF
def test_the_second_of_two_good_stumps_is_found(largest, rows_per_leaf):
    # On both sides of the root the loss of a stump falls, rises and falls again, to less than before: whoever compares
    # stumps too seldom misses the second one.
    draw = np.random.default_rng(0)
    n_rows = 1000
    bins = np.array([draw.integers(0, 60, n_rows), draw.integers(0, 200, n_rows)], dtype=np.uint32)
    is_first = (bins[1] < 60) | ((bins[1] >= 90) & (bins[1] < 130))
    best = np.where((bins[0] < 30) == is_first, 0, 1)
    losses = np.full((n_rows, 3), largest)
    losses[:, 2] -= draw.integers(0, largest, n_rows) // 2  # so that several actions gain
    losses[np.arange(n_rows), best] = 0
    expected = least_of_two_levels(bins, losses, largest, rows_per_leaf)
    assert solve(bins, losses, largest, rows_per_leaf) == expected


@LARGEST
@ROWS_PER_LEAF
def test_a_stump_is_found_that_is_better_than_that_of_an_earlier_column(largest, rows_per_leaf):
    # On both sides of the root, the second column splits the actions better than the first, whose stumps are known by
    # then. Its best stump is in the middle, and near the start none comes close; the rows of one side come first, so
    # that each row passed may lower the loss: whoever waits a little too long misses the stump.
    draw = np.random.default_rng(1)
    n_rows = 1500
    second = draw.integers(0, 200, n_rows)
    elsewhere = 100 * (second // 100) + draw.integers(0, 100, n_rows)
    first = np.where(draw.random(n_rows) < 0.1, elsewhere, second)
    best = np.where(draw.random(n_rows) < 0.1, draw.integers(0, 4, n_rows), second // 50)
    losses = np.full((n_rows, 5), largest)
    losses[:, 4] -= draw.integers(0, largest, n_rows) // 8  # so that several actions gain
    losses[np.arange(n_rows), best] = 0
    bins = np.array([first, second], dtype=np.uint32)
    expected = least_of_two_levels(bins, losses, largest, rows_per_leaf)
    assert solve(bins, losses, largest, rows_per_leaf) == expected


@pytest.mark.parametrize("stop", ["time limit", "callback"])
def test_a_search_of_many_rows_that_is_stopped_at_once_has_the_greedy_tree(stop):
    draw = np.random.default_rng(0)
    bins = draw.integers(0, 1000, (20, 100_000), dtype=np.uint32)  # the greedy tree takes more than a tenth of a second
    losses = draw.integers(0, 100, (100_000, 20))
    losses[bins[3] > 417, 1:] += 20
    losses[bins[3] <= 417, :1] += 20
    losses[bins[3] <= 417, 2:] += 20
    found = _core.solve(
        _core.OrderedColumns(bins, np.full(20, 999, dtype=np.uint32)),
        _core.Problem(None, losses, np.eye(20, dtype=np.int64), 0),
        _core.SearchOptions(max_depth=3, time_limit=0.0 if stop == "time limit" else None),
        callback=lambda *_: stop == "callback",
    )
    assert found["status"] == ("time_limit" if stop == "time limit" else "interrupted")
    assert 3 * 999 + 417 in found["tree"]["column"]
