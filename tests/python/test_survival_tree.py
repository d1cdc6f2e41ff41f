"""SurvivalTree: input, predictions, curves, bad input, and what its tree can do."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

from hornbeam import HazardTree, NotProvenWarning, StepFunction, SurvivalTree, concordance_index
from hornbeam.plotting.distributions import distributions_of
from hornbeam.plotting.leaves import leaves_of


def simulated(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, 4))
    event = rng.exponential(np.where(X[:, 0] == 1, 1.0, 6.0) * np.where(X[:, 1] == 1, 1.0, 2.0))
    end = rng.uniform(0, 10, n_rows)
    return X, np.array(
        list(zip(event <= end, np.minimum(event, end), strict=True)), dtype=[("death", bool), ("days", float)]
    )


X, Y = simulated()


@pytest.fixture(scope="module")
def fitted():
    return SurvivalTree(regularization=0.01, max_depth=3).fit(X, Y)


def test_a_structured_array_and_two_columns_give_the_same_tree(fitted):
    frame = pd.DataFrame({"death": Y["death"], "days": Y["days"]})
    columns = np.column_stack([Y["death"], Y["days"]])
    for y in (frame, columns, columns.tolist(), frame.astype({"death": int})):
        other = SurvivalTree(regularization=0.01, max_depth=3).fit(X, y)
        assert other.tree_.to_text() == fitted.tree_.to_text()
        assert other.objective_ == fitted.objective_
    assert SurvivalTree(0.05).fit(X, frame).tree_.target_name == "days"


def test_curves_are_those_of_the_rows_of_a_leaf(fitted):
    leaves, times = fitted.apply(X), fitted.event_times_
    survival = fitted.predict_survival_function(X, return_array=True)
    hazards = fitted.predict_cumulative_hazard_function(X, return_array=True)
    assert len(np.unique(leaves)) == fitted.n_leaves_ >= 3
    for leaf in np.unique(leaves):
        mine = Y[leaves == leaf]
        share, hazard, expected = 1.0, 0.0, []
        for time in times:
            at_risk = (mine["days"] >= time).sum()
            happened = (mine["death"] & (mine["days"] == time)).sum()
            if happened:
                share, hazard = share * (1 - happened / at_risk), hazard + happened / at_risk
            expected.append((share, hazard))
        row = np.flatnonzero(leaves == leaf)[0]
        np.testing.assert_allclose(np.column_stack([survival[row], hazards[row]]), expected, atol=1e-12)
        assert fitted.tree_.survival_function(leaf)(times).tolist() == survival[row].tolist()
        assert fitted.predict_cumulative_hazard_function(X[[row]])[0](-1) == 0.0
        assert fitted.predict_survival_function(X[[row]])[0]([times[0] / 2, times[-1] + 1]).tolist() == [
            1.0,
            survival[row, -1],
        ]
        median = fitted.tree_.median_time(leaf)
        assert (median == np.inf) == (share > 0.5)
        assert median == np.inf or fitted.tree_.survival_function(leaf)(median) <= 0.5 + 1e-9


def test_risks_are_events_over_expected_events_and_score_is_concordance(fitted):
    risk, leaves = fitted.predict(X), fitted.apply(X)
    root = fitted.tree_.cumulative_hazard_function(0)(Y["days"])
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        assert risk[rows] == pytest.approx(Y["death"][rows].sum() / root[rows].sum())
    assert fitted.score(X, Y) == concordance_index(Y, risk) > 0.6
    assert fitted.tree_.hazard_ratios[0] == 1
    assert fitted.feature_importances_.sum() == pytest.approx(1)
    assert fitted.feature_importances_.argmax() == 0


def test_scikit_learn_can_clone_and_cross_validate():
    scores = cross_val_score(SurvivalTree(0.01, 2), X, Y, cv=3)
    assert (scores > 0.55).all()
    search = GridSearchCV(SurvivalTree(max_depth=2), {"regularization": [0.5, 0.01]}, cv=3).fit(X, Y)
    assert search.best_params_ == {"regularization": 0.01}
    assert clone(search.best_estimator_).get_params() == search.best_estimator_.get_params()


def test_one_thread_and_two_prove_the_same(fitted):
    two = SurvivalTree(regularization=0.01, max_depth=3, n_jobs=2).fit(X, Y)
    assert (two.objective_, two.lower_bound_) == pytest.approx((fitted.objective_, fitted.lower_bound_), abs=1e-6)


def test_weights_count_as_repeated_rows():
    weights = np.random.default_rng(1).integers(0, 4, len(X))
    by_weight = SurvivalTree(0.01, 2).fit(X, Y, weights)
    repeated = SurvivalTree(0.01, 2, binarizer=None).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    assert by_weight.objective_ == pytest.approx(repeated.objective_, rel=1e-9)
    np.testing.assert_allclose(by_weight.tree_.survival, repeated.tree_.survival, atol=1e-12)


def test_categories_and_missing_values():
    frame = pd.DataFrame({"sex": np.where(X[:, 0] == 1, "f", "m"), "age": X[:, 1] * 10.0})
    frame.loc[X[:, 2] == 1, "age"] = np.nan
    tree = SurvivalTree(0.01, 2).fit(frame, Y)
    assert tree.tree_.columns.names == ("sex", "age")
    assert "sex" in tree.tree_.to_text()


def test_start_tree_and_warm_start(fitted):
    again = SurvivalTree(regularization=0.01, max_depth=3, start_tree=fitted.tree_, time_limit=0)
    with pytest.warns(NotProvenWarning):
        again.fit(X, Y)
    assert again.status_ == "time_limit"
    assert again.objective_ == pytest.approx(fitted.objective_)
    assert again.lower_bound_ <= fitted.objective_


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([[1, 2.0], [0, -1.0]], ValueError, r"time of y, column 1, is -1 in row 1; expected a time of at least 0"),
        ([[1, 2.0], [0, np.nan]], ValueError, r"contains NaN: column 1 is nan in row 1"),
        ([[1, 2.0], [0, np.inf]], ValueError, r"contains infinity: column 1 is inf in row 1"),
        ([[1, 2.0], [2, 1.0]], ValueError, r"event of y, column 0, is 2 in row 1; expected 0 \(censored\) or 1"),
        ([[2.0, 1], [3.0, 0]], ValueError, r"before the column of times"),
        ([[0, 2.0], [0, 1.0]], ValueError, r"y has no event: all 2 times are censored"),
        ([1.0, 2.0], ValueError, r"y has the shape \(2,\); expected a structured array"),
        ([[1, 2, 3], [1, 2, 3]], ValueError, r"y has the shape \(2, 3\)"),
        ([["a", "b"], ["c", "d"]], TypeError, r"y must hold numbers"),
        ([[1, 2.0]], ValueError, r"inconsistent numbers of samples: X has 2 rows, y 1"),
        (None, ValueError, r"requires y to be passed"),
        (pd.DataFrame({"e": [1, 0], "t": [1.0, -2.0]}), ValueError, r"The time of y, 't', is -2 in row 1"),
        (np.array([(True, 1.0, 2)] * 2, dtype=[("a", bool), ("b", float), ("c", int)]), ValueError, r"fields"),
    ],
)
def test_bad_input_is_named(y, error, message):
    with pytest.raises(error, match=message):
        SurvivalTree().fit([[0], [1]], y)


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match="more than the loss of a single leaf, 1"):
        SurvivalTree(regularization=1.5).fit(X, Y)
    with pytest.raises(ValueError, match="chooses thresholds by classes, and y holds times"):
        SurvivalTree(binarizer="auto").fit(X, Y)


@pytest.mark.parametrize(
    "y",
    [
        pytest.param([[1, 0.0], [1, 0.0], [1, 0.0]], id="all events at time 0"),
        pytest.param([[1, 5.0], [0, 5.0], [0, 7.0]], id="one event"),
        pytest.param([[1, 1.0], [0, 0.0], [0, 0.5]], id="censored before the first event"),
    ],
)
def test_degenerate_times_have_an_answer(y):
    tree = SurvivalTree(0.01).fit([[0], [1], [1]], y)
    assert tree.status_ == "optimal"
    assert 0 <= tree.lower_bound_ <= tree.objective_
    assert np.isfinite(tree.predict([[0], [1]])).all()
    assert ((tree.tree_.survival >= 0) & (tree.tree_.survival <= 1)).all()


def test_the_tree_is_written_read_and_pickled(fitted):
    tree = fitted.tree_
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert HazardTree.from_json(tree.to_json()) == tree
    model = tree.to_sklearn()
    np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
    names = {}
    exec(tree.to_python(), names)
    assert [
        names["predict"]({f"x{i}": cell for i, cell in enumerate(row)}) for row in X[:20].tolist()
    ] == fitted.predict(X[:20]).tolist()
    assert "CASE" in tree.to_sql()
    assert repr(tree) == f"<HazardTree of {tree.n_leaves} leaves, depth 3, 4 columns>"
    with pytest.raises(ValueError, match="confidence is for classes"):
        tree.describe(1, confidence=0.95)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("hazard_ratios", "hazard_ratios: expected finite numbers"),
        ("weights", "weights: "),
        ("times", "times: "),
        ("survival", "times: they must increase, and no survival curve may exceed 1"),
        ("prediction", "prediction: "),
    ],
)
def test_damaged_parts_are_named(fitted, part, message):
    parts = {name: getattr(fitted.tree_, name) for name in fitted.tree_._fields()}
    damaged = {
        "hazard_ratios": lambda a: a * np.nan,
        "weights": lambda a: a * 0,
        "times": lambda a: a[::-1],
        "survival": lambda a: a + 1,
        "prediction": lambda a: a[::-1],
    }
    with pytest.raises(ValueError, match=message):
        HazardTree(**{**parts, part: damaged[part](parts[part])})


def test_the_picture_shows_the_curve_of_each_leaf(fitted):
    axes = fitted.plot()
    texts = [text.get_text() for text in axes.texts]
    assert any("share that survives (Kaplan-Meier) in the leaf, for days from 0 to" in text for text in texts)
    for leaf in np.flatnonzero(fitted.tree_.left < 0):
        assert any(fitted.tree_.shown_output(leaf) in text for text in texts)
    marks = leaves_of(fitted.tree_).marks(int(np.flatnonzero(fitted.tree_.left < 0)[0]))
    heights = [mark.height for mark in marks[:-1]]
    assert heights[0] == 1.0
    assert heights == sorted(heights, reverse=True)


def test_the_histograms_at_the_splits_have_the_colors_of_the_leaves_that_rows_reach(fitted):
    n_inner = int((fitted.tree_.left >= 0).sum())
    assert len(fitted.plot(X, Y).collections) >= len(fitted.plot().collections) + n_inner
    counts = distributions_of(fitted.tree_, (X, Y))[0].counts
    assert counts.sum(axis=0).tolist() == np.bincount(fitted.apply(X), minlength=fitted.tree_.n_nodes).tolist()
    with pytest.raises(ValueError, match="data must hold a label for each row"):
        fitted.plot(X, Y[:-1])
    with pytest.raises(ValueError, match="y has the shape"):
        fitted.plot(X, Y["days"])


def test_rule_lists_and_limits():
    rules = SurvivalTree(0.002, shape="rule_list").fit(X, Y)
    tree = rules.tree_
    inner = np.flatnonzero(tree.left >= 0)
    assert rules.status_ == "optimal"
    assert len(inner) >= 2
    assert all(tree.left[tree.left[node]] < 0 or tree.left[tree.right[node]] < 0 for node in inner)
    assert SurvivalTree(0, max_leaves=3).fit(X, Y).n_leaves_ == 3


def test_step_functions_hold_their_value_from_each_time_on():
    curve = StepFunction(np.array([1.0, 3.0]), np.array([0.8, 0.5]), 1.0)
    assert repr(curve) == "<StepFunction of 2 steps, from 1 to 0.5>"
    assert repr(StepFunction(np.empty(0), np.empty(0), 1.0)) == "<StepFunction of 0 steps, always 1>"
    assert curve([0, 1, 2.9, 3, 9]).tolist() == [1.0, 0.8, 0.8, 0.5, 0.5]
    assert float(curve(2)) == 0.8
