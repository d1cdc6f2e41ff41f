"""Ctrl-C at each stage of a command: what is reported, which files are complete, and the exit code."""

import pytest

from hornbeam import GOSDTClassifier, RashomonSetClassifier
from hornbeam.cli import commands, held_out, writing


def interrupted(*_, **__):
    raise KeyboardInterrupt


def fail_at(monkeypatch, stage):
    """Make a function of the commands raise what Ctrl-C raises, wherever they have it from."""
    for module in (commands, writing):
        if hasattr(module, stage):
            monkeypatch.setattr(module, stage, interrupted)


@pytest.mark.parametrize("stage", ["read_frame", "fit_classifier"])
def test_ctrl_c_before_there_is_a_tree_says_so(run, fruit, tmp_path, monkeypatch, stage):
    fail_at(monkeypatch, stage)
    model = tmp_path / "model.json"
    code, out, err = run("fit", fruit, "--target", "kind", "--model", model)
    assert (code, err) == (130, "hornbeam: error: interrupted before a tree was found\n")
    assert "objective" not in out
    assert not model.exists()


@pytest.mark.parametrize(
    ("stage", "doing", "n_written"),
    [("draw", "while tree.svg was drawn", 1), ("report", "while the report was printed", 2)],
)
def test_ctrl_c_after_the_model_was_written_names_the_complete_files(
    run, fruit, tmp_path, monkeypatch, stage, doing, n_written
):
    monkeypatch.chdir(tmp_path)
    fail_at(monkeypatch, stage)
    code, _, err = run("fit", fruit, "--target", "kind", "--model", "model.json", "--picture", "tree.svg")
    complete = ["model.json is complete", "model.json and tree.svg are complete"][n_written - 1]
    assert (code, err) == (130, f"hornbeam: error: interrupted {doing}; {complete}\n")
    monkeypatch.undo()
    assert run("show", tmp_path / "model.json").code == 0


def test_ctrl_c_while_the_model_is_written_calls_no_file_complete(run, fruit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hornbeam.cli.model.Model.save", interrupted)
    code, out, err = run("fit", fruit, "--target", "kind", "--model", "model.json", "--picture", "tree.svg")
    assert (code, err) == (130, "hornbeam: error: interrupted while model.json was written\n")
    assert "objective" not in out


@pytest.mark.parametrize("option", [("--cv", 3), ("--test-size", 0.25)])
def test_ctrl_c_during_the_scoring_keeps_the_tree_and_gives_no_score(run, fruit, tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(held_out, "fit_classifier", interrupted)
    code, out, err = run("fit", fruit, "--target", "kind", "--model", "model.json", *option)
    assert code == 130
    assert "Proven optimal" in out
    assert "balanced accuracy" not in out
    assert err == "hornbeam: error: interrupted before the score on held-out rows was known; model.json is complete\n"


def test_a_set_whose_search_ctrl_c_ended_early_is_not_scored(run, fruit, monkeypatch):
    fit = RashomonSetClassifier.fit
    n_rows = []

    def fit_and_stop(self, X, y):
        fitted = fit(self, X, y)
        n_rows.append(len(X))
        if len(n_rows) == 2:  # the optimum is proven, but not the set
            self.status_ = "interrupted"
        return fitted

    monkeypatch.setattr(RashomonSetClassifier, "fit", fit_and_stop)
    code, out, _ = run("fit", fruit, "--target", "kind", "--method", "rashomon", "--cv", 4)
    assert (code, n_rows) == (130, [32, 24])
    assert "balanced accuracy" not in out


@pytest.mark.parametrize("n_fits", [1, 2])
def test_a_fit_that_ctrl_c_ended_early_is_not_scored(run, fruit, monkeypatch, n_fits):
    fits = []
    fit = GOSDTClassifier.fit

    def fit_and_stop(self, X, y):
        fitted = fit(self, X, y)
        fits.append(len(X))
        if len(fits) == n_fits:
            self.status_ = "interrupted"
        return fitted

    monkeypatch.setattr(GOSDTClassifier, "fit", fit_and_stop)
    code, out, err = run("fit", fruit, "--target", "kind", "--cv", 3)
    assert (code, len(fits)) == (130, n_fits)
    assert "Training rows: 32 of 32 correct" in out
    assert "balanced accuracy" not in out
    assert err.endswith("hornbeam: error: interrupted before the score on held-out rows was known\n")


def test_ctrl_c_in_other_commands_mentions_no_tree(run, fruit, model, monkeypatch):
    fail_at(monkeypatch, "read_frame")
    said = "hornbeam: error: interrupted before the predictions were written\n"
    assert run("predict", model, fruit) == (130, "", said)
    monkeypatch.setattr("hornbeam.cli.model.Model.load", interrupted)
    assert run("show", model) == (130, "", "hornbeam: error: interrupted\n")
