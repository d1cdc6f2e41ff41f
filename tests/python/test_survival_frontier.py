"""The frontier of SurvivalTree against brute force, its bounds, and the losses on other rows."""

from dataclasses import replace

import numpy as np
import pytest

from hornbeam import NotProvenWarning, SurvivalTree, plot_frontier
from oracles.survival import SurvivalProblem, random_survival

KINDS = ("real", "ties", "all sizes", "weights")


def simulated(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, 6))
    scale = np.where(X[:, 0] == 1, 1.0, 6.0) * np.where(X[:, 1] == 1, 1.0, 2.0) * np.where(X[:, 2] == X[:, 0], 1, 1.5)
    event, end = rng.exponential(scale), rng.uniform(0, 10, n_rows)
    return X, np.column_stack([event <= end, np.minimum(event, end)])


def check(fitted: SurvivalTree, problem: SurvivalProblem, kind: str) -> None:
    """Compare with the optimum: the bound is below it, and the objective above it by the rounding that is stated."""
    optimum = problem.optimum()
    assert fitted.status_ == "optimal"
    assert fitted.lower_bound_ <= optimum + 1e-9
    slack = 0.005 if kind == "weights" else 1e-6  # rounded weights
    assert optimum - 1e-9 <= fitted.objective_ <= optimum + fitted.rounding_ + slack
    assert fitted.objective_ == pytest.approx(fitted.loss_ + fitted.regularization_ * fitted.n_leaves_)


@pytest.mark.parametrize("kind", KINDS)
def test_every_size_and_leaf_penalty_has_the_optimum_of_brute_force(kind):
    for seed in range(40):
        problem = random_survival(seed, kind)
        limits = {name: getattr(problem, name) for name in ("max_depth", "max_leaves", "min_samples_leaf")}
        y = np.column_stack([problem.events, problem.times])
        model = SurvivalTree(min(problem.regularization, 0.05), binarizer=None, **limits)
        frontier = model.frontier(problem.rows, y, problem.weights)
        assert frontier.status == "optimal"
        assert frontier.path[-1].n_leaves == 1
        for k, one in zip(frontier.n_leaves.tolist(), frontier.classifiers, strict=True):
            check(one, replace(problem, regularization=0, max_leaves=k), kind)
            assert one.n_leaves_ <= k
        for penalty in (0.06, 0.11, 0.3, 0.8):
            check(frontier.classifier(regularization=penalty), replace(problem, regularization=penalty), kind)


def test_every_point_equals_a_fit_of_its_own():
    X, y = simulated()
    model = SurvivalTree(0.01, 3)
    frontier = model.frontier(X, y)
    assert frontier.status == "optimal"
    assert len(frontier.path) >= 3
    for k, loss, bound in zip(frontier.n_leaves.tolist(), frontier.losses, frontier.lower_bounds, strict=True):
        alone = SurvivalTree(0, 3, max_leaves=k).fit(X, y)
        # Of trees that are equal on the grid, either may be found.
        assert loss == pytest.approx(alone.loss_, abs=alone.rounding_)
        assert bound == pytest.approx(alone.lower_bound_, abs=1e-6)
    for segment in frontier.path:
        alone = SurvivalTree(min(segment.regularization, 1), 3).fit(X, y)
        assert (alone.n_leaves_, alone.loss_) == (segment.n_leaves, pytest.approx(segment.loss, abs=alone.rounding_))
    found, alone = frontier.classifier(regularization=0.03), SurvivalTree(0.03, 3).fit(X, y)
    assert found.rounding_ == pytest.approx(alone.rounding_)
    assert found.objective_ - found.lower_bound_ <= found.rounding_ + 1e-6
    path = model.regularization_path(X, y)
    assert [one.n_leaves for one in path.path] == [one.n_leaves for one in frontier.path]
    assert vars(model) == vars(SurvivalTree(0.01, 3))


def test_a_frontier_that_is_stopped_has_true_bounds():
    X, y = simulated()
    with pytest.warns(NotProvenWarning, match="frontier is not proven"):
        stopped = SurvivalTree(0.002, callback=lambda _: True).frontier(X, y)
    assert stopped.status == "interrupted"
    whole = SurvivalTree(0.01, 3).frontier(X, y)
    for k, loss in zip(whole.n_leaves.tolist(), whole.losses, strict=True):
        assert stopped.classifier(n_leaves=k).lower_bound_ <= loss
    for penalty in (0.02, 0.1, 0.5):
        found = stopped.classifier(regularization=penalty)
        assert found.lower_bound_ <= whole.classifier(regularization=penalty).objective_ + 1e-12


@pytest.mark.parametrize("weights", [None, 0.3 + np.arange(400) % 3])
def test_losses_on_the_training_rows_are_the_losses(weights):
    X, y = simulated()
    frontier = SurvivalTree(0.01, 3).frontier(X, y, weights)
    assert frontier.losses_on(X, y, weights) == pytest.approx(frontier.losses, abs=1e-9)
    assert frontier.losses_on(*simulated(seed=1))[[0, 1]] == pytest.approx(frontier.losses[[0, 1]], abs=0.2)


def test_an_event_in_a_leaf_without_events_loses_everything():
    X, y = [[0]] * 6 + [[1]] * 6, [[1, 1.0 + k] for k in range(6)] + [[0, 9.0]] * 6
    frontier = SurvivalTree(0.01, 1, binarizer=None).frontier(X, y)
    assert frontier.losses_on([[1], [0]], [[0, 9.0], [1, 2.0]])[1] < 1
    assert frontier.losses_on([[1]], [[1, 2.0]])[1] == np.inf


def test_the_picture_shows_the_losses_on_other_rows():
    X, y = simulated()
    ax = plot_frontier(SurvivalTree(0.01, 3).frontier(X, y), *simulated(seed=1))
    assert {text.get_text() for text in ax.get_legend().get_texts()} >= {"training loss", "loss on other rows"}
