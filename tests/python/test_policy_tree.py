"""`PolicyTree`: what it reads, what it refuses, and what it leaves behind."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_predict

from hornbeam import ActionTree, NotProvenWarning, PolicyTree, PolicyTreeCV, Tree, plot_cv, plot_frontier
from hornbeam.export import FORMATS, from_json

AGES = pd.DataFrame({"age": [20.0, 30, 50, 60], "city": ["a", None, "b", "a"]})
REWARDS = pd.DataFrame({"call": [3, 2, 0, 1], "letter": [1, 1, 2, 2]})


def noisy(n_rows: int = 300, n_actions: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose first action is good where the first column is large."""
    draw = np.random.default_rng(seed)
    X, rewards = draw.normal(size=(n_rows, 3)).round(2), draw.normal(size=(n_rows, n_actions))
    rewards[:, 0] += 2 * X[:, 0]
    return X, rewards


def test_the_values_are_means_of_the_rewards():
    policy = PolicyTree(0.1).fit(AGES, REWARDS, [1, 2, 1, 1])
    assert policy.predict(AGES).tolist() == ["call", "call", "letter", "letter"]
    assert policy.value_ == pytest.approx((3 + 2 * 2 + 2 + 2) / 5)
    assert (policy.single_action_, policy.single_action_value_) == ("call", pytest.approx(8 / 5))
    assert policy.loss_ == 0
    assert policy.objective_ == pytest.approx(0.2)
    assert policy.tree_.mean_rewards[1].tolist() == pytest.approx([7 / 3, 1])
    assert policy.predict_rewards(AGES)[0].tolist() == pytest.approx([7 / 3, 1])
    assert policy.feature_importances_.tolist() == [1, 0]
    assert policy.score(AGES, REWARDS, [1, 2, 1, 1]) == pytest.approx(policy.value_)
    assert policy.actions_.tolist() == ["call", "letter"]


@pytest.mark.parametrize("make", [pl.from_pandas, pd.DataFrame.to_numpy, lambda frame: frame.to_numpy().tolist()])
def test_rewards_of_any_kind_give_the_same_tree(make):
    X, rewards = noisy()
    frame = pd.DataFrame(rewards, columns=["a", "b", "c"])
    policy, other = (PolicyTree(0.05, 2).fit(X, given) for given in (frame, make(frame)))
    assert policy.tree_.conditions == other.tree_.conditions
    assert policy.tree_.prediction.tolist() == other.tree_.prediction.tolist()
    assert (policy.objective_, policy.value_) == (other.objective_, other.value_)


def test_costs_are_subtracted_as_decimals():
    X, rewards = [[0], [1]], [[0.3, 0.0], [0.2, 0.1]]
    policy = PolicyTree(0).fit(X, rewards)
    dear = PolicyTree(0, costs=[0.1, 0]).fit(X, rewards)
    assert (policy.value_, policy.loss_) == (0.25, 0)
    assert dear.tree_.mean_rewards[0].tolist() == [pytest.approx(0.15), 0.05]
    assert dear.value_ == pytest.approx(0.15)
    named = PolicyTree(0, costs={"b": 5}).fit(X, pd.DataFrame(rewards, columns=["a", "b"]))
    assert named.predict(X).tolist() == ["a", "a"]
    assert dear.score(X, rewards) == pytest.approx(0.15)


def test_one_column_is_compared_with_doing_nothing():
    X, gain = [[0], [1], [2], [3]], [-1.0, -2.0, 1.0, 3.0]
    for given in (gain, np.array(gain)[:, np.newaxis], pd.Series(gain, name="gain")):
        policy = PolicyTree(0.1).fit(X, given)
        assert policy.actions_.tolist() == [0, 1]
        assert policy.predict(X).tolist() == [0, 0, 1, 1]
        assert policy.value_ == 1
    assert PolicyTree(0.1).fit(X, pd.DataFrame({"call": gain})).actions_.tolist() == ["do nothing", "call"]


def test_equal_rewards_give_a_single_leaf():
    for rewards in ([[1.0, 1.0]] * 3, [[0.0, 0.0]] * 3, [[1e-9, 1e-9]] * 3, [[1e9, 1e9]] * 3):
        for penalty in (0, 0.5, "auto", 1e300):
            policy = PolicyTree(penalty).fit([[0], [1], [2]], rewards)
            assert (policy.n_leaves_, policy.status_, policy.loss_, policy.gap_) == (1, "optimal", 0, 0)
            assert policy.value_ == rewards[0][0]
            assert policy.regularization_ == pytest.approx(0 if penalty == "auto" else penalty)


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1.0, 1e9, 1e300])
def test_the_size_of_rewards_does_not_matter(size):
    X, rewards = noisy(80)
    one, scaled = PolicyTree(0.05, 2).fit(X, rewards), PolicyTree(0.05 * size, 2).fit(X, rewards * size)
    assert one.tree_.conditions == scaled.tree_.conditions
    assert scaled.value_ == pytest.approx(one.value_ * size)
    assert scaled.lower_bound_ == pytest.approx(one.lower_bound_ * size)


def test_an_action_that_is_not_available_is_not_chosen():
    rewards = pd.DataFrame({"call": [np.nan, 2, 0, 1], "letter": [1, 1, 2, 2], "visit": [0, 5, np.nan, 0.0]})
    policy = PolicyTree(0).fit(AGES, rewards)
    assert policy.predict(AGES).tolist() == ["letter", "visit", "letter", "letter"]
    assert policy.n_unavailable_ == 0
    assert policy.single_action_ == "letter"
    assert policy.tree_.mean_rewards[policy.tree_.apply(AGES)[0], 0] == 0.5  # of the rows where it is known
    only = PolicyTree(0).fit([[0], [1]], [[1, np.nan], [2, 3]])
    assert math.isnan(only.predict_rewards([[0]])[0, 1])
    assert ActionTree.from_json(only.tree_.to_json()) == only.tree_
    assert ActionTree.from_json(policy.tree_.to_json()) == policy.tree_ == pickle.loads(pickle.dumps(policy.tree_))


def test_an_action_that_cannot_be_avoided_is_a_warning():
    with pytest.warns(UserWarning, match=r"not available .* for 1 row\b"):
        policy = PolicyTree(0, 0).fit([[0], [1], [2]], [[1, np.nan], [np.nan, 1], [0, 1]])
    assert policy.n_unavailable_ == 1
    with pytest.raises(ValueError, match=r"chooses 1 in 1 row where its reward is missing, first row 0"):
        policy.score([[0], [1], [2]], [[1, np.nan], [np.nan, 1], [0, 1]])


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (None, ValueError, "requires y to be passed"),
        ([[1, 2], [3, np.inf], [0, 0]], ValueError, "infinity: column 1 has an infinite reward in row 1"),
        (
            pd.DataFrame({"a": [1, 2, 3], "b": [1, -np.inf, 0]}),
            ValueError,
            "'b' has an infinite reward in row 1",
        ),
        (pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}), TypeError, "column 'b'"),
        ([[1, None], ["x", 2], [0, 0]], TypeError, "column 0 has 'x' in row 1"),
        ([[1, 2], [3, 4]], ValueError, "inconsistent numbers of samples: X has 3 rows, y 2"),
        ([[1, np.nan], [2, np.nan], [3, np.nan]], ValueError, "reward of action 1 is missing in every row"),
        ([[1, 2], [np.nan, np.nan], [0, 1]], ValueError, "1 row has no reward at all, first row 1"),
        ([[1, np.nan], [np.nan, 2], [1, np.nan]], ValueError, "hornbeam.policy_scores"),
        ([[1e308, -1e308], [0, 0], [0, 0]], ValueError, "too large for float64"),
        (np.zeros((3, 2, 2)), ValueError, "3 dimensions"),
        (np.zeros((3, 0)), ValueError, "a column of rewards for each action"),
    ],
)
def test_rewards_that_cannot_be_used_are_refused_by_place(y, error, message):
    with pytest.raises(error, match=message):
        PolicyTree().fit([[0], [1], [2]], y)


@pytest.mark.parametrize(
    ("costs", "error", "message"),
    [
        ([1], ValueError, "a number for each of the 2 actions, got 1"),
        ({"visit": 1}, ValueError, "'visit'; the actions are"),
        ({"call": "much"}, TypeError, "'much' for action 'call'"),
        ([1, np.nan], ValueError, "finite, got nan for action 'letter'"),
        (3, TypeError, "costs must be a sequence"),
    ],
)
def test_costs_that_cannot_be_used_are_refused(costs, error, message):
    with pytest.raises(error, match=message):
        PolicyTree(costs=costs).fit(AGES, REWARDS)


def test_other_parameters_are_refused_as_for_classifiers():
    for parameters, message in (
        ({"regularization": 100}, "more than the largest possible loss"),
        ({"max_leaves": 0}, "max_leaves must be at least 1"),
        ({"shape": "bush"}, "shape must be"),
        ({"gap_limit": 1}, "gap_limit must be"),
        ({"bounds": {"magic": True}}, "unknown key 'magic'"),
    ):
        with pytest.raises(ValueError, match=message):
            PolicyTree(**parameters).fit(AGES, REWARDS)
    with pytest.raises(TypeError, match="does not read in batches"):
        PolicyTree().fit(pl.LazyFrame({"a": [1]}), "a")
    policy = PolicyTree().fit(AGES, REWARDS)
    with pytest.raises(ValueError, match="y has the actions"):
        policy.score(AGES, REWARDS[["letter", "call"]])
    with pytest.raises(ValueError, match="X has 4 rows, but y has 3"):
        policy.score(AGES, REWARDS[:3])


def test_limits_hold_and_threads_and_the_start_change_nothing(tmp_path):
    X, rewards = noisy(200)
    best = PolicyTree(0.02, 3, binarizer="quantile", trace=True).fit(X, rewards)
    assert best.trace_[-1].objective == pytest.approx(best.objective_)
    seen = []
    for parameters in (
        {"n_jobs": 2},
        {"start_tree": best},
        {"start_tree": best.tree_.to_json()},
        {"checkpoint": tmp_path / "run.hbt"},
        {"callback": seen.append},
    ):
        again = PolicyTree(0.02, 3, binarizer="quantile", **parameters).fit(X, rewards)
        assert (again.status_, again.objective_) == ("optimal", best.objective_)
    for limit, holds in (
        ({"max_depth": 1}, lambda policy: policy.depth_ <= 1),
        ({"max_leaves": 2}, lambda policy: policy.n_leaves_ <= 2),
        ({"min_samples_leaf": 60}, lambda policy: policy.tree_.n_samples.min() >= 60),
        ({"shape": "rule_list"}, lambda policy: policy.depth_ == policy.n_leaves_ - 1),
    ):
        limited = PolicyTree(0.02, binarizer="quantile", **{"max_depth": 3} | limit).fit(X, rewards)
        assert holds(limited)
        assert limited.objective_ >= best.objective_
    with pytest.warns(NotProvenWarning, match="PolicyTree"):
        stopped = PolicyTree(0, time_limit=0, binarizer="quantile").fit(X, rewards)
    assert stopped.status_ == "time_limit"
    assert stopped.lower_bound_ <= stopped.objective_


@pytest.mark.parametrize("binarizer", ["quantile", "auto", "guess"])
def test_binarizers_that_need_labels_get_the_best_actions(binarizer):
    X, rewards = noisy(400)
    policy = PolicyTree(0.02, 2, binarizer=binarizer).fit(X, rewards)
    assert policy.value_ > policy.single_action_value_ + 0.3


def test_the_frontier_has_the_best_policy_of_each_size():
    X, rewards = noisy(150)
    frontier = PolicyTree(0.03, 3, binarizer="quantile").frontier(X, rewards)
    assert frontier.status == "optimal"
    values = [one.value_ for one in frontier.classifiers]
    assert values == sorted(values)
    for k, loss in zip(frontier.n_leaves.tolist(), frontier.losses, strict=True):
        alone = PolicyTree(0, 3, max_leaves=k, binarizer="quantile").fit(X, rewards)
        assert alone.loss_ == pytest.approx(loss)
    losses = frontier.losses_on(X, rewards)
    assert losses == pytest.approx(frontier.losses)
    path = PolicyTree(0.03, 3, binarizer="quantile").regularization_path(X, rewards)
    assert path.path[-1].n_leaves == 1
    assert len(plot_frontier(frontier, X, rewards).lines) > 0


def test_the_best_single_action_is_the_first_with_the_largest_mean_of_exact_sums():
    draw = np.random.default_rng(0)
    for _ in range(30):
        rewards = draw.choice([0.1, 0.2, 0.3, 0.6, -0.7], (40, 6)) * 10.0 ** draw.integers(-300, 300)
        rewards[:, 3] = draw.permutation(rewards[:, 2])
        rewards[draw.integers(40), 4] = np.nan
        sums = [math.fsum(rewards[:, action]) for action in (0, 1, 2, 3, 5)]
        policy = PolicyTree(0, 0).fit(np.arange(40).reshape(-1, 1), rewards)
        assert policy.single_action_ == (0, 1, 2, 3, 5)[int(np.argmax(sums))]


def greedy_value(X, rewards, depth: int) -> float:
    """Return what rows earn together under a tree whose every split is the best one for its rows alone."""
    stump = PolicyTree(0, 1, time_limit=None).fit(X, rewards).tree_
    if depth == 0 or stump.n_leaves == 1:
        return rewards.sum(axis=0).max()
    left = stump.apply(X) == 1
    return sum(greedy_value(X[side], rewards[side], depth - 1) for side in (left, ~left))


def test_the_first_answer_is_better_than_the_greedy_tree():
    X, rewards = noisy(1500, 4)
    rewards[:, 1] += np.where(X[:, 1] * X[:, 2] > 0, 2, -2)  # no single split shows it
    greedy = greedy_value(X, rewards, 4) / len(X)
    with pytest.warns(NotProvenWarning):
        first = PolicyTree(0, 4, callback=lambda progress: progress.n_leaves > 8).fit(X, rewards)
    assert first.value_ > greedy


def test_cross_validation_chooses_the_size():
    X, rewards = noisy(200)
    policy = PolicyTreeCV(max_depth=3, cv=3, binarizer="quantile").fit(X, pd.DataFrame(rewards, columns=list("abc")))
    means = policy.cv_results_["mean_test_score"]
    assert policy.best_score_ == means.max() == means[policy.best_index_]
    assert policy.score(X, pd.DataFrame(rewards, columns=list("abc"))) == pytest.approx(policy.value_)
    small = PolicyTreeCV(max_depth=3, cv=3, binarizer="quantile", rule="one_standard_error").fit(X, rewards)
    assert small.n_leaves_ <= policy.n_leaves_
    search = GridSearchCV(PolicyTree(binarizer="quantile"), {"max_depth": [0, 1]}, cv=2).fit(X, rewards)
    assert search.best_params_ == {"max_depth": 1}
    assert len(cross_val_predict(PolicyTree(max_depth=1), X, rewards, cv=2)) == len(X)


def test_every_format_has_the_actions():
    tree = PolicyTree(0.1).fit(AGES, REWARDS).tree_
    for name, form in FORMATS.items():
        made = form.export(tree)
        if form.as_text:
            assert "call" in form.as_text(made), name
            assert "age" in form.as_text(made), name
    names: dict = {}
    exec(tree.to_python(), names)
    assert [names["predict"](age=age) for age in (20, 60)] == ["call", "letter"]
    numbers = PolicyTree(0.1).fit(AGES[["age"]].to_numpy(), REWARDS)
    assert (
        numbers.tree_.to_sklearn().predict(AGES[["age"]].to_numpy()).tolist()
        == numbers.predict(AGES[["age"]].to_numpy()).tolist()
    )
    assert from_json(tree.to_json()) == tree
    with pytest.raises(ValueError, match=r"use ActionTree\.from_json"):
        Tree.from_json(tree.to_json())
    with pytest.raises(ValueError, match="policy_value"):
        tree.to_text(confidence=0.9)


def test_pictures_show_actions_and_rewards():
    policy = PolicyTree(0.1).fit(AGES, REWARDS)
    texts = [text.get_text() for text in policy.plot(AGES, REWARDS, title="Offers").texts]
    for expected in ("call", "letter", "reward 2.5", "2 rows", "Offers", "2 leaves, mean reward 2.25, proven optimal"):
        assert expected in texts
    assert any(text.startswith("Bars: mean reward of each action") for text in texts)
    assert "<svg" in policy.tree_._repr_html_()
    with pytest.raises(ValueError, match="expected a column for each of the 2 actions"):
        policy.plot(AGES, [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"actions": np.array(["a", "a"])}, ValueError, "actions: the actions must differ"),
        ({"mean_rewards": np.array([[1.0, np.inf]] * 3)}, ValueError, "mean_rewards: expected finite"),
        ({"mean_rewards": np.zeros((3, 3))}, ValueError, "mean_rewards: expected shape"),
        ({"weights": np.zeros(3)}, ValueError, "weights: every node"),
    ],
)
def test_parts_that_make_no_tree_are_refused(changes, error, message):
    tree = PolicyTree(0.1).fit(AGES, REWARDS).tree_
    parts = {name: getattr(tree, name) for name in tree._fields()} | changes
    with pytest.raises(error, match=message):
        ActionTree(**parts)


def rewards_of_three_actions(n_rows=300):
    draw = np.random.default_rng(0)
    X = draw.integers(0, 10, size=(n_rows, 3))
    noise = draw.normal(size=(n_rows, 2))
    rewards = np.column_stack([np.zeros(n_rows), np.where(X[:, :2] > [4, 6], [1.0, 2.0], [-1.0, -2.0]) + noise])
    return draw, X, rewards


def test_cross_validation_chooses_no_policy_that_cannot_be_carried_out():
    draw, X, rewards = rewards_of_three_actions()
    rewards[draw.random(len(X)) < 0.03, 2] = np.nan  # no column tells where
    found = PolicyTreeCV(max_depth=2).fit(X, rewards)
    means = found.cv_results_["mean_test_score"]
    assert means[0] == -np.inf
    assert found.best_score_ == means.max() > -np.inf
    assert 2 not in found.predict(X)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        PolicyTree(0, 2).fit(X, np.nan_to_num(rewards)).score(X, rewards)
    assert np.isfinite(plot_cv(found).containers[0].lines[0].get_ydata()).all()


def test_cross_validation_chooses_a_policy_whose_columns_tell_which_actions_are_available():
    _, X, rewards = rewards_of_three_actions()
    rewards[X[:, 1] < 3, 2] = np.nan
    found = PolicyTreeCV(max_depth=2).fit(X, rewards)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert 2 in found.predict(X)


def test_cross_validation_needs_a_policy_that_can_be_carried_out():
    draw, X, rewards = rewards_of_three_actions()
    for action in range(3):
        rewards[draw.random(len(X)) < 0.1, action] = np.nan
    rewards[np.isnan(rewards).all(axis=1)] = 0
    with pytest.raises(ValueError, match="-inf in some fold"):
        PolicyTreeCV(max_depth=1).fit(X, rewards)
