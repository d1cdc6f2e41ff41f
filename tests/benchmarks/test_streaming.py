"""The benchmark of tables larger than memory, on a small one."""

import polars as pl

from benchmarks import __main__, results, streaming
from benchmarks.regressions import add


def test_the_table_has_the_rows_and_columns_that_were_requested(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "_ROWS_AT_ONCE", 1000)
    streaming.write_table(tmp_path / "flags.parquet", 2500, 5)
    frame = pl.read_parquet(tmp_path / "flags.parquet")
    assert frame.shape == (2500, 6)
    assert set(frame.dtypes) == {pl.Boolean}
    planted = (frame["flag_0"] & frame["flag_1"]) | (frame["flag_2"] & ~frame["flag_3"])
    assert 0.85 < (planted == frame["label"]).mean() < 0.95


def test_steps_are_measured_in_processes_of_their_own(tmp_path, capsys):
    path = tmp_path / "results.jsonl"
    options = ["--rows", "3000", "--columns", "5", "--directory", str(tmp_path), "--results", str(path)]
    options += ["--times", "2", "--repeats", "2"]
    steps = ["polars reads", "polars loads", "GOSDT depth 3", "predictions"]
    assert __main__.main(["streaming", *options, "--step", *steps]) == 0
    reading, loading, fit, predictions = results.load(path)
    assert [one["step"] for one in (reading, loading, fit, predictions)] == steps
    assert loading["rows"] == 6000
    assert (fit["n_rows"], fit["n_times"], fit["n_repeats"], fit["status"]) == (6000, 2, 2, "optimal")
    assert predictions["rows"] == 6000
    assert min(fit["cpu_seconds"], fit["wall_seconds"], fit["peak_bytes"], fit["file_bytes"]) > 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["results.jsonl", "results.md"]
    header, _, row = (tmp_path / "results.md").read_text().splitlines()[-3:]
    cells = dict(zip(header.split(" | "), row.split(" | "), strict=True))
    assert (cells["| rows"], cells["flags"], cells["runs"]) == ("| 6,000", "5", "2")
    assert cells["file"].endswith("MB, 2 times")
    assert cells["polars groups"] == ""
    assert cells["GOSDT / reads"] == f"{fit['cpu_seconds'] / reading['cpu_seconds']:.2f}"
    assert cells["GOSDT / loads |"] == f"{fit['cpu_seconds'] / loading['cpu_seconds']:.2f} |"


def test_a_step_that_is_killed_is_said_to_have_failed(tmp_path):
    path = tmp_path / "results.jsonl"
    add(path, {"step": "polars reads", "n_rows": 9, "n_columns": 2, "n_times": 1, "n_repeats": 1, "file_bytes": 1,
               "exit_code": 1})  # fmt: skip
    streaming.report(path, tmp_path / "results.md")
    row = (tmp_path / "results.md").read_text().splitlines()[-1]
    assert row == "| 9 | 2 | 0 MB | 1 | failed |  |  |  |  |  |  |  |"
