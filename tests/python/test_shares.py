"""Shares of leaves as probabilities: smoothed by m-estimates, and with confidence intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from hornbeam import (
    GOSDTClassifier,
    GOSDTClassifierCV,
    LicketySPLITClassifier,
    SPLITClassifier,
    SPLITClassifierCV,
    plot_tree,
)

X = [[0]] * 40 + [[1]] * 10
Y = ["no"] * 36 + ["yes"] * 14  # the leaf of 1 is pure


@pytest.fixture
def tree():
    return GOSDTClassifier(regularization=0.05).fit(X, Y).tree_


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        (None, [[0.9, 0.1], [0.0, 1.0]]),
        (0, [[0.9, 0.1], [0.0, 1.0]]),
        ("laplace", [[37 / 42, 5 / 42], [1 / 12, 11 / 12]]),
        (5, [[(36 + 5 * 0.72) / 45, (4 + 5 * 0.28) / 45], [5 * 0.72 / 15, (10 + 5 * 0.28) / 15]]),
        (0.5, [[(36 + 0.36) / 40.5, (4 + 0.14) / 40.5], [0.36 / 10.5, (10 + 0.14) / 10.5]]),
    ],
)
def test_smoothing_adds_weight_to_the_classes_of_each_leaf(tree, smoothing, expected):
    assert tree.predict_proba([[0], [1]], smoothing=smoothing) == pytest.approx(np.array(expected))


@pytest.mark.parametrize(
    "make",
    [GOSDTClassifier, GOSDTClassifierCV, SPLITClassifier, SPLITClassifierCV, LicketySPLITClassifier],
    ids=lambda make: make.__name__,
)
def test_smoothing_changes_the_probabilities_and_nothing_else(make):
    rows = np.random.default_rng(0).integers(0, 2, (80, 4))
    labels = (rows[:, 0] & rows[:, 1]) ^ (np.arange(80) % 9 == 0)
    plain, smoothed = make(0.02).fit(rows, labels), make(0.02, smoothing="laplace").fit(rows, labels)
    assert plain.tree_ == smoothed.tree_
    assert (plain.predict(rows) == smoothed.predict(rows)).all()
    assert (smoothed.predict_proba(rows) == plain.tree_.predict_proba(rows, smoothing="laplace")).all()
    assert (smoothed.predict_proba(rows) != plain.predict_proba(rows)).any()
    assert smoothed.predict_proba(rows).sum(axis=1) == pytest.approx(1)
    assert np.isfinite(smoothed.predict_log_proba(rows)).all()


@pytest.mark.parametrize(
    ("smoothing", "error", "message"),
    [
        ("m", ValueError, "smoothing must be None, 'laplace' or a number, got 'm'"),
        (-1, ValueError, "smoothing must be at least 0 and finite, got -1"),
        (float("nan"), ValueError, "smoothing must be at least 0 and finite, got nan"),
        (float("inf"), ValueError, "smoothing must be at least 0 and finite, got inf"),
        (True, TypeError, "smoothing must be None, 'laplace' or a number, got True"),
        ([1], TypeError, r"smoothing must be None, 'laplace' or a number, got \[1\]"),
    ],
)
def test_a_wrong_smoothing_is_an_error(tree, smoothing, error, message):
    with pytest.raises(error, match=message):
        GOSDTClassifier(smoothing=smoothing).fit(X, Y)
    with pytest.raises(error, match=message):
        tree.predict_proba(X, smoothing=smoothing)


@pytest.mark.parametrize(("method", "name"), [("wilson", "wilson"), ("clopper-pearson", "exact")])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_intervals_are_those_of_scipy(tree, method, name, confidence):
    found = tree.share_intervals(confidence, method=method)
    assert found.shape == (3, 2, 2)
    for node, weights in enumerate(tree.class_weights.astype(int).tolist()):
        for of_class, hits in enumerate(weights):
            own = binomtest(hits, sum(weights)).proportion_ci(confidence, method=name)
            assert found[node, of_class].tolist() == pytest.approx([own.low, own.high], abs=1e-12)


def test_the_ends_of_intervals_are_exactly_0_and_1_where_a_class_is_absent_or_alone(tree):
    for method in ("wilson", "clopper-pearson"):
        low, high = tree.share_intervals(method=method)[tree.apply([[1]])[0]].T
        assert (low[0], high[1]) == (0.0, 1.0)
        assert 0 < high[0] < 0.5 < low[1] < 1


def test_text_and_rules_show_intervals_on_request(tree):
    assert tree.to_text(ascii=True, confidence=0.9) == (
        "x0 = 1?\n"
        "|-- yes: predict yes (100 % of 10 rows; 90 % interval 79 % to 100 %)\n"
        "`-- no: predict no (90 % of 40 rows; 90 % interval 80 % to 95 %)"
    )
    assert tree.to_rules(confidence=0.9)[1].endswith("(90 % of 40 training rows; 90 % interval 80 % to 95 %).")
    assert "interval" not in tree.to_text() + "".join(tree.to_rules())


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
def test_pictures_show_intervals_on_request(layout):
    classifier = GOSDTClassifier(regularization=0.05).fit(X, Y)
    shown = [text.get_text() for text in classifier.plot(layout=layout, confidence=0.9).texts]
    assert sum("80 % to 95 %" in text for text in shown) == 1
    assert not any(" % to " in text.get_text() for text in plot_tree(classifier, layout=layout).texts)


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 95, "0.95", None])
def test_a_confidence_that_is_no_probability_is_an_error(tree, confidence):
    with pytest.raises(ValueError, match="confidence must be greater than 0 and less than 1"):
        tree.share_intervals(confidence)


def test_an_unknown_method_is_an_error(tree):
    with pytest.raises(ValueError, match="method must be 'wilson' or 'clopper-pearson', got 'wald'"):
        tree.share_intervals(method="wald")
