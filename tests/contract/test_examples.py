"""Every example runs, says what it promises, draws what can be read, and is short."""

import runpy
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
SAID = {
    "all_good_trees": "123 trees are within 1 % of the best one, 0.3464",
    "choose_a_method": "SPLIT, certified: ",
    "credit_from_csv": "no tree of depth 4 or less over these conditions is below 0.1445",
    "export_to_sql": "the same prediction in 432 of 432 rows",
    "first_tree": "optimal: objective",
    "gap_over_time": "optimal: 0.15428 with 20 leaves, gap 0.00%",
    "guessed_thresholds": " thresholds of the model",
    "imbalanced_classes": "auc      : optimal",
    "map_tree_under_noise": "log posterior -626.1 with 11 leaves",
    "mixed_and_missing": "arrival in {emergency}?",
    "own_costs": "a miss costs 10: optimal",
    "own_thresholds": "optimal over 50 conditions",
    "parallel_grid_search": "best: {'max_depth'",
    "read_certificate": "time_limit: the optimum is between",
    "regularization_by_cross_validation": "one standard error: regularization",
    "split_beside_exact": "SPLIT                   : objective 0.1540 with 24 leaves",
    "tree_in_other_tools": "DecisionTreeClassifier: the same prediction in 569 of 569 rows",
}
# Drawings of shap and dtreeviz, which have their own ways.
DRAWN_BY_OTHERS = {"tree_in_other_tools"}
NEEDS = {"tree_in_other_tools": ("shap", "dtreeviz")}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_what_it_promises(path, capsys, monkeypatch, tmp_path):
    if not all(map(find_spec, NEEDS.get(path.stem, ()))):
        pytest.skip("a package that the example is about is not installed")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)  # an example finds its data from anywhere and leaves nothing behind
    unlabelled = []
    monkeypatch.setattr(plt, "show", lambda: unlabelled.extend(axes_without_labels(plt)))
    with warnings.catch_warnings():
        runpy.run_path(str(path), run_name="__main__")
    assert SAID[path.stem] in capsys.readouterr().out
    assert path.stem in DRAWN_BY_OTHERS or unlabelled == []
    assert plt.get_fignums() == []  # everything drawn was shown
    assert list(tmp_path.iterdir()) == []


def axes_without_labels(plt) -> list[str]:
    """Close all pictures; return the axes with a scale (trees have none) whose scale says not what it measures."""
    figures = [plt.figure(number) for number in plt.get_fignums()]
    scaled = [axes for figure in figures for axes in figure.axes if axes.axison]
    found = [
        f"{axes.get_title()!r} lacks a label"
        for axes in scaled
        if not axes.get_ylabel() or not (axes.get_xlabel() or is_bar(axes) or is_above_another(axes))
    ]
    plt.close("all")
    return found


def is_bar(axes) -> bool:
    """Tell whether the axes are the bar of a colour scale, which has one direction."""
    return axes.get_label() == "<colorbar>"


def is_above_another(axes) -> bool:
    """Tell whether other axes below, which share the horizontal scale, say what it measures."""
    return any(other.get_xlabel() for other in axes.get_shared_x_axes().get_siblings(axes))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_at_most_80_lines(path):
    assert len(path.read_text().splitlines()) <= 80
