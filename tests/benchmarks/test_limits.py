"""The benchmark of limits keeps one line a fit, and measures again only what was late."""

import json

import pytest

from benchmarks import limits, results


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """Two tables, and the seconds that each fit will take; returns a function that runs the benchmark."""
    for name, column in (("one", "x"), ("two", "y")):
        (tmp_path / f"{name}.csv").write_text(f"{column},target\n0,0\n1,1\n")
    seconds = {}

    def fit(name, case, X, _):
        return {"seconds": seconds.get((name, X.columns[0]), 1.0), "status": "time_limit"}

    def run(again=False):
        limits.run(tmp_path / "limits.jsonl", tmp_path, None, ["GOSDT", "OSDT"], ["2 s"], again)
        records = results.load(tmp_path / "limits.jsonl")
        first, *others = map(json.loads, (tmp_path / "limits.jsonl").read_text().splitlines())
        assert set(first) == {"machine", "commit", "date"}
        assert len(others) == len(records)
        return {(one["dataset"], one["estimator"]): one["seconds"] for one in records}

    monkeypatch.setattr(limits, "_run", fit)
    return seconds, run


def test_what_was_late_is_measured_again_and_replaced(measured):
    seconds, run = measured
    seconds["OSDT", "y"] = 2.3
    everything = {(table, name): 1.0 for table in ("one", "two") for name in ("GOSDT", "OSDT")}
    assert run() == everything | {("two", "OSDT"): 2.3}
    seconds["OSDT", "y"] = seconds["GOSDT", "x"] = 1.5
    assert run() == everything | {("two", "OSDT"): 2.3}
    assert run(again=True) == everything | {("two", "OSDT"): 1.5}


@pytest.mark.parametrize(
    ("case", "on_time", "late"),
    [("2 s", 2.19, 2.21), ("0.5 s", 0.69, 0.71), ("Ctrl-C after 0.5 s", 1.49, 1.51)],
)
def test_a_fit_is_late_beyond_what_its_limit_allows(case, on_time, late):
    assert not limits.is_late({"case": case, "seconds": on_time, "status": "interrupted"})
    assert limits.is_late({"case": case, "seconds": late, "status": "interrupted"})
    assert limits.is_late({"case": case, "seconds": on_time, "status": "crashed"})


def test_the_report_counts_fits_and_late_ones(measured, tmp_path):
    seconds, run = measured
    seconds["OSDT", "y"] = 2.3
    run()
    limits.report(tmp_path / "limits.jsonl")
    text = (tmp_path / "limits.md").read_text()
    assert "| GOSDT | 2 s | 2 | 0 | 1.00 | one |" in text
    assert "| OSDT | 2 s | 2 | 1 | 2.30 | two |" in text
    assert "| two | OSDT | 2 s | 2.30 | time_limit |" in text
