"""The report for an auditor: its figures are those of the set, and nothing in it is run as HTML."""

import re
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

from hornbeam import RashomonSetClassifier
from hornbeam.explorer import Engine


class Cells(HTMLParser):
    """The rows of all tables as lists of texts."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.is_in_cell = [], set(), False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.is_in_cell = True

    def handle_endtag(self, tag):
        self.is_in_cell = self.is_in_cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self.is_in_cell:
            self.rows[-1][-1] += data


def report_on(engine, **message):
    file = engine.answer({"method": "take_away", "format": "report", **message})
    assert (file["name"], file["type"]) == ("report.html", "text/html")
    return file["text"]


def facts_of(text):
    return {row[0]: row[1].strip() for row in Cells(text).rows if len(row) == 2}


def test_alternatives_are_counted_over_the_set(engine, classifier):
    rows = Cells(report_on(engine)).rows
    trees = classifier.rashomon_set_
    n_trees = trees.n_leaves()
    best = {}
    for number in range(4000):  # the best ones
        best.setdefault(trees[number].n_leaves, trees.objective(number))
    assert len(best) >= 3
    sizes = rows.index(["Leaves", "Good trees", "Best objective", ""])
    listed = rows[sizes + 1 : sizes + 1 + len(n_trees)]
    assert {row[0]: row[1] for row in listed} == {str(size): f"{number:,}" for size, number in n_trees.items()}
    for row in listed:
        assert int(row[0]) not in best or row[2] == f"{best[int(row[0])]:.6f}"
    names = engine.problem.schema.names
    without = rows.index(["Without", "Good trees", "Best objective", ""])
    tested = {names[one.column] for one in trees[0].conditions if one is not None}
    assert {row[0] for row in rows[without + 1 : without + 1 + len(tested)]} == tested
    for row in rows[without + 1 : without + 1 + len(tested)]:
        count = engine.answer({"method": "count", "filters": {"never": [names.index(row[0])]}})
        assert int(row[1].replace(",", "")) == int(count["n_trees"])


def test_accuracy_and_confusion_are_those_of_the_test_rows(engine, classifier, compas):
    _, test = compas
    text = report_on(engine)
    predicted, actual = classifier.tree_.predict(test.drop("target")), test["target"].to_numpy()
    assert facts_of(text)["Accuracy on test rows"] == f"{100 * np.mean(predicted == actual):.1f} %"
    rows = Cells(text).rows
    head = next(row for row in rows if row[0] == "Test rows of class")
    for row in rows[rows.index(head) + 1 :][:2]:
        for name, number in zip(head[1:], row[1:], strict=True):
            wanted = (actual == row[0]) & (predicted == name.removeprefix("predicted "))
            assert int(number) == wanted.sum()


def test_choices_of_the_user_are_named(engine, classifier):
    worse = engine.answer({"method": "options", "tree": None, "place": "", "filters": {"max_leaves": 5}})["options"][-1]
    tree = {"split": worse["split"], "true": None, "false": None}
    text = report_on(engine, filters={"max_leaves": 5, "min_rows": 40}, tree=tree)
    assert facts_of(text)["Chosen by hand"] == "at most 5 leaves; at least 40 rows in each leaf; 1 node fixed by hand"
    assert "above it" in facts_of(text)["Best objective"]
    assert facts_of(report_on(engine))["Chosen by hand"] == "none: the best tree of the set"
    assert f"at most {classifier.max_depth}" in facts_of(text)["Proven over"]


def test_a_set_that_was_stopped_says_so(compas):
    training, _ = compas
    classifier = RashomonSetClassifier(0.02, regularization=0.02, max_depth=2)
    classifier.fit(training.drop("target"), training["target"])
    classifier.status_, classifier.searched_up_to_ = "time_limit", classifier.bound_ - 0.001
    text = report_on(Engine(classifier))
    assert "stopped early" in facts_of(text)["Bound of good trees"]
    assert facts_of(text)["Test rows"] == "none"


@pytest.mark.parametrize("n_classes", [2, 12])
def test_names_and_labels_are_text(n_classes):
    hostile = "<script>alert(1)</script>\"'&<b>"
    X = pl.DataFrame([[i % 2, i // 2 % 2] for i in range(120)], schema=[hostile, "plain"], orient="row")
    y = np.array([f"<i>{number}</i>" for number in range(n_classes)])[np.arange(120) % n_classes]
    classifier = RashomonSetClassifier(0.5, regularization=0.02, max_depth=2).fit(X, y)
    text = report_on(Engine(classifier, X, y, name=hostile))
    assert not Cells(text).tags & {"script", "b", "i"}
    assert re.search("&lt;script&gt;", text)
