"""Searches that were stopped or killed go on from their checkpoint, and files that do not fit are refused."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.calls import call
from core.hard import harder, random_labels
from core.ordered import hard_ordered
from core.posteriors import hard_optimum, hard_posterior, random_posterior, search
from core.solving import arguments, solve
from hornbeam import _core
from oracles.posterior import Posterior

SEARCHES = {
    "binary": (lambda **options: solve(harder(0)[0], **options), lambda: harder(0)[1]),
    "ordered": (lambda **options: hard_ordered(1)[0].solve(**options), lambda: hard_ordered(1)[1]),
    "posterior": (lambda **options: search(*hard_posterior(), **options), hard_optimum),
}
every_search = pytest.mark.parametrize("name", SEARCHES)
every_additive_search = pytest.mark.parametrize("name", ["binary", "ordered"])


def _stopped(name: str, path: Path, share: float, **options: Any) -> tuple[Any, int]:
    """Stop a search after a share of its subproblems; return its outcome and the subproblems of all of it."""
    run, _ = SEARCHES[name]
    n_all = run()["statistics"]["subproblems"]
    stop = {"callback": lambda record: record[3] >= share * n_all, "callback_interval": 0.0}
    return run(checkpoint=str(path), checkpoint_interval=1e9, **stop, **options), n_all


@pytest.mark.parametrize(
    ("name", "n_threads"), [("binary", 1), ("binary", 2), ("ordered", 1), ("ordered", 2), ("posterior", 1)]
)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.9])
def test_a_stopped_search_goes_on_and_proves_the_same_optimum(name, n_threads, share, tmp_path):
    path = tmp_path / "run.hbt"
    run, optimum = SEARCHES[name]
    threads = {} if name == "posterior" else {"n_threads": n_threads}
    stopped, n_all = _stopped(name, path, share, **threads)
    again = run(checkpoint=str(path), trace=True, **threads)
    assert (again["lower"], again["upper"], again["status"]) == (optimum(), optimum(), "optimal")
    assert again["trace"][-1][2] >= stopped["lower"]
    if n_threads == 1 and stopped["status"] == "interrupted":
        assert stopped["statistics"]["subproblems"] + again["statistics"]["subproblems"] <= 1.2 * n_all + 20


def _restarted(run: Any, path: Path, seed: int) -> tuple[int, int]:
    """Stop a search after a few polls and start it again from its file until it ends; return its interval."""
    draw = random.Random(seed)
    lower, upper, status = 0, 2**62, ""
    while status != "optimal":
        polls = [False] * draw.randrange(2, 8)
        stop = {"callback": lambda _, polls=polls: not polls or polls.pop(), "callback_interval": 0.0}
        outcome = run(checkpoint=str(path), checkpoint_interval=1e9, **stop)
        assert lower <= outcome["lower"] <= outcome["upper"] <= upper
        lower, upper, status = outcome["lower"], outcome["upper"], outcome["status"]
    return lower, upper


@pytest.mark.parametrize("seed", range(20))
def test_a_search_of_binary_columns_that_is_stopped_again_and_again_ends_with_the_optimum(seed, tmp_path):
    problem = random_labels(seed, n_rows=[60, 100, 150][seed % 3], n_columns=[10, 14][seed % 2], leaf_cost=2)
    found = _restarted(lambda **options: solve(problem, **options), tmp_path / "run.hbt", seed)
    assert found == (solve(problem)["upper"],) * 2


@pytest.mark.parametrize("seed", range(4))
def test_an_ordered_search_that_is_stopped_again_and_again_ends_with_the_optimum(seed, tmp_path):
    problem, optimum = hard_ordered(seed)
    assert _restarted(problem.solve, tmp_path / "run.hbt", seed) == (optimum, optimum)


# With the last two seeds, the reader of the tree meets bounds that come from the file alone.
@pytest.mark.parametrize("seeds", [*(range(first, first + 20) for first in range(0, 160, 20)), [456, 1303]], ids=str)
def test_map_trees_that_are_stopped_again_and_again_end_with_the_optimum(seeds, tmp_path):
    for seed in seeds:
        given = random_posterior(seed, n_rows=60, n_columns=7)
        path = tmp_path / f"{seed}.hbt"
        lower, upper = 0, 2**62
        for most in (1, 2, 3, 5, 8, 13, 21, 34, None):
            outcome = search(*given, checkpoint=str(path), max_expansions=most)
            assert lower <= outcome["lower"] <= outcome["upper"] <= upper
            lower, upper = outcome["lower"], outcome["upper"]
        assert lower == upper == search(*given)["upper"]


@every_additive_search
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_what_was_closed_for_a_cutoff_is_open_without_it(name, share, tmp_path):
    path = tmp_path / "run.hbt"
    run, optimum = SEARCHES[name]
    cutoff = optimum() * 2 // 3
    n_all = run(cutoff=cutoff)["statistics"]["subproblems"]
    stop = {"callback": lambda record: record[3] >= share * n_all, "callback_interval": 0.0}
    stopped = run(checkpoint=str(path), cutoff=cutoff, **stop)
    assert stopped["lower"] <= optimum()
    again = run(checkpoint=str(path))
    assert again["lower"] == again["upper"] == optimum()


@every_search
def test_the_bound_of_a_run_that_ends_at_once_is_not_below_the_saved_one(name, tmp_path):
    path = tmp_path / "run.hbt"
    stopped, _ = _stopped(name, path, 0.6)
    again = SEARCHES[name][0](checkpoint=str(path), time_limit=0.0)
    assert again["lower"] >= stopped["lower"]
    assert again["upper"] <= stopped["upper"]


@every_search
def test_a_finished_search_returns_its_proof_again(name, tmp_path):
    path = tmp_path / "run.hbt"
    run, optimum = SEARCHES[name]
    first = run(checkpoint=str(path))
    again = run(checkpoint=str(path))
    assert again["lower"] == again["upper"] == optimum()
    assert again["statistics"]["subproblems"] <= 20 + first["statistics"]["subproblems"] // 10


@every_search
@pytest.mark.parametrize("n_kept", [0.1, 0.5, 0.99])
def test_a_torn_file_is_refused_and_stays(name, n_kept, tmp_path):
    path = tmp_path / "run.hbt"
    _stopped(name, path, 0.6)
    torn = path.read_bytes()[: int(n_kept * path.stat().st_size)]
    path.write_bytes(torn)
    with pytest.raises(ValueError, match="torn"):
        SEARCHES[name][0](checkpoint=str(path))
    assert path.read_bytes() == torn


@every_search
@pytest.mark.parametrize("place", [0.05, 0.3, 0.6, 0.999])
def test_an_altered_byte_is_refused(name, place, tmp_path):
    path = tmp_path / "run.hbt"
    _stopped(name, path, 0.6)
    altered = bytearray(path.read_bytes())
    altered[max(16, int(place * len(altered)))] ^= 1
    path.write_bytes(altered)
    with pytest.raises(ValueError, match="altered"):
        SEARCHES[name][0](checkpoint=str(path))


@every_additive_search
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"max_depth": 2}, "max_depth"),
        ({"max_leaves": 3}, "max_leaves"),
        ({"min_samples_leaf": 2}, "min_samples_leaf"),
        ({"leaf_cost": 5}, "regularization"),
        ({"bounds": {"similarity": False}}, "bounds"),
    ],
)
def test_a_file_of_another_problem_is_refused_with_what_differs(name, change, named, tmp_path):
    path = tmp_path / "run.hbt"
    _stopped(name, path, 0.6)
    given = arguments(harder(0)[0]) if name == "binary" else hard_ordered(1)[0].arguments()
    with pytest.raises(ValueError, match=rf"differs in: [^,.]*{named}[^,.]*\. Fit"):
        call(_core.solve, **{**given, **change}, checkpoint=str(path))


def test_a_file_of_another_prior_or_depth_is_refused_with_what_differs(tmp_path):
    path = tmp_path / "run.hbt"
    matrix, classes, posterior = hard_posterior()
    _stopped("posterior", path, 0.6)
    for change, named in (
        ({"alpha": 0.9}, "the prior"),
        ({"beta": 0.4}, "the prior"),
        ({"rho": [2.5, 2.0]}, "the prior"),
        ({"max_depth": 3}, "max_depth"),
    ):
        given = {"rho": posterior.rho, "alpha": posterior.alpha, "beta": posterior.beta, "max_depth": np.inf} | change
        with pytest.raises(ValueError, match=rf"differs in: [^,.]*{named}[^.]*\. Fit"):
            search(matrix, classes, Posterior(matrix, classes, **given), checkpoint=str(path))
    with pytest.raises(ValueError, match="another kind of problem"):
        SEARCHES["binary"][0](checkpoint=str(path))


def test_the_listener_is_told_of_the_bound_and_of_writes_that_fail(tmp_path):
    path, told = tmp_path / "run.hbt", []
    stopped, _ = _stopped("binary", path, 0.6, on_checkpoint=lambda *news: told.append(news))
    assert told == []
    again = SEARCHES["binary"][0](checkpoint=str(path), on_checkpoint=lambda *news: told.append(news))
    assert told == [("", stopped["lower"], again["statistics"]["seconds_before"])]


def test_a_search_with_earlier_ones_goes_on_from_its_file(tmp_path):
    problem, optimum = harder(0)
    given = arguments(problem)
    stopped, _ = _stopped("binary", tmp_path / "run.hbt", 0.6)
    earlier = _core.EarlierSearches()
    for leaf_cost in (problem.leaf_cost + 1, problem.leaf_cost):
        name = "run.hbt" if leaf_cost == problem.leaf_cost else "other.hbt"
        found = call(
            _core.solve,
            **given | {"leaf_cost": leaf_cost},
            earlier=earlier,
            checkpoint=str(tmp_path / name),
            trace=True,
        )
    assert (found["lower"], found["upper"]) == (optimum, optimum)
    assert found["trace"][-1][2] >= stopped["lower"]


def test_the_file_of_the_other_search_and_other_files_are_refused(tmp_path):
    path = tmp_path / "run.hbt"
    _stopped("binary", path, 0.6)
    with pytest.raises(ValueError, match="the search, which"):
        SEARCHES["ordered"][0](checkpoint=str(path))
    path.write_text("a letter to a friend")
    with pytest.raises(ValueError, match="no checkpoint"):
        SEARCHES["binary"][0](checkpoint=str(path))
    assert path.read_text() == "a letter to a friend"


def test_a_path_that_cannot_be_written_is_refused_before_the_search(tmp_path):
    for path, why in ((tmp_path, "is a directory"), (tmp_path / "none" / "run.hbt", "cannot be written")):
        with pytest.raises(ValueError, match=why):
            SEARCHES["binary"][0](checkpoint=str(path))


@every_search
def test_a_second_search_with_the_same_file_is_refused(name, tmp_path):
    path, refused = str(tmp_path / "run.hbt"), []

    def start_another(_: Any) -> bool:
        with pytest.raises(ValueError, match="in use") as error:
            SEARCHES[name][0](checkpoint=path)
        refused.append(error)
        return True

    SEARCHES[name][0](checkpoint=path, callback=start_another, callback_interval=0.0)
    assert refused
    assert os.listdir(tmp_path) in ([], ["run.hbt"])


@every_search
def test_a_full_disk_is_reported_and_the_search_goes_on(name, full_disk, tmp_path):
    path, told = tmp_path / "run.hbt", []
    options = {"checkpoint_interval": 0.0, "on_checkpoint": lambda *news: told.append(news)}
    with full_disk():
        outcome = SEARCHES[name][0](checkpoint=str(path), **options)
    assert outcome["status"] == "optimal"
    assert outcome["statistics"]["checkpoint_failures"] >= 1
    assert [news[0] for news in told] == [outcome["statistics"]["checkpoint_error"]]
    assert os.listdir(tmp_path) == []
