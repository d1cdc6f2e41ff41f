"""With squared error, the ordered search finds and proves the cost that brute force and the search of bits find."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from core.ordered import OrderedProblem
from core.solving import check_interval, check_proven, check_tree
from core.squared_errors import random_regression, solve_regression, sums
from hornbeam import _core

DEPTHS = [None, 0, 1, 2, 3, 4]
LEAVES = [None, 1, 2, 3, 5]
SAMPLES = [1, 2, 3]


def random_ordered_regression(
    seed: int,
    *,
    n_rows: tuple[int, int] = (1, 14),
    most_thresholds: int = 5,
    largest: tuple[int, int] = (0, 40),
    **limits,
) -> OrderedProblem:
    """Return targets that depend on some bins, with noise; ties, gaps, heavy rows and any leaf penalty."""
    draw = random.Random(f"{seed} {n_rows} {most_thresholds} {largest} {sorted(limits.items())}")
    plain = random_regression(seed, n_rows=n_rows, n_columns=(1, 2), largest=largest, **limits)
    rows = range(len(plain.classes))
    n_thresholds = [
        draw.choice([1, draw.randint(0, most_thresholds), most_thresholds]) for _ in range(draw.randint(1, 4))
    ]
    bins = [[draw.randint(0, n) for _ in rows] for n in n_thresholds]
    most = len(plain.costs) - 1
    targets = plain.classes
    if draw.random() < 0.6:
        noise = draw.choice([0, 1, most // 4])
        step = most // max(1, n_thresholds[0])
        targets = [min(most, max(0, step * bins[0][r] + draw.randint(-noise, noise))) for r in rows]
    table = [[int(bins[v][r] <= t) for v, n in enumerate(n_thresholds) for t in range(n)] for r in rows]
    return OrderedProblem(bins, n_thresholds, replace(plain, rows=table, classes=targets))


def solve_ordered(ordered: OrderedProblem, **options) -> _core.Outcome:
    """Run the ordered search for squared error."""
    given = ordered.arguments() | options
    columns = _core.OrderedColumns(given["bins"], given["n_thresholds"])
    of_search = {name: given[name] for name in given if hasattr(_core.SearchOptions, name)}
    problem = _core.Problem.squared_error(sums(ordered.problem), len(ordered.problem.costs), ordered.problem.leaf_cost)
    return _core.solve(columns, problem, _core.SearchOptions(**of_search))


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
