"""Bounds guessed from a reference: what theorem 4.3 of the guesses paper promises, against brute force."""

import random

import pytest

from core.solving import check_interval, check_tree, solve, solve_guessed
from oracles.exhaustive import optimal_cost
from oracles.problems import Problem, random_problem

OBJECTIVES = ["zero_one", "class_weighted", "balanced", "cost_matrix"]
LIMITS = [{}, {"max_depth": 2}, {"max_depth": 3, "max_leaves": 4}, {"max_leaves": 3}, {"min_samples_leaf": 2}]


def promise(problem: Problem, reference: list[int]) -> int:
    """Return the least cost of a tree that loses on each row at least what the reference loses there (theorem 4.3)."""
    kinds = sorted(set(zip(problem.classes, reference, strict=True)))
    costs = [[max(problem.costs[c][p], cost) for cost in problem.costs[c]] for c, p in kinds]
    classes = [kinds.index(kind) for kind in zip(problem.classes, reference, strict=True)]
    return optimal_cost(
        problem.rows,
        classes,
        problem.weights,
        costs,
        problem.leaf_cost,
        problem.max_depth,
        problem.max_leaves,
        problem.min_samples_leaf,
    )


def loss_of(problem: Problem, reference: list[int]) -> int:
    """Return what the reference loses in all."""
    given = zip(problem.weights, problem.classes, reference, strict=True)
    return sum(weight * problem.costs[c][p] for weight, c, p in given)


def references(problem: Problem, seed: int) -> list[list[int]]:
    """Return predictions: of the best tree, of a majority, by chance, and by chance for each kind of row."""
    draw = random.Random(seed)
    n_predictions = len(problem.costs[0])
    by_row = {tuple(row): draw.randrange(n_predictions) for row in problem.rows}
    least = [min(range(n_predictions), key=costs.__getitem__) for costs in problem.costs]
    return [
        [least[c] for c in problem.classes],
        [draw.randrange(n_predictions)] * len(problem.rows),
        [draw.randrange(n_predictions) for _ in problem.rows],
        [by_row[tuple(row)] for row in problem.rows],
        [least[c] if draw.random() < 0.8 else draw.randrange(n_predictions) for c in problem.classes],
    ]


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_guarantee_of_theorem_4_3(objective, limits):
    for seed in range(40):
        problem = random_problem(seed, objective, n_rows=(2, 20), n_columns=(1, 6), **limits)
        optimum = problem.optimum()
        for reference in references(problem, seed):
            outcome = solve_guessed(problem, reference)
            check_tree(problem, outcome)
            assert outcome["status"] in {"optimal", "guessed"}
            assert optimum <= outcome["upper"] <= promise(problem, reference)
            assert outcome["upper"] - loss_of(problem, reference) <= outcome["lower"] <= optimum
            if outcome["status"] == "optimal":
                assert outcome["upper"] == outcome["lower"] == optimum


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_reference_whose_errors_every_tree_makes_keeps_the_optimum(objective):
    for seed in range(60):
        problem = random_problem(seed, objective, n_rows=(2, 20), n_columns=(1, 6))
        best = {row: [0] * len(problem.costs[0]) for row in map(tuple, problem.rows)}
        for row, c, weight in zip(map(tuple, problem.rows), problem.classes, problem.weights, strict=True):
            best[row] = [total + weight * cost for total, cost in zip(best[row], problem.costs[c], strict=True)]
        reference = [min(range(len(best[row])), key=best[row].__getitem__) for row in map(tuple, problem.rows)]
        outcome = solve_guessed(problem, reference)
        assert outcome["status"] == "optimal"  # the bound of equivalent points says as much as the guess
        assert outcome["lower"] == outcome["upper"] == problem.optimum()


def test_a_guess_about_rows_that_no_split_can_pay_for_is_not_binding():
    exclusive_or = Problem([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0], [1] * 4, [[0, 1], [1, 0]], 1, max_depth=1)
    outcome = solve_guessed(exclusive_or, [1, 0, 0, 1])
    assert (outcome["status"], outcome["lower"], outcome["upper"]) == ("optimal", 3, 3)


@pytest.mark.parametrize("n_threads", [2, 4])
def test_guarantee_holds_with_threads(n_threads):
    for seed in range(30):
        problem = random_problem(seed, "zero_one", n_rows=(10, 24), n_columns=(4, 7))
        for reference in references(problem, seed):
            outcome = solve_guessed(problem, reference, n_threads=n_threads)
            assert problem.optimum() <= outcome["upper"] <= promise(problem, reference)


def test_stopped_searches_give_valid_intervals():
    for seed in range(20):
        problem = random_problem(seed, "zero_one", n_rows=(10, 24), n_columns=(4, 7))
        for reference in references(problem, seed):
            outcome = solve_guessed(problem, reference, callback=lambda _: True, callback_interval=0.0)
            check_interval(problem, outcome, problem.optimum())


def test_without_a_reference_nothing_changes():
    for seed in range(20):
        problem = random_problem(seed, "zero_one", n_rows=(10, 24), n_columns=(4, 7))
        assert solve(problem, reference=None)["status"] == "optimal"


@pytest.mark.parametrize("reference", [[0], [0, 1, 2], [0, -1], [0, 2]])
def test_wrong_references_are_named(reference):
    problem = Problem([[0], [1]], [0, 1], [1, 1], [[0, 1], [1, 0]], 1)
    with pytest.raises(ValueError, match="reference"):
        solve_guessed(problem, reference)
