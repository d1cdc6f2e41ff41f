"""The ordered search on a cluster, on workers in this process: whatever they do, the optimum is that of one core."""

from __future__ import annotations

import random
from functools import partial
from itertools import count, pairwise
from typing import Any

import numpy as np
import pytest

from cluster_pools import StoppingPool
from core.ordered import OrderedProblem, make_ordered, random_ordered, with_costs
from hornbeam import _core
from hornbeam.cluster import OrderedProblem as SharedProblem
from hornbeam.cluster import search, solve_on_cluster
from oracles.problems import OBJECTIVES

LIMITS: list[dict[str, Any]] = [
    {},
    {"max_leaves": 3},
    {"max_leaves": 5},
    {"min_samples_leaf": 2},
    {"max_depth": None},
    {"max_depth": 3},
    {"max_depth": 4, "min_samples_leaf": 3},
]


@pytest.fixture(autouse=True)
def no_search_alone(monkeypatch):
    monkeypatch.setattr(search, "_SECONDS_ALONE", 0.0)


def shared(ordered: OrderedProblem) -> SharedProblem:
    given = ordered.arguments()
    options = {name: given[name] for name in ("max_depth", "max_leaves", "min_samples_leaf")}
    of_problem = (*(given[name] for name in ("class_codes", "weights", "costs", "leaf_cost")), None, None)
    options |= {"rule_list": False, "memory_limit": None, "bounds": {}}
    return SharedProblem(of_problem, options, given["bins"], given["n_thresholds"])


def solve(ordered: OrderedProblem, pools: Any, **options: Any) -> _core.Outcome:
    given = shared(ordered)
    limits = {name: given.options[name] for name in ("max_depth", "max_leaves", "min_samples_leaf")}
    return solve_on_cluster(pools, given, _core.SearchOptions(**limits, time_limit=300, **options))


def some_problems(n: int) -> list[OrderedProblem]:
    objectives = sorted(OBJECTIVES)
    return [
        with_costs(
            random_ordered(seed, most_rows=16), seed, objectives[seed % len(objectives)], **LIMITS[seed // 5 % 7]
        )
        for seed in range(n)
    ]


def test_the_optimum_is_that_of_one_core_wherever_jobs_stop_and_workers_die():
    pools: list[StoppingPool] = []
    for seed, ordered in enumerate(some_problems(600)):
        rng = random.Random(seed)

        def make(problem, rng=rng):
            how = {"steps": rng.choice([1, 3, 10, 50]), "lost": rng.choice([0.0, 0.2])}
            pools.append(StoppingPool(problem, rng.randrange(1, 5), rng, **how))
            return pools[-1]

        optimum = ordered.solve()["upper"]
        outcome = solve(ordered, make)
        assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", optimum, optimum), seed
        assert ordered.problem.cost(outcome["tree"]) == optimum
    assert sum(pool.n_lost for pool in pools) > 100
    assert max(pool.deepest for pool in pools) >= 3


def test_a_cutoff_is_proven_or_leaves_the_optimum_as_it_is():
    for seed, ordered in enumerate(some_problems(40)):
        optimum = ordered.solve()["upper"]
        for cutoff in {max(0, optimum - 1), optimum, optimum + 3}:
            pools = partial(StoppingPool, n_workers=3, rng=random.Random(seed), steps=5, lost=0.1)
            outcome = solve(ordered, pools, cutoff=cutoff)
            assert outcome["lower"] <= optimum
            assert outcome["lower"] > cutoff if cutoff < optimum else outcome["lower"] == optimum
            assert outcome["status"] == "optimal" or (outcome["status"] == "cutoff" and cutoff < optimum)


def larger_problem() -> OrderedProblem:
    draw = random.Random(1)
    bins = [[draw.randint(0, 12) for _ in range(80)] for _ in range(3)]
    return make_ordered(bins, [12] * 3, [draw.randint(0, 1) for _ in range(80)], [1] * 80, [2], 2, 4)


def test_a_callback_ends_the_search_with_a_valid_interval():
    ordered = larger_problem()
    optimum = ordered.solve()["upper"]
    for most in (1, 5, 20, 80):
        pools = partial(StoppingPool, n_workers=3, rng=random.Random(most), steps=3, lost=0.0)
        seen: list[Any] = []

        def stop(record, seen=seen, most=most):
            seen.append(record)
            return len(seen) > most

        outcome = solve_on_cluster(pools, shared(ordered), _core.SearchOptions(max_depth=4), callback=stop)
        assert outcome["status"] == "interrupted"
        assert outcome["lower"] <= optimum <= outcome["upper"] == ordered.problem.cost(outcome["tree"])
        assert all(a[1] >= b[1] and a[2] <= b[2] for a, b in pairwise(seen))


def test_workers_leave_runs_to_each_other_before_they_try_thresholds_in_vain(monkeypatch):
    """A threshold tried next to one in progress is often closed by it: on 16 workers this doubled the work."""
    monkeypatch.setattr(search, "_SHARE_OF_TIME", 0.0)  # so that nothing depends on the clock
    rng = np.random.default_rng(0)
    bins = rng.random((4, 60)).argsort(axis=1).argsort(axis=1)
    is_true = (bins[0] < 30) ^ (bins[1] < 20)
    classes = np.where(rng.random(60) < 0.5, is_true, rng.integers(0, 2, 60))
    ordered = make_ordered(bins.tolist(), [59] * 4, classes.tolist(), [1] * 60, [2], 2, 4)
    one = ordered.solve()
    found = [
        solve(ordered, partial(StoppingPool, n_workers=16, rng=random.Random(seed), steps=300, lost=0.0))
        for seed in range(3)
    ]
    assert {each["upper"] for each in found} == {one["upper"]}
    assert sum(each["statistics"]["subproblems"] for each in found) < 3 * 1.8 * one["statistics"]["subproblems"]


def test_a_job_on_some_thresholds_of_a_path_proves_what_it_says():
    """Its bound holds for the trees with these thresholds as roots; all of them together have the optimum."""
    ordered = larger_problem()
    given = shared(ordered)
    problem = _core.Problem(*given.arguments)
    whole = _core.OrderedSubproblems(given.for_core(), problem, _core.SearchOptions(), 1)
    path = [(18, False)]
    members = [i for i, row in enumerate(ordered.problem.rows) if row[18] == 0]
    assert 20 < len(members) < 60
    bins = [[column[i] for i in members] for column in ordered.bins]
    classes = [ordered.problem.classes[i] for i in members]
    below = make_ordered(bins, [12] * 3, classes, [1] * len(members), [2], 2, 3)
    optimum = below.solve()["upper"]
    done = whole.solve(path, 3, None, 2**60)
    assert (done["lower"], done["upper"], done["levels"]) == (optimum, optimum, [(2**60, [], None)])
    assert below.problem.cost(done["tree"]) == optimum
    n_checked = 0
    for most in range(1, 60):
        polls = count()

        def stop(_, polls=polls, most=most):
            return next(polls) >= most

        one = _core.OrderedSubproblems(given.for_core(), problem, _core.SearchOptions(), 1)
        stopped = one.solve(path, 3, None, optimum + 1, callback=stop, callback_interval=0.0)
        if stopped["status"] != "interrupted" or not stopped["levels"]:
            continue
        n_checked += 1
        bound, runs, half_way = stopped["levels"][0]
        assert bound <= optimum + 1
        left = [*runs, *([half_way[0]] if half_way is not None else [])]
        each = [whole.solve(path, 3, None, optimum + 1, [run]) for run in left]
        assert min([stopped["upper"], *(one["upper"] for one in each)]) == optimum
        assert all(min(optimum, run[4] + run[8]) <= one["lower"] for one, run in zip(each, left, strict=True))
    assert n_checked > 5


def test_impossible_jobs_are_refused():
    given = shared(larger_problem())
    problem = _core.Problem(*given.arguments)
    jobs = _core.OrderedSubproblems(given.for_core(), problem, _core.SearchOptions())
    with pytest.raises(ValueError, match="path: there is no such column"):
        jobs.solve([(1000, True)], None, None, 1)
    with pytest.raises(ValueError, match="path: no row satisfies it"):
        jobs.solve([(0, True), (0, False)], None, None, 1)
    for run in [(9, 0, 1, -1, 0, 0, 2, 0, 0), (0, 0, 99, -1, 0, 0, 100, 0, 0), (0, 3, 2, -1, 0, 0, 5, 0, 0)]:
        with pytest.raises(ValueError, match="splits: there is no such run of thresholds"):
            jobs.solve([], 3, None, 100, [run])
    guessed = _core.Problem(*given.arguments[:4], np.zeros(80, dtype=np.int32), None)
    with pytest.raises(ValueError, match="reference: not for subproblems"):
        _core.OrderedSubproblems(given.for_core(), guessed, _core.SearchOptions())
    with pytest.raises(MemoryError):
        _core.OrderedSubproblems(given.for_core(), problem, _core.SearchOptions(memory_limit=1000))
