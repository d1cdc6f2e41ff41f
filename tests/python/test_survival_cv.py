"""SurvivalTreeCV: its scores are those of fits of its own, its choice, its input and its errors."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, cross_val_score

from hornbeam import SurvivalTree, SurvivalTreeCV, concordance_index, integrated_brier_score, plot_cv


def simulated(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n_rows, 6))
    scale = np.where(X[:, 0] == 1, 1.0, 6.0) * np.where(X[:, 1] == 1, 1.0, 2.0)
    event, end = rng.exponential(scale), rng.uniform(0, 10, n_rows)
    return X, np.column_stack([event <= end, np.minimum(event, end)])


X, Y = simulated()


def quick(**parameters) -> SurvivalTreeCV:
    return SurvivalTreeCV(**{"min_regularization": 0.005, "max_depth": 2, "cv": 3, **parameters})


def test_the_scores_are_those_of_fits_of_its_own():
    folds = KFold(3, shuffle=True, random_state=0)
    model = quick(cv=folds).fit(X, Y)
    assert len(model.regularizations_) >= 3
    for index, penalty in enumerate(model.regularizations_):
        own = cross_val_score(SurvivalTree(min(penalty, 1), 2), X, Y, cv=folds)
        found = [model.cv_results_[f"split{fold}_test_score"][index] for fold in range(3)]
        assert found == pytest.approx(own.tolist())
    alone = SurvivalTree(model.regularization_, 2).fit(X, Y)
    assert model.tree_ == alone.tree_
    assert model.status_ == "optimal"
    assert model.lower_bound_ <= model.objective_ == pytest.approx(alone.objective_)
    assert model.score(X, Y) == concordance_index(Y, model.predict(X))
    assert model.event_times_.tolist() == alone.event_times_.tolist()
    assert model.path_.losses_on(X, Y) == pytest.approx(model.path_.losses)
    assert clone(model).get_params().keys() == model.get_params().keys()


def test_one_standard_error_chooses_no_larger_tree():
    best, smaller = quick().fit(X, Y), quick(rule="one_standard_error").fit(X, Y)
    assert smaller.n_leaves_ <= best.n_leaves_
    assert smaller.regularization_ >= best.regularization_
    assert best.best_score_ == best.cv_results_["mean_test_score"].max() > 0.6
    assert len(plot_cv(best).lines) > 0


def test_all_forms_of_the_target_give_the_same():
    structured = np.array([(bool(event), time) for event, time in Y], dtype=[("event", bool), ("time", float)])
    expected = quick().fit(X, Y)
    for y in (structured, pd.DataFrame(structured), Y.tolist()):
        found = quick().fit(X, y)
        assert found.cv_results_["mean_test_score"].tolist() == expected.cv_results_["mean_test_score"].tolist()
        assert found.n_leaves_ == expected.n_leaves_


def test_a_score_of_the_user_chooses():
    times = np.linspace(0.5, 6, 8)

    def brier(model, X_test, y_test):
        curves = model.predict_survival_function(X_test)
        return -integrated_brier_score(Y, y_test, [curve(times) for curve in curves], times)

    model = quick(scoring=brier).fit(X, Y)
    assert -0.25 < model.best_score_ < 0
    assert model.score(X, Y) == brier(model, X, Y)


def test_groups_and_weights_are_used():
    assert quick(cv=GroupKFold(3)).fit(X, Y, groups=np.arange(len(X)) % 3).n_splits_ == 3
    with pytest.raises(ValueError, match="groups"):
        quick(cv=GroupKFold(3)).fit(X, Y)
    weights = 1 + np.arange(len(X)) % 2
    model = quick().fit(X, Y, weights)
    alone = SurvivalTree(model.regularization_, 2).fit(X, Y, weights)
    assert model.objective_ == pytest.approx(alone.objective_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "largest"}, "rule must be"),
        ({"min_regularization": -1}, "min_regularization"),
        ({"cv": 1}, "k-fold"),
        ({"binarizer": "auto"}, "chooses thresholds by classes"),
        ({"max_depth": -1}, "max_depth"),
    ],
)
def test_a_wrong_parameter_is_refused(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        quick(**parameters).fit(X, Y)


def test_a_fold_that_cannot_be_fitted_or_scored_is_refused():
    late = np.column_stack([np.arange(60) >= 40, np.arange(60.0)])
    with pytest.raises(ValueError, match="training rows of fold 1 have no event"):
        quick(cv=[(np.arange(60), np.arange(40, 60)), (np.arange(40), np.arange(40, 60))]).fit(X[:60], late)
    with pytest.raises(ValueError, match="No two rows of y can be compared"):
        quick(cv=[(np.arange(60), np.arange(40))]).fit(X[:60], late)
    with pytest.raises(ValueError, match="column 1, is -1 in row 3"):
        quick().fit(X[:60], np.where(np.arange(60)[:, None] == 3, [[1, -1.0]], late))
