"""RashomonSetSurvivalTree against all survival trees, one by one, and the rest of its contract."""

from __future__ import annotations

import pickle
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hornbeam import HazardTree, RashomonSetSurvivalTree, SurvivalTree
from hornbeam.fitting.hazards import make_survival_scale
from oracles.survival import SurvivalProblem, random_survival

KINDS = ("real", "ties", "all sizes", "weights")


def random_problem(seed: int, kind: str) -> tuple[SurvivalProblem, dict[str, Any]]:
    draw = random.Random(seed)
    problem = random_survival(seed, kind)
    limits = {"max_depth": draw.choice([1, 2, 2, 3]), "min_samples_leaf": draw.choice([1, 1, 2])}
    rows = [row[: 2 if limits["max_depth"] == 3 else 3] for row in problem.rows]
    problem = replace(problem, rows=rows, max_leaves=None, **limits)
    parameters = {
        "epsilon": draw.choice([0, 0.05, 0.3, 1.0]),
        "epsilon_is": "absolute",
        "resolution": draw.choice([0.0, 0.01, 0.2]),
        "regularization": problem.regularization,
        **limits,
    }
    return problem, parameters


def fit(problem: SurvivalProblem, parameters: dict[str, Any]) -> RashomonSetSurvivalTree:
    y = np.column_stack([problem.events, problem.times])
    survival = RashomonSetSurvivalTree(distinct="columns", binarizer=None, **parameters)
    return survival.fit(np.array(problem.rows), y, problem.weights)


def nested(tree: HazardTree, node: int = 0) -> tuple[Any, ...]:
    condition = tree.conditions[node]
    if condition is None:
        return ()
    return (condition.column, nested(tree, tree.left[node]), nested(tree, tree.right[node]))


@pytest.mark.parametrize("kind", KINDS)
def test_set_has_all_trees_and_few_others(kind: str) -> None:
    n_certain = n_trees = 0
    for seed in range(60):
        problem, parameters = random_problem(seed, kind)
        survival = fit(problem, parameters)
        trees, bound = survival.rashomon_set_, survival.bound_
        known = problem.trees_within(bound + trees.rounding + 1e-7)
        within = {tree for tree, objective in known.items() if objective <= bound - 1e-7}
        found = [nested(tree) for tree in trees]
        assert len(set(found)) == len(found) == trees.n_trees == survival.n_trees_
        assert within <= set(found) <= known.keys()
        assert trees.n_certain <= sum(objective <= bound + 1e-7 for objective in known.values())
        objectives = [trees.objective(number) for number in range(len(trees))]
        assert objectives == pytest.approx([known[tree] for tree in found], abs=1e-7)
        n_certain, n_trees = n_certain + trees.n_certain, n_trees + trees.n_trees
    assert n_certain > n_trees / 4 or kind == "weights"  # which are rounded


@pytest.mark.parametrize("kind", KINDS)
def test_excess_covers_what_ticks_leave_out_in_any_leaves(kind: str) -> None:
    for seed in range(200):
        problem = random_survival(seed, kind)
        events, times, weights = (np.array(part) for part in (problem.events, problem.times, problem.weights))
        scale = make_survival_scale(events, times, weights, 0)
        leaf_of_row = np.random.default_rng(seed).integers(0, 3, len(events)).astype(np.int32)
        ticks = sum(scale.loss_of_leaf(np.flatnonzero(leaf_of_row == leaf), None) for leaf in range(3))
        assert scale.loss(leaf_of_row) <= scale.objective(ticks) + scale.excess(3) + 1e-12


@pytest.fixture(scope="module")
def trial() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1)
    death, end = rng.exponential(np.where(X[:, 0] > 0, 1.0, 3.0)), rng.uniform(0, 8, 300)
    return X, np.column_stack([death <= end, np.minimum(death, end)])


def test_trees_of_a_trial(trial: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = trial
    survival = RashomonSetSurvivalTree(0.01, max_depth=2).fit(X, y)
    best = SurvivalTree(0.01, max_depth=2).fit(X, y)
    trees = survival.rashomon_set_
    assert survival.status_ == "complete"
    assert survival.objective_ == pytest.approx(best.objective_, abs=best.rounding_)
    assert 0 < trees.n_certain <= trees.n_trees
    for number in trees.sample(20, random_state=0):
        one = survival.survival_tree(number)
        assert one.objective_ <= survival.bound_ + trees.rounding
        assert one.objective_ == pytest.approx(one._loss_on(X, y, None) + 0.01 * one.n_leaves_)
        assert one.score(X, y) > 0.5
    assert trees.predictions(X, [0])[0] == pytest.approx(trees[0].predict(X))
    uses = [{one.column for one in tree.conditions if one is not None} for tree in trees]
    assert trees.column_use() == pytest.approx([np.mean([c in one for one in uses]) for c in range(4)])
    copy = pickle.loads(pickle.dumps(survival)).rashomon_set_
    assert copy[-1] == trees[-1]
    assert repr(copy) == repr(trees)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distinct": "labels"}, "distinct must be"),
        ({"resolution": 2}, "resolution must be"),
        ({"epsilon": 1e12}, "epsilon=1000000000000.0 is too large"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RashomonSetSurvivalTree(**parameters).fit([[0], [1], [2]], [[0, 1], [1, 1], [1, 2]])
