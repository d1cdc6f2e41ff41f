"""Binarizers and functions, given odd values: refused by name, or a right result."""

import inspect

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from hornbeam import (
    GOSDTClassifier,
    RashomonSetClassifier,
    ThresholdBinarizer,
    ThresholdGuessBinarizer,
    greedy_splits,
    log_posterior,
    model_class_reliance,
    plot_importance,
    plot_roc,
    plot_trace,
    rashomon_importance,
    sufficient_depth,
)
from hornbeam.export import to_python, to_sql
from python.odd_values import ODD_VALUES, faults_of, is_integer
from python.test_odd_parameters import X, Y

GUESS = ThresholdGuessBinarizer(reference=DecisionTreeClassifier(max_depth=2, random_state=0))
BINARIZERS = (ThresholdBinarizer(), ThresholdBinarizer(strategy="quantile"), GUESS, ThresholdGuessBinarizer())


@pytest.mark.parametrize(
    ("binarizer", "parameter"),
    [
        *((each, parameter) for each in BINARIZERS[:-1] for parameter in each.get_params(deep=False)),
        (BINARIZERS[-1], "random_state"),  # with its own reference, which takes longer
    ],
)
def test_an_odd_value_of_a_parameter_of_a_binarizer_is_refused_by_name_or_gives_conditions(binarizer, parameter):
    def fit(value):
        fitted = type(binarizer)(**{**binarizer.get_params(deep=False), parameter: value}).fit(X, Y)
        return None if fitted.transform(X).shape == (len(X), len(fitted.conditions_)) else "shape"

    faults = faults_of(fit, ODD_VALUES, parameter)
    assert not faults, "\n".join(faults)


@pytest.fixture(scope="module")
def classifier():
    return GOSDTClassifier(trace=True).fit(X, Y)


@pytest.fixture(scope="module")
def estimator():
    return RashomonSetClassifier(regularization=0.05, max_depth=2)


@pytest.fixture(scope="module")
def trees(estimator):
    return estimator.fit(X, Y).rashomon_set_


@pytest.fixture
def arguments(classifier, estimator, trees):
    """Return arguments of each function that it takes."""
    return {
        sufficient_depth: {"n_members": 3, "vc_dimension": 3},
        log_posterior: {"tree": classifier.tree_, "X": X, "y": Y},
        model_class_reliance: {"trees": trees},
        rashomon_importance: {"estimator": estimator, **LONGER, "n_bootstraps": 1, "random_state": 0},
        plot_importance: {"importance": model_class_reliance(trees)},
        plot_trace: {"trace": classifier.trace_},
        plot_roc: {"y": Y, "scores": Y},
        to_sql: {"tree": classifier.tree_},
        to_python: {"tree": classifier.tree_},
    }


LONGER = {"X": pd.concat([X] * 3), "y": [*Y] * 3}  # so that every bootstrap has both classes
FUNCTIONS = [
    (sufficient_depth, ("n_members", "vc_dimension")),
    (log_posterior, ("tree", "y", "alpha", "beta", "rho", "conditions")),
    (model_class_reliance, ("trees", "indices")),
    (rashomon_importance, ("estimator", "sample_weight", "n_bootstraps", "n_samples", "random_state", "n_jobs")),
    (plot_importance, ("importance", "most")),
    (plot_trace, ("trace", "against")),
    (plot_roc, ("y", "scores", "positive", "sample_weight")),
    (to_sql, ("quote",)),
    (to_python, ("function_name",)),
]
CASES = [(function, parameter) for function, parameters in FUNCTIONS for parameter in parameters]


@pytest.mark.parametrize(("function", "parameter"), CASES, ids=lambda part: getattr(part, "__name__", part))
def test_an_odd_argument_of_a_function_is_refused_by_name_or_taken(arguments, function, parameter):
    def call(value):
        try:
            with mpl.rc_context({"backend": "agg", "figure.max_open_warning": 0}):
                function(**{**arguments[function], parameter: value})
        except IndexError as error:  # as documented for the number of a tree
            return None if parameter == "indices" and "is not in a set of" in str(error) else error
        finally:
            plt.close("all")
        return None

    # What is allowed, but takes long: up to 1,024 processes, up to a million bootstraps.
    slow = {"n_jobs": lambda value: value < 0 or value in (3, 1024), "n_bootstraps": lambda value: 3 < value <= 10**6}
    values = [value for value in ODD_VALUES if not (is_integer(value) and slow.get(parameter, lambda _: False)(value))]
    assert parameter in inspect.signature(function).parameters
    faults = faults_of(call, values, parameter)
    assert not faults, "\n".join(faults)


def test_the_posterior_of_huge_and_tiny_parameters_is_that_of_exact_sums(classifier):
    leaf = GOSDTClassifier(max_depth=0).fit(X, Y).tree_  # 3 and 5 rows
    n_negative, n_positive = 3, 5
    for rho in (1e-300, 2.5, 2.0**62, 1e300):
        expected = sum(np.log(rho + i) for n in (n_negative, n_positive) for i in range(n))
        expected -= sum(np.log(2 * rho + i) for i in range(n_negative + n_positive))
        assert log_posterior(leaf, X, Y, rho=rho) == pytest.approx(np.log1p(-0.95) + expected, rel=1e-12)
    # A split below the root of a probability of 2^-1000 has a logarithm, too.
    assert np.isfinite(log_posterior(classifier.tree_, X, Y, beta=1000))


@pytest.mark.parametrize("n", [1024, 2**64])
def test_a_tree_that_is_not_in_the_set_is_an_index_error(trees, n):
    with pytest.raises(IndexError, match="is not in a set of"):
        trees[n]


def test_a_data_frame_in_the_wrong_place_is_named_in_one_line():
    with pytest.raises(TypeError, match=r"trees must be a RashomonSet, .* got <DataFrame of shape \(100, 2\)>\.$"):
        greedy_splits(pd.DataFrame({"a": range(100), "b": 0}))
