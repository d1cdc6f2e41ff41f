"""Every point of a frontier and of a path is what a fit of its own proves; limits leave true intervals."""

from __future__ import annotations

import itertools
import pickle
import random
import warnings
from math import inf
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from hornbeam import Frontier, GOSDTClassifier, NotProvenWarning, _core, plot_frontier
from hornbeam.datasets import load_monk
from hornbeam.fitting import search
from oracles.problems import Problem

BINARY = {"binarizer": None}


def table(seed: int, n_rows: int = 40, n_columns: int = 5, n_classes: int = 2) -> tuple[list[list[int]], list[int]]:
    """Return binary columns, and labels that depend on them a little."""
    draw = random.Random(seed)
    rows = [[draw.randint(0, 1) for _ in range(n_columns)] for _ in range(n_rows)]
    return rows, [(row[0] + row[1] * draw.randint(0, 1)) % n_classes for row in rows[:-n_classes]] + [*range(n_classes)]


def numbers(seed: int, n_rows: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Return columns of numbers for the ordered search."""
    return make_classification(n_rows, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=seed)


def noise() -> tuple[np.ndarray, np.ndarray]:
    """Return binary columns and labels that have nothing to do with each other: no search proves their path soon."""
    draw = np.random.default_rng(0)
    return draw.integers(0, 2, (400, 30)), draw.integers(0, 2, 400)


def least_losses(X: list[list[int]], y: list[int], n_leaves: int, **limits: int) -> list[int]:
    """Return by brute force the fewest errors of trees with at most 1, 2, ... leaves."""
    weights, costs = [1] * len(y), [[0 if k == c else 1 for k in range(3)] for c in range(3)]
    return [Problem(X, y, weights, costs, 0, max_leaves=k, **limits).optimum() for k in range(1, n_leaves + 1)]


@pytest.mark.parametrize("limits", [{}, {"max_depth": 2}, {"min_samples_leaf": 4}], ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_size_has_the_least_loss_by_brute_force(n_classes, limits):
    for seed in range(4):
        X, y = table(seed, n_classes=n_classes)
        found = GOSDTClassifier(regularization=0.01, max_leaves=6, **BINARY, **limits).frontier(X, y)
        least = least_losses(X, y, len(found), **limits)
        assert found.status == "optimal"
        assert np.rint(found.losses * len(y)).tolist() == least
        assert found.lower_bounds.tolist() == found.losses.tolist()
        if len(found) < 6:
            assert least_losses(X, y, 6, **limits)[-1] == least[-1]  # it ends where nothing more can be gained


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), penalty=st.floats(0.01, 0.3), depth=st.sampled_from([None, 2, 3]))
def test_the_path_has_the_objective_of_a_fit_of_its_own_at_every_leaf_penalty(seed, penalty, depth):
    X, y = table(seed)
    found = GOSDTClassifier(regularization=0.01, max_depth=depth, **BINARY).regularization_path(X, y)
    own = GOSDTClassifier(regularization=penalty, max_depth=depth, **BINARY).fit(X, y)
    of_path = found.classifier(regularization=penalty)
    assert of_path.objective_ == pytest.approx(own.objective_, abs=1e-12)
    assert of_path.lower_bound_ == of_path.objective_
    assert (of_path.status_, of_path.regularization_) == ("optimal", pytest.approx(penalty))
    assert np.mean(of_path.predict(X) != np.array(y)) == pytest.approx(of_path.loss_)


@pytest.mark.parametrize(
    "parameters",
    [
        {"objective": "balanced"},
        {"objective": "weighted", "omega": 3.0},
        {"objective": "cost", "cost_matrix": [[0, 1], [5, 0]]},
        {"class_weight": "balanced"},
        {"max_leaves": 3},
    ],
    ids=str,
)
def test_every_point_equals_a_fit_of_its_own_for_all_additive_objectives(parameters):
    X, y = table(3, n_rows=60, n_columns=7)
    weights = np.arange(1, 61) % 4
    model = GOSDTClassifier(regularization=0.01, **BINARY, **parameters)
    found = model.frontier(X, y, weights)
    for k, loss, one in zip(found.n_leaves, found.losses, found.classifiers, strict=True):
        own = GOSDTClassifier(**{**model.get_params(), "regularization": 0, "max_leaves": int(k)}).fit(X, y, weights)
        assert loss == own.objective_ == one.objective_
        assert one.n_leaves_ == own.n_leaves_
    for segment in found.path:
        own = GOSDTClassifier(**{**model.get_params(), "regularization": segment.regularization}).fit(X, y, weights)
        assert segment.loss + segment.regularization * segment.n_leaves == pytest.approx(own.objective_, abs=1e-12)
        assert segment.classifier.objective_ == segment.classifier.lower_bound_


@pytest.mark.parametrize("max_depth", [2, 3])
def test_the_ordered_search_finds_the_same_frontier_as_the_search_of_binary_columns(max_depth):
    X, y = numbers(0)
    from_order = GOSDTClassifier(regularization=0.02, max_depth=max_depth).frontier(X, y)
    columns = np.column_stack([X[:, [c]] <= np.sort(X[:, c])[:-1] for c in range(X.shape[1])]).astype(int)
    from_bits = GOSDTClassifier(regularization=0.02, max_depth=max_depth, **BINARY).frontier(columns, y)
    assert from_order.status == from_bits.status == "optimal"
    assert from_order.losses.tolist() == from_bits.losses.tolist()
    assert np.array([one[:4] for one in from_order.path]) == pytest.approx(
        np.array([one[:4] for one in from_bits.path])
    )


def test_the_path_is_the_convex_hull_of_the_frontier():
    X, y = load_monk(2, return_X_y=True)
    found = GOSDTClassifier(regularization=0.01).frontier(X, y)
    loss_of = dict(zip(found.n_leaves.tolist(), found.losses.tolist(), strict=True))
    assert all(segment.loss == loss_of[segment.n_leaves] for segment in found.path)
    for low, high in zip(found.path, found.path[1:], strict=False):
        assert low.regularization_max == high.regularization_min
        assert low.n_leaves > high.n_leaves
        slope = (high.loss - low.loss) / (low.n_leaves - high.n_leaves)
        assert slope == pytest.approx(low.regularization_max)
        between = range(high.n_leaves, low.n_leaves + 1)
        assert all(loss_of[k] >= high.loss - slope * (k - high.n_leaves) - 1e-12 for k in between)
    assert (found.path[0].regularization_min, found.path[-1].regularization_max) == (pytest.approx(0.01), inf)


def test_a_path_has_only_the_sizes_of_its_trees():
    X, y = load_monk(2, return_X_y=True)
    found = GOSDTClassifier(regularization=0.01).regularization_path(X, y)
    assert found.n_leaves.tolist() == sorted(segment.n_leaves for segment in found.path)


def test_the_searches_of_a_frontier_share_what_they_prove():
    X, y = load_monk(2, return_X_y=True)
    found = GOSDTClassifier(regularization=0.01).frontier(X, y)
    alone = (
        GOSDTClassifier(regularization=0, max_leaves=int(k)).fit(X, y).statistics_["subproblems"]
        for k in found.n_leaves
    )
    assert any(found.statistics["subproblems"] < so_far for so_far in itertools.accumulate(alone))


def test_a_time_limit_leaves_true_intervals_and_a_warning():
    X, y = noise()
    with pytest.warns(
        NotProvenWarning, match=r"not proven for \d+ of \d+ sizes, from \d+ lea(f|ves) on \(status 'time_limit'\)"
    ):
        found = GOSDTClassifier(regularization=0.003, time_limit=1.0, **BINARY).frontier(X, y)
    assert found.status == "time_limit"
    assert (found.lower_bounds <= found.losses).all()
    assert (np.diff(found.losses) <= 0).all()
    proven = np.array(found.statuses) == "optimal"
    assert (found.lower_bounds[proven] == found.losses[proven]).all()
    assert proven[0]
    for k, loss, one in zip(found.n_leaves, found.losses, found.classifiers, strict=True):
        assert one.n_leaves_ <= k
        assert np.mean(one.predict(X) != y) == pytest.approx(loss)
    open_end = found.classifier(regularization=0.003)
    assert open_end.lower_bound_ < open_end.objective_
    assert open_end.status_ == "time_limit"


def test_a_callback_that_stops_leaves_a_frontier():
    X, y = noise()
    with pytest.warns(NotProvenWarning, match="interrupted"):
        found = GOSDTClassifier(regularization=0.003, callback=lambda _: True, **BINARY).frontier(X, y)
    assert found.status == "interrupted"
    assert found.n_leaves[0] == 1


def test_the_estimator_is_not_fitted_by_its_frontier():
    X, y = load_monk(1, return_X_y=True)
    model = GOSDTClassifier(regularization=0.05)
    before = dict(vars(model))
    model.frontier(X, y)
    assert vars(model) == before


def test_a_classifier_is_found_by_its_size():
    X, y = load_monk(1, return_X_y=True)
    found = GOSDTClassifier(regularization=0.02).frontier(X, y)
    assert [found.classifier(n_leaves=k).n_leaves_ for k in (1, 2, 10**6)] == [1, 2, found.n_leaves[-1]]
    assert found.classifier(n_leaves=3).get_params()["max_leaves"] == 3


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({}, ValueError, "Exactly one of n_leaves and regularization"),
        ({"n_leaves": 2, "regularization": 0.1}, ValueError, "Exactly one of n_leaves and regularization"),
        ({"n_leaves": 0}, ValueError, "n_leaves must be at least 1, got 0"),
        ({"n_leaves": 2.0}, TypeError, "n_leaves must be an integer, got 2.0"),
        ({"regularization": "auto"}, TypeError, "regularization must be a number, got 'auto'"),
        ({"regularization": 0.01}, ValueError, "regularization must be at least 0.02, down to which the path goes"),
        ({"regularization": float("nan")}, ValueError, "regularization must be at least 0.02"),
    ],
)
def test_a_classifier_that_is_not_there_is_an_error(given, error, message):
    X, y = load_monk(1, return_X_y=True)
    found = GOSDTClassifier(regularization=0.02).regularization_path(X, y)
    with pytest.raises(error, match=message):
        found.classifier(**given)


def test_an_index_is_refused_with_what_to_use_instead():
    found = GOSDTClassifier(regularization=0.1).frontier([[0], [1]], [0, 1])
    with pytest.raises(TypeError, match=r"has no item 2: .* is classifier\(n_leaves=k\)"):
        found[2]


@pytest.mark.parametrize("objective", ["f1", "auc"])
def test_an_objective_that_is_not_additive_is_refused(objective):
    with pytest.raises(ValueError, match=f"that is a sum over the rows, but objective='{objective}'"):
        GOSDTClassifier(objective=objective).frontier([[0], [1]], [0, 1])


def test_a_reference_is_refused():
    with pytest.raises(ValueError, match="Set reference=None"):
        GOSDTClassifier(reference=[0, 1]).frontier([[0], [1]], [0, 1])


def test_the_extremes_of_tables_have_the_frontier_they_should():
    constant = GOSDTClassifier(regularization=0.01).frontier([[1], [1], [1]], [0, 1, 1])
    assert (constant.n_leaves.tolist(), constant.losses.tolist()) == ([1], [1 / 3])
    one_row_a_class = GOSDTClassifier(regularization=0).frontier([[0], [1], [2]], ["a", "b", "c"])
    assert one_row_a_class.losses.tolist() == pytest.approx([2 / 3, 1 / 3, 0])
    beyond = GOSDTClassifier(regularization=0.01, max_leaves=50).frontier([[0], [1], [2]], ["a", "b", "c"])
    assert beyond.n_leaves.tolist() == [1, 2, 3]


def test_losses_on_other_rows_are_those_of_each_tree():
    X, y = load_monk(2, return_X_y=True)
    found = GOSDTClassifier(regularization=0.02, objective="cost", cost_matrix=[[0, 1], [4, 0]]).frontier(
        X[::2], y[::2]
    )
    weights = np.arange(len(y[1::2])) + 1
    costs = []
    for one in found.classifiers:
        wrong = one.predict(X[1::2]) != y[1::2]
        costs.append(np.average(wrong * np.where(y[1::2] == one.classes_[1], 4, 1), weights=weights))
    assert found.losses_on(X[1::2], y[1::2], weights) == pytest.approx(costs)


def test_a_frontier_survives_pickling_and_shows_what_it_holds():
    X, y = load_monk(1, return_X_y=True)
    found = pickle.loads(pickle.dumps(GOSDTClassifier(regularization=0.02).frontier(X, y)))
    assert isinstance(found, Frontier)
    assert repr(found) == (
        f"Frontier({len(found)} sizes up to {found.n_leaves[-1]} leaves, {len(found)} of them proven; path of "
        f"{len(found.path)} trees down to regularization 0.02)"
    )


def test_the_picture_has_the_losses_the_hull_and_the_losses_on_other_rows():
    X, y = load_monk(2, return_X_y=True)
    found = GOSDTClassifier(regularization=0.02).frontier(X[::2], y[::2])
    axes = plot_frontier(found, X[1::2], y[1::2])
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["training loss", "regularization path", "loss on other rows"]
    assert axes.lines[0].get_ydata().tolist() == np.repeat(found.losses, 2).tolist()
    assert axes.lines[1].get_xdata().tolist() == [one.n_leaves for one in found.path]


def test_the_picture_shows_what_is_not_proven():
    X, y = noise()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        found = GOSDTClassifier(regularization=0.003, time_limit=0.5, **BINARY).frontier(X, y)
    labels = [text.get_text() for text in plot_frontier(found).get_legend().get_texts()]
    assert labels == ["not proven", "loss", "regularization path"]


def test_what_is_no_frontier_cannot_be_drawn():
    with pytest.raises(TypeError, match="frontier must be a Frontier, got list"):
        plot_frontier([])
    X, y = load_monk(1, return_X_y=True)
    with pytest.raises(ValueError, match="X and y belong together"):
        plot_frontier(GOSDTClassifier(regularization=0.05).frontier(X, y), X)


def test_a_stopped_search_of_numbers_leaves_the_better_tree_of_search_and_heuristics(monkeypatch):
    X, y = make_classification(4_000, 12, n_informative=6, random_state=0)
    found = []

    def near_optimal(*arguments, **options):
        found.append(_core.near_optimal(*arguments, **options))
        return found[-1]

    core = SimpleNamespace(**{**vars(_core), "near_optimal": near_optimal})
    monkeypatch.setattr(search, "_core", core)
    with pytest.warns(NotProvenWarning):
        path = GOSDTClassifier(regularization=0.001, time_limit=3).regularization_path(X, y)
    assert path.status == "time_limit"
    n = len(y)
    for segment in path.path:
        model = segment.classifier
        assert 0 <= model.lower_bound_ <= model.objective_
        assert round(model.loss_ * n) == (model.predict(X) != y).sum()
        assert model.n_leaves_ == segment.n_leaves
    # The first search that is stopped is that of the least leaf penalty.
    tree = found[0]["tree"]
    cost = (tree["prediction"][tree["leaf_of_row"]] != y).sum() + 4 * (tree["column"] < 0).sum()
    largest = path.path[0].classifier
    assert round(largest.loss_ * n) + 4 * largest.n_leaves_ <= cost < n / 2
    # The subtrees of the largest tree: no interval of penalties is without a tree of its own for long.
    assert len(path) > path.path[0].n_leaves / 6


def test_a_user_who_stops_the_heuristics_stops_the_path():
    exact = {"status": "time_limit", "upper": 5, "lower": 1, "tree": "exact", "trace": []}
    exact["statistics"] = {"subproblems": 1, "table_entries": 2, "seconds": 0.5, "bytes": 7, "bounds": {}}
    other = {**exact, "status": "interrupted", "upper": 4, "lower": 0, "tree": "heuristic"}
    both = search._with_better_tree(exact, other)
    assert (both["status"], both["upper"], both["lower"], both["tree"]) == ("interrupted", 4, 1, "heuristic")
    assert both["statistics"] == {"subproblems": 2, "table_entries": 4, "seconds": 1.0, "bytes": 7, "bounds": {}}
    kept = search._with_better_tree(exact, {**other, "status": "heuristic", "upper": 5})
    assert (kept["status"], kept["tree"]) == ("time_limit", "exact")
