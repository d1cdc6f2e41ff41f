"""A fit that starts from a tree of any origin: never worse than that tree, and with the same optimum."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    NotProvenWarning,
    ThresholdBinarizer,
)
from hornbeam.binarizers import Conditions, Place, Thresholds, places_of
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsTrue
from hornbeam.fitting import search as choice
from hornbeam.fitting import start_tree as preparing
from hornbeam.table import read_table

LIMITS = [
    {},
    {"max_depth": 2},
    {"max_leaves": 3},
    {"min_samples_leaf": 5},
    {"shape": "rule_list"},
    {"shape": "rule_list", "max_leaves": 3},
    {"max_depth": 3, "max_leaves": 4, "min_samples_leaf": 3, "objective": "balanced"},
]


def table(seed, n_rows=60):
    """Return numbers with ties and missing values, a flag, and noisy labels of three classes."""
    draw = np.random.default_rng(seed)
    X = np.column_stack(
        [
            draw.normal(size=n_rows).round(1),
            draw.integers(0, 5, n_rows),
            draw.integers(0, 2, n_rows),
        ]
    ).astype(float)
    X[draw.random(n_rows) < 0.1, 0] = np.nan
    y = (np.nan_to_num(X[:, 0]) + X[:, 1] / 5 > draw.normal(size=n_rows) / 3).astype(int) + (draw.random(n_rows) < 0.1)
    return X, y


def objective_of(labels, n_leaves, y, regularization):
    return np.mean(labels != y) + regularization * n_leaves


@pytest.fixture(params=[True, False], ids=["by order", "by bits"])
def way(request, monkeypatch):
    """Let every fit run one of the two searches."""
    monkeypatch.setattr(
        choice, "suits_ordered_search", lambda _, __, options, **___: request.param and not options.rule_list
    )
    return request.param


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_does_not_depend_on_the_start_tree(way, seed, limits):
    X, y = table(seed)
    other_X, other_y = table(seed + 100)
    model = GOSDTClassifier(0.015, **limits).fit(X, y)
    for start in (
        DecisionTreeClassifier(random_state=0).fit(X, y),
        ExtraTreeClassifier(max_depth=4, random_state=seed).fit(np.nan_to_num(X), y),
        DecisionTreeClassifier(random_state=0).fit(other_X, other_y),
        GOSDTClassifier(0.001, max_depth=4).fit(other_X, other_y),
        model,
    ):
        started = GOSDTClassifier(0.015, start_tree=start, **limits).fit(X, y)
        assert started.status_ == "optimal"
        assert started.objective_ == model.objective_


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
@pytest.mark.parametrize("limits", [{"time_limit": 0}, {"memory_limit": 0}], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_a_fit_without_time_or_memory_returns_the_start_tree(way, seed, limits):
    X, y = table(seed)
    X = np.nan_to_num(X)
    start = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y)
    stopped = GOSDTClassifier(0.005, **limits)
    alone = clone(stopped).fit(X, y)
    started = stopped.set_params(start_tree=start).fit(X, y)
    assert started.status_ == alone.status_ == next(iter(limits))
    known = objective_of(start.predict(X), start.get_n_leaves(), y, 0.005)
    assert started.objective_ <= known + 1e-12
    assert started.objective_ == pytest.approx(objective_of(started.predict(X), started.n_leaves_, y, 0.005))
    assert alone.objective_ > known
    assert started.lower_bound_ == alone.lower_bound_


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_the_start_tree_is_pruned_for_the_leaf_penalty_and_the_limits():
    X, y = table(0, n_rows=200)
    start = DecisionTreeClassifier(random_state=0).fit(X, y)
    for limits in LIMITS:
        model = GOSDTClassifier(0.01, time_limit=0, start_tree=start, **limits).fit(X, y)
        assert model.objective_ < GOSDTClassifier(0.01, time_limit=0, **limits).fit(X, y).objective_
        assert model.n_leaves_ <= limits.get("max_leaves", np.inf)
        assert model.depth_ <= limits.get("max_depth", np.inf)
        assert model.tree_.n_samples.min() >= limits.get("min_samples_leaf", 1)
    assert GOSDTClassifier(0.4, time_limit=0, start_tree=start).fit(X, y).n_leaves_ == 1


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_a_large_start_tree_is_cut_where_the_time_is_up(monkeypatch):
    X, y = table(0, n_rows=200)
    cart = DecisionTreeClassifier(random_state=0).fit(X, y)
    whole = GOSDTClassifier(1e-4, time_limit=0, start_tree=cart).fit(X, y)
    monkeypatch.setattr(preparing, "_NODES_AT_ONCE", 5)
    cut = GOSDTClassifier(1e-4, time_limit=0, start_tree=cart).fit(X, y)
    assert 1 < cut.n_leaves_ < whole.n_leaves_
    assert cut.objective_ > whole.objective_
    assert GOSDTClassifier(1e-4, max_depth=2, start_tree=cart).fit(X, y).status_ == "optimal"


def test_every_origin_of_a_tree_is_read():
    X, y = table(1)
    model = GOSDTClassifier(0.02).fit(X, y)
    tree = model.tree_
    cart = DecisionTreeClassifier(max_depth=2).fit(X, y)
    origins = [model, tree, tree.to_json(), tree.to_json().encode(), json.loads(tree.to_json())]
    origins += [LicketySPLITClassifier(0.02, max_depth=3).fit(X, y), cart, FrozenEstimator(cart)]
    for origin in origins:
        with pytest.warns(NotProvenWarning):
            started = GOSDTClassifier(0.02, time_limit=0, start_tree=origin).fit(X, y)
        assert started.n_leaves_ > 1
        if origin is not cart and not isinstance(origin, (FrozenEstimator, LicketySPLITClassifier)):
            assert started.tree_.to_text() == tree.to_text()


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_missing_values_that_scikit_learn_sends_to_the_left_stay_there():
    X = np.array([[np.nan]] * 6 + [[value] for value in range(14)])
    y = np.array([1] * 6 + [1] * 7 + [0] * 7)
    start = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert start.tree_.missing_go_to_left[0]
    assert start.score(X, y) == 1
    model = GOSDTClassifier(0.01, time_limit=0, start_tree=start).fit(X, y)
    assert model.loss_ == 0


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
@pytest.mark.parametrize("time_limit", [0, None])
def test_conditions_that_the_binarizer_lacks_are_added(way, time_limit):
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({"a": draw.normal(size=300), "c": draw.choice(list("uvwxyz"), 300)})
    y = ((frame["a"] > 1.234) | frame["c"].isin(["u", "v", "w"])).astype(int)
    binarizer = ThresholdBinarizer(strategy="quantile", n_thresholds=2)
    start = GOSDTClassifier(0.001, max_depth=2).fit(frame[["a"]], y)
    coarse = GOSDTClassifier(0.001, max_depth=2, binarizer=binarizer, time_limit=time_limit)
    alone = clone(coarse).fit(frame, y)
    started = coarse.set_params(start_tree=start).fit(frame, y)
    assert len(started.binarizer_.conditions_) > len(alone.binarizer_.conditions_)
    assert set(alone.binarizer_.conditions_) <= set(started.binarizer_.conditions_)
    thresholds = [one.threshold for one in started.binarizer_.conditions_ if hasattr(one, "threshold")]
    assert thresholds == sorted(thresholds)
    assert started.objective_ <= min(start.objective_, alone.objective_)
    assert started.statistics_["n_binary_columns"] == len(started.binarizer_.conditions_)


def test_conditions_that_separate_the_rows_alike_are_not_added():
    X, y = table(2)
    X = np.nan_to_num(X)
    for start in (DecisionTreeClassifier(random_state=0), ExtraTreeClassifier(random_state=1)):
        alone = GOSDTClassifier(0.01).fit(X, y)
        started = GOSDTClassifier(0.01, start_tree=start.fit(X, y)).fit(X, y)
        assert started.binarizer_.conditions_ == alone.binarizer_.conditions_


def test_columns_are_found_by_name_in_any_order():
    X, y = table(3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    start = GOSDTClassifier(0.01).fit(frame, y)
    shuffled = frame.assign(more=1.0)[["c", "more", "b", "a"]]
    with pytest.warns(NotProvenWarning):
        started = GOSDTClassifier(0.01, time_limit=0, start_tree=start).fit(shuffled, y)
    assert started.objective_ == start.objective_


def test_trees_on_other_columns_are_refused():
    X, y = table(3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    start = GOSDTClassifier(0.01).fit(frame, y)
    with pytest.raises(ValueError, match=r"start_tree tests columns that X does not have: '[ab]'"):
        GOSDTClassifier(start_tree=start).fit(frame[["c"]], y)
    with pytest.raises(ValueError, match="start_tree is a tree on 3 columns, but X has 2"):
        GOSDTClassifier(start_tree=start).fit(X[:, :2], y)
    words = frame.replace({"a": {number: f"word {number}" for number in frame["a"]}, "b": dict(enumerate("uvwxy"))})
    with pytest.raises(ValueError, match=r"start_tree tests column '[ab]' as a number, but in X it is a category"):
        GOSDTClassifier(start_tree=start).fit(words, y)


@pytest.mark.parametrize("start", [3, [1, 2], np.zeros(3)], ids=str)
def test_what_is_no_tree_is_refused(start):
    with pytest.raises(TypeError, match="start_tree must be a Tree, a fitted tree estimator"):
        GOSDTClassifier(start_tree=start).fit(*table(0))


def test_unfitted_estimators_and_damaged_json_are_refused():
    X, y = table(0)
    with pytest.raises(ValueError, match=r"start_tree must be fitted, got DecisionTreeClassifier\(\)"):
        GOSDTClassifier(start_tree=DecisionTreeClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="not valid JSON"):
        GOSDTClassifier(start_tree="{").fit(X, y)
    with pytest.raises(ValueError, match="not a tree of hornbeam"):
        GOSDTClassifier(start_tree={"format": "other"}).fit(X, y)


@pytest.mark.parametrize("objective", ["f1", "auc"])
def test_objectives_that_are_not_additive_refuse_a_start_tree(objective):
    X, y = table(0)
    start = DecisionTreeClassifier(max_depth=2).fit(X, y > 0)
    with pytest.raises(ValueError, match=f"start_tree needs .* a sum over the rows, but objective='{objective}'"):
        GOSDTClassifier(objective=objective, start_tree=start).fit(X, y > 0)


def test_a_tree_survives_clones_and_cross_validation():
    X, y = table(4, n_rows=120)
    start = GOSDTClassifier(0.02).fit(X, y).tree_
    model = GOSDTClassifier(0.02, start_tree=start)
    assert clone(model).fit(X, y).objective_ == model.fit(X, y).objective_
    assert cross_val_score(model, X, y, cv=3).min() > 0.3


def test_rows_of_weight_zero_do_not_count_in_the_start_tree():
    X, y = table(5)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    start = DecisionTreeClassifier(random_state=0).fit(X, y)
    model = GOSDTClassifier(0.02).fit(X, y, weights)
    assert GOSDTClassifier(0.02, start_tree=start).fit(X, y, weights).objective_ == model.objective_


def test_a_frontier_ignores_the_start_tree():
    X, y = table(0)
    start = DecisionTreeClassifier(max_depth=2).fit(X, y)
    found = [GOSDTClassifier(0.02, start_tree=one).frontier(X, y) for one in (None, start)]
    assert found[0].losses.tolist() == found[1].losses.tolist()


def test_guesses_of_a_reference_do_not_lose_the_start_tree():
    X, y = table(6)
    start = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    for seed in range(5):
        reference = np.random.default_rng(seed).permutation(y)
        model = GOSDTClassifier(0.01, reference=reference, start_tree=start).fit(X, y)
        assert model.objective_ <= objective_of(start.predict(X), start.get_n_leaves(), y, 0.01) + 1e-12


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_a_warm_start_goes_on_from_the_tree_of_the_last_fit(way):
    X, y = table(7)
    model = GOSDTClassifier(0.01, warm_start=True).fit(X, y)
    assert model.objective_ == GOSDTClassifier(0.01).fit(X, y).objective_
    best = model.objective_
    assert model.set_params(time_limit=0).fit(X, y).objective_ == best
    assert model.set_params(warm_start=False).fit(X, y).objective_ > best


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_a_path_of_warm_starts_has_the_optima_of_single_fits(way):
    X, y = table(8)
    model = GOSDTClassifier(warm_start=True)
    for penalty, depth in itertools.product((0.1, 0.03, 0.01, 0.02, 0.05), (2, 4, 3)):
        model.set_params(regularization=penalty, max_depth=depth).fit(X, y)
        assert model.objective_ == GOSDTClassifier(penalty, max_depth=depth).fit(X, y).objective_


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_the_better_of_start_tree_and_last_fit_counts():
    X, y = table(9)
    X = np.nan_to_num(X)
    good, bad = GOSDTClassifier(0.01).fit(X, y), DecisionTreeClassifier(max_depth=1).fit(X, y)
    for last, start in ((good, bad), (bad, good.tree_)):
        model = GOSDTClassifier(0.01, time_limit=0, warm_start=True, start_tree=last).fit(X, y)
        assert model.set_params(start_tree=start).fit(X, y).objective_ == good.objective_


def test_a_warm_start_on_other_columns_is_refused():
    X, y = table(0)
    model = GOSDTClassifier(0.02, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="warm_start=True: the tree of the last fit is a tree on 3 columns, but X"):
        model.fit(X[:, :2], y)
    with pytest.raises(TypeError, match="warm_start must be True or False, got 1"):
        GOSDTClassifier(warm_start=1).fit(X, y)
    with pytest.raises(ValueError, match="warm_start needs an objective that is a sum over the rows"):
        GOSDTClassifier(warm_start=True, objective="f1").fit(X, y > 0)


@pytest.mark.filterwarnings("ignore::hornbeam.NotProvenWarning")
def test_a_warm_start_on_other_rows_and_labels_is_allowed():
    model = GOSDTClassifier(0.02, warm_start=True).fit(*table(0))
    X, y = table(1, n_rows=90)
    labels = np.array(["a", "b", "c"])[y]
    assert model.fit(X, labels).objective_ == GOSDTClassifier(0.02).fit(X, labels).objective_


def test_conditions_are_found_by_the_rows_that_they_separate():
    frame = pd.DataFrame({"a": [1.0, 2.0, np.nan, 4.0], "c": ["u", "v", "v", None], "b": [True, False, True, True]})
    among = Conditions(
        [Thresholds(0, [1.5, 3.0]), AtMost(2, 0.5), IsMissing(0), IsIn(1, ("u",)), IsMissing(1), IsIn(1, ("u", "v"))]
    )
    wanted = [
        (AtMost(0, 2.0), Place(1, is_opposite=False)),
        (AtMost(0, 1.0), Place(0, is_opposite=False)),
        (AtMost(0, 4.0), Place(3, is_opposite=True)),  # all that are not missing
        (IsTrue(2), Place(2, is_opposite=True)),
        (IsIn(1, ("v", "other")), None),
        (IsIn(1, ("v", "u")), Place(5, is_opposite=True)),  # the first that does: "is missing"
    ]
    table = read_table(frame)
    assert places_of([one for one, _ in wanted], among, table) == [place for _, place in wanted]
    assert list(among.adding([AtMost(0, 2.5), AtMost(2, 0.25), IsIn(1, ("v",))])) == [
        *(AtMost(0, threshold) for threshold in (1.5, 2.5, 3.0)),
        AtMost(2, 0.25),
        AtMost(2, 0.5),
        *list(among)[3:],
        IsIn(1, ("v",)),
    ]
