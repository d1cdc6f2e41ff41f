"""Sets of good trees for objectives that are not sums over the rows, against brute force over all trees."""

import pickle
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from hornbeam import GOSDTClassifier, NotProvenWarning, RashomonSetClassifier, model_class_reliance
from oracles.exhaustive import all_trees, members_of_nodes
from oracles.fscore import cost
from oracles.problems import random_two_classes
from oracles.ranking import area_below

CANCER = load_breast_cancer(return_X_y=True)
PENALTIES = [Fraction(1, 50), Fraction(1, 20), Fraction(1, 13), Fraction(1, 8)]


def draw_problem(seed):
    draw = random.Random(seed)
    table, classes, weights = random_two_classes(draw, (6, 12), (2, 3))
    limits = draw.choice([{}, {}, {"max_depth": 3}, {"min_samples_leaf": 2}])
    return table, classes, weights, draw.choice(PENALTIES), {"max_depth": 2, **limits}


def fit(problem, objective, **parameters):
    table, classes, weights, penalty, limits = problem
    model = RashomonSetClassifier(objective=objective, regularization=penalty, binarizer=None, **limits, **parameters)
    return model.fit(np.array(table, dtype=np.uint8), classes, sample_weight=weights)


def is_trivial(tree):
    sides = zip(tree["column"], tree["left"], tree["right"], strict=True)
    inner = [(a, b) for column, a, b in sides if column >= 0]
    return any(
        tree["column"][a] < 0 > tree["column"][b] and tree["prediction"][a] == tree["prediction"][b] for a, b in inner
    )


def f1_trees(problem, distinct):
    """Return all trees with labels, as (objective, tree)."""
    table, classes, weights, penalty, limits = problem
    positives = sum(weight for label, weight in zip(classes, weights, strict=True) if label)
    found = []
    for tree in all_trees(table, 2, **limits):
        if distinct != "labels" and is_trivial(tree):
            continue
        wrong = [0, 0]
        for node, members in enumerate(members_of_nodes(tree, table)):
            for r in members if tree["column"][node] < 0 else []:
                wrong[classes[r]] += weights[r] * (classes[r] != tree["prediction"][node])
        found.append((cost((wrong[0], wrong[1], tree["column"].count(-1)), positives, penalty), tree))
    return found


def auc_trees(problem, theta=None):
    """Return all trees as (objective, tree), the objective exactly and without the rounding of the search."""
    table, classes, weights, penalty, limits = problem
    positives = sum(weight for label, weight in zip(classes, weights, strict=True) if label)
    negatives = sum(weights) - positives
    most = Fraction(max(1, round(Fraction(theta or 1) * negatives * 2**20)), 2**20)
    found = []
    for tree in all_trees(table, 1, **limits):
        members = members_of_nodes(tree, table)
        leaves = frozenset(frozenset(rows) for n, rows in enumerate(members) if tree["column"][n] < 0)
        lost = 1 - area_below(leaves, classes, weights, most) / (positives * negatives)
        found.append((lost + penalty * tree["column"].count(-1), tree))
    return found


def flat(tree, with_labels):
    """Return what tells two trees of the brute force apart, for a tree of the brute force."""

    def of(node):
        if tree["column"][node] < 0:
            return (tree["prediction"][node],) if with_labels else ()
        return (tree["column"][node], of(tree["left"][node]), of(tree["right"][node]))

    return of(0)


def check_set(found, expected, with_labels, tolerance=0):
    """Compare a set over all columns with what brute force lists, tree by tree."""
    trees = found.rashomon_set_
    assert found.status_ == "complete"
    assert found.n_trees_ == len(expected)
    arrays = [trees._arrays(index) for index in range(len(trees))]
    assert Counter(flat(tree, with_labels) for tree in arrays) == Counter(
        flat(tree, with_labels) for _, tree in expected
    )
    objectives = [trees.objective(index) for index in range(len(trees))]
    assert objectives == sorted(objectives)
    assert objectives == pytest.approx(sorted(float(value) for value, _ in expected), abs=tolerance, rel=1e-12)
    assert trees.n_leaves() == dict(sorted(Counter(tree["column"].count(-1) for _, tree in expected).items()))


@pytest.mark.parametrize("distinct", ["columns", "labels"])
@pytest.mark.parametrize("seed", range(25))
def test_the_set_for_the_f_score_is_that_of_the_exhaustive_search(seed, distinct):
    problem = draw_problem(seed)
    everything = f1_trees(problem, distinct)
    optimum = min(value for value, _ in everything)
    bound = optimum * Fraction(random.Random(seed).choice([100, 110, 130]), 100)
    bound = bound if bound < 1 + problem[3] else optimum
    expected = [one for one in everything if one[0] <= bound]
    check_set(fit(problem, "f1", rashomon_bound=bound, distinct=distinct), expected, with_labels=True)
    above = fit(problem, "f1", epsilon=bound / optimum - 1, distinct=distinct)
    check_set(above, expected, with_labels=True)
    assert above.objective_ == above.lower_bound_ == float(optimum)


@pytest.mark.parametrize("seed", range(6))
def test_a_set_for_the_f_score_without_leaf_penalty_has_trees_of_all_sizes(seed):
    table, classes, weights, _, _ = draw_problem(seed)
    problem = (table, classes, weights, Fraction(0), {"max_depth": 2})
    everything = f1_trees(problem, "columns")
    bound = min(min(value for value, _ in everything) + Fraction(1, 10), Fraction(99, 100))
    found = fit(problem, "f1", rashomon_bound=bound, distinct="columns")
    check_set(found, [one for one in everything if one[0] <= bound], with_labels=True)


def test_trees_with_the_same_splits_and_other_labels_are_different_for_the_f_score():
    X, y = [[0], [0], [0], [1], [1], [1]], [0, 0, 1, 0, 1, 1]
    found = RashomonSetClassifier(rashomon_bound=1.0, objective="f1", regularization=0.05, binarizer=None).fit(X, y)
    trees = found.rashomon_set_
    labels = [tuple(tree.predict([[0], [1]]).tolist()) for tree in trees if tree.n_leaves == 2]
    assert sorted(labels) == [(0, 1), (1, 0)]
    assert sorted(tree.n_leaves for tree in trees) == [1, 2, 2]


@pytest.mark.parametrize("theta", [None, 0.7])
@pytest.mark.parametrize("seed", range(20))
def test_the_set_for_the_area_is_that_of_the_exhaustive_search(seed, theta):
    problem = draw_problem(seed)
    everything = auc_trees(problem, theta)
    optimum = min(value for value, _ in everything)
    objective = "auc" if theta is None else "partial_auc"
    # Halfway between two objectives, so that the rounding of the search to 2^-50 decides nothing.
    values = sorted({value for value, _ in everything if value < 1})
    place = min(len(values) - 1, random.Random(seed).randint(0, 8))
    bound = (values[place] + (values[place + 1] if place + 1 < len(values) else 1)) / 2
    expected = [one for one in everything if one[0] <= bound]
    found = fit(problem, objective, theta=theta, rashomon_bound=bound, distinct="columns")
    check_set(found, expected, with_labels=False, tolerance=1e-12)
    above = fit(problem, objective, theta=theta, epsilon=bound - optimum, epsilon_is="absolute", distinct="columns")
    check_set(above, expected, with_labels=False, tolerance=1e-12)
    assert above.statistics_["set_superset"] >= above.n_trees_


@pytest.mark.parametrize("parameters", [{"objective": "f1", "epsilon": 0.1}, {"objective": "auc", "epsilon": 0.03}])
def test_the_methods_of_a_set_work_for_objectives_that_are_no_sums(parameters):
    X, y = CANCER
    found = RashomonSetClassifier(regularization=0.02, max_depth=2, **parameters).fit(X, y)
    trees = found.rashomon_set_
    listed = list(trees)
    best = GOSDTClassifier(0.02, max_depth=2, binarizer="quantile", objective=parameters["objective"]).fit(X, y)
    assert found.objective_ == best.objective_ == trees.objective(0)
    assert found.bound_ >= trees.objective(-1)
    assert len(trees) == found.n_trees_ > 1
    for told, shown in [
        (trees.n_leaves(), [tree.n_leaves for tree in listed]),
        (trees.depths(), [tree.depth for tree in listed]),
    ]:
        assert told == {number: shown.count(number) for number in sorted(set(shown))}
    assert sum(trees.objectives()[1]) == len(trees)
    assert set(trees.sample(10, random_state=0)) <= set(range(len(trees)))
    predictions = np.array([tree.predict(X) for tree in listed])
    np.testing.assert_allclose(trees.votes(X)[:, 1], np.mean(predictions == 1, axis=0))
    again = pickle.loads(pickle.dumps(found)).rashomon_set_
    assert [again[i] for i in (0, -1)] == [trees[i] for i in (0, -1)]
    assert found.classifier(1).objective_ == trees.objective(1)
    for refused in (lambda: trees.reliance([0]), lambda: model_class_reliance(trees)):
        with pytest.raises(ValueError, match="model reliance needs a loss that is a sum"):
            refused()


def test_columns_that_split_the_rows_alike_count_as_one_for_all_objectives():
    random_ = np.random.default_rng(0)
    X = random_.integers(0, 2, size=(40, 3))
    y = (X[:, 0] ^ (random_.random(40) < 0.2)).astype(int)
    doubled = np.column_stack([X, 1 - X])
    for objective in ("f1", "auc"):
        problem = {"regularization": 0.03, "max_depth": 2, "objective": objective, "binarizer": None}
        once, twice, each = (
            RashomonSetClassifier(0.3, distinct=distinct, **problem).fit(table, y)
            for table, distinct in [(X, "splits"), (doubled, "splits"), (doubled, "columns")]
        )
        assert once.n_trees_ == twice.n_trees_ < each.n_trees_


@pytest.mark.parametrize("objective", ["f1", "auc"])
@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}])
def test_a_search_without_time_or_memory_ends_in_an_empty_set_and_a_tree(objective, limit):
    with pytest.warns(NotProvenWarning, match="the set holds no tree"):
        found = RashomonSetClassifier(objective=objective, **limit).fit(*CANCER)
    assert found.status_ == next(iter(limit))
    assert (found.n_trees_, found.complete_up_to_) == (0, -np.inf)


def stopped_after(seconds_or_calls, objective, **parameters):
    calls = 0

    def callback(_):
        nonlocal calls
        calls += 1
        return calls > seconds_or_calls

    with pytest.warns(NotProvenWarning):
        return RashomonSetClassifier(objective=objective, callback=callback, **parameters).fit(*CANCER)


@pytest.mark.parametrize(("objective", "bound", "stops"), [("f1", 0.12, (0, 1, 2, 3)), ("auc", 0.1, (1, 4, 8, 12, 24))])
def test_a_search_that_is_stopped_has_all_trees_up_to_what_it_says(objective, bound, stops):
    problem = {"regularization": 0.02, "max_depth": 2, "rashomon_bound": bound}
    whole = RashomonSetClassifier(objective=objective, **problem).fit(*CANCER)
    values = [whole.rashomon_set_.objective(index) for index in range(whole.n_trees_)]
    for calls in stops:
        part = stopped_after(calls, objective, **problem)
        assert part.status_ == "interrupted"
        n_known = sum(value <= part.complete_up_to_ for value in values)
        assert part.n_trees_ == n_known
        known = [part.rashomon_set_.objective(index) for index in range(part.n_trees_)]
        assert known == values[:n_known]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"objective": "f1", "method": "resplit"}, "method='resplit' needs an objective that is a sum over the rows"),
        ({"objective": "f1", "omega": 2.0}, "omega is used by objective='weighted' only"),
        ({"objective": "f1", "rashomon_bound": 1.5}, "rashomon_bound=1.5 is too large: .* less than .*, 1.01."),
        ({"objective": "auc", "epsilon": 99}, "epsilon=99 is too large: .* must be less than 1 plus the leaf penalty"),
        ({"objective": "auc", "class_weight": "balanced"}, "class_weight cannot be used"),
        ({"objective": "auc", "distinct": "labels"}, "distinct='labels' cannot be used"),
        ({"objective": "auc", "theta": 0.5}, "theta is used by"),
        ({"objective": "partial_auc"}, "objective='partial_auc' needs theta"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        RashomonSetClassifier(max_depth=2, **parameters).fit(*CANCER)


def test_weights_of_too_many_places_are_refused_for_the_f_score():
    X, y = CANCER
    weights = np.random.default_rng(0).random(len(y))
    with pytest.raises(ValueError, match="proportional to small integers"):
        RashomonSetClassifier(objective="f1", rashomon_bound=0.2).fit(X, y, sample_weight=weights)
