"""Threads: more of them give the same result, and the interpreter's lock is free while the core searches."""

import sys
import threading
import time

import pytest

from core.calls import call
from core.hard import unsolvable
from core.solving import arguments, check_proven, solve
from hornbeam import _core
from oracles.problems import OBJECTIVES, random_problem

LIMITS = [{}, {"max_depth": 4}, {"max_leaves": 5}, {"min_samples_leaf": 3}]


@pytest.mark.parametrize("n_threads", [2, 3])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_more_threads_prove_the_same_optimum(objective, n_threads):
    for limits in LIMITS:
        for seed in range(6):
            problem = random_problem(seed, objective, n_rows=(30, 60), n_columns=(6, 9), **limits)
            check_proven(problem, solve(problem, n_threads=n_threads), solve(problem)["upper"])


def test_two_searches_at_once_do_not_disturb_each_other():
    problems = [random_problem(seed, "zero_one", n_rows=(60, 80), n_columns=(9, 10)) for seed in range(8)]
    alone = [solve(problem)["upper"] for problem in problems]
    together = [0] * len(problems)

    def work(share: slice) -> None:
        for index in range(len(problems))[share]:
            together[index] = solve(problems[index])["upper"]

    threads = [threading.Thread(target=work, args=(slice(start, None, 2),)) for start in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_another_python_thread_runs_while_the_core_searches():
    given, counted, stop = arguments(unsolvable()), [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(10.0)  # the other thread then gets a turn only when the core lets go of the lock
    thread = threading.Thread(target=count)
    try:
        thread.start()
        before = counted[0]
        outcome = call(_core.solve, **given, time_limit=0.3)
        during = counted[0] - before
    finally:
        stop.set()
        sys.setswitchinterval(interval)
        thread.join()
    assert outcome["status"] == "time_limit"
    assert during > 10
