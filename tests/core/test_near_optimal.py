"""Near-optimal trees of ordered columns: their cost, what stops the heuristics, and what the core rejects."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from core.calls import call
from core.ordered import OrderedProblem, hard_ordered, random_ordered, unsolvable_ordered
from hornbeam import _core
from interrupts import ctrl_c_when_called


def near_optimal(ordered: OrderedProblem, work: int = 100_000, **options: Any) -> _core.Outcome:
    """Run the primal heuristics alone."""
    outcome: _core.Outcome = call(_core.near_optimal, **(ordered.arguments() | {"work": work} | options))
    return outcome


@pytest.mark.parametrize("seed", range(30))
def test_a_near_optimal_tree_costs_no_less_than_the_optimum(seed):
    ordered = random_ordered(seed)
    outcome = near_optimal(ordered)
    assert outcome["lower"] <= ordered.problem.optimum() <= outcome["upper"]


def test_more_work_never_costs_more_and_finds_the_optimum_of_a_small_table():
    ordered, optimum = hard_ordered(0)
    costs = [near_optimal(ordered, work)["upper"] for work in (0, 10_000, 100_000, 1_000_000, 10_000_000)]
    assert all(before >= after >= optimum for before, after in itertools.pairwise(costs))
    assert costs[0] > costs[-1]
    assert near_optimal(ordered)["status"] == "heuristic"


def test_limits_on_leaves_and_rows_hold():
    ordered, _ = hard_ordered(0)
    outcome = near_optimal(ordered, max_leaves=3, min_samples_leaf=30)
    sizes = np.unique(outcome["tree"]["leaf_of_row"], return_counts=True)[1]
    assert 1 < len(sizes) <= 3
    assert min(sizes) >= 30


@pytest.mark.parametrize(
    ("limit", "status"),
    [({"time_limit": 0.0}, "time_limit"), ({"callback": lambda progress: True}, "interrupted")],
)
def test_a_stop_keeps_the_best_tree(limit, status):
    outcome = near_optimal(unsolvable_ordered(), 10**15, **limit)
    assert outcome["status"] == status
    assert outcome["lower"] <= outcome["upper"]


def test_ctrl_c_keeps_the_best_tree():
    with ctrl_c_when_called() as called:
        outcome = near_optimal(unsolvable_ordered(), 10**15, callback=called)
    assert outcome["status"] == "interrupted"


@pytest.mark.parametrize("seed", range(60))
def test_an_exact_search_proves_the_tree_of_a_small_table(seed):
    ordered = random_ordered(seed)
    outcome = near_optimal(ordered, work=2**64 - 1, idle_rounds=0, exact_if_small=True)
    assert (outcome["status"], outcome["upper"]) == ("optimal", ordered.problem.optimum())
    assert outcome["lower"] == outcome["upper"]


def test_the_tree_of_the_exact_search_is_kept_where_it_is_better():
    ordered, optimum = hard_ordered(0)
    without = near_optimal(ordered, work=2**64 - 1, idle_rounds=0)
    outcome = near_optimal(ordered, work=2**64 - 1, idle_rounds=0, exact_if_small=True)
    assert optimum == outcome["lower"] == outcome["upper"] < without["upper"]


def test_the_exact_search_of_a_large_table_ends_and_its_bound_is_kept():
    first, second = (near_optimal(unsolvable_ordered(), 10**6, leaf_cost=40, exact_if_small=True) for _ in range(2))
    assert first["status"] == "heuristic"
    assert 40 < first["lower"] < first["upper"]
    assert [first[key] for key in ("lower", "upper")] == [second[key] for key in ("lower", "upper")]
    assert first["statistics"]["subproblems"] == second["statistics"]["subproblems"] > 0


def test_a_callback_stops_the_exact_search():
    subproblems = []

    def listen(record):
        subproblems.append(record[3])
        return record[3] > 0

    outcome = near_optimal(unsolvable_ordered(), 10**15, exact_if_small=True, callback=listen, callback_interval=0.0)
    assert outcome["status"] == "interrupted"
    assert subproblems[-1] > 0
    assert outcome["lower"] <= outcome["upper"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"leaf_cost": -1}, "leaf_cost"),
        ({"costs": [[0, -1], [1, 0]]}, "costs: must be at least 0"),
        ({"bins": [[31] * 200] * 3}, "bins: must be at most n_thresholds"),
        ({"reference": [0] * 200}, "reference: not for near-optimal trees"),
    ],
)
def test_input_out_of_range_is_rejected(given, message):
    types = {"costs": np.int64, "bins": np.uint32, "reference": np.int32}
    arrays = {name: np.array(value, types[name]) if name in types else value for name, value in given.items()}
    with pytest.raises(ValueError, match=message):
        near_optimal(hard_ordered(0)[0], **arrays)
