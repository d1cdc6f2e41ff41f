"""Histograms at the splits: every row is counted once, on the side of the split that the tree sends it to."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from hornbeam import GOSDTClassifier
from hornbeam.conditions import AtMost, IsIn, IsOne
from hornbeam.plotting import plot_tree, save_picture
from hornbeam.plotting.distributions import distribution, distributions_of
from hornbeam.table import read_table
from hornbeam.tree.palette import class_colors
from python.tree_making import grow, stump


def counted(values, condition, codes, n_classes=2):
    column = read_table(pd.DataFrame({"x": values})).columns[0]
    return distribution(condition, column, condition.holds(column), np.asarray(codes), n_classes)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 20))
def test_bars_on_each_side_of_a_split_hold_the_rows_of_the_two_children(seed, max_leaves):
    grown = grow(seed, n_rows=150, max_leaves=max_leaves, equal_weights=True)
    tree = grown.tree
    labels = tree.classes[grown.codes]
    found = distributions_of(tree, (grown.frame, labels))
    assert sorted(found) == np.flatnonzero(tree.left >= 0).tolist()
    for node, chart in found.items():
        answers = np.array(chart.answers)
        # With weights of 1 the class weights of a child are the rows that the bars on its side must hold.
        assert chart.counts[answers].sum(axis=0).tolist() == tree.class_weights[tree.left[node]].tolist()
        assert chart.counts[~answers].sum(axis=0).tolist() == tree.class_weights[tree.right[node]].tolist()
        places = np.array(chart.places)
        assert (places[answers] + 1 <= chart.mark + 1e-9).all()
        assert (places[~answers] >= chart.mark - 1e-9).all()


def test_bins_of_few_integers_are_one_value_each():
    chart = counted([1, 1, 2, 3, 3, 3, 6], AtMost(0, 2.5), [0, 1, 0, 0, 1, 1, 1])
    assert chart.counts.tolist() == [[1, 1], [1, 0], [1, 2], [0, 0], [0, 0], [0, 1]]
    assert chart.mark == 2
    assert [caption.text for caption in chart.captions] == ["1", "6"]


def test_bins_have_equal_width_and_a_value_at_the_threshold_lies_on_the_left():
    chart = counted(np.linspace(0, 1, 101), AtMost(0, 0.25), [0] * 101)
    assert chart.counts[np.array(chart.answers)].sum() == 26
    assert len(chart.counts) == 20 + 1  # the range and the value at its lower end
    assert set(np.diff(chart.places)) == {1.0}


@pytest.mark.parametrize(
    "values", [[5.0] * 4, [0.0, 1e308, -1e308, 1.0], [0.0, 5e-324, 0.0, 5e-324], [1.0, 1.0 + 2**-52, 1.0, 1.0]]
)
def test_numbers_of_any_size_are_counted_without_a_warning(values):
    with np.errstate(all="raise", under="ignore"):
        chart = counted(values, AtMost(0, sorted(values)[1]), [0, 1, 0, 1])
    assert chart.counts.sum() == 4
    assert len(chart.counts) <= 30
    assert chart.counts[np.array(chart.answers)].sum() == sum(value <= sorted(values)[1] for value in values)


def test_missing_numbers_have_a_bar_of_their_own_on_the_side_of_no():
    chart = counted([1.0, 2.0, None, None, None], AtMost(0, 1.5), [0, 1, 0, 1, 1])
    assert chart.counts[-1].tolist() == [1, 2]
    assert chart.answers[-1] is False
    assert chart.captions[-1].text == "missing"


def test_categories_come_by_side_and_size_and_rare_ones_share_a_bar():
    values = ["a"] * 2 + ["b"] * 5 + [f"rare {n}" for n in range(9)] + ["c"] * 3
    chart = counted(values, IsIn(0, ("a", "b")), [0] * len(values))
    assert chart.counts[:, 0].tolist() == [5, 2, 3, 1, 1, 1, 1, 5]
    assert chart.answers == (True, True, *[False] * 6)
    assert [caption.text for caption in chart.captions] == ["yes", "no: 10 values"]
    only = counted(["a", "b", "b"], IsIn(0, ("a",)), [0, 1, 1])
    assert [caption.text for caption in only.captions] == ["yes", "no: b"]
    assert counted(["a", None, None], IsIn(0, ("a",)), [0, 1, 1]).captions[1].text == "no: missing"


def test_flags_have_a_bar_for_yes_and_one_for_no():
    chart = counted([1, 0, 1, 1], IsOne(0), [0, 1, 1, 1])
    assert chart.counts.tolist() == [[1, 2], [0, 1]]
    assert [caption.text for caption in chart.captions] == ["yes", "no"]


def test_the_picture_has_a_stacked_chart_at_every_split_and_keeps_its_texts_inside():
    grown = grow(3, n_rows=200, max_leaves=9)
    tree = grown.tree
    for layout in ("vertical", "horizontal"):
        figure = Figure(figsize=(12, 12))
        data = (grown.frame, tree.classes[grown.codes])
        ax = plot_tree(tree, figure.add_axes((0, 0, 1, 1)), data=data, layout=layout, max_depth=None)
        FigureCanvasAgg(figure).draw()
        charts = [part for part in ax.collections if isinstance(part, PolyCollection) and len(part.get_paths()) > 1]
        assert len(charts) == tree.n_leaves - 1
        colors = {to_hex(color).upper() for color in charts[0].get_facecolor()}
        assert colors <= set(class_colors(3))
        assert len(colors) > 1
        assert "yes" in [text.get_text() for text in ax.texts]


def test_a_node_that_no_row_reaches_has_no_chart(tmp_path):
    X, y = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5}), [0, 1, 1, 0] * 5
    tree = GOSDTClassifier(regularization=0.01).fit(X, y).tree_
    found = distributions_of(tree, (X[X["a"] == 0], [0, 1] * 5))
    assert len(found) == 2
    save_picture(tree, tmp_path / "tree.png", data=(X[X["a"] == 0], [0, 1] * 5))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (([[1], [2]], ["no", 2]), "y holds the label"),
        (([[1], [2]], ["no"]), "X has 2 rows, y has 1"),
        (([[1]], ["maybe"]), "y holds the label 'maybe'"),
        ("X", "must be a pair"),
        (([[1, 2]], ["no"]), "2 features"),
    ],
)
def test_data_that_does_not_fit_the_tree_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        plot_tree(stump(), data=data)
