"""The benchmark of the explorer, on a small set."""

from benchmarks import __main__, explorer, results


def test_clicks_are_measured_and_told_with_machine_and_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(explorer, "_PARAMETERS", {"epsilon": 0.1, "regularization": 0.02, "max_depth": 3})
    monkeypatch.setattr("hornbeam.explorer.idle_work.SECONDS_IDLE", 0.0)
    path = tmp_path / "results.jsonl"
    assert __main__.main(["explorer", "--walks", "1", "--results", str(path)]) == 0
    records = results.load(path)
    of = {record["kind"]: record for record in records}
    assert of["first picture"]["number"] == of["index"]["number"] == 1
    assert of["builder: options"]["number"] + of["builder: tree"]["number"] == 12
    assert of["all clicks"]["number"] == 12 + 12 + of["filters in a hurry"]["number"]
    for record in records:
        assert record["commit"]
        assert record["machine"]["cores"] > 0
        assert record["date"] >= "2026"
        assert set(record["versions"]) == {"hornbeam", "numpy"}
        assert 0 <= record["within"] <= 1
        assert 0 <= record["median_ms"] <= record["most_of_95_ms"] <= record["largest_ms"]
    page = path.with_suffix(".md").read_text()
    assert page.count("\n| ") == len(records) + 2
    assert f"| all clicks | {of['all clicks']['number']} |" in page
