"""The ordered search proves the optimum of the other search, stops like it, and refuses what it cannot solve."""

import itertools

import numpy as np
import pytest

from core.calls import call as call_core
from core.ordered import hard_ordered, make_ordered, random_ordered, unsolvable_ordered
from core.solving import check_interval, check_proven, check_tree, costs_in_nodes, solve
from hornbeam import GOSDTClassifier, _core
from interrupts import ctrl_c_when_called

SEEDS = range(3)


@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_the_optimum_is_that_of_brute_force(first):
    for seed in range(first, first + 100):
        ordered = random_ordered(seed, unlimited=seed % 4 == 0)
        check_proven(ordered.problem, ordered.solve(), ordered.problem.optimum())


@pytest.mark.parametrize("bounds", [{}, {"similarity": False}])
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_larger_problems_cost_what_the_other_search_proves(first, bounds):
    for seed in range(first, first + 50):
        ordered = random_ordered(seed, most_rows=80, most_thresholds=40)
        check_proven(ordered.problem, ordered.solve(bounds=bounds), solve(ordered.problem)["upper"])


@pytest.mark.parametrize("n_threads", [2, 4])
def test_more_threads_prove_the_same_optimum(n_threads):
    for seed in range(100):
        ordered = random_ordered(seed, most_rows=80, most_thresholds=40)
        check_proven(ordered.problem, ordered.solve(n_threads=n_threads), ordered.solve()["upper"])
    for seed in SEEDS:
        ordered, optimum = hard_ordered(seed)
        check_proven(ordered.problem, ordered.solve(n_threads=n_threads), optimum)


@pytest.mark.parametrize("max_depth", [*range(17), 18, 40, 2**31, None])
def test_every_depth_and_no_limit_are_solved(max_depth):
    bins = [[r ^ r >> 1 for r in range(16)], [7 * r % 16 for r in range(16)]]
    ordered = make_ordered(bins, [15, 15], [r % 2 for r in range(16)], [1] * 16, [1], 0, max_depth)
    check_proven(ordered.problem, ordered.solve(), solve(ordered.problem)["upper"])


def test_no_node_is_split_without_gain():
    for seed in range(200):
        ordered = random_ordered(seed, most_rows=20)
        tree, problem = ordered.solve()["tree"], ordered.problem
        leaf = [min(costs) + problem.leaf_cost for costs in costs_in_nodes(problem, tree)]
        cost = list(leaf)
        for node in reversed(range(len(leaf))):
            if tree["column"][node] != -1:
                cost[node] = cost[tree["left"][node]] + cost[tree["right"][node]]
                assert cost[node] < leaf[node], ordered


def test_weights_are_the_same_as_rows_that_repeat():
    for seed in range(50):
        ordered = random_ordered(seed)
        times = [1 + r % 3 for r in range(len(ordered.problem.classes))]
        heavy = ordered.solve(weights=np.array(times, np.int64))
        rows = np.repeat(np.arange(len(times)), times)
        arguments = ordered.arguments()
        repeated = ordered.solve(
            bins=np.ascontiguousarray(arguments["bins"][:, rows]),
            class_codes=arguments["class_codes"][rows],
            weights=np.ones(len(rows), np.int64),
        )
        assert heavy["upper"] == repeated["upper"], ordered


def test_the_same_tree_comes_every_time():
    ordered, _ = hard_ordered(0)
    first, *others = (ordered.solve() for _ in range(3))
    for other in others:
        assert all((other["tree"][name] == first["tree"][name]).all() for name in first["tree"])


def test_without_variables_there_is_a_single_leaf():
    ordered = make_ordered([], [], [0, 1, 1], [1, 1, 3], [5], 2, 3)
    outcome = ordered.solve()
    assert (outcome["status"], outcome["upper"], outcome["lower"]) == ("optimal", 7, 7)


@pytest.mark.parametrize("seed", SEEDS)
def test_stopping_after_any_number_of_reports_leaves_a_valid_interval(seed):
    ordered, optimum = hard_ordered(seed)
    statuses = set()
    for n_calls in [*range(1, 60), 100, 200, 400, 10**9]:
        calls = itertools.count(1)
        outcome = ordered.solve(callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0, trace=True)
        check_interval(ordered.problem, outcome, optimum)
        assert outcome["trace"][-1][5] == sum(outcome["tree"]["column"] < 0)
        assert next(calls) <= n_calls + 1
        statuses.add(outcome["status"])
    assert statuses == {"interrupted", "optimal"}


@pytest.mark.parametrize("seed", SEEDS)
def test_reports_hold_the_optimum_between_a_falling_incumbent_and_a_rising_bound(seed):
    ordered, optimum = hard_ordered(seed)
    reports = []
    outcome = ordered.solve(callback=reports.append, callback_interval=0, trace=True)
    check_proven(ordered.problem, outcome, optimum)
    for series in (reports, outcome["trace"]):
        assert len(series) > 1
        seconds, incumbents, bounds, subproblems, _, _ = zip(*series, strict=True)
        assert all(lower <= optimum <= upper for upper, lower in zip(incumbents, bounds, strict=True))
        assert list(incumbents) == sorted(incumbents, reverse=True)
        for rising in (seconds, bounds, subproblems):
            assert list(rising) == sorted(rising)
    assert outcome["trace"][-1][1:3] == (optimum, optimum)
    assert ordered.solve()["trace"] == []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("gap_limit", [0.0, 0.01, 0.1, 0.3, 1.0])
def test_a_gap_limit_stops_with_a_gap_no_larger(seed, gap_limit):
    ordered, optimum = hard_ordered(seed)
    outcome = ordered.solve(gap_limit=gap_limit)
    check_interval(ordered.problem, outcome, optimum)
    assert outcome["upper"] - outcome["lower"] <= gap_limit * outcome["upper"]
    assert outcome["status"] == ("optimal" if outcome["upper"] == outcome["lower"] else "gap_limit")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("memory_limit", [0, 1, 10**3, 10**4, 3 * 10**4, 10**5])
def test_a_memory_limit_leaves_a_valid_interval(seed, memory_limit):
    ordered, optimum = hard_ordered(seed)
    outcome = ordered.solve(memory_limit=memory_limit)
    check_interval(ordered.problem, outcome, optimum)
    assert outcome["status"] == ("memory_limit" if memory_limit <= 1000 else outcome["status"])
    assert outcome["status"] in {"memory_limit", "optimal"}


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_search_keeps_within_ten_percent_of_its_memory_limit(share, n_threads):
    ordered = unsolvable_ordered()
    off = {"primal": False}  # the heuristics would not start where their memory has no place
    needed = ordered.solve(time_limit=1, bounds=off)["statistics"]["bytes"]  # by one thread
    outcome = ordered.solve(memory_limit=int(share * needed), time_limit=120, n_threads=n_threads, bounds=off)
    assert outcome["status"] == "memory_limit"
    # Thresholds of another thread count only once they are there: 72 bytes for each of 8 x 100 thresholds.
    open_runs = (n_threads - 1) * 72 * 8 * 100
    assert outcome["statistics"]["bytes"] <= 1.1 * share * needed + open_runs
    check_tree(ordered.problem, outcome)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("time_limit", [0.0, 1e-6, 1e-3, 0.05, 0.5])
def test_a_time_limit_ends_the_search_with_a_tree(time_limit, n_threads):
    ordered = unsolvable_ordered()
    outcome = ordered.solve(time_limit=time_limit, n_threads=n_threads)
    assert outcome["status"] == "time_limit"
    assert outcome["lower"] < outcome["upper"]
    # Far fewer than a search opens that goes on; that one takes more than a minute.
    assert outcome["statistics"]["subproblems"] < 50_000
    check_tree(ordered.problem, outcome)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_ends_the_search_with_the_best_tree(n_threads):
    with ctrl_c_when_called() as called:
        outcome = unsolvable_ordered().solve(callback=called, time_limit=20, n_threads=n_threads)
    assert outcome["status"] == "interrupted"
    check_tree(unsolvable_ordered().problem, outcome)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("after", [0, 0.3])
def test_an_exception_of_the_callback_is_raised(n_threads, after):
    def fail(progress):
        if progress[0] >= after:
            raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        unsolvable_ordered().solve(callback=fail, callback_interval=0, time_limit=20, n_threads=n_threads)


GOOD = make_ordered([[0, 1, 2, 1], [1, 0, 0, 1]], [2, 1], [0, 1, 1, 0], [1, 2, 3, 4], [2], 1, 2)


def call(**changes):
    """Call the core with the good problem, some arguments changed."""
    return GOOD.solve(**changes)


def test_the_good_problem_is_solved_and_left_as_it_was():
    given = GOOD.arguments()
    check_proven(GOOD.problem, call_core(_core.solve, **given), GOOD.problem.optimum())
    for name in ("bins", "n_thresholds", "class_codes", "weights", "costs"):
        np.testing.assert_array_equal(given[name], GOOD.arguments()[name])


VALUES = {
    "bins": [np.full((2, 4), 3, np.uint32), np.zeros((2, 0), np.uint32)],
    "n_thresholds": [np.array([2], np.uint32), np.array([2, 1, 1], np.uint32), np.array([2**31, 2**31], np.uint32)],
    "class_codes": [np.zeros(3, np.int32), np.full(4, 2, np.int32), np.full(4, -1, np.int32)],
    "weights": [
        np.ones(3, np.int64),
        np.array([1, 1, 1, 0], np.int64),
        np.array([1, 1, 1, -1], np.int64),
        np.array([1, 1, 1, 2**52 - 3], np.int64),
    ],
    "costs": [
        np.array([[0, -1], [1, 0]]),
        np.array([[0, 2**51], [2**51, 0]]),
        np.zeros((0, 2), np.int64),
        np.zeros((2, 0), np.int64),
    ],
    "leaf_cost": [-1, 2**52],
    "max_depth": [-1],
    "time_limit": [-1.0, float("nan")],
    "memory_limit": [-1],
    "gap_limit": [-0.1, float("nan")],
    "n_threads": [0, -1],
    "callback_interval": [-1.0, float("nan")],
    "bounds": [{"no_such_bound": False}],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_an_impossible_value_is_refused_by_name(name, value):
    with pytest.raises(ValueError, match=name):
        call(**{name: value})


TYPES = {
    "bins": [np.zeros((2, 4), np.int64), np.zeros(8, np.uint32), np.zeros((4, 2), np.uint32).T],
    "n_thresholds": [np.array([2, 1]), [2, 1], np.array([[2, 1]], np.uint32)],
    "max_depth": [1.5],
    "callback": [3],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in TYPES.items() for value in values])
def test_a_wrong_type_is_refused_not_converted(name, value):
    with pytest.raises((TypeError, ValueError)):
        call(**{name: value})


def test_the_largest_weight_is_taken():
    ordered = make_ordered(GOOD.bins, GOOD.n_thresholds, [0, 1, 1, 0], [1, 1, 1, 2**51 - 4], [2], 1, 2)
    check_proven(ordered.problem, ordered.solve(), ordered.problem.optimum())


def test_thresholds_are_closed_by_their_neighbors_with_a_minimum_of_rows_per_leaf():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(300, 4))
    y = (X[:, 0] > 0) + (X[:, 1] > 0.3) * (X[:, 2] > 0) + draw.normal(size=300) > 0.8

    def n_subproblems(min_samples_leaf):
        model = GOSDTClassifier(0.005, 3, binarizer="exact", min_samples_leaf=min_samples_leaf).fit(X, y)
        assert model.status_ == "optimal"
        return model.statistics_["subproblems"]

    # More than three times as many if only the weights of the rows in between bound a threshold.
    assert n_subproblems(5) < 1.5 * n_subproblems(1)
