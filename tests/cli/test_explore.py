"""The command `explore`: from a file to what answers the page."""

import pickle
from pathlib import Path

import joblib
import polars as pl
import pytest

from hornbeam import GOSDTClassifier, RashomonSetClassifier
from hornbeam.cli.held_out import HeldOut, splits

pytest.importorskip("uvicorn")
COMPAS = Path(__file__).parents[2] / "examples" / "compas.csv"


@pytest.fixture
def served(monkeypatch):
    """What the command serves, instead of a server."""
    calls = []

    def serve(engine, **options):
        calls.append((engine, options))
        engine.wait()

    monkeypatch.setattr("hornbeam.explorer.serve", serve)
    return calls


def test_explore_serves_the_good_trees_of_a_file(run, served):
    result = run("explore", COMPAS, "--target", "target", "--epsilon", "0.05", "--max-depth", "3", "--port", "0")
    assert (result.code, result.err) == (0, "")
    assert "Searching for all good trees of 5,180 rows" in result.out
    [(search, options)] = served
    assert (options["port"], options["opens_browser"]) == (0, True)
    about = search.answer({"method": "about"})
    assert (about["rows"], about["test_rows"], about["target"]) == (5180, 1727, "target")
    assert about["name"] == "target: good trees of compas.csv"
    assert f"Found {int(about['n_trees']):,} good trees." in result.out
    table = pl.read_csv(COMPAS)
    train, _ = splits(HeldOut(0.25, None, 0), table["target"].to_numpy())[0]
    classifier = RashomonSetClassifier(0.05, max_depth=3).fit(table[train].drop("target"), table[train]["target"])
    assert int(about["n_trees"]) == classifier.n_trees_


def test_ctrl_c_ends_the_search_and_only_then_the_server(run, monkeypatch):
    stops = []

    def serve(search, takes_ctrl_c, **_):
        while "best" not in search.answer({"method": "about"})["searching"]:
            pass
        stops.append(takes_ctrl_c())
        assert search.wait(60)
        stops.append(takes_ctrl_c())

    monkeypatch.setattr("hornbeam.explorer.serve", serve)
    words = ("--binarizer", "exact", "--regularization", "0.0005", "--max-depth", "6", "--epsilon", "0.5")
    result = run("explore", COMPAS, "--target", "target", *words)
    assert (result.code, stops) == (2, [True, False])
    assert "The search ends with what it has found; the next Ctrl-C ends the explorer." in result.out
    assert "the search was stopped (status 'interrupted') before it found the good trees" in result.err


def test_a_search_that_fails_says_why_in_the_page_and_in_the_terminal(run, served, tmp_path):
    path = tmp_path / "three.csv"
    pl.DataFrame({"a": range(21), "y": ["a", "b", "c"] * 7}).write_csv(path)
    result = run("explore", path, "--target", "y", "--test-size", "0", "--objective", "auc")
    assert result.code == 2
    assert "hornbeam: error: objective='auc' needs two classes" in result.err
    with pytest.raises(ValueError, match="objective='auc' needs two classes"):
        served[0][0].answer({"method": "about"})


def test_explore_without_test_rows_and_browser(run, served):
    words = ("--max-depth", "2", "--test-size", "0", "--drop", "age", "--no-browser", "--regularization", "0.02")
    result = run("explore", COMPAS, "--target", "target", *words)
    assert result.code == 0
    [(engine, options)] = served
    assert options["opens_browser"] is False
    about = engine.answer({"method": "about"})
    assert (about["rows"], about["test_rows"], about["regularization"]) == (6907, 0, 0.02)
    assert "age" not in [column["name"] for column in about["columns"]]


def test_export_writes_a_page_and_serves_none(run, served, tmp_path):
    large = tmp_path / "large.html"
    words = ("--epsilon", "0.01", "--max-depth", "2", "--export", tmp_path / "page.html")
    result = run("explore", COMPAS, "--target", "target", *words)
    assert (result.code, result.err) == (0, "")
    assert "page.html shows the" in result.out
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    result = run("explore", COMPAS, "--target", "target", "--epsilon", "0.2", "--max-depth", "3", "--export", large)
    assert result.code == 2
    assert "can hold 10,000 trees" in result.err
    assert served == []


@pytest.fixture
def saved(tmp_path):
    """A saved set, and a file of test rows."""
    table = pl.read_csv(COMPAS)
    table[5000:].write_csv(tmp_path / "test.csv")
    training = table[:5000]
    classifier = RashomonSetClassifier(0.05, regularization=0.02, max_depth=2)
    joblib.dump(classifier.fit(training.drop("target"), training["target"]), tmp_path / "set.joblib")
    (tmp_path / "set.pkl").write_bytes(pickle.dumps(classifier))
    return tmp_path


@pytest.mark.parametrize("name", ["set.pkl", "set.joblib"])
def test_a_saved_set_is_explored_with_and_without_test_rows(run, served, saved, name):
    for words, n_test_rows in (((), 0), (("--test-data", saved / "test.csv"), 1907)):
        result = run("explore", saved / name, *words)
        assert (result.code, result.err) == (0, "")
        about = served[-1][0].answer({"method": "about"})
        assert (about["rows"], about["test_rows"], about["name"]) == (5000, n_test_rows, f"Good trees of {name}")
        assert int(about["n_trees"]) == joblib.load(saved / "set.joblib").n_trees_


def test_what_is_no_saved_set_is_refused_in_one_line(run, served, saved):
    (saved / "text.pkl").write_text("no pickle")
    X, y = [[0], [1]] * 20, [0, 1] * 20
    (saved / "tree.pkl").write_bytes(pickle.dumps(GOSDTClassifier(0.1).fit(X, y)))
    for words, message in (
        ((saved / "none.pkl",), "No such file"),
        ((saved / "text.pkl",), "is not a file of pickle or joblib"),
        ((saved / "tree.pkl",), "classifier must be a RashomonSetClassifier, got GOSDTClassifier"),
        ((saved / "set.pkl", "--epsilon", "0.1"), "--epsilon"),
        ((saved / "set.pkl", "--test-data", saved / "none.csv"), "none.csv"),
        ((COMPAS,), "--target: name the column"),
        ((COMPAS, "--target", "target", "--test-data", saved / "test.csv"), "--test-data is for saved sets"),
    ):
        result = run("explore", *words)
        assert result.code == 2
        assert message in result.err
        assert len(result.err.splitlines()) == 1
    assert served == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nothing.csv", "--target", "y"), "nothing.csv"),
        ((COMPAS, "--target", "y"), "y"),
        ((COMPAS, "--target", "target", "--port", "70000"), "--port 70000: expected a number from 0 to 65535"),
        ((COMPAS, "--target", "target", "--test-size", "1"), "--test-size 1: expected a fraction"),
        (
            (COMPAS, "--target", "target", "--objective", "cost"),
            "--objective 'cost': expected accuracy, balanced, weighted, f1 or auc",
        ),
        ((COMPAS, "--target", "target", "--epsilon", "-1"), "epsilon"),
    ],
)
def test_what_cannot_be_explored_is_refused_in_one_line(run, served, words, message):
    result = run("explore", *words)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1
    assert served == []
