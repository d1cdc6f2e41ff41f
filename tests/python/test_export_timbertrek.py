"""Sets of trees as TimberTrek's JSON: by our own reading of its format, and by its own program."""

import json
from collections import deque

import numpy as np
import polars
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from hornbeam import RashomonSetClassifier
from hornbeam.export import to_timbertrek

CANCER = load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def cancer():
    return RashomonSetClassifier(0.3, regularization=0.02, max_depth=3).fit(*CANCER).rashomon_set_


def paths_of(node):
    """Return the features on the way to each leaf of a tree, or each mark of a tree in the trie, and what is there."""
    if "c" not in node:
        return [((), node.get("t", node["f"]))]
    inside = [] if node["f"] == "root" else [node["f"] if isinstance(node["f"], str) else node["f"][0]]
    return [((*inside, *path), end) for child in node["c"] for path, end in paths_of(child)]


def test_trees_have_their_conditions_counts_objective_and_accuracy(cancer):
    X, y = CANCER
    found = json.loads(cancer.to_timbertrek(range(25)))
    assert set(found) == {"trie", "featureMap", "treeMap"}
    assert list(found["treeMap"]) == [str(number + 1) for number in range(25)]
    for number, tree in enumerate(cancer[:25]):
        root, objective, accuracy = found["treeMap"][str(number + 1)]
        assert objective == cancer.objective(number)
        assert accuracy == round(float(np.mean(tree.predict(X) == y)), 5)
        waiting = [(root, 0, np.ones(len(y), dtype=bool))]
        while waiting:
            node, place, rows = waiting.pop()
            name, n_rows, n_correct = node["f"]
            condition = tree.conditions[place]
            assert n_rows == rows.sum()
            if condition is None:
                assert name == "-+"[tree.prediction[place]]
                assert n_correct == np.sum(y[rows] == tree.prediction[place])
                assert "c" not in node
                continue
            assert n_correct == -1
            column, text, short = found["featureMap"][name]
            assert f"{column} {text}" == condition.text(X.columns[condition.column])
            assert column == short
            holds = X[column].to_numpy() <= condition.threshold
            waiting += [
                (node["c"][0], tree.left[place], rows & holds),
                (node["c"][1], tree.right[place], rows & ~holds),
            ]


def mixes_rows(root):
    """Tell whether two inner nodes of one level test the same on the same side of their parents.

    TimberTrek 0.1.7 knows a row's node by these three, and so counts the rows of both for each.
    """
    level = [(root, "")]
    while level:
        inner = [(node["f"][0], side) for node, side in level if "c" in node]
        if len(set(inner)) < len(inner):
            return True
        level = [(child, side) for node, _ in level for child, side in zip(node.get("c", ()), "lr", strict=False)]
    return False


def test_the_trie_has_every_decision_path_of_every_tree_once(cancer):
    found = json.loads(cancer.to_timbertrek(range(100)))
    in_trie = paths_of(found["trie"])
    assert len(set(in_trie)) == len(in_trie)
    of_trees = {(path, int(number)) for number, (root, *_) in found["treeMap"].items() for path, _ in paths_of(root)}
    assert set(in_trie) == of_trees

    def names(node):
        below = [child["f"] for child in node["c"] if child["f"] != "_"]
        assert len(set(below)) == len(below)
        for child in node["c"]:
            if child["f"] != "_":
                names(child)

    names(found["trie"])


def test_weights_categories_missing_values_and_single_leaves():
    frame = polars.DataFrame({"color": ["red", "blue", "red", None] * 5, "flag": [0, 1, 1, 0] * 5})
    y = ["no", "yes", "yes", "no"] * 5
    weights = [0.5, 1.25, 1, 1] * 5
    trees = (
        RashomonSetClassifier(1.0, "absolute", regularization=0.05, binarizer="exact")
        .fit(frame, y, weights)
        .rashomon_set_
    )
    found = json.loads(trees.to_timbertrek())
    texts = {(name, text) for name, text, _ in found["featureMap"].values()}
    assert ("flag", "= 1") in texts
    assert any(name == "color" and text.startswith("in {") for name, text in texts)
    assert ("color", "is missing") in texts
    assert {root["f"][1] for root, *_ in found["treeMap"].values()} == {sum(weights)}
    alone = [number + 1 for number, tree in enumerate(trees) if tree.n_nodes == 1]
    assert alone
    assert set(map(int, found["treeMap"])) == set(range(1, len(trees) + 1)) - set(alone)


def test_more_than_two_classes_are_refused():
    trees = RashomonSetClassifier(0.01, regularization=0.1).fit(*load_iris(return_X_y=True)).rashomon_set_
    with pytest.raises(ValueError, match=r"two classes; tree 1 has 3"):
        to_timbertrek([(0.1, trees[0])])


def test_timbertrek_makes_the_same_of_the_trie_that_its_own_input_is():
    timbertrek = pytest.importorskip("timbertrek.timbertrek")
    pandas = pytest.importorskip("pandas")
    X = CANCER[0].to_numpy()[:, :8] > np.median(CANCER[0].to_numpy()[:, :8], axis=0)
    y = CANCER[1].to_numpy()
    trees = RashomonSetClassifier(0.25, regularization=0.01, max_depth=3, binarizer=None).fit(X, y).rashomon_set_
    assert 50 < len(trees) < 1500
    trie: dict = {}
    for number, tree in enumerate(trees):
        if tree.n_nodes == 1:
            continue
        # The root's feature, then level by level the two children of each node: a feature, -1 or -2 for the classes.
        keys, waiting = [str(tree.conditions[0].column)], deque([0])
        while waiting:
            node = waiting.popleft()
            children = [int(tree.left[node]), int(tree.right[node])]
            inner = [child for child in children if tree.conditions[child] is not None]
            waiting.extend(inner)
            keys.append(
                " ".join(
                    str(tree.conditions[child].column) if child in inner else str(-1 - int(tree.prediction[child]))
                    for child in children
                )
            )
        at = trie
        for key in keys:
            at = at.setdefault(key, {})
        at["objective"] = trees.objective(number)
    data = pandas.DataFrame({f"x{column}": X[:, column].astype(int) for column in range(8)} | {"y": y})
    theirs = json.loads(json.dumps(timbertrek.transform_trie_to_rules(trie, data)))
    ours = json.loads(trees.to_timbertrek())
    columns = {feature: name.removeprefix("x") for feature, (name, *_) in ours["featureMap"].items()}

    def renamed(node):
        first, *counts = node["f"]
        below = {"c": [renamed(child) for child in node["c"]]} if "c" in node else {}
        return {"f": [columns.get(first, first), *counts], **below}

    def listed(found, rename):
        return sorted(
            json.dumps([rename(root), round(objective, 5), accuracy], sort_keys=True)
            for root, objective, accuracy in found["treeMap"].values()
            if not mixes_rows(root)
        )

    assert listed(ours, renamed) == listed(theirs, lambda root: root)

    def shared(found, rename):
        by_path: dict = {}
        for path, number in paths_of(found["trie"]):
            by_path.setdefault(tuple(map(rename, path)), []).append(number)
        return {path: len(numbers) for path, numbers in by_path.items()}

    assert shared(ours, columns.__getitem__) == shared(theirs, str)
