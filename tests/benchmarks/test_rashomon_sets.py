"""The script that compares Rashomon sets with other programs, on small data and on records made up."""

from fractions import Fraction

import pytest

from benchmarks import data
from benchmarks.papers import rashomon_sets
from benchmarks.papers.measure import complete
from hornbeam import RashomonSetClassifier

CASE = rashomon_sets.Case("small", "0.013", 3, "0.6")


def test_hornbeam_counts_under_the_definition_of_each_peer(tmp_path, monkeypatch):
    X, y = data.simulate(200, 7)
    monkeypatch.setitem(data.SHIPPED, "small", lambda: (X, y))
    monkeypatch.setattr(data, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(rashomon_sets, "SOURCES", {"small": CASE})
    monkeypatch.setattr(rashomon_sets, "PEERS", {"columns": (), "labels": ()})
    monkeypatch.setattr(rashomon_sets, "REPEATS", 1)
    path = tmp_path / "results.jsonl"
    columns, labels = complete(path, {"small": rashomon_sets.records_of("small", 30.0)}, 30.0)

    exact = {"max_depth": 3, "binarizer": None}
    of_treefarms = RashomonSetClassifier(0.6, regularization=0.013, distinct="columns", **exact).fit(X, 1 - y)
    assert columns["trees"] == of_treefarms.n_trees_ > 1
    assert columns["bound"] == of_treefarms.bound_
    assert columns["objective"] == pytest.approx(of_treefarms.objective_)

    penalty = Fraction(3, 200)  # 2.6 rows, rounded
    best = RashomonSetClassifier(0, regularization=penalty, **exact).fit(X, y)
    slack = Fraction(round(0.6 * round(200 * best.objective_)), 200)
    rounded = RashomonSetClassifier(slack, "absolute", regularization=penalty, distinct="labels", **exact).fit(X, y)
    assert labels["trees"] == rounded.n_trees_ != columns["trees"]
    assert labels["objective"] == pytest.approx(best.objective_)


def test_what_a_run_uses_is_the_median_and_a_stopped_one_has_no_trees(monkeypatch):
    runs = []

    def run(*_):
        return runs.pop(0)

    def ended(seconds, **fields):
        usual = {"status": "ok", "proven": True, "extra": {"trees": 7.0}, "objective": 0.25, "wall_seconds": 1.0}
        return {**usual, "user_seconds": seconds, "baseline_bytes": 10, "peak_bytes": 10 + int(seconds), **fields}

    def measure():
        return rashomon_sets._measure(CASE, "praxis", 0.01, {}, None, 9.0, repeats=3)

    monkeypatch.setattr(rashomon_sets, "run_once", run)
    runs[:] = [ended(5.0), ended(1.0), ended(2.0)]
    found = measure()
    assert (found["trees"], found["user_seconds"], found["growth_bytes"], found["repeats"]) == (7, 2.0, 2, 3)
    runs[:] = [ended(50.0, wall_seconds=60.0), ended(1.0)]
    assert (measure()["user_seconds"], len(runs)) == (50.0, 1)
    for fields, status in (({"proven": False}, "stopped"), ({"status": "timeout", "extra": {}}, "timeout")):
        runs[:] = [ended(8.0, **fields)]
        found = measure()
        assert (found["status"], found["trees"], found["growth_bytes"]) == (status, None, None)


def test_treefarms_is_run_again_at_our_bound_where_it_finds_another_number_of_trees(tmp_path, monkeypatch):
    asked = []

    def measure(case, peer, penalty, options, prepared, limit, repeats=3):
        asked.append((peer, options.get("bound"), repeats))
        trees = 245 if peer == "treefarms" and "bound" not in options else 104
        seconds, mebi = {"treefarms": (2.0, 80), "hornbeam_sets": (0.01, 2)}.get(peer, (0.005, 1))
        return {
            "status": "timeout" if peer == "praxis" else "ok",
            "message": "",
            "trees": None if peer == "praxis" else trees,
            "bound": 0.35,
            "objective": 0.34,
            "user_seconds": 60.0 if peer == "praxis" else seconds,
            "growth_bytes": None if peer == "praxis" else mebi << 20,
            "repeats": repeats,
        }

    monkeypatch.setattr(rashomon_sets, "SOURCES", {"a": CASE})
    monkeypatch.setattr(rashomon_sets, "_measure", measure)
    monkeypatch.setattr(rashomon_sets, "_problem", lambda *_: (Fraction(1, 100), {}))
    monkeypatch.setattr(data, "prepare", lambda *_: data.Prepared(tmp_path, 6172, 38, 2, binary=True))
    records = complete(tmp_path / "results.jsonl", {"a": rashomon_sets.records_of("a", 40.0)}, 40.0)
    assert asked[:3] == [("hornbeam_sets", None, 3), ("treefarms", None, 3), ("treefarms", 0.35, 1)]
    assert [record["peer"] for record in records] == [
        "hornbeam_sets",
        "treefarms",
        "hornbeam_sets",
        "praxis",
        "arborenum",
    ]

    text = rashomon_sets.report(records, tmp_path).read_text()
    assert "| a | 245 | 104 | 104 |" in text
    assert "| treefarms | 1 of 1 | 0 of 1 | 200x | 200x | 0 | 40.0x | 0 |" in text
    assert "| praxis | 0 of 1 | 0 of 0 | - | 6,000x | 0 | - | 0 |" in text
    assert "| arborenum | 1 of 1 | 1 of 1 | 0.500x | 0.500x | 1 | 0.500x | 1 |" in text
    assert "| timeout | 60.0 | ≥ 6,000x | - | - |" in text


def test_no_two_cases_have_the_same_name():
    assert list(rashomon_sets.SOURCES.values()) == list(rashomon_sets.CASES)
