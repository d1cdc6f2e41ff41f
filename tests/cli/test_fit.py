import json
import re
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import hornbeam
from cli.conftest import without_columns
from hornbeam import GOSDTClassifier
from hornbeam.cli.errors import CommandError
from hornbeam.cli.fitting import parse_bytes
from hornbeam.cli.methods import METHODS, parameter_options
from terminals import in_terminal, needs_terminals


def test_fit_prints_the_tree_its_certificate_and_the_confusion_matrix(run, fruit):
    code, out, err = run("fit", fruit, "--target", "kind")
    assert (code, err) == (0, "")
    assert "weight <= 130?" in out
    assert "Proven optimal" in out
    assert "objective    0.040000 (accuracy) = loss 0.000000 + 0.01 x 4 leaves" in out
    assert "lower bound  0.040000, gap 0 %" in out
    assert "all trees of any depth on 11 conditions (every threshold) from 3 columns, 32 rows" in out
    assert "Training rows: 32 of 32 correct (100.0 %)" in out


def test_the_confusion_matrix_counts_the_training_rows_by_actual_and_predicted_class(run, fruit):
    out = run("fit", fruit, "--target", "kind", "--max-depth", 0).out
    matrix = [line.split() for line in out.splitlines()[-6:-2]]
    counts = {label: list(map(int, row)) for label, *row in matrix}
    assert set(counts) == {"apple", "lime", "other", "plum"}
    assert all(sum(row) == 8 for row in counts.values())
    assert sum(np.array(list(counts.values())).sum(axis=0) == 0) == 3


def test_fit_says_the_limits_under_which_the_tree_is_optimal(run, fruit):
    limits = ["--max-depth", 2, "--max-leaves", 3, "--min-samples-leaf", 4]
    out = run("fit", fruit, "--target", "kind", *limits).out
    assert "all trees of depth <= 2, at most 3 leaves, at least 4 rows per leaf on" in out
    assert "3 leaves, depth 2" in out


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_csv_file_with_another_separator_gives_the_same_tree(run, fruit, tmp_path, separator):
    other = tmp_path / "other.csv"
    pl.read_csv(fruit).write_csv(other, separator=separator)
    assert tree_of(run("fit", other, "--target", "kind")) == tree_of(run("fit", fruit, "--target", "kind"))


def test_a_parquet_file_gives_the_same_tree_as_a_csv_file(run, fruit, tmp_path):
    other = tmp_path / "other.parquet"
    pl.read_csv(fruit).write_parquet(other)
    assert tree_of(run("fit", other, "--target", "kind")) == tree_of(run("fit", fruit, "--target", "kind"))


def tree_of(result) -> str:
    assert result.code == 0
    return without_columns(result.out).split("\n\n")[0]


def test_a_question_mark_is_a_missing_value(run, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("size,kind\n" + "?,a\n1,b\n2,b\n" * 10)
    out = run("fit", path, "--target", "kind").out
    assert "size is missing?" in out


def test_the_cost_matrix_decides_what_is_predicted(run, tmp_path):
    data, costs = tmp_path / "data.csv", tmp_path / "costs.json"
    data.write_text("size,kind\n" + "1,0\n" * 9 + "1,1\n")
    costs.write_text("[[0, 1], [20, 0]]")
    options = ["--target", "kind", "--regularization", 0.1]
    assert "predict 0" in run("fit", data, *options).out
    assert "predict 1" in run("fit", data, *options, "--objective", "cost", "--cost-matrix", costs).out


@pytest.mark.parametrize(
    ("options", "measure"),
    [
        (["--objective", "auc"], "auc"),
        (["--objective", "partial_auc", "--theta", 0.5], "partial_auc"),
        (["--objective", "f1", "--labelling", "omega", "--omega", 2], "f1"),
    ],
)
def test_trees_that_rank_and_ways_to_label_leaves_are_asked_for_by_name(run, tmp_path, options, measure):
    data = tmp_path / "data.csv"
    data.write_text("size,kind\n" + "1,0\n2,0\n3,1\n" * 9 + "1,1\n")
    code, out, err = run("fit", data, "--target", "kind", *options)
    assert (code, err) == (0, "")
    assert "Proven optimal" in out
    assert f"({measure}) = loss" in out


def test_the_help_names_every_objective_that_the_classifier_knows(run, fruit):
    known = run("fit", fruit, "--target", "kind", "--objective", "none").err.partition(", got")[0]
    objectives = re.findall(r"'(\w+)'", known)
    assert len(objectives) >= 7
    assert set(objectives) <= set(re.findall(r"\w+", run("fit", "--help").out))


@pytest.mark.parametrize("method", METHODS)
def test_every_parameter_is_an_option_fixed_by_the_method_or_for_python_alone(run, method):
    options = set(re.findall(r"--([\w-]+)", run("fit", "--help").out))
    assert {name.replace("_", "-") for name in parameter_options(method)} <= options


def test_python_runs_the_package_as_the_command():
    ran = subprocess.run([sys.executable, "-m", "hornbeam", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout == f"hornbeam {hornbeam.__version__}\n"


def test_omega_decides_what_is_predicted(run, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("size,kind\n" + "1,0\n" * 9 + "1,1\n")
    assert "predict 1" in run("fit", data, "--target", "kind", "--objective", "weighted", "--omega", 20).out


def test_the_f_score_counts_the_second_class(run, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("size,kind\n" + "1,0\n" * 9 + "1,1\n")
    out = run("fit", data, "--target", "kind", "--objective", "f1").out
    assert "predict 1" in out
    assert "(f1) = loss 0.818182" in out  # 9 false alarms of 11 weights that count


def test_quantile_thresholds_are_as_many_as_asked_for(run, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("size,kind\n" + "\n".join(f"{row},{row // 20}" for row in range(40)))
    options = ["--target", "kind", "--binarizer", "quantile"]
    assert "on 8 conditions (quantile thresholds) from 1 column," in run("fit", data, *options).out
    assert "on 3 conditions (quantile thresholds) from 1 column," in run("fit", data, *options, "--n-thresholds", 3).out


@pytest.mark.parametrize(
    ("options", "conditions"),
    [
        ([], "on 3 conditions (every threshold, multiples of 10)"),
        (["--n-thresholds", 1], "on 1 condition (quantile thresholds, multiples of 10)"),
        (["--binarizer", "auto"], "on 3 conditions (quantiles and thresholds chosen with the labels, multiples of 10)"),
        (["--binarizer", "guess"], "on 1 condition (thresholds of a boosted model, multiples of 10)"),
    ],
)
def test_thresholds_have_as_many_decimals_as_asked_for(run, tmp_path, options, conditions):
    data, model = tmp_path / "data.csv", tmp_path / "model.json"
    data.write_text("size,kind\n" + "\n".join(f"{row},{row // 21}" for row in range(1, 41)))
    binarizer = ["--binarizer", "quantile"] if "--n-thresholds" in options else []
    out = run("fit", data, "--target", "kind", "--decimals", -1, *binarizer, *options, "--model", model).out
    assert f"{conditions} from 1 column," in out
    assert "size <= 20?" in out  # without decimals 20.5
    assert f"{conditions} from 1 column," in run("show", model).out


@pytest.mark.parametrize(
    ("binarizer", "conditions"),
    [
        ("guess", "on 1 condition (thresholds of a boosted model) from 1 column,"),
        ("auto", "on 9 conditions (quantiles and thresholds chosen with the labels) from 1 column,"),
    ],
)
def test_thresholds_may_be_chosen_with_the_labels(run, tmp_path, binarizer, conditions):
    data = tmp_path / "data.csv"
    data.write_text("size,kind\n" + "\n".join(f"{row},{row // 25}" for row in range(40)))
    out = run("fit", data, "--target", "kind", "--binarizer", binarizer).out
    assert "size <= 24.5?" in out
    assert conditions in out


def test_columns_of_0_and_1_are_taken_as_they_are_with_binarizer_none(run, tmp_path):
    data = tmp_path / "data.csv"
    data.write_text("a,b,kind\n" + "0,1,x\n1,1,y\n1,0,x\n0,0,y\n" * 5)
    out = run("fit", data, "--target", "kind", "--binarizer", "none").out
    assert "4 leaves, depth 2" in out
    assert "on 2 conditions" in out


def test_quiet_prints_nothing_and_still_writes(run, fruit, tmp_path):
    model = tmp_path / "model.json"
    assert run("fit", fruit, "--target", "kind", "--quiet", "--model", model) == (0, "", "")
    assert json.loads(model.read_text())["format"] == "hornbeam-model"


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")])
def test_the_picture_has_the_format_of_its_name(run, fruit, tmp_path, suffix, start):
    picture = tmp_path / f"tree{suffix}"
    assert run("fit", fruit, "--target", "kind", "--picture", picture).code == 0
    assert picture.read_bytes().startswith(start)


def test_a_search_stopped_by_the_time_limit_gives_a_tree_and_says_that_it_is_not_proven(run, hard):
    code, out, err = run("fit", hard, "--target", "y", "--regularization", 0.0001, "--time-limit", 0.1)
    assert (code, err) == (
        0,
        "hornbeam: note: for a proof, try --max-depth 3 or --binarizer quantile "
        "or a longer --time-limit (inf: no limit)\n",
    )
    assert "Not proven optimal: stopped by the time limit." in out
    objective, bound, gap = map(
        float, re.search(r"objective +([\d.]+) .*\n.*lower bound +([\d.]+), gap ([\d.]+) %", out).groups()
    )
    assert bound < objective
    assert gap == pytest.approx(100 * (objective - bound) / objective, rel=0.01)


@needs_terminals
def test_a_terminal_shows_the_progress_in_one_line_above_the_report(run, hard):
    options = ["fit", str(hard), "--target", "y", "--regularization", "0.0001", "--time-limit", "0.5"]
    text, lines = in_terminal(["-m", "hornbeam", *options])
    assert len(re.findall(r"\r\d\.\d s of 0.5 s  objective", text)) > 3
    lines = lines[lines.index("") + 1 :]  # behind the report on the columns
    assert re.fullmatch(
        r"\d\.\d s of 0.5 s  objective 0.\d{5}  bound 0.\d{5}  gap \d+\.\d\d %  \d+ leaves  time_limit", lines[0]
    )
    assert lines[1].startswith("hornbeam: note: for a proof, try --max-depth 3")
    assert lines[2].endswith("?")  # the root of the tree
    assert [line[:14] for line in lines[-15:]] == [line[:14] for line in run(*options).out.split("\n")[-15:]]
    assert in_terminal(["-m", "hornbeam", *options, "--quiet"])[0] == ""


def test_ctrl_c_during_the_search_gives_the_best_tree_so_far_and_exit_code_0(hard):
    code = (
        "import _thread, sys, threading\n"
        "from hornbeam import _core\n"
        "from hornbeam.cli import main\n"
        "search = _core.solve\n"
        "def interrupted_search(*arguments, **options):\n"
        "    threading.Timer(0.2, _thread.interrupt_main).start()\n"
        "    return search(*arguments, **options)\n"
        "_core.solve = interrupted_search\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    options = ["fit", str(hard), "--target", "y", "--regularization", "0.0001"]
    done = subprocess.run([sys.executable, "-c", code, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Not proven optimal: stopped by Ctrl-C." in done.stdout
    assert "Training rows: " in done.stdout
    assert done.stderr.startswith("hornbeam: note: for a proof, try --max-depth 3")


@pytest.fixture
def hard(tmp_path):
    """A CSV file of noise, which no search proves in a second."""
    random = np.random.default_rng(1)
    frame = pl.DataFrame(random.normal(size=(400, 12)).round(1), schema=[f"x{index}" for index in range(12)])
    path = tmp_path / "hard.csv"
    frame.with_columns(y=pl.Series(random.integers(0, 2, 400))).write_csv(path)
    return path


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("1000", 1000), ("500MB", 500_000_000), ("2GB", 2 * 10**9), ("1.5gib", 3 * 2**29), ("64 k", 64_000), ("7B", 7)],
)
def test_bytes_are_read_with_their_unit(text, n_bytes):
    assert parse_bytes(text) == n_bytes


@pytest.mark.parametrize("text", ["", "much", "-1", "2XB", "1e9", "5iB"])
def test_bytes_of_no_known_form_are_refused(text):
    with pytest.raises(CommandError, match="--memory-limit"):
        parse_bytes(text)


def test_one_subproblem_one_entry_and_one_row_are_singular(run, tmp_path):
    (tmp_path / "one.csv").write_text("a,kind\n0,u\n1,v\n")
    printed = run("fit", tmp_path / "one.csv", "--target", "kind", "--max-depth", 0).out
    assert ", 1 subproblem, 1 table entry, " in printed
    assert "on 1 condition (every threshold) from 1 column, 2 rows" in printed


def test_the_note_on_a_long_search_names_options_and_not_parameters():
    from hornbeam.cli.fitting import _early_note

    classifier = GOSDTClassifier(max_depth=9, max_leaves=2).fit(
        np.arange(400).reshape(200, 2) % 199, np.arange(200) % 2
    )
    assert _early_note(classifier) == (
        "Ctrl-C, or the --time-limit of 60 (inf: no limit), ends the search with the best tree so far. "
        "For a sooner end, try --max-depth 5 or --binarizer quantile"
    )
    assert _early_note(classifier.set_params(time_limit=None)) == (
        "Ctrl-C ends the search with the best tree so far. "
        "For a sooner end, try --max-depth 5 or --binarizer quantile or --time-limit 60"
    )
