"""Policies on the command line: columns of rewards in place of a target."""

import polars as pl
import pytest

from cli.conftest import without_columns
from hornbeam import PolicyTree
from hornbeam.cli.model import Model

OFFERS = pl.DataFrame(
    {
        "age": [20, 25, 30, 35, 50, 55, 60, 65] * 2,
        "city": ["a", "b"] * 8,
        "call": [3.0, 2, 2, 3, 0, 1, 0, None] * 2,
        "letter": [1.0, 1, 1, 1, 2, 2, 2, 2] * 2,
    }
)


@pytest.fixture
def offers(tmp_path):
    """A CSV file with two columns of rewards."""
    path = tmp_path / "offers.csv"
    OFFERS.write_csv(path)
    return path


def test_rewards_make_a_policy(run, offers, tmp_path):
    model, picture = tmp_path / "m.json", tmp_path / "tree.svg"
    code, out, err = run(
        "fit", offers, "--reward", "call", "--reward", "letter", "--regularization", 0.05, "--cv", 2,
        "--model", model, "--picture", picture,
    )  # fmt: skip
    assert (code, err) == (0, "")
    said = without_columns(out)
    policy = PolicyTree(0.05).fit(OFFERS.select("age", "city"), OFFERS.select("call", "letter"))
    assert said.startswith(str(policy.tree_))
    assert "Proven optimal" in said
    assert "(reward lost) = loss 0.000000 + 0.05 x 2 leaves" in said
    assert "Training rows: mean reward 2.25; 1.5 if all get letter" in said
    assert "Cross-validation, 2 folds: mean reward of 16 rows, with standard error" in said
    assert "all get call" in said
    assert "not available for all rows" in said
    assert Model.load(model).tree == policy.tree_
    assert "reward 2.5" in picture.read_text().replace("\xa0", " ")
    shown = run("show", model)
    assert shown.out.startswith(str(policy.tree_))
    predicted = run("predict", model, offers).out.split()
    assert predicted == ["predicted_action", *policy.predict(OFFERS.select("age", "city"))]
    assert "choose call" in run("export", model, "--format", "text").out


def test_costs_and_held_out_rows(run, offers):
    arguments = ["fit", offers, "--reward", "call", "--reward", "letter", "--test-size", 0.25]
    code, out, _ = run(*arguments, "--costs", "call=5")
    assert code == 0
    assert "choose letter" in out
    assert "choose call" not in out
    assert "Held-out rows: mean reward of 4 rows" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give --target for classes or numbers, --reward"),
        (["--target", "city", "--reward", "call"], "give --target for classes or numbers, --reward"),
        (["--reward", "call", "--method", "split"], "--reward belongs to --method policy or policy-rashomon"),
        (["--target", "city", "--method", "policy"], "--method policy needs --reward"),
        (["--target", "city", "--costs", "a=1"], "--costs belongs to --method policy or policy-rashomon, not"),
        (["--reward", "call", "--omega", "2"], "--omega belongs to"),
        (["--reward", "city"], "reward 'city' is of type String"),
        (["--reward", "cal"], "has no column 'cal'; did you mean 'call'?"),
        (["--reward", "call", "--drop", "call"], "--drop call: this column is a reward"),
        (["--reward", "call", "--costs", "much"], "expected an action and its cost"),
        (["--reward", "call", "--costs", "call=1", "--costs", "call=2"], "'call' has two costs"),
        (["--reward", "call", "--reward", "letter", "--reward", "age", "--reward", "city"], "expected numbers"),
        (["--reward", "call", "--costs", "visit=1"], "costs names the action 'visit'"),
    ],
)
def test_wrong_options_are_one_line(run, offers, options, message):
    code, _, err = run("fit", offers, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_policy_has_no_probabilities_and_no_folders(run, offers, tmp_path):
    model = tmp_path / "m.json"
    assert run("fit", offers, "--reward", "call", "--reward", "letter", "--model", model, "--quiet").code == 0
    assert "predicts no classes, so it has no shares of them" in run("predict", model, offers, "--proba").err
    assert "a single file, not to a folder" in run("fit", tmp_path, "--reward", "call").err
