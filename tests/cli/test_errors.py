"""What cannot be done is said in one line, with exit code 2 and no traceback."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

FIT = ["fit", "data.csv", "--target"]


@pytest.fixture(autouse=True)
def directory(tmp_path, fruit, monkeypatch) -> Path:
    """A directory with `fruit` as data.csv, and files that are wrong in one way each."""
    monkeypatch.chdir(tmp_path)
    fruit.rename("data.csv")
    files = {
        "empty.csv": "",
        "header.csv": "a,b\n",
        "ragged.csv": "a,b\n1,2\n1,2,3\n",
        "one.csv": "a,b\n1,x\n2,x\n",
        "alone.csv": "kind\nx\ny\n",
        "real.csv": "a,price\n1,2.5\n2,3.5\n",
        "missing.csv": "a,b\n1,\n2,\n3,NA\n",
        "counts.csv": "a,count\n" + "".join(f"{row},{row % 101}\n" for row in range(300)),
        "names.csv": "a,name\n" + "".join(f"{row},n{row}\n" for row in range(50)),
        "infinite.csv": "a,b\n1.5,x\ninf,y\n",
        "binary.csv": "PAR1\0\0\0",
        "broken.parquet": "PAR1 and no more",
        "days.parquet": "",
        "costs.json": "[[0, 1], [2]]",
        "small.json": "[[0, 1], [1, 0]]",
        "word.json": '"cost"',
    }
    for name, text in files.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["fit", "nowhere.csv", "--target", "b"], "nowhere.csv: No such file or directory"),
        (["columns", "."], ".: Is a directory"),
        (["fit", "empty.csv", "--target", "b"], "empty.csv: the file is empty"),
        (["fit", "header.csv", "--target", "b"], "header.csv: has no rows"),
        (["fit", "ragged.csv", "--target", "b"], "ragged.csv: cannot be read: found more fields"),
        (["fit", "binary.csv", "--target", "b"], "binary.csv: is neither a CSV nor a Parquet file"),
        (["fit", "broken.parquet", "--target", "b"], "broken.parquet: cannot be read: parquet"),
        (["fit", "one.csv", "--target", "b"], "one.csv: target 'b' is 'x' in every row"),
        (["fit", "alone.csv", "--target", "kind"], "alone.csv: has no column besides the target 'kind'"),
        (
            ["fit", "real.csv", "--target", "price", "--method", "gosdt"],
            "real.csv: target 'price' holds real numbers such as 2.5",
        ),
        (["fit", "missing.csv", "--target", "b"], "missing.csv: target 'b' is missing in every row"),
        (
            ["fit", "counts.csv", "--target", "count", "--method", "gosdt"],
            "counts.csv: target 'count' has 101 different values in 300 rows",
        ),
        (["fit", "names.csv", "--target", "name"], "names.csv: target 'name' has 50 different values in 50 rows"),
        (["fit", "infinite.csv", "--target", "b"], "'a' of X holds an infinite number"),
        ([*FIT, "kinds"], "data.csv: has no column 'kinds'; did you mean 'kind'?"),
        ([*FIT, "zzz"], "data.csv: has no column 'zzz'; its columns are weight, color, stem, kind"),
        ([*FIT, "kind", "--regularization", "-1"], "regularization must be"),
        ([*FIT, "kind", "--regularization", "much"], "--regularization 'much': expected a number or auto"),
        ([*FIT, "kind", "--max-depth", "-1"], "max_depth must be"),
        ([*FIT, "kind", "--max-depth", "2.5"], "'--max-depth'"),
        ([*FIT, "kind", "--objective", "best"], "objective must be one of 'accuracy'"),
        ([*FIT, "kind", "--objective", "cost"], "objective='cost' needs cost_matrix"),
        ([*FIT, "kind", "--objective", "auc"], "auc"),
        ([*FIT, "kind", "--objective", "partial_auc"], "objective='partial_auc' needs theta"),
        ([*FIT, "kind", "--theta", "0.5"], "theta is used by objective='partial_auc' only"),
        ([*FIT, "kind", "--labelling", "worst"], "labelling must be 'best' or 'omega'"),
        ([*FIT, "kind", "--objective", "cost", "--cost-matrix", "small.json"], "cost_matrix must have shape (4, 4)"),
        ([*FIT, "kind", "--cost-matrix", "costs.json"], "costs.json: is not a cost matrix such as [[0, 1], [5, 0]]"),
        ([*FIT, "kind", "--cost-matrix", "word.json"], "word.json: is not a cost matrix"),
        ([*FIT, "kind", "--cost-matrix", "nowhere.json"], "nowhere.json: No such file"),
        ([*FIT, "kind", "--binarizer", "magic"], "--binarizer 'magic': expected exact, quantile, auto, guess or none"),
        ([*FIT, "kind", "--binarizer", "none"], "weight"),
        ([*FIT, "kind", "--n-thresholds", "3"], "--n-thresholds belongs to --binarizer quantile"),
        (
            [*FIT, "kind", "--binarizer", "none", "--decimals", "1"],
            "--decimals belongs to a --binarizer with thresholds",
        ),
        ([*FIT, "kind", "--decimals", "23"], "decimals must be between -22 and 22, got 23"),
        ([*FIT, "kind", "--memory-limit", "much"], "--memory-limit 'much': expected bytes"),
        ([*FIT, "kind", "--time-limit", "-1"], "time_limit must be"),
        ([*FIT, "kind", "--threads", "0"], "n_jobs must not be 0"),
        ([*FIT, "kind", "--colors", "red"], "--colors"),
        ([*FIT, "kind", "--picture", "tree.gif"], "tree.gif: expected a name that ends in .svg, .png or .pdf"),
        ([*FIT, "kind", "--picture", "nowhere/tree.svg"], "nowhere/tree.svg: there is no directory nowhere"),
        ([*FIT, "kind", "--model", "nowhere/model.json"], "nowhere/model.json: there is no directory nowhere"),
        ([*FIT, "kind", "--decimal", ";"], "--decimal ';': expected . or ,"),
        ([*FIT, "kind", "--encoding", "klingon"], "--encoding 'klingon': unknown encoding; try utf-8, latin-1, cp1252"),
        ([*FIT, "kind", "--drop", "colors"], "data.csv: has no column 'colors'; did you mean 'color'?"),
        ([*FIT, "kind", "--keep", "zzz"], "data.csv: has no column 'zzz'; its columns are"),
        ([*FIT, "kind", "--drop", "kind"], "--drop kind: this column is the target"),
        ([*FIT, "kind", "--keep", "kind"], "data.csv: has no column besides the target 'kind'"),
        (["columns", "data.csv", "--target", "kinds"], "data.csv: has no column 'kinds'; did you mean 'kind'?"),
        (["columns", "data.csv", "--keep", "stem", "--drop", "stem"], "--keep and --drop leave no column"),
        (["columns", "broken.parquet", "--encoding", "latin-1"], "--encoding belongs to CSV files"),
        (["fit", "data.csv"], "--target"),
        (["grow"], "grow"),
        (["show", "nowhere.json"], "nowhere.json: No such file"),
        (["show", "data.csv"], "data.csv: is not a model file of hornbeam"),
        (["show", "small.json"], "small.json: is not a model file of hornbeam"),
        (["demo", "--directory", "data.csv"], "--directory data.csv: is not a directory and cannot be made one"),
    ],
)
def test_a_request_that_cannot_be_carried_out_is_refused_in_one_line(run, arguments, said):
    code, out, err = run(*arguments)
    assert code == 2
    report, *more = out.split("\n\n")  # on the columns, where only these show what is wrong with the request
    assert more == ([""] if report.startswith("column ") else [])
    assert err.startswith("hornbeam: error: ")
    assert err.count("\n") == 1
    assert said in err


def test_no_file_is_written_where_the_fit_is_refused(run, directory):
    before = set(directory.iterdir())
    run("fit", "one.csv", "--target", "b", "--model", "model.json", "--picture", "tree.svg")
    assert set(directory.iterdir()) == before


def test_the_command_itself_exits_with_2_and_one_line():
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from hornbeam.cli import main; sys.exit(main())", "show", "nowhere.json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hornbeam: error: nowhere.json: No such file or directory\n"


@pytest.mark.parametrize("package", ["typer", "polars", "rich"])
def test_without_a_package_of_the_extra_the_message_says_what_to_install(package):
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from hornbeam.cli import main\n"
        "sys.exit(main(['fit', 'data.csv', '--target', 'kind']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"hornbeam: error: the command line needs {package}; install it with: python -m pip install 'hornbeam[cli]'\n"
    )


def test_without_a_command_the_help_lists_the_commands(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert all(command in out for command in ("fit", "predict", "show", "export", "demo"))


@pytest.mark.parametrize("width", [60, 80])
def test_paragraphs_of_the_help_fill_the_width_of_the_terminal(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    prose = run("fit", "--help").out.partition("Arguments")[0].splitlines()
    lines = [line.strip() for line in prose]
    for line, following in itertools.pairwise(lines[:-1]):
        if line and following:
            assert len(line) + 1 + len(following.split()[0]) > width - 2
