"""The replay of the authors' program of OSDT, on problems small enough to follow."""

import numpy as np
import pytest

from benchmarks.papers.osdt_replay import BOUNDS, _Search, replay

X = np.array([[1, 0], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
Y = np.array([0, 0, 0, 1, 1, 0])


def test_its_bound_on_the_number_of_leaves_loses_an_optimum():
    assert replay(X, Y, 0.075).objective == pytest.approx(49 / 120)
    found = replay(X, Y, 0.075, without=["leaf_count"])
    assert (found.objective, found.n_leaves) == (pytest.approx(47 / 120), 3)


@pytest.mark.parametrize("policy", ["curiosity", "objective", "lower_bound", "entropy", "gini", "fifo"])
@pytest.mark.parametrize("without", BOUNDS)
def test_other_bounds_and_policies_change_counts_but_not_the_optimum(policy, without):
    draw = np.random.default_rng(0)
    rows = draw.integers(0, 2, (60, 3))
    classes = (rows[:, 0] ^ rows[:, 1]) ^ (draw.random(60) < 0.1)
    found = replay(rows, classes.astype(int), 0.04, policy=policy, without=[without, "leaf_count"])
    wrong = sum(min(np.sum(of), np.sum(~of.astype(bool))) for of in _cells(rows[:, :2], classes))
    assert found.is_finished
    assert found.objective == pytest.approx(wrong / 60 + 4 * 0.04)
    assert 1 <= found.queued_to_best <= found.queued + 1


def _cells(columns, classes):
    return [classes[(columns == cell).all(axis=1)] for cell in ((0, 0), (0, 1), (1, 0), (1, 1))]


def test_columns_come_in_the_order_of_a_small_set_of_python():
    search = _Search(np.eye(11, dtype=np.uint8), np.arange(11) % 2, 0.01, "fifo", frozenset(), np.inf)
    for closed, expected in (({1, 2, 3, 4, 5, 6, 9}, [7, 0, 10, 8]), ({1, 3, 4, 5, 6, 9}, [0, 2, 7, 8, 10])):
        leaf = search.leaf(frozenset(), np.arange(11), frozenset())
        leaf.closed = frozenset(closed)
        assert search.open_columns(leaf) == expected


def test_a_search_that_is_stopped_has_the_best_tree_so_far():
    found = replay(X, Y, 0.01, seconds=0.0)
    assert (found.is_finished, found.n_leaves, found.queued, found.queued_to_best) == (False, 1, 0, 1)
