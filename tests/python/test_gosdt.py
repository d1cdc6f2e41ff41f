"""GOSDTClassifier: what users give, what they get back, and how it behaves among scikit-learn's tools."""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from hornbeam import GOSDTClassifier, NotProvenWarning, Progress, ThresholdBinarizer, Tree
from hornbeam.conditions import AtMost, IsIn, IsMissing, IsTrue

COLORS = pd.DataFrame(
    {
        "age": [20, 25, 31, 40, 52, 60, 23, 44],
        "color": ["red", "blue", "red", "blue", "red", "red", "blue", "red"],
        "member": [True, False, False, True, True, False, False, True],
        "income": [1.5, None, 2.5, None, 0.5, 3.0, 2.0, None],
    }
)


def random_problem(seed, n_rows=40, n_columns=5, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns))
    noise = rng.random(n_rows) < 0.2
    return X, np.where(noise, rng.integers(0, n_classes, n_rows), (X[:, 0] + X[:, 1] * X[:, 2]) % n_classes)


def scored_again(classifier, X, y):
    """Return loss + regularization * leaves from the predictions alone."""
    return np.mean(classifier.predict(X) != y) + classifier.regularization_ * len(set(classifier.apply(X)))


def test_the_objective_is_what_the_predictions_cost():
    X, y = random_problem(0)
    classifier = GOSDTClassifier(0.02).fit(X, y)
    assert classifier.status_ == "optimal"
    assert classifier.n_leaves_ > 2
    assert classifier.objective_ == pytest.approx(scored_again(classifier, X, y), abs=1e-14)
    assert classifier.loss_ == pytest.approx(np.mean(classifier.predict(X) != y), abs=1e-14)
    assert classifier.lower_bound_ == classifier.objective_
    assert classifier.gap_ == 0
    assert classifier.score(X, y) == pytest.approx(1 - classifier.loss_)


def test_the_balanced_objective_is_one_minus_the_balanced_accuracy():
    X, y = random_problem(1, n_classes=3)
    classifier = GOSDTClassifier(0.02, objective="balanced").fit(X, y)
    missed = [np.mean(classifier.predict(X[y == label]) != label) for label in range(3)]
    assert classifier.loss_ == pytest.approx(np.mean(missed), abs=1e-12)


def test_omega_is_the_cost_of_a_missed_row_of_the_second_class():
    X, y = random_problem(2)
    classifier = GOSDTClassifier(0.01, objective="weighted", omega=5).fit(X, np.where(y == 1, "yes", "no"))
    found = classifier.predict(X) == "yes"
    lost = np.sum(found & (y == 0)) + 5 * np.sum(~found & (y == 1))
    assert classifier.loss_ == pytest.approx(lost / (5 * y.sum() + (1 - y).sum()), abs=1e-12)


def test_a_cost_matrix_is_charged_in_its_own_unit():
    X, y = random_problem(3, n_classes=3)
    matrix = np.array([[0.5, 10, 20], [30, 0, 5], [100, 1, 2]])
    classifier = GOSDTClassifier(0.5, objective="cost", cost_matrix=matrix).fit(X, y)
    assert classifier.loss_ == pytest.approx(matrix[y, classifier.predict(X)].mean(), abs=1e-12)
    assert classifier.regularization_ == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("objective", ["accuracy", "balanced", "cost"])
@pytest.mark.parametrize("class_weight", [None, {1: 2.5}, "balanced"])
def test_weighting_a_row_is_the_same_as_repeating_it(objective, class_weight):
    X, y = random_problem(4)
    weights = np.random.default_rng(4).integers(0, 4, len(y))
    matrix = [[0, 2], [3, 1]] if objective == "cost" else None
    classifier = GOSDTClassifier(0.02, objective=objective, cost_matrix=matrix, class_weight=class_weight)
    weighted = clone(classifier).fit(X, y, sample_weight=weights)
    repeated = clone(classifier).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.objective_ == repeated.objective_
    assert np.array_equal(weighted.predict(X), repeated.predict(X))
    assert np.array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("factor", [2, 0.1, 1e-9, 1e12])
def test_the_size_of_the_weights_does_not_matter(factor):
    X, y = random_problem(5)
    assert GOSDTClassifier().fit(X, y, np.full(len(y), factor)).objective_ == pytest.approx(
        GOSDTClassifier().fit(X, y).objective_, abs=1e-12
    )


def test_a_class_weight_multiplies_the_weight_of_its_rows():
    X, y = random_problem(6)
    by_class = GOSDTClassifier(class_weight={1: 3}).fit(X, y)
    by_row = GOSDTClassifier().fit(X, y, sample_weight=np.where(y == 1, 3, 1))
    assert by_class.objective_ == by_row.objective_


def test_rows_of_weight_zero_are_as_if_they_were_not_there():
    X, y = random_problem(7)
    X, y = np.vstack([X, X[:5]]).astype(float), np.append(y, [7] * 5)
    X[-5:] = 99.5
    weights = np.append(np.ones(len(y) - 5), [0] * 5)
    classifier = GOSDTClassifier().fit(X, y, sample_weight=weights)
    assert classifier.classes_.tolist() == [0, 1]
    assert classifier.tree_ == GOSDTClassifier().fit(X[:-5], y[:-5]).tree_


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array(["no", "yes"] * 4), ["no", "yes"]),
        ([3, -1] * 4, [-1, 3]),
        ([True, False] * 4, [False, True]),
        ([1.0, 0.0] * 4, [0.0, 1.0]),
        (pd.Series(["u", "v"] * 4), ["u", "v"]),
        (pd.Series(["u", "v"] * 4, dtype="category"), ["u", "v"]),
        (pd.Series([True, False] * 4, dtype="boolean"), [False, True]),
        (pd.Series([1, 2] * 4, dtype="Int64"), [1, 2]),
        (np.array([1, 2] * 4, dtype=object), [1, 2]),
        (pl.Series(["u", "v"] * 4), ["u", "v"]),
        (pl.Series(["u", "v"] * 4, dtype=pl.Categorical), ["u", "v"]),
        (pa.chunked_array([["u", "v"] * 4]), ["u", "v"]),
    ],
)
def test_labels_of_any_kind_come_back_as_they_are(y, classes):
    X = [[0], [1]] * 4
    classifier = GOSDTClassifier().fit(X, y)
    assert classifier.classes_.tolist() == classes
    assert [type(label) for label in classifier.classes_.tolist()] == [type(label) for label in classes]
    assert classifier.predict(X).tolist() == np.asarray(y).tolist()


def test_three_classes_of_text_are_told_apart():
    iris = load_iris()
    classifier = GOSDTClassifier(0.01, max_depth=2).fit(iris.data, iris.target_names[iris.target])
    assert classifier.status_ == "optimal"
    assert classifier.n_leaves_ == 3
    assert classifier.loss_ == pytest.approx(6 / 150)
    assert set(classifier.predict(iris.data)) == {"setosa", "versicolor", "virginica"}


@pytest.mark.parametrize("convert", [lambda X: X, pl.from_pandas, pa.Table.from_pandas])
@pytest.mark.parametrize(
    ("rule", "condition"),
    [
        (COLORS["age"] > 35, AtMost(0, 36.0)),
        (COLORS["color"] == "blue", IsIn(1, ("blue",))),
        (COLORS["member"], IsTrue(2)),
        (COLORS["income"].isna(), IsMissing(3)),
    ],
)
def test_the_tree_asks_about_the_columns_of_a_data_frame(convert, rule, condition):
    X = convert(COLORS)
    classifier = GOSDTClassifier().fit(X, np.where(rule, "in", "out"))
    assert classifier.tree_.conditions == (condition, None, None)
    assert classifier.feature_names_in_.tolist() == list(COLORS.columns)
    assert classifier.predict(X).tolist() == np.where(rule, "in", "out").tolist()


def test_a_missing_value_at_predict_fails_every_condition_but_is_missing():
    classifier = GOSDTClassifier().fit([[1], [2], [3]], ["low", "high", "high"])
    assert classifier.predict([[None], [np.nan]]).tolist() == ["high", "high"]


def test_a_category_that_was_not_seen_fails_every_condition():
    classifier = GOSDTClassifier().fit([["a"], ["b"], ["b"]], [0, 1, 1])
    assert classifier.predict([["z"]]).tolist() == [1]


def test_the_name_of_a_series_is_the_target_name():
    assert GOSDTClassifier().fit([[0], [1]], pd.Series([0, 1], name="sold")).tree_.target_name == "sold"
    assert GOSDTClassifier().fit([[0], [1]], pl.Series("sold", [0, 1])).tree_.target_name == "sold"
    assert GOSDTClassifier().fit([[0], [1]], [0, 1]).tree_.target_name == "target"


def test_a_column_of_labels_is_flattened_with_the_warning_of_scikit_learn():
    with pytest.warns(DataConversionWarning):
        classifier = GOSDTClassifier().fit([[0], [1]], pd.DataFrame({"sold": [0, 1]}))
    assert classifier.tree_.target_name == "sold"


@pytest.mark.parametrize("X", [np.ones((6, 2)), [["a"]] * 6, [[None]] * 6])
def test_constant_columns_give_a_single_leaf(X):
    classifier = GOSDTClassifier().fit(X, [0, 1, 1, 1, 1, 0])
    assert (classifier.n_leaves_, classifier.depth_, classifier.status_) == (1, 0, "optimal")
    assert classifier.loss_ == pytest.approx(1 / 3)
    assert classifier.predict(X).tolist() == [1] * 6
    assert classifier.predict_proba(X)[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_limits_on_the_tree_are_kept():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    options = {"regularization": 0.001, "binarizer": "quantile"}
    assert GOSDTClassifier(max_depth=0, **options).fit(X, y).n_leaves_ == 1
    assert GOSDTClassifier(max_depth=2, **options).fit(X, y).depth_ == 2
    assert GOSDTClassifier(max_depth=3, max_leaves=3, **options).fit(X, y).n_leaves_ == 3
    supported = GOSDTClassifier(max_depth=2, min_samples_leaf=50, **options).fit(X, y)
    assert np.bincount(supported.apply(X))[np.unique(supported.apply(X))].min() >= 50


def test_the_binarizer_may_be_given_and_is_cloned():
    binarizer = ThresholdBinarizer(thresholds={"age": [30]})
    classifier = GOSDTClassifier(binarizer=binarizer).fit(COLORS[["age"]], COLORS["age"] > 28)
    assert classifier.tree_.conditions[0] == AtMost(0, 30.0)
    assert not hasattr(binarizer, "conditions_")


def test_columns_of_zeros_and_ones_need_no_binarizer():
    X, y = random_problem(8)
    assert GOSDTClassifier(binarizer=None).fit(X, y).tree_ == GOSDTClassifier().fit(X, y).tree_
    with pytest.raises(ValueError, match=r"Column 'x1' of X must hold only 0 and 1 when binarizer=None, but holds 3"):
        GOSDTClassifier(binarizer=None).fit([[0, 3], [1, 1]], [0, 1])


def hard_problem():
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (600, 25)), rng.integers(0, 2, 600)


def test_a_search_that_is_stopped_warns_once_and_gives_a_tree_with_its_bounds():
    X, y = hard_problem()
    said = (
        r"stopped before its tree was proven optimal "
        r"\(status 'time_limit', time_limit=0.1, [0-9.]+ s, [0-9.]+ MB\): objective .* gap"
    )
    with pytest.warns(NotProvenWarning, match=said) as seen:
        classifier = GOSDTClassifier(0.001, time_limit=0.1).fit(X, y)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert classifier.status_ == "time_limit"
    assert 0 < classifier.lower_bound_ < classifier.objective_
    assert classifier.gap_ == pytest.approx(1 - classifier.lower_bound_ / classifier.objective_)
    assert classifier.objective_ == pytest.approx(scored_again(classifier, X, y), abs=1e-12)


def test_memory_limit_ends_a_search():
    X, y = hard_problem()
    with pytest.warns(NotProvenWarning, match="memory_limit"):
        classifier = GOSDTClassifier(0.001, memory_limit=100_000, time_limit=20).fit(X, y)
    assert classifier.status_ == "memory_limit"


def test_a_search_forgets_within_its_memory_limit_and_goes_on():
    X, y = hard_problem()
    with pytest.warns(NotProvenWarning, match="time_limit"):
        classifier = GOSDTClassifier(0.001, memory_limit=2_000_000, time_limit=2).fit(X, y)
    assert classifier.status_ == "time_limit"
    assert classifier.statistics_["bounds"]["forgotten"] > 0
    assert classifier.statistics_["bytes"] <= 2_200_000
    assert classifier.objective_ == pytest.approx((classifier.predict(X) != y).mean() + 0.001 * classifier.n_leaves_)


def test_reaching_the_gap_asked_for_is_no_reason_to_warn():
    X, y = hard_problem()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = GOSDTClassifier(0.001, gap_limit=0.9999).fit(X, y)
    assert classifier.status_ == "gap_limit"
    assert 0 < classifier.gap_ <= 0.9999


def test_a_callback_gets_the_progress_in_the_users_units_and_may_stop_the_search():
    X, y = hard_problem()
    seen = []

    def stop_at_the_second(progress):
        seen.append(progress)
        return len(seen) == 2

    with pytest.warns(NotProvenWarning, match="interrupted"):
        classifier = GOSDTClassifier(0.001, callback=stop_at_the_second).fit(X, y)
    assert len(seen) == 2
    assert classifier.status_ == "interrupted"
    assert isinstance(seen[0], Progress)
    for progress in seen:
        assert 0 <= progress.lower_bound <= progress.objective <= 0.6
        assert progress.gap == pytest.approx(1 - progress.lower_bound / progress.objective)
    assert classifier.objective_ <= seen[0].objective
    assert classifier.lower_bound_ >= seen[0].lower_bound


def test_the_trace_is_kept_only_where_it_is_asked_for():
    X, y = random_problem(9)
    classifier = GOSDTClassifier(trace=True).fit(X, y)
    assert all(isinstance(progress, Progress) for progress in classifier.trace_)
    assert classifier.trace_[-1].objective == classifier.objective_
    assert classifier.trace_[-1].lower_bound == classifier.lower_bound_
    assert not hasattr(classifier.set_params(trace=False).fit(X, y), "trace_")


def test_statistics_tell_the_work_and_the_number_of_binary_columns():
    X, y = random_problem(10)
    statistics = GOSDTClassifier().fit(X, y).statistics_
    assert statistics["n_binary_columns"] == 5
    assert {"subproblems", "table_entries", "bytes", "seconds", "binarize_seconds"} <= set(statistics)


def test_switching_bounds_off_keeps_the_optimum():
    X, y = random_problem(11)
    names = ["support_condition", "pair_stage", "equivalent_points", "similarity", "packing", "subset"]
    off = dict.fromkeys(names, False)
    assert GOSDTClassifier(0.02, bounds=off).fit(X, y).objective_ == GOSDTClassifier(0.02).fit(X, y).objective_


@pytest.mark.parametrize("n_jobs", [None, 2, -1])
def test_the_number_of_threads_does_not_change_the_optimum(n_jobs):
    X, y = random_problem(12, n_rows=100, n_columns=8)
    one, many = GOSDTClassifier(0.005).fit(X, y), GOSDTClassifier(0.005, n_jobs=n_jobs).fit(X, y)
    assert (one.objective_, one.status_) == (many.objective_, many.status_)


@pytest.mark.parametrize("n_jobs", [None, 2, -1])
def test_the_number_of_threads_does_not_change_the_optimum_by_order(n_jobs):
    draw = np.random.default_rng(3)
    X, y = draw.normal(size=(150, 2)), draw.integers(0, 2, 150)
    one, many = (GOSDTClassifier(0.005, max_depth=3, n_jobs=jobs).fit(X, y) for jobs in (1, n_jobs))
    assert (one.objective_, one.lower_bound_, one.status_) == (many.objective_, many.lower_bound_, many.status_)


def test_decision_path_and_apply_agree_on_the_leaf():
    X, y = random_problem(13)
    classifier = GOSDTClassifier(0.01).fit(X, y)
    path, leaves = classifier.decision_path(X), classifier.apply(X)
    assert path.shape == (len(y), classifier.tree_.n_nodes)
    assert [path[row].indices.max() for row in range(len(y))] == leaves.tolist()
    assert len(set(leaves)) == classifier.n_leaves_


def test_probabilities_are_the_shares_of_training_weight_in_the_leaf():
    classifier = GOSDTClassifier(0.01, max_depth=0).fit([[0], [1], [1]], ["a", "b", "b"], sample_weight=[3, 1, 1])
    assert classifier.predict_proba([[0]]).tolist() == [[0.6, 0.4]]


FITTED = GOSDTClassifier(0.01).fit(COLORS, COLORS["color"] == "red")


@pytest.mark.parametrize("twin", [lambda c: pickle.loads(pickle.dumps(c)), copy.copy, copy.deepcopy])
def test_pickled_and_copied_classifiers_predict_the_same(twin):
    again = twin(FITTED)
    assert again.tree_ == FITTED.tree_
    assert np.array_equal(again.predict_proba(COLORS), FITTED.predict_proba(COLORS))


def arrays_in(value, seen):
    """Yield every array that can be reached from an object."""
    if id(value) in seen or isinstance(value, (str, int, float, type(None), np.generic)):
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from arrays_in(part, seen)
    elif isinstance(value, (list, tuple, set)):
        for part in value:
            yield from arrays_in(part, seen)
    else:
        names = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]
        for name in names:
            yield from arrays_in(getattr(value, name), seen)


def test_a_fitted_classifier_holds_no_training_data():
    X, y = random_problem(14, n_rows=5000)
    classifier = GOSDTClassifier(trace=True).fit(X, y, sample_weight=np.ones(5000))
    assert max(array.size for array in arrays_in(classifier, set())) < 100
    assert len(pickle.dumps(classifier)) < 20_000


def test_fitting_leaves_the_parameters_and_the_data_as_they_are():
    X, y, weights = COLORS.copy(), np.arange(8) % 2, np.arange(8)
    binarizer = ThresholdBinarizer("quantile", 2)
    classifier = GOSDTClassifier(binarizer=binarizer, max_depth=2)
    before = classifier.get_params()
    classifier.fit(X, y, sample_weight=weights)
    assert classifier.get_params() == before
    pd.testing.assert_frame_equal(X, COLORS)
    assert y.tolist() == [0, 1] * 4
    assert weights.tolist() == list(range(8))


def test_cross_validation_grid_search_pipelines_and_ensembles_work():
    X, y = random_problem(15, n_rows=80)
    assert cross_val_score(GOSDTClassifier(max_depth=2), X, y, cv=3).mean() > 0.6
    grid = {"regularization": [0.01, 0.2], "binarizer__strategy": ["exact", "quantile"]}
    search = GridSearchCV(GOSDTClassifier(max_depth=3, binarizer=ThresholdBinarizer()), grid, cv=3).fit(X, y)
    assert search.best_params_["regularization"] == 0.01
    binarized = make_pipeline(ThresholdBinarizer(), GOSDTClassifier(max_depth=3, binarizer=None)).fit(X, y)
    assert binarized[-1].objective_ == GOSDTClassifier(max_depth=3).fit(X, y).objective_
    assert BaggingClassifier(GOSDTClassifier(max_depth=1), 3, random_state=0).fit(X, y).score(X, y) > 0.6


def test_fitting_again_forgets_the_first_data():
    classifier = GOSDTClassifier().fit(COLORS, COLORS["color"])
    classifier.fit(np.eye(3), [0, 0, 1])
    assert classifier.n_features_in_ == 3
    assert not hasattr(classifier, "feature_names_in_")
    assert classifier.classes_.tolist() == [0, 1]


def test_the_tree_is_a_tree():
    assert isinstance(FITTED.tree_, Tree)
    assert FITTED.depth_ == FITTED.tree_.depth
    assert FITTED.n_leaves_ == FITTED.tree_.n_leaves


def test_importing_hornbeam_loads_neither_pictures_nor_the_command_line():
    code = "import sys, hornbeam; print([name for name in ('matplotlib', 'polars', 'typer') if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


@pytest.mark.parametrize(("n_rows", "penalty"), [(100, 0.01), (400, 0.005), (5000, 0.002)])
def test_the_default_leaf_penalty_is_two_rows_within_limits(n_rows, penalty):
    X = np.arange(n_rows)[:, None] % 7
    y = X[:, 0] > 3
    for classifier in (GOSDTClassifier(max_depth=1), GOSDTClassifier(max_depth=1, class_weight="balanced")):
        assert classifier.fit(X, y).regularization_ == pytest.approx(penalty, rel=1e-6)
    costly = GOSDTClassifier(objective="cost", cost_matrix=[[0, 500], [500, 0]], max_depth=1).fit(X, y)
    assert costly.regularization_ == pytest.approx(500 * penalty, rel=1e-6)
    for objective in ("f1", "auc"):
        assert GOSDTClassifier(objective=objective, max_depth=1).fit(X, y).regularization_ == pytest.approx(0.01)


def test_the_default_of_the_exact_search_ends_after_a_minute_and_none_lifts_it():
    assert GOSDTClassifier().time_limit == 60
    X, y = hard_problem()
    with pytest.warns(NotProvenWarning, match="time_limit=0.1"):
        GOSDTClassifier(0.001, time_limit=0.1).fit(X, y)
    assert GOSDTClassifier(time_limit=None).fit(X[:50, :5], y[:50]).status_ == "optimal"
