"""Stopping at any moment leaves a tree, a valid interval around the optimum, and the reason."""

import itertools
import signal

import numpy as np
import pytest

from core.calls import call
from core.hard import hard, harder, random_labels, unsolvable
from core.solving import check_interval, check_proven, check_tree, solve
from hornbeam import _core
from interrupts import ctrl_c_when_called, one_ctrl_c

SEEDS = range(3)
PROBLEMS = [pytest.param(make, seed, id=f"{make.__name__} {seed}") for make in (hard, harder) for seed in SEEDS]


@pytest.mark.parametrize(("make", "seed"), PROBLEMS)
def test_stopping_after_any_number_of_reports_leaves_a_valid_interval_and_a_scorable_tree(make, seed):
    problem, optimum = make(seed)
    statuses = set()
    for n_calls in [*range(1, 10), 15, 25, 50, 100, 1000, 10**9]:
        calls = itertools.count(1)
        outcome = solve(problem, callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0)
        check_interval(problem, outcome, optimum)
        assert next(calls) <= n_calls + 1
        statuses.add(outcome["status"])
    assert statuses == {"interrupted", "optimal"}


@pytest.mark.parametrize(("make", "seed"), PROBLEMS)
def test_reports_hold_the_optimum_between_a_falling_incumbent_and_a_rising_bound(make, seed):
    problem, optimum = make(seed)
    reports = []
    outcome = solve(problem, callback=reports.append, callback_interval=0, trace=True)
    check_proven(problem, outcome, optimum)
    for series in (reports, outcome["trace"]):
        assert len(series) > 1
        seconds, incumbents, bounds, subproblems, n_bytes, _ = zip(*series, strict=True)
        assert all(lower <= optimum <= upper for upper, lower in zip(incumbents, bounds, strict=True))
        assert list(incumbents) == sorted(incumbents, reverse=True)
        for rising in (seconds, bounds, subproblems):
            assert list(rising) == sorted(rising)
        assert min(n_bytes) > 0
    assert outcome["trace"][-1][1:3] == (optimum, optimum)


def test_no_trace_is_kept_unless_asked_for():
    assert solve(hard(0)[0])["trace"] == []


@pytest.mark.parametrize(("make", "seed"), PROBLEMS)
@pytest.mark.parametrize("time_limit", [0.0, 1e-6, 1e-4, 1e-3, 1e-2])
def test_a_time_limit_leaves_a_valid_interval(make, seed, time_limit):
    problem, optimum = make(seed)
    outcome = solve(problem, time_limit=time_limit)
    check_interval(problem, outcome, optimum)
    assert outcome["status"] in {"time_limit", "optimal"}


def test_a_time_limit_of_zero_stops_a_hard_search_and_says_so():
    outcome = solve(unsolvable(), time_limit=0.0)
    assert outcome["status"] == "time_limit"
    assert outcome["lower"] < outcome["upper"]
    check_tree(unsolvable(), outcome)


@pytest.mark.parametrize(("make", "seed"), PROBLEMS)
@pytest.mark.parametrize("memory_limit", [0, 1, 10**4, 10**5])
def test_a_memory_limit_leaves_a_valid_interval(make, seed, memory_limit):
    problem, optimum = make(seed)
    outcome = solve(problem, memory_limit=memory_limit)
    check_interval(problem, outcome, optimum)
    assert outcome["status"] in {"memory_limit", "optimal"}


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_search_keeps_within_ten_percent_of_its_memory_limit(n_threads):
    limit = 4 * 2**20
    outcome = solve(unsolvable(), memory_limit=limit, time_limit=3.0, n_threads=n_threads)
    assert outcome["status"] == "time_limit"
    assert outcome["statistics"]["bounds"]["forgotten"] > 0
    assert outcome["statistics"]["bytes"] <= 1.1 * limit
    check_tree(unsolvable(), outcome)


@pytest.mark.parametrize(("make", "seed"), PROBLEMS)
@pytest.mark.parametrize("gap_limit", [0.0, 0.01, 0.1, 0.3, 1.0])
def test_a_gap_limit_stops_with_a_gap_no_larger(make, seed, gap_limit):
    problem, optimum = make(seed)
    outcome = solve(problem, gap_limit=gap_limit)
    check_interval(problem, outcome, optimum)
    assert outcome["upper"] - outcome["lower"] <= gap_limit * outcome["upper"]
    assert outcome["status"] == ("optimal" if outcome["upper"] == outcome["lower"] else "gap_limit")


def test_a_gap_limit_saves_work():
    problem, _ = hard(0)
    full, loose = solve(problem), solve(problem, gap_limit=0.5)
    assert loose["status"] == "gap_limit"
    assert loose["statistics"]["subproblems"] < full["statistics"]["subproblems"]


@pytest.mark.parametrize(("answer", "status"), [(1, "interrupted"), (np.True_, "interrupted"), ([], "optimal")])
def test_any_true_answer_of_the_callback_stops_the_search(answer, status):
    outcome = solve(harder(0)[0], callback=lambda _: answer, callback_interval=0)
    assert outcome["status"] == status


def test_an_exception_of_the_callback_is_raised():
    def fail(_):
        raise LookupError("from the callback")

    with pytest.raises(LookupError, match="from the callback"):
        solve(unsolvable(), callback=fail, callback_interval=0, time_limit=20)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_ctrl_c_ends_the_search_with_the_best_tree(n_threads):
    with ctrl_c_when_called() as called:
        outcome = solve(unsolvable(), callback=called, time_limit=20, n_threads=n_threads)
    assert outcome["status"] == "interrupted"
    check_tree(unsolvable(), outcome)


def test_ctrl_c_ends_the_search_if_its_handler_raises_nothing():
    handler = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with one_ctrl_c() as called:
            outcome = solve(unsolvable(), callback=called, time_limit=20)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert outcome["status"] == "interrupted"


def test_ctrl_c_during_the_callback_ends_the_search_with_the_best_tree():
    def interrupt(_):
        raise KeyboardInterrupt

    outcome = solve(unsolvable(), callback=interrupt, callback_interval=0, time_limit=20)
    assert outcome["status"] == "interrupted"
    check_tree(unsolvable(), outcome)


@pytest.mark.parametrize("seed", SEEDS)
def test_statistics_count_the_work(seed):
    problem, _ = hard(seed)
    statistics = solve(problem)["statistics"]
    assert statistics["subproblems"] > 1
    assert statistics["table_entries"] > 1
    assert statistics["bytes"] > 0
    assert statistics["seconds"] > 0


@pytest.mark.parametrize("max_leaves", [1000, 2**16 - 1, 70_000])
def test_a_large_limit_on_leaves_is_kept_when_the_search_is_stopped(max_leaves):
    # Every combination of 17 columns once, with random labels: without regularization a tree wants some 2^16 leaves.
    n_rows = 2**17
    bits = (np.arange(n_rows) >> np.arange(17)[:, None] & 1).astype(np.uint8)
    classes = np.random.default_rng(0).integers(2, size=n_rows).astype(np.int32)
    outcome = call(
        _core.solve,
        columns=np.packbits(bits, axis=1, bitorder="little"),
        n_rows=n_rows,
        class_codes=classes,
        weights=np.ones(n_rows, np.int64),
        costs=np.array([[0, 1], [1, 0]]),
        leaf_cost=0,
        max_leaves=max_leaves,
        time_limit=0.5,
    )
    assert outcome["status"] == "time_limit"
    assert (outcome["tree"]["column"] < 0).sum() <= max_leaves
    # The first tree shares the leaves out between its sides: a chain would leave nearly half of the rows wrong.
    assert outcome["upper"] < 0.45 * n_rows


def test_the_rows_of_subproblems_count_next_to_those_of_the_data():
    problem = random_labels(0, n_rows=400, n_columns=4000, leaf_cost=400)
    bytes_of_bits = len(problem.rows) * len(problem.rows[0]) // 8
    assert solve(problem)["statistics"]["bytes"] > 2 * bytes_of_bits
