"""The checks that scikit-learn requires of every estimator; none is expected to fail."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam import (
    GOSDTClassifier,
    GOSDTClassifierCV,
    GOSDTRegressor,
    GOSDTRegressorCV,
    LicketySPLITClassifier,
    LicketySPLITRegressor,
    MAPTreeClassifier,
    OSDTClassifier,
    PolicyTree,
    PolicyTreeCV,
    RashomonSetClassifier,
    RashomonSetPolicyTree,
    RashomonSetRegressor,
    SPLITClassifier,
    SPLITClassifierCV,
    SPLITRegressor,
)


@parametrize_with_checks(
    [
        GOSDTClassifier(),
        GOSDTClassifier(max_depth=2, objective="balanced", binarizer="quantile"),
        GOSDTClassifier(regularization=0.05, max_leaves=3, class_weight="balanced", trace=True),
        GOSDTClassifierCV(cv=2, max_depth=3, time_limit=5.0),
        GOSDTRegressor(max_depth=3),
        GOSDTRegressor(0.05, max_leaves=3, trace=True, time_limit=5.0),
        GOSDTRegressor(max_depth=2, loss="quantile", quantile=0.8, time_limit=5.0),
        GOSDTRegressorCV(cv=2, max_depth=2, time_limit=5.0),
        SPLITClassifierCV(cv=2, max_depth=2),
        SPLITClassifier(lookahead_depth=1, max_depth=3, trace=True),
        LicketySPLITClassifier(certify=True, time_limit=5.0),
        SPLITRegressor(lookahead_depth=1, max_depth=3, trace=True),
        SPLITRegressor(completion="greedy", max_depth=3, binarizer="quantile"),
        LicketySPLITRegressor(trace=True),
        MAPTreeClassifier(),
        OSDTClassifier(time_limit=2.0, trace=True),
        OSDTClassifier(regularization=0.05, policy="objective", max_leaves=3, start=None, binarizer="quantile"),
        MAPTreeClassifier(max_depth=2, binarizer="quantile", time_limit=5.0, trace=True),
        PolicyTree(),
        PolicyTree(max_depth=2, binarizer="quantile", trace=True),
        PolicyTreeCV(cv=2, max_depth=2, time_limit=5.0),
        RashomonSetRegressor(max_depth=2, trace=True),
        RashomonSetPolicyTree(max_depth=2),
        RashomonSetClassifier(max_depth=3, trace=True),
        RashomonSetClassifier(max_depth=3, method="resplit", lookahead_depth=1, trace=True),
        RashomonSetClassifier(0.01, "absolute", max_depth=2, distinct="labels", objective="balanced", time_limit=5.0),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ["check_sample_weight_equivalence_on_dense_data", "check_dtype_object"])
def test_the_checks_include_those_that_depend_on_tags(name):
    from sklearn.utils.estimator_checks import estimator_checks_generator

    names = {getattr(check, "func", check).__name__ for _, check in estimator_checks_generator(GOSDTClassifier())}
    assert name in names
