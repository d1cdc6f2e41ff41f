"""GOSDTClassifier(shape="rule_list") as a user meets it."""

import random
from fractions import Fraction

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from hornbeam import GOSDTClassifier, GOSDTClassifierCV, NotProvenWarning
from hornbeam.datasets import load_monk, load_tic_tac_toe
from hornbeam.export import from_json
from oracles.exhaustive import all_trees, members_of_nodes
from oracles.fscore import cost
from oracles.problems import random_classes, random_table
from oracles.rule_lists import is_rule_list

MONK = load_monk(1, return_X_y=True)


def is_list(tree):
    return is_rule_list(
        {"column": [-1 if c is None else 0 for c in tree.conditions], "left": tree.left, "right": tree.right}
    )


def test_a_rule_list_is_proven_and_never_better_than_the_tree():
    for X, y in (MONK, load_tic_tac_toe(return_X_y=True), load_wine(return_X_y=True)):
        tree = GOSDTClassifier(0.01, max_depth=4, binarizer="quantile").fit(X, y)
        rules = GOSDTClassifier(0.01, max_depth=4, shape="rule_list", binarizer="quantile").fit(X, y)
        assert rules.status_ == tree.status_ == "optimal"
        assert is_list(rules.tree_)
        assert rules.depth_ == rules.n_leaves_ - 1
        assert rules.objective_ == rules.lower_bound_ >= tree.objective_
        assert rules.objective_ == pytest.approx(np.mean(rules.predict(X) != y) + 0.01 * rules.n_leaves_)
        if is_list(tree.tree_):
            assert rules.objective_ == tree.objective_
    monk = GOSDTClassifier(0.01).fit(*MONK)
    assert not is_list(monk.tree_)  # so that the restriction matters
    assert GOSDTClassifier(0.01, shape="rule_list").fit(*MONK).objective_ > monk.objective_


def test_limits_on_leaves_and_on_depth_are_the_same_limit_of_a_list():
    for k in range(1, 6):
        by_leaves = GOSDTClassifier(0.001, shape="rule_list", max_leaves=k).fit(*MONK)
        by_depth = GOSDTClassifier(0.001, max_depth=k - 1, shape="rule_list").fit(*MONK)
        assert by_leaves.objective_ == by_depth.objective_
        assert by_leaves.n_leaves_ <= k


def test_columns_of_many_thresholds_have_lists_too():
    X, y = load_breast_cancer(return_X_y=True)
    rules = GOSDTClassifier(0.02, max_depth=2, shape="rule_list").fit(X[:, :2], y)
    assert rules.status_ == "optimal"
    assert is_list(rules.tree_)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_list_for_the_f_score_is_that_of_the_exhaustive_search(seed):
    draw = random.Random(seed)
    classes = []
    while len(set(classes)) < 2:
        table = random_table(draw, 9, 3)
        classes = random_classes(draw, table, 2)
    penalty, positives = Fraction(1, 40), sum(classes)
    best = None
    for tree in all_trees(table, 2, max_depth=3):
        if is_rule_list(tree):
            wrong = [0, 0]
            for node, members in enumerate(members_of_nodes(tree, table)):
                for r in members if tree["column"][node] < 0 else []:
                    wrong[classes[r]] += classes[r] != tree["prediction"][node]
            value = cost((wrong[0], wrong[1], tree["column"].count(-1)), positives, penalty)
            best = value if best is None else min(best, value)
    rules = GOSDTClassifier(penalty, 3, objective="f1", shape="rule_list", binarizer=None)
    rules.fit(np.array(table, dtype=np.uint8), classes)
    assert (rules.status_, rules.objective_) == ("optimal", float(best))
    assert is_list(rules.tree_)


def test_the_frontier_of_lists_has_the_best_list_of_every_size():
    frontier = GOSDTClassifier(0.005, shape="rule_list").frontier(*MONK)
    assert frontier.status == "optimal"
    for k, classifier in zip(
        frontier.n_leaves, (frontier.classifier(n_leaves=int(k)) for k in frontier.n_leaves), strict=True
    ):
        assert is_list(classifier.tree_)
        alone = GOSDTClassifier(1e-9, shape="rule_list", max_leaves=int(k)).fit(*MONK)
        assert classifier.loss_ == pytest.approx(alone.loss_, abs=1e-12)


def test_the_leaf_penalty_of_lists_is_chosen_by_cross_validation():
    model = GOSDTClassifierCV(0.01, shape="rule_list", cv=3).fit(*MONK)
    assert is_list(model.tree_)


def test_a_stopped_search_returns_a_list_and_a_bound():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(NotProvenWarning) as caught:
        stopped = GOSDTClassifier(0.001, shape="rule_list", binarizer="quantile", time_limit=0.3).fit(X, y)
    assert is_list(stopped.tree_)
    assert stopped.lower_bound_ <= stopped.objective_
    assert 'shape="rule_list"' in str(caught[0].message)
    assert "SPLITClassifier" not in str(caught[0].message)


def test_an_exported_list_predicts_the_same():
    X, y = load_wine(return_X_y=True)
    rules = GOSDTClassifier(0.01, shape="rule_list", binarizer="quantile").fit(X, y)
    again = from_json(rules.tree_.to_json())
    np.testing.assert_array_equal(again.predict(X), rules.tree_.predict(X))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"shape": "list"}, "shape must be"),
        ({"objective": "auc"}, "shape='rule_list' cannot be used with objective='auc'"),
        ({"objective": "f1", "labelling": "omega"}, "labelling='omega' needs shape='tree'"),
    ],
)
def test_what_has_no_rule_lists_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier(**{"shape": "rule_list", **parameters}).fit(*MONK)
