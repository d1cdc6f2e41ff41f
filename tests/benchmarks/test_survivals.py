"""The benchmark of survival trees, on small tables."""

import numpy as np
import pytest

from benchmarks import __main__, environments, results, survivals
from benchmarks.survival_peers import deviance
from hornbeam import SurvivalTree


def test_a_third_of_the_generated_times_are_censored():
    X, events, times = survivals.generate(5_000)
    assert X.shape == (5_000, 10)
    assert 0.25 < 1 - events.mean() < 0.35
    fast = (X[:, 0] > 0) & (X[:, 1] > 0.5) & (X[:, 2] > 0)
    assert np.median(times[fast]) < 0.5 * np.median(times[~fast])


def test_the_deviance_is_counted_as_the_tree_does():
    X, events, times = survivals.generate(300)
    times = times.round(1)
    tree = SurvivalTree(0, 2, min_samples_leaf=40).fit(X, np.column_stack([events, times]))
    assert deviance(tree.apply(X), events, times) == pytest.approx(tree.loss_, rel=1e-12)
    assert deviance(np.zeros(300, dtype=int), events, times) == 1


def test_hornbeam_is_measured_and_reported(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(survivals.PROBLEMS, "small", survivals.Problem("generated 200", 2, 2))
    path = tmp_path / "results.jsonl"
    arguments = ["survival", "--problem", "small", "--peer", "hornbeam", "--limit", "5", "--results", str(path)]
    assert __main__.main(arguments) == 0
    (mine,) = results.load(path)
    assert (mine["problem"], mine["peer"], mine["proven"], mine["n_leaves"]) == ("small", "hornbeam", True, 4)
    assert 190 < mine["n_rows"] <= 200
    assert mine["lower_bound"] <= mine["objective"] < 1
    assert mine["user_seconds"] > 0
    assert f"| small | {mine['n_rows']} x {mine['n_columns']} |" in (tmp_path / "results.md").read_text()
    assert capsys.readouterr().out.count("\n") == 1


def test_a_peer_that_fails_is_part_of_the_results(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "python", lambda _: "/bin/false")
    path = tmp_path / "results.jsonl"
    survivals.run(path, ["500 rows, depth 3"], ["streed"], 5)
    assert results.load(path)[0]["error"] == "ended with 1"


def test_unknown_problems_are_refused(capsys):
    with pytest.raises(SystemExit):
        __main__.main(["survival", "--problem", "nothing"])
    assert "is none of veteran, depth 3" in capsys.readouterr().err
