"""The tree: walking down, its statistics, its parts, copies and comparison."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.conditions import AtMost, IsIn, IsMissing, IsOne
from hornbeam.table import TableSchema, read_table
from hornbeam.tree import Tree
from python.tree_making import grow, random_frame, rows_of, single_leaf, stump, tree_of_arrays, walk

seeds = st.integers(0, 10**6)
ARRAYS = ("left", "right", "prediction", "class_weights", "n_samples", "classes")


@given(seeds)
@settings(max_examples=25)
def test_every_row_takes_the_path_of_a_walk_by_hand(seed):
    tree = grow(seed).tree
    new = random_frame(np.random.default_rng(seed + 1), 60, words=("red", "it's", "a word never seen"))
    paths = [walk(tree, row) for row in rows_of(new)]
    assert tree.apply(new).tolist() == [path[-1] for path in paths]
    matrix = tree.decision_path(new)
    assert matrix.shape == (60, tree.n_nodes)
    assert [matrix[row].indices.tolist() for row in range(60)] == paths
    assert set(matrix.data.tolist()) == {1}
    assert tree.predict(new).tolist() == [tree.classes[tree.prediction[path[-1]]] for path in paths]


@given(seeds)
@settings(max_examples=20)
def test_statistics_of_a_node_are_those_of_the_training_rows_that_pass_it(seed):
    grown = grow(seed)
    passes = grown.tree.decision_path(grown.frame).toarray().astype(bool)
    for node in range(grown.tree.n_nodes):
        rows = passes[:, node]
        assert grown.tree.n_samples[node] == rows.sum()
        expected = np.bincount(grown.codes[rows], grown.weights[rows], 3)
        assert grown.tree.class_weights[node].tolist() == expected.tolist()
    shares = grown.tree.predict_proba(grown.frame)
    leaf_weights = grown.tree.class_weights[grown.tree.apply(grown.frame)]
    assert np.allclose(shares * leaf_weights.sum(axis=1, keepdims=True), leaf_weights)
    assert np.allclose(shares.sum(axis=1), 1)


@given(seeds)
@settings(max_examples=20)
def test_number_of_leaves_and_depth_agree_with_the_paths(seed):
    grown = grow(seed)
    paths = grown.tree.decision_path(grown.frame)
    assert grown.tree.depth == paths.sum(axis=1).max() - 1
    assert grown.tree.n_leaves == len(set(grown.tree.apply(grown.frame).tolist()))
    assert grown.tree.n_nodes == 2 * grown.tree.n_leaves - 1
    assert grown.tree.has_missing == tuple(grown.frame.isna().any())


def test_a_missing_value_fails_every_condition_but_is_missing():
    schema = TableSchema(("n", "c"), ("number", "category"), True)
    missing = read_table(pd.DataFrame({"n": [np.nan], "c": pd.Series([None], dtype=object)}), expect=schema)
    for condition, leaf in ((AtMost(0, 9.0), 2), (IsOne(0), 2), (IsIn(1, ("a",)), 2), (IsMissing(0), 1)):
        tree = stump(conditions=(condition, None, None), columns=schema, has_missing=(True, True))
        assert tree.apply(missing).tolist() == [leaf]


def test_prediction_is_not_the_class_of_largest_share_where_costs_say_so():
    tree = stump(prediction=[0, 1, 1])
    assert tree.predict([[20.0]]).tolist() == ["yes"]
    assert tree.predict_proba([[20.0]]).tolist() == [[0.8, 0.2]]


def test_each_condition_is_evaluated_once_and_only_on_the_rows_that_reach_it(monkeypatch):
    grown = grow(7, columns=("age", "x"))
    seen = []
    for kind in (AtMost, IsMissing):
        original = kind.holds
        monkeypatch.setattr(
            kind,
            "holds",
            lambda self, column, original=original: seen.append(len(column.values)) or original(self, column),
        )
    grown.tree.apply(grown.frame)
    assert seen == grown.tree.n_samples[grown.tree.left >= 0].tolist()
    assert len(seen) > 3


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_arrays_lists_pandas_and_polars_give_the_same_predictions():
    grown = grow(3, columns=("age", "x", 'is "so"'))
    expected = grown.tree.predict(grown.frame).tolist()
    array = grown.frame.to_numpy()
    for data in (array, array.astype(object), array.tolist(), pl.from_pandas(grown.frame), grown.table):
        assert grown.tree.predict(data).tolist() == expected


def test_a_table_with_other_columns_is_refused():
    tree = stump()
    with pytest.raises(ValueError, match="X has 2 features, but Tree is expecting 1 features as input"):
        tree.predict([[1.0, 2.0]])
    with pytest.raises(ValueError, match="Feature names unseen at fit time:\n- height"):
        stump(columns=TableSchema(("age",), ("number",), True)).predict(pd.DataFrame({"height": [1.0]}))
    with pytest.raises(ValueError, match="'age' of X holds categories"):
        tree.predict(np.array([["old"]]))


@pytest.mark.parametrize(
    "classes",
    [["no", "yes"], [0, 1], [-3, 7], [False, True], [0.5, 1.5], np.array(["no", "yes"], dtype=object), [2**40, 2**41]],
)
def test_predictions_have_the_type_of_the_class_labels(classes):
    tree = stump(classes=np.array(classes))
    predicted = tree.predict([[20.0], [30.0]])
    assert predicted.dtype == np.array(classes).dtype
    assert predicted.tolist() == list(classes)


def test_a_single_leaf_predicts_for_every_row_and_has_depth_0():
    tree = single_leaf()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (1, 1, 0)
    assert tree.predict([[1.0], [2.0]]).tolist() == ["no", "no"]
    assert tree.predict_proba([[1.0]]).tolist() == [[0.75, 0.25]]
    assert tree.decision_path([[1.0], [2.0]]).toarray().tolist() == [[1], [1]]


def test_a_tree_cannot_be_changed():
    weights = np.array([[5.0, 5.0], [4.0, 1.0], [1.0, 4.0]])
    tree = stump(class_weights=weights)
    weights[0, 0] = 99
    assert tree.class_weights[0, 0] == 5
    with pytest.raises(AttributeError):
        tree.prediction = np.zeros(3)
    for name in ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[0] = getattr(tree, name)[1]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda tree: pickle.loads(pickle.dumps(tree))])
def test_copies_are_equal_and_read_only_too(duplicate):
    grown = grow(11)
    other = duplicate(grown.tree)
    assert other == grown.tree
    assert other is not grown.tree
    assert other.predict(grown.frame).tolist() == grown.tree.predict(grown.frame).tolist()
    assert not any(getattr(other, name).flags.writeable for name in ARRAYS)


@pytest.mark.parametrize(
    "change",
    [
        {"prediction": [0, 1, 1]},
        {"conditions": (AtMost(0, 26.5), None, None)},
        {"class_weights": [[5.0, 5.0], [4.0, 1.0 + 1e-9], [1.0, 4.0]]},
        {"n_samples": [10, 6, 4]},
        {"classes": np.array(["no", "Yes"])},
        {"classes": np.array([0, 1])},
        {"columns": TableSchema(("size",), ("number",), True)},
        {"columns": TableSchema(("age",), ("number",), True)},
        {"has_missing": (True,)},
        {"target_name": "other"},
    ],
)
def test_trees_that_differ_in_one_part_are_not_equal(change):
    assert stump() == stump()
    assert stump(**change) != stump()


def test_labels_are_compared_by_value_and_type_and_trees_have_no_hash():
    assert stump(classes=np.array([0, 1])) != stump(classes=np.array([False, True]))
    assert stump(classes=np.array([0, 1])) != stump(classes=np.array([0.0, 1.0]))
    assert stump(classes=np.array([0, 1], dtype=np.int8)) == stump(classes=np.array([0, 1]))
    assert stump(classes=np.array(["no", "yes"], dtype=object)) == stump()
    assert stump() != "a tree"
    with pytest.raises(TypeError):
        hash(stump())


def test_repr_is_one_short_line():
    assert repr(stump()) == "<Tree of 2 leaves, depth 1, 1 column, 2 classes>"
    assert "1 leaf," in repr(single_leaf())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": [1, -1]}, r"left: expected shape \(3,\), found \(2,\)"),
        ({"class_weights": [[1.0], [1.0], [1.0]]}, r"class_weights: expected shape \(3, 2\)"),
        ({"left": [2, -1, -1], "right": [1, -1, -1]}, "node 1 is out of place"),
        ({"left": [0, -1, -1]}, "children 0 and 2 of node 0 are not among its later nodes"),
        ({"right": [3, -1, -1]}, "children 1 and 3 of node 0 are not among its later nodes"),
        ({"right": [1, -1, -1]}, "node 2 is out of place|several nodes"),
        ({"left": [1, -1, 1]}, "leaf 2 has children 1 and -1"),
        ({"conditions": (None, None, None)}, "leaf 0 has children 1 and 2"),
        ({"conditions": (AtMost(1, 2.0), None, None)}, "node 0 tests column 1; the number of columns is 1"),
        ({"conditions": (AtMost(0, float("nan")), None, None)}, "threshold of node 0 is nan"),
        ({"conditions": (IsIn(0, ("a",)), None, None)}, "node 0 needs a column of kind 'category'"),
        ({"prediction": [0, 0, 2]}, "prediction: expected indices from 0 to 1"),
        ({"class_weights": [[5.0, 5.0], [4.0, 1.0], [1.0, np.inf]]}, "class_weights: expected finite weights"),
        ({"class_weights": [[5.0, 5.0], [0.0, 0.0], [5.0, 5.0]]}, "every node must be reached"),
        ({"class_weights": [[5.0, 5.0], [4.0, 1.0], [2.0, 4.0]]}, "class_weights: the weights of two children"),
        ({"n_samples": [10, 5, 6]}, "n_samples: the rows of two children"),
        ({"classes": np.array(["no", "no"])}, "classes: the labels must differ"),
        ({"classes": np.array([0.0, np.nan])}, "classes: label nan"),
        ({"columns": TableSchema(("age",), ("color",), True)}, "kind of 'age' is 'color'"),
        ({"has_missing": ()}, "0 entries of has_missing"),
    ],
)
def test_parts_that_make_no_tree_are_refused_by_name(change, message):
    with pytest.raises(ValueError, match=message):
        stump(**change)


def test_labels_and_categories_of_other_types_are_refused():
    with pytest.raises(TypeError, match="label datetime"):
        stump(classes=np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]"))
    category = TableSchema(("age",), ("category",))
    with pytest.raises(TypeError, match=r"category \('a', 'b'\) of type tuple"):
        stump(conditions=(IsIn(0, (("a", "b"),)), None, None), columns=category)
    with pytest.raises(ValueError, match="empty list"):
        stump(conditions=(IsIn(0, ()), None, None), columns=category)


def test_a_tree_of_several_hundred_levels_works():
    n_leaves = 400
    node = np.arange(2 * n_leaves - 1, dtype=np.int32)
    is_leaf = (node % 2 == 1) | (node == node[-1])
    rows = np.arange(n_leaves, dtype=float)
    table = read_table(rows[:, np.newaxis])
    arrays = {
        "column": np.where(is_leaf, -1, node // 2),
        "left": np.where(is_leaf, -1, node + 1),
        "right": np.where(is_leaf, -1, node + 2),
        "prediction": node % 2,
    }
    conditions = [AtMost(0, row + 0.5) for row in rows]
    tree = tree_of_arrays(arrays, conditions, table, rows.astype(np.int32) % 2, rows + 1, np.array([0, 1]))
    assert tree.depth == n_leaves - 1
    assert len(set(tree.apply(table).tolist())) == n_leaves
    assert Tree.from_json(tree.to_json()) == tree
    assert tree.to_text().count("predict") == tree.to_sql().count("THEN") + 1 == len(tree.to_rules()) == n_leaves
