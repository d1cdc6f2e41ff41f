"""Policy trees against brute force over all trees, and what the rounding of rewards leaves of a proof."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hornbeam.fitting.search as search_module
from hornbeam import PolicyTree
from oracles.policies import PolicyProblem, random_policy

LIMITS = [{}, {"max_depth": 2}, {"max_depth": 1}, {"max_leaves": 3}, {"min_samples_leaf": 2}]


@pytest.fixture(params=["bits", "order"])
def search(request, monkeypatch) -> str:
    """Both searches; which one runs depends on the size of a table, and here all are small."""
    if request.param == "order":
        monkeypatch.setattr(search_module, "_LEAST_THRESHOLDS", 1)
        monkeypatch.setattr(search_module, "_LEAST_RESULTS", 0)
    return request.param


def fitted(problem: PolicyProblem) -> PolicyTree:
    """Fit the problem as a user would."""
    X = pd.DataFrame({f"x{i}": list(column) for i, column in enumerate(zip(*problem.rows, strict=True))})
    names = [f"action {i}" for i in range(len(problem.costs))]
    rewards = pd.DataFrame(problem.rewards, columns=names, dtype=float)
    policy = PolicyTree(
        problem.regularization,
        problem.max_depth,
        costs=problem.costs,
        max_leaves=problem.max_leaves,
        min_samples_leaf=problem.min_samples_leaf,
        time_limit=None,
    ).fit(X, rewards, problem.weights)
    policy.chosen = [names.index(action) for action in policy.predict(X)]
    return policy


@pytest.mark.filterwarnings("ignore:The tree chooses an action that is not available")
@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("kind", ["integer", "decimal", "missing"])
def test_exact_rewards_have_the_optimum_of_brute_force(kind, limits, search):
    n_unavailable = 0
    for seed in range(60):
        problem = random_policy(seed, kind, **limits)
        policy = fitted(problem)
        assert (policy.status_, policy.lower_bound_) == ("optimal", policy.objective_)
        if policy.n_unavailable_ > 0:
            n_unavailable += 1
            assert policy.lower_bound_ == pytest.approx(float(problem.optimum()), rel=1e-12)
            continue
        optimum = problem.optimum()
        assert problem.objective(policy.chosen, policy.n_leaves_) == optimum
        assert policy.objective_ == pytest.approx(float(optimum), rel=1e-12)
    assert n_unavailable < 30  # most problems test the comparison of objectives


@pytest.mark.parametrize("limits", LIMITS[:3], ids=str)
@pytest.mark.parametrize("kind", ["real", "huge", "tiny", "mixed"])
def test_rounded_rewards_have_a_lower_bound_that_holds(kind, limits, search):
    for seed in range(40):
        problem = random_policy(seed, kind, **limits)
        policy = fitted(problem)
        problem = replace(problem, regularization=policy.regularization_)  # rounded once
        optimum = problem.optimum()
        assert policy.status_ == "optimal"
        # Rounded down by the search, and once to float64 at the end.
        assert Fraction(policy.lower_bound_) <= optimum * (1 + Fraction(1, 2**50))
        true = problem.objective(policy.chosen, policy.n_leaves_)
        assert policy.objective_ == pytest.approx(float(true), rel=1e-14, abs=0)
        # A tick a row: the losses of all actions are 2^50 ticks or more.
        tick = sum(sum(row) * Fraction(w) for row, w in zip(problem.losses(), problem.weights, strict=True)) / 2**50
        most = optimum + len(problem.rows) * tick / sum(map(Fraction, problem.weights))
        assert optimum <= true <= most
        assert policy.lower_bound_ <= policy.objective_ <= float(most) * (1 + 1e-14)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), shift=st.integers(-5, 5), factor=st.sampled_from([0.25, 2.0, 8.0]))
def test_neither_shifts_of_rows_nor_units_nor_the_order_of_actions_matter(seed, shift, factor):
    problem = random_policy(seed, "integer", max_depth=2)
    rewards = [[factor * (reward + shift * row) for reward in of_row] for row, of_row in enumerate(problem.rewards)]
    costs = [factor * cost for cost in problem.costs]
    other = replace(problem, rewards=rewards, costs=costs, regularization=factor * problem.regularization)
    turned = replace(other, rewards=[of_row[::-1] for of_row in rewards], costs=costs[::-1])
    expected = fitted(problem)
    for policy in (fitted(other), fitted(turned)):
        assert policy.objective_ == pytest.approx(factor * expected.objective_, rel=1e-12, abs=1e-300)
