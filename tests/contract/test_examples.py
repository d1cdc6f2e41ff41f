"""Every example runs where README's readers would run it, prints what it promises, labels its axes, and is short."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
RUN = Path(__file__).with_name("run_example.py")
SAID = {
    "all_good_trees": "123 trees are within 1 % of the best one, 0.3463",
    "choose_a_method": "SPLIT, certified: ",
    "costs_of_each_row": "optimal: 80 for each application",
    "credit_from_csv": "no tree of depth 4 or less over these conditions is below 0.1438",
    "explore_good_trees": "3,495 good trees in a page of ",
    "export_to_sql": "the same prediction in 432 of 432 rows",
    "first_tree": "optimal: objective",
    "gap_over_time": "optimal: 0.15428 with 20 leaves, gap 0.00%",
    "guessed_thresholds": " thresholds of the model",
    "how_large_should_the_tree_be": "Frontier(19 sizes up to 19 leaves, 19 of them proven",
    "imbalanced_classes": "auc      : optimal",
    "map_tree_under_noise": "log posterior -626.1 with 11 leaves",
    "mixed_and_missing": "arrival in {emergency}?",
    "own_costs": "a miss costs 10: optimal",
    "own_thresholds": "optimal over 50 conditions",
    "parallel_grid_search": "best: {'max_depth'",
    "read_certificate": "time_limit: the optimum is between",
    "regression": "optimal: R^2 0.365 with 3 leaves",
    "regularization_by_cross_validation": "one standard error: regularization",
    "split_compared_with_exact": "SPLIT                   : objective 0.1540 with 24 leaves",
    "survival": "optimal: objective 0.816, at least 0.816",
    "tree_in_other_tools": "DecisionTreeClassifier: the same prediction in 569 of 569 rows",
}
# What its page tells to install besides what README does. These draw in their own ways.
NEEDS = {"tree_in_other_tools": ("shap", "dtreeviz")}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints_what_it_promises(path, run_as_reader, tmp_path):
    needs = NEEDS.get(path.stem, ())
    if not all(map(find_spec, needs)):
        pytest.skip("a package that the example is about is not installed")
    assert not needs or f"pip install {' '.join(needs)}" in path.read_text()
    # An example finds its data from anywhere and leaves nothing behind.
    if needs:
        command = [sys.executable, RUN, path, "--any-labels"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    else:
        done = run_as_reader(RUN, path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert SAID[path.stem] in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_at_most_80_lines(path):
    assert len(path.read_text().splitlines()) <= 80
