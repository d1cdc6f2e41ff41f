"""The search on a cluster, on workers in this process: whatever the workers do, the optimum is that of one core."""

from __future__ import annotations

import random
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from cluster_pools import UnreliablePool
from core.solving import arguments
from hornbeam import _core
from hornbeam.cluster import PackedProblem, news, search, solve_on_cluster
from hornbeam.cluster.graph import SearchGraph
from hornbeam.cluster.news import NewsBoard
from hornbeam.cluster.worker import Job
from oracles.problems import OBJECTIVES, Problem, random_problem

LIMITS: list[dict[str, int]] = [
    {},
    {"max_depth": 3},
    {"max_leaves": 4},
    {"max_leaves": 5, "max_depth": 3},
    {"min_samples_leaf": 3},
]


@pytest.fixture(autouse=True)
def no_search_alone(monkeypatch):
    monkeypatch.setattr(search, "_SECONDS_ALONE", 0.0)


def shared(problem: Problem, **more: Any) -> PackedProblem:
    given = arguments(problem)
    options = {name: getattr(problem, name) for name in ("max_depth", "max_leaves", "min_samples_leaf")}
    of_problem = (*(given[name] for name in ("class_codes", "weights", "costs", "leaf_cost")), None, None)
    options |= {"rule_list": False, "memory_limit": None, "bounds": {}, **more}
    return PackedProblem(of_problem, options, given["columns"], given["n_rows"])


class Pools:
    """Makes a pool and keeps it."""

    def __init__(self, **how: Any) -> None:
        self._how = how
        self.made: UnreliablePool

    def __call__(self, problem: PackedProblem) -> UnreliablePool:
        self.made = UnreliablePool(problem, **self._how)
        return self.made


def solve(problem: Problem, pools: Any, more: dict[str, Any] | None = None, **options: Any) -> _core.Outcome:
    given = shared(problem, **(more or {}))
    limits = {name: given.options[name] for name in ("max_depth", "max_leaves", "min_samples_leaf", "rule_list")}
    return solve_on_cluster(pools, given, _core.SearchOptions(**limits, time_limit=300, **options))


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_optimum_is_that_of_brute_force_whatever_the_workers_do(objective):
    n_lost = n_pools = 0
    for seed in range(25):
        rng = random.Random(seed)
        problem = random_problem(seed, objective, n_rows=(6, 16), n_columns=(2, 6), **LIMITS[seed % len(LIMITS)])
        how = {"short": rng.choice([0.3, 0.7, 0.9]), "lost": rng.choice([0.0, 0.2])}
        pools = Pools(n_workers=rng.randrange(1, 6), rng=rng, **how)
        outcome = solve(problem, pools)
        optimum = problem.optimum()
        assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", optimum, optimum), problem
        assert problem.cost(outcome["tree"]) == optimum
        if hasattr(pools, "made"):  # else the first step, which takes no time, was the proof
            n_pools += 1
            n_lost += pools.made.n_lost
            assert not pools.made.is_open
            assert outcome["statistics"]["lost_jobs"] == pools.made.n_lost
    assert n_pools > 5
    assert n_lost > 0


def larger_problem(seed: int) -> Problem:
    """Return a problem that no brute force could solve, of thresholds and several classes."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (60, 3))
    rows = np.concatenate([values[:, [j]] <= np.arange(5) for j in range(3)], axis=1).astype(int)
    classes = (rows @ rng.integers(-2, 3, 15) + (rng.random(60) < 0.2)) % 3
    weights = rng.integers(1, 4, 60)
    costs = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    return Problem(rows.tolist(), classes.tolist(), weights.tolist(), costs, 2, **LIMITS[seed % len(LIMITS)])


def test_deeper_searches_have_the_optimum_of_one_core():
    depths = []
    for seed in range(20):
        problem = larger_problem(seed)
        alone = _core.solve(*of_core(problem), _core.SearchOptions(**limits_of(problem)))
        pools = Pools(n_workers=4, rng=random.Random(seed), short=0.95, lost=0.1)
        outcome = solve(problem, pools)
        assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", alone["upper"], alone["upper"])
        depths.append(pools.made.deepest)
    assert sum(depth >= 1 for depth in depths) >= 10
    assert max(depths) >= 3


def limits_of(problem: Problem) -> dict[str, Any]:
    return {name: value for name, value in asdict(problem).items() if name in LIMITS[3] | LIMITS[4]}


def of_core(problem: Problem) -> tuple[_core.PackedColumns, _core.Problem]:
    given = shared(problem)
    return _core.PackedColumns(given.columns, given.n_rows), _core.Problem(*given.arguments)


def test_rule_lists_are_never_opened_below_their_root():
    problem = larger_problem(0)
    options = _core.SearchOptions(rule_list=True)
    alone = _core.solve(*of_core(problem), options)
    pools = Pools(n_workers=3, rng=random.Random(1), short=0.5, lost=0.0)
    outcome = solve(problem, pools, {"rule_list": True})
    assert (outcome["upper"], outcome["lower"]) == (alone["upper"], alone["upper"])
    assert pools.made.deepest == 0


def test_a_cutoff_is_proven_or_leaves_the_optimum_as_it_is():
    pools = partial(UnreliablePool, n_workers=3, short=0.7, lost=0.1)
    for seed in range(0, 20, 5):
        problem = larger_problem(seed)
        optimum = _core.solve(*of_core(problem), _core.SearchOptions(**limits_of(problem)))["upper"]
        for cutoff in (optimum - 5, optimum - 1, optimum, optimum + 4):
            outcome = solve(problem, partial(pools, rng=random.Random(seed)), cutoff=cutoff)
            assert cutoff < outcome["lower"] <= optimum if cutoff < optimum else outcome["lower"] == optimum
            assert outcome["status"] == "optimal" or (outcome["status"] == "cutoff" and cutoff < optimum)


def test_a_known_bound_and_a_gap_end_the_search_early():
    problem = larger_problem(0)
    optimum = _core.solve(*of_core(problem), _core.SearchOptions())["upper"]
    pools = partial(UnreliablePool, n_workers=2, rng=random.Random(0), short=0.5, lost=0.0)
    known = solve(problem, pools, known_lower=optimum)
    assert known["status"] in ("known_bound", "optimal")
    assert known["lower"] == known["upper"] == optimum
    wrong = solve(problem, pools, known_lower=optimum + 1)
    assert wrong["upper"] in (optimum, optimum + 1)  # whichever it finds first, and then no better
    near = solve(problem, pools, gap_limit=0.5)
    assert near["status"] in ("gap_limit", "optimal")
    assert near["lower"] <= optimum <= near["upper"] <= 2 * near["lower"]


class DeadPool(UnreliablePool):
    """Loses every job but some first ones."""

    def wait(self, seconds: float) -> Any:
        ended = super().wait(seconds)
        return ended if self.n_jobs < 3 else [(job, None) for job, _ in ended]


def test_a_cluster_that_loses_every_job_is_given_up_with_a_valid_interval():
    problem = larger_problem(0)
    optimum = _core.solve(*of_core(problem), _core.SearchOptions())["upper"]
    outcome = solve(problem, partial(DeadPool, n_workers=2, rng=random.Random(0), short=0.97, lost=0.0))
    assert outcome["status"] == "cluster_lost"
    assert outcome["statistics"]["cluster_error"] == "10 jobs in a row were lost with their workers"
    assert outcome["lower"] <= optimum <= outcome["upper"] == problem.cost(outcome["tree"])


class StuckPool(UnreliablePool):
    """Its first job never ends."""

    def submit(self, job: Any) -> None:
        super().submit(job)
        if self.n_jobs == 1:
            self._jobs.clear()


def test_a_job_that_never_ends_is_repeated_elsewhere(monkeypatch):
    monkeypatch.setattr(search, "_PATIENCE", 0.0)
    monkeypatch.setattr(search, "_LEAST_SECONDS", 0.01)
    problem = larger_problem(0)
    optimum = _core.solve(*of_core(problem), _core.SearchOptions())["upper"]
    outcome = solve(problem, partial(StuckPool, n_workers=3, rng=random.Random(0), short=0.2, lost=0.0))
    assert (outcome["status"], outcome["upper"], outcome["lower"]) == ("optimal", optimum, optimum)
    assert outcome["statistics"]["lost_jobs"] >= 1


def test_the_callback_and_the_trace_see_bounds_that_approach_each_other():
    problem = larger_problem(0)
    seen: list[Any] = []
    given = shared(problem)
    pools = partial(UnreliablePool, n_workers=2, rng=random.Random(0), short=0.97, lost=0.0)

    def see(record):
        seen.append(record)
        return False

    outcome = solve_on_cluster(pools, given, _core.SearchOptions(), None, see, True)
    trace = outcome["trace"]
    assert len(trace) > 3
    assert all(a[0] <= b[0] and a[1] >= b[1] and a[2] <= b[2] for a, b in pairwise(trace))
    assert trace[-1][1:3] == (outcome["upper"], outcome["lower"])
    assert seen[-1][1:3] == (outcome["upper"], outcome["lower"])
    stopped = solve_on_cluster(pools, given, _core.SearchOptions(), None, lambda record: record[3] > 5)
    assert stopped["status"] == "interrupted"
    assert stopped["lower"] <= outcome["upper"] <= stopped["upper"] == problem.cost(stopped["tree"])


def test_a_start_tree_is_kept_and_scored():
    problem = larger_problem(0)
    best = _core.solve(*of_core(problem), _core.SearchOptions())
    start = np.array([best["tree"][name] for name in ("column", "left", "right")], dtype=np.int32)
    pools = partial(UnreliablePool, n_workers=2, rng=random.Random(0), short=0.97, lost=0.0)
    outcome = solve_on_cluster(pools, shared(problem), _core.SearchOptions(), start, lambda _: True)
    assert outcome["status"] == "interrupted"
    assert outcome["upper"] == best["upper"]


def test_idle_workers_get_parts_of_what_is_left_and_no_part_twice():
    graph = SearchGraph(None, None, 1, 0, 100, ([-1], [-1], [-1]))
    (job,) = graph.next_jobs(4, 1.0)
    assert (job.path, job.splits, job.budget) == ((), None, 100)
    assert graph.next_jobs(4, 1.0) == []
    side = (b"a", None, None, 3, 50)
    open_splits = [((column, 1, 1), 10 + column, (side, (b"b", None, None, 4, 60))) for column in range(9)]
    tree = {name: np.array([-1], dtype=np.int32) for name in ("column", "left", "right")}
    outcome: Any = {"lower": 8, "upper": 100, "tree_cost": 100, "tree": tree, "open": open_splits, "status": "optimal"}
    assert graph.report(job, Report(outcome))
    assert graph.root.lower == 10
    jobs = graph.next_jobs(2, 1.0)
    assert [one.splits for one in jobs] == [((0, 1, 1), (1, 1, 1)), ((2, 1, 1), (3, 1, 1))]
    (next_job,) = graph.next_jobs(1, 1.0)
    assert next_job.splits == ((4, 1, 1), (5, 1, 1))
    graph.put_back(jobs[0])
    (again,) = graph.next_jobs(1, 1.0)
    assert again.splits == ((0, 1, 1), (1, 1, 1))


def Report(outcome: Any) -> Any:  # noqa: N802
    from hornbeam.cluster.worker import Report as Whole

    return Whole(outcome, np.zeros(0, dtype=np.uint64), 1.0, 1.0, 1)


def bounds_on(*paths: tuple[int, ...]) -> Any:
    """Return news of a bound for each path of columns, with the number of the path as key."""
    groups = [sum(1 << (column % 64) for column in path) for path in paths]
    return np.array([[group, i, 0, 0, 0, 0] for i, group in enumerate(groups)], dtype=np.uint64).ravel()


def sent(board: NewsBoard, worker: str, path: tuple[int, ...], splits: tuple[int, ...] | None = None) -> list[int]:
    names = None if splits is None else tuple((column, 1, 1) for column in splits)
    news = board.for_job(worker, Job(1, tuple((column, True) for column in path), None, None, 9, names, 1.0))
    return sorted(int(bound[1]) for each in news for bound in each.reshape(-1, 6))


def test_a_worker_is_sent_what_others_have_proven_below_its_splits():
    board = NewsBoard()
    board.add("a", bounds_on((0, 1), (1, 2), (2, 70), ()))
    board.add("b", np.zeros(0, dtype=np.uint64))
    assert sent(board, "a", (), (0, 1, 2)) == []  # its own
    assert sent(board, "b", (), (0,)) == [0]
    assert sent(board, "b", (), (0, 1)) == [1]
    assert sent(board, "b", (), (2, 6)) == [1, 2]  # columns 6 and 70 are of one group; the other bound comes again
    assert sent(board, "b", (), (0, 1, 2, 6)) == []
    board.add("c", bounds_on((0, 1)))
    assert sent(board, "b", (), (1,)) == [0]
    assert sent(board, "late", (), (1, 0)) == [0, 0, 1]


def test_a_job_below_a_path_is_sent_what_has_its_columns():
    board = NewsBoard()
    board.add("a", bounds_on((0,), (0, 1), (0, 1, 2), (1, 2)))
    assert sent(board, "b", (0, 1)) == [1, 2]
    assert sent(board, "b", (0, 1), (5,)) == []
    assert sent(board, "b", (2, 1)) == [2, 3]


def test_of_too_much_news_the_latest_are_sent(monkeypatch):
    monkeypatch.setattr(news, "_BYTES_WITH_A_JOB", 96)
    monkeypatch.setattr(news, "_BYTES_OF_A_GROUP", 144)
    board = NewsBoard()
    for _ in range(5):
        board.add("a", bounds_on((0,)))
    assert len(sent(board, "b", (), (0,))) == 2
    assert sent(board, "b", (), (0,)) == []
    for _ in range(9):
        board.add("a", bounds_on((0,)))
    monkeypatch.setattr(news, "_BYTES_WITH_A_JOB", 1000)
    assert len(sent(board, "b", (), (0,))) == 3  # the others are off the board
