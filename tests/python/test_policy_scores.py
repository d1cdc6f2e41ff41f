"""Scores of actions against their formulas, and the value of a policy against means by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold

from hornbeam import PolicyTree, policy_scores, policy_value

FOLDS = KFold(3)


def experiment(n_rows: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three actions, of which "b" is better where the first column is positive."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n_rows, 2))
    action = draw.choice(np.array(["a", "b", "c"]), n_rows, p=[0.5, 0.3, 0.2])
    outcome = 1 + X[:, 1] + np.where(action == "b", 2 * X[:, 0], 0) + draw.normal(size=n_rows)
    return X, action, outcome


def test_the_default_models_read_text_and_missing_values():
    X, action, outcome = experiment()
    side = np.where(X[:, 0] > 0, "right", "left").astype(object)
    words = pd.DataFrame({"side": side, "x": X[:, 1], "name": np.arange(len(X)).astype(str)})
    words.loc[[0, 5], "side"] = None
    words.loc[[1, 5], "x"] = np.nan
    scores = policy_scores(words, action, outcome, cv=FOLDS)
    number_of = {name: place for place, name in enumerate(sorted(words["name"]))}
    numbers = words.assign(side=words["side"].map({"left": 0, "right": 1}), name=words["name"].map(number_of))
    models = [
        boosted(categorical_features=[True, False, True])
        for boosted in (HistGradientBoostingClassifier, HistGradientBoostingRegressor)
    ]
    same = policy_scores(numbers, action, outcome, cv=FOLDS, action_model=models[0], outcome_model=models[1])
    np.testing.assert_array_equal(scores.rewards, same.rewards)
    tree = PolicyTree(max_depth=1).fit(words[["side"]], scores.rewards).tree_
    assert tree.predict(pd.DataFrame({"side": ["right"]})).tolist() == ["b"]


def by_hand(X, action, outcome, propensities=None, least=0.01):
    """Fit the models of each fold on the others, one action after the other; return outcomes and probabilities."""
    predicted, chances = np.empty((len(X), 3)), np.empty((len(X), 3))
    for train, test in FOLDS.split(X):
        for place, name in enumerate("abc"):
            rows = train[action[train] == name]
            predicted[test, place] = LinearRegression().fit(X[rows], outcome[rows]).predict(X[test])
        chances[test] = LogisticRegression().fit(X[train], action[train]).predict_proba(X[test])
    return predicted, chances if propensities is None else np.tile(propensities, (len(X), 1))


@pytest.mark.parametrize("propensities", [None, [0.5, 0.3, 0.2]])
def test_the_scores_follow_their_formulas(propensities):
    X, action, outcome = experiment()
    predicted, chances = by_hand(X, action, outcome, propensities)
    arguments = {
        "outcome_model": LinearRegression(),
        "action_model": LogisticRegression(),
        "cv": FOLDS,
        "propensities": propensities,
        "least_propensity": 0.25,
    }
    found = {
        method: policy_scores(X, action, outcome, method=method, **arguments)
        for method in ("direct", "inverse_propensity", "doubly_robust")
    }
    assert found["direct"].rewards == pytest.approx(predicted)
    for row, name in enumerate(action):
        for place, other in enumerate("abc"):
            share = max(chances[row, place], 0.25)
            is_own = name == other
            assert found["inverse_propensity"].rewards[row, place] == pytest.approx(is_own * outcome[row] / share)
            error = is_own * (outcome[row] - predicted[row, place]) / share
            assert found["doubly_robust"].rewards[row, place] == pytest.approx(predicted[row, place] + error)
    own = chances[np.arange(len(action)), np.searchsorted(list("abc"), action)]
    assert found["doubly_robust"].n_limited == (own < 0.25).sum() > 0
    assert "propensities limited" in repr(found["doubly_robust"])
    assert found["direct"].propensities is None
    assert found["inverse_propensity"].outcomes is None


def test_the_models_never_score_rows_that_they_have_seen():
    class Recorder(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            self.seen_ = set(X[:, 0].tolist())
            return self

        def predict(self, X):
            assert not self.seen_ & set(X[:, 0].tolist())
            return np.zeros(len(X))

    X, action, outcome = experiment()
    policy_scores(X, action, outcome, method="direct", outcome_model=Recorder())


def test_scores_keep_the_kind_of_the_table_and_lead_to_the_best_policy():
    X, action, outcome = experiment(2000)
    for frame in (pd.DataFrame(X, columns=["u", "v"], index=np.arange(len(X)) + 5), pl.DataFrame(X, schema=["u", "v"])):
        scores = policy_scores(frame, action, outcome, outcome_model=LinearRegression(), propensities=[0.5, 0.3, 0.2])
        assert type(scores.rewards) is type(frame)
        assert list(scores.rewards.columns) == ["a", "b", "c"]
        policy = PolicyTree(0.2, 1).fit(frame, scores.rewards)
        chosen = policy.predict(frame)
        assert (chosen[X[:, 0] > 0.3] == "b").all()
        assert (chosen[X[:, 0] < -0.3] != "b").all()


def test_outcomes_of_zero_and_one_take_a_classifier():
    X, action, outcome = experiment()
    scores = policy_scores(X, action, outcome > 1, outcome_model=LogisticRegression(), method="direct")
    assert ((scores.rewards > 0) & (scores.rewards < 1)).all()
    constant = policy_scores(X, action, np.ones(len(X)), outcome_model=LogisticRegression(), method="direct")
    assert (constant.rewards == 1).all()


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"method": "magic"}, ValueError, "method must be"),
        ({"least_propensity": 0}, ValueError, "least_propensity must be greater than 0"),
        ({"outcome": [1.0, np.nan] * 120}, ValueError, "outcome is missing or infinite in 120 rows, first row 1"),
        ({"outcome": ["much"] * 240}, TypeError, "outcome must hold numbers"),
        ({"outcome": [1.0]}, ValueError, "outcome 1; expected the same number"),
        ({"action": ["a"] * 240}, ValueError, "only 'a'"),
        ({"action": ["a"] * 238 + ["b"] * 2}, ValueError, "Action 'b' has 2 rows, too few for cv=5"),
        ({"cv": 1}, ValueError, "cv must be at least 2"),
        ({"cv": [(np.arange(200), np.arange(200, 240))]}, ValueError, "holds row 0 out 0 times"),
        ({"propensities": [0.5, 0.5]}, ValueError, r"propensities must have shape \(240, 3\) or \(3,\)"),
        ({"propensities": [0.5, 0.5, 0.5]}, ValueError, "sum to 1"),
        ({"action_model": LinearRegression()}, TypeError, "action_model must be a classifier"),
        ({"outcome_model": LogisticRegression()}, ValueError, "outcome_model is a classifier"),
    ],
)
def test_what_cannot_be_scored_is_refused(changes, error, message):
    X, action, outcome = experiment()
    with pytest.raises(error, match=message):
        policy_scores(**{"X": X, "action": action, "outcome": outcome} | changes)


def test_an_action_that_a_fold_lacks_is_named():
    X, action, outcome = experiment()
    order = np.argsort(action)
    with pytest.raises(ValueError, match="training rows of fold 1 lack the action 'b'"):
        policy_scores(X[order], action[order], outcome[order], cv=KFold(2))


def test_the_value_of_a_policy_is_a_mean_with_its_standard_error():
    draw = np.random.default_rng(0)
    rewards, weights = draw.normal(size=(50, 3)), draw.integers(0, 3, 50)
    actions = draw.integers(0, 3, 50)
    plain = policy_value(actions, None, rewards, single_action=1)
    own = rewards[np.arange(50), actions]
    assert plain.value == pytest.approx(own.mean())
    assert plain.standard_error == pytest.approx(own.std(ddof=1) / np.sqrt(50))
    assert plain.advantage == pytest.approx((own - rewards[:, 1]).mean())
    assert plain.advantage_standard_error == pytest.approx((own - rewards[:, 1]).std(ddof=1) / np.sqrt(50))
    assert plain.action_values == pytest.approx(rewards.mean(axis=0))
    assert plain.action_standard_errors == pytest.approx(rewards.std(axis=0, ddof=1) / np.sqrt(50))
    weighted = policy_value(actions, None, rewards, weights)
    assert weighted.value == pytest.approx(np.average(own, weights=weights))
    assert weighted.n_rows == (weights > 0).sum()
    assert weighted.single_action == np.average(rewards, axis=0, weights=weights).argmax()
    assert policy_value(actions, None, rewards, costs=[1, 1, 1]).value == pytest.approx(own.mean() - 1)
    assert str(plain).splitlines()[0] == "Mean reward of 50 rows, with standard error"


def test_the_value_of_a_tree_compares_it_with_the_single_action_of_its_training_rows():
    X, rewards = [[0], [1], [2], [3]], np.array([[1.0, 0], [1, 0], [0, 2], [0, 2]])
    policy = PolicyTree(0, costs=[0, 0.5]).fit(X, rewards)
    found = policy_value(policy, X, rewards)
    assert (found.value, found.single_action) == (1.25, policy.single_action_)
    assert found.action_values.tolist() == [0.5, 0.5]
    assert found.advantage == 0.75


@pytest.mark.parametrize(
    ("policy", "y", "message"),
    [
        ([0, 1], [[1, 2]] * 3, "one action for each of the 3 rows"),
        ([0, 1, 5], [[1, 2]] * 3, "chooses 5, which is not an action of y"),
        ([0, 1, 0], [[1, 2], [3, None], [1, 1]], "missing in 1 row"),
    ],
)
def test_a_policy_without_value_is_refused(policy, y, message):
    with pytest.raises(ValueError, match=message):
        policy_value(policy, None, y)
