"""Objectives as cost matrices: each compared with its definition, written out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score
from sklearn.utils.class_weight import compute_class_weight

from hornbeam.objectives import OBJECTIVES, ClassData, check_objective, exact_fraction


def loss_of(objective, labels, predicted, weights=None, **parameters):
    """Score predictions by the cost matrix of an objective, exactly."""
    classes, codes = np.unique(labels, return_inverse=True)
    weights = [Fraction(1)] * len(labels) if weights is None else [Fraction(int(weight)) for weight in weights]
    totals = tuple(sum(w for w, code in zip(weights, codes, strict=True) if code == c) for c in range(len(classes)))
    loss = OBJECTIVES[objective](ClassData(classes, totals, **parameters))
    guesses = np.searchsorted(classes, predicted)
    terms = (w * loss.costs[c][k] for w, c, k in zip(weights, codes, guesses, strict=True))
    return sum(terms, Fraction(0)) / loss.scale


LABELS = np.array(["a", "b", "b", "c", "c", "c"])
GUESSES = np.array(["b", "b", "a", "c", "a", "c"])


def test_accuracy_is_the_share_of_mistakes():
    assert loss_of("accuracy", LABELS, GUESSES) == Fraction(3, 6)
    assert loss_of("accuracy", LABELS, GUESSES, weights=[5, 1, 1, 1, 1, 1]) == Fraction(7, 10)


def test_balanced_is_one_minus_the_balanced_accuracy():
    assert loss_of("balanced", LABELS, GUESSES) == 1 - (Fraction(0) + Fraction(1, 2) + Fraction(2, 3)) / 3
    assert float(loss_of("balanced", LABELS, GUESSES)) == pytest.approx(1 - balanced_accuracy_score(LABELS, GUESSES))


def test_weighted_is_the_formula_of_gosdt():
    labels, guesses = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 0, 0, 1])
    false_positives, false_negatives, positives, negatives = 1, 1, 2, 3
    expected = Fraction(false_positives + 7 * false_negatives, 7 * positives + negatives)
    assert loss_of("weighted", labels, guesses, omega=7) == expected


def test_cost_is_the_mean_cost_of_a_row_in_the_units_of_the_matrix():
    matrix = [[1, 2, 3], [0, 0.5, 4], [0, 0, 0.1]]
    assert (
        loss_of("cost", LABELS, GUESSES, cost_matrix=matrix)
        == (2 + Fraction(1, 2) + 0 + Fraction(1, 10) + 0 + Fraction(1, 10)) / 6
    )


@pytest.mark.parametrize("objective", ["accuracy", "balanced", "weighted"])
def test_predicting_every_row_wrongly_loses_one_and_rightly_nothing(objective):
    labels = np.array([0, 1, 1])
    assert loss_of(objective, labels, 1 - labels) == 1
    assert loss_of(objective, labels, labels) == 0


@pytest.mark.parametrize("objective", ["accuracy", "cost"])
def test_a_class_weight_is_the_same_as_weighting_the_rows_of_the_class(objective):
    parameters = {"cost_matrix": [[0, 1, 2], [3, 1, 0], [1, 5, 0]]} if objective == "cost" else {}
    weighted_rows = loss_of(objective, LABELS, GUESSES, weights=[1, 3, 3, 1, 1, 1], **parameters)
    assert loss_of(objective, LABELS, GUESSES, class_weight={"b": 3}, **parameters) == weighted_rows


def test_balanced_class_weights_make_accuracy_balanced():
    weights = [3, 1, 1, 2, 1, 1]
    balanced = loss_of("balanced", LABELS, GUESSES, weights)
    assert loss_of("accuracy", LABELS, GUESSES, weights, class_weight="balanced") == balanced


def test_class_weights_multiply_the_balanced_objective():
    assert (
        loss_of("balanced", LABELS, GUESSES, class_weight={"a": 2})
        == (2 * Fraction(1) + Fraction(1, 2) + Fraction(1, 3)) / 4
    )


@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 2.5}, {"c": 2, "a": 0.1, "b": 3, "elsewhere": 1}])
def test_class_weights_are_those_of_scikit_learn(class_weight):
    classes, counts = np.unique(LABELS, return_counts=True)
    data = ClassData(classes, tuple(map(Fraction, counts.tolist())), class_weight=class_weight)
    expected = compute_class_weight(class_weight, classes=classes, y=LABELS)
    assert [float(weight) for weight in data.multipliers()] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int8(3), Fraction(3)),
        (Fraction(1, 3), Fraction(1, 3)),
        (1e-7, Fraction(1, 10**7)),
    ],
)
def test_a_float_is_the_decimal_that_python_prints(value, expected):
    assert exact_fraction(value, "omega") == expected


@given(st.floats(0, allow_infinity=False))
def test_the_fraction_of_a_float_rounds_to_the_float(value):
    assert float(exact_fraction(value, "omega")) == value


@pytest.mark.parametrize(
    ("objective", "parameters", "message"),
    [
        ("weighted", {}, r"objective='weighted' needs two classes, but y holds 3"),
        ("cost", {"cost_matrix": [[0, 1], [1, 0]]}, r"cost_matrix must have shape \(3, 3\).* got shape \(2, 2\)"),
        ("cost", {"cost_matrix": 3}, r"cost_matrix must have shape"),
        ("cost", {"cost_matrix": [[0, 1, 2], [1, 0, -1], [1, 1, 0]]}, r"cost_matrix\[1, 2\] must be .* not negative"),
        ("cost", {"cost_matrix": [[0, 1, 2], [1, 0, np.inf], [1, 1, 0]]}, r"cost_matrix\[1, 2\] must be finite"),
        ("accuracy", {"class_weight": "even"}, r"class_weight must be None, 'balanced' or a dict"),
        ("accuracy", {"class_weight": {"a": 1, "z": 2}}, r"class_weight names 'z', which is not one of the classes"),
        ("accuracy", {"class_weight": {"a": -1}}, r"class_weight of class 'a' must be finite and not negative"),
        ("accuracy", {"class_weight": {"a": 0}}, r"class_weight must be greater than 0"),
    ],
)
def test_parameters_that_do_not_fit_the_classes_are_named(objective, parameters, message):
    with pytest.raises(ValueError, match=message):
        loss_of(objective, LABELS, GUESSES, **parameters)


@pytest.mark.parametrize("omega", [0, -1, np.nan])
def test_omega_out_of_range_is_named(omega):
    with pytest.raises(ValueError, match="omega"):
        loss_of("weighted", np.array([0, 1]), np.array([0, 1]), omega=omega)


@pytest.mark.parametrize("text", ["a", None, [1], True])
def test_a_cost_that_is_no_number_is_a_type_error(text):
    with pytest.raises(TypeError, match=r"omega must be a number"):
        exact_fraction(text, "omega")


@pytest.mark.parametrize(
    ("objective", "omega", "matrix", "message"),
    [
        ("f2", 1.0, None, r"objective must be one of 'accuracy', 'balanced', 'weighted', 'cost', got 'f2'"),
        (["accuracy"], 1.0, None, r"objective must be one of"),
        ("accuracy", 2.0, None, r"omega is used by objective='weighted' only"),
        ("accuracy", 1.0, [[0, 1], [1, 0]], r"cost_matrix is used by objective='cost' only"),
        ("cost", 1.0, None, r"objective='cost' needs cost_matrix"),
    ],
)
def test_a_parameter_of_another_objective_is_not_ignored(objective, omega, matrix, message):
    with pytest.raises(ValueError, match=message):
        check_objective(objective, omega, matrix)
