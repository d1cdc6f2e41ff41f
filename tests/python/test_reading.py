"""What people read in a tree: booleans as such, names of integer columns, one of something and several."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hornbeam import GOSDTClassifier, RashomonSetClassifier, Tree
from hornbeam.conditions import AtMost, IsOne, IsTrue, condition_from_dict, condition_to_dict
from hornbeam.export import to_timbertrek
from hornbeam.plotting import plot_tree
from hornbeam.tree.words import count
from python.tree_making import single_leaf, stump

FLAGS = {"member": [True, True, False, False], "age": [1, 2, 1, 2]}
LABELS = ["yes", "yes", "no", "no"]


def fitted(X, y=LABELS):
    return GOSDTClassifier(0.01).fit(X, y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_boolean_column_is_true_or_false_in_all_that_people_read(frame):
    tree = fitted(frame(FLAGS)).tree_
    assert tree.to_text().startswith("member is true?\n")
    assert [rule.split(",")[0] for rule in tree.to_rules()] == ["If member is true", "If member is false"]
    assert 'label="member is true\\n4 rows"' in tree.to_dot()
    assert tree.to_dict()["text"] == "member is true"
    assert "member is true" in [text.get_text().replace("\xa0", " ") for text in plot_tree(tree).texts]
    assert json.loads(to_timbertrek([(0.0, tree)]))["featureMap"] == {"0": ["member", "is true", "member"]}


def test_what_runs_compares_a_boolean_column_with_one():
    tree = fitted(pd.DataFrame(FLAGS)).tree_
    assert tree.to_sql().startswith('CASE WHEN "member" = 1\n')
    scope: dict = {}
    exec(tree.to_python(), scope)
    predicted = [scope["predict"]({"member": member}) for member in (True, False, 1, 0, None)]
    assert predicted == ["yes", "no", "yes", "no", "no"]
    assert tree.to_sklearn().predict(pd.DataFrame({"member": [1.0, 0.0], "age": [0.0, 0.0]})).tolist() == ["yes", "no"]


def test_numbers_0_and_1_stay_numbers_in_words():
    tree = fitted(pd.DataFrame(FLAGS).astype(int)).tree_
    assert tree.to_text().startswith("member = 1?\n")
    assert [rule.split(",")[0] for rule in tree.to_rules()] == ["If member = 1", "If member = 0"]


def test_a_boolean_with_missing_values_is_true_false_or_missing():
    X = pd.DataFrame({"member": [True, True, False, None]})
    assert [rule.split(",")[0] for rule in fitted(X).tree_.to_rules()] == [
        "If member is true",
        "If (member is false or missing)",
    ]


def test_a_boolean_condition_is_the_same_after_json_and_that_of_an_older_file_is_read():
    tree = fitted(pd.DataFrame(FLAGS)).tree_
    assert tree.conditions[0] == IsTrue(0) != IsOne(0)
    assert Tree.from_json(tree.to_json()) == tree
    older = Tree.from_json(tree.to_json().replace('"is_true"', '"is_one"'))
    assert older.conditions[0] == IsOne(0)
    assert older.to_text().startswith("member = 1?")
    for condition in (IsTrue(3), IsOne(3)):
        assert condition_from_dict(condition_to_dict(condition)) == condition


@pytest.mark.parametrize("X", [pd.DataFrame(FLAGS), np.array([[True], [True], [False], [False]])])
def test_a_tree_fitted_to_booleans_predicts_the_same_from_numbers(X):
    classifier = fitted(X)
    assert isinstance(classifier.tree_.conditions[0], IsTrue)
    assert classifier.predict(X).tolist() == classifier.predict(X.astype(float)).tolist() == LABELS


def test_the_set_of_trees_says_booleans_too():
    found = RashomonSetClassifier(0.5, max_depth=1).fit(pd.DataFrame(FLAGS), LABELS).rashomon_set_
    assert found[0].to_text().startswith("member is true?")


def test_the_label_of_an_integer_column_is_in_the_tree_and_not_in_feature_names_in():
    X = pd.DataFrame({7: [1, 2, 1, 2], 2020: [10, 11, 20, 21]})
    classifier = fitted(X)
    assert classifier.tree_.columns.names == ("7", "2020")
    assert str(classifier.tree_).startswith("column 2020 <= 16?")
    assert classifier.tree_.to_rules()[0].startswith("If column 2020 <= 16, predict yes")
    assert classifier.binarizer_.get_feature_names_out()[-1].startswith("column 2020 <= ")
    assert classifier.tree_.to_sql().startswith('CASE WHEN "2020" <= ')
    assert not hasattr(classifier, "feature_names_in_")
    assert classifier.predict(X).tolist() == classifier.predict(X.to_numpy()).tolist() == LABELS
    assert Tree.from_json(classifier.tree_.to_json()) == classifier.tree_
    assert str(fitted(X.to_numpy()).tree_).startswith("x1 <= 16?")


def test_one_of_something_is_singular():
    assert [count(number, "table entry", "table entries") for number in (0, 1, 1000)] == [
        "0 table entries",
        "1 table entry",
        "1,000 table entries",
    ]
    assert repr(stump()) == "<Tree of 2 leaves, depth 1, 1 column, 2 classes>"
    assert repr(single_leaf()) == "<Tree of 1 leaf, depth 0, 1 column, 2 classes>"
    trees = RashomonSetClassifier(0.0, max_depth=1).fit([[0], [1]], [0, 1]).rashomon_set_
    assert repr(trees).startswith("<RashomonSet of 1 tree, ")
    with pytest.raises(IndexError, match=r"tree 5 is not in a set of 1 tree\."):
        trees[5]


def test_a_threshold_of_the_tree_is_short_and_parts_the_rows_as_before():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X[:, 1] > 0.3
    classifier = GOSDTClassifier(0.01, max_depth=1).fit(X, y)
    condition = classifier.tree_.conditions[0]
    assert isinstance(condition, AtMost)
    assert len(repr(condition.threshold)) <= 6
    assert classifier.predict(X).tolist() == y.tolist()


def test_quantile_thresholds_reach_the_tail_of_a_column_that_is_mostly_zeros():
    gain = np.concatenate([np.zeros(920), np.linspace(100, 9900, 80)]).reshape(-1, 1)
    classifier = GOSDTClassifier(0.001, max_depth=1, binarizer="quantile").fit(gain, gain[:, 0] > 5000)
    assert classifier.loss_ <= 0.005
