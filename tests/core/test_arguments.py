"""The core refuses what it cannot solve exactly, and names the argument."""

import numpy as np
import pytest

from core import calls
from core.solving import arguments, check_proven, solve
from hornbeam import _core
from oracles.problems import Problem

GOOD = Problem(
    rows=[[0, 1, 0]] * 5 + [[1, 0, 0]] * 5,
    classes=[0, 0, 1, 0, 0, 1, 1, 1, 0, 1],
    weights=[1, 2, 3, 1, 2, 3, 1, 2, 3, 1],
    costs=[[0, 1], [1, 0]],
    leaf_cost=1,
)


def call(**changes):
    """Call the core with the good problem, some arguments changed."""
    return calls.call(_core.solve, **(arguments(GOOD) | changes))


def test_the_good_problem_is_solved():
    check_proven(GOOD, call(), GOOD.optimum())


VALUES = {
    "columns": [np.zeros((3, 1), np.uint8), np.zeros((3, 3), np.uint8), np.zeros((3, 0), np.uint8)],
    "n_rows": [0, -1, 8, 17],
    "class_codes": [
        np.zeros(9, np.int32),
        np.zeros(11, np.int32),
        np.zeros(0, np.int32),
        np.full(10, 2, np.int32),
        np.full(10, -1, np.int32),
    ],
    "weights": [
        np.ones(9, np.int64),
        np.ones(11, np.int64),
        np.array([1] * 9 + [0], np.int64),
        np.array([1] * 9 + [-1], np.int64),
    ],
    "costs": [np.array([[0, -1], [1, 0]]), np.zeros((0, 2), np.int64), np.zeros((2, 0), np.int64)],
    "leaf_cost": [-1, 2**52],
    "max_depth": [-1],
    "max_leaves": [0, -1],
    "min_samples_leaf": [0, -1],
    "time_limit": [-1.0, float("nan")],
    "memory_limit": [-1],
    "gap_limit": [-0.1, float("nan")],
    "n_threads": [0, -1],
    "callback_interval": [-1.0, float("nan")],
    "bounds": [{"no_such_bound": False}],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_an_impossible_value_is_refused_by_name(name, value):
    # A wrong n_rows can only be seen by comparing it with the arrays.
    with pytest.raises(ValueError, match="columns|class_codes|n_rows" if name == "n_rows" else name):
        call(**{name: value})


TYPES = {
    "columns": [
        np.zeros((3, 2), np.int64),
        np.zeros((3, 2), bool),
        np.zeros(6, np.uint8),
        np.zeros((2, 3), np.uint8).T,
    ],
    "class_codes": [np.zeros(10, np.int64), np.zeros((10, 1), np.int32), [0] * 10, np.zeros(20, np.int32)[::2]],
    "weights": [np.ones(10, np.float64), np.ones(10, np.int32), np.ones((10, 1), np.int64)],
    "costs": [np.zeros((2, 2)), np.zeros((2, 2), np.int32), np.zeros(4, np.int64)],
    "leaf_cost": [0.5, None],
    "n_rows": [10.0, "10"],
    "max_depth": [1.5],
    "callback": [3],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in TYPES.items() for value in values])
def test_a_wrong_type_is_refused_not_converted(name, value):
    with pytest.raises((TypeError, ValueError)):
        call(**{name: value})


def test_the_largest_total_that_is_exact_is_taken_and_the_next_refused():
    rows, costs = [[0], [1]], [[0, 1], [1, 0]]
    most = Problem(rows, [0, 1], [2**51, 2**51 - 1], costs, 3)
    check_proven(most, solve(most), 6)
    with pytest.raises(ValueError, match=r"2\^52|4503599627370496"):
        solve(Problem(rows, [0, 1], [2**51, 2**51], costs, 3))
    with pytest.raises(ValueError, match=r"2\^52|4503599627370496"):
        solve(Problem(rows, [0, 1], [1, 1], [[0, 2**62], [2**62, 0]], 3))


def test_the_arguments_are_left_as_they_were():
    before = arguments(GOOD)
    given = arguments(GOOD)
    calls.call(_core.solve, **given)
    for name in ("columns", "class_codes", "weights", "costs"):
        np.testing.assert_array_equal(given[name], before[name])
