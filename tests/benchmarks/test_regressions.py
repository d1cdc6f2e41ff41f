"""The benchmark of regression trees, on small tables."""

import json

import numpy as np
import pytest

from benchmarks import __main__, environments, regressions, results


def test_the_rule_explains_a_half_of_the_target():
    X, y = regressions.generate(20_000)
    assert (X.shape, len(np.unique(X[:, 0])) > 300) == ((20_000, 10), True)
    leaf = (X[:, 0] > 0) & (X[:, 1] > 0.5) & (X[:, 2] > 0)
    assert y[leaf].mean() == pytest.approx(3, abs=0.1)
    assert 0.4 < 1 - 1 / y.var() < 0.6


def test_columns_are_the_quantiles_of_numbers_each_once():
    X = np.column_stack([np.arange(100), np.arange(100) % 2, np.arange(100) // 50, np.zeros(100)])
    columns = regressions.binary(X, 4)
    assert columns.dtype == np.uint8
    assert len(columns) == 100
    shares = sorted(columns.mean(axis=0).tolist())
    assert shares == pytest.approx([0.2, 0.4, 0.5, 0.5, 0.6, 0.8])


def test_peers_that_are_here_are_measured_and_reported(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    arguments = ["regression", "--problem", "diabetes, depth 3", "--limit", "5", "--results", str(path)]
    assert __main__.main([*arguments, "--peer", "hornbeam", "cart"]) == 0
    mine, cart = results.load(path)
    assert (mine["problem"], mine["peer"], mine["n_rows"], mine["proven"]) == (
        "diabetes, depth 3",
        "hornbeam",
        442,
        True,
    )
    assert mine["objective"] == pytest.approx(mine["lower_bound"])
    assert cart["objective"] > mine["objective"]
    assert not cart["proven"]
    assert min(mine["user_seconds"], cart["user_seconds"]) > 0
    page = (tmp_path / "results.md").read_text()
    assert "| diabetes, depth 3 | 442 x 70 | 0.01 |" in page
    assert "the tree of hornbeam is better for 1 and worse for 0 of 1 problems" in page
    assert capsys.readouterr().out.count("\n") == 2


def test_published_runs_of_quant_bnb_are_shown_next_to_ours(tmp_path, monkeypatch):
    name = "fish, all thresholds, depth 2"
    X = np.arange(40.0)[:, np.newaxis]
    y = np.repeat([0.0, 1.0, 5.0, 7.0], 10)
    monkeypatch.setattr(regressions, "read", lambda data: (X, y))
    monkeypatch.setattr(regressions, "PUBLISHED", {name: regressions.Published(12.5, 1.0)})
    path, page = tmp_path / "results.jsonl", tmp_path / "page.md"
    regressions.run(path, [name], ["hornbeam", "streed", "cart"], 5)
    assert [one["peer"] for one in results.load(path)] == ["hornbeam", "cart"], "STreeD reads columns of 0 and 1 only"
    regressions.report(path, page)
    assert "| 12.5 s |" in page.read_text()
    assert "the same objective in 1 of 1 problems" in page.read_text()
    monkeypatch.setattr(regressions, "PUBLISHED", {name: regressions.Published(12.5, 0.9)})
    regressions.report(path, page)
    assert "the same objective in 0 of 1 problems" in page.read_text()


def test_the_page_has_the_latest_run_and_failures(tmp_path):
    path, page = tmp_path / "results.jsonl", tmp_path / "page.md"
    head = {"problem": "p", "penalty": 0.1, "n_rows": 1000, "n_columns": 3, "limit": 10}
    good = {"user_seconds": 0.5, "bytes": 2**21, "proven": True, "objective": 0.5}
    runs = [
        {**head, "peer": "hornbeam", **good, "user_seconds": 9.0},
        {**head, "peer": "hornbeam", **good},
        {**head, "peer": "streed", **good, "user_seconds": 5.0, "bytes": 2**22},
        {**head, "peer": "osrt", "error": "killed after 50 s"},
    ]
    path.write_text("\n".join(map(json.dumps, runs)))
    regressions.report(path, page)
    written = page.read_text()
    assert "| p | 1,000 x 3 | 0.1 | 0.5 s | 5 s | no tree |" in written
    assert "both prove 1 of 1 problems; it takes 10 times the time and 2 times the memory" in written


def test_a_peer_that_fails_is_part_of_the_results(tmp_path, monkeypatch):
    monkeypatch.setattr(environments, "python", lambda _: "/bin/false")
    path = tmp_path / "results.jsonl"
    regressions.run(path, ["diabetes, depth 3"], ["streed"], 5)
    assert results.load(path)[0]["error"] == "ended with 1"


def test_unknown_problems_are_refused(capsys):
    with pytest.raises(SystemExit):
        __main__.main(["regression", "--problem", "nothing"])
    assert "is none of diabetes, depth 3" in capsys.readouterr().err
