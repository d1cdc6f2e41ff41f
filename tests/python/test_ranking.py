"""Trees that rank, as a user meets them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import auc, roc_auc_score, roc_curve
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, OSDTClassifier, ThresholdBinarizer, plot_roc
from hornbeam.datasets import load_monk
from hornbeam.plotting.roc import convex_hull
from oracles.ranking import optimal_cost

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]
FEW = ThresholdBinarizer(strategy="quantile", n_thresholds=2)


def test_the_loss_is_the_area_above_the_curve_of_the_shares_of_the_leaves():
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.25], len(Y))
    model = GOSDTClassifier(0.02, objective="auc", binarizer=FEW, trace=True).fit(X, Y, weights)
    assert model.status_ == "optimal"
    area = roc_auc_score(Y, model.predict_proba(X)[:, 1], sample_weight=weights)
    assert model.loss_ == pytest.approx(1 - area)
    assert model.objective_ == model.lower_bound_ == pytest.approx(1 - area + 0.02 * model.n_leaves_)
    assert model.trace_[-1].objective == model.objective_


@pytest.mark.parametrize("limits", [{}, {"max_depth": 1}, {"max_leaves": 2}, {"min_samples_leaf": 3}])
def test_the_objective_is_the_least_of_all_trees(limits):
    rng = np.random.default_rng(1)
    for _ in range(5):
        rows, y = rng.integers(0, 2, (9, 3)), np.append([0, 1], rng.integers(0, 2, 7))
        model = GOSDTClassifier(0.05, objective="auc", binarizer=None, **limits).fit(rows, y)
        pairs = 2 * int(y.sum()) * int(9 - y.sum())
        optimum = optimal_cost(rows.tolist(), y.tolist(), [1] * 9, 20, pairs, **limits)
        assert model.objective_ == pytest.approx(optimum / 20 / pairs)


@pytest.mark.parametrize("theta", [0.1, 0.35, 1.0])
def test_the_partial_loss_is_the_area_above_the_curve_and_what_lies_beyond_theta(theta):
    model = GOSDTClassifier(0.01, objective="partial_auc", theta=theta, binarizer=FEW).fit(X, Y)
    false, true, _ = roc_curve(Y, model.predict_proba(X)[:, 1], drop_intermediate=False)
    within = np.append(false[false < theta], theta)
    assert model.status_ == "optimal"
    assert model.loss_ == pytest.approx(1 - auc(within, np.interp(within, false, true)), abs=1e-6)
    if theta == 1:
        assert model.objective_ == GOSDTClassifier(0.01, objective="auc", binarizer=FEW).fit(X, Y).objective_


def test_it_ranks_no_worse_than_cart_of_as_many_leaves():
    data, y = load_monk(1, return_X_y=True)
    model = GOSDTClassifier(0.02, objective="auc").fit(data, y)
    binary = model.binarizer_.transform(data)
    cart = DecisionTreeClassifier(max_leaf_nodes=model.n_leaves_, random_state=0).fit(binary, y)
    ours, theirs = (
        roc_auc_score(y == model.classes_[1], one)
        for one in (model.predict_proba(data)[:, 1], cart.predict_proba(binary)[:, 1])
    )
    assert model.status_ == "optimal"
    assert ours >= theirs


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"class_weight": "balanced"}, "class_weight cannot be used with objective='auc'"),
        ({"reference": [0, 1]}, "reference cannot be used with objective='auc'"),
        ({"omega": 2.0}, "omega is used by objective='weighted' only"),
        ({"bounds": {"leaf_count": False}}, "bounds has the unknown key 'leaf_count'"),
        ({"theta": 0.5}, "theta is used by objective='partial_auc' only"),
        ({"objective": "partial_auc"}, "objective='partial_auc' needs theta, greater than 0 and at most 1, got None"),
        ({"objective": "partial_auc", "theta": 1.5}, "needs theta, greater than 0 and at most 1, got 1.5"),
        ({"regularization": 1.5}, "regularization=1.5 is more than the largest possible loss"),
    ],
)
def test_what_is_not_for_ranks_is_refused(parameters, said):
    with pytest.raises(ValueError, match=said):
        GOSDTClassifier(**{"objective": "auc", **parameters}).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"class_weight": "balanced"}, "class_weight cannot be used with objective='auc'"),
        ({"bounds": {"packing": False}}, "bounds has the unknown key 'packing'"),
        ({"theta": 0.5}, "theta is used by objective='partial_auc' only"),
        ({"objective": "partial_auc"}, "objective='partial_auc' needs theta, greater than 0 and at most 1, got None"),
        ({"objective": "f1"}, "objective"),
    ],
)
def test_what_sets_of_leaves_have_no_use_for_is_refused(parameters, said):
    with pytest.raises(ValueError, match=said):
        OSDTClassifier(**{"objective": "auc", **parameters}).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("Model", [GOSDTClassifier, OSDTClassifier])
def test_three_classes_are_refused(Model):
    with pytest.raises(ValueError, match="objective='auc' needs two classes"):
        Model(objective="auc").fit([[0], [1], [2]], [0, 1, 2])


def test_a_curve_is_drawn_with_its_hull_and_both_areas():
    y, scores = [0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.3, 0.9]
    axes = plot_roc(y, {"a": scores, "b": [0, 1, 0, 1, 1]})
    _, hull, curve = axes.lines[:3]
    assert curve.get_ydata()[-1] == hull.get_ydata()[-1] == 1
    assert len(hull.get_xdata()) < len(curve.get_xdata())
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == [
        f"a: area {roc_auc_score(y, scores):.4f}, of the hull 0.8333",
        "b: area 1.0000, of the hull 1.0000",
    ]
    own = plt.subplots()[1]
    assert plot_roc(y, scores, own, positive=0) is own
    plt.close("all")


def test_the_hull_has_no_point_below_a_line_between_two_of_the_curve():
    rng = np.random.default_rng(0)
    for _ in range(20):
        false, true = (np.append([0], np.sort(np.append(rng.random(8), 1))) for _ in range(2))
        xs, ys = convex_hull(false, true)
        assert np.all(np.interp(false, xs, ys) >= true - 1e-12)
        slopes = np.diff(ys) / np.diff(xs)
        assert np.all(np.diff(slopes) < 0)


def test_labels_that_are_not_two_classes_are_refused():
    with pytest.raises(ValueError, match="y must hold two classes"):
        plot_roc([1, 1], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"positive must be one of \[0, 1\], got 2"):
        plot_roc([0, 1], [0.5, 0.5], positive=2)
