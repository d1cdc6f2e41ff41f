"""With squared error, the ordered search finds and proves the cost that brute force and the search of bits find."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from core.solving import check_interval, check_proven, check_tree
from core.squared_errors import random_ordered_regression, solve_ordered, solve_regression
from hornbeam import _core

DEPTHS = [None, 0, 1, 2, 3, 4]
LEAVES = [None, 1, 2, 3, 5]
SAMPLES = [1, 2, 3]


@pytest.mark.parametrize("max_depth", DEPTHS)
def test_optimum_equals_brute_force_under_every_combination_of_limits(max_depth):
    for max_leaves, samples, seed in itertools.product(LEAVES, SAMPLES, range(12)):
        limits = {"max_depth": max_depth, "max_leaves": max_leaves, "min_samples_leaf": samples}
        ordered = random_ordered_regression(seed, most_thresholds=3, **limits)
        check_proven(ordered.problem, solve_ordered(ordered), ordered.problem.optimum())


@pytest.mark.parametrize("largest", [1, 3, 25, 80])
@pytest.mark.parametrize("max_depth", [2, 3, None])
def test_optimum_equals_brute_force_for_targets_of_any_range(largest, max_depth):
    for seed in range(60):
        ordered = random_ordered_regression(seed, n_rows=(4, 14), largest=(largest, largest), max_depth=max_depth)
        check_proven(ordered.problem, solve_ordered(ordered), ordered.problem.optimum())


@pytest.mark.parametrize(
    "limits",
    [{"max_depth": 2}, {"max_depth": 3}, {"max_depth": 3, "min_samples_leaf": 7}, {"max_depth": 4, "max_leaves": 5}],
)
def test_both_searches_find_the_same_optimum_on_more_rows(limits):
    for seed in range(6):
        ordered = random_ordered_regression(seed, n_rows=(60, 120), most_thresholds=12, largest=(100, 200), **limits)
        check_proven(ordered.problem, solve_ordered(ordered), solve_regression(ordered.problem)["upper"])


def test_switching_the_bound_of_thresholds_off_never_changes_the_optimum():
    for seed in range(40):
        ordered = random_ordered_regression(seed, n_rows=(20, 40), most_thresholds=12, max_depth=3)
        on, off = (solve_ordered(ordered, bounds={"similarity": is_on}) for is_on in (True, False))
        assert (on["lower"], on["upper"]) == (off["lower"], off["upper"]) == (on["upper"],) * 2
        assert off["statistics"]["bounds"]["similarity"] == 0


def test_threads_prove_the_same_cost_as_one():
    for seed in range(10):
        ordered = random_ordered_regression(seed, n_rows=(80, 120), most_thresholds=25, largest=(200, 200), max_depth=4)
        one, three = (solve_ordered(ordered, n_threads=n) for n in (1, 3))
        assert (one["lower"], one["upper"]) == (three["lower"], three["upper"]) == (one["upper"],) * 2
        check_tree(ordered.problem, three)


def test_a_search_that_is_stopped_returns_a_tree_and_a_bound():
    for seed, limit in itertools.product(range(10), [0.0, 1e-4, 1e-3]):
        ordered = random_ordered_regression(seed, n_rows=(60, 60), most_thresholds=20, max_depth=3)
        optimum = solve_regression(ordered.problem)["upper"]
        check_interval(ordered.problem, solve_ordered(ordered, time_limit=limit), optimum)


def test_costs_near_the_limits_stay_exact():
    """Targets of up to 27 bits, and weights of up to 20 with targets of 19."""
    for seed in range(40):
        draw = random.Random(seed)
        n_rows, most, heaviest = 12, *draw.choice([(2**27 - 1, 1), (2**24, 1), (2**19, 2**15)])
        bins = [[draw.randint(0, 4) for _ in range(n_rows)] for _ in range(3)]
        targets = [draw.choice([0, most, draw.randint(0, most)]) for _ in range(n_rows)]
        weights = [draw.randint(1, heaviest) for _ in range(n_rows)]
        table = np.array([[w, w * y, w * y * y] for w, y in zip(weights, targets, strict=True)], dtype=np.int64)
        bits = np.array([[b <= t for b in row] for row in bins for t in range(4)], dtype=np.uint8)
        packed = _core.PackedColumns(np.packbits(bits, axis=1, bitorder="little"), n_rows)
        ordered = _core.OrderedColumns(np.array(bins, dtype=np.uint32), np.full(3, 4, dtype=np.uint32))
        problem = _core.Problem.squared_error(table, most + 1, draw.choice([0, 1, most**2 // 7]))
        options = _core.SearchOptions(max_depth=draw.choice([2, 3]))
        by_bits, by_order = (_core.solve(columns, problem, options) for columns in (packed, ordered))
        assert by_order["lower"] == by_order["upper"] == by_bits["upper"]
