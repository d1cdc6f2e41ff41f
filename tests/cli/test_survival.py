"""Survival on the command line: columns of events and times in place of a target."""

import numpy as np
import polars as pl
import pytest

from cli.conftest import without_columns
from hornbeam import HazardTree, SurvivalTree
from hornbeam.cli.model import Model

RNG = np.random.default_rng(0)
PATIENTS = pl.DataFrame({"age": RNG.integers(20, 80, 80), "ward": RNG.choice(["a", "b"], 80)}).with_columns(
    days=pl.Series(RNG.exponential(20, 80).round(1)) / (1 + 3 * (pl.col("ward") == "a")),
    died=pl.Series(RNG.integers(0, 4, 80) > 0).cast(pl.Int64),
)
FEATURES = ("age", "ward")


@pytest.fixture
def patients(tmp_path):
    """A CSV file with events and times."""
    path = tmp_path / "patients.csv"
    PATIENTS.write_csv(path)
    return path


def test_events_and_times_make_a_survival_tree(run, patients, tmp_path):
    model, picture = tmp_path / "m.json", tmp_path / "tree.svg"
    code, out, err = run(
        "fit", patients, "--event", "died", "--time", "days", "--max-depth", 2, "--regularization", 0.05,
        "--model", model, "--picture", picture,
    )  # fmt: skip
    assert (code, err) == (0, "")
    tree = SurvivalTree(0.05, 2).fit(PATIENTS.select(FEATURES), PATIENTS.select("died", "days"))
    said = without_columns(out)
    assert said.startswith(str(tree.tree_))
    assert (
        "Proven optimal but for rounding: no tree in the search space has an objective below the lower bound." in said
    )
    assert f"(deviance) = loss {tree.loss_:.6f} + 0.05 x {tree.n_leaves_} leaves" in said
    score = tree.score(PATIENTS.select(FEATURES), PATIENTS.select("died", "days"))
    assert f"Training rows: {PATIENTS['died'].sum()} events in 80 rows, concordance {score:.4f}" in said
    assert "How well does it order new rows? Add --cv 5" in said
    written = Model.load(model)
    assert isinstance(written.tree, HazardTree)
    assert written.tree == tree.tree_
    assert "days" in picture.read_text()
    assert run("show", model).out.startswith(str(tree.tree_))
    header, *predicted = run("predict", model, patients).out.split()
    assert header == "predicted_hazard_ratio"
    assert [float(one) for one in predicted] == tree.predict(PATIENTS.select(FEATURES)).tolist()
    assert "events in" in run("export", model, "--format", "text").out


def test_held_out_rows_have_a_concordance(run, patients):
    arguments = ["fit", patients, "--event", "died", "--time", "days", "--max-depth", 2, "--method", "survival"]
    folds = run(*arguments, "--cv", 4).out
    assert "Cross-validation, 4 folds: concordance 0." in folds
    assert "(mean and standard error of 4 folds)" in folds
    assert "Held-out rows: concordance 0." in run(*arguments, "--test-size", 0.25).out
    # A single row cannot be compared with any.
    alone = run(*arguments, "--cv", 80).out
    assert "concordance not defined: no two held-out rows can be compared" in alone


def test_rows_without_event_or_time_are_left_out(run, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,died,days\n1,true,5\n2,true,\n3,,4\n4,false,9\n5,true,2\n6,true,1\n")
    out = run("fit", path, "--event", "died", "--time", "days", "--regularization", 0.1).out
    assert "* died or days: missing in 2 of 6 rows, which are left out" in out
    assert "3 events in 4 rows" in out


def test_a_single_time_of_all_events_has_no_concordance(run, tmp_path):
    path = tmp_path / "tied.csv"
    path.write_text("a,died,days\n1,1,5\n2,1,5\n3,1,5\n")
    assert "Training rows: 3 events in 3 rows\n" in run("fit", path, "--event", "died", "--time", "days").out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--event", "died"], "--event needs --time: a survival tree needs the events and their times"),
        (["--time", "days"], "--time needs --event"),
        (["--event", "died", "--time", "days", "--target", "ward"], "or --event and --time, for survival"),
        (["--event", "died", "--time", "days", "--method", "split"], "--event belongs to --method survival or"),
        (["--target", "ward", "--method", "survival"], "--method survival needs --event and --time, not --target"),
        (["--reward", "days", "--method", "survival"], "--reward belongs to --method policy or policy-rashomon"),
        (["--event", "ward", "--time", "days"], "--event 'ward' is of type String; expected 0 (censored) and 1"),
        (["--event", "died", "--time", "ward"], "--time 'ward' is of type String; expected numbers"),
        (["--event", "age", "--time", "days"], "--event 'age' holds"),
        (["--event", "died", "--time", "day"], "has no column 'day'; did you mean 'days'?"),
        (["--event", "died", "--time", "died"], "--event and --time name the same column 'died'"),
        (["--event", "died", "--time", "days", "--drop", "days"], "--drop days: this column is the time"),
        (["--event", "died", "--time", "days", "--omega", "2"], "--omega belongs to"),
        (["--event", "died", "--time", "days", "--binarizer", "guess"], "chooses thresholds by classes"),
    ],
)  # fmt: skip
def test_wrong_options_are_one_line(run, patients, options, message):
    code, _, err = run("fit", patients, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,1,-2\n2,1,3\n", "--time 'days' holds -2; expected a finite time of at least 0"),
        ("1,1,inf\n2,1,3\n", "--time 'days' holds inf; expected a finite time of at least 0"),
        ("1,2,2\n2,1,3\n", "--event 'died' holds 2; expected 0 (censored) or 1"),
        ("1,0,2\n2,0,3\n", "y has no event: all 2 times are censored"),
        ("1,,2\n2,0,\n", "'died' or 'days' is missing in every row"),
    ],
)
def test_wrong_times_are_one_line(run, tmp_path, rows, message):
    path = tmp_path / "wrong.csv"
    path.write_text(f"a,died,days\n{rows}")
    code, _, err = run("fit", path, "--event", "died", "--time", "days")
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_other_columns_and_a_single_file_are_needed(run, tmp_path):
    path = tmp_path / "alone.csv"
    path.write_text("died,days\n1,2\n1,3\n")
    assert "has no column besides 'died' and 'days'" in run("fit", path, "--event", "died", "--time", "days").err
    assert "a single file, not to a folder" in run("fit", tmp_path, "--event", "died", "--time", "days").err
