"""Bounds on the objective that the user knows: what a fit makes of true and of wrong ones."""

import warnings

import numpy as np
import pandas as pd
import pytest

from hornbeam import GOSDTClassifier, NotProvenWarning
from hornbeam.datasets import load_monk
from hornbeam.fitting import search as choice

OBJECTIVES = [
    {},
    {"objective": "balanced"},
    {"objective": "cost", "cost_matrix": [[0.1, 1], [5, 0.3]]},
    {"objective": "weighted", "omega": 2.7},
    {"class_weight": {0: 1.37, 1: 2}},
]


def table(seed, n_rows=60):
    draw = np.random.default_rng(seed)
    X = np.column_stack([draw.normal(size=n_rows).round(1), draw.integers(0, 5, n_rows), draw.integers(0, 2, n_rows)])
    return X, (X[:, 0] + X[:, 1] / 5 > draw.normal(size=n_rows) / 2).astype(int)


@pytest.fixture(params=[True, False], ids=["by order", "by bits"])
def way(request, monkeypatch):
    """Let every fit run one of the two searches."""
    monkeypatch.setattr(choice, "suits_ordered_search", lambda *_, **__: request.param)


@pytest.mark.parametrize("parameters", OBJECTIVES, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_of_a_fit_is_a_true_bound_of_the_next_one(way, seed, parameters):
    X, y = table(seed)
    weights = np.random.default_rng(seed).random(len(y)) if seed else None
    model = GOSDTClassifier(0.0123, **parameters).fit(X, y, weights)
    assert model.status_ == "optimal"
    best, tree = model.objective_, model.tree_
    above = model.set_params(known_upper_bound=best).fit(X, y, weights)
    assert (above.status_, above.objective_, above.lower_bound_) == ("optimal", best, best)
    both = model.set_params(known_lower_bound=best, start_tree=tree).fit(X, y, weights)
    assert both.status_ in ("optimal", "known_bound")
    assert (both.objective_, both.lower_bound_, both.gap_) == (best, best, 0)


@pytest.mark.parametrize("share", [0, 0.5, 0.8])
def test_an_upper_bound_that_no_tree_attains_proves_that(way, share):
    X, y = table(0)
    best = GOSDTClassifier(0.02).fit(X, y).objective_
    with pytest.warns(NotProvenWarning, match="No tree within the limits has an objective of at most") as caught:
        model = GOSDTClassifier(0.02, known_upper_bound=share * best).fit(X, y)
    assert model.status_ == "cutoff"
    assert share * best < model.lower_bound_ <= best <= model.objective_
    assert model.gap_ == pytest.approx(1 - model.lower_bound_ / model.objective_)
    # What the message suggests leads to the optimum.
    assert f"known_upper_bound={model.objective_!r} and warm_start=True" in str(caught[0].message)
    again = model.set_params(known_upper_bound=model.objective_, warm_start=True).fit(X, y)
    assert (again.status_, again.objective_) == ("optimal", best)


def test_a_cutoff_with_the_optimal_tree_as_a_start_is_a_proof(way):
    X, y = table(1)
    best = GOSDTClassifier(0.02).fit(X, y)
    model = GOSDTClassifier(0.02, known_upper_bound=0.9 * best.objective_, start_tree=best)
    with pytest.warns(NotProvenWarning):
        model.fit(X, y)
    assert model.objective_ == best.objective_
    assert 0.9 * best.objective_ < model.lower_bound_ <= best.objective_


def test_a_lower_bound_ends_the_search_at_once_where_the_start_tree_attains_it():
    X, y = load_monk(2, return_X_y=True)
    model = GOSDTClassifier(0.005, max_depth=5).fit(X, y)
    known = GOSDTClassifier(0.005, max_depth=5, start_tree=model, known_lower_bound=model.objective_).fit(X, y)
    assert known.status_ == "known_bound"
    assert known.objective_ == known.lower_bound_ == model.objective_
    assert known.statistics_["subproblems"] < model.statistics_["subproblems"] / 10


def test_a_stopped_fit_reports_the_known_lower_bound():
    X, y = table(2)
    best = GOSDTClassifier(0.02).fit(X, y).objective_
    with pytest.warns(NotProvenWarning):
        model = GOSDTClassifier(0.02, time_limit=0, known_lower_bound=0.9 * best).fit(X, y)
    assert model.lower_bound_ == pytest.approx(0.9 * best)
    assert model.status_ == "time_limit"


def test_a_wrong_lower_bound_is_ignored_with_a_warning(way):
    X, y = table(3)
    best = GOSDTClassifier(0.02).fit(X, y).objective_
    with pytest.warns(UserWarning, match="known_lower_bound=.* is wrong: the objective of tree_ is only") as caught:
        model = GOSDTClassifier(0.02, known_lower_bound=1.01 * best).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert (model.status_, model.objective_, model.lower_bound_) == ("optimal", best, best)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(known_lower_bound=None).fit(X, y)


def test_bounds_that_say_nothing_change_nothing():
    X, y = table(4)
    best = GOSDTClassifier(0.02).fit(X, y).objective_
    model = GOSDTClassifier(0.02, known_lower_bound=0, known_upper_bound=1e300).fit(X, y)
    assert (model.status_, model.objective_) == ("optimal", best)
    with pytest.warns(UserWarning, match="is wrong"):
        GOSDTClassifier(0.02, known_lower_bound=1e300).fit(X, y)


@pytest.mark.parametrize("name", ["known_lower_bound", "known_upper_bound"])
def test_bounds_are_checked(name):
    X, y = table(0)
    with pytest.raises(ValueError, match=f"{name} must be"):
        GOSDTClassifier(**{name: -0.1}).fit(X, y)
    with pytest.raises(TypeError, match=f"{name} must be"):
        GOSDTClassifier(**{name: "0.1"}).fit(X, y)
    with pytest.raises(ValueError, match=f"{name} needs an objective that is a sum over the rows, but objective='auc'"):
        GOSDTClassifier(objective="auc", **{name: 0.1}).fit(X, y)


def test_a_reference_refuses_an_upper_bound_and_takes_a_lower_one():
    X, y = table(0)
    with pytest.raises(ValueError, match="known_upper_bound needs a proof, but a reference only guesses bounds"):
        GOSDTClassifier(reference=y, known_upper_bound=0.1).fit(X, y)
    assert GOSDTClassifier(reference=y, known_lower_bound=0.001).fit(X, y).lower_bound_ >= 0.001


def test_the_trace_and_the_callback_see_the_known_bound():
    X, y = table(5)
    best = GOSDTClassifier(0.01).fit(X, y).objective_
    model = GOSDTClassifier(0.01, known_lower_bound=0.8 * best, trace=True).fit(X, y)
    assert model.trace_[0].lower_bound == pytest.approx(0.8 * best)
    assert model.trace_[-1].lower_bound == model.lower_bound_


def test_the_bounds_hold_for_data_frames_with_categories():
    X, y = table(6)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(word=np.where(X[:, 1] > 2, "many", "few"))
    best = GOSDTClassifier(0.02).fit(frame, y).objective_
    assert GOSDTClassifier(0.02, known_upper_bound=best).fit(frame, y).objective_ == best


def test_the_advice_leaves_out_bounds_that_need_not_hold_and_writes_no_tree():
    X, y = load_monk(2, return_X_y=True)
    start = GOSDTClassifier(0.05).fit(X, y).tree_.to_json()
    model = GOSDTClassifier(0.001, time_limit=0, known_lower_bound=0.01, start_tree=start, warm_start=True)
    with pytest.warns(NotProvenWarning) as caught:
        model.fit(X, y)
    message = str(caught[0].message)
    assert "start_tree=start_tree" in message
    assert "known_lower_bound" not in message
    assert "warm_start" not in message
