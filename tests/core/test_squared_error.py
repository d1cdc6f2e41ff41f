"""With squared error, the core finds and proves exactly the cost that brute force over all trees finds."""

import itertools
import random

import numpy as np
import pytest

from core.solving import arguments, check_interval, check_proven, check_tree
from core.squared_errors import random_regression, solve_regression, squared_errors, sums
from core.test_switches import LIMITS, OFF
from hornbeam import _core
from oracles.problems import Problem

DEPTHS = [None, 0, 1, 2, 3, 4]
LEAVES = [None, 1, 2, 3, 5]
SAMPLES = [1, 2, 3]
SIZES = [(1, 1), (5, 2), (8, 3), (12, 5), (12, 5), (20, 6)]


@pytest.mark.parametrize("max_depth", DEPTHS)
def test_optimum_equals_brute_force_under_every_combination_of_limits(max_depth):
    for max_leaves, samples, seed in itertools.product(LEAVES, SAMPLES, range(2 * len(SIZES))):
        limits = {"max_depth": max_depth, "max_leaves": max_leaves, "min_samples_leaf": samples}
        n_rows, n_columns = SIZES[seed % len(SIZES)]
        problem = random_regression(seed, n_rows=(1, n_rows), n_columns=(0, n_columns), **limits)
        check_proven(problem, solve_regression(problem), problem.optimum())


@pytest.mark.parametrize("largest", [1, 3, 10, 60])
def test_optimum_equals_brute_force_without_limits(largest):
    for seed in range(300):
        problem = random_regression(seed, n_rows=(1, 24), n_columns=(1, 7), largest=(largest, largest))
        check_proven(problem, solve_regression(problem), problem.optimum())


@pytest.mark.parametrize("max_depth", [None, 2, 3])
def test_optimum_equals_brute_force_on_more_rows_than_a_machine_word_has_bits(max_depth):
    for seed in range(5):
        problem = random_regression(seed, n_rows=(60, 200), n_columns=(5, 8), largest=(5, 40), max_depth=max_depth)
        check_proven(problem, solve_regression(problem), problem.optimum())


@pytest.mark.parametrize("seed", range(3))
def test_optimum_equals_brute_force_on_more_columns_than_a_machine_word_has_bits(seed):
    problem = random_regression(seed, n_rows=(8, 20), n_columns=(65, 140), max_depth=2)
    check_proven(problem, solve_regression(problem), problem.optimum())


@pytest.mark.parametrize("off", OFF)
def test_switching_bounds_off_never_changes_the_optimum(off):
    for limits in LIMITS:
        for seed in range(8):
            problem = random_regression(500 + seed, n_rows=(4, 16), n_columns=(2, 6), **limits)
            check_proven(problem, solve_regression(problem, bounds=OFF[off]), problem.optimum())


@pytest.mark.parametrize("limits", [{}, {"max_depth": 4}, {"max_leaves": 5}])
def test_threads_prove_the_same_cost_as_one(limits):
    for seed in range(10):
        problem = random_regression(seed, n_rows=(30, 60), n_columns=(6, 9), **limits)
        one, three = (solve_regression(problem, n_threads=n) for n in (1, 3))
        assert (one["lower"], one["upper"]) == (three["lower"], three["upper"]) == (one["upper"],) * 2
        check_tree(problem, three)


def test_a_search_that_is_stopped_returns_a_tree_and_a_bound():
    for seed, limit in itertools.product(range(10), [0.0, 1e-4]):
        problem = random_regression(seed, n_rows=(12, 20), n_columns=(5, 6))
        check_interval(problem, solve_regression(problem, time_limit=limit), problem.optimum())


def test_clusters_of_targets_raise_bounds_unless_they_are_off():
    draw = random.Random(1)
    rows = [[draw.randint(0, 1) for _ in range(10)] for _ in range(60)]
    problem = Problem(rows, [draw.randint(0, 30) for _ in rows], [1] * 60, squared_errors(30), 60)
    on, off = (solve_regression(problem, bounds={"clusters": is_on}) for is_on in (True, False))
    assert on["statistics"]["bounds"]["clusters"] > 0
    assert off["statistics"]["bounds"]["clusters"] == 0
    assert on["upper"] == on["lower"] == off["upper"] == off["lower"]


@pytest.mark.parametrize("max_depth", [4, 5])
@pytest.mark.parametrize("leaf_cost", [0, 40])
def test_trees_of_four_or_five_levels_over_cells_are_those_of_a_search(max_depth, leaf_cost):
    draw = random.Random(1)
    rows = [[draw.randint(0, 1) for _ in range(11)] for _ in range(150)]
    targets = [draw.randint(0, 12) + 9 * (row[0] ^ row[1]) + 5 * (row[2] & row[9]) for row in rows]
    problem = Problem(rows, targets, [1] * 150, squared_errors(30), leaf_cost, max_depth)
    cells, searched = solve_regression(problem), solve_regression(problem, bounds={"pair_stage": False})
    assert cells["statistics"]["bounds"]["cells"] == 1
    assert searched["statistics"]["bounds"]["cells"] == 0
    assert cells["lower"] == cells["upper"] == searched["lower"] == searched["upper"]
    check_tree(problem, cells)


@pytest.mark.parametrize(
    ("problem", "optimum"),
    [
        pytest.param(Problem([[0]], [7], [3], squared_errors(9), 2), 2, id="one row"),
        pytest.param(Problem([[], []], [0, 1], [1, 5], squared_errors(1), 2), 3, id="no column"),
        pytest.param(Problem([[0], [1]], [0, 0], [1, 1], squared_errors(0), 0), 0, id="one target only"),
        pytest.param(Problem([[0], [1]], [0, 9], [1, 1], squared_errors(9), 40), 80, id="two leaves"),
        pytest.param(Problem([[0], [1]], [0, 9], [1, 1], squared_errors(9), 41), 82, id="one leaf costs 41 + 41"),
        pytest.param(
            Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 5, 5, 0], [1] * 4, squared_errors(5), 0), 0, id="xor"
        ),
    ],
)
def test_optimum_of_a_corner_case_is_the_one_found_by_hand(problem, optimum):
    assert problem.optimum() == optimum
    check_proven(problem, solve_regression(problem), optimum)


@pytest.mark.parametrize("seed", range(30))
def test_costs_near_the_limits_stay_exact(seed):
    """Targets of up to 27 bits: brute force over the trees of two columns, in exact integers."""
    draw = random.Random(seed)
    n_rows, most = 12, 2**27 - 1 if seed % 2 else 2**24
    rows = [[draw.randint(0, 1) for _ in range(2)] for _ in range(n_rows)]
    targets = [draw.choice([0, most, draw.randint(0, most)]) for _ in rows]
    table = np.array([[1, y, y * y] for y in targets], dtype=np.int64)
    leaf_cost = draw.choice([0, 1, most**2 // 7])

    def leaf(members):
        total = sum(targets[r] for r in members)
        near = total // len(members)
        return leaf_cost + min(sum((targets[r] - k) ** 2 for r in members) for k in (near, near + 1))

    def best(members, depth):
        sides = ([[r for r in members if rows[r][c] == v] for v in (0, 1)] for c in range(2))
        splits = [sum(best(side, depth - 1) for side in both) for both in sides if all(both) and depth > 0]
        return min([leaf(members), *splits])

    table_of_bits = np.ascontiguousarray(np.array(rows, dtype=np.uint8).T)
    columns = _core.PackedColumns(np.packbits(table_of_bits, axis=1, bitorder="little"), n_rows)
    outcome = _core.solve(columns, _core.Problem.squared_error(table, most + 1, leaf_cost), _core.SearchOptions())
    assert outcome["lower"] == outcome["upper"] == best(list(range(n_rows)), 2)


@pytest.mark.parametrize(
    ("rows", "n_predictions", "message"),
    [
        pytest.param([[1, 2, 4]], 2, "must be sums of w, w y and w y\\^2", id="target above the largest prediction"),
        pytest.param([[2, 2, 1]], 3, "must be sums of w, w y and w y\\^2", id="squares too small"),
        pytest.param([[0, 1, 1]], 3, "must be sums of w, w y and w y\\^2", id="sum without weight"),
        pytest.param([[1, -1, 1]], 3, "at least 0", id="negative sum"),
        pytest.param([[2**52, 0, 0]], 1, "largest prediction, must stay below 2\\^52", id="weight too large"),
        pytest.param([[2**33, 0, 0]], 2**20, "largest prediction, must stay below 2\\^52", id="sum too large"),
        pytest.param([[1, 0, 0]], 2**29 + 1, "must stay below 2\\^58", id="predictions too large"),
        pytest.param([[1, 0, 0]], 2**31 + 1, "n_predictions: must be in", id="too many predictions"),
        pytest.param([[1, 0, 0]], 0, "n_predictions: must be in", id="no prediction"),
        pytest.param([[1, 0]], 1, "weights: one for each row", id="two sums"),
    ],
)
def test_sums_that_no_targets_have_are_refused(rows, n_predictions, message):
    columns = _core.PackedColumns(np.zeros((1, 1), dtype=np.uint8), len(rows))
    table = np.array(rows, dtype=np.int64)
    with pytest.raises(ValueError, match=message):
        _core.solve(columns, _core.Problem.squared_error(table, n_predictions, 0), _core.SearchOptions())


def test_sets_of_leaves_refuse_squared_error():
    problem = random_regression(3, n_rows=(6, 8), n_columns=(2, 3))
    core_problem = _core.Problem.squared_error(sums(problem), len(problem.costs), 1)
    given = arguments(problem)
    columns = _core.PackedColumns(given["columns"], given["n_rows"])
    with pytest.raises(ValueError, match="does not support squared error"):
        _core.solve_leaf_sets(columns, core_problem, _core.SearchOptions(max_depth=2))
