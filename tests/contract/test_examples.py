"""Every example runs, says what it promises, and is short."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
SAID = {
    "all_good_trees": "trees up to objective",
    "choose_a_method": "SPLIT, certified: ",
    "export_to_sql": "the same prediction in 432 of 432 rows",
    "first_tree": "optimal: objective",
    "map_tree_under_noise": "log posterior -626.1 with 11 leaves",
    "own_costs": "a miss costs 10: optimal",
    "own_thresholds": "optimal over 50 conditions",
    "read_certificate": "time_limit: the optimum is between",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_what_it_promises(path, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where it may leave a picture
    runpy.run_path(str(path), run_name="__main__")
    assert SAID[path.stem] in capsys.readouterr().out


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_at_most_60_lines(path):
    assert len(path.read_text().splitlines()) <= 60
