"""Folders and patterns of files are read in batches; models and predictions are those of one file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from cli.conftest import FRUIT, Result

Run = Callable[..., Result]


@pytest.fixture(params=["parquet", "csv"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The rows of `fruit` in three files, one of them in a folder below."""
    parts = [tmp_path / "rows" / name for name in ("a", "b", "below/c")]
    parts[2].parent.mkdir(parents=True)
    for path, part in zip(parts, FRUIT.iter_slices(12), strict=True):
        getattr(part, f"write_{request.param}")(path.with_suffix(f".{request.param}"))
    return tmp_path / "rows"


def _tree(path: Path) -> object:
    return json.loads(path.read_text())["tree"]


def test_a_folder_gives_the_tree_of_one_file(run: Run, fruit: Path, folder: Path, tmp_path: Path) -> None:
    one, many, pattern = (tmp_path / f"{name}.json" for name in ("one", "many", "pattern"))
    printed = run("fit", fruit, "--target", "kind", "--model", one)
    of_folder = run("fit", folder, "--target", "kind", "--model", many)
    assert (of_folder.code, of_folder.err) == (0, "")
    assert _tree(many) == _tree(one)
    assert run("fit", folder / "**" / "*", "--target", "kind", "--model", pattern).code == 0
    assert _tree(pattern) == _tree(one)
    # The same report, but for the columns, times and the hint on scores.
    report, confusion = of_folder.out.split("\n\n")[0], of_folder.out[of_folder.out.index("Training rows") :]
    assert report in printed.out
    assert confusion.strip() in printed.out


@pytest.mark.parametrize("proba", [[], ["--proba"]])
def test_predictions_of_a_folder_are_those_of_one_file(
    run: Run, fruit: Path, folder: Path, model: Path, tmp_path: Path, proba: list[str]
) -> None:
    one, many = tmp_path / "one.parquet", tmp_path / "many.parquet"
    assert run("predict", model, fruit, "--output", one, *proba).code == 0
    assert run("predict", model, folder, "--output", many, *proba) == Result(0, "", "")
    assert pl.read_parquet(many).equals(pl.read_parquet(one))
    assert not list(tmp_path.glob(".*"))


def test_without_pyarrow_the_message_says_what_to_install(
    run: Run, folder: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = "the command line needs pyarrow; install it with: python -m pip install 'hornbeam[cli]'"
    found = run("predict", model, folder, "--output", tmp_path / "predictions.parquet")
    assert found == Result(2, "", f"hornbeam: error: {said}\n")


def test_columns_and_missing_classes_are_as_in_one_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    rows = FRUIT.with_columns(kind=pl.Series([0.0, 1.0, None, float("nan")] * 8), extra=1)
    rows.write_parquet(tmp_path / "rows" / "a.parquet")
    rows.write_parquet(tmp_path / "one.parquet")
    trees = []
    for data in (tmp_path / "rows", tmp_path / "one.parquet"):
        options = ("--target", "kind", "--drop", "extra", "--keep", "stem", "--keep", "color", "--quiet")
        assert run("fit", data, *options, "--model", tmp_path / "m.json") == Result(0, "", "")
        trees.append(_tree(tmp_path / "m.json"))
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "king"), "has no column 'king'; did you mean 'kind'?"),
        (("--target", "weight"), "holds real numbers"),
        (("--target", "kind", "--method", "osdt"), "a folder is read in batches, by --method gosdt, split, lickety"),
        (("--target", "kind", "--cv", "3"), "without --reference, --test-size and --cv"),
        (("--target", "kind", "--decimal", ","), "belong to a single CSV file"),
        (("--target", "kind", "--memory-limit", "64"), "memory_limit has no room for the distinct values"),
        (("--target", "kind", "--temporary-folder", "no/folder"), "temporary_folder='no/folder' is not a folder"),
    ],
)
def test_what_a_folder_does_not_have_is_refused(
    run: Run, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "rows").mkdir()
    FRUIT.with_columns(weight=pl.col("weight") / 7).write_parquet(tmp_path / "rows" / "a.parquet")
    result = run("fit", tmp_path / "rows", *options)
    assert result.code == 2
    assert message in result.err


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("text.parquet", "cannot be read"),
        ("torn.parquet", "cannot be read"),
        ("fewer.parquet", "has no column 'weight', which"),
        ("more.parquet", "has a column 'more', which"),
        ("texts.parquet", "column 'weight' is String, but"),
        ("fewer.csv", "has no column 'weight', which"),
        ("longer.csv", "cannot be read"),
    ],
)
def test_a_bad_file_of_a_folder_is_named(run: Run, model: Path, tmp_path: Path, bad: str, message: str) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    file = rows / bad
    for name in ("a", "z"):
        if file.suffix == ".csv":
            FRUIT.write_csv(rows / f"{name}.csv")
        else:
            FRUIT.write_parquet(rows / f"{name}.parquet")
    if file.stem in ("text", "torn", "longer"):
        content = (rows / f"a{file.suffix}").read_bytes()
        broken = {
            "text": b"no table",
            "torn": content[:8] + b"\xff" * 40 + content[48:],
            "longer": content + b"1,2,3,4,5,6\n",
        }
        file.write_bytes(broken[file.stem])
    else:
        weight = pl.col("weight").cast(pl.String)
        changed = {
            "fewer": FRUIT.drop("weight"),
            "more": FRUIT.with_columns(more=1),
            "texts": FRUIT.with_columns(weight),
        }
        frame = changed[file.stem]
        frame.write_csv(file) if file.suffix == ".csv" else frame.write_parquet(file)
    result = run("fit", rows, "--target", "kind")
    assert result.code == 2
    assert f"{file}: {message}" in result.err
    if bad == "text.parquet":
        assert f"{file}: {message}" in run("predict", model, rows, "--output", tmp_path / "predictions.parquet").err


def test_folders_without_a_table_are_refused(run: Run, model: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    rows.mkdir()
    assert "there are no files" in run("fit", rows, "--target", "kind").err
    (rows / "a.parquet").write_text("no table")
    assert "cannot be read" in run("fit", rows, "--target", "kind").err
    (rows / "b.csv").write_text("kind\n")
    assert "both Parquet and CSV" in run("fit", rows, "--target", "kind").err
    assert "give --output FILE.parquet" in run("predict", model, rows).err
    (rows / "b.csv").unlink()
    FRUIT.select("kind").write_parquet(rows / "a.parquet")
    missing = run("predict", model, rows, "--output", tmp_path / "p.parquet")
    assert (missing.code, missing.err.count("has no column")) == (2, 1)
    assert "--missing belongs to CSV" in run("fit", rows, "--target", "kind", "--missing", "-").err
