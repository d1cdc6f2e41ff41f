"""The counts of the explorer, compared with all trees of small sets."""

from collections import Counter

import numpy as np
import pytest

from hornbeam import RashomonSetClassifier
from hornbeam.explorer.filters import Filters, read_filters
from hornbeam.explorer.partial_trees import Leaf, Open, Split
from hornbeam.explorer.session import Session


def nested(tree, condition_number, node=0):
    """A tree of the set as nested tuples: (condition, true side, false side), or the class of a leaf."""
    if tree.left[node] < 0:
        return int(tree.prediction[node])
    return (
        condition_number[tree.conditions[node]],
        nested(tree, condition_number, tree.left[node]),
        nested(tree, condition_number, tree.right[node]),
    )


def has(tree, partial):
    if isinstance(partial, Open):
        return True
    if isinstance(partial, Leaf):
        return tree == partial.prediction
    return (
        isinstance(tree, tuple)
        and tree[0] == partial.condition
        and has(tree[1], partial.true)
        and has(tree[2], partial.false)
    )


def leaves_of(tree):
    return leaves_of(tree[1]) + leaves_of(tree[2]) if isinstance(tree, tuple) else 1


def depth_of(tree):
    return 1 + max(depth_of(tree[1]), depth_of(tree[2])) if isinstance(tree, tuple) else 0


def columns_of(tree, conditions):
    if not isinstance(tree, tuple):
        return set()
    return {conditions[tree[0]].column} | columns_of(tree[1], conditions) | columns_of(tree[2], conditions)


def rows_in_leaves(tree, holds, rows):
    if not isinstance(tree, tuple):
        return [int(rows.sum())]
    column = holds[tree[0]]
    return rows_in_leaves(tree[1], holds, rows & column) + rows_in_leaves(tree[2], holds, rows & ~column)


def predictions_of(tree, holds):
    if not isinstance(tree, tuple):
        return np.full(holds.shape[1], tree)
    return np.where(holds[tree[0]], predictions_of(tree[1], holds), predictions_of(tree[2], holds))


class Listed:
    """All trees of a set, one by one."""

    def __init__(self, classifier):
        trees, problem = classifier.rashomon_set_, classifier.rashomon_set_._problem
        self.conditions = list(problem.conditions)
        number_of = {condition: number for number, condition in enumerate(self.conditions)}
        self.trees = [(nested(tree, number_of), trees.objective(k)) for k, tree in enumerate(trees)]
        bits = np.unpackbits(problem.columns, axis=1, count=len(problem.codes), bitorder="little")
        self.holds = bits.astype(bool)

    def matching(self, partial, filters):
        n_rows = self.holds.shape[1]
        for tree, objective in self.trees:
            columns = columns_of(tree, self.conditions)
            if (
                has(tree, partial)
                and not columns & filters.never
                and filters.always <= columns
                and (filters.max_leaves is None or leaves_of(tree) <= filters.max_leaves)
                and (filters.max_depth is None or depth_of(tree) <= filters.max_depth)
                and min(rows_in_leaves(tree, self.holds, np.ones(n_rows, bool))) >= filters.min_rows
                and (filters.max_objective is None or objective <= filters.max_objective + 1e-12)
            ):
                yield tree, objective


def classifiers():
    random = np.random.RandomState(0)
    for n_columns, n_classes, depth, leaf, distinct in [
        (5, 2, 4, 0.02, "splits"),
        (4, 3, 3, 0.02, "splits"),
        (6, 2, None, 0.03, "columns"),
        (4, 2, 3, 0.02, "labels"),
        (5, 2, 2, 0.01, "splits"),
        (5, 2, 5, 0.03, "splits"),
    ]:
        X = random.randint(0, 3, size=(60, n_columns))
        noise = random.rand(60) < 0.15
        y = np.where(noise, random.randint(0, n_classes, 60), (X[:, 0] + (X[:, 1] > 0)) % n_classes)
        yield RashomonSetClassifier(
            0.3, regularization=leaf, max_depth=depth, binarizer="exact", distinct=distinct, min_samples_leaf=2
        ).fit(X, y)
    # Losses without a common unit, and columns that are equal or complementary on some rows.
    X = random.randint(0, 2, size=(70, 5))
    X[:, 3] = np.where(X[:, 0] == 1, X[:, 2], 1 - X[:, 2])
    X[:, 4] = 1 - X[:, 1]
    y = (X[:, 0] & X[:, 2]) ^ (random.rand(70) < 0.1)
    yield RashomonSetClassifier(1.0, regularization=0.02, max_depth=4, binarizer=None).fit(
        X, y, sample_weight=random.rand(70) + 0.5
    )


FILTERS = [
    Filters(),
    Filters(max_leaves=4),
    Filters(never=frozenset({1})),
    Filters(always=frozenset({0})),
    Filters(always=frozenset({0, 2}), max_leaves=5),
    Filters(max_depth=2),
    Filters(min_rows=6),
    Filters(never=frozenset({2}), always=frozenset({1}), max_depth=3, min_rows=3),
]


@pytest.fixture(scope="module")
def sets():
    made = [(classifier, Listed(classifier)) for classifier in classifiers()]
    assert all(20 < len(listed.trees) < 20000 for _, listed in made), [len(listed.trees) for _, listed in made]
    return made


def partial_trees(listed, random):
    """Partial trees made of the trees of a set: some nodes below the root are opened."""

    def opened(tree):
        if random.random_sample() < 0.4:
            return Open()
        if not isinstance(tree, tuple):
            return Leaf(tree)
        return Split(tree[0], opened(tree[1]), opened(tree[2]))

    for _ in range(6):
        yield opened(listed.trees[random.randint(len(listed.trees))][0])


def as_tuples(tree):
    if isinstance(tree, Leaf):
        return tree.prediction
    return (tree.condition, as_tuples(tree.true), as_tuples(tree.false))


def open_places(tree, place=""):
    if isinstance(tree, Open):
        return [place]
    if isinstance(tree, Leaf):
        return []
    return open_places(tree.true, place + "T") + open_places(tree.false, place + "F")


def at(tree, place):
    for letter in place:
        tree = tree[1 if letter == "T" else 2]
    return tree


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_every_count_and_best_objective_is_that_of_the_listed_trees(sets, filters):
    random = np.random.RandomState(1)
    for classifier, listed in sets:
        session = Session(classifier)
        query = session.query(filters)
        scale = classifier.rashomon_set_._problem.scale
        for partial in [Open(), *partial_trees(listed, random)]:
            matching = list(listed.matching(partial, filters))
            assert query.number_of_trees(partial) == len(matching)
            least = query.least(partial)
            assert (least is None) == (not matching)
            if matching:
                assert scale.objective(least) == min(objective for _, objective in matching)
                best = as_tuples(query.completed(partial))
                assert dict(matching)[best] == scale.objective(least)
            sizes = Counter((leaves_of(tree), objective) for tree, objective in matching)
            assert {(k, scale.objective(t)): n for (t, k), n in query.by_size(partial).items()} == sizes
            for place in open_places(partial):
                numbers, best = Counter(), {}
                for tree, objective in matching:
                    node = at(tree, place)
                    node = node[0] if isinstance(node, tuple) else ("leaf", node)
                    numbers[node] += 1
                    best[node] = min(best.get(node, objective), objective)
                options = query.options(partial, place)
                keys = [("leaf", o.node.prediction) if isinstance(o.node, Leaf) else o.node.condition for o in options]
                assert dict(zip(keys, [o.n_trees for o in options], strict=True)) == numbers
                assert dict(zip(keys, [scale.objective(o.least) for o in options], strict=True)) == best
                assert [o.least for o in options] == sorted(o.least for o in options)


def test_all_combinations_of_filters_leave_the_listed_trees(sets):
    random = np.random.RandomState(2)
    n_left = 0
    for classifier, listed in sets:
        session = Session(classifier)
        n_columns = len(classifier.rashomon_set_.columns)
        for _ in range(60):
            roles = random.choice(["never", "always", "any"], size=n_columns, p=[0.1, 0.1, 0.8])
            filters = Filters(
                frozenset(np.flatnonzero(roles == "never").tolist()),
                frozenset(np.flatnonzero(roles == "always").tolist()[:4]),
                random.choice([None, 2, 3, 4, 5, 6]),
                random.choice([None, 0, 1, 2, 3, 4, 100]),
                int(random.choice([1, 1, 2, 3, 5, 8])),
            )
            query = session.query(filters)
            partial = next(iter(partial_trees(listed, random))) if random.rand() < 0.5 else Open()
            matching = list(listed.matching(partial, filters))
            n_left += bool(matching)
            assert query.number_of_trees(partial) == len(matching), (filters, partial)
            least = query.least(partial)
            scale = classifier.rashomon_set_._problem.scale
            found = None if least is None else scale.objective(least)
            assert found == min((objective for _, objective in matching), default=None)
    assert n_left > 100


def test_filters_of_a_set_of_more_trees_than_a_word_can_count():
    random = np.random.RandomState(4)
    X = random.randint(0, 2, size=(200, 9))
    y = X[:, 0] ^ (X[:, 1] & X[:, 2]) ^ (random.rand(200) < 0.2)
    parameters = {"regularization": 0.0005, "binarizer": None, "max_depth": 5}
    whole = RashomonSetClassifier(1.5, **parameters).fit(X, y)
    assert whole.n_trees_ > 2**65
    session = Session(whole)
    for column in (0, 8):
        fewer = RashomonSetClassifier(rashomon_bound=whole.bound_, **parameters).fit(np.delete(X, column, axis=1), y)
        assert session.query(Filters(never=frozenset({column}))).number_of_trees(Open()) == fewer.n_trees_
    shallow = RashomonSetClassifier(rashomon_bound=whole.bound_, **{**parameters, "max_depth": 4}).fit(X, y)
    assert session.query(Filters(max_depth=4)).number_of_trees(Open()) == shallow.n_trees_
    large = RashomonSetClassifier(rashomon_bound=whole.bound_, **parameters, min_samples_leaf=9).fit(X, y)
    assert session.query(Filters(min_rows=9)).number_of_trees(Open()) == large.n_trees_


def test_a_largest_objective_is_a_filter(sets):
    for classifier, listed in sets:
        objectives, _ = classifier.rashomon_set_.objectives()
        filters = Filters(max_objective=float(objectives[len(objectives) // 2]))
        number = Session(classifier).query(filters).number_of_trees(Open())
        assert number == len(list(listed.matching(Open(), filters))) > 0


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"never": [9]}, "never: expected a list of numbers of columns"),
        ({"never": [0], "always": [0]}, "both always and never"),
        ({"always": [0, 1, 2, 3, 4]}, "at most 4 columns"),
        ({"max_leaves": 0}, "max_leaves: expected a whole number of at least 1"),
        ({"max_depth": True}, "max_depth"),
        ({"max_objective": float("nan")}, "max_objective: expected a number"),
        ({"color": 1}, "filters: expected some of"),
        ([], "filters: expected some of"),
    ],
)
def test_filters_out_of_range_are_refused(record, message):
    with pytest.raises(ValueError, match=message):
        read_filters(record, 6)


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_votes_are_those_of_the_listed_trees(sets, filters):
    for classifier, listed in sets:
        matching = [tree for tree, _ in listed.matching(Open(), filters)]
        n_rows, n_classes = listed.holds.shape[1], len(classifier.classes_)
        expected = np.zeros((n_rows, n_classes), dtype=int)
        for tree in matching:
            expected[np.arange(n_rows), predictions_of(tree, listed.holds)] += 1
        found = Session(classifier).query(filters).votes(listed.holds, n_rows)
        np.testing.assert_array_equal(found.astype(int), expected)
