"""The picture of a tree: nothing overlaps, everything stands where it should, files come out the same each time."""

import re
import subprocess
import sys
from itertools import combinations, pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from hornbeam import GOSDTClassifier
from hornbeam.conditions import AtMost, IsIn
from hornbeam.plotting import plot_tree, save_picture
from hornbeam.plotting.layout import lay_out
from hornbeam.plotting.lettering import Letters, Style
from hornbeam.table import TableSchema
from hornbeam.tree import Tree
from hornbeam.tree.palette import class_colors
from hornbeam.tree.routing import node_depths
from python.tree_making import grow, single_leaf, stump

NAMES = {
    "short": ("a", "b", "c", "d", "e"),
    "long": tuple(f"the number of all earlier convictions of the accused, as {n} counts them" for n in range(5)),
    "unbroken": tuple("W" * 60 + str(n) for n in range(5)),
    "mixed": ("a", "percentage_of_accounts_overdue", "x$^2$ \\frac{1}{2}", "Größe/kg & <b>", "W" * 30),
}
CLASSES = {
    "short": ("no", "yes"),
    "long": ("will not come back within two years", "will come back"),
    "many": tuple("abcde"),
}


def picture_of(seed: int, names: str, classes: str, max_leaves: int) -> Tree:
    """Return a random tree with these names and classes."""
    tree = grow(seed, n_rows=400, max_leaves=max_leaves, classes=CLASSES[classes]).tree
    parts = dict(zip(Tree.__dataclass_fields__, tree.__reduce__()[1], strict=True))
    return Tree(**{**parts, "columns": TableSchema(NAMES[names], tree.columns.kinds, True)})


def drawn(tree: Tree, **options):
    """Draw on an own figure; return the axes and a renderer."""
    chosen = {name: options[name] for name in ("layout", "max_depth") if name in options}
    layout = lay_out(tree, options.get("title"), options.get("subtitle"), **chosen)
    figure = Figure(figsize=(layout.width / 72, layout.height / 72))
    ax = plot_tree(tree, figure.add_axes((0, 0, 1, 1)), **options)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return ax, canvas.get_renderer()


TREES = [
    picture_of(seed, names, classes, leaves)
    for seed, (names, classes, leaves) in enumerate(
        [
            ("short", "short", 2),
            ("long", "many", 6),
            ("unbroken", "long", 9),
            ("mixed", "many", 16),
            ("short", "long", 30),
        ]
    )
]

PICTURES = [*((tree, "vertical") for tree in TREES), (TREES[1], "horizontal"), (TREES[3], "horizontal")]


@pytest.mark.parametrize(("tree", "layout"), PICTURES)
def test_no_two_texts_overlap_and_none_leaves_the_picture(tree, layout):
    options = {"layout": layout, "max_depth": None}
    ax, renderer = drawn(tree, title="A title " * 20, subtitle="objective 0.3125, proven optimal", **options)
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    assert len(boxes) > 3 * tree.n_nodes
    assert not [
        (ax.texts[a].get_text(), ax.texts[b].get_text())
        for a, b in combinations(range(len(boxes)), 2)
        if min(boxes[a].x1, boxes[b].x1) - max(boxes[a].x0, boxes[b].x0) > 0
        # Line boxes hold space for letters with a tail, which may touch the next line's.
        and min(boxes[a].y1, boxes[b].y1) - max(boxes[a].y0, boxes[b].y0) > 0.2 * boxes[a].height
    ]
    width, height = ax.figure.canvas.get_width_height()
    assert all(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height for box in boxes)


@pytest.mark.parametrize(("tree", "layout"), PICTURES)
def test_nodes_do_not_overlap_and_hold_their_texts(tree, layout):
    ax, renderer = drawn(tree, layout=layout, max_depth=None)
    nodes = [patch.get_window_extent(renderer) for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert len(nodes) == tree.n_nodes
    assert not any(a.overlaps(b) for a, b in combinations(nodes, 2))
    inside = 0
    for text in ax.texts:
        box = text.get_window_extent(renderer)
        around = [node for node in nodes if node.overlaps(box)]
        # Only "yes" and "no" on the edges, and the legend, stand outside.
        inside += len(around)
        assert all(
            node.x0 <= box.x0 and box.x1 <= node.x1 and node.y0 <= box.y0 and box.y1 <= node.y1 for node in around
        )
    assert inside >= 2 * tree.n_nodes


@pytest.mark.parametrize("tree", TREES)
def test_leaves_are_evenly_spaced_and_parents_stand_between_their_children(tree):
    boxes = lay_out(tree, layout="vertical", max_depth=None).boxes
    leaves = [box.x for box, left in zip(boxes, tree.left, strict=True) if left < 0]
    assert np.ptp(np.diff(leaves)) < 1e-6
    for node in np.flatnonzero(tree.left >= 0):
        assert boxes[node].x == pytest.approx((boxes[tree.left[node]].x + boxes[tree.right[node]].x) / 2)
    depths = node_depths(tree.left, tree.right)
    for level in range(tree.depth):
        bottom = max(box.top + box.height for box, depth in zip(boxes, depths, strict=True) if depth == level)
        assert bottom < min(box.top for box, depth in zip(boxes, depths, strict=True) if depth == level + 1)


def texts_of(tree: Tree, **options) -> list[str]:
    return [text.get_text() for text in drawn(tree, **options)[0].texts]


def test_the_picture_says_conditions_answers_classes_shares_and_headings():
    texts = texts_of(stump(), title="A title", subtitle="objective 0.25, proven optimal")
    assert texts == [
        "yes", "no", "age ≤\xa025.5", "10 rows",
        "no", "80 % of", "5 rows", "yes", "80 % of", "5 rows",
        "A title", "objective 0.25, proven optimal", "target:", "no", "yes",
    ]  # fmt: skip
    assert not any("missing" in text for text in texts)
    assert any("missing value" in text for text in texts_of(stump(has_missing=(True,))))


def test_leaves_have_the_color_of_their_class_and_bars_of_its_shares():
    tree = stump()
    ax, _ = drawn(tree)
    colors = [mpl.colors.to_hex(color).upper() for color in class_colors(2)]
    nodes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    assert [mpl.colors.to_hex(node.get_edgecolor()).upper() for node in nodes[1:]] == colors
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)][:4]
    widths = [bar.get_width() for bar in bars]
    assert widths[0] / (widths[0] + widths[1]) == pytest.approx(0.8)
    assert widths[2] / (widths[2] + widths[3]) == pytest.approx(0.2)
    assert [mpl.colors.to_hex(bar.get_facecolor()).upper() for bar in bars] == colors * 2


@pytest.mark.parametrize("n_classes", [1, 2, 6, 7, 25])
def test_every_class_has_its_own_color(n_classes):
    colors = class_colors(n_classes)
    assert len(set(colors)) == n_classes
    assert all(re.fullmatch("#[0-9A-F]{6}", color) for color in colors)


def test_the_test_of_a_long_name_is_never_cut_off():
    name = "an extremely long name of a column " * 9
    tree = stump(conditions=(AtMost(0, 1234.5678), None, None), columns=TableSchema((name,), ("number",)))
    texts = texts_of(tree)
    assert any("…" in text for text in texts)
    assert any(text.endswith("≤\xa01234.5678") for text in texts)


def test_a_long_list_of_categories_is_shortened_to_its_beginning_and_end():
    values = tuple(f"city {number}" for number in range(80))
    tree = stump(conditions=(IsIn(0, values), None, None), columns=TableSchema(("c",), ("category",)))
    texts = texts_of(tree)
    assert any("in\xa0{city 0, city 1," in text for text in texts)
    assert any("…" in text and text.endswith("city 79}") for text in texts)


def test_a_single_leaf_can_be_drawn():
    assert texts_of(single_leaf())[:3] == ["no", "75 % of", "7 rows"]


def test_the_drawing_fits_into_axes_of_any_size():
    for size in ((5, 5), (12, 4), (6, 12)):
        figure = Figure(figsize=size)
        ax = plot_tree(TREES[1], figure.subplots(1, 2)[0])
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        window = ax.get_window_extent(canvas.get_renderer())
        for text in ax.texts:
            box = text.get_window_extent(canvas.get_renderer())
            # Letters are rounded to pixels, which counts when they are small.
            assert window.x0 - 2 <= box.x0
            assert box.x1 <= window.x1 + 2


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_headings_stand_in_the_middle_of_axes_of_any_size(layout):
    for size in ((4, 4), (9, 4)):
        figure = Figure(figsize=size, layout=layout)
        axes = [plot_tree(TREES[0], ax, title="A title", subtitle="of 123 rows") for ax in figure.subplots(1, 2)]
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        for ax in axes:
            window = ax.get_window_extent(canvas.get_renderer())
            texts = [text for text in ax.texts if text.get_text() in ("A title", "of 123 rows")]
            boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
            assert [(box.x0 + box.x1) / 2 for box in boxes] == pytest.approx([(window.x0 + window.x1) / 2] * 2, abs=1.5)


def test_letters_have_the_size_of_their_boxes_where_a_layout_changes_the_axes():
    figure = Figure(figsize=(9, 4), layout="constrained")
    ax = plot_tree(TREES[1], figure.subplots())
    FigureCanvasAgg(figure).draw()
    scale = ax.get_window_extent().width / lay_out(TREES[1]).width * 72 / figure.dpi
    assert ax.texts[0].get_fontsize() == pytest.approx(8.5 * scale, rel=0.01)


def test_without_axes_a_new_figure_of_the_right_size_is_made():
    import matplotlib.pyplot as plt

    ax = plot_tree(stump())
    layout = lay_out(stump())
    assert ax.figure.get_size_inches().tolist() == [layout.width / 72, layout.height / 72]
    assert ax.texts[0].get_fontsize() == pytest.approx(8.5)
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF"), ("SVG", b"<?xml")]
)
def test_files_are_of_their_kind_and_the_same_each_time(tmp_path, suffix, start):
    one, other = tmp_path / f"one.{suffix}", tmp_path / f"other.{suffix}"
    save_picture(TREES[3], one, title="A title")
    save_picture(TREES[3], str(other), title="A title")
    assert one.read_bytes().startswith(start)
    assert one.read_bytes() == other.read_bytes()
    assert b"<dc:date>" not in one.read_bytes()
    assert b"/CreationDate" not in one.read_bytes()


def test_a_new_figure_has_the_wanted_size_and_holds_the_whole_drawing():
    classifier = GOSDTClassifier(0.1).fit([[0], [1]], ["no", "yes"])
    ax = classifier.plot(figsize=(4, 3))
    assert ax.figure.get_size_inches().tolist() == [4, 3]
    renderer = ax.figure.canvas.get_renderer()
    boxes = [text.get_window_extent(renderer) for text in ax.texts]
    assert boxes
    assert all(ax.figure.bbox.fully_containsx(x) for box in boxes for x in (box.x0, box.x1))
    assert all(ax.figure.bbox.fully_containsy(y) for box in boxes for y in (box.y0, box.y1))
    with pytest.raises(ValueError, match="ax is given: set the size of the figure of ax"):
        classifier.plot(ax=ax, figsize=(4, 3))
    plt.close(ax.figure)


@pytest.mark.parametrize("figsize", [4, (4,), (4, 0), (4, float("nan")), (4, "3"), (True, 3), "43"])
def test_a_wrong_size_of_a_figure_is_named(figsize):
    with pytest.raises(ValueError, match="figsize must be \\(width, height\\), two positive numbers of inches"):
        plot_tree(stump(), figsize=figsize)


def test_a_file_of_another_kind_is_refused_before_it_is_written(tmp_path):
    for name in ("tree.jpeg", "tree"):
        with pytest.raises(ValueError, match=r"must end in .svg, .png or .pdf, found"):
            save_picture(stump(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


LETTERS = Letters(dict.fromkeys(("normal", "bold"), ("sans-serif",)))


def test_lines_are_never_wider_or_more_than_allowed_and_lose_nothing_unless_shortened():
    style = Style(10)
    for text in ("a bc def " * 12, "W" * 90, "a_b/c-d, e:f " * 9, "word", "two words", "x" * 30 + " y"):
        for max_width, max_lines in ((40, 1), (60, 2), (90, 4), (60, 99)):
            lines = LETTERS.wrap(text, style, max_width, max_lines)
            assert len(lines) <= max_lines
            assert all(LETTERS.width(line, style) <= max_width for line in lines)
            is_whole = "".join(lines).replace(" ", "") == text.replace(" ", "")
            assert is_whole != ("…" in lines[-1])


def test_every_line_but_the_last_is_filled_as_far_as_it_goes():
    style = Style(10)
    lines = LETTERS.wrap("one two three four five six seven eight nine ten", style, 70, 99)
    assert len(lines) > 3
    for line, following in pairwise(lines):
        assert LETTERS.width(f"{line} {following.split()[0]}", style) > 70


def test_matplotlib_is_loaded_only_when_a_tree_is_drawn():
    code = "import sys, hornbeam.plotting, hornbeam.export; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
