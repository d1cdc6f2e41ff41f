"""RashomonSetRegressor against all trees, one by one in exact fractions, and the rest of its contract."""

from __future__ import annotations

import pickle
import random
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from hornbeam import GOSDTRegressor, NotProvenWarning, RashomonSetRegressor, RegressionTree
from oracles.regression import Nested, trees_within

_ROUNDED = Fraction(1, 10**9)  # far more than floats are off, far less than objectives of different trees


def random_problem(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    n_rows, n_columns = draw.randint(2, 9), draw.randint(1, 3)
    kind = draw.choice(["whole", "whole", "decimal", "real"])
    value = {
        "whole": lambda: draw.randint(0, 4),
        "decimal": lambda: draw.randint(-30, 30) / 8,
        "real": lambda: draw.gauss(0, 1),
    }[kind]
    return {
        "X": np.array([[draw.randint(0, 1) for _ in range(n_columns)] for _ in range(n_rows)]),
        "y": np.array([value() for _ in range(n_rows)], dtype=float),
        "weights": [draw.choice([1, 1, 2, 3]) if kind != "real" else draw.choice([1.0, 0.3]) for _ in range(n_rows)],
        "parameters": {
            "regularization": draw.choice([0.0, 0.01, 0.05, 0.2]),
            "epsilon": draw.choice([0, 0.05, 0.3, 1.5]),
            "epsilon_is": draw.choice(["multiplier", "absolute"]),
            "max_depth": draw.choice([1, 2, 3, None]) if n_columns < 3 else draw.choice([1, 2]),
            "min_samples_leaf": draw.choice([1, 1, 2]),
            "resolution": draw.choice([0.0, 0.01, 0.2]),
        },
    }


def nested(tree: RegressionTree, node: int = 0) -> Nested:
    condition = tree.conditions[node]
    if condition is None:
        return ()
    return (condition.column, nested(tree, tree.left[node]), nested(tree, tree.right[node]))


def objectives_of_all(problem: dict[str, Any], bound: float) -> dict[Nested, Fraction]:
    parameters = problem["parameters"]
    return trees_within(
        problem["X"].astype(bool).tolist(),
        [Fraction(value) for value in problem["y"].tolist()],
        [Fraction(weight) for weight in problem["weights"]],
        Fraction(parameters["regularization"]),
        Fraction(bound) + _ROUNDED,
        parameters["max_depth"],
        parameters["min_samples_leaf"],
    )


@pytest.mark.parametrize("seed", range(150))
def test_set_has_all_trees_and_few_others(seed: int) -> None:
    problem = random_problem(seed)
    regressor = RashomonSetRegressor(distinct="columns", binarizer=None, **problem["parameters"])
    regressor.fit(problem["X"], problem["y"], problem["weights"])
    trees, bound = regressor.rashomon_set_, regressor.bound_
    known = objectives_of_all(problem, bound + trees.rounding)
    within = {tree for tree, objective in known.items() if objective <= Fraction(bound) - _ROUNDED}
    at_most = sum(objective <= Fraction(bound) + _ROUNDED for objective in known.values())
    found = [nested(tree) for tree in trees]
    assert len(set(found)) == len(found) == trees.n_trees == regressor.n_trees_
    assert within <= set(found) <= known.keys()
    assert trees.n_certain <= at_most
    assert len(within) <= trees.n_trees
    objectives = [trees.objective(number) for number in range(len(trees))]
    assert objectives == pytest.approx([float(known[tree]) for tree in found], abs=1e-9)
    assert min(objectives) == pytest.approx(regressor.objective_, abs=1e-9)
    rounded, counts = trees.objectives()
    each = np.repeat(rounded, counts)
    assert np.all(np.diff(each) >= 0)
    assert np.all(np.array(objectives) <= each + trees.rounding + 1e-12)
    if problem["parameters"]["resolution"] == 0:
        assert trees.rounding < 1e-3
        assert objectives == pytest.approx(sorted(objectives), abs=trees.rounding)


@pytest.mark.parametrize("seed", range(0, 150, 5))
def test_what_the_whole_set_says_is_what_its_trees_say(seed: int) -> None:
    problem = random_problem(seed)
    regressor = RashomonSetRegressor(distinct="columns", binarizer=None, **problem["parameters"])
    trees = regressor.fit(problem["X"], problem["y"], problem["weights"]).rashomon_set_
    new = np.array([[row >> column & 1 for column in range(problem["X"].shape[1])] for row in range(8)])
    predictions = trees.predictions(new)
    assert predictions.shape == (len(trees), 8)
    known, step = trees.prediction_range(new), 1e-5 * (np.ptp(problem["y"]) or 1.0)
    assert known.low == pytest.approx(predictions.min(axis=0), abs=step)
    assert known.high == pytest.approx(predictions.max(axis=0), abs=step)
    assert known.mean == pytest.approx(predictions.mean(axis=0), abs=step)
    tested = [{one.column for one in tree.conditions if one is not None} for tree in trees]
    shares = [np.mean([column in columns for columns in tested]) for column in range(problem["X"].shape[1])]
    assert trees.column_use() == pytest.approx(shares)
    assert sum(trees.depths().values()) == len(trees)
    assert trees.depths() == {depth: sum(tree.depth == depth for tree in trees) for depth in trees.depths()}


@pytest.fixture(scope="module")
def diabetes() -> tuple[Any, Any]:
    return load_diabetes(return_X_y=True, as_frame=True, scaled=False)


@pytest.fixture(scope="module")
def fitted(diabetes: tuple[Any, Any]) -> RashomonSetRegressor:
    return RashomonSetRegressor(regularization=0.02, max_depth=3).fit(*diabetes)


def test_real_data(diabetes: tuple[Any, Any], fitted: RashomonSetRegressor) -> None:
    X, y = diabetes
    best = GOSDTRegressor(regularization=0.02, max_depth=3).fit(X, y)
    trees = fitted.rashomon_set_
    assert fitted.status_ == "complete"
    assert fitted.objective_ == pytest.approx(best.objective_, abs=1e-9)
    assert fitted.bound_ == pytest.approx(1.05 * fitted.objective_)
    assert 0 < trees.n_certain <= trees.n_trees == fitted.n_trees_
    sample = trees.sample(20, random_state=0)
    for number in sample:
        tree = trees[number]
        loss = np.mean((y - tree.predict(X)) ** 2) / np.var(y)
        assert trees.objective(number) == pytest.approx(loss + 0.02 * tree.n_leaves)
        assert trees.objective(number) <= fitted.bound_ + trees.rounding
    spread, predictions = trees.prediction_range(X), trees.predictions(X, sample)
    assert np.all(spread.low <= predictions + 1e-3)
    assert np.all(predictions <= spread.high + 1e-3)
    assert np.all((spread.low <= spread.mean) & (spread.mean <= spread.high))
    number, tree = next(trees.filter(uses=["sex"]))
    assert trees[number] == tree
    assert "sex" in {X.columns[one.column] for one in tree.conditions if one is not None}


def test_finer_resolutions_bound_the_same_number_more_tightly(diabetes: tuple[Any, Any]) -> None:
    ends = []
    for resolution in (0.3, 0.03, 0.0):
        regressor = RashomonSetRegressor(0.02, regularization=0.02, max_depth=3, resolution=resolution)
        trees = regressor.fit(*diabetes).rashomon_set_
        ends.append((trees.n_certain, trees.n_trees))
    (low, high), (lower, higher), (exact, same) = ends
    assert exact == same
    assert low < lower < exact < higher < high


def test_single_tree_as_regressor(diabetes: tuple[Any, Any], fitted: RashomonSetRegressor) -> None:
    best, worst = fitted.regressor(0), fitted.regressor(-1)
    assert (best.status_, worst.status_) == ("optimal", "heuristic")
    assert worst.score(*diabetes) == pytest.approx(1 - worst.loss_)
    assert worst.get_params()["max_depth"] == 3


def test_pickled_set_is_found_again(fitted: RashomonSetRegressor) -> None:
    trees, copy = fitted.rashomon_set_, pickle.loads(pickle.dumps(fitted)).rashomon_set_
    assert repr(copy) == repr(trees)
    assert copy[-1] == trees[-1]
    assert copy.objective(7) == trees.objective(7)


def test_empty_set(diabetes: tuple[Any, Any]) -> None:
    regressor = RashomonSetRegressor(rashomon_bound=0.5, regularization=0.02, max_depth=2)
    with pytest.warns(UserWarning, match=r"The set is empty: no tree has an objective of at most rashomon_bound=0\.5"):
        regressor.fit(*diabetes)
    trees = regressor.rashomon_set_
    assert (regressor.n_trees_, trees.n_certain, trees.rounding, len(trees)) == (0, 0, 0.0, 0)
    assert repr(trees) == "<RegressionRashomonSet of no tree>"
    for ask in (lambda: trees.prediction_range(diabetes[0]), trees.column_use, lambda: trees.sample(1)):
        with pytest.raises(ValueError, match="the set holds no tree"):
            ask()


def test_bound_of_the_user(diabetes: tuple[Any, Any]) -> None:
    regressor = RashomonSetRegressor(rashomon_bound=0.75, regularization=0.02, max_depth=2).fit(*diabetes)
    assert regressor.bound_ == 0.75
    assert regressor.n_trees_ > 0


@pytest.mark.parametrize("y", [[3.0] * 6, [1e300] * 6])
@pytest.mark.parametrize(("regularization", "n_trees"), [(0.1, 1), (0.0, 2)])
def test_constant_target(y: list[float], regularization: float, n_trees: int) -> None:
    X = [[0], [1], [0], [1], [0], [1]]
    regressor = RashomonSetRegressor(0.5, regularization=regularization, binarizer=None).fit(X, y)
    trees = regressor.rashomon_set_
    assert regressor.n_trees_ == n_trees
    assert trees.n_certain == (n_trees if regularization else 0)
    assert trees.objective(0) == pytest.approx(regularization)
    assert regressor.predict(X).tolist() == y
    assert trees.prediction_range(X).high.tolist() == y


def test_without_time_the_set_is_empty(diabetes: tuple[Any, Any]) -> None:
    with pytest.warns(NotProvenWarning, match="The search stopped before all trees up to objective"):
        stopped = RashomonSetRegressor(0.3, regularization=0.001, time_limit=0.0).fit(*diabetes)
    assert (stopped.status_, stopped.n_trees_, stopped.searched_up_to_) == ("time_limit", 0, -np.inf)


def test_limits_on_memory_leave_the_set_of_a_smaller_bound(diabetes: tuple[Any, Any]) -> None:
    parameters: dict[str, Any] = {"epsilon": 0.03, "regularization": 0.02, "max_depth": 3, "resolution": 0.0}
    whole = RashomonSetRegressor(**parameters).fit(*diabetes)
    objectives, counts = whole.rashomon_set_.objectives()
    for share in (0.5, 0.8, 0.9, 0.95, 0.98, 1.5):
        limit = int(share * whole.statistics_["set_bytes"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotProvenWarning)
            part = RashomonSetRegressor(memory_limit=limit, **parameters).fit(*diabetes)
        assert part.n_trees_ == np.array(counts)[objectives <= part.searched_up_to_].sum()
    assert part.n_trees_ == whole.n_trees_
    assert part.searched_up_to_ == whole.bound_


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"epsilon": -1}, ValueError, "epsilon must be at least 0"),
        ({"epsilon_is": "times"}, ValueError, "epsilon_is must be"),
        ({"distinct": "labels"}, ValueError, "distinct must be"),
        ({"resolution": 1}, ValueError, "resolution must be"),
        ({"resolution": "fine"}, TypeError, "resolution must be"),
        ({"rashomon_bound": float("nan")}, ValueError, "rashomon_bound must be"),
        ({"binarizer": "auto"}, ValueError, "chooses thresholds by classes"),
        ({"epsilon": 1e9}, ValueError, "epsilon=1000000000.0 is too large"),
        ({"max_depth": None, "regularization": 0.0}, ValueError, "a tree of the set might have"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], error: type[Exception], message: str) -> None:
    X = np.arange(1200)[:, None]
    with pytest.raises(error, match=message):
        RashomonSetRegressor(**parameters).fit(X, np.sqrt(X[:, 0]))
