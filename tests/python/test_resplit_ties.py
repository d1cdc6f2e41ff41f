"""RESPLIT with costs: columns of equal information gain, against plain Python that compares gains exactly."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from hornbeam import RashomonSetClassifier
from oracles.lookahead import lookahead_cost
from oracles.problems import Problem
from oracles.resplit import prefixes_within, trees_of_prefixes

ONE = 10_000
"""Cost units of a cost of 1: a whole number of them is the leaf penalty of any regularization below."""

# Rows and columns are few enough that the gains can be worked out by hand. In each case two columns have the same gain
# on some rows, and the greedy trees that they start have different costs.
FOUND = [
    (
        "010 110 000 010 010 011",
        [1, 2, 1, 0, 2, 0],
        [[0, 1, 1], [1, 0, 5], [5, 4, 0]],
        ("0.05", "0.2", "multiplier", 2),
        (3, 5),
    ),
    (
        "111 011 011 011 011 011 111 110 100",
        [1, 2, 2, 0, 2, 1, 2, 1, 2],
        [[0, 1, 4], [1, 0, 2], [1, 4, 0]],
        ("0.05", "0", "absolute", 3),
        (1, 1),
    ),
    (
        "110 111 110 000 010 000 000 100 001 011 101",
        [0, 1, 1, 1, 2, 2, 2, 2, 0, 1, 1],
        [[0, 2, 5], [1, 0, 1], [1, 1, 0]],
        ("0.05", "0", "absolute", 2),
        (1, 4),
    ),
    (
        "000 000 111 001 110 010 011 111 100 101 101",
        [0, 1, 2, 0, 0, 2, 0, 1, 0, 1, 1],
        [[0, 1, 1], [2, 0, 5], [1, 1, 0]],
        ("0.05", "0.2", "multiplier", 3),
        (2, 4),
    ),
]


def expected_set(rows, classes, costs, weights, settings, steps=1):
    """Return the number of prefixes, and how many trees have which objective, by plain Python."""
    regularization, epsilon, epsilon_is, max_depth = settings
    total = sum(weights)
    leaf_cost = Fraction(regularization) * total * ONE
    assert leaf_cost.denominator == 1
    # Columns that are equal or complementary are one column, the first.
    columns = reversed([*enumerate(zip(*rows, strict=True))])
    kept = sorted({tuple(value ^ column[0] for value in column): c for c, column in columns}.values())
    costs = [[cost * ONE for cost in row] for row in costs]
    table = [[row[c] for c in kept] for row in rows]
    problem = Problem(table, classes, weights, costs, int(leaf_cost), max_depth=max_depth)
    best, _ = lookahead_cost(problem, tuple(range(len(rows))), max_depth, steps)
    more = best * Fraction(epsilon) if epsilon_is == "multiplier" else Fraction(epsilon) * total * ONE
    prefixes = prefixes_within(problem, steps, int(best + more))
    trees = trees_of_prefixes(problem, prefixes)
    return len(prefixes), Counter(Fraction(cost, total * ONE) for cost in trees.values())


def found_set(rows, classes, costs, weights, settings, steps=1):
    """Return the same of `RashomonSetClassifier`."""
    regularization, epsilon, epsilon_is, max_depth = settings
    found = RashomonSetClassifier(
        Fraction(epsilon),
        epsilon_is,
        regularization=Fraction(regularization),
        max_depth=max_depth,
        method="resplit",
        lookahead_depth=steps,
        objective="cost",
        cost_matrix=costs,
        binarizer=None,
    ).fit(rows, classes, sample_weight=weights)
    objectives, counts = found.rashomon_set_.objectives()
    return found.statistics_["set_prefixes"], dict(zip(objectives.tolist(), counts, strict=True))


def check(*problem):
    """Assert that both readings agree, and return the numbers of prefixes and trees."""
    n_prefixes, trees = expected_set(*problem)
    assert found_set(*problem) == (n_prefixes, {float(objective): count for objective, count in trees.items()}), problem
    return n_prefixes, trees.total()


@pytest.mark.parametrize(("rows", "classes", "costs", "settings", "counts"), FOUND)
def test_equal_gains_go_to_the_first_column_whatever_the_costs_are_scaled_to(rows, classes, costs, settings, counts):
    rows = [list(map(int, row)) for row in rows.split()]
    assert check(rows, classes, costs, [1] * len(rows), settings) == counts
    for factor in (3, 7, 1000):
        scaled = [[cost * factor for cost in row] for row in costs]
        regularization, epsilon, epsilon_is, max_depth = settings
        more = epsilon if epsilon_is == "multiplier" else str(Fraction(epsilon) * factor)
        again = (str(Fraction(regularization) * factor), more, epsilon_is, max_depth)
        assert check(rows, classes, scaled, [1] * len(rows), again) == counts


def symmetric_problem(seed):
    """Return a problem in which column 1 has the same gain as column 2 on both sides of column 0.

    For each row there is one with columns 1 and 2 exchanged, and with them two of the classes, which can lose the same.
    """
    draw = random.Random(seed)
    rows, classes, weights = [], [], []
    swapped = {0: 2, 1: 1, 2: 0}
    for label in [0, 1, 2, *(draw.randrange(3) for _ in range(draw.randint(0, 4)))]:
        row, weight = [draw.randrange(2) for _ in range(3)], draw.choice([1, 1, 2])
        rows += [row, [row[0], row[2], row[1]]]
        classes += [label, swapped[label]]
        weights += [weight, weight]
    most = draw.randint(2, 5)
    costs = [[0, draw.randint(1, most), most], [draw.randint(1, 5), 0, draw.randint(1, 5)], [most, 1, 0]]
    epsilon_is = draw.choice(["multiplier", "absolute"])
    regularization, epsilon = draw.choice(["0.02", "0.05", "0.1"]), draw.choice(["0", "0.05", "0.1", "0.2"])
    return rows, classes, costs, weights, (regularization, epsilon, epsilon_is, draw.choice([2, 3]))


def test_random_sets_with_equal_gains_and_unequal_costs_are_those_of_the_paper():
    assert sum(check(*symmetric_problem(seed))[1] for seed in range(150)) > 400


def test_random_sets_with_unequal_costs_are_those_of_the_paper():
    n_trees = 0
    for seed in range(150):
        draw = random.Random(seed)
        n_rows, n_columns = draw.randint(5, 17), draw.randint(2, 4)
        rows = [[draw.randrange(2) for _ in range(n_columns)] for _ in range(n_rows)]
        classes = [0, 1, 2, *(draw.randrange(3) for _ in range(n_rows - 3))]
        costs = [[0 if k == c else draw.randint(1, 5) for k in range(3)] for c in range(3)]
        settings = (draw.choice(["0.05", "0.1"]), draw.choice(["0.05", "0.2"]), draw.choice(["multiplier", "absolute"]))
        n_trees += check(rows, classes, costs, [1] * n_rows, (*settings, 2))[1]
    assert n_trees > 300
