"""The ordered search for any cost matrix, for rows that weigh for every target and with a reference."""

import itertools
import random
from dataclasses import replace

import numpy as np
import pytest

from core.ordered import OrderedProblem, hard_ordered, make_ordered, random_ordered, unsolvable_ordered, with_costs
from core.solving import check_interval, check_proven, check_tree, solve
from core.test_reference import loss_of, promise, references

OBJECTIVES = ["class_weighted", "cost_matrix", "reduced_matrix", "flat_rows", "perverse"]
GENERAL = [[1, 5, 7], [6, 0, 9], [3, 8, 2]]


def random_limits(seed: int) -> dict[str, int | None]:
    """Return limits on the leaves of a tree, or none."""
    draw = random.Random(seed)
    return {"max_leaves": draw.choice([None, None, 2, 3, 4, 5]), "min_samples_leaf": draw.choice([1, 1, 2, 3])}


def spread(ordered: OrderedProblem, seed: int) -> tuple[OrderedProblem, dict[str, np.ndarray | None]]:
    """Return a problem with a row for each weight of a row, and the same weights by row and target."""
    draw = random.Random(seed)
    problem = ordered.problem
    weights = np.array([[draw.choice([0, 1, 1, 2, 5]) for _ in problem.costs] for _ in problem.classes])
    weights[weights.sum(axis=1) == 0, 0] = 1
    rows, targets = np.nonzero(weights)
    spread_out = replace(
        problem,
        rows=[problem.rows[row] for row in rows],
        classes=targets.tolist(),
        weights=weights[rows, targets].tolist(),
    )
    of_rows = {"class_codes": None, "weights": weights.astype(np.int64)}
    bins = [[of_row[row] for row in rows] for of_row in ordered.bins]
    return OrderedProblem(bins, ordered.n_thresholds, spread_out), of_rows


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("first", range(0, 300, 100))
def test_the_optimum_is_that_of_brute_force_for_any_costs_and_limits(first, objective):
    for seed in range(first, first + 100):
        small = random_ordered(seed, most_rows=12, unlimited=seed % 4 == 0)
        ordered = with_costs(small, seed, objective, **random_limits(seed))
        check_proven(ordered.problem, ordered.solve(), ordered.problem.optimum())


@pytest.mark.parametrize("bounds", [{}, {"similarity": False}, {"primal": False}])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_larger_problems_of_any_costs_cost_what_the_other_search_proves(objective, bounds):
    for seed in range(60):
        large = random_ordered(seed, most_rows=80, most_thresholds=40, most_depth=3)
        ordered = with_costs(large, seed, objective, **random_limits(seed))
        check_proven(ordered.problem, ordered.solve(bounds=bounds), solve(ordered.problem)["upper"])


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_rows_that_weigh_for_every_target_are_a_row_for_each_of_them(objective):
    for seed in range(100):
        small = random_ordered(seed, most_rows=8, unlimited=seed % 4 == 0)
        ordered, weights = spread(with_costs(small, seed, objective), seed)
        outcome = replace(small, problem=replace(ordered.problem, classes=small.problem.classes)).solve(**weights)
        optimum = ordered.problem.optimum()
        assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", optimum, optimum)
        assert ordered.problem.cost(outcome["tree"]) == optimum


def test_two_hundred_predictions_are_taken():
    ordered = make_ordered([list(range(8))], [7], [r % 4 for r in range(8)], [1, 2] * 4, [1], 1, 2)
    draw = np.random.default_rng(0)
    for costs in (1 - np.eye(4, 200, dtype=np.int64), draw.integers(0, 50, (4, 200))):
        problem = replace(ordered.problem, costs=costs.tolist())
        check_proven(problem, ordered.solve(costs=costs), problem.optimum())


@pytest.mark.parametrize("costs", [[[3], [4]], [[0, 0], [0, 0]], [[2, 2, 2], [5, 5, 5]]])
def test_costs_that_no_split_changes_end_with_a_proven_leaf(costs):
    ordered = make_ordered([[0, 1, 2, 1], [1, 0, 0, 1]], [2, 1], [0, 1, 1, 0], [1, 2, 3, 4], [2], 1, 2)
    problem = replace(ordered.problem, costs=costs)
    outcome = ordered.solve(costs=np.array(costs))
    check_proven(problem, outcome, problem.optimum())
    assert outcome["tree"]["column"].tolist() == [-1]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_any_stop_leaves_a_valid_interval_in_which_the_loss_of_every_tree_counts(n_threads):
    hard, _ = hard_ordered(0)
    classes = [c + (r % 3 == 0) for r, c in enumerate(hard.problem.classes)]
    ordered = replace(hard, problem=replace(hard.problem, classes=classes, costs=GENERAL, leaf_cost=2))
    optimum = solve(ordered.problem)["upper"]
    least = sum(min(GENERAL[c]) for c in classes)
    statuses = set()
    for n_calls in [*range(1, 40), 100, 10**9]:
        calls = itertools.count(1)
        outcome = ordered.solve(
            callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0, trace=True, n_threads=n_threads
        )
        check_interval(ordered.problem, outcome, optimum)
        # The first poll comes before the rows are in order.
        assert all(least < lower <= optimum <= upper for _, upper, lower, *_ in outcome["trace"]) or n_calls == 1
        statuses.add(outcome["status"])
    assert statuses == {"interrupted", "optimal"}
    for gap in (0.01, 0.1):
        outcome = ordered.solve(gap_limit=gap)
        check_interval(ordered.problem, outcome, optimum)
        assert outcome["upper"] - outcome["lower"] <= gap * outcome["upper"]


def bytes_at_first(ordered):
    calls = itertools.count(1)
    return ordered.solve(callback=lambda _: next(calls) >= 2, callback_interval=0)["statistics"]["bytes"]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_gains_count_against_the_memory_limit(share):
    unsolvable = unsolvable_ordered()
    classes = [c + (r % 3 == 0) for r, c in enumerate(unsolvable.problem.classes)]
    ordered = replace(unsolvable, problem=replace(unsolvable.problem, classes=classes, costs=GENERAL))
    # Before its table grows, which depends on how far a search gets.
    assert bytes_at_first(ordered) > bytes_at_first(unsolvable) + 2 * 8 * 3 * 3000
    off = {"primal": False}  # the heuristics would not start where their memory has no place
    needed = ordered.solve(time_limit=1, bounds=off)["statistics"]["bytes"]
    outcome = ordered.solve(memory_limit=int(share * needed), time_limit=120, bounds=off)
    assert outcome["status"] == "memory_limit"
    assert outcome["statistics"]["bytes"] <= 1.2 * share * needed  # small problem, so single steps count
    check_tree(ordered.problem, outcome)


@pytest.mark.parametrize("limits", [{}, {"max_leaves": 3}, {"min_samples_leaf": 2}], ids=str)
@pytest.mark.parametrize("objective", ["zero_one", "class_weighted", "cost_matrix"])
def test_a_reference_keeps_the_promise_of_theorem_4_3(objective, limits):
    n_guessed = 0
    for seed in range(60):
        ordered = with_costs(random_ordered(seed, unlimited=seed % 4 == 0), seed, objective, **limits)
        problem = ordered.problem
        optimum = problem.optimum()
        for reference in references(problem, seed):
            outcome = ordered.solve(reference=np.array(reference, np.int32), n_threads=1 + seed % 2)
            check_tree(problem, outcome)
            assert outcome["status"] in {"optimal", "guessed"}
            assert optimum <= outcome["upper"] <= promise(problem, reference)
            assert outcome["upper"] - loss_of(problem, reference) <= outcome["lower"] <= optimum
            if outcome["status"] == "optimal":
                assert outcome["upper"] == outcome["lower"] == optimum
            n_guessed += outcome["status"] == "guessed"
    assert n_guessed > 20


def test_a_reference_that_is_right_in_every_row_changes_nothing():
    for seed in range(60):
        ordered = random_ordered(seed)
        outcome = ordered.solve(reference=np.array(ordered.problem.classes, np.int32))
        check_proven(ordered.problem, outcome, ordered.problem.optimum())
        assert outcome["statistics"]["bounds"]["reference"] == 0


def test_a_reference_saves_subproblems_and_leaves_a_valid_interval_when_stopped():
    ordered, optimum = hard_ordered(0)  # without a leaf penalty: a tree as good as the reference closes the search
    reference = predictions(ordered, solve(ordered.problem)["tree"])
    guessed = ordered.solve(reference=reference)
    assert guessed["upper"] == optimum
    assert guessed["statistics"]["subproblems"] < ordered.solve()["statistics"]["subproblems"] / 2
    assert guessed["statistics"]["bounds"]["reference"] > 0
    for n_calls in range(1, 20):
        calls = itertools.count(1)
        outcome = ordered.solve(
            reference=reference, callback=lambda _, c=calls, n=n_calls: next(c) >= n, callback_interval=0, trace=True
        )
        check_interval(ordered.problem, outcome, optimum)
        assert all(lower <= optimum for _, _, lower, *_ in outcome["trace"])


def predictions(ordered: OrderedProblem, tree: dict[str, np.ndarray]) -> np.ndarray:
    """Return what a tree predicts for each row."""
    found = []
    for row in ordered.problem.rows:
        node = 0
        while tree["column"][node] >= 0:
            node = tree["left" if row[tree["column"][node]] else "right"][node]
        found.append(tree["prediction"][node])
    return np.array(found, np.int32)
