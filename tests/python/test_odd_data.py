"""Tables, labels and weights of odd types and values: read for what they are, or refused by name."""

import datetime
from decimal import Decimal
from fractions import Fraction

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    Tree,
    model_class_reliance,
    plot_importance,
    plot_roc,
    plot_trace,
)
from hornbeam.plotting import save_picture
from hornbeam.table import read_table
from python.odd_values import ODD_VALUES, described, refusal_is_wrong

SURROGATE = "é\ud800"
X, Y = [[1.0, 0], [2, 1], [3, 0], [4, 1]], [0, 0, 1, 1]
INT128 = pytest.mark.skipif(not hasattr(pl, "Int128"), reason="this polars has no integers of 128 bits")
CLASSIFIERS = (
    GOSDTClassifier(),
    OSDTClassifier(),
    SPLITClassifier(),
    LicketySPLITClassifier(),
    MAPTreeClassifier(),
    RashomonSetClassifier(max_depth=2),
)


def objects(values):
    """Return a column of Python objects, which neither pandas nor NumPy turns into anything else."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def cells(value):
    return objects([value, 1, 2, 3])


def fault_of(call, *names):
    try:
        call()
    except Exception as error:
        return refusal_is_wrong(error, *names)
    return None


@pytest.mark.parametrize("value", ODD_VALUES, ids=described)
def test_a_cell_of_any_object_is_read_or_refused_by_a_message_about_the_table(value):
    for X_odd in (cells(value).reshape(-1, 1), pd.DataFrame({"x0": pd.Series(cells(value), dtype=object)})):
        fault = fault_of(lambda X_odd=X_odd: GOSDTClassifier().fit(X_odd, Y).predict(X_odd), "X")
        assert fault is None


@pytest.mark.parametrize("value", ODD_VALUES, ids=described)
@pytest.mark.filterwarnings("ignore")
def test_anything_as_table_labels_or_weights_is_read_or_refused(value):
    classifier = GOSDTClassifier().fit(X, Y)
    calls = [
        (lambda: GOSDTClassifier().fit(value, Y), ("X", "array")),
        (lambda: classifier.predict(value), ("X", "array", "features")),
        (lambda: GOSDTClassifier().fit(X, value), ("y", "array", "label")),
        (lambda: GOSDTClassifier().fit(X, cells(value)), ("y", "label")),
        (lambda: GOSDTClassifier().fit(X, Y, sample_weight=value), ("sample_weight",)),
        (lambda: GOSDTClassifier().fit(X, Y, sample_weight=cells(value)), ("sample_weight",)),
        (lambda: MAPTreeClassifier().fit(X, Y, sample_weight=cells(value)), ("sample_weight",)),
        (lambda: GOSDTClassifier(reference=cells(value)).fit(X, Y), ("reference",)),
    ]
    assert [fault for call, names in calls if (fault := fault_of(call, *names)) is not None] == []


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([10**400, 1, 1, 10**400], "more than 64 bits"),
        ([Fraction(10**400, 3), 2, 2, 2], "more than 64 bits"),
        (["a\0", "a", "a", "a"], "NumPy would store as 'a'"),
        ([Decimal("sNaN"), 1, 1, 1], "the target is missing in 1 row"),
        (np.ma.array([1, 2, 1, 2], mask=[1, 0, 0, 0]), "y holds masked values"),
        ([[1], [2, 3], [1], [2]], "y must be an array"),
    ],
)
def test_labels_that_no_array_holds_are_refused(found, message):
    with pytest.raises(ValueError, match=message):
        GOSDTClassifier().fit(X, found)


@pytest.mark.parametrize(
    "weights", [np.array(["2020-01-01"] * 4, dtype="M8[D]"), np.ones(4, dtype="m8[s]"), np.ones(4, dtype=complex)]
)
def test_dates_durations_and_complex_numbers_are_no_weights(weights):
    with pytest.raises(TypeError, match="sample_weight must hold numbers"):
        GOSDTClassifier().fit(X, Y, sample_weight=weights)


def test_labels_of_long_doubles_become_floats():
    classes = GOSDTClassifier().fit(X, np.array([1, 1, 2, 2], dtype=np.longdouble)).classes_
    assert classes.dtype == np.float64
    assert classes.tolist() == [1, 2]


def test_masked_cells_are_missing():
    table = read_table(np.ma.array([[1, 5], [2, 6]], mask=[[1, 0], [0, 0]]))
    assert table.columns[0].is_missing().tolist() == [True, False]
    texts = np.ma.array([["a", "b"], ["c", "d"]], mask=[[0, 1], [0, 0]])
    assert read_table(texts).columns[1].values.tolist() == [None, "d"]


@pytest.mark.parametrize("value", [float("inf"), Decimal("-Infinity"), Fraction(10**400, 3), 10**5000], ids=described)
def test_a_number_among_texts_that_is_not_finite_is_named(value):
    with pytest.raises(ValueError, match=r"Column 'x0' of X holds an infinite number .* in row 1"):
        read_table([["a"], [value]])


def test_a_duration_among_numbers_is_refused():
    with pytest.raises(TypeError, match="timedelta64"):
        read_table(objects([np.timedelta64(1, "s"), 1]).reshape(-1, 1))


@INT128
@pytest.mark.parametrize("others", [{}, {"b": ["u", "v", "w"]}], ids=["alone", "beside texts"])
def test_integers_of_128_bits_are_read_exactly_or_refused(others):
    def frame(*integers):
        return pl.DataFrame({"a": pl.Series(integers, dtype=pl.Int128), **others})

    assert read_table(frame(2**100, -3, 5)).columns[0].values.tolist() == [2.0**100, -3, 5]
    assert read_table(frame(2**100, None, 5)).columns[0].is_missing().tolist() == [False, True, False]
    with pytest.raises(ValueError, match=rf"Column 'a' of X holds {2**100 + 1} in row 1.* does not hold exactly"):
        read_table(frame(1, 2**100 + 1, 5))


@INT128
def test_labels_and_weights_of_128_bits_are_read():
    labels, weights = pl.Series(Y, dtype=pl.Int128), pl.Series([1, 2, 3, 4], dtype=pl.Int128)
    classifier = GOSDTClassifier().fit(X, labels, sample_weight=weights)
    assert classifier.predict(X).tolist() == Y
    assert classifier.tree_.class_weights[0].tolist() == [3, 7]
    with pytest.raises(ValueError, match="y holds a label of more than 64 bits"):
        GOSDTClassifier().fit(X, pl.Series([2**100, 1, 1, 1], dtype=pl.Int128))


def surrogates():
    """Return a table and labels all of whose texts hold a lone surrogate."""
    columns = {"a": pd.Series([SURROGATE, "b", SURROGATE, "b"] * 3, dtype=object), "b": [1, 2, 3, 4] * 3}
    table = pd.DataFrame(columns)
    table.columns = pd.Index([f"{SURROGATE}a", f"{SURROGATE}b"], dtype=object)
    labels = [f"{SURROGATE}0", f"{SURROGATE}1", f"{SURROGATE}1", f"{SURROGATE}0"] * 3
    return table, pd.Series(labels, name=f"{SURROGATE}target", dtype=object)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda each: type(each).__name__)
def test_lone_surrogates_are_fitted_and_predicted(classifier):
    table, labels = surrogates()
    predicted = classifier.fit(table, labels).predict(table) if hasattr(classifier, "predict") else None
    assert predicted is None or set(predicted) <= set(labels)
    trees = [classifier.tree_] if predicted is not None else list(classifier.rashomon_set_)
    assert all(str(tree).encode() for tree in trees)


def test_every_text_of_a_tree_with_lone_surrogates_is_utf_8(tmp_path):
    table, labels = surrogates()
    tree = GOSDTClassifier(regularization=0.001).fit(table, labels).tree_
    assert tree.n_leaves > 2
    for text in (str(tree), tree.to_dot(), tree.to_json(), tree.to_python(), *tree.to_rules()):
        assert r"\ud800" in text.encode("utf-8").decode()
    assert Tree.from_json(tree.to_json().encode()) == tree
    names = {}
    exec(tree.to_python(), names)
    rows = table.to_dict("records")
    assert [names["predict"](row) for row in rows] == tree.predict(table).tolist()
    for suffix in ("svg", "png", "pdf"):
        save_picture(tree, tmp_path / f"tree.{suffix}", title=SURROGATE)
    with pytest.raises(ValueError, match="holds a lone surrogate, which no database can store"):
        tree.to_sql()


def test_lone_surrogates_are_drawn_in_every_picture(tmp_path):
    table, labels = surrogates()
    trees = RashomonSetClassifier(max_depth=2).fit(table, labels).rashomon_set_
    trace = GOSDTClassifier(trace=True).fit(table, labels).trace_
    trees.to_timbertrek().encode()
    with mpl.rc_context({"backend": "agg"}):
        for axes in (
            plot_importance(model_class_reliance(trees)),
            plot_roc(Y, {SURROGATE: [0.1, 0.2, 0.3, 0.4]}),
            plot_trace({SURROGATE: trace}),
        ):
            axes.figure.savefig(tmp_path / "picture.png")
        plt.close("all")


def test_dates_are_no_labels():
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)] * 2
    for labels in (days, np.array(days, dtype="M8[D]"), pd.Series(pd.to_datetime(days)), pl.Series(days)):
        with pytest.raises(ValueError, match="Unknown label type"):
            GOSDTClassifier().fit(X, labels)
