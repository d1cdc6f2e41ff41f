"""SurvivalTree finds the optimum of brute force up to the rounding that it states, and its bounds are true."""

import numpy as np
import pytest

from hornbeam import SurvivalTree
from hornbeam.fitting.hazards import make_survival_scale
from oracles.survival import random_survival

KINDS = ("real", "ties", "all sizes", "weights")


def check_optimum(seed, kind):
    problem = random_survival(seed, kind)
    limits = {name: getattr(problem, name) for name in ("max_depth", "max_leaves", "min_samples_leaf")}
    y = np.column_stack([problem.events, problem.times])
    tree = SurvivalTree(problem.regularization, binarizer=None, **limits).fit(problem.rows, y, problem.weights)
    optimum = problem.optimum()
    assert tree.status_ == "optimal"
    assert tree.lower_bound_ <= optimum + 1e-9
    assert optimum <= tree.objective_ + 1e-9
    # Rounded weights and, at few rows, nothing else widen the gap beyond the grid.
    slack = 0.005 if kind == "weights" else 1e-6
    assert tree.objective_ <= optimum + tree.rounding_ + slack
    # A second opinion, from the leaves alone.
    leaves = tree.apply(problem.rows)
    groups = [np.flatnonzero(leaves == leaf).tolist() for leaf in np.unique(leaves)]
    single = problem.deviance(range(len(leaves)))
    whole = single if single > 1e-9 else 1.0
    assert tree.loss_ == pytest.approx(sum(map(problem.deviance, groups)) / whole, rel=1e-7, abs=1e-9)
    assert len(groups) == tree.n_leaves_


@pytest.mark.parametrize("kind", KINDS)
def test_optimum_equals_brute_force(kind):
    for seed in range(100):
        check_optimum(seed, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_rounding_covers_what_the_grid_loses_in_any_leaves(kind):
    largest = 0.0
    for seed in range(200):
        problem = random_survival(seed, kind)
        events, times, weights = (np.array(part) for part in (problem.events, problem.times, problem.weights))
        scale = make_survival_scale(events, times, weights, 0)
        leaf_of_row = np.random.default_rng(seed).integers(0, 3, len(events)).astype(np.int32)
        ticks = sum(scale.loss_of_leaf(np.flatnonzero(leaf_of_row == leaf), None) for leaf in range(3))
        by_search, true = scale.objective(ticks), scale.loss(leaf_of_row)
        assert by_search - scale.rounding(true) <= true + 1e-12
        largest = max(largest, (by_search - true) / scale.rounding(true))
    assert largest > 0.2  # the bound is about what happens
