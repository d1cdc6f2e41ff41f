"""The oracle of posteriors against numbers of the paper's code, and the paper's theorems about its heuristic."""

from math import exp, inf, lgamma, log1p

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.posterior import Posterior


@st.composite
def problems(draw):
    n_rows, n_columns = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    rows = st.lists(st.integers(0, 1), min_size=n_columns, max_size=n_columns)
    matrix = np.array(draw(st.lists(rows, min_size=n_rows, max_size=n_rows)), dtype=np.uint8)
    classes = np.array(draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows)))
    rho = draw(st.lists(st.sampled_from([0.3, 1.0, 2.5, 6.0]), min_size=2, max_size=2))
    return Posterior(matrix, classes, rho, draw(st.sampled_from([0.2, 0.95])), draw(st.sampled_from([0.0, 0.5, 2.0])))


def one_leaf(counts, rho):
    classes = np.repeat(np.arange(len(counts)), counts)
    posterior = Posterior(np.zeros((len(classes), 0)), classes, rho)
    return -posterior.likelihood(posterior.all_rows)


def test_unit_values_of_the_authors_tests():
    assert lgamma(3) + lgamma(5) - lgamma(8) == pytest.approx(-4.65396, abs=5e-6)
    assert one_leaf([3, 5], [1.0, 1.0]) == pytest.approx(-6.222576, abs=5e-7)
    posterior = Posterior(np.zeros((1, 1)), np.zeros(1), [1.0, 1.0])
    assert np.log(posterior.p_split(5)) == pytest.approx(-0.94717, abs=5e-6)
    assert log1p(-posterior.p_split(5)) == pytest.approx(-0.490755, abs=5e-7)


@pytest.mark.parametrize("rho", [[1.0, 1.0], [2.5, 0.5], [1.0, 2.0, 3.0]])
def test_likelihood_is_the_chain_of_predictive_probabilities(rho):
    classes = np.array([0, 1, len(rho) - 1, 0, 0, 1])
    chain = 1.0
    for n, k in enumerate(classes):
        chain *= (rho[k] + np.sum(classes[:n] == k)) / (sum(rho) + n)
    assert exp(one_leaf(np.bincount(classes, minlength=len(rho)), rho)) == pytest.approx(chain)


def test_prior_sums_to_one():
    matrix = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]])
    posterior = Posterior(matrix, np.zeros(5), [1.0, 1.0], alpha=0.7, beta=0.8)

    def total(rows, depth):
        splits = posterior.splits(rows)
        prior = posterior.leaf(rows, depth) - posterior.likelihood(rows)
        below = 0.0
        for column in splits:
            held, failed = posterior.sides(rows, column)
            below += exp(-posterior.split(rows, depth)) * total(held, depth + 1) * total(failed, depth + 1)
        return exp(-prior) + below

    assert total(posterior.all_rows, 0) == pytest.approx(1.0)


@given(problems())
def test_heuristic_is_consistent_and_admissible_as_theorem_8_and_corollary_15_say(posterior):
    nodes = {(posterior.all_rows, 0)}
    while nodes:
        rows, depth = nodes.pop()
        estimate = posterior.heuristic(rows, depth)
        assert estimate <= posterior.best(rows, depth) + 1e-9
        assert estimate <= posterior.leaf(rows, depth) + 1e-9
        for column in posterior.splits(rows):
            sides = posterior.sides(rows, column)
            below = sum(posterior.heuristic(side, depth + 1) for side in sides)
            assert estimate <= posterior.split(rows, depth) + below + 1e-9
            nodes.update((side, depth + 1) for side in sides)


def test_best_obeys_the_limit_of_depth():
    matrix = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20)
    classes = matrix[:, 0] ^ matrix[:, 1]
    costs = [Posterior(matrix, classes, [1.0, 1.0], max_depth=d).best(tuple(range(80)), 0) for d in (0, 1, 2, inf)]
    assert costs[0] <= costs[1]
    assert costs[1] > costs[2] == costs[3]
