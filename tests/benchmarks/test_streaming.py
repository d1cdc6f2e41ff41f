"""The benchmark of tables larger than memory, on a small one."""

import json

import polars as pl

from benchmarks import __main__, streaming


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
    assert __main__.main(["streaming", *options, "--step", "GOSDT depth 3", "predictions"]) == 0
    fit, predictions = map(json.loads, path.read_text().splitlines())
    assert (fit["step"], fit["n_rows"], fit["status"]) == ("GOSDT depth 3", 3000, "optimal")
    assert (predictions["step"], predictions["rows"]) == ("predictions", 3000)
    assert min(fit["seconds"], fit["peak_bytes"], fit["file_bytes"]) > 0
    assert [file.name for file in tmp_path.iterdir()] == ["results.jsonl"]
    assert capsys.readouterr().out.count("\n") == 2
