"""The search over sets of leaves proves what brute force finds, in any order, with and without each of its bounds."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from core.hard import hard, random_labels
from core.solving import check_interval, check_proven, solve, solve_leaf_sets
from hornbeam.estimators.osdt import BOUNDS, POLICIES
from oracles.problems import OBJECTIVES, Problem, random_problem

LIMITS = [
    {},
    {"max_depth": 2},
    {"max_leaves": 3},
    {"min_samples_leaf": 2},
    {"max_depth": 3, "max_leaves": 4, "min_samples_leaf": 2},
]
OFF = {name: {name: False} for name in BOUNDS}
OFF |= {f"all but {name}": {other: other == name for other in BOUNDS} for name in BOUNDS}
OFF |= {"all": dict.fromkeys(BOUNDS, False), "none": dict.fromkeys(BOUNDS, True)}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_optimum_equals_brute_force_under_every_policy(objective, policy):
    for limits, seed in itertools.product(LIMITS, range(6)):
        problem = random_problem(seed, objective, n_rows=(1, 16), n_columns=(0, 5), **limits)
        check_proven(problem, solve_leaf_sets(problem, policy=policy), problem.optimum())


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("off", OFF)
def test_switching_bounds_never_changes_the_optimum(off, objective):
    for limits, seed in itertools.product(LIMITS, range(3)):
        problem = random_problem(2000 + seed, objective, n_rows=(4, 14), n_columns=(2, 4), **limits)
        check_proven(problem, solve_leaf_sets(problem, bounds=OFF[off]), problem.optimum())


@pytest.mark.parametrize("seed", range(3))
def test_optimum_equals_brute_force_on_more_rows_than_a_machine_word_has_bits(seed):
    problem = random_problem(seed, "zero_one", n_rows=(60, 200), n_columns=(5, 8), max_depth=3)
    check_proven(problem, solve_leaf_sets(problem), problem.optimum())


def every_combination(seed: int) -> Problem:
    """Return one or two weighted rows of random classes for every combination of three or four columns."""
    draw = random.Random(seed)
    rows = [
        list(row) for row in itertools.product((0, 1), repeat=draw.randint(3, 4)) for _ in range(draw.randint(1, 2))
    ]
    classes, weights = [draw.randint(0, 1) for _ in rows], [draw.randint(1, 9) for _ in rows]
    return Problem(rows, classes, weights, [[0, 1], [1, 0]], draw.randint(1, 6))


@pytest.mark.parametrize("policy", POLICIES)
def test_optimum_equals_brute_force_where_every_combination_of_columns_has_a_row(policy):
    for seed in range(40):
        problem = every_combination(seed)
        optimum = problem.optimum()
        for off in ((), ("split_lookahead", "equivalent_points", "lookahead")):
            check_proven(problem, solve_leaf_sets(problem, policy=policy, bounds=dict.fromkeys(off, False)), optimum)


def two_exclusive_ors(leaf_cost: int) -> Problem:
    """Return rows whose class is an exclusive or, of which greed sees nothing, and of two columns at that."""
    rows = [[a, b, c, d] for a, b, c, d in itertools.product((0, 1), repeat=4)]
    return Problem(rows, [(a ^ b) & (c | d) for a, b, c, d in rows], [1] * 16, [[0, 4], [4, 0]], leaf_cost)


@pytest.mark.parametrize("name", [name for name in BOUNDS if name not in ("leaf_count", "similar_support")])
def test_each_bound_saves_work(name):
    others = {} if name == "split_lookahead" else {"split_lookahead": False}
    if name in ("permutation", "incremental_progress"):
        others |= {"equivalent_points": False}  # it leaves them little to do
    count = "subproblems" if name == "permutation" else "table_entries"
    problems = [random_labels(seed, n_rows=40, n_columns=5, leaf_cost=4) for seed in range(8)]
    with_bound, without = (
        sum(solve_leaf_sets(problem, bounds=others | off)["statistics"][count] for problem in problems)
        for off in ({}, {name: False})
    )
    assert with_bound < without


def test_the_corrected_bound_on_the_number_of_leaves_saves_work_where_lookahead_does_not_do_it():
    problem = two_exclusive_ors(5)
    off = {"split_lookahead": False, "lookahead": False}
    counts = [
        solve_leaf_sets(problem, bounds=off | {"leaf_count": on})["statistics"]["table_entries"] for on in (True, False)
    ]
    assert counts[0] < counts[1]


def test_a_start_is_the_first_incumbent_and_keeps_the_limits():
    problem, _ = hard(0)
    columns = np.array([[0, 1, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1]], dtype=np.int32)
    cost = problem.cost(with_predictions(problem, columns))
    calls = []
    solve_leaf_sets(problem, start=columns, callback=lambda at: calls.append(at) or True, callback_interval=0)
    assert calls[0][1] <= min(cost, best_leaf(problem))
    root = np.array([[0, -1, -1], [1, -1, -1], [2, -1, -1]], dtype=np.int32)
    stump = problem.cost(with_predictions(problem, root))
    calls.clear()
    solve_leaf_sets(problem, start=root, callback=lambda at: calls.append(at) or True, callback_interval=0)
    assert calls[0][1] == min(stump, best_leaf(problem))
    shallow = random_problem(1, "zero_one", n_rows=(20, 20), n_columns=(5, 5), max_depth=1)
    check_proven(shallow, solve_leaf_sets(shallow, start=columns), shallow.optimum())
    for start in ([[0, -1], [1, -1], [2, -1]], [[0, 0, -1, -1, -1], [1, 2, -1, -1, -1], [4, 3, -1, -1, -1]]):
        with pytest.raises((ValueError, RuntimeError)):
            solve_leaf_sets(problem, start=np.array(start, dtype=np.int32))


def with_predictions(problem: Problem, columns: np.ndarray) -> dict:
    """Return the tree with the best prediction at each leaf."""
    tree = {"column": columns[0], "left": columns[1], "right": columns[2]}
    choices = itertools.product((0, 1), repeat=int((columns[0] == -1).sum()))
    leaves = np.flatnonzero(columns[0] == -1)
    trees = []
    for labels in choices:
        prediction = np.zeros(len(columns[0]), dtype=int)
        prediction[leaves] = labels
        trees.append(tree | {"prediction": prediction})
    return min(trees, key=problem.cost)


def best_leaf(problem: Problem) -> int:
    """Return the cost of the best single leaf."""
    return min(
        problem.cost({"column": [-1], "left": [-1], "right": [-1], "prediction": [k]})
        for k in range(len(problem.costs[0]))
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_stopping_at_any_report_leaves_a_valid_interval_and_a_scorable_tree(policy):
    problem, optimum = hard(0)
    statuses = set()
    for n_calls in [1, 2, 3, 5, 10, 100, 10**9]:
        calls = itertools.count(1)
        outcome = solve_leaf_sets(
            problem,
            policy=policy,
            callback=lambda _, c=calls, n=n_calls: next(c) >= n,
            callback_interval=0,
            time_limit=0.3,
            trace=True,
        )
        check_interval(problem, outcome, optimum)
        statuses.add(outcome["status"])
        _, uppers, lowers, queued, *_ = zip(*outcome["trace"], strict=True)
        assert all(lower <= optimum <= upper for upper, lower in zip(uppers, lowers, strict=True))
        assert list(uppers) == sorted(uppers, reverse=True)
        assert [list(rising) == sorted(rising) for rising in (lowers, queued)] == [True, True]
        assert (outcome["upper"], outcome["lower"]) == outcome["trace"][-1][1:3]
        assert outcome["trace"][-1][5] == sum(outcome["tree"]["column"] < 0)
    assert "interrupted" in statuses


def test_a_stop_while_the_first_set_is_expanded_leaves_a_valid_interval():
    # So many columns that the search looks at the clock while it tries them on the root.
    problem = random_labels(0, n_rows=40, n_columns=300, leaf_cost=4)
    best_of_two_levels = solve(replace(problem, max_depth=2))["upper"]
    for n_calls in range(1, 8):
        calls = itertools.count(1)
        outcome = solve_leaf_sets(problem, callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0)
        assert outcome["lower"] <= best_of_two_levels
        assert outcome["status"] == "interrupted"


def test_limits_of_time_memory_and_gap_say_so():
    problem, optimum = hard(1)
    for limit, status in (({"time_limit": 0.0}, "time_limit"), ({"memory_limit": 10**5}, "memory_limit")):
        outcome = solve_leaf_sets(problem, **limit)
        check_interval(problem, outcome, optimum)
        assert outcome["status"] == status
    outcome = solve_leaf_sets(problem, gap_limit=0.9)
    check_interval(problem, outcome, optimum)
    assert outcome["status"] == "gap_limit"


UNSOUND = Problem([[1, 0], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0]], [0, 0, 0, 1, 1, 0], [1] * 6, [[0, 20], [20, 0]], 9)
"""Costs in units of 1/120 of the rows' loss: the printed bound on the number of leaves loses its optimum, 47."""


def test_the_bound_on_the_number_of_leaves_keeps_an_optimum_that_the_printed_one_loses():
    check_proven(UNSOUND, solve_leaf_sets(UNSOUND), 47)
    check_proven(UNSOUND, solve_leaf_sets(UNSOUND, bounds={"lookahead": False, "split_lookahead": False}), 47)


@pytest.mark.parametrize(("name", "options"), [("policy", {"policy": "best"}), ("bounds", {"bounds": {"best": True}})])
def test_what_the_core_does_not_know_is_refused(name, options):
    with pytest.raises(ValueError, match=name):
        solve_leaf_sets(UNSOUND, **options)


def test_the_seed_decides_the_random_order_and_not_the_optimum():
    problem = random_labels(3, n_rows=40, n_columns=5, leaf_cost=1)
    found = [solve_leaf_sets(problem, policy="random", seed=seed) for seed in (0, 0, 1, 2, 3)]
    assert len({outcome["upper"] for outcome in found}) == 1
    queued = [outcome["statistics"]["subproblems"] for outcome in found]
    assert queued[0] == queued[1]
    assert len(set(queued)) > 1


@pytest.mark.parametrize("policy", POLICIES)
def test_a_limit_on_expansions_ends_the_search_with_a_true_interval(policy):
    for seed in range(3):
        problem = random_labels(seed, n_rows=40, n_columns=5, leaf_cost=1)
        optimum = solve_leaf_sets(problem)["upper"]
        for n in (1, 2, 10, 50):
            limited = solve_leaf_sets(problem, max_expansions=n, policy=policy)
            check_interval(problem, limited, optimum)
            assert limited["status"] in ("expansion_limit", "optimal")
        assert solve_leaf_sets(problem, max_expansions=1, policy=policy)["status"] == "expansion_limit"
        assert solve_leaf_sets(problem, max_expansions=10**6, policy=policy)["status"] == "optimal"
