"""GOSDTClassifier against brute force over all trees, from the user's table and units: no code of hornbeam between."""

import random
from fractions import Fraction
from math import lcm

import pytest

from hornbeam import GOSDTClassifier
from oracles.exhaustive import optimal_cost

REGULARIZATION = Fraction(1, 32)
MATRIX = [["0.5", "3", "1.25"], ["2", "0", "7"], ["1", "1", "0.1"]]


def random_table(draw, n_rows):
    """Return rows of an integer, a category and a flag, with some of them missing."""
    values = ([1, 2, 2.5, None], ["a", "b", "c", None], [False, True])
    return [[draw.choice(column) for column in values] for _ in range(n_rows)]


def all_questions(table):
    """Return the values of every condition that an exact tree may test, as 0/1 rows."""
    questions = []
    for column in zip(*table, strict=True):
        known = [value for value in column if value is not None]
        if isinstance(known[0] if known else None, str):
            questions += [[value == category for value in column] for category in set(known)]
        else:
            questions += [[value is not None and value <= low for value in column] for low in set(known)]
        questions.append([value is None for value in column])
    return [[int(answer) for answer in row] for row in zip(*questions, strict=True)]


def costs_of(objective, counts):
    """Return the cost of each (class, prediction) and the weight that makes an objective of 1, as fractions."""
    labels = range(len(counts))
    if objective == "cost":
        return [[Fraction(MATRIX[c][k]) for k in labels] for c in labels], Fraction(sum(counts))
    error_cost = {
        "accuracy": [Fraction(1)] * len(counts),
        "balanced": [Fraction(1, count) for count in counts],
        "weighted": [Fraction(1), Fraction(5, 2)],
    }[objective]
    costs = [[Fraction(0) if c == k else error_cost[c] for k in labels] for c in labels]
    return costs, sum(count * cost for count, cost in zip(counts, error_cost, strict=False))


def brute_force(table, classes, weights, objective, **limits):
    counts = [sum(w for w, c in zip(weights, classes, strict=True) if c == label) for label in range(max(classes) + 1)]
    costs, one = costs_of(objective, counts)
    leaf_cost = REGULARIZATION * one
    unit = lcm(leaf_cost.denominator, *(cost.denominator for row in costs for cost in row))
    integers = [[int(cost * unit) for cost in row] for row in costs]
    best = optimal_cost(all_questions(table), classes, weights, integers, int(leaf_cost * unit), **limits)
    return float(best / (unit * one))


@pytest.mark.parametrize("objective", ["accuracy", "balanced", "weighted", "cost"])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 2}, {"max_leaves": 3}, {"min_samples_leaf": 2}])
@pytest.mark.parametrize("seed", range(8))
def test_the_objective_is_the_least_of_all_trees(objective, limits, seed):
    draw = random.Random(f"{objective} {limits} {seed}")
    n_classes, n_rows = 2 if objective == "weighted" else draw.choice([2, 3]), draw.randint(4, 12)
    table = random_table(draw, n_rows)
    classes = [*range(n_classes), *(draw.randrange(n_classes) for _ in range(n_rows - n_classes))]
    weights = [draw.randint(1, 3) for _ in range(n_rows)]
    options = {"omega": 2.5} if objective == "weighted" else {}
    if objective == "cost":
        options = {"cost_matrix": [[float(cost) for cost in row[:n_classes]] for row in MATRIX[:n_classes]]}
    classifier = GOSDTClassifier(float(REGULARIZATION), objective=objective, **options, **limits)
    classifier.fit(table, classes, sample_weight=weights)
    assert classifier.status_ == "optimal"
    expected = brute_force(table, classes, weights, objective, **limits)
    assert classifier.objective_ == pytest.approx(expected, abs=1e-13)
