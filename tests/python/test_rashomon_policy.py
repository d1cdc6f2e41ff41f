"""RashomonSetPolicyTree against all policies, one by one in exact fractions, and the rest of its contract."""

from __future__ import annotations

import pickle
import random
import warnings
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hornbeam import ActionTree, PolicyTree, RashomonSetPolicyTree
from oracles.policies import PolicyProblem, policies_within, random_policy

_KINDS = ("integer", "decimal", "missing", "real", "mixed")


def random_problem(seed: int) -> tuple[list[list[int]], PolicyProblem, dict[str, Any]]:
    draw = random.Random(seed)
    limits = {"max_depth": draw.choice([1, 2, 3]), "min_samples_leaf": draw.choice([1, 1, 2])}
    problem = random_policy(seed, _KINDS[seed % len(_KINDS)], **limits)
    n_columns = draw.randint(1, 3) if problem.max_depth < 3 else draw.randint(1, 2)
    rows = [[draw.randint(0, 1) for _ in range(n_columns)] for _ in problem.rows]
    parameters = {
        "regularization": problem.regularization,
        "costs": problem.costs,
        "epsilon": draw.choice([0, 0.1, 0.5, 2.0]),
        "resolution": draw.choice([0.0, 0.01, 0.2]),
        **limits,
    }
    return rows, problem, parameters


def fit(rows: list[list[int]], problem: PolicyProblem, parameters: dict[str, Any]) -> RashomonSetPolicyTree:
    rewards = np.array([[np.nan if r is None else r for r in row] for row in problem.rewards], dtype=float)
    policy = RashomonSetPolicyTree(distinct="columns", binarizer=None, **parameters)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The tree chooses an action that is not available")
        return policy.fit(np.array(rows), rewards, problem.weights)


def nested(tree: ActionTree, node: int = 0) -> tuple[Any, ...]:
    condition = tree.conditions[node]
    if condition is None:
        return (int(tree.prediction[node]),)
    return (condition.column, nested(tree, tree.left[node]), nested(tree, tree.right[node]))


def has_choice(problem: PolicyProblem) -> bool:
    """Return whether `fit` takes the rewards: no action is missing everywhere, nor all but one in every row."""
    known = [[reward is not None for reward in row] for row in problem.rewards]
    return all(map(any, zip(*known, strict=True))) and max(map(sum, known)) > 1


@pytest.mark.parametrize("seed", range(200))
def test_set_has_all_policies_and_few_others(seed: int) -> None:
    rows, problem, parameters = random_problem(seed)
    if not has_choice(problem):
        return
    policy = fit(rows, problem, parameters)
    problem = replace(problem, regularization=policy.regularization_)
    trees, bound = policy.rashomon_set_, policy.bound_
    rounded = Fraction(1, 10**9) * Fraction(max(bound, 1e-3))
    known = policies_within(rows, problem, Fraction(bound) + Fraction(trees.rounding) + rounded)
    within = {tree for tree, objective in known.items() if objective <= Fraction(bound) - rounded}
    at_most = sum(objective <= Fraction(bound) + rounded for objective in known.values())
    found = [nested(tree) for tree in trees]
    assert len(set(found)) == len(found) == trees.n_trees == policy.n_trees_
    assert within <= set(found) <= known.keys()
    assert trees.n_certain <= at_most
    assert nested(policy.tree_) in known
    objectives = [trees.objective(number) for number in range(len(trees))]
    assert objectives == pytest.approx([float(known[tree]) for tree in found], abs=float(rounded))
    assert min(objectives) == pytest.approx(policy.objective_, abs=float(rounded))


@pytest.mark.parametrize("seed", range(0, 200, 8))
def test_votes_and_columns_are_those_of_the_trees(seed: int) -> None:
    rows, problem, parameters = random_problem(seed)
    if not has_choice(problem):
        return
    trees = fit(rows, problem, parameters).rashomon_set_
    predictions = np.array([tree.predict(np.array(rows)) for tree in trees])
    shares = [np.mean(predictions == action, axis=0) for action in range(len(problem.costs))]
    assert trees.votes(np.array(rows)) == pytest.approx(np.array(shares).T)
    assert trees.ambiguity(np.array(rows)) == np.mean(np.any(predictions != predictions[0], axis=0))
    tested = [{one.column for one in tree.conditions if one is not None} for tree in trees]
    assert trees.column_use() == pytest.approx([np.mean([c in one for one in tested]) for c in range(len(rows[0]))])


@pytest.fixture(scope="module")
def experiment() -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)).round(2), columns=["age", "income", "visits", "noise"])
    letter = 1.0 * (X["age"] > 0) + rng.normal(size=300)
    call = 1.5 * (X["income"] > 0.3) - 0.4 + rng.normal(size=300)
    return X, pd.DataFrame({"nothing": np.zeros(300), "letter": letter, "call": call})


def test_rewards_of_an_experiment(experiment: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    X, rewards = experiment
    policy = RashomonSetPolicyTree(0.02, "absolute", regularization=0.02, max_depth=2).fit(X, rewards)
    best = PolicyTree(regularization=0.02, max_depth=2, binarizer="quantile").fit(X, rewards)
    trees = policy.rashomon_set_
    assert policy.status_ == "complete"
    assert policy.objective_ == pytest.approx(best.objective_)
    assert policy.value_ == pytest.approx(best.value_)
    assert 0 < trees.n_certain <= trees.n_trees
    most = policy.value_ - 0.02 * policy.n_leaves_
    for number in trees.sample(30, random_state=0):
        one = policy.policy(number)
        assert one.value_ == pytest.approx(one.score(X, rewards))
        assert one.value_ - 0.02 * one.n_leaves_ >= most - 0.02 - trees.rounding - 1e-9
        assert one.single_action_ == best.single_action_
    assert policy.policy(0).status_ == "optimal"
    votes = trees.votes(X)
    assert votes.sum(axis=1) == pytest.approx(1)
    copy = pickle.loads(pickle.dumps(policy)).rashomon_set_
    assert copy[-1] == trees[-1]
    assert repr(copy) == repr(trees)


def test_rewards_without_a_difference() -> None:
    X, rewards = [[0], [1], [0], [1]], [[2.0, 2.0]] * 4
    policy = RashomonSetPolicyTree(0.5, regularization=0.1, binarizer=None).fit(X, rewards)
    assert policy.n_trees_ == 1
    assert policy.rashomon_set_.objective(0) == pytest.approx(0.1)


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
        RashomonSetPolicyTree(regularization=0.1, **parameters).fit([[0], [1], [2]], [[0, 1], [1, 0], [0, 1]])
