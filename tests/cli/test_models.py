import io
import json
import os
import runpy
from pathlib import Path

import polars as pl
import pytest

from cli.conftest import without_columns
from hornbeam.cli.model import Model
from hornbeam.export import TEXT_FORMATS
from hornbeam.tree import Tree

README = Path(__file__).resolve().parents[2] / "README.md"


def test_a_model_reads_back_as_it_was_written(model, tmp_path):
    again = tmp_path / "again.json"
    Model.load(model).save(again)
    assert again.read_bytes() == model.read_bytes()


def test_show_prints_what_fit_printed_about_the_model(run, fruit, model):
    fitted, shown = without_columns(run("fit", fruit, "--target", "kind").out), run("show", model).out
    without_time = slice(None, shown.index("  search"))
    assert shown.startswith("weight <= 130?")
    assert fitted[without_time] == shown[without_time]


def test_predict_gives_the_class_of_each_row_and_ignores_other_columns(run, fruit, model):
    code, out, err = run("predict", model, fruit)
    assert (code, err) == (0, "")
    assert pl.read_csv(io.StringIO(out))["predicted_kind"].to_list() == pl.read_csv(fruit)["kind"].to_list()


def test_predict_finds_the_columns_by_name_in_any_order(run, fruit, model, tmp_path):
    other = tmp_path / "other.csv"
    pl.read_csv(fruit).select("stem", "color", "weight").write_csv(other)
    assert run("predict", model, other).out == run("predict", model, fruit).out


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_predict_writes_the_output_in_the_format_of_its_name(run, fruit, model, tmp_path, name):
    path = tmp_path / name
    assert run("predict", model, fruit, "--output", path) == (0, "", "")
    frame = pl.read_parquet(path) if name.endswith("parquet") else pl.read_csv(path)
    assert frame["predicted_kind"].to_list() == pl.read_csv(fruit)["kind"].to_list()


def test_predict_adds_shares_of_the_classes_that_add_up_to_one(run, fruit, model):
    frame = pl.read_csv(io.StringIO(run("predict", model, fruit, "--proba").out))
    shares = frame.drop("predicted_kind")
    assert shares.columns == ["share_apple", "share_lime", "share_other", "share_plum"]
    assert shares.sum_horizontal().to_list() == pytest.approx([1.0] * 32)


def test_categories_that_look_like_numbers_stay_texts_at_predict(run, tmp_path):
    train, new, model = tmp_path / "train.csv", tmp_path / "new.csv", tmp_path / "model.json"
    train.write_text("code,kind\n" + "01,a\n1,b\nx,b\n" * 10)
    new.write_text("code\n01\n1\n")
    run("fit", train, "--target", "kind", "--model", model)
    assert run("predict", model, new).out.split() == ["predicted_kind", "a", "b"]


def test_predict_names_the_column_that_is_missing_and_the_nearest_one(run, fruit, model, tmp_path):
    other = tmp_path / "other.csv"
    pl.read_csv(fruit).rename({"color": "colors"}).write_csv(other)
    code, out, err = run("predict", model, other)
    assert (code, out) == (2, "")
    assert "has no column 'color'; did you mean 'colors'?" in err


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_predict_needs_only_the_columns_that_the_tree_tests(run, tmp_path, suffix):
    train, new, model = tmp_path / "train.csv", tmp_path / f"new{suffix}", tmp_path / "model.json"
    train.write_text("id,size,name,is_new,kind\n" + "1,5,x,true,a\n2,,y,false,b\n3,9,x,true,b\n4,2,z,true,a\n" * 5)
    assert run("fit", train, "--target", "kind", "--model", model).code == 0
    frame = pl.DataFrame({"size": [2.0, None, 9.0]})
    for others in ({}, {"name": [1, 2, 3]}, {"id": ["one", "two", "three"], "is_new": ["?!", "", "x"]}):
        table = frame.with_columns(pl.Series(name, values) for name, values in others.items())
        table.write_csv(new) if suffix == ".csv" else table.write_parquet(new)
        assert run("predict", model, new).out.split() == ["predicted_kind", "a", "b", "b"]
        assert run("predict", model, new, "--proba").out.split()[1:] == ["a,1.0,0.0", "b,0.0,1.0", "b,0.0,1.0"]


def test_predict_of_a_single_leaf_needs_no_column(run, fruit, tmp_path):
    model, new = tmp_path / "model.json", tmp_path / "new.csv"
    run("fit", fruit, "--target", "kind", "--max-depth", 0, "--model", model)
    new.write_text("other\n1\n2\n")
    assert run("predict", model, new).out.split() == ["predicted_kind", "apple", "apple"]


def test_predict_refuses_a_column_of_texts_where_the_model_has_numbers(run, model, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("weight,color,stem\nheavy,red,true\n")
    code, out, err = run("predict", model, other)
    assert (code, out) == (2, "")
    assert "'weight'" in err


@pytest.mark.parametrize("form", [*TEXT_FORMATS, "svg"])
def test_export_writes_the_same_to_the_screen_and_to_a_file(run, model, tmp_path, form):
    path = tmp_path / "out"
    screen = run("export", model, "--format", form)
    assert screen.code == 0
    assert run("export", model, "--format", form, "--output", path) == (0, "", "")
    assert path.read_text() == screen.out
    assert "color" in screen.out


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_a_picture_of_bytes_is_not_written_to_the_screen(run, model, tmp_path, form):
    code, out, err = run("export", model, "--format", form)
    assert (code, out) == (2, "")
    assert "give --output FILE" in err
    assert run("export", model, "--format", form, "--output", tmp_path / "tree").code == 0


def test_an_unknown_format_is_refused_with_the_known_ones(run, model):
    code, _, err = run("export", model, "--format", "excel")
    assert code == 2
    assert f"--format 'excel': expected {', '.join(TEXT_FORMATS)}, svg, png or pdf" in err


def test_the_exported_json_is_the_tree_of_the_model(run, model):
    assert Tree.from_json(run("export", model, "--format", "json").out) == Model.load(model).tree


def test_the_exported_python_function_predicts_as_the_model(run, fruit, model, tmp_path):
    path = tmp_path / "tree.py"
    run("export", model, "--format", "python", "--output", path)
    predict = runpy.run_path(str(path))["predict"]
    rows = pl.read_csv(fruit).to_dicts()
    assert [predict(row) for row in rows] == [row["kind"] for row in rows]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"version": 3}, "is a model of version 3; this hornbeam reads versions 1 and 2"),
        ({"prior_counts": [1.0]}, "is a damaged model file: prior_counts is [1.0]"),
        ({"prior_counts": [1, 1, -1, 1]}, "is a damaged model file: prior_counts is"),
        ({"format": "hornbeam-tree"}, "is not a model file of hornbeam"),
        ({"tree": {}}, "is a damaged model file"),
        ({"certificate": {}}, "is a damaged model file"),
        ({"certificate": []}, "is a damaged model file"),
    ],
)
def test_a_model_file_that_was_changed_is_refused(run, model, change, said):
    model.write_text(json.dumps(json.loads(model.read_text()) | change))
    code, out, err = run("show", model)
    assert (code, out) == (2, "")
    assert said in err


def test_a_model_of_version_1_is_read(run, model):
    shown = run("show", model).out
    record = json.loads(model.read_text()) | {"version": 1}
    del record["prior_counts"], record["certificate"]["method"]
    model.write_text(json.dumps(record))
    assert run("show", model).out == shown


def test_the_demo_finds_the_tree_that_readme_shows_with_the_options_of_its_code(run, tmp_path):
    code, out, _ = run("demo", "--directory", tmp_path)
    assert code == 0
    text = README.read_text("utf-8")
    shown = text.split("```text\n")[1].split("optimal:")[0]
    assert f"\n\n{shown}\nProven optimal" in out
    assert "hornbeam fit --regularization 0.01 --max-depth 3\n" in out
    assert "GOSDTClassifier(regularization=0.01, max_depth=3)" in text


def test_the_demo_proves_draws_and_saves_a_tree_in_a_directory_that_it_makes(run, tmp_path):
    new = tmp_path / "new/folder"  # neither exists
    code, out, _ = run("demo", "--directory", new)
    assert code == 0
    assert "569 rows, 30 continuous columns" in out
    assert "Proven optimal" in out
    assert sorted(os.listdir(new)) == ["breast-cancer.json", "breast-cancer.svg"]
