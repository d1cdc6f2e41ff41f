"""The JSON of gosdt and treefarms is read as their programs mean it."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.export import from_gosdt_json

A, B, C = [0, 0, 0, 0, 1, 1, 1, 1] * 4, [0, 0, 1, 1, 0, 0, 1, 1] * 4, [0, 1] * 16
TABLE = pd.DataFrame({"a": A, "b": B, "c": C})
THREE = pd.Series([0, 0, 1, 1, 1, 1, 0, 2] * 4, name="cls")
TWO = pd.Series([0, 0, 1, 1, 1, 1, 0, 1] * 4, name="cls")

# As gosdt 1.0.4 writes its model of TABLE and THREE: a list, features and classes by number.
GOSDT = """[{"false": {"false": {"complexity": 0.03125, "loss": 0.0, "prediction": 0}, "feature": 0,
"true": {"complexity": 0.03125, "loss": 0.0, "prediction": 1}}, "feature": 1,
"true": {"false": {"complexity": 0.03125, "loss": 0.0, "prediction": 1}, "feature": 0,
"true": {"false": {"complexity": 0.03125, "loss": 0.0, "prediction": 0}, "feature": 2,
"true": {"complexity": 0.03125, "loss": 0.0, "prediction": 2}}}}]"""
# As a tree of treefarms 0.2.4 writes itself: one tree, with relations, classes by number.
TREEFARMS = """{"feature": 0, "relation": "==", "reference": "true", "true": {"feature": 1, "relation": "==",
"reference": "true", "true": {"feature": 2, "relation": "==", "reference": "true", "true": {"prediction": 1, "name":
"Prediction"}, "false": {"prediction": 0, "name": "Prediction"}}, "false": {"prediction": 1, "name": "Prediction"}},
"false": {"feature": 1, "relation": "==", "reference": "true", "true": {"prediction": 1, "name": "Prediction"},
"false": {"prediction": 0, "name": "Prediction"}}}"""
# As the search of treefarms prints it: with the names of the columns and of the target, and the classes themselves.
NAMED = """{"false": {"complexity": 0.01, "loss": 0.25, "name": "cls", "prediction": "no"}, "feature": 1,
"model_objective": 0.3, "name": "b", "reference": 1, "relation": "==", "true": {"complexity": 0.01, "loss": 0.1,
"name": "cls", "prediction": "yes"}, "type": "integral"}"""


def test_a_model_of_gosdt_predicts_its_training_rows():
    [tree] = from_gosdt_json(GOSDT, TABLE, THREE)
    assert tree.predict(TABLE).tolist() == THREE.tolist()
    assert tree.n_leaves == 5
    assert tree.target_name == "cls"
    assert tree.n_samples[0] == 32
    assert tree.class_weights[0].tolist() == [12, 16, 4]


def test_classes_by_number_are_those_of_y_in_sorted_order():
    labels = THREE.map({0: "apple", 1: "lime", 2: "plum"})
    [tree] = from_gosdt_json(GOSDT, TABLE, labels)
    assert tree.predict(TABLE).tolist() == labels.tolist()


@pytest.mark.parametrize("labels", [{0: 0, 1: 1}, {0: 1, 1: 2}, {0: "no", 1: "yes"}, {0: False, 1: True}])
def test_a_tree_of_treefarms_predicts_its_training_rows(labels):
    y = TWO.map(labels)
    [tree] = from_gosdt_json(TREEFARMS, TABLE, y)
    assert tree.predict(TABLE).tolist() == y.tolist()


def test_classes_by_name_are_the_labels():
    [tree] = from_gosdt_json(NAMED, TABLE, TWO.map({0: "no", 1: "yes"}))
    assert tree.predict(TABLE).tolist() == ["yes" if b else "no" for b in B]
    [numbers] = from_gosdt_json(NAMED.replace('"no"', "1").replace('"yes"', "2"), TABLE, TWO + 1)
    assert numbers.predict(TABLE).tolist() == [2 if b else 1 for b in B]


def test_weights_are_those_of_the_rows():
    weights = np.arange(1, 33)
    [tree] = from_gosdt_json(GOSDT, TABLE, THREE, weights)
    assert tree.class_weights[0].sum() == weights.sum()


def test_numbers_are_compared_as_the_relation_says():
    ages = pd.DataFrame({"age": [20, 30, 30, 40, 50]})
    model = {"feature": 0, "relation": ">=", "reference": 30, "true": {"prediction": 1}, "false": {"prediction": 0}}
    [tree] = from_gosdt_json(json.dumps(model), ages, [0, 1, 1, 1, 0])
    assert tree.predict(pd.DataFrame({"age": [29.999999999999996, 30, 30.1]})).tolist() == [0, 1, 1]


def test_categories_are_compared_as_the_relation_says():
    colors = pd.DataFrame({"color": ["red", "green", "blue", "red"]})
    model = {"feature": 0, "relation": "==", "reference": "red", "true": {"prediction": 1}, "false": {"prediction": 0}}
    [tree] = from_gosdt_json(json.dumps(model), colors, [1, 0, 0, 1])
    assert tree.predict(colors).tolist() == [1, 0, 0, 1]


RECORDS = st.recursive(
    st.fixed_dictionaries({"prediction": st.integers(0, 2), "loss": st.just(0.0)}),
    lambda below: st.fixed_dictionaries({"feature": st.integers(0, 3), "true": below, "false": below}),
    max_leaves=8,
)


def predicted(record, row):
    while "prediction" not in record:
        record = record["true" if row[record["feature"]] == 1 else "false"]
    return record["prediction"]


def reached(record, rows):
    if "prediction" in record:
        return len(rows) > 0
    sides = (
        ("true", [row for row in rows if row[record["feature"]] == 1]),
        (
            "false",
            [row for row in rows if row[record["feature"]] != 1],
        ),
    )
    return all(reached(record[side], here) for side, here in sides)


@given(RECORDS)
def test_any_tree_predicts_as_a_walk_from_its_root_or_has_a_leaf_without_rows(record):
    rows = [[number >> bit & 1 for bit in range(4)] for number in range(16)]
    labels = [number % 3 for number in range(16)]
    if reached(record, rows):
        [tree] = from_gosdt_json(json.dumps([record]), rows, labels)
        assert tree.predict(rows).tolist() == [predicted(record, row) for row in rows]
    else:
        with pytest.raises(ValueError, match="no row of X reaches this leaf"):
            from_gosdt_json(json.dumps([record]), rows, labels)


LEAF = {"prediction": 0}


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested too deeply|not valid JSON"),
        ("3", "tree 0 is 3; expected dict"),
        ([LEAF, None], "tree 1 is None; expected dict"),
        ({"feature": 0, "true": LEAF}, r"tree 0: a node needs .* it lacks \['false'\]"),
        ({"feature": 3, "true": LEAF, "false": LEAF}, "tree 0: feature is 3; expected 0 to 2"),
        ({"feature": True, "true": LEAF, "false": LEAF}, "tree 0: feature is True"),
        ({"feature": 0, "name": "b", "true": LEAF, "false": LEAF}, "column 0 is named 'b' in the model and 'a' in X"),
        ({"feature": 0, "true": {"prediction": 7}, "false": LEAF}, "tree 0, true: prediction is 7; expected 0 to 2"),
        ({"feature": 0, "true": {"prediction": "x", "name": "cls"}, "false": LEAF}, "which is not a class in y"),
        ({"feature": 0, "relation": "<", "true": LEAF, "false": LEAF}, "relation '<' with reference 1 does not suit"),
        ({"feature": 0, "reference": "red", "true": LEAF, "false": LEAF}, "reference 'red' does not suit column 'a'"),
        (
            {"feature": 0, "true": LEAF, "false": {"feature": 0, "true": LEAF, "false": LEAF}},
            "tree 0, false.true: no row of X reaches this leaf",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(model, said):
    text = model if isinstance(model, str) else json.dumps(model)
    with pytest.raises(ValueError, match=said):
        from_gosdt_json(text, TABLE, THREE)


def test_data_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"y must have shape \(32,\)"):
        from_gosdt_json(GOSDT, TABLE, THREE[:5])
    with pytest.raises(ValueError, match="this column of X must hold 0 and 1 only"):
        from_gosdt_json(GOSDT, TABLE * 2, THREE)
    with pytest.raises(ValueError, match="sample_weight must be greater than 0"):
        from_gosdt_json(GOSDT, TABLE, THREE, [0] + [1] * 31)
