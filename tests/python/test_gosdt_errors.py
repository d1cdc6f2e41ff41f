"""GOSDTClassifier given something wrong: an error that names it."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from hornbeam import GOSDTClassifier


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_an_unfitted_classifier_says_so(method):
    with pytest.raises(NotFittedError):
        getattr(GOSDTClassifier(), method)([[0]])


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"regularization": -0.01}, ValueError, "regularization must be at least 0"),
        ({"regularization": float("nan")}, ValueError, "regularization must be at least 0 and finite"),
        ({"regularization": 1.5}, ValueError, "regularization=1.5 is more than the largest possible loss"),
        ({"regularization": "small"}, TypeError, "regularization must be a number, got 'small'"),
        ({"max_depth": -1}, ValueError, "max_depth must be at least 0, got -1"),
        ({"max_depth": 2.0}, TypeError, "max_depth must be an integer, got 2.0"),
        ({"max_leaves": 0}, ValueError, "max_leaves must be at least 1, got 0"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be at least 1"),
        ({"min_samples_leaf": None}, TypeError, "min_samples_leaf must be an integer"),
        ({"objective": "auc2"}, ValueError, "objective must be one of 'accuracy', .*, got 'auc2'"),
        ({"omega": 3}, ValueError, "omega is used by objective='weighted' only"),
        ({"objective": "weighted", "omega": 0}, ValueError, "omega must be greater than 0"),
        ({"objective": "cost"}, ValueError, "objective='cost' needs cost_matrix"),
        ({"objective": "cost", "cost_matrix": [[0, 1]]}, ValueError, r"cost_matrix must have shape \(2, 2\)"),
        ({"class_weight": {"z": 1}}, ValueError, "class_weight names 'z'"),
        (
            {"binarizer": "magic"},
            ValueError,
            "binarizer must be 'exact', 'quantile', 'auto', 'guess', None .* got 'magic'",
        ),
        ({"time_limit": -1}, ValueError, "time_limit must be at least 0"),
        ({"time_limit": np.inf}, ValueError, "time_limit must be finite, got inf. For no limit, set time_limit=None"),
        ({"memory_limit": "1GB"}, TypeError, "memory_limit must be a number, got '1GB'"),
        ({"gap_limit": 1}, ValueError, "gap_limit must be at least 0 and less than 1, got 1"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs must be None or an integer"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0"),
        ({"callback": 3}, TypeError, "callback must be None or callable"),
        (
            {"bounds": {"magic": True}},
            ValueError,
            "bounds has the unknown key 'magic'; the keys are 'clusters', 'equivalent_points', 'leaf_penalty'",
        ),
        ({"bounds": {"subset": 1}}, TypeError, r"bounds\['subset'\] must be True or False"),
        ({"bounds": ["subset"]}, TypeError, "bounds must be None or a dict"),
        ({"trace": 1}, TypeError, "trace must be True or False"),
    ],
)
def test_a_parameter_out_of_range_is_named(parameters, error, message):
    with pytest.raises(error, match=message):
        GOSDTClassifier(**parameters).fit([[0], [1]], [0, 1])


def test_an_unknown_parameter_is_refused():
    with pytest.raises(TypeError, match="depth_limit"):
        GOSDTClassifier(depth_limit=3)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0], [1]], None, "requires y to be passed, but the target y is None"),
        ([[0], [1]], [1], "inconsistent numbers of samples: X has 2 rows, y 1"),
        ([[0], [1]], [0, np.nan], r"Input y contains NaN: the target is missing in 1 row, first in row 1"),
        ([[0], [1]], ["a", None], "Input y contains NaN"),
        ([[0], [1]], ["a", np.nan], "Input y contains NaN"),
        ([[0], [1]], pd.Series(["a", pd.NA], dtype="string"), "Input y contains NaN"),
        ([[0], [1]], pl.Series([1, None]), "Input y contains NaN"),
        ([[0], [1]], [0, np.inf], "infinity"),
        (
            [[0], [1]],
            [1, 1.7],
            "Unknown label type: continuous. .* such as 1.7, .* use GOSDTRegressor",
        ),
        ([[0], [1]], [1, "a"], "Unknown label type: y holds objects of type int, str"),
        ([[0], [1]], np.array([1, "a"], dtype=object), "Unknown label type: y holds objects of type int, str"),
        ([[0], [1]], np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "Unknown label type"),
        ([[0], [1]], [[0, 1], [1, 0]], "y should be a 1d array"),
        ([[0], [1]], ["no", "no"], "y holds only one class, 'no'; a classifier needs rows of at least two classes"),
        ([0, 1], [0, 1], "Expected 2D array, got 1D array"),
        (np.zeros((0, 2)), [], r"Found array with 0 sample\(s\)"),
        ([[np.inf], [1]], [0, 1], "Column 'x0' of X holds an infinite number"),
    ],
)
def test_data_that_cannot_be_fitted_are_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier().fit(X, y)


@pytest.mark.parametrize("weights", [[1], [1, -1], [1, np.nan], [0, 0]])
def test_wrong_weights_are_named(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        GOSDTClassifier().fit([[0], [1]], [0, 1], sample_weight=weights)


def test_one_class_after_dropping_rows_of_weight_zero_is_named():
    with pytest.raises(ValueError, match="only one class"):
        GOSDTClassifier().fit([[0], [1], [1]], [0, 1, 1], sample_weight=[0, 1, 1])


def test_other_columns_at_predict_are_named():
    X = pd.DataFrame({"age": [20, 30], "color": ["red", "blue"]})
    classifier = GOSDTClassifier().fit(X, [0, 1])
    with pytest.raises(ValueError, match=r"X has 3 features, but GOSDTClassifier is expecting 2 features as input"):
        classifier.predict([[0, 1, 2]])
    with pytest.raises(ValueError, match="Feature names seen at fit time, yet now missing:\n- age"):
        classifier.predict(X.drop(columns="age"))
    with pytest.raises(ValueError, match="Column 'color' of X holds numbers, but held categories"):
        classifier.predict(X.assign(color=1))
