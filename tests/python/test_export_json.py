"""JSON: everything comes back; nothing that is damaged gets in."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.conditions import IsIn
from hornbeam.table import TableSchema
from hornbeam.tree import Tree
from python.tree_making import WORDS, grow, single_leaf, stump

LABELS = [["no", "yes"], [0, 1], [False, True], [0.5, 1.0], [2**60, 2**60 + 1], ["日本", 'a"b\\'], [1, "1"], [1, 2.5]]
TREE = grow(5).tree


def record_of(tree: Tree = TREE) -> dict:
    return json.loads(tree.to_json())


def read(record: object) -> Tree:
    return Tree.from_json(json.dumps(record))


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_a_tree_read_back_is_equal_and_predicts_the_same(seed):
    grown = grow(seed)
    text = grown.tree.to_json()
    other = Tree.from_json(text)
    assert other == grown.tree
    assert other.to_json() == text
    assert other.predict_proba(grown.frame).tolist() == grown.tree.predict_proba(grown.frame).tolist()
    assert Tree.from_json(text.encode()) == grown.tree


@pytest.mark.parametrize("labels", LABELS)
def test_class_labels_keep_their_types(labels):
    classes = np.empty(2, dtype=object)
    classes[:] = labels
    other = Tree.from_json(stump(classes=classes).to_json())
    assert other.classes.tolist() == labels
    assert list(map(type, other.classes.tolist())) == list(map(type, labels))


def test_categories_keep_their_types_and_letters():
    values = (*WORDS, 1, 2.5, False, "\u2028", "\x00", "")
    tree = stump(conditions=(IsIn(0, values), None, None), columns=TableSchema(("a",), ("category",)))
    read_back = Tree.from_json(tree.to_json()).conditions[0].values
    assert [(type(value), value) for value in read_back] == [(type(value), value) for value in values]


def test_thresholds_and_weights_keep_every_bit():
    tree = stump(class_weights=[[0.1 + 0.2, 1e-300], [0.1, 5e-301], [0.2, 5e-301]])
    assert Tree.from_json(tree.to_json()).class_weights.tolist() == tree.class_weights.tolist()


def test_a_single_leaf_is_read_back():
    assert Tree.from_json(single_leaf().to_json()) == single_leaf()


def test_the_text_is_the_documented_schema():
    assert json.loads(stump().to_json()) == {
        "format": "hornbeam-tree",
        "version": 1,
        "target_name": "target",
        "classes": ["no", "yes"],
        "columns": [{"name": "age", "kind": "number", "has_missing": False}],
        "named": False,
        "nodes": [
            {
                "condition": {"kind": "at_most", "column": 0, "threshold": 25.5},
                "left": 1,
                "right": 2,
                "prediction": 0,
                "n_samples": 10,
                "class_weights": [5.0, 5.0],
            },
            {"prediction": 0, "n_samples": 5, "class_weights": [4.0, 1.0]},
            {"prediction": 1, "n_samples": 5, "class_weights": [1.0, 4.0]},
        ],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("models/tree.json", r"not valid JSON: .*\. It looks like the name of a file; pass what the file holds\."),
        ("[" * 100_000, "nested too deeply|not valid JSON"),
        ("[1, NaN]", "NaN, which is not a number in JSON"),
        (b"\xff\xfe{", "not valid JSON"),
        ("[]", '"format" is none of'),
        ("{}", '"format" is none of'),
        ('{"format": "other"}', '"format" is none of'),
        ('{"format": "hornbeam-tree"}', "version None"),
        ('{"format": "hornbeam-tree", "version": 2}', "version 2 .* reads version 1"),
        ('{"format": "hornbeam-tree", "version": true}', "version True"),
        ('{"format": "hornbeam-tree", "version": "1"}', "version '1'"),
    ],
)
def test_text_that_is_no_tree_of_this_version_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        Tree.from_json(text)


DAMAGES = [
    (("nodes", 0, "left"), 2, "node 1 is out of place|later nodes"),
    (("nodes", 0, "left"), 0, "later nodes"),
    (("nodes", 0, "left"), -1, r"nodes\[0\].left is -1; expected 0 to 2"),
    (("nodes", 0, "right"), 3, r"nodes\[0\].right is 3; expected 0 to 2"),
    (("nodes", 0, "right"), 1, "out of place|several nodes"),
    (("nodes", 0, "right"), 2.0, r"nodes\[0\].right is 2.0; expected int"),
    (("nodes", 0, "left"), True, r"nodes\[0\].left is True; expected int"),
    (("nodes", 0, "prediction"), 2, r"nodes\[0\].prediction is 2; expected 0 to 1"),
    (("nodes", 0, "prediction"), "no", r"nodes\[0\].prediction is 'no'; expected int"),
    (("nodes", 1, "n_samples"), 0, r"nodes\[1\].n_samples is 0"),
    (("nodes", 1, "n_samples"), 2**70, r"nodes\[1\].n_samples is"),
    (("nodes", 1, "n_samples"), 6, "n_samples: the rows of two children"),
    (("nodes", 1, "class_weights"), [1.0], r"nodes\[1\].class_weights must have 2 entries"),
    (("nodes", 1, "class_weights"), [4.0, "1"], r"nodes\[1\].class_weights is '1'; expected a finite number"),
    (("nodes", 1, "class_weights"), [4.0, 10**400], r"nodes\[1\].class_weights is 1000"),
    (("nodes", 1, "class_weights"), [4.0, -1.0], "class_weights: expected finite weights of at least 0"),
    (("nodes", 1, "class_weights"), [0, 0], "every node must be reached"),
    (("nodes", 1), [], r"nodes\[1\] is \[\]; expected dict"),
    (("nodes",), {}, "nodes is {}; expected list"),
    (("nodes",), [], "at least one node"),
    (("nodes", 0, "condition"), None, r"nodes\[0\].condition is None; expected dict"),
    (("nodes", 0, "condition", "kind"), "at_least", r"nodes\[0\].condition.kind is 'at_least'; expected one of"),
    (("nodes", 0, "condition", "kind"), ["at_most"], r"nodes\[0\].condition.kind is \['at_most'\]; expected str"),
    (("nodes", 0, "condition", "kind"), "is_one", r"unknown keys \['threshold'\]"),
    (("nodes", 0, "condition", "column"), 1, "tests column 1; the number of columns is 1"),
    (("nodes", 0, "condition", "column"), -1, r"condition.column is -1"),
    (("nodes", 0, "condition", "threshold"), "2.5", r"condition.threshold is '2.5'; expected a finite number"),
    (("nodes", 0, "condition", "threshold"), True, r"condition.threshold is True; expected a finite number"),
    (("nodes", 0, "condition"), {"kind": "is_in", "column": 0, "values": []}, "'category', but tests|empty list"),
    (("nodes", 0, "condition"), {"kind": "is_in", "column": 0, "values": "ab"}, "values is 'ab'; expected list"),
    (("classes",), [], "must have 0 entries"),
    (("classes",), ["no", "no"], "classes: the labels must differ"),
    (("classes",), ["no", None], r"classes\[1\] is None"),
    (("classes",), "ny", "classes is 'ny'; expected list"),
    (("columns", 0, "kind"), "text", "kind of 'age' is 'text'"),
    (("columns", 0, "kind"), "category", "needs a column of kind 'number'"),
    (("columns", 0, "name"), 3, r"columns\[0\].name is 3; expected str"),
    (("columns", 0, "has_missing"), 0, r"columns\[0\].has_missing is 0; expected bool"),
    (("columns",), [], "tests column 0; the number of columns is 0"),
    (("named",), None, "named is None; expected bool"),
    (("target_name",), 1, "target_name is 1; expected str"),
]


@pytest.mark.parametrize(("place", "value", "message"), DAMAGES)
def test_a_damaged_value_is_refused_by_name(place, value, message):
    record = record_of(stump())
    *parents, last = place
    inside = record
    for key in parents:
        inside = inside[key]
    inside[last] = value
    with pytest.raises(ValueError, match=message) as refusal:
        read(record)
    assert str(refusal.value).startswith("This JSON is a damaged tree.")


def places(record: object, path: tuple = ()):
    """Name every key of every object in the record."""
    items = record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    for key, value in items:
        if isinstance(record, dict):
            yield (*path, key)
        yield from places(value, (*path, key))


def test_a_missing_or_additional_key_is_refused_at_every_place():
    original = record_of(stump())
    for *parents, last in places(original):
        for change in ("remove", "add"):
            record = copy.deepcopy(original)
            inside = record
            for key in parents:
                inside = inside[key]
            if change == "remove":
                del inside[last]
            else:
                inside[f"{last} too"] = 1
            with pytest.raises(ValueError, match=r"keys|format|version|kind is None"):
                read(record)


@given(st.data())
@settings(max_examples=150)
def test_any_other_value_anywhere_gives_a_tree_or_a_value_error_and_nothing_else(data):
    record = record_of()
    *parents, last = data.draw(st.sampled_from(list(places(record))))
    inside = record
    for key in parents:
        inside = inside[key]
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
    inside[last] = data.draw(scalars | st.lists(scalars, max_size=3) | st.dictionaries(st.text(max_size=3), scalars))
    try:
        tree = read(record)
    except ValueError:
        return
    assert Tree.from_json(tree.to_json()) == tree
