"""Guessed thresholds that a model or a dict lists."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import KBinsDiscretizer

from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsOne

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :4]


class Machine(BaseEstimator):
    """Lists thresholds as an explainable boosting machine does, with scores that are given."""

    def __init__(self, bins=(), scores=(), importances=(), terms=None):
        self.bins = bins
        self.scores = scores
        self.importances = importances
        self.terms = terms

    def fit(self, X, y, sample_weight=None):
        self.n_features_in_ = np.shape(X)[1]
        self.bins_ = [[cuts if isinstance(cuts, dict) else np.array(cuts, dtype=float)] for cuts in self.bins]
        self.term_features_ = self.terms or [(column,) for column in range(len(self.bins))]
        self.term_scores_ = [np.array(scores, dtype=float) for scores in self.scores]
        return self

    def term_importances(self):
        return np.array(self.importances)


class Edges(BaseEstimator):
    """Lists edges as a discretizer does."""

    def __init__(self, edges=()):
        self.edges = edges

    def fit(self, X, y, sample_weight=None):
        self.n_features_in_ = np.shape(X)[1]
        self.seen_ = np.array(X)
        self.bin_edges_ = [np.array(edges, dtype=float) for edges in self.edges]
        return self


def kept(thresholds, X, y, **parameters):
    """Return the conditions before any is removed."""
    return list(ThresholdGuessBinarizer(thresholds=thresholds, eliminate=False, **parameters).fit(X, y).conditions_)


TABLE = np.array([[0, 10], [1, 20], [2, 30], [3, 40], [4, 50], [5, 60.0]])
LABELS = np.array([0, 0, 1, 1, 0, 1])


def test_a_threshold_of_a_machine_counts_if_the_score_jumps_there_by_more_than_its_column_is_unimportant():
    # The scores of missing and unknown values are first and last, and far away. The second column is half as important,
    # so its score must jump twice as far: by more than 0.2.
    bins = [[1.0, 3.0, 4.0], [20.0, 40.0]]
    scores = [[9, 0.0, 0.05, 0.16, 0.5, -9], [9, 0.0, 0.19, 0.4, -9]]
    machine = Machine(bins, scores, importances=[1.0, 0.5])
    # A value that is equal to a cut lies above it.
    assert kept(machine, TABLE, LABELS) == [AtMost(0, 2.5), AtMost(0, 3.5), AtMost(1, 35)]
    assert kept(machine, TABLE, LABELS, min_jump=0.2) == [AtMost(0, 3.5)]
    assert len(kept(machine, TABLE, LABELS, min_jump=0)) == 5


def test_a_machine_of_several_classes_counts_the_class_whose_score_jumps_most():
    scores = [[[9, 9, 9], [0, 0, 0], [0, 0.3, 0], [0, 0.3, 0.05], [9, 9, 9]], [[9] * 3, [0] * 3, [9] * 3]]
    machine = Machine([[2.0, 4.0], []], scores, importances=[1.0, 0.0])
    assert kept(machine, TABLE, LABELS) == [AtMost(0, 1.5)]


def test_pairs_and_categories_of_a_machine_do_not_count():
    machine = Machine(
        [[2.0], {"10": 1, "20": 2}],
        [[9, 0, 1, 9], [9, 0, 5, 9], np.zeros((4, 4))],
        [1.0, 1.0, 1.0],
        [(0,), (1,), (0, 1)],
    )
    assert kept(machine, TABLE, LABELS) == [AtMost(0, 1.5)]


def test_edges_are_thresholds_except_the_ends_and_one_is_kept_between_two_values():
    edges = Edges([[0, 1.2, 1.5, 3, 5], [10, 60]])
    assert kept(edges, TABLE, LABELS) == [AtMost(0, 1.5), AtMost(0, 2.5)]


def test_a_discretizer_of_scikit_learn_divides_the_rows_as_it_does_itself():
    bins = KBinsDiscretizer(6, encode="ordinal", strategy="quantile", quantile_method="linear")
    answers = ThresholdGuessBinarizer(thresholds=bins, eliminate=False).fit(X, Y).transform(X)
    theirs, ours = (np.unique(of, axis=0, return_inverse=True)[1] for of in (bins.fit_transform(X), answers))
    assert len(set(zip(theirs, ours, strict=True))) == theirs.max() + 1 == ours.max() + 1


def test_thresholds_of_a_dict_are_taken_as_they_are_and_then_removed_by_the_reference():
    given = {0: [12.345678, 15, 100], 1: [20.0]}
    assert kept(given, X, Y) == [AtMost(0, 12.345678), AtMost(0, 15.0), AtMost(0, 100.0), AtMost(1, 20.0)]
    binarizer = ThresholdGuessBinarizer(thresholds=given).fit(X, Y)
    assert binarizer.n_thresholds_ == 4
    assert AtMost(0, 15.0) in binarizer.conditions_
    assert AtMost(0, 100.0) not in binarizer.conditions_  # it does not divide the rows
    assert binarizer.scores_["conditions"] >= binarizer.scores_["thresholds"]


def test_flags_categories_and_missing_values_are_always_asked():
    frame = pd.DataFrame(
        {"flag": [0, 1, 0, 1], "number": [1.0, None, 3.0, 4.0], "color": ["red", "blue", "red", "green"], "one": 1}
    )
    colors = [IsIn(2, (color,)) for color in ("blue", "green", "red")]
    assert kept({"number": [2]}, frame, [0, 1, 0, 1]) == [IsOne(0), AtMost(1, 2.0), IsMissing(1), *colors]
    edges = Edges([[0, 1]] + [[0, 1, 3.5, 9]] + [[0, 1]] * 4)  # number, its missing values, and three colors
    assert kept(edges, frame, [0, 1, 0, 1]) == [IsOne(0), AtMost(1, 3.5), IsMissing(1), *colors]


def test_an_estimator_is_fitted_to_the_rows_of_each_fit_and_a_frozen_one_is_used_as_it_is():
    forest = RandomForestClassifier(3, max_depth=2, random_state=0)
    fitted = FrozenEstimator(RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, Y))
    first, other = (kept(forest, X[rows], Y[rows]) for rows in (slice(0, 300), slice(300, None)))
    assert first != other
    assert not hasattr(forest, "estimators_")
    assert kept(fitted, X, Y) == kept(forest, X, Y)
    # Rounded between other neighbors, the same thresholds.
    every, part = kept(fitted, X, Y), kept(fitted, X[:300], Y[:300])
    assert [one.column for one in every] == [one.column for one in part]
    assert np.allclose([one.threshold for one in every], [one.threshold for one in part], rtol=0.05)
    scores = cross_val_score(GOSDTClassifier(0.01, 2, binarizer=ThresholdGuessBinarizer(thresholds=fitted)), X, Y, cv=3)
    assert scores.min() > 0.8


def test_columns_of_a_frozen_estimator_are_found_by_name():
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    fitted = FrozenEstimator(GradientBoostingClassifier(n_estimators=3, max_depth=1).fit(frame[["d", "a"]], Y))
    assert {condition.column for condition in kept(fitted, frame, Y)} <= {0, 3}
    with pytest.raises(ValueError, match="'d', which X does not have"):
        kept(fitted, frame[["a", "b"]], Y)
    with pytest.raises(ValueError, match="fitted to 2 columns, but X has 4"):
        kept(fitted, X, Y)


def test_weights_reach_the_estimator_only_if_they_differ():
    bins = KBinsDiscretizer(3, strategy="uniform")  # does not accept weights
    ones = ThresholdGuessBinarizer(thresholds=bins).fit(X, Y, sample_weight=np.ones(len(Y)))
    assert list(ones.conditions_) == list(ThresholdGuessBinarizer(thresholds=bins).fit(X, Y).conditions_)


def test_two_columns_stay_of_two_or_more_as_in_the_authors_program():
    y = (TABLE[:, 0] > 2).astype(int)
    every = {0: [0.5, 1.5, 2.5, 3.5, 4.5]}
    binarizer = ThresholdGuessBinarizer(thresholds=every).fit(TABLE, y)
    # One threshold is enough; of the others, the last one stays. Unused ones go in their order.
    assert list(binarizer.conditions_) == [AtMost(0, 2.5), AtMost(0, 4.5)]
    assert binarizer.scores_["conditions"] == 1
    assert len(ThresholdGuessBinarizer(thresholds={0: [2.5]}).fit(TABLE, y).conditions_) == 1


def test_a_reference_that_predicts_one_class_keeps_two_columns_too():
    draw = np.random.default_rng(0)
    table, y = draw.normal(size=(60, 3)), (draw.random(60) < 0.1).astype(int)
    stumps = GradientBoostingClassifier(n_estimators=5, learning_rate=0.01, max_depth=1, random_state=0)
    binarizer = ThresholdGuessBinarizer(stumps).fit(table, y)
    assert set(binarizer.reference_.predict(binarizer.transform(table))) == {0}
    assert len(binarizer.conditions_) == 2 < binarizer.n_thresholds_ or binarizer.n_thresholds_ <= 2


class Scored(Edges):
    """Can be scored, but does not say how important its columns are."""

    def score(self, X, y, sample_weight=None):
        return 1.0


def test_a_reference_without_importances_says_what_to_do():
    reference = Scored([[0, 1, 3, 5], [10, 25, 60]])
    with pytest.raises(TypeError, match="feature_importances_ after fit, got Scored; set eliminate=False"):
        ThresholdGuessBinarizer(reference).fit(TABLE, LABELS)
    assert len(ThresholdGuessBinarizer(reference, eliminate=False).fit(TABLE, LABELS).conditions_) == 3


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"thresholds": "forest"}, TypeError, "thresholds must be None, a dict or an unfitted estimator, got 'forest'"),
        ({"thresholds": RandomForestClassifier}, TypeError, "thresholds must be"),
        (
            {"thresholds": LogisticRegression(max_iter=5000)},
            TypeError,
            "thresholds must be an ensemble.*got LogisticRegression",
        ),
        ({"reference": KBinsDiscretizer()}, TypeError, "reference must be None or an unfitted ensemble, got KBins"),
        ({"thresholds": {7: [1]}}, ValueError, "unknown column 7"),
        ({"thresholds": {0: ["a"]}}, ValueError, "sequence of finite numbers"),
        ({"thresholds": {}}, ValueError, "thresholds has no threshold"),
        ({"min_jump": -1}, ValueError, "min_jump must be at least 0"),
        ({"min_jump": "0"}, TypeError, "min_jump must be a number"),
        ({"keep_accuracy": 1}, TypeError, "keep_accuracy must be True or False"),
    ],
)
def test_wrong_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        ThresholdGuessBinarizer(**parameters).fit(X, Y)


def test_thresholds_of_an_explainable_boosting_machine():
    glassbox = pytest.importorskip("interpret.glassbox")
    machine = glassbox.ExplainableBoostingClassifier(
        interactions=2, outer_bags=2, max_rounds=60, max_bins=16, n_jobs=1, random_state=0
    )
    some, more = (kept(machine, X, Y, min_jump=jump) for jump in (0.2, 0.05))
    assert 0 < len(some) < len(more)
    assert set(some) <= set(more)
    frozen = FrozenEstimator(machine.fit(X, Y))
    assert kept(frozen, X, Y, min_jump=0.05) == more
    classifier = GOSDTClassifier(0.01, 3, binarizer=ThresholdGuessBinarizer(thresholds=frozen)).fit(X, Y)
    assert classifier.status_ == "optimal"
    assert classifier.score(X, Y) > 0.88


def test_an_explainable_boosting_machine_of_three_classes_can_be_the_reference():
    glassbox = pytest.importorskip("interpret.glassbox")
    table, labels = load_iris(return_X_y=True)
    machine = glassbox.ExplainableBoostingClassifier(
        interactions=0, outer_bags=1, max_rounds=200, max_bins=8, n_jobs=1, random_state=0
    )
    binarizer = ThresholdGuessBinarizer(machine).fit(table, labels)
    assert 2 <= len(binarizer.conditions_) < binarizer.n_thresholds_
    assert binarizer.reference_.score(binarizer.transform(table), labels) == binarizer.scores_["conditions"] > 0.9
