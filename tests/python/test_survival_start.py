"""First answers of SurvivalTree: no fit that is stopped is worse than the greedy tree, pruned."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from hornbeam import SurvivalTree
from oracles.survival import SurvivalProblem

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(240, 5))
    ratios = np.exp(np.where(X[:, 0] > 0.3, 1.0, 0.0) + np.where(X[:, 1] > X[:, 2], 0.8, -0.4))
    times, ends = rng.exponential(1 / ratios), rng.uniform(0, 2, len(X))
    events = times <= ends
    return X, events, np.minimum(times, ends)


def poisson_tree(columns, events, times, weights, penalty, **limits):
    """Return the objective and the number of leaves of scikit-learn's tree of events per cumulative hazard, pruned."""
    hazards = np.array(SurvivalProblem([], events.tolist(), times.tolist(), weights.tolist(), penalty).hazards())
    exposure = weights * hazards
    rates = np.divide(weights * events, exposure, out=np.zeros(len(times)), where=exposure > 0)

    def deviance(leaf_of_row):
        n_events, total = np.bincount(leaf_of_row, weights * events), np.bincount(leaf_of_row, exposure)
        logs = np.log(np.divide(n_events, total, out=np.ones_like(total), where=n_events > 0))
        own = weights[events] * (1 + np.log(hazards[events]))
        return float((n_events * (1 - logs)).sum() - own.sum())

    single = deviance(np.zeros(len(times), int))
    tree = DecisionTreeRegressor(
        criterion="poisson", ccp_alpha=penalty * single / exposure.sum(), random_state=0, **limits
    ).fit(columns, rates, exposure)
    return deviance(tree.apply(columns)) / single + penalty * tree.get_n_leaves(), tree.get_n_leaves()


@pytest.mark.parametrize("penalty", [0.001, 0.005, 0.02])
@pytest.mark.parametrize("limits", [{}, {"max_depth": 3}, {"min_samples_leaf": 12}], ids=str)
def test_a_stopped_fit_is_never_worse_than_the_pruned_tree_of_scikit_learn(problem, penalty, limits):
    X, events, times = problem
    weights = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    stopped = SurvivalTree(penalty, callback=lambda _: True, **limits).fit(X, np.column_stack([events, times]), weights)
    columns = stopped.binarizer_.transform(X)
    greedy, n_leaves = poisson_tree(columns, events, times, weights, penalty, **limits)
    assert n_leaves > 1
    assert stopped.objective_ <= greedy + stopped.rounding_
    assert stopped.lower_bound_ <= stopped.objective_


@pytest.mark.parametrize("max_depth", [3, 5])
def test_a_limit_that_is_over_at_once_leaves_time_for_a_quick_greedy_tree(problem, max_depth):
    X, events, times = problem
    stopped = SurvivalTree(0.001, max_depth=max_depth, time_limit=1e-6).fit(X, np.column_stack([events, times]))
    greedy, n_leaves = poisson_tree(
        stopped.binarizer_.transform(X), events, times, np.ones(len(X)), 0.001, max_depth=max_depth
    )
    assert n_leaves > 1
    assert stopped.objective_ <= greedy + stopped.rounding_


@pytest.mark.parametrize("max_depth", [3, 5, 6])
def test_flags_leave_time_for_the_greedy_tree_of_many_levels(problem, max_depth):
    X, events, times = problem
    flags = np.hstack([cut < X for cut in (-0.5, 0.0, 0.3)])
    stopped = SurvivalTree(0.001, max_depth=max_depth, time_limit=1e-6).fit(flags, np.column_stack([events, times]))
    greedy, n_leaves = poisson_tree(flags, events, times, np.ones(len(X)), 0.001, max_depth=max_depth)
    assert n_leaves > 4
    assert stopped.objective_ <= greedy + stopped.rounding_


def test_without_primal_heuristics_the_search_starts_from_a_single_leaf(problem):
    X, events, times = problem
    y = np.column_stack([events, times])
    with_it, without = (
        SurvivalTree(0.002, callback=lambda _: True, bounds={"primal": switch}).fit(X, y) for switch in (True, False)
    )
    assert with_it.objective_ < without.objective_
