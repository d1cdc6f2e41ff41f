"""The fitted tree of scikit-learn predicts the same, and works with the tools made for such trees."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, export_text

from hornbeam.conditions import AtMost, IsIn, IsMissing, IsOne
from hornbeam.table import TableSchema, read_table
from python.tree_making import grow, random_frame, single_leaf, stump

seeds = st.integers(0, 10**6)
NUMBERS = ("age", "x", 'is "so"')


def majority_leaves(tree) -> np.ndarray:
    """Say of each node whether the tree predicts the first class of the largest weight."""
    return tree.class_weights.argmax(axis=1) == tree.prediction


def rounded_to_a_threshold(tree, frame) -> np.ndarray:
    """Say of each row whether it has a value above some threshold that float32 does not tell from it."""
    rounded = np.zeros(len(frame), dtype=bool)
    for condition in tree.conditions:
        if isinstance(condition, AtMost):
            values = frame.iloc[:, condition.column].to_numpy()
            threshold = condition.threshold
            rounded |= (values > threshold) & (values.astype(np.float32) == np.float32(threshold))
    return rounded


@given(seeds)
@settings(max_examples=25)
def test_predictions_leaves_and_paths_are_the_same_also_with_missing_values(seed):
    grown = grow(seed, columns=NUMBERS)
    model = grown.tree.to_sklearn()
    new = random_frame(np.random.default_rng(seed + 1), 80)[list(NUMBERS)]
    for frame in (grown.frame, new[~rounded_to_a_threshold(grown.tree, new)]):
        assert model.apply(frame).tolist() == grown.tree.apply(frame).tolist()
        assert model.predict(frame).tolist() == grown.tree.predict(frame).tolist()
        # scikit-learn 1.6 sends missing values to the wrong side in decision_path, though not in apply.
        complete = frame.dropna()
        assert (model.decision_path(complete) != grown.tree.decision_path(complete)).nnz == 0
        agree = majority_leaves(grown.tree)[grown.tree.apply(frame)]
        assert np.allclose(model.predict_proba(frame)[agree], grown.tree.predict_proba(frame)[agree])


@given(seeds)
@settings(max_examples=30)
def test_the_tree_over_binary_columns_predicts_the_same_also_with_categories(seed):
    grown = grow(seed)
    conditions = list(dict.fromkeys(grown.conditions))
    answers = np.column_stack([c.holds(grown.table.columns[c.column]) for c in conditions])
    model = grown.tree.to_sklearn(conditions=conditions)
    assert model.n_features_in_ == len(conditions)
    assert model.apply(answers).tolist() == grown.tree.apply(grown.frame).tolist()
    assert model.predict(answers).tolist() == grown.tree.predict(grown.frame).tolist()


@given(st.floats(-1e30, 1e30), st.booleans())
@settings(max_examples=200)
def test_every_value_up_to_the_threshold_goes_to_the_same_side_whatever_its_digits(threshold, doubled):
    threshold = threshold * 2 if doubled else threshold
    tree = stump(conditions=(AtMost(0, threshold), None, None))
    model = tree.to_sklearn()
    at_most = np.array([[threshold], [np.nextafter(threshold, -np.inf)], [threshold - 1], [-1e35]])
    beyond = np.float64(np.nextafter(np.float32(threshold), np.float32(np.inf)))
    above = np.array([[beyond], [np.nextafter(beyond, np.inf)], [1e35]])
    assert model.predict(at_most).tolist() == tree.predict(at_most).tolist() == ["no"] * 4
    assert model.predict(above).tolist() == tree.predict(above).tolist() == ["yes"] * 3


@pytest.mark.parametrize("threshold", [1e300, -1e300, 3.5e38])
def test_thresholds_beyond_float32_work(threshold):
    tree = stump(conditions=(AtMost(0, threshold), None, None))
    X = np.array([[-1e38], [0.0], [1e38], [np.nan]])
    assert tree.to_sklearn().predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("condition", [AtMost(0, 0.5), IsOne(0), IsMissing(0)])
def test_a_missing_value_takes_the_same_side(condition):
    tree = stump(conditions=(condition, None, None))
    X = np.array([[0.0], [1.0], [np.nan]])
    assert tree.to_sklearn().apply(X).tolist() == tree.apply(X).tolist()


@pytest.mark.parametrize("weights", [[4.0, 1.0], [2.5, 2.5], [1.0, 4.0], [5.0, 0.0]])
def test_a_class_that_is_not_the_majority_is_still_predicted(weights):
    other = [5.0 - weights[0], 5.0 - weights[1]]
    tree = stump(class_weights=[[5.0, 5.0], weights, other], prediction=[0, 1, 1])
    model = tree.to_sklearn()
    assert model.predict([[20.0], [30.0]]).tolist() == ["yes", "yes"]
    is_majority = weights[1] > weights[0]
    assert model.predict_proba([[20.0]]).tolist() == [[0.2, 0.8] if is_majority else [0.0, 1.0]]


@pytest.mark.parametrize("classes", [["no", "yes"], [3, 5], [False, True], [0.5, 1.5]])
def test_class_labels_keep_their_type(classes):
    model = stump(classes=np.array(classes)).to_sklearn()
    assert model.classes_.dtype == np.array(classes).dtype
    assert model.predict([[20.0], [30.0]]).tolist() == classes


def test_the_model_is_complete_and_can_be_pickled_cloned_printed_and_fitted_again():
    grown = grow(4, columns=NUMBERS)
    model = grown.tree.to_sklearn()
    assert isinstance(model, DecisionTreeClassifier)
    assert model.feature_names_in_.tolist() == list(NUMBERS)
    assert (model.get_depth(), model.get_n_leaves()) == (grown.tree.depth, grown.tree.n_leaves)
    assert model.tree_.n_node_samples.tolist() == grown.tree.n_samples.tolist()
    assert model.tree_.weighted_n_node_samples.tolist() == grown.tree.class_weights.sum(axis=1).tolist()
    assert model.feature_importances_.sum() == pytest.approx(1)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(grown.frame).tolist() == grown.tree.predict(grown.frame).tolist()
    assert export_text(model).count("class:") == grown.tree.n_leaves
    refitted = clone(model).fit(grown.frame, grown.codes)
    assert refitted.n_features_in_ == 3


def test_impurity_is_the_gini_impurity_that_scikit_learn_computes():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    y = np.array([0, 1, 0, 1, 1, 1])
    fitted = DecisionTreeClassifier(max_depth=1).fit(X, y)
    tree = stump(
        conditions=(AtMost(0, float(fitted.tree_.threshold[0])), None, None), classes=np.array([0, 1]),
        class_weights=fitted.tree_.value[:, 0] * fitted.tree_.weighted_n_node_samples[:, np.newaxis],
        n_samples=fitted.tree_.n_node_samples, prediction=fitted.tree_.value[:, 0].argmax(axis=1),
    )  # fmt: skip
    ours, theirs = tree.to_sklearn().tree_.__getstate__(), fitted.tree_.__getstate__()
    assert np.allclose(ours["nodes"]["impurity"], theirs["nodes"]["impurity"])
    assert np.allclose(ours["values"], theirs["values"])
    for field in set(theirs["nodes"].dtype.names) - {"impurity", "missing_go_to_left"}:
        assert ours["nodes"][field].tolist() == theirs["nodes"][field].tolist()


def test_a_single_leaf_becomes_a_single_leaf():
    model = single_leaf(["a", "b", "c"]).to_sklearn()
    assert model.predict([[1.0]]).tolist() == ["a"]
    assert model.predict_proba([[1.0]]).tolist() == [[0.6, 0.2, 0.2]]
    assert model.get_depth() == 0


def test_columns_without_names_of_the_user_give_no_feature_names():
    assert not hasattr(stump().to_sklearn(), "feature_names_in_")
    named = stump(columns=TableSchema(("age",), ("number",), True))
    assert named.to_sklearn().feature_names_in_.tolist() == ["age"]
    assert not hasattr(named.to_sklearn(conditions=[AtMost(0, 25.5)]), "feature_names_in_")


def test_questions_for_categories_are_refused_with_the_way_out():
    tree = stump(conditions=(IsIn(0, ("a",)), None, None), columns=TableSchema(("c",), ("category",), True))
    with pytest.raises(ValueError, match=r"'c in \{a\}'.*to_sklearn\(conditions=binarizer.conditions_\)"):
        tree.to_sklearn()
    model = tree.to_sklearn(conditions=[IsMissing(0), IsIn(0, ("a",))])
    table = read_table(pd.DataFrame({"c": ["a", "b"]}))
    answers = np.column_stack([c.holds(table.columns[0]) for c in (IsMissing(0), IsIn(0, ("a",)))])
    assert model.predict(answers).tolist() == tree.predict(table).tolist()


def test_a_condition_that_is_not_among_the_binary_columns_is_refused():
    with pytest.raises(ValueError, match=r"Node 0 tests 'age <= 25.5', which is not among the 1 conditions"):
        stump().to_sklearn(conditions=[AtMost(0, 24.5)])


def grown_for_tools(classes=("no", "yes", "maybe")):
    """Return a tree over numbers, its twin of scikit-learn, and rows without missing values."""
    grown = grow(2, columns=("age", "x"), classes=classes)
    return grown.tree, grown.tree.to_sklearn(), grown.frame.fillna(0).to_numpy()


@pytest.mark.filterwarnings("ignore")
def test_shap_explains_the_model():
    shap = pytest.importorskip("shap")
    _, model, X = grown_for_tools()
    explained = shap.TreeExplainer(model)(X)
    total = explained.values.sum(axis=1) + explained.base_values
    assert np.allclose(total, model.predict_proba(X), atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_skl2onnx_converts_the_model():
    skl2onnx = pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    tree, model, X = grown_for_tools()
    X = X.astype(np.float32)
    written = skl2onnx.to_onnx(model, X[:1]).SerializeToString()
    session = onnxruntime.InferenceSession(written, providers=["CPUExecutionProvider"])
    (labels, *_) = session.run(None, {session.get_inputs()[0].name: X})
    assert labels.tolist() == model.predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.filterwarnings("ignore")
def test_dtreeviz_draws_the_model():
    dtreeviz = pytest.importorskip("dtreeviz")
    # dtreeviz itself takes no texts as class labels of scikit-learn's trees.
    tree, model, X = grown_for_tools(classes=(0, 1, 2))
    drawing = dtreeviz.model(model, X, tree.predict(X), feature_names=["age", "x"], class_names=["no", "yes", "maybe"])
    assert drawing.view().dot.count("leaf") >= tree.n_leaves
