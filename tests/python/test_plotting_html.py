"""What notebooks show, `plot` of the classifiers, and the traces: escaped, limited, and there without matplotlib."""

import re
import sys
import warnings
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import hornbeam
from hornbeam import (
    GOSDTClassifier,
    LicketySPLITClassifier,
    MAPTreeClassifier,
    OSDTClassifier,
    RashomonSetClassifier,
    SPLITClassifier,
    plot_importance,
    plot_roc,
    plot_trace,
)
from hornbeam.conditions import AtMost
from hornbeam.datasets import load_monk
from hornbeam.plotting import save_picture
from hornbeam.table import TableSchema
from python.test_plotting_layout import tree_of_shape
from python.tree_making import single_leaf, stump

HOSTILE = "<script>alert(1)</script>&\"'</svg></pre>\x07\ud800"
X, Y = load_monk(1, return_X_y=True)
CLASSIFIERS = [
    GOSDTClassifier(0.02),
    OSDTClassifier(0.05),
    SPLITClassifier(0.02),
    LicketySPLITClassifier(0.02),
    MAPTreeClassifier(max_expansions=300),
    RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4),
]


class Elements(HTMLParser):
    """Collects the names of the elements, and checks that they are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names, self.text, self._open = set(), "", []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.add(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.fixture(params=[True, False], ids=["matplotlib", "no matplotlib"])
def has_matplotlib(request, monkeypatch):
    """Run with matplotlib, and as if it were not installed."""
    if not request.param:
        for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
            monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.setitem(sys.modules, "matplotlib", None)
    return request.param


def fitted(classifier):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hornbeam.NotProvenWarning)
        return clone(classifier).fit(X, Y)


def test_everything_of_the_user_is_escaped(has_matplotlib):
    tree = stump(columns=TableSchema((HOSTILE,), ("number",)), classes=np.array([HOSTILE, "no"]), target_name=HOSTILE)
    elements = Elements(tree._repr_html_())
    allowed = {"svg", "g", "path", "text", "defs", "clippath", "rect", "use"} if has_matplotlib else {"pre"}
    assert elements.names <= {"div"} | allowed
    assert "alert(1)" in elements.text
    assert "\x07" not in elements.text
    tree._repr_html_().encode("utf-8")


@settings(max_examples=10, deadline=None)
@given(st.text(st.characters(), max_size=30), st.text(st.characters(), min_size=1, max_size=30))
def test_any_string_gives_well_formed_html_and_no_warning(name, label):
    names, classes = TableSchema((name,), ("number",)), np.array([f"{label}1", "no"], dtype=object)
    tree = stump(columns=names, classes=classes, target_name=label)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        elements = Elements(tree._repr_html_())
        hornbeam.plot_tree(tree, Figure(figsize=(4, 4), dpi=40).add_axes((0, 0, 1, 1))).figure.canvas.draw()
    assert "10 rows" in elements.text


def test_a_tree_is_an_inline_picture_or_text_without_matplotlib(has_matplotlib):
    html = stump()._repr_html_()
    assert ("<svg" in html) is has_matplotlib
    assert ("<pre>age &lt;= 25.5?" in html) is not has_matplotlib
    assert "<style" not in html
    assert ' id="figure' not in html
    assert "background:#fff" in html
    assert Elements(single_leaf()._repr_html_()).names


@pytest.mark.parametrize("n_leaves", [62, 3000])
@pytest.mark.parametrize("is_chain", [True, False])
def test_the_html_of_a_huge_tree_is_limited(n_leaves, is_chain, has_matplotlib):
    tree = tree_of_shape(min(n_leaves, 400 if is_chain else n_leaves), is_chain=is_chain)
    html = tree._repr_html_()
    assert len(html) < 250_000
    if has_matplotlib:
        width, height = (float(size) for size in re.findall(r'(?:width|height)="([\d.]+)pt"', html)[:2])
        assert width <= 960.1
        assert height <= 640.1
        assert "leaves" in html
    else:
        assert "more lines" in html


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda classifier: type(classifier).__name__)
def test_a_fitted_classifier_shows_its_picture_and_certificate_before_the_diagram(classifier, has_matplotlib):
    one = fitted(classifier)
    html = one._repr_html_()
    diagram = html.index('class="sk-top-container')
    assert ("<svg" in html[:diagram]) is has_matplotlib
    words = Elements(html[:diagram].partition("<style>")[0]).text
    assert f"{one.n_leaves_} leaves" in words
    assert ("proven optimal" if one.status_ == "optimal" else f"status {one.status_}") in words
    assert ("bound" in words) is ("gap" in words) is (one.status_ != "optimal")
    assert "<svg" in one._repr_mimebundle_()["text/html"] if has_matplotlib else True
    assert one._repr_mimebundle_()["text/plain"] == repr(one)


def test_an_unfitted_classifier_shows_only_what_scikit_learn_shows():
    html = GOSDTClassifier()._repr_html_()
    assert "sk-top-container" in html
    assert 'role="img"' not in html


def test_with_the_display_of_text_scikit_learn_shows_no_html():
    with sklearn.config_context(display="text"):
        one = fitted(CLASSIFIERS[0])
        assert not hasattr(one, "_repr_html_")
        assert set(one._repr_mimebundle_()) == {"text/plain"}


def test_a_set_of_trees_shows_how_many_there_are_and_the_best_three(has_matplotlib):
    trees = fitted(CLASSIFIERS[-1]).rashomon_set_
    html = trees._repr_html_()
    text = Elements(html).text
    assert "RashomonSet of 12 trees" in text
    assert "The best 3:" in text
    assert html.count("<svg" if has_matplotlib else "<pre>") == 3
    assert "12 trees in the Rashomon set" in fitted(CLASSIFIERS[-1])._certificate()
    assert f"Tree 2: objective {trees.objective(2):.6g}" in text


def test_a_set_of_very_many_trees_is_counted_in_powers_of_ten(monkeypatch):
    trees = fitted(CLASSIFIERS[-1]).rashomon_set_
    for number, words in ((1, "1 tree,"), (1204, "1,204 trees,"), (31 * 10**499, "3.1e+500 trees,")):
        monkeypatch.setattr(trees, "n_trees", number)
        assert f"RashomonSet of {words}" in Elements(trees._repr_html_()).text


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda classifier: type(classifier).__name__)
def test_without_a_proof_the_certificate_has_the_bound_the_gap_in_percent_and_the_status(classifier):
    one = fitted(classifier)
    one.gap_, one.status_ = 1.0, "time_limit"
    bound = "upper bound" if hasattr(one, "log_posterior_") else "lower bound"
    assert re.search(rf", {bound} -?[\d.]+, gap 100 %, status time_limit\b", one._certificate())


def test_plot_of_a_classifier_draws_its_tree_with_the_certificate():
    one = fitted(GOSDTClassifier(0.02))
    ax = one.plot(title="MONK")
    texts = [text.get_text() for text in ax.texts]
    assert "MONK" in texts
    assert f"7 leaves, objective {one.objective_:.4f}, proven optimal" in texts
    charts = len(one.plot(X, Y, layout="horizontal").collections)
    assert charts == 2 * (one.n_leaves_ - 1)
    assert "of 7 leaves" not in " ".join(texts)
    assert "7 leaves" in [text.get_text() for text in one.plot(max_depth=0).texts]
    plt.close("all")


def test_plot_refuses_an_unfitted_classifier_and_rows_without_labels():
    with pytest.raises(NotFittedError):
        GOSDTClassifier().plot()
    with pytest.raises(ValueError, match="both X and y"):
        fitted(CLASSIFIERS[0]).plot(X)


def test_plot_tree_is_public_and_takes_a_fitted_classifier_as_well_as_a_tree(tmp_path):
    assert "plot_tree" in hornbeam.__all__
    one = fitted(CLASSIFIERS[0])
    of_both = [[text.get_text() for text in hornbeam.plot_tree(thing).texts] for thing in (one, one.tree_)]
    assert of_both[0] == of_both[1]
    save_picture(one, tmp_path / "tree.svg")
    for wrong in (GOSDTClassifier(), "tree"):
        with pytest.raises(TypeError, match="tree must be a tree or a fitted estimator"):
            hornbeam.plot_tree(wrong)
    plt.close("all")


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda classifier: type(classifier).__name__)
def test_a_trace_goes_to_the_end_of_the_search(classifier):
    one = fitted(clone(classifier).set_params(trace=True))
    last = one.trace_[-1]
    assert last.elapsed == one.statistics_["seconds"]
    assert last.gap == pytest.approx(one.gap_)
    assert all(before.elapsed <= after.elapsed for before, after in zip(one.trace_, one.trace_[1:], strict=False))
    ax = plot_trace(one.trace_)
    assert max(line.get_xdata()[-1] for line in ax.lines) == pytest.approx(last.elapsed)
    plt.close("all")


def test_a_search_that_is_stopped_has_a_trace_up_to_where_it_was_stopped():
    rng = np.random.default_rng(0)
    calls = []

    def stop(progress):
        calls.append(progress)
        return len(calls) == 3

    one = GOSDTClassifier(0.0005, binarizer="exact", callback=stop, trace=True)
    with pytest.warns(hornbeam.NotProvenWarning):
        one.fit(rng.random((400, 6)), rng.integers(0, 2, 400))
    assert one.trace_[-1].elapsed == one.statistics_["seconds"]
    assert one.trace_[-1].elapsed >= calls[-1].elapsed
    assert one.trace_[-1].objective == pytest.approx(one.objective_)
    assert one.trace_[-1].lower_bound == pytest.approx(one.lower_bound_)


def test_other_plots_take_names_of_any_script_without_a_warning(capfd):
    frame = pd.DataFrame(X).rename(
        columns=dict(zip(range(6), ("年龄", "العمر", "उम्र", "🦄", "e$x$", "f"), strict=True))
    )
    frame.columns = ["年龄", "العمر", "उम्र", "🦄", "e$x$", "f"]
    trees = RashomonSetClassifier(epsilon=0.1, regularization=0.02, max_depth=4).fit(frame, Y).rashomon_set_
    trace = OSDTClassifier(0.05, trace=True).fit(X, Y).trace_
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for ax in (
            plot_importance(hornbeam.model_class_reliance(trees)),
            plot_roc([0, 1, 1], {"年龄 🦄": [1, 2, 3]}),
            plot_trace({"年龄 🦄": trace}),
        ):
            ax.figure.canvas.draw()
    plt.close("all")
    assert capfd.readouterr().err == ""


def test_a_condition_of_a_deep_chain_is_drawn_in_a_figure_of_bounded_size():
    tree = tree_of_shape(300, is_chain=True)
    assert isinstance(tree.conditions[0], AtMost)
    figure = hornbeam.plot_tree(tree).figure
    assert figure.get_size_inches()[0] <= 13.34
    assert figure.get_size_inches()[1] <= 15.01
    plt.close("all")
