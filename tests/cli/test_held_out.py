"""Scores on held-out rows and by cross-validation."""

import re

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from hornbeam import GOSDTClassifier
from hornbeam.cli.held_out import HeldOut, splits


@pytest.fixture
def noisy(tmp_path):
    """A CSV file of 60 rows whose three classes no tree tells apart without mistake on new rows."""
    random = np.random.default_rng(5)
    frame = pl.DataFrame(random.integers(0, 6, size=(60, 3)), schema=["a", "b", "c"])
    noise = pl.Series(random.random(60) < 0.25)
    labels = (
        pl.when(noise).then(pl.lit("z")).when(pl.col("a") + pl.col("b") > 5).then(pl.lit("y")).otherwise(pl.lit("x"))
    )
    path = tmp_path / "noisy.csv"
    frame.with_columns(kind=labels).write_csv(path)
    return path


def scores(path, training, rest):
    """Return accuracy and balanced accuracy on some rows, by scikit-learn, of the tree fitted on others."""
    X, y = pl.read_csv(path).drop("kind"), pl.read_csv(path)["kind"]
    tree = GOSDTClassifier(regularization=0.03).fit(X[training], y[training])
    predicted = tree.predict(X[rest])
    return accuracy_score(y[rest], predicted), balanced_accuracy_score(y[rest], predicted)


@pytest.mark.parametrize("seed", [0, 7])
def test_the_score_is_that_of_a_tree_fitted_on_the_other_rows(run, noisy, seed):
    code, out, err = run(
        "fit", noisy, "--target", "kind", "--regularization", 0.03, "--test-size", 0.25, "--seed", seed
    )
    assert (code, err) == (0, "")
    kinds = pl.read_csv(noisy)["kind"].to_numpy()
    [(training, rest)] = splits(HeldOut(0.25, None, seed), kinds)
    assert sorted([*training, *rest]) == list(range(60))
    same = train_test_split(np.arange(60), test_size=0.25, stratify=kinds, random_state=seed)
    assert [sorted(part) for part in same] == [list(training), list(rest)]
    accuracy, balanced = scores(noisy, training, rest)
    assert 0 < balanced < accuracy < 1
    assert f"\nHeld-out rows: {round(15 * accuracy)} of 15 correct ({100 * accuracy:.1f} %)\n" in out
    assert f"  accuracy           {accuracy:.4f}\n" in out
    assert f"  balanced accuracy  {balanced:.4f}\n" in out
    assert re.search(r"scored tree +\d+ (leaf|leaves), fitted with the same options on the other 45 rows\n", out)


def test_cross_validation_gives_the_mean_and_standard_error_of_the_folds(run, noisy):
    code, out, err = run("fit", noisy, "--target", "kind", "--regularization", 0.03, "--cv", 4)
    assert (code, err) == (0, "")
    kinds = pl.read_csv(noisy)["kind"].to_numpy()
    folds = StratifiedKFold(4, shuffle=True, random_state=0).split(kinds, kinds)
    each = np.array([scores(noisy, training, rest) for training, rest in folds])
    for name, values in zip(["accuracy         ", "balanced accuracy"], each.T, strict=True):
        error = values.std(ddof=1) / 2
        assert error > 0
        assert f"  {name}  {values.mean():.4f} +- {error:.4f} (mean and standard error of 4 folds)\n" in out
    right = round(float(each[:, 0].sum() * 15))
    assert f"\nCross-validation, 4 folds: {right} of 60 held-out rows correct" in out
    matrix = [line.split()[1:] for line in out.partition("Cross-validation")[2].splitlines()[2:5]]
    counts = np.array(matrix, dtype=int)
    assert (counts.sum(), np.trace(counts)) == (60, right)
    assert dict(zip(["x", "y", "z"], counts.sum(axis=1), strict=True)) == dict(
        pl.Series(kinds).value_counts().iter_rows()
    )


@pytest.mark.parametrize("option", [("--cv", 4), ("--test-size", 0.25)])
def test_the_tree_that_is_printed_and_written_is_fitted_on_all_rows(run, noisy, tmp_path, option):
    model, scored = tmp_path / "model.json", tmp_path / "scored.json"
    options = ["fit", noisy, "--target", "kind", "--regularization", 0.03]
    out = run(*options, "--model", model).out
    with_score = run(*options, "--model", scored, *option).out
    head = out.index("  search ")
    assert with_score[:head] == out[:head]
    assert with_score.endswith("The tree printed above is fitted on all rows.\n")
    assert run("export", model, "--format", "json").out == run("export", scored, "--format", "json").out


def test_a_column_without_values_in_the_training_part_is_no_obstacle(run, noisy):
    frame = pl.read_csv(noisy)
    kinds = frame["kind"].to_numpy()
    [(_, rest)] = splits(HeldOut(0.25, None, 0), kinds)
    rare = [None] * 60
    rare[rest[0]] = "text"
    frame.with_columns(rare=pl.Series(rare, dtype=pl.String)).write_csv(noisy)
    assert run("fit", noisy, "--target", "kind", "--test-size", 0.25).code == 0


def test_a_limit_that_stopped_the_scored_trees_is_reported(run, noisy):
    out = run("fit", noisy, "--target", "kind", "--regularization", 0.0001, "--memory-limit", "1KB", "--cv", 3).out
    assert "A limit stopped the search for 3 of the 3 scored trees.\n" in out
    out = run(
        "fit", noisy, "--target", "kind", "--regularization", 0.0001, "--memory-limit", "1KB", "--test-size", 0.2
    ).out
    assert "A limit stopped the search for the scored tree.\n" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--test-size", 0], "--test-size 0: expected a fraction between 0 and 1"),
        (["--test-size", 1], "--test-size 1: expected a fraction between 0 and 1"),
        (["--test-size", "nan"], "--test-size nan: expected a fraction between 0 and 1"),
        (["--test-size", 0.1], "only 1 of 10 rows would be held out, fewer than one for each of the 3 classes"),
        (
            ["--test-size", 0.9],
            "only 1 of 10 rows would be used for training, fewer than one for each of the 3",
        ),
        (["--test-size", 0.3, "--target", "other"], "class m has only 1 row, and both parts need one of them"),
        (["--cv", 1], "--cv 1: expected a number of folds of at least 2"),
        (["--cv", 3], "--cv 3: class c has only 2 rows, and every fold needs one of them; use fewer folds"),
        (["--cv", 2, "--test-size", 0.5], "--test-size and --cv are two ways to score a tree"),
        (["--cv", 2, "--quiet"], "--quiet prints no score"),
        (["--cv", 2, "--seed", -1], "--seed -1: expected a whole number from 0 to 4294967295"),
    ],
)
def test_a_split_that_cannot_be_made_is_refused_before_any_work(run, tmp_path, options, said):
    data, model = tmp_path / "few.csv", tmp_path / "model.json"
    data.write_text(
        "size,kind,other\n" + "".join(f"{n},{kind},{'n' if n else 'm'}\n" for n, kind in enumerate("aaaabbbbcc"))
    )
    target = [] if "--target" in options else ["--target", "kind"]
    code, out, err = run("fit", data, "--model", model, *target, *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
    assert not model.exists()


def test_every_class_is_in_both_parts_or_the_split_is_refused(run, tmp_path):
    kinds = np.array(["a"] * 40 + ["b"] * 40 + ["c"] * 2)
    data = tmp_path / "rare.csv"
    pl.DataFrame({"size": range(82), "kind": kinds}).write_csv(data)
    code, out, err = run("fit", data, "--target", "kind", "--test-size", 0.1)
    assert (code, out) == (2, "")
    assert "class c has 2 rows, none of which would be held out; use another fraction" in err
    [(training, rest)] = splits(HeldOut(0.5, None, 0), kinds)
    assert set(kinds[training]) == set(kinds[rest]) == {"a", "b", "c"}
