"""Layouts of trees of any size: nothing overlaps, subtrees are collapsed, every picture fits a page."""

import logging
import warnings
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hornbeam import plot_tree
from hornbeam.conditions import AtMost, IsIn
from hornbeam.plotting import save_picture
from hornbeam.plotting.layout import MIN_SCALE, PAGE, lay_out
from hornbeam.plotting.lettering import Letters, Style, escape
from hornbeam.plotting.view import leaves_below, view_of
from hornbeam.table import TableSchema
from hornbeam.tree import Tree
from python.tree_making import grow, single_leaf, stump

SCRIPTS = ("年龄", "العمر", "उम्र 👍🏽", "🦄😀", "a\x07b\u202ec\ud800")


def tree_of_shape(n_leaves: int, *, is_chain: bool, names=("age",), classes=("no", "yes")) -> Tree:
    """A tree of so many leaves: either one leaf beside every split, or as balanced as can be."""
    nodes: list[tuple[int, int]] = []

    def add(leaves: int) -> int:
        node = len(nodes)
        nodes.append((-1, -1))
        if leaves > 1:
            left = add(1 if is_chain else leaves // 2)
            nodes[node] = (left, add(leaves - (1 if is_chain else leaves // 2)))
        return node

    add(n_leaves)
    left, right = np.array(nodes).T
    n_nodes, n_classes = len(nodes), len(classes)
    samples = np.ones(n_nodes, dtype=int)
    for node in reversed(range(n_nodes)):
        if left[node] >= 0:
            samples[node] = samples[left[node]] + samples[right[node]]
    weights = np.outer(samples, np.full(n_classes, 1 / n_classes))
    conditions = [AtMost(node % len(names), node + 0.5) if left[node] >= 0 else None for node in range(n_nodes)]
    schema = TableSchema(tuple(names), ("number",) * len(names), True)
    prediction = np.arange(n_nodes) % n_classes
    return Tree(left, right, conditions, prediction, weights, samples, np.array(classes), schema, (False,) * len(names))


def overlapping(boxes) -> list[tuple[int, int]]:
    """Return the pairs of boxes that have a point in common."""
    left = np.array([box.left for box in boxes])
    top = np.array([box.top for box in boxes])
    right, bottom = left + [box.width for box in boxes], top + [box.height for box in boxes]
    beside = np.maximum.outer(left, left) < np.minimum.outer(right, right)
    below = np.maximum.outer(top, top) < np.minimum.outer(bottom, bottom)
    return [(a, b) for a, b in np.argwhere(beside & below).tolist() if a < b]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.sampled_from(["vertical", "horizontal"]), st.integers(0, 7))
def test_no_two_boxes_of_a_random_tree_overlap_and_none_leaves_the_picture(seed, max_leaves, layout, max_depth):
    tree = grow(seed, n_rows=80, max_leaves=max_leaves).tree
    made = lay_out(tree, "A title", layout=layout, max_depth=max_depth)
    assert overlapping(made.boxes) == []
    assert all(box.left >= 0 and box.left + box.width <= made.width for box in made.boxes)
    assert all(box.top >= 0 and box.top + box.height <= made.height for box in made.boxes)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 60))
def test_a_horizontal_layout_has_leaves_in_order_and_children_to_the_right(seed, max_leaves):
    tree = grow(seed, n_rows=150, max_leaves=max_leaves).tree
    boxes = lay_out(tree, layout="horizontal", max_depth=None).boxes
    leaves = [box for box, left in zip(boxes, tree.left, strict=True) if left < 0]
    assert all(upper.top + upper.height < lower.top for upper, lower in pairwise(leaves))
    for node in np.flatnonzero(tree.left >= 0):
        yes, no = boxes[tree.left[node]], boxes[tree.right[node]]
        assert boxes[node].left + boxes[node].width < min(yes.left, no.left)
        assert yes.middle < boxes[node].middle < no.middle
        assert boxes[node].middle == pytest.approx((yes.middle + no.middle) / 2)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(0, 8))
def test_collapsed_subtrees_hide_the_leaves_and_rows_below_them_and_nothing_else(seed, max_leaves, max_depth):
    tree = grow(seed, n_rows=120, max_leaves=max_leaves).tree
    view = view_of(tree, max_depth)
    assert max(view.depths) == min(max_depth, tree.depth)
    ends = [place for place, left in enumerate(view.left) if left < 0]
    assert sum(view.n_hidden[place] or 1 for place in ends) == tree.n_leaves
    assert sum(tree.n_samples[view.nodes[place]] for place in ends) == tree.n_samples[0]
    for place in range(len(view.nodes)):
        node = view.nodes[place]
        if view.left[place] >= 0:
            assert view.n_hidden[place] == 0
            assert view.nodes[view.left[place]] == tree.left[node]
            assert view.nodes[view.right[place]] == tree.right[node]
        else:
            assert view.n_hidden[place] == (0 if tree.left[node] < 0 else leaves_below(tree)[node])


def texts_of(tree, **options):
    ax = plot_tree(tree, Figure(figsize=(8, 8)).add_axes((0, 0, 1, 1)), **options)
    return [text.get_text() for text in ax.texts]


def test_a_collapsed_subtree_shows_its_leaves_its_largest_class_and_its_rows():
    tree = tree_of_shape(8, is_chain=True)
    texts = texts_of(tree, layout="vertical", max_depth=3)
    assert texts[texts.index("5 leaves") : texts.index("5 leaves") + 3] == ["5 leaves", "no: 50 %", "of 5 rows"]
    assert "The dashed box stands for a subtree with 5 of the 8 leaves." in texts
    texts = texts_of(tree, layout="horizontal", max_depth=3)
    assert texts[texts.index("5 leaves") + 1] == "no: 50 % of 5 rows"
    assert not any("dashed" in text for text in texts_of(tree, max_depth=None))


def test_the_largest_class_of_a_collapsed_subtree_is_named_even_where_costs_predict_another():
    parts = dict(zip(Tree.__dataclass_fields__, stump().__reduce__()[1], strict=True))
    tree = Tree(**{**parts, "class_weights": [[2.0, 8.0], [1.0, 4.0], [1.0, 4.0]], "prediction": [0, 0, 1]})
    assert "yes: 80 %" in texts_of(tree, layout="vertical", max_depth=0)


@pytest.mark.parametrize("is_chain", [True, False])
@pytest.mark.parametrize("n_leaves", [1, 2, 9, 62, 700])
@pytest.mark.parametrize("name", ["age", "the number of all earlier convictions of the accused " * 3])
def test_a_picture_made_without_options_is_never_larger_than_a_page(n_leaves, is_chain, name):
    made = lay_out(tree_of_shape(n_leaves, is_chain=is_chain, names=(name,)))
    assert made.width * made.scale <= PAGE[0] + 1e-6
    assert made.height * made.scale <= PAGE[1] + 1e-6
    assert made.scale >= MIN_SCALE
    assert (
        sum(hidden or 1 for hidden, left in zip(made.view.n_hidden, made.view.left, strict=True) if left < 0)
        == n_leaves
    )


def test_small_trees_are_vertical_large_ones_horizontal_and_whole_up_to_62_leaves():
    assert not lay_out(tree_of_shape(6, is_chain=False)).is_horizontal
    large = lay_out(tree_of_shape(62, is_chain=False))
    assert large.is_horizontal
    assert max(large.view.n_hidden) == 0
    assert max(lay_out(tree_of_shape(200, is_chain=False)).view.n_hidden) > 1


def test_nothing_is_collapsed_where_none_is_asked_for():
    made = lay_out(tree_of_shape(200, is_chain=False), max_depth=None)
    assert len(made.boxes) == 399
    assert overlapping(made.boxes) == []


@pytest.mark.parametrize("options", [{"layout": "left"}, {"max_depth": -1}, {"max_depth": 1.5}, {"max_depth": True}])
def test_an_unknown_layout_or_depth_is_refused_by_name(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))} must be"):
        plot_tree(stump(), **options)


@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_names_of_any_script_are_drawn_without_a_warning(tmp_path, suffix, layout, caplog, capfd):
    tree = tree_of_shape(6, is_chain=False, names=SCRIPTS, classes=("是", "نعم", "हाँ"))
    with warnings.catch_warnings(), caplog.at_level(logging.WARNING):
        warnings.simplefilter("error")
        save_picture(tree, tmp_path / f"tree.{suffix}", title="标题 🦄", subtitle="עברית", layout=layout)
        ax = plot_tree(tree, Figure(figsize=(6, 6)).add_axes((0, 0, 1, 1)), title="标题 🦄", layout=layout, max_depth=1)
        FigureCanvasAgg(ax.figure).draw()
    assert caplog.records == []
    assert capfd.readouterr().err == ""


def test_what_no_font_has_is_shown_as_an_escape_and_kept_in_svg_files(tmp_path):
    nowhere = "\U000e0fff"  # unassigned
    tree = stump(columns=TableSchema((f"a{nowhere}b",), ("number",)))
    assert any(r"a\U000e0fffb" in text for text in texts_of(tree))
    save_picture(tree, tmp_path / "tree.svg")
    assert f"a{nowhere}b" in (tmp_path / "tree.svg").read_text(encoding="utf-8")


def test_control_characters_surrogates_and_marks_of_reordering_are_always_escaped(tmp_path):
    tree = stump(columns=TableSchema((SCRIPTS[-1],), ("number",)))
    shown = r"a\x07b\u202ec\ud800"
    assert any(shown in text for text in texts_of(tree))
    save_picture(tree, tmp_path / "tree.svg")
    assert shown in (tmp_path / "tree.svg").read_text(encoding="utf-8")
    assert [escape(character) for character in "中\x7f\x85"] == [r"\u4e2d", r"\x7f", r"\x85"]


def test_a_font_that_lacks_letters_gets_help_from_an_installed_one_that_has_them():
    with mpl.rc_context({"font.family": "cmss10"}):
        letters = Letters.of(["Größe ж"])
    assert letters.show("Größe ж") == "Größe ж"
    assert letters.families[0] == "cmss10"
    assert "DejaVu Sans" in letters.families


def test_an_arabic_name_does_not_turn_its_condition_around():
    texts = texts_of(stump(columns=TableSchema((SCRIPTS[1],), ("number",))))
    assert f"\u200e{SCRIPTS[1]}\u200e ≤\xa025.5" in texts


def test_the_white_ground_does_not_depend_on_the_style_of_the_user(tmp_path):
    with mpl.rc_context({"figure.facecolor": "black", "savefig.facecolor": "black", "savefig.transparent": True}):
        save_picture(stump(), tmp_path / "dark.svg")
    save_picture(stump(), tmp_path / "plain.svg")
    assert (tmp_path / "dark.svg").read_bytes() == (tmp_path / "plain.svg").read_bytes()


def test_a_single_leaf_can_be_drawn_in_both_layouts():
    assert texts_of(single_leaf(), layout="horizontal")[:2] == ["no", "75 % of 7 rows"]
    assert texts_of(single_leaf(), layout="vertical")[:2] == ["no", "75 % of"]


def test_a_long_list_of_categories_is_shortened_in_a_horizontal_layout_too():
    tree = stump(conditions=(IsIn(0, tuple(f"city {n}" for n in range(80))), None, None),
                 columns=TableSchema(("c",), ("category",)))  # fmt: skip
    made = lay_out(tree, layout="horizontal")
    assert made.boxes[0].width < 150
    style = Style(10)
    assert all(made.letters.width(piece.text, style) < 140 for piece in made.boxes[0].pieces)
