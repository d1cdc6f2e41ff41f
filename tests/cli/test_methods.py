"""Every method of `fit` trains its classifier with the options that were given, from the command line or a file."""

import io
import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from sklearn.base import ClassifierMixin

from hornbeam import MAPTreeClassifier, OSDTClassifier, RashomonSetClassifier, SPLITClassifier
from hornbeam.cli.methods import METHODS, Request
from hornbeam.cli.model import Model

RANDOM = np.random.default_rng(3)
X = RANDOM.integers(0, 2, (80, 5))
KIND = (X[:, 0] & X[:, 1] | X[:, 2]) ^ (RANDOM.random(80) < 0.2)
TABLE = pl.DataFrame(X, schema=list("abcde")).with_columns(kind=pl.Series(KIND))


@pytest.fixture
def table(tmp_path, monkeypatch) -> Path:
    """A CSV file of columns of 0 and 1 with noise in the classes."""
    monkeypatch.chdir(tmp_path)
    TABLE.write_csv("table.csv")
    return Path("table.csv")


def fitted(classifier):
    return classifier.fit(TABLE.drop("kind"), TABLE["kind"])


def fit(run, *options):
    code, out, err = run("fit", "table.csv", "--target", "kind", "--model", "model.json", *options)
    assert (code, err) == (0, "")
    return Model.load(Path("model.json")), out


@pytest.mark.parametrize("method", [name for name in METHODS if issubclass(METHODS[name].make, ClassifierMixin)])
def test_each_method_finds_the_tree_of_its_classifier(run, table, method):
    limit = {} if method == "maptree" else {"regularization": 0.01}
    expected = fitted(METHODS[method].make(**METHODS[method].fixed, **limit, max_depth=3))
    model, out = fit(run, "--method", method, "--max-depth", 3, *(["--regularization", 0.01] if limit else []))
    assert model.tree == expected.tree_
    assert model.certificate.method == method
    proven = expected.status_ == "optimal" or (method in ("rashomon", "resplit") and expected.gap_ == 0)
    assert model.certificate.is_proven == proven
    assert ("Proven optimal" in out) == proven
    assert ("Near-optimal" in out) == (not proven)


@pytest.mark.parametrize(
    ("options", "classifier"),
    [
        (
            ["--method", "maptree", "--alpha", 0.5, "--beta", 2, "--rho", 1, "--rho", 3],
            MAPTreeClassifier(0.5, 2, rho=[1, 3]),
        ),
        (["--method", "maptree", "--rho", 0.5], MAPTreeClassifier(rho=0.5)),
        (["--method", "osdt", "--policy", "fifo", "--start", "none"], OSDTClassifier(policy="fifo", start=None)),
        (["--method", "osdt", "--policy", "random", "--seed", 5], OSDTClassifier(policy="random", random_state=5)),
        (["--method", "osdt", "--policy", "random"], OSDTClassifier(policy="random", random_state=0)),
        (
            ["--method", "split", "--lookahead-depth", 1, "--last-split", "loss", "--certify"],
            SPLITClassifier(lookahead_depth=1, last_split="loss", certify=True),
        ),
    ],
)
def test_options_of_single_methods_are_the_parameters_of_their_classifier(run, table, options, classifier):
    expected, (model, _) = fitted(classifier), fit(run, *options)
    statistics = expected.statistics_
    assert model.tree == expected.tree_
    assert model.certificate.status == expected.status_
    assert model.certificate.subproblems == statistics["subproblems"]
    bound = -expected.upper_bound_ if isinstance(classifier, MAPTreeClassifier) else expected.lower_bound_
    assert model.certificate.lower_bound == bound


def test_the_probabilities_of_a_most_probable_tree_are_posterior_means(run, table):
    fit(run, "--method", "maptree", "--rho", 1, "--rho", 3)
    shares = pl.read_csv(io.StringIO(run("predict", "model.json", "table.csv", "--proba").out))
    expected = fitted(MAPTreeClassifier(rho=[1, 3])).predict_proba(TABLE.drop("kind"))
    assert np.array_equal(shares.drop("predicted_kind").to_numpy(), expected)


@pytest.mark.parametrize("smoothing", ["laplace", 2.5])
def test_smoothed_probabilities_are_those_of_the_classifier(run, table, smoothing):
    fit(run, "--method", "split", "--smoothing", smoothing)
    shares = pl.read_csv(io.StringIO(run("predict", "model.json", "table.csv", "--proba").out))
    expected = fitted(SPLITClassifier(smoothing=smoothing)).predict_proba(TABLE.drop("kind"))
    assert shares.drop("predicted_kind").to_numpy() == pytest.approx(expected)


def test_the_report_and_the_picture_of_a_most_probable_tree_show_its_log_posterior(run, table):
    model, out = fit(run, "--method", "maptree", "--picture", "tree.svg")
    expected = fitted(MAPTreeClassifier()).log_posterior_
    assert f"log posterior {expected:.6f}" in out
    assert "larger posterior probability" in out
    assert model.certificate.loss is None
    assert Path("tree.svg").stat().st_size > 0


REFERENCE = pl.DataFrame({"guess": TABLE["kind"]})


def test_the_errors_of_a_reference_in_a_file_bound_the_search(run, table):
    REFERENCE.with_columns(guess=1 - REFERENCE["guess"]).write_csv("wrong.csv")
    REFERENCE.write_csv("right.csv")
    exact, _ = fit(run)
    right, _ = fit(run, "--reference", "right.csv")
    wrong, out = fit(run, "--reference", "wrong.csv")
    assert exact.certificate.status == "optimal"
    assert right.certificate.objective == exact.certificate.objective
    # A reference that is always wrong promises nothing good: any tree is as good as it.
    assert wrong.certificate.status == "guessed"
    assert "As good as the reference promises" in out


def test_a_reference_follows_its_rows_where_rows_have_no_class_and_where_some_are_held_out(run, table):
    pl.DataFrame({"a": [1, 0, 0, 1] * 20, "kind": ["x", None, "y", "x"] * 20}).write_csv("gaps.csv")
    pl.DataFrame({"p": ["x", "y", "y", "x"] * 20}).write_csv("guesses.csv")
    code, out, err = run("fit", "gaps.csv", "--target", "kind", "--reference", "guesses.csv", "--cv", 2)
    assert (code, err) == (0, "")
    assert "60 of 60 held-out rows correct" in out


def test_the_reference_may_be_the_one_of_the_guessed_thresholds(run, table):
    model, _ = fit(run, "--binarizer", "guess", "--reference", "binarizer")
    assert model.certificate.thresholds == "guess"


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pl.DataFrame({"p": [1, 0]}), "--reference guess.csv: has 2 rows; the table has 80"),
        (REFERENCE.with_columns(q=1), "--reference guess.csv: has 2 columns; expected one"),
        (REFERENCE.with_columns(guess=pl.lit(None)), "--reference guess.csv: 80 rows have no prediction"),
        (pl.DataFrame({"p": ["other"] * 80}), "reference"),
    ],
)
def test_a_reference_that_does_not_fit_the_table_is_refused(run, table, frame, said):
    frame.write_csv("guess.csv")
    code, _, err = run("fit", table, "--target", "kind", "--reference", "guess.csv")
    assert code == 2
    assert said in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--method", "cart"],
            "--method 'cart': expected gosdt, split, lickety, maptree, osdt, rashomon, resplit, regression, "
            "regression-split, regression-lickety, regression-rashomon, policy, policy-rashomon, survival or "
            "survival-rashomon",
        ),
        (["--alpha", 1], "--alpha belongs to --method maptree, not to gosdt"),
        (["--epsilon", 1], "--epsilon belongs to --method rashomon or resplit or regression-rashomon or "),
        (["--method", "rashomon", "--lookahead-depth", 1], "--lookahead-depth belongs to --method split or resplit or"),
        (["--method", "maptree", "--regularization", 0.1], "--regularization belongs to --method gosdt or split or"),
        (["--method", "split", "--reference", "x.csv"], "--reference belongs to --method gosdt, not to split"),
        (["--method", "lickety", "--trees", "."], "--trees belongs to --method rashomon or resplit or"),
        (["--method", "rashomon", "--trees", "none/x"], "--trees none/x: is not a directory"),
        (["--method", "rashomon", "--trees", "table.csv"], "--trees table.csv: is not a directory"),
        (["--method", "rashomon", "--best", -1], "--best -1: expected a number of trees"),
        (["--method", "rashomon", "--timbertrek", "none/x.json"], "none/x.json: there is no directory none"),
        (["--method", "osdt", "--policy", "best"], "policy must be"),
        (["--method", "split", "--smoothing", "much"], "--smoothing 'much': expected laplace or a number"),
        (["--reference", "none.csv"], "none.csv: No such file"),
    ],
)
def test_an_option_that_the_method_does_not_have_is_refused_with_those_that_have_it(run, table, options, said):
    code, out, err = run("fit", table, "--target", "kind", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_a_set_is_counted_and_its_best_and_random_trees_are_shown_and_written(run, table):
    options = ["--method", "rashomon", "--epsilon", 0.2, "--best", 2, "--sample", 3, "--seed", 5]
    _, out = fit(run, *options, "--trees", "trees", "--timbertrek", "set.json")
    classifier = fitted(RashomonSetClassifier(epsilon=0.2))
    trees = classifier.rashomon_set_
    assert f"  trees        {trees.n_trees:,}\n" in out
    sizes = re.findall(r"([\d,]+) with (\d+) lea", out)
    assert {int(leaves): int(n.replace(",", "")) for n, leaves in sizes} == trees.n_leaves()
    numbers = {0, 1, *trees.sample(3, random_state=5)}
    assert {int(number) for number in re.findall(r"Tree (\d+): objective", out)} == numbers - {0}
    assert {path.name for path in Path("trees").iterdir()} == {f"tree-{number}.json" for number in numbers}
    for number in numbers:
        model = Model.load(Path(f"trees/tree-{number}.json"))
        assert model.tree == trees[number]
        assert model.certificate.objective == trees.objective(number)
        assert model.certificate.is_proven == (trees.objective(number) == classifier.lower_bound_)
        assert run("show", f"trees/tree-{number}.json").code == 0
    assert len(json.loads(Path("set.json").read_text())["treeMap"]) == len(numbers)


def test_a_part_of_a_set_says_that_trees_may_be_missing(run, table):
    _, out = fit(run, "--method", "resplit", "--lookahead-depth", 1)
    assert "found by RESPLIT: some trees within the bound may be missing" in out
    assert "above the best prefix of RESPLIT" in out


def test_a_set_whose_search_was_stopped_says_so(run, table):
    code, out, _ = run("fit", table, "--target", "kind", "--method", "rashomon", "--time-limit", 0)
    assert code == 0
    assert "Set of near-optimal trees, not complete: stopped by the time limit, with no tree" in out


CONFIG = 'target = "kind"\nmethod = "split"\nmax-depth = 2\nregularization = 0.02\ndrop = ["e"]\nquiet = true\n'


def test_options_of_a_file_are_those_of_the_command_line(run, table):
    Path("fit.toml").write_text(CONFIG)
    assert run("fit", table, "--config", "fit.toml", "--model", "a.json") == (0, "", "")
    options = ["--method", "split", "--max-depth", 2, "--regularization", 0.02, "--drop", "e", "--quiet"]
    assert run("fit", table, "--target", "kind", *options, "--model", "b.json") == (0, "", "")
    first, second = Model.load(Path("a.json")), Model.load(Path("b.json"))
    assert first.tree == second.tree
    assert first.certificate.max_depth == 2
    assert first.certificate.n_columns == 4


def test_options_on_the_command_line_win_over_those_of_the_file(run, table):
    Path("fit.toml").write_text(CONFIG)
    options = ["--config", "fit.toml", "--max-depth", 1, "--drop", "a", "--drop", "b", "--model", "a.json"]
    for words in (options, options[2:] + options[:2]):
        assert run("fit", table, *words).code == 0
        model = Model.load(Path("a.json"))
        assert model.certificate.max_depth == 1
        assert model.tree.columns.names == ("c", "d", "e")
        assert model.certificate.method == "split"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max-dept = 2", "fit.toml: there is no option max-dept; did you mean max-depth?"),
        ("zzz = 2", "fit.toml: there is no option zzz; `hornbeam fit --help` lists them"),
        ('config = "other.toml"', "fit.toml: there is no option config"),
        ("max-depth = 2\nmax_depth = 3", "fit.toml: max_depth is given twice, with - and with _"),
        ("max-depth = 2.5", "'--max-depth'"),
        ("max-depth = true", "'--max-depth'"),
        ("max-depth = [2]", "fit.toml: max-depth = [2]: expected text, a number, true or false"),
        ('drop = "e"', "fit.toml: drop = 'e': expected a list, since the option is repeatable"),
        ("[split]\nmax-depth = 2", "fit.toml: there is no option split"),
        ('quiet = "perhaps"', "'--quiet'"),
        ("alpha = 0.5", "--alpha belongs to --method maptree, not to gosdt (on the command line or in fit.toml)"),
        ("max-depth", "fit.toml: is not TOML"),
    ],
)
def test_a_file_of_options_that_is_wrong_is_refused_in_one_line(run, table, text, said):
    Path("fit.toml").write_text(text)
    code, out, err = run("fit", table, "--target", "kind", "--config", "fit.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_a_file_of_options_that_is_missing_is_named(run, table):
    assert "nowhere.toml: No such file" in run("fit", table, "--target", "kind", "--config", "nowhere.toml").err


def test_a_set_up_to_a_given_objective_says_so(run, table):
    _, out = fit(run, "--method", "rashomon", "--rashomon-bound", 0.3)
    classifier = fitted(RashomonSetClassifier(rashomon_bound=0.3))
    assert f"  trees        {classifier.n_trees_:,}\n  bound        0.300000, as given\n" in out


def test_a_rule_list_has_a_leaf_at_each_split(run, table):
    model, _ = fit(run, "--shape", "rule_list", "--regularization", 0.01)
    tree = model.tree
    inner = [node for node in range(tree.n_nodes) if tree.conditions[node] is not None]
    assert len(inner) > 1
    assert all(tree.conditions[tree.left[node]] is None or tree.conditions[tree.right[node]] is None for node in inner)


def test_a_search_starts_from_a_model_or_from_its_tree(run, table):
    model, _ = fit(run, "--regularization", 0.01)
    Path("model.json").rename("start.json")
    run("export", "start.json", "--format", "json", "--output", "tree.json")
    alone, _ = fit(run, "--regularization", 0.01, "--time-limit", 0, "--quiet")
    assert alone.certificate.objective > model.certificate.objective
    for start in ("start.json", "tree.json"):
        started, _ = fit(run, "--regularization", 0.01, "--time-limit", 0, "--start-tree", start, "--quiet")
        assert started.certificate.objective == model.certificate.objective


def test_a_start_tree_that_is_none_or_on_other_columns_is_refused(run, table):
    Path("no.json").write_text("[]")
    pl.DataFrame({"other": [0, 1] * 20, "kind": [0, 1] * 20}).write_csv("other.csv")
    run("fit", "other.csv", "--target", "kind", "--model", "other.json")
    for start, said in (
        ("no.json", "no.json: is not a model file of hornbeam"),
        ("none.json", "none.json: No such file"),
        ("other.json", "start_tree tests columns that X does not have: 'other'"),
    ):
        code, _, err = run("fit", table, "--target", "kind", "--start-tree", start)
        assert code == 2
        assert said in err


def test_known_bounds_and_their_verdicts(run, table):
    model, _ = fit(run)
    best = model.certificate.objective
    known, out = fit(run, "--known-lower-bound", best, "--start-tree", "model.json")
    assert known.certificate.status == "known_bound"
    assert known.certificate.objective == known.certificate.lower_bound == best
    assert "As good as the known lower bound, which was trusted" in out
    above, _ = fit(run, "--known-upper-bound", best)
    assert above.certificate.status == "optimal"
    below, out = fit(run, "--known-upper-bound", best / 2)
    assert below.certificate.status == "cutoff"
    assert best / 2 < below.certificate.lower_bound <= best
    assert "No tree in the search space is as good as the known upper bound" in out


def test_what_is_known_of_all_rows_is_not_used_on_held_out_rows():
    known = {"start_tree": "tree", "known_lower_bound": 0.1, "known_upper_bound": 0.2}
    request = Request("gosdt", {"max_depth": 3, "reference": np.arange(4), **known})
    part = request.on_rows(np.array([1, 3]))
    assert part.parameters.pop("reference").tolist() == [1, 3]
    assert part.parameters == {"max_depth": 3}
