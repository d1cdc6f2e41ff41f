"""Sets of near-optimal trees as a user meets them."""

import pickle
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from hornbeam import GOSDTClassifier, NotProvenWarning, RashomonSetClassifier
from oracles.lookahead import lookahead_cost
from oracles.problems import Problem
from oracles.rashomon import trees_within
from oracles.resplit import prefixes_within, trees_of_prefixes

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def cancer():
    return RashomonSetClassifier(0.15, regularization=0.02, max_depth=3).fit(*CANCER)


def test_the_best_tree_is_that_of_the_exact_search(cancer):
    X, y = CANCER
    exact = GOSDTClassifier(0.02, max_depth=3, binarizer="quantile").fit(X, y)
    best = cancer.rashomon_set_[0]
    assert cancer.status_ == "complete"
    assert cancer.objective_ == cancer.rashomon_set_.objective(0) == pytest.approx(exact.objective_)
    assert cancer.n_leaves_ == best.n_leaves
    assert np.mean(best.predict(X) != y) + 0.02 * best.n_leaves == pytest.approx(exact.objective_)


def test_trees_come_by_rising_objective_and_have_what_the_set_says_of_them(cancer):
    X, y = CANCER
    trees, previous = cancer.rashomon_set_, 0.0
    assert len(trees) == trees.n_trees == cancer.n_trees_ > 100
    for index, tree in enumerate(trees):
        objective = trees.objective(index)
        assert previous <= objective <= cancer.bound_
        assert objective == pytest.approx(np.mean(tree.predict(X) != y) + 0.02 * tree.n_leaves)
        previous = objective
    objectives, counts = trees.objectives()
    assert sum(counts) == len(trees)
    assert objectives[-1] == previous


def test_numbers_of_leaves_and_depths_are_those_of_the_trees(cancer):
    trees = list(cancer.rashomon_set_)
    for told, shown in [
        (cancer.rashomon_set_.n_leaves(), [tree.n_leaves for tree in trees]),
        (cancer.rashomon_set_.depths(), [tree.depth for tree in trees]),
    ]:
        assert told == {number: shown.count(number) for number in sorted(set(shown))}


def test_trees_by_number(cancer):
    trees = cancer.rashomon_set_
    assert trees[-1] == trees[len(trees) - 1] == list(trees)[-1]
    assert trees[2:8:3] == [trees[2], trees[5]]
    for index in (len(trees), -len(trees) - 1):
        with pytest.raises(IndexError, match=str(index)):
            trees[index]


@pytest.mark.parametrize("distinct", ["splits", "columns", "labels"])
@pytest.mark.parametrize("objective", ["accuracy", "balanced"])
def test_the_set_is_that_of_the_exhaustive_search(objective, distinct):
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, size=(30, 4))
    X[:, 3] = 1 - X[:, 0]
    y = (X[:, 0] ^ (draw.random(30) < 0.2)).astype(int)
    totals = np.bincount(y)
    errors = [1, 1] if objective == "accuracy" else [int(np.lcm(*totals)) // int(total) for total in totals]
    one = int(np.dot(errors, totals))
    found = RashomonSetClassifier(
        0.1,
        "absolute",
        regularization=Fraction(1, 20),
        max_depth=2,
        distinct=distinct,
        objective=objective,
        binarizer=None,
    ).fit(X, y)
    kept = X if distinct != "splits" else X[:, :3]
    problem = Problem(kept.tolist(), y.tolist(), [20] * 30, [[0, errors[0]], [errors[1], 0]], one, max_depth=2)
    bound = problem.optimum() + 2 * one
    assert found.n_trees_ == len(trees_within(problem, bound, "any" if distinct == "labels" else "differ"))


def test_a_tree_exactly_at_the_bound_is_in_the_set():
    X, y = [[0], [0], [0], [1], [1], [1], [1]], [0, 0, 1, 1, 1, 1, 1]
    found = RashomonSetClassifier(0.1, "absolute", regularization=0.1, binarizer=None).fit(X, y)
    # 1/7 + 0.2 for the split; the leaf loses 2/7, which is 1/7 + 0.1 - 1/7 * 0.7 less.
    assert found.rashomon_set_.objectives()[0].tolist() == pytest.approx([1 / 7 + 0.2, 2 / 7 + 0.1])
    gap = Fraction(2, 7) + Fraction(1, 10) - Fraction(1, 7) - Fraction(2, 10)
    for epsilon, n_trees in [(gap, 2), (gap - Fraction(1, 10**9), 1)]:
        assert (
            RashomonSetClassifier(epsilon, "absolute", regularization=0.1, binarizer=None).fit(X, y).n_trees_ == n_trees
        )


def test_samples_are_uniform_and_repeatable(cancer):
    trees = cancer.rashomon_set_
    drawn = trees.sample(20_000, random_state=0)
    assert drawn == trees.sample(20_000, random_state=0)
    assert set(drawn) <= set(range(len(trees)))
    half = np.mean(np.array(drawn) < len(trees) / 2)
    assert abs(half - 0.5) < 0.02
    assert trees.sample(0) == []


def test_filters(cancer):
    X, y = CANCER
    trees, all_trees = cancer.rashomon_set_, list(cancer.rashomon_set_)
    columns = [{condition.column for condition in tree.conditions if condition} for tree in all_trees]
    used = max(columns[0])

    def indices(**conditions):
        return [index for index, tree in trees.filter(**conditions) if tree == all_trees[index]]

    everyone = range(len(trees))
    assert indices() == list(everyone)
    assert indices(uses=[used]) == [i for i in everyone if used in columns[i]]
    assert indices(avoids=[f"x{used}"]) == [i for i in everyone if used not in columns[i]]
    assert indices(n_leaves=3) == [i for i in everyone if all_trees[i].n_leaves == 3]
    assert indices(n_leaves=range(4), depth={1, 3}) == [
        i for i in everyone if all_trees[i].n_leaves < 4 and all_trees[i].depth in {1, 3}
    ]
    best = indices(where=lambda tree: np.mean(tree.predict(X) == y) > 0.94)
    assert best == [i for i in everyone if np.mean(all_trees[i].predict(X) == y) > 0.94]
    with pytest.raises(ValueError, match="no column 'nowhere'"):
        trees.filter(uses=["nowhere"])


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two classes", "three classes"])
def test_votes_and_multiplicity_are_those_of_the_trees(data):
    X, y = data
    found = RashomonSetClassifier(0.2, regularization=0.03, max_depth=2).fit(X, y)
    trees = found.rashomon_set_
    predictions = np.array([tree.predict(X) for tree in trees])
    votes = trees.votes(X)
    for code, label in enumerate(found.classes_):
        np.testing.assert_allclose(votes[:, code], np.mean(predictions == label, axis=0))
    assert trees.ambiguity(X) == np.mean((predictions != predictions[0]).any(axis=0))
    assert trees.discrepancy(X) == (predictions != predictions[0]).mean(axis=1).max()
    np.testing.assert_array_equal(found.predict_by_vote(X, [3]), predictions[3])
    assert trees.ambiguity(X, [0]) == trees.discrepancy(X, [0]) == 0
    with pytest.raises(ValueError, match="no tree"):
        trees.votes(X, [])


def test_one_tree_as_a_classifier_of_its_own(cancer):
    X, y = CANCER
    best, other = cancer.classifier(0), cancer.classifier(50)
    assert (best.status_, other.status_) == ("optimal", "heuristic")
    assert type(other) is GOSDTClassifier
    np.testing.assert_array_equal(other.predict(X), cancer.rashomon_set_[50].predict(X))
    assert other.loss_ == pytest.approx(np.mean(other.predict(X) != y))
    assert other.gap_ == pytest.approx(1 - cancer.objective_ / other.objective_)
    assert other.get_params()["regularization"] == 0.02
    assert pickle.loads(pickle.dumps(other)).score(X, y) == other.score(X, y)


def test_a_pickled_set_has_the_same_trees(cancer):
    again = pickle.loads(pickle.dumps(cancer)).rashomon_set_
    assert [again[i] for i in (0, 17, -1)] == [cancer.rashomon_set_[i] for i in (0, 17, -1)]
    assert again.n_trees == cancer.n_trees_


def test_a_set_of_more_trees_than_can_be_listed():
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, size=(60, 12)), draw.integers(0, 2, size=60)
    found = RashomonSetClassifier(2, regularization=0.001, binarizer=None, distinct="labels").fit(X, y)
    trees = found.rashomon_set_
    assert found.n_trees_ > 10**12
    assert sum(trees.n_leaves().values()) == sum(trees.depths().values()) == found.n_trees_
    for index in [*trees.sample(5, random_state=1), found.n_trees_ - 1]:
        tree = trees[index]
        assert trees.objective(index) == pytest.approx(np.mean(tree.predict(X) != y) + 0.001 * tree.n_leaves)


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}])
def test_a_search_without_time_or_memory_ends_in_an_empty_set_and_a_tree(limit):
    X, y = CANCER
    with pytest.warns(NotProvenWarning, match="the set holds no tree"):
        found = RashomonSetClassifier(**limit).fit(X, y)
    assert found.status_ == next(iter(limit))
    assert (found.n_trees_, len(found.rashomon_set_), list(found.rashomon_set_)) == (0, 0, [])
    assert found.complete_up_to_ == -np.inf
    assert found.predict(X).shape == y.shape
    with pytest.raises(ValueError, match="no tree"):
        found.rashomon_set_.sample(1)


def test_a_search_that_is_stopped_has_all_trees_up_to_what_it_says():
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, size=(300, 20)), draw.integers(0, 2, size=300)
    with pytest.warns(NotProvenWarning, match="the set holds all"):
        found = RashomonSetClassifier(0.2, regularization=0.01, max_depth=4, binarizer=None, memory_limit=400_000).fit(
            X, y
        )
    assert found.status_ == "memory_limit"
    assert found.objective_ <= found.complete_up_to_ < found.bound_
    epsilon = Fraction(found.complete_up_to_) - Fraction(found.objective_)
    again = RashomonSetClassifier(epsilon, "absolute", regularization=0.01, max_depth=4, binarizer=None).fit(X, y)
    assert again.rashomon_set_.objectives()[1] == found.rashomon_set_.objectives()[1]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"epsilon": -0.1}, ValueError, "epsilon must be at least 0"),
        ({"epsilon": "much"}, TypeError, "epsilon must be a number"),
        ({"epsilon": 1e9}, ValueError, "epsilon=1000000000.0 is too large"),
        ({"epsilon_is": "relative"}, ValueError, "epsilon_is must be"),
        ({"distinct": "trees"}, ValueError, "distinct must be"),
        ({"method": "greedy"}, ValueError, "method must be"),
        ({"lookahead_depth": 0}, ValueError, "lookahead_depth must be"),
        ({"method": "resplit", "max_depth": None}, TypeError, "RESPLIT needs a depth limit"),
        ({"max_depth": None, "regularization": 0.0}, ValueError, "might have"),
        (
            {"objective": "cost", "cost_matrix": [[1, 1], [1, 0]]},
            ValueError,
            "cost_matrix has the same cost for every prediction of class 0",
        ),
    ],
)
def test_wrong_parameters_are_named(parameters, error, message):
    draw = np.random.default_rng(0)
    X, y = draw.random((2000, 2)), draw.integers(0, 2, size=2000)
    with pytest.raises(error, match=message):
        RashomonSetClassifier(**{"time_limit": 20.0, "max_depth": 2, **parameters}).fit(X, y)


@pytest.fixture(scope="module")
def resplit():
    return RashomonSetClassifier(0.15, regularization=0.02, max_depth=3, method="resplit", lookahead_depth=1).fit(
        *CANCER
    )


def test_resplit_finds_a_part_of_the_exact_set_of_its_bound(cancer, resplit):
    X, y = CANCER
    trees = list(resplit.rashomon_set_)
    assert resplit.status_ == "heuristic"
    assert len(trees) == len(set(map(str, trees))) == resplit.n_trees_ > 20
    assert (resplit.searched_up_to_, resplit.complete_up_to_) == (resplit.bound_, -np.inf)
    assert resplit.statistics_["set_prefixes"] > 1
    assert resplit.bound_ >= cancer.bound_
    exact = RashomonSetClassifier(
        Fraction(resplit.bound_) - Fraction(cancer.objective_), "absolute", regularization=0.02, max_depth=3
    ).fit(X, y)
    inside = set(map(str, exact.rashomon_set_))
    assert set(map(str, trees)) < inside


def test_the_methods_of_a_set_work_for_resplit(resplit):
    X, y = CANCER
    trees = resplit.rashomon_set_
    listed = list(trees)
    objectives = [np.mean(tree.predict(X) != y) + 0.02 * tree.n_leaves for tree in listed]
    assert objectives == pytest.approx([trees.objective(index) for index in range(len(trees))])
    assert objectives == pytest.approx(sorted(objectives))
    assert resplit.tree_ == trees[0]
    assert resplit.objective_ == trees.objective(0)
    assert resplit.lower_bound_ <= RashomonSetClassifier(0, regularization=0.02, max_depth=3).fit(X, y).objective_
    for told, shown in [
        (trees.n_leaves(), [tree.n_leaves for tree in listed]),
        (trees.depths(), [tree.depth for tree in listed]),
    ]:
        assert told == {number: shown.count(number) for number in sorted(set(shown))}
    assert [index for index, _ in trees.filter(depth=2)] == [i for i, tree in enumerate(listed) if tree.depth == 2]
    assert set(trees.sample(50, random_state=0)) <= set(range(len(trees)))
    predictions = np.array([tree.predict(X) for tree in listed])
    np.testing.assert_allclose(trees.votes(X)[:, 1], np.mean(predictions == 1, axis=0))
    assert trees.discrepancy(X) == (predictions != predictions[0]).mean(axis=1).max()
    assert resplit.classifier(0).status_ == "heuristic"
    again = pickle.loads(pickle.dumps(resplit)).rashomon_set_
    assert [again[i] for i in (0, 17, -1)] == [trees[i] for i in (0, 17, -1)]


@pytest.mark.parametrize("max_depth", [1, 2])
def test_resplit_without_greedy_trees_is_exact(max_depth):
    exact, resplit = (
        RashomonSetClassifier(0.1, max_depth=max_depth, method=method, lookahead_depth=2).fit(*CANCER)
        for method in ("exact", "resplit")
    )
    assert exact.status_ == resplit.status_ == "complete"
    assert list(exact.rashomon_set_) == list(resplit.rashomon_set_)


def exact_problem(X, y, weights, errors, regularization, max_depth):
    """Return the problem in integers, with leaves in the lowest bits, and the ticks of an objective of 1."""
    classes = range(len(errors))
    totals = [sum(weight for label, weight in zip(y, weights, strict=True) if label == k) for k in classes]
    scale = regularization.denominator << 10
    one = int(np.dot(errors, totals)) * scale
    costs = [[0 if k == c else int(errors[c]) * scale for k in classes] for c in classes]
    return Problem(X.tolist(), y.tolist(), weights, costs, int(regularization * one) + 1, max_depth=max_depth), one


@pytest.mark.parametrize("distinct", ["splits", "columns", "labels"])
@pytest.mark.parametrize("kind", ["accuracy", "balanced", "weights", "three classes"])
def test_the_set_of_resplit_is_that_of_the_paper(kind, distinct):
    draw = np.random.default_rng(3)
    n_classes = 3 if kind == "three classes" else 2
    X = draw.integers(0, 2, size=(40, 4))
    X[:, 3] = 1 - X[:, 0]
    y = (X[:, 0] + X[:, 1] * X[:, 2] + (draw.random(40) < 0.3)) % n_classes
    weights = draw.integers(1, 4, size=40).tolist() if kind == "weights" else [1] * 40
    totals = np.bincount(y)
    errors = [1] * n_classes if kind != "balanced" else [int(np.lcm(*totals)) // int(total) for total in totals]
    kept = X if distinct != "splits" else X[:, :3]
    problem, one = exact_problem(kept, y, weights, errors, Fraction(1, 40), 3)
    best, _ = lookahead_cost(problem, tuple(range(40)), 3, 1)
    bound = ((best >> 10) + one // 10 // 1024 + 1 << 10) - 1
    prefixes = prefixes_within(problem, 1, bound)
    expected = trees_of_prefixes(problem, prefixes, "any" if distinct == "labels" else "differ", grain=1 << 10)
    found = RashomonSetClassifier(
        Fraction(1, 10),
        "absolute",
        regularization=Fraction(1, 40),
        max_depth=3,
        distinct=distinct,
        method="resplit",
        lookahead_depth=1,
        objective="balanced" if kind == "balanced" else "accuracy",
        binarizer=None,
    ).fit(X, y, sample_weight=weights)
    assert found.statistics_["set_prefixes"] == len(prefixes)
    assert found.n_trees_ == len(expected) > 2
    by_cost = Counter(cost >> 10 for cost in expected.values())
    objectives, counts = found.rashomon_set_.objectives()
    assert objectives.tolist() == pytest.approx([(cost << 10) / one for cost in sorted(by_cost)])
    assert counts == [by_cost[cost] for cost in sorted(by_cost)]


@pytest.mark.parametrize("limit", [{"time_limit": 0.0}, {"memory_limit": 0}])
def test_resplit_without_time_or_memory_ends_in_an_empty_set_and_a_tree(limit):
    X, y = CANCER
    with pytest.warns(NotProvenWarning, match="the set holds no tree"):
        found = RashomonSetClassifier(method="resplit", **limit).fit(X, y)
    assert found.status_ == next(iter(limit))
    assert (found.n_trees_, found.searched_up_to_, found.complete_up_to_) == (0, -np.inf, -np.inf)
    assert found.predict(X).shape == y.shape


def test_resplit_that_is_stopped_has_the_set_of_the_bound_that_it_reached():
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, size=(300, 20)), draw.integers(0, 2, size=300)
    parameters = {"regularization": 0.01, "max_depth": 4, "method": "resplit", "binarizer": None}
    with pytest.warns(NotProvenWarning, match="trees that RESPLIT finds up to"):
        found = RashomonSetClassifier(0.1, memory_limit=300_000, **parameters).fit(X, y)
    assert found.status_ == "memory_limit"
    assert found.objective_ <= found.searched_up_to_ < found.bound_
    assert found.complete_up_to_ == -np.inf
    epsilon = found.searched_up_to_ - found.bound_ / 1.1 + 1e-9
    again = RashomonSetClassifier(epsilon, "absolute", **parameters).fit(X, y)
    assert again.rashomon_set_.objectives()[1] == found.rashomon_set_.objectives()[1]
    assert again.rashomon_set_[:50] == found.rashomon_set_[:50]


def test_the_callback_of_resplit_is_told_no_bound_that_is_not_proven():
    told = []
    parameters = {"regularization": 0.02, "max_depth": 2, "binarizer": "quantile"}
    classifier = RashomonSetClassifier(method="resplit", lookahead_depth=1, callback=told.append, **parameters)
    classifier.fit(*CANCER)
    optimum = GOSDTClassifier(**parameters).fit(*CANCER).objective_
    assert told
    assert max(progress.lower_bound for progress in told) == classifier.lower_bound_ <= optimum
