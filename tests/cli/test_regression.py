"""Regression on the command line: targets that are numbers."""

import numpy as np
import polars as pl
import pytest

from cli.conftest import without_columns
from hornbeam import GOSDTRegressor, LicketySPLITRegressor, QuantileTree, RegressionTree, SPLITRegressor
from hornbeam.cli.model import Model

RNG = np.random.default_rng(0)
HOUSES = pl.DataFrame(
    {
        "rooms": RNG.integers(1, 7, 60),
        "city": RNG.choice(["a", "b"], 60),
        "floor": RNG.integers(0, 3, 60),
    }
).with_columns(
    price=(100.5 * pl.col("rooms") + 50 * (pl.col("city") == "a")).round(1),
    stars=pl.col("rooms") // 2,
)
FEATURES = ("rooms", "city", "floor")


@pytest.fixture
def houses(tmp_path):
    """A CSV file with a target of decimals and one of few whole numbers."""
    path = tmp_path / "houses.csv"
    HOUSES.write_csv(path)
    return path


def expected(target: str, *args, **parameters) -> GOSDTRegressor:
    return GOSDTRegressor(*args, **parameters).fit(HOUSES.select(FEATURES), HOUSES[target])


def test_decimals_make_a_regression(run, houses, tmp_path):
    model, picture = tmp_path / "m.json", tmp_path / "tree.svg"
    code, out, err = run(
        "fit", houses, "--target", "price", "--drop", "stars", "--max-depth", 2, "--regularization", 0.01,
        "--model", model, "--picture", picture,
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "* price (target): holds numbers, not classes, so this is --method regression" in out
    regressor = expected("price", 0.01, 2)
    said = without_columns(out)
    assert said.startswith(str(regressor.tree_))
    assert f"(squared error) = loss {regressor.loss_:.6f} + 0.01 x 4 leaves" in said
    assert f"Training rows: R^2 {1 - regressor.loss_:.4f}, root mean squared error" in said
    assert "Proven optimal" in said
    assert 0 < regressor.gap_ < 1e-9
    assert "gap 0 %" in said
    assert "Add --cv 5" in said
    written = Model.load(model)
    assert isinstance(written.tree, RegressionTree)
    assert written.tree == regressor.tree_
    assert "price" in picture.read_text()
    assert run("show", model).out.startswith(str(regressor.tree_))
    header, *predicted = run("predict", model, houses).out.split()
    assert header == "predicted_price"
    assert [float(one) for one in predicted] == regressor.predict(HOUSES.select(FEATURES)).tolist()
    assert "predict" in run("export", model, "--format", "text").out
    assert "predicts no classes" in run("predict", model, houses, "--proba").err


@pytest.mark.parametrize("options", [["--loss", "quantile", "--quantile", 0.9], ["--quantile", 0.9]])
def test_a_quantile(run, houses, tmp_path, options):
    model = tmp_path / "m.json"
    arguments = ["fit", houses, "--target", "stars", "--drop", "price", "--regularization", 0.02, "--max-depth", 2]
    code, out, err = run(*arguments, *options, "--model", model)
    assert (code, err) == (0, "")
    regressor = expected("stars", 0.02, 2, loss="quantile", quantile=0.9)
    assert without_columns(out).startswith(str(regressor.tree_))
    assert "(quantile loss)" in out
    single, error = regressor.tree_.losses[0], regressor.loss_ * regressor.tree_.losses[0]
    assert f"mean quantile loss {error:.4g} ({single:.4g} if all rows get their 0.9 quantile, 3)" in out
    written = Model.load(model)
    assert isinstance(written.tree, QuantileTree)
    assert written.tree == regressor.tree_
    assert run("show", model).out.startswith(str(regressor.tree_))
    header, *predicted = run("predict", model, houses).out.split()
    assert header == "predicted_stars"
    assert [float(one) for one in predicted] == regressor.predict(HOUSES.select(FEATURES)).tolist()


def test_held_out_rows_of_a_quantile_have_its_loss_and_how_many_lie_below(run, houses):
    arguments = ["fit", houses, "--target", "price", "--drop", "stars", "--max-depth", 3, "--quantile", 0.9]
    folds = run(*arguments, "--cv", 3).out
    assert "Cross-validation, 3 folds:\n  mean quantile loss  " in folds
    share = float(folds.split("  rows at or below    ")[1].split()[0])
    assert 0.6 <= share <= 1
    assert "R^2" not in folds


def test_a_median(run, houses):
    arguments = ["fit", houses, "--target", "price", "--drop", "stars", "--max-depth", 2, "--regularization", 0.01]
    out = run(*arguments, "--loss", "absolute_error", "--test-size", 0.25).out
    regressor = expected("price", 0.01, 2, loss="absolute_error")
    assert str(regressor.tree_) in out
    assert "(absolute error)" in out
    error = np.abs(HOUSES["price"].to_numpy() - regressor.predict(HOUSES.select(FEATURES))).mean()
    assert f"Training rows: mean absolute error {error:.4g} (" in out
    assert "if all rows get their median, " in out
    assert "Held-out rows:\n  mean absolute error  " in out


@pytest.mark.parametrize(
    ("method", "make"), [("regression-split", SPLITRegressor), ("regression-lickety", LicketySPLITRegressor)]
)
def test_near_optimal_trees_of_numbers(run, houses, tmp_path, method, make):
    model = tmp_path / "m.json"
    arguments = ["fit", houses, "--target", "stars", "--drop", "price", "--method", method, "--max-depth", 3]
    code, out, err = run(*arguments, "--regularization", 0.01, "--model", model, "--cv", 3, "--no-certify")
    assert (code, err) == (0, "")
    regressor = make(regularization=0.01, max_depth=3).fit(HOUSES.select(FEATURES), HOUSES["stars"])
    assert Model.load(model).tree == regressor.tree_
    assert f"(squared error) = loss {regressor.loss_:.6f} + 0.01 x" in out
    assert f"Training rows: R^2 {1 - regressor.loss_:.4f}, root mean squared error" in out
    assert "Cross-validation, 3 folds:\n  root mean squared error  " in out
    proven = run(*arguments, "--certify").out
    assert "Proven optimal" in proven or "Near-optimal" in proven


def test_few_whole_numbers_are_classes_unless_the_method_is_given(run, houses):
    arguments = ["fit", houses, "--target", "stars", "--drop", "price"]
    assert "of 60 correct" in run(*arguments).out
    code, out, _ = run(*arguments, "--method", "regression")
    assert code == 0
    assert "not classes" not in out
    assert str(expected("stars").tree_) in out


def test_very_many_whole_numbers_make_a_regression(run, tmp_path):
    path = tmp_path / "counts.csv"
    pl.DataFrame({"a": range(300), "count": [7 * i % 101 for i in range(300)]}).write_csv(path)
    assert "(squared error)" in run("fit", path, "--target", "count", "--max-depth", 2).out
    assert run("columns", path, "--target", "count").code == 0
    err = run("fit", path, "--target", "count", "--method", "gosdt").err
    assert "101 different values in 300 rows; is it a quantity (--method regression), and not a class?" in err


def test_held_out_rows_have_errors(run, houses):
    arguments = ["fit", houses, "--target", "price", "--drop", "stars", "--max-depth", 3]
    folds = run(*arguments, "--cv", 3).out
    assert "Cross-validation, 3 folds:" in folds
    assert "(mean and standard error of 3 folds)" in folds
    one = run(*arguments, "--test-size", 0.25).out
    share = float(one.split("R^2                      ")[1].split()[0])
    assert 0.5 < share <= 1
    # Of folds with a single row, R^2 is not defined.
    alone = run(*arguments, "--cv", 60).out
    assert "root mean squared error" in alone
    assert "R^2    " not in alone


def test_rows_without_a_target_are_left_out(run, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,y\n1,2.5\n2,\n3,4.5\n4,NA\n5,9.5\n6,9.5\n")
    out = run("fit", path, "--target", "y", "--regularization", 0.1).out
    assert "missing in 2 of 6 rows, which are left out" in out
    assert "4 rows" in out


def test_a_start_tree_and_a_checkpoint(run, houses, tmp_path):
    model, proof = tmp_path / "m.json", tmp_path / "proof.hbt"
    arguments = ["fit", houses, "--target", "price", "--regularization", 0.01, "--max-depth", 3]
    assert run(*arguments, "--model", model, "--checkpoint", proof).code == 0
    code, out, _ = run(*arguments, "--start-tree", model, "--checkpoint", proof)
    assert code == 0
    assert "Proven optimal" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "city", "--method", "regression"], "target 'city' is of type String"),
        (["--target", "price", "--method", "osdt"], "--method regression takes numbers"),
        (["--target", "price", "--objective", "balanced"], "--objective belongs to --method gosdt"),
        (["--target", "price", "--regularization", "2"], "more than the loss of a single leaf, 1"),
        (["--target", "price", "--binarizer", "guess"], "chooses thresholds by classes"),
        (["--target", "price", "--cv", "61"], "there are only 60 rows, too few for 61 parts"),
        (["--reward", "price", "--method", "regression"], "--reward belongs to --method policy or policy-rashomon"),
        (
            ["--target", "price", "--quantile", "0.9", "--loss", "absolute_error"],
            "--quantile belongs to --loss quantile",
        ),
        (["--target", "price", "--quantile", "2"], "quantile must be above 0 and below 1, got 2"),
        (["--target", "price", "--loss", "huber"], "loss must be"),
        (
            ["--target", "price", "--loss", "absolute_error", "--method", "split"],
            "--loss belongs to --method regression",
        ),
        (
            ["--target", "price", "--method", "regression-lickety", "--lookahead-depth", "2"],
            "--lookahead-depth belongs",
        ),
        (["--reward", "price", "--quantile", "0.9"], "--reward belongs to --method policy or policy-rashomon"),
        (["--target", "price", "--best", "3"], "--best belongs to --method rashomon or resplit"),
    ],
)
def test_wrong_options_are_one_line(run, houses, options, message):
    code, _, err = run("fit", houses, *options)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_infinite_targets_are_refused_by_column(run, tmp_path):
    path = tmp_path / "infinite.csv"
    path.write_text("a,y\n1,2.5\n2,inf\n3,4.5\n")
    assert "target 'y' is infinite in 1 rows" in run("fit", path, "--target", "y").err


def test_a_table_without_other_columns_is_refused(run, tmp_path):
    path = tmp_path / "alone.csv"
    path.write_text("y\n2.5\n4.5\n")
    assert "no column besides the target 'y'" in run("fit", path, "--target", "y").err
