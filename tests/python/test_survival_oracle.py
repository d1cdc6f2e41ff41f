"""SurvivalTree finds the optimum of brute force up to the rounding that it states, and its bounds are true."""

import numpy as np
import pytest

from hornbeam import SurvivalTree
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
