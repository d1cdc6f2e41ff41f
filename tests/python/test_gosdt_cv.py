"""GOSDTClassifierCV chooses the leaf penalty as scikit-learn's own tools would, over the trees of the path."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine, make_classification
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from hornbeam import (
    GOSDTClassifier,
    GOSDTClassifierCV,
    GOSDTRegressorCV,
    NotProvenWarning,
    SPLITClassifier,
    SPLITClassifierCV,
    _budget,
    plot_cv,
)
from hornbeam.datasets import load_monk
from hornbeam.estimators import _cross_validation
from hornbeam.estimators._cross_validation import choose
from hornbeam.estimators._exact import OF_ONE_SEARCH


@pytest.fixture
def wine():
    return load_wine(return_X_y=True)


def quick(**parameters):
    """Return an estimator whose searches end in milliseconds on the tables of these tests."""
    return GOSDTClassifierCV(**{"min_regularization": 0.02, "binarizer": "quantile", "max_depth": 3, **parameters})


def test_the_scores_are_those_of_fits_of_its_own(wine):
    X, y = wine
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    model = quick(cv=folds).fit(X, y)
    for index, penalty in enumerate(model.regularizations_):
        own = GOSDTClassifier(regularization=penalty, max_depth=3, binarizer="quantile")
        found = [model.cv_results_[f"split{fold}_test_score"][index] for fold in range(4)]
        # Of equally good trees, another one may be found, with another score.
        assert np.mean(found) == pytest.approx(cross_val_score(own, X, y, cv=folds).mean(), abs=0.05)
        assert model.cv_results_["mean_test_score"][index] == pytest.approx(np.mean(found))


def test_the_tree_is_the_optimal_one_over_all_rows_for_the_chosen_leaf_penalty(wine):
    X, y = wine
    model = quick().fit(X, y)
    own = GOSDTClassifier(regularization=model.regularization_, max_depth=3, binarizer="quantile").fit(X, y)
    assert model.objective_ == pytest.approx(own.objective_)
    assert model.n_leaves_ == own.n_leaves_ == model.cv_results_["n_leaves"][model.best_index_]
    assert model.lower_bound_ == model.objective_
    assert model.status_ == "optimal"
    assert model.regularization_ == model.regularizations_[model.best_index_]
    assert model.best_score_ == model.cv_results_["mean_test_score"].max()


def test_the_rule_of_one_standard_error_takes_the_largest_leaf_penalty_within_it():
    scores = np.array([[0.9, 0.8], [0.95, 0.85], [0.95, 0.83], [0.4, 0.5]])
    assert choose(scores, "best") == 1
    assert choose(scores, "one_standard_error") == 2
    assert choose(np.array([[0.9, 0.8], [0.9, 0.8], [0.1, 0.2]]), "best") == 1  # of equal ones the largest penalty
    assert choose(np.array([[0.5], [0.7]]), "one_standard_error") == 1


def test_one_standard_error_chooses_no_larger_tree(wine):
    X, y = wine
    best, smaller = quick().fit(X, y), quick(rule="one_standard_error").fit(X, y)
    assert smaller.regularization_ >= best.regularization_
    assert smaller.n_leaves_ <= best.n_leaves_


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_number_of_jobs_changes_nothing(wine, n_jobs):
    X, y = wine
    one, many = quick().fit(X, y), quick(n_jobs=n_jobs).fit(X, y)
    assert one.cv_results_["mean_test_score"].tolist() == many.cv_results_["mean_test_score"].tolist()


@pytest.mark.parametrize(
    ("parameters", "score"),
    [
        ({"objective": "balanced"}, lambda y, predicted, _: balanced_accuracy_score(y, predicted)),
        ({"objective": "f1", "max_depth": 2}, lambda y, predicted, _: f1_score(y, predicted)),
        ({"objective": "auc", "max_depth": 2}, lambda y, _, shares: roc_auc_score(y, shares)),
        (
            {"objective": "cost", "cost_matrix": [[0, 1], [3, 0]]},
            lambda y, predicted, _: -np.mean(np.where(y == 1, 3, 1) * (y != predicted)),
        ),
    ],
    ids=lambda value: value["objective"] if isinstance(value, dict) else "",
)
def test_the_default_score_is_that_of_the_objective(parameters, score):
    X, y = make_classification(160, 3, n_informative=3, n_redundant=0, weights=[0.7], random_state=0)
    model = quick(cv=2, binarizer="quantile", **{"max_depth": 2, **parameters}).fit(X, y)
    assert model.score(X, y) == pytest.approx(score(y, model.predict(X), model.predict_proba(X)[:, 1]))
    assert 0 < len(model.regularizations_) == len(model.cv_results_["n_leaves"])


def test_any_scorer_of_scikit_learn_chooses():
    X, y = load_breast_cancer(return_X_y=True)
    model = quick(scoring="neg_log_loss", cv=3, max_depth=2).fit(X, y)
    assert model.best_score_ < 0
    assert model.score(X, y) < 0


def test_groups_go_to_the_splitter():
    X, y = load_monk(1, return_X_y=True)
    groups = np.arange(len(y)) % 3
    model = quick(cv=GroupKFold(3), binarizer="exact").fit(X, y, groups=groups)
    assert model.n_splits_ == 3
    with pytest.raises(ValueError, match="groups"):
        quick(cv=GroupKFold(3), binarizer="exact").fit(X, y)


def test_a_weight_counts_as_so_many_rows_in_the_searches_and_the_scores():
    X, y = (np.asarray(part) for part in load_monk(1, return_X_y=True))
    weights = 1 + np.arange(len(y)) % 2
    twice = np.repeat(np.arange(len(y)), weights)
    half = np.arange(len(y)) < len(y) // 2
    folds = [(np.flatnonzero(half), np.flatnonzero(~half)), (np.flatnonzero(~half), np.flatnonzero(half))]
    repeated = [tuple(np.flatnonzero(np.isin(twice, part)) for part in fold) for fold in folds]
    weighted = quick(cv=folds, binarizer="exact").fit(X, y, weights)
    equal = quick(cv=repeated, binarizer="exact").fit(X[twice], y[twice])
    assert weighted.regularizations_ == pytest.approx(equal.regularizations_)
    assert weighted.cv_results_["mean_test_score"] == pytest.approx(equal.cv_results_["mean_test_score"], abs=0.05)
    assert weighted.objective_ == pytest.approx(equal.objective_)


def test_metadata_routing_passes_groups_and_weights_that_are_requested():
    X, y = load_monk(1, return_X_y=True)
    groups, weights = np.arange(len(y)) % 3, np.ones(len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        splitter = GroupKFold(3).set_split_request(groups=True)
        model = quick(cv=splitter, binarizer="exact").set_fit_request(sample_weight=True)
        assert model.fit(X, y, weights, groups=groups).n_splits_ == 3
        assert model.get_metadata_routing() is not None
        with pytest.raises(TypeError, match="unexpected"):
            model.fit(X, y, weights, something=groups)


def test_the_smallest_leaf_penalty_depends_on_the_number_of_rows():
    X, y = load_monk(2, return_X_y=True)
    auto = GOSDTClassifierCV(max_depth=2, cv=2).fit(X, y)
    assert auto.path_.path[0].regularization_min == pytest.approx(max(0.0001, min(0.01, 1 / len(y))))


@pytest.mark.parametrize("make", [GOSDTClassifierCV, SPLITClassifierCV], ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("small", TypeError, "min_regularization must be a number, got 'small'"),
        (-0.1, ValueError, "min_regularization must be at least 0 and finite, got -0.1"),
    ],
)
def test_a_wrong_smallest_leaf_penalty_is_named(wine, make, value, error, message):
    with pytest.raises(error, match=message):
        make(value).fit(*wine)


@pytest.mark.parametrize("least", [0.6, 1.0])
@pytest.mark.parametrize("make", [GOSDTClassifierCV, GOSDTRegressorCV], ids=lambda make: make.__name__)
def test_a_smallest_leaf_penalty_for_which_only_a_single_leaf_is_left_is_that_of_the_folds(make, least):
    X = np.arange(30).reshape(30, 1)
    found = make(min_regularization=least, cv=3).fit(X, np.arange(30) % 3 == 0)
    assert found.n_leaves_ == 1
    assert found.regularizations_ == pytest.approx([least], abs=1e-9)


def test_an_unknown_argument_of_score_is_an_error(wine):
    with pytest.raises(TypeError, match=r"score got unexpected arguments \['kind'\]"):
        quick().fit(*wine).score(*wine, kind=[1])


def test_an_unknown_argument_of_fit_is_an_error(wine):
    with pytest.raises(TypeError, match=r"unexpected arguments \['kind'\].*enable_metadata_routing"):
        quick().fit(*wine, kind=[1])


def test_folds_with_one_class_are_an_error_that_says_what_to_do(wine):
    X, y = (part[wine[1] < 2] for part in wine)
    with pytest.raises(ValueError, match=r"fold 0 have only the class 1; use a cv .*StratifiedKFold"):
        quick(cv=KFold(2)).fit(X, y)


def test_more_folds_than_rows_are_an_error_that_names_the_parameter():
    with pytest.raises(ValueError, match=r"cv=None cannot split these rows. .*n_splits=5"):
        GOSDTClassifierCV().fit([[0], [1], [2]], [0, 1, 1])


def test_rows_of_a_class_that_the_training_rows_of_a_fold_lack_count_as_wrong(wine):
    X, y = wine
    model = quick(cv=KFold(3)).fit(X, y)  # sorted by class: fold 0 has all rows of class 0
    assert model.cv_results_["split0_test_score"].max() < 0.1


def test_a_score_that_is_no_number_is_an_error_that_says_what_to_do(wine):
    with pytest.raises(ValueError, match=r"score of fold 0 is nan; .*StratifiedKFold"):
        quick(scoring=lambda *_: float("nan")).fit(*wine)


def test_unknown_rules_are_refused(wine):
    with pytest.raises(ValueError, match="rule must be 'best' or 'one_standard_error', got 'two'"):
        quick(rule="two").fit(*wine)


class SlowPaths(GOSDTClassifierCV):
    """Whatever a search is limited to, half a second is added, by a clock of its own."""

    _classifier = GOSDTClassifier
    now, limits = 0.0, []

    def _candidates_of(self):
        make = super()._candidates_of()

        def late(X, y, sample_weight, penalties, seconds):
            self.limits.append(seconds)
            SlowPaths.now += seconds + 0.5
            return make(X, y, sample_weight, penalties, None)

        return late


def test_folds_end_with_the_time_limit_whatever_they_take_beyond_their_searches(wine, monkeypatch):
    monkeypatch.setattr(_budget, "perf_counter", lambda: SlowPaths.now)
    monkeypatch.setattr(_cross_validation.time, "time", lambda: SlowPaths.now)
    SlowPaths(0.02, binarizer="quantile", max_depth=2, cv=4, time_limit=6).fit(*wine)
    assert SlowPaths.limits == pytest.approx([2, *[3.5 / 4 - 0.5] * 4])
    assert SlowPaths.now == pytest.approx(6)


def test_the_warning_of_a_stopped_search_names_the_path(wine):
    with pytest.warns(NotProvenWarning, match=r"The regularization path is not proven for \d+ of \d+ sizes"):
        GOSDTClassifierCV(time_limit=0, cv=2).fit(*wine)


def test_it_works_in_a_pipeline_and_as_a_clone(wine):
    X, y = wine
    piped = make_pipeline(FunctionTransformer(), quick()).fit(X, y)
    assert piped.score(X, y) > 0.9
    assert clone(quick(rule="one_standard_error")).rule == "one_standard_error"


def test_warnings_about_rows_come_once_not_once_for_each_fold():
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, (300, 30)), draw.integers(0, 2, 300)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        GOSDTClassifierCV(0.003, binarizer=None, cv=2, time_limit=1.0).fit(X, y)
    assert len(caught) == 1


# What a cross-validation has in another form, or not at all: a reference predicts all rows, not those of a fold;
# what is known is about one leaf penalty.
NOT_OF_CV = {
    GOSDTClassifierCV: {
        *("regularization", "reference", "gap_limit", "trace", "bounds", "temporary_folder"),
        *OF_ONE_SEARCH,
    },
    SPLITClassifierCV: {"regularization", "trace", "certify", "temporary_folder"},
}


@pytest.mark.parametrize(
    ("plain", "with_cv"), [(GOSDTClassifier, GOSDTClassifierCV), (SPLITClassifier, SPLITClassifierCV)]
)
def test_parameters_are_those_of_the_classifier_of_each_leaf_penalty(plain, with_cv):
    assert set(plain().get_params()) - set(with_cv().get_params()) == NOT_OF_CV[with_cv]


def test_labelling_reaches_the_searches():
    X, y = make_classification(60, 3, n_informative=3, n_redundant=0, weights=[0.7], random_state=0)
    parameters = {"objective": "f1", "labelling": "omega", "omega": 3.0, "max_depth": 1, "binarizer": "quantile"}
    model = GOSDTClassifierCV(0.01, cv=2, time_limit=None, **parameters).fit(X, y)
    assert model.tree_ == GOSDTClassifier(model.regularization_, time_limit=None, **parameters).fit(X, y).tree_


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"objective": "cost", "cost_matrix": np.full((3, 3), 4.0) - 4 * np.eye(3)},
        {"completion": "greedy", "binarizer": "quantile"},
    ],
)
def test_split_compares_leaf_penalties_with_searches_of_its_own(wine, parameters):
    table, labels = wine[0][:, [0, 6, 9]], wine[1]
    X, y = table[::2], labels[::2]  # few rows and thresholds: there are 80 searches
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = SPLITClassifierCV(0.02, max_depth=3, cv=folds, **parameters).fit(X, y)
    unit = 4 if "objective" in parameters else 1
    assert model.regularizations_ == pytest.approx(np.geomspace(0.02, 0.1 * unit, 10))
    own = SPLITClassifier(model.regularization_, max_depth=3, **parameters)
    assert model.tree_ == own.fit(X, y).tree_
    if not parameters:
        assert model.best_score_ == pytest.approx(cross_val_score(own, X, y, cv=folds).mean())
        whole = SPLITClassifierCV(max_depth=2, cv=2).fit(table, labels)
        assert whole.regularizations_[0] == pytest.approx(1 / len(labels))
    assert 0 < model.n_leaves_ == model.cv_results_["n_leaves"][model.best_index_]


def test_the_picture_has_the_mean_scores_and_the_chosen_leaf_penalty(wine):
    model = quick().fit(*wine)
    axes = plot_cv(model)
    assert axes.get_ylabel() == "mean score of 5 folds"
    assert axes.lines[0].get_ydata().tolist() == model.cv_results_["mean_test_score"].tolist()
    assert axes.lines[-1].get_xdata()[0] == model.regularization_
    with pytest.raises(sklearn.exceptions.NotFittedError):
        plot_cv(quick())
