"""The leaf-set search for the AUC proves what brute force finds, in any order, with and without each of its bounds."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from core.calls import call
from hornbeam import _core
from hornbeam.estimators.osdt import BOUNDS, POLICIES
from oracles.problems import random_table
from oracles.ranking import all_partitions, half_pairs_lost, optimal_cost, optimal_partial_cost

Problem = dict[str, Any]
LIMITS: list[Problem] = [{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}]
OFF = {name: {name: False} for name in BOUNDS}
OFF |= {f"all but {name}": {other: other == name for other in BOUNDS} for name in BOUNDS}
OFF |= {"all": dict.fromkeys(BOUNDS, False)}


def random_ranking(seed: int, n_columns: int = 3, **limits: int) -> Problem:
    """Return a problem of two classes, often with equal rows, with random weights and a leaf penalty that matters."""
    draw = random.Random(seed)
    rows = random_table(draw, draw.randint(2, 9), draw.randint(1, n_columns))
    classes = [0, 1, *(draw.randint(0, 1) for _ in rows[2:])]
    weights = [draw.choice([1, 1, 1, 2, 5]) for _ in rows]
    positive = sum(w for w, c in zip(weights, classes, strict=True) if c)
    pairs = 2 * positive * (sum(weights) - positive)
    half_pair_cost = draw.choice([1, 3])
    leaf_cost = draw.choice(
        [0, 1, half_pair_cost * pairs // 40, half_pair_cost * pairs // 20, half_pair_cost * pairs // 8]
    )
    return {
        "rows": rows,
        "classes": classes,
        "weights": weights,
        "half_pair_cost": half_pair_cost,
        "leaf_cost": leaf_cost,
        **limits,
    }


def solve(problem: Problem, **options: Any) -> _core.Outcome:
    arguments = dict(problem)
    rows = np.array(arguments.pop("rows"), dtype=np.uint8)
    negatives = sum(w for w, c in zip(problem["weights"], problem["classes"], strict=True) if not c)
    arguments.setdefault("max_false_positives", max(1, negatives) * 2**20)
    outcome: _core.Outcome = call(
        _core.solve_ranking,
        _core.RankingProblem,
        columns=np.packbits(np.ascontiguousarray(rows.T), axis=1, bitorder="little"),
        n_rows=len(rows),
        class_codes=np.array(arguments.pop("classes"), dtype=np.int32),
        weights=np.array(arguments.pop("weights"), dtype=np.int64),
        **arguments,
        **options,
    )
    return outcome


def check_proven(problem: Problem, outcome: _core.Outcome) -> None:
    optimum = optimal_partial_cost(**problem) if "max_false_positives" in problem else optimal_cost(**problem)
    assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", optimum, optimum), problem


@pytest.mark.parametrize("policy", POLICIES)
def test_optimum_equals_brute_force_under_every_policy(policy):
    for limits, seed in itertools.product(LIMITS, range(40)):
        problem = random_ranking(seed, **limits)
        check_proven(problem, solve(problem, policy=policy))


@pytest.mark.parametrize("policy", POLICIES)
def test_optimum_equals_brute_force_where_every_combination_of_columns_has_a_row(policy):
    rows = [list(row) for row in itertools.product((0, 1), repeat=3)]
    for seed in range(60):
        draw = random.Random(seed)
        classes = [0, 1, *(draw.randint(0, 1) for _ in rows[2:])]
        problem = {
            "rows": rows,
            "classes": classes,
            "weights": [draw.randint(1, 5) for _ in rows],
            "half_pair_cost": 1,
            "leaf_cost": draw.randint(1, 12),
        }
        check_proven(problem, solve(problem, policy=policy))


@pytest.mark.parametrize("off", OFF)
def test_switching_bounds_never_changes_the_optimum(off):
    for limits, seed in itertools.product(LIMITS, range(25)):
        problem = random_ranking(1000 + seed, **limits)
        check_proven(problem, solve(problem, bounds=OFF[off]))


def partial_ranking(seed: int, **limits: int) -> Problem:
    """Return a problem where only a part of the curve counts, mostly one that cuts a leaf."""
    problem = random_ranking(seed, **limits)
    negatives = sum(w for w, c in zip(problem["weights"], problem["classes"], strict=True) if not c)
    draw = random.Random(seed)
    fine = draw.choice([1, 1, 2**30])
    max_false_positives = draw.choice([1, 2**20, draw.randint(1, negatives * 2**20), negatives * 2**20])
    return problem | {
        "max_false_positives": max_false_positives,
        "half_pair_cost": fine * problem["half_pair_cost"],
        "leaf_cost": fine * problem["leaf_cost"],
    }


@pytest.mark.parametrize("policy", POLICIES)
def test_the_optimum_of_a_part_of_the_curve_equals_brute_force_under_every_policy(policy):
    for limits, seed in itertools.product(LIMITS, range(30)):
        problem = partial_ranking(seed, **limits)
        check_proven(problem, solve(problem, policy=policy))


@pytest.mark.parametrize("off", OFF)
def test_switching_bounds_never_changes_the_optimum_of_a_part_of_the_curve(off):
    for limits, seed in itertools.product(LIMITS, range(15)):
        problem = partial_ranking(3000 + seed, **limits)
        check_proven(problem, solve(problem, bounds=OFF[off]))


def test_what_is_lost_is_the_area_above_the_curve():
    for seed in range(30):
        problem = random_ranking(seed)
        classes, weights = problem["classes"], problem["weights"]
        for partition in list(all_partitions(problem["rows"]))[:20]:
            score = np.zeros(len(classes))
            for leaf in partition:
                members = sorted(leaf)
                score[members] = np.average(np.array(classes)[members], weights=np.array(weights)[members])
            positive = sum(w for w, c in zip(weights, classes, strict=True) if c)
            pairs = positive * (sum(weights) - positive)
            area = roc_auc_score(classes, score, sample_weight=weights)
            assert half_pairs_lost(partition, classes, weights) / 2 / pairs == pytest.approx(1 - area)


def test_a_stop_leaves_a_valid_interval():
    problem = random_ranking(7, n_columns=4) | {"leaf_cost": 1}
    optimum = optimal_cost(**problem)
    for n_calls in range(1, 6):
        calls = itertools.count(1)
        outcome = solve(problem, callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0)
        assert outcome["lower"] <= optimum <= outcome["upper"]


def test_a_stop_before_the_first_set_is_queued_leaves_a_valid_interval():
    # So many columns that the search looks at the clock while it tries them on the root.
    columns = [tuple(number >> row & 1 for row in range(10)) for number in range(1, 400)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    classes = [int(row < 5) for row in range(10)]
    problem = {
        "rows": rows,
        "classes": classes,
        "weights": [1] * 10,
        "half_pair_cost": 1,
        "leaf_cost": 1,
        "max_depth": 1,
    }
    optimum = optimal_cost(**problem)
    for n_calls in range(1, 4):
        calls = itertools.count(1)
        outcome = solve(problem, callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0)
        assert outcome["lower"] <= optimum <= outcome["upper"]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("class_codes: must be 0 or 1", {"classes": [0, 2, 1]}),
        ("class_codes: rows of both", {"classes": [1, 1, 1]}),
        ("weights: their total", {"weights": [2**25, 2**25, 1]}),
        ("weights: must be in", {"weights": [0, 1, 1]}),
        ("half_pair_cost: must be in", {"half_pair_cost": 0}),
        ("half_pair_cost: all pairs", {"half_pair_cost": 2**51}),
        ("leaf_cost", {"leaf_cost": -1}),
        ("max_false_positives: must be in", {"max_false_positives": 0}),
        ("max_false_positives: must be in", {"max_false_positives": 2**20 + 1}),
    ],
)
def test_what_is_out_of_range_is_refused(name, change):
    problem = {"rows": [[0], [1], [1]], "classes": [0, 1, 1], "weights": [1, 1, 1], "half_pair_cost": 1, "leaf_cost": 1}
    with pytest.raises(ValueError, match=name):
        solve(problem | change)
