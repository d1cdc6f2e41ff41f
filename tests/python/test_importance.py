"""How much good trees rely on columns, as a user meets it: ranges over sets, distributions over bootstraps."""

import pickle
from fractions import Fraction

import matplotlib as mpl
import numpy as np
import polars
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from hornbeam import (
    GOSDTClassifier,
    ModelClassReliance,
    NotProvenWarning,
    RashomonImportance,
    RashomonSetClassifier,
    model_class_reliance,
    plot_importance,
    rashomon_importance,
)

mpl.use("agg")
import matplotlib.pyplot as plt

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)


def by_definition(tree, X, losses, weights):
    """Return the reliance of a tree on each column: all rows get the values of all rows, one after another."""
    codes = {label: code for code, label in enumerate(tree.classes.tolist())}

    def mean_loss(rows):
        predicted = [codes[label] for label in tree.predict(rows).tolist()]
        return np.average(losses[np.arange(len(X)), predicted], weights=weights)

    found = []
    for column in range(X.shape[1]):
        mixed = []
        for donor in X:
            rows = X.copy()
            rows[:, column] = donor[column]
            mixed.append(mean_loss(rows))
        found.append(np.average(mixed, weights=weights) - mean_loss(X))
    return np.array(found)


def drawn(seed, n_rows=40, n_classes=2):
    draw = np.random.default_rng(seed)
    X = draw.integers(0, 4, size=(n_rows, 3)).astype(float)
    return X, (X[:, 0].astype(int) + (draw.random(n_rows) < 0.3)) % n_classes, draw.integers(1, 4, size=n_rows)


@pytest.mark.parametrize("weighting", ["none", "whole", "real"])
@pytest.mark.parametrize(
    ("parameters", "n_classes"),
    [
        ({}, 2),
        ({"objective": "balanced"}, 3),
        ({"objective": "weighted", "omega": 2.5}, 2),
        ({"objective": "cost", "cost_matrix": [[0, 1, 2], [3, 0, 1], [1, 1, 0]]}, 3),
        ({"class_weight": {0: 1, 1: 3}}, 2),
        ({"distinct": "labels"}, 2),
        ({"distinct": "columns"}, 3),
    ],
)
def test_reliance_is_its_definition_over_all_pairs_of_rows(parameters, n_classes, weighting):
    X, y, weights = drawn(1, n_classes=n_classes)
    weights = {"none": None, "whole": weights, "real": weights * np.pi / 7}[weighting]
    fitted = RashomonSetClassifier(0.1, regularization=0.03, max_depth=3, binarizer="exact", **parameters)
    trees = fitted.fit(X, y, sample_weight=weights).rashomon_set_
    made_of = trees._problem
    error_costs = made_of.scale.costs / float(made_of.scale.one) / 2**made_of.scale.leaf_bits
    w = np.ones(len(y)) if weights is None else weights
    # What a row loses, so that the weighted mean is the objective's loss.
    losses = error_costs[y] * (made_of.scale.weights / w)[:, None] * w.sum()
    numbers = range(0, trees.n_trees, max(1, trees.n_trees // 8))
    expected = [by_definition(trees[number], X, losses, w) for number in numbers]
    np.testing.assert_allclose(trees.reliance(numbers), expected, rtol=1e-9, atol=1e-12)


def test_the_range_over_a_set_is_that_of_its_trees():
    for (X, y), regularization, epsilon, max_depth in [(CANCER, 0.02, 0.15, 3), (IRIS, 0.01, 0.2, None)]:
        trees = (
            RashomonSetClassifier(epsilon, "multiplier", regularization=regularization, max_depth=max_depth)
            .fit(X, y)
            .rashomon_set_
        )
        found, values = model_class_reliance(trees), trees.reliance()
        assert found.n_trees == trees.n_trees == len(values) > 5
        assert found.is_whole
        np.testing.assert_allclose(found.low, values.min(axis=0), rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(found.high, values.max(axis=0), rtol=1e-12, atol=1e-15)
        np.testing.assert_array_equal(found.best, values[0])
        assert found.columns == trees.columns == tuple(f"x{column}" for column in range(X.shape[1]))
        splits = [{step.column for step in tree.conditions if step} for tree in trees]
        assert list(found.n_trees_using) == [sum(column in used for used in splits) for column in range(X.shape[1])]
        with pytest.warns(FutureWarning, match="n_asking is now n_trees_using; hornbeam 0.4.0"):
            assert found.n_asking == found.n_trees_using


def test_a_sample_says_that_it_is_one_and_lies_within_the_range():
    X, y = CANCER
    trees = RashomonSetClassifier(0.15, regularization=0.02, max_depth=3).fit(X, y).rashomon_set_
    whole, sample = model_class_reliance(trees), model_class_reliance(trees, trees.sample(50, random_state=0))
    assert not sample.is_whole
    assert sample.n_trees == 50
    assert max(sample.n_trees_using) <= 50
    assert np.all(whole.low - 1e-12 <= sample.low)
    assert np.all(sample.high <= whole.high + 1e-12)
    assert model_class_reliance(trees, range(trees.n_trees)).is_whole
    again = model_class_reliance(pickle.loads(pickle.dumps(trees)))
    np.testing.assert_array_equal(again.high, whole.high)


def test_sets_of_resplit_are_gone_through_tree_by_tree():
    X, y = CANCER
    parameters = {"epsilon": 0.1, "regularization": 0.02, "max_depth": 3, "method": "resplit"}
    trees = RashomonSetClassifier(**parameters, lookahead_depth=1).fit(X, y).rashomon_set_
    found, values = model_class_reliance(trees), trees.reliance()
    assert found.n_trees == trees.n_trees == len(values) > 5
    assert found.is_whole
    np.testing.assert_array_equal([found.low, found.high], [values.min(axis=0), values.max(axis=0)])
    distribution = rashomon_importance(
        RashomonSetClassifier(**parameters, lookahead_depth=1), X, y, n_bootstraps=2, random_state=0
    )
    assert min(distribution.n_trees) > 0


def test_a_row_of_weight_two_counts_as_two_rows():
    X, y, weights = drawn(3)
    parameters = {"epsilon": 0.1, "regularization": Fraction(1, 50), "max_depth": 3, "binarizer": "exact"}
    one = RashomonSetClassifier(**parameters).fit(X, y, sample_weight=weights)
    other = RashomonSetClassifier(**parameters).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    told, shown = model_class_reliance(one.rashomon_set_), model_class_reliance(other.rashomon_set_)
    assert told.n_trees_using == shown.n_trees_using
    np.testing.assert_array_equal([told.low, told.high, told.best], [shown.low, shown.high, shown.best])


def test_the_conditions_on_one_column_move_together_and_categories_are_one_column():
    draw = np.random.default_rng(0)
    number, color = draw.integers(0, 5, size=60), draw.choice(["red", "green", "blue"], size=60)
    y = ((number > 2) & (color != "red")).astype(int)
    frame = polars.DataFrame({"number": number, "color": color, "noise": draw.integers(0, 2, size=60)})
    trees = RashomonSetClassifier(0.2, regularization=0.02, binarizer="exact").fit(frame, y).rashomon_set_
    found = model_class_reliance(trees)
    assert found.columns == ("number", "color", "noise")
    assert found.best[2] == 0 < min(found.best[:2])
    # The best tree makes no mistake: permuted, the column is wrong as often as two rows differ in what it decides.
    assert trees.objective(0) == pytest.approx(0.02 * trees[0].n_leaves)
    expected = np.mean([(n > 2) != (m > 2) for n, c in zip(number, color, strict=True) if c != "red" for m in number])
    assert found.best[0] == pytest.approx(expected * np.mean(color != "red"))


def test_the_distribution_does_not_depend_on_the_number_of_jobs():
    estimator = RashomonSetClassifier(0.1, regularization=0.02, max_depth=3)
    one, two = (
        rashomon_importance(estimator, *IRIS, n_bootstraps=3, n_samples=20, random_state=1, n_jobs=n) for n in (1, 2)
    )
    assert one.n_trees == two.n_trees
    assert [len(values) for values in one.reliances] == [min(n, 20) for n in one.n_trees]
    for a, b in zip(one.reliances, two.reliances, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not hasattr(estimator, "tree_")


def test_a_bootstrap_is_a_fit_on_the_rows_drawn():
    X, y, weights = drawn(5)
    estimator = RashomonSetClassifier(0.1, regularization=0.03, max_depth=2, binarizer="exact")
    found = rashomon_importance(estimator, X, y, weights, n_bootstraps=1, n_samples=None, random_state=7)
    seed = np.random.RandomState(7).randint(2**31, size=1)[0]
    rows = np.random.RandomState(seed).randint(40, size=40)
    trees = estimator.fit(X[rows], y[rows], sample_weight=weights[rows]).rashomon_set_
    assert found.n_trees == (trees.n_trees,)
    np.testing.assert_allclose(np.sort(found.reliances[0], axis=0), np.sort(trees.reliance(), axis=0), atol=1e-12)


def test_the_distribution_gives_each_bootstrap_the_same_weight():
    found = RashomonImportance(("a", "b"), (np.array([[0.0, 1.0]]), np.array([[1.0, 3.0], [2.0, 5.0]])), (1, 2))
    np.testing.assert_allclose(found.mean(), [0.75, 2.5])
    np.testing.assert_allclose(found.cdf(1), [0.75, 0.5])
    np.testing.assert_allclose(found.cdf(2.5), [1, 0.5])
    assert found.quantile(0).tolist() == [0, 1]
    assert found.quantile(0.5).tolist() == [0, 1]
    assert found.quantile(0.51).tolist() == [1, 3]
    assert found.quantile(0.75).tolist() == [1, 3]
    assert found.quantile(1).tolist() == [2, 5]
    for q in (-0.1, 1.1):
        with pytest.raises(ValueError, match="q must be between 0 and 1"):
            found.quantile(q)


def test_searches_that_stop_are_told():
    estimator = RashomonSetClassifier(0.1, regularization=0.005, max_depth=4, memory_limit=1)
    with pytest.raises(ValueError, match="stopped"):
        rashomon_importance(estimator, *CANCER, n_bootstraps=1)
    draw = np.random.default_rng(0)
    X, y = draw.integers(0, 2, size=(300, 20)), draw.integers(0, 2, size=300)
    stopped = RashomonSetClassifier(0.2, regularization=0.01, max_depth=4, binarizer=None, memory_limit=400_000)
    with pytest.warns(NotProvenWarning, match=r"2 of 2 searches stopped .*'memory_limit'") as caught:
        rashomon_importance(stopped, X, y, n_bootstraps=2, n_samples=5, random_state=0)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"estimator": GOSDTClassifier()}, TypeError, "estimator must be a RashomonSetClassifier, got GOSDTClassifier"),
        ({"estimator": DecisionTreeClassifier()}, TypeError, "got DecisionTreeClassifier"),
        ({"n_bootstraps": 0}, ValueError, "n_bootstraps"),
        ({"n_bootstraps": 1.5}, TypeError, "n_bootstraps"),
        ({"n_samples": 0}, ValueError, "n_samples"),
        ({"sample_weight": np.ones(3)}, ValueError, r"sample_weight must have shape \(150,\)"),
        ({"y": [0] * 150}, ValueError, "only one class"),
    ],
)
def test_wrong_arguments_of_the_distribution_are_named(parameters, error, message):
    given = {"estimator": RashomonSetClassifier(regularization=0.1), "X": IRIS[0], "y": IRIS[1], **parameters}
    with pytest.raises(error, match=message):
        rashomon_importance(**given)


def test_a_set_without_trees_and_numbers_of_no_tree_are_refused():
    trees = RashomonSetClassifier(0.1, regularization=0.1).fit(*IRIS).rashomon_set_
    with pytest.raises(ValueError, match="indices is empty"):
        model_class_reliance(trees, [])
    with pytest.raises(IndexError, match=str(10**9)):
        model_class_reliance(trees, [10**9])
    with pytest.warns(NotProvenWarning):
        empty = RashomonSetClassifier(0.1, regularization=0.005, memory_limit=1).fit(*CANCER).rashomon_set_
    with pytest.raises(ValueError, match="the set holds no tree"):
        model_class_reliance(empty)


@pytest.mark.parametrize("most", [None, 3])
def test_a_picture_has_the_columns_by_importance_with_bars_and_points(most):
    trees = RashomonSetClassifier(0.2, regularization=0.02, max_depth=3).fit(*CANCER).rashomon_set_
    distribution = rashomon_importance(
        RashomonSetClassifier(0.1, regularization=0.02, max_depth=2), *CANCER, n_bootstraps=2, random_state=0
    )
    for found, n_bars in [(model_class_reliance(trees), 1), (distribution, 2)]:
        axes = plot_importance(found, most=most)
        (points,) = found.points.values()
        (drawn,) = (line for line in axes.lines if line.get_marker() == "o")
        places = drawn.get_xdata()
        assert places.tolist() == np.sort(points)[::-1][:most].tolist()
        names = [label.get_text() for label in axes.get_yticklabels()]
        assert len(set(names)) == len(names) == (most or 30)
        assert [points[found.columns.index(name)] for name in names] == places.tolist()
        assert len(axes.containers) == n_bars
        for bars, (low, high) in zip(axes.containers, found.bars.values(), strict=True):
            for name, bar in zip(names, bars, strict=True):
                column = found.columns.index(name)
                assert (bar.get_x(), bar.get_x() + bar.get_width()) == pytest.approx((low[column], high[column]))
        assert axes.get_ylabel() == ("column" if most is None else "3 of 30 columns")
        assert "model reliance" in axes.get_xlabel()
        assert [text.get_text() for text in axes.get_legend().get_texts()][1:] == list(found.bars)
        plt.close(axes.figure)


def test_a_picture_can_be_drawn_on_axes_and_of_a_sample_and_of_long_names():
    long_name = "x" * 60
    found = ModelClassReliance((long_name, "$y"), *(np.array([0.1, 0.2]),) * 3, (1, 1), 2, False)
    _, axes = plt.subplots()
    assert plot_importance(found, axes) is axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [r"\$y", "x" * 31 + "…"]
    assert "2 of the good trees" in [text.get_text() for text in axes.get_legend().get_texts()]
    plt.close(axes.figure)
    with pytest.raises(ValueError, match="most must be at least 1"):
        plot_importance(found, most=0)


def test_importances_are_printed_as_a_table_of_the_columns_that_trees_rely_on():
    none, some = np.array([0.0, 0.0, 0.0]), np.array([0.25, 0.0, 0.5])
    found = ModelClassReliance(("age", "name", "<b>"), none, some, some, (1, 0, 2), 1234, True)
    assert str(found).splitlines() == [
        "Model reliance over all 1,234 good trees, in the unit of the loss.",
        "",
        "column  best tree  least   most",
        "<b>         0.500  0.000  0.500",
        "age         0.250  0.000  0.250",
        "",
        "No tree relies on 1 column.",
    ]
    assert "<tr><td>&lt;b&gt;</td><td>0.500</td><td>0.000</td><td>0.500</td></tr><tr><td>age<" in found._repr_html_()


def test_a_long_table_of_importances_tells_how_many_columns_it_leaves_out():
    values = np.linspace(0.1, 0.5, 30)
    lines = str(RashomonImportance(tuple(f"x{n}" for n in range(30)), (values[None],), (1,))).splitlines()
    assert len(lines) == 3 + 20 + 2
    assert lines[3].split() == ["x29", "0.500", "0.500", "0.500"]
    assert lines[-1] == "Not shown: 10 columns of smaller values."
