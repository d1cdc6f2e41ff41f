"""Runs alternate between the peers, are repeated if short, resumed, limited, and checked against each other."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import data, process, results, runner
from benchmarks.suites import Row, Suite, Task
from hornbeam import GOSDTClassifierCV

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
ROWS = (Row("one", "binary", 0.01, 2), Row("two", "binary", 0.01, 2))
SUITE = Suite("small", ROWS, ("hornbeam", "cart"), limits=(7.0,), repeats=3)


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Replace processes by quick answers; return the list of those requested, and the file of results."""
    asked = []

    def run_once(instance, peer, prepared, memory):
        asked.append((instance.dataset, peer))
        wall = 5.0 if (instance.dataset, peer) == ("two", "cart") else 0.5
        objective = 0.25 if peer == "hornbeam" or instance.dataset == "one" else 0.3
        return {
            "status": "ok", "proven": True, "objective": objective, "user_seconds": wall, "wall_seconds": wall
        }  # fmt: skip

    monkeypatch.setattr(runner, "run_once", run_once)
    monkeypatch.setattr(runner.environments, "is_ready", lambda peer: True)
    monkeypatch.setattr(results, "describe_machine", dict)
    monkeypatch.setattr(runner.environments, "version", lambda peer: f"{peer}-1")
    monkeypatch.setattr(results, "describe_commit", lambda: "0")
    monkeypatch.setattr(data, "prepare", lambda *names: data.Prepared(Path("none"), 100, 9, 2, binary=True))
    return asked, tmp_path / "small.jsonl"


def run_suite(path, *, minutes=None, again=False, **changes):
    return runner.run_suite(replace(SUITE, **changes), path, minutes=minutes, again=again)


def test_the_peers_alternate_and_only_short_runs_are_repeated(runs):
    asked, path = runs
    assert run_suite(path)
    assert asked == [("one", "hornbeam"), ("one", "cart")] * 3 + [
        ("two", "hornbeam"), ("two", "cart"), ("two", "hornbeam"), ("two", "hornbeam")
    ]  # fmt: skip


def test_a_suite_goes_on_where_it_was_left(runs):
    asked, path = runs
    run_suite(path, rows=ROWS[:1], peers=["cart"])
    run_suite(path, rows=ROWS[:1])
    assert asked == [("one", "cart")] * 3 + [("one", "hornbeam")] * 3
    run_suite(path, rows=ROWS[:1])
    assert len(asked) == 6


def test_again_runs_what_is_there_and_the_last_result_counts(runs):
    asked, path = runs
    once = {"rows": ROWS[:1], "peers": ["hornbeam"], "repeats": 1}
    run_suite(path, **once)
    run_suite(path, **once, again=True)
    assert len(asked) == 2
    assert len(results.load(path)) == 1


def test_another_limit_is_another_run(runs):
    _, path = runs
    once = {"rows": ROWS[:1], "peers": ["hornbeam"], "repeats": 1}
    run_suite(path, **once)
    run_suite(path, **once, limits=(3.0,))
    assert [record.limit for record in results.read(path).values()] == [7.0, 3.0]


def test_no_run_starts_when_the_minutes_are_over(runs, capsys):
    asked, path = runs
    assert not run_suite(path, minutes=0.0)
    assert asked == []
    assert "the minutes are over" in capsys.readouterr().out


def test_proofs_that_disagree_are_reported(runs, capsys):
    _, path = runs
    run_suite(path)
    problem = "two / binary (100 x 9), λ 0.01, depth 2"
    assert capsys.readouterr().err == f"ERROR: proofs disagree: {problem}: 0.25: hornbeam; 0.3: cart\n"


def test_data_that_are_not_there_are_skipped_with_one_line(runs, monkeypatch, tmp_path, capsys):
    asked, path = runs

    def prepare(dataset, binarization):
        raise FileNotFoundError("data set one is skipped")

    monkeypatch.setattr(data, "prepare", prepare)
    run_suite(path, rows=[ROWS[0], ROWS[0]._replace(max_depth=3)])
    assert asked == []
    assert capsys.readouterr().out == "data set one is skipped\n"


def test_peers_without_environment_are_skipped(runs, monkeypatch, capsys):
    asked, path = runs
    monkeypatch.setattr(runner.environments, "is_ready", lambda peer: peer == "hornbeam")
    run_suite(path, rows=ROWS[:1], repeats=1)
    assert asked == [("one", "hornbeam")]
    assert "cart is skipped: run python -m benchmarks setup cart" in capsys.readouterr().out


@pytest.fixture
def run(tmp_path):
    """Return a function that runs a line of Python under limits."""

    def run(line, *, preparation=30.0, work=30.0, memory=1 << 30):
        return process.run(
            [sys.executable, "-S", "-c", line.format(started=str(tmp_path / "started"))],
            preparation=preparation,
            work=work,
            memory=memory,
            started=tmp_path / "started",
            output=tmp_path / "output",
            directory=tmp_path,
            environment={},
        )

    return run


@LINUX
def test_a_process_that_ends_by_itself_keeps_its_exit_code(run, tmp_path):
    finished = run("print('said'); raise SystemExit(3)")
    assert (finished["status"], finished["exit_code"]) == ("error", 3)
    assert (tmp_path / "output").read_text() == "said\n"
    assert run("pass")["status"] == "ok"


@LINUX
def test_preparation_does_not_count_as_work(run):
    finished = run("import time; time.sleep(0.5); open('{started}', 'w'); time.sleep(60)", work=0.2)
    assert finished["status"] == "timeout"
    assert 0.7 < finished["wall_seconds"] < 10


@LINUX
def test_preparation_has_a_limit_of_its_own(run):
    assert run("import time; time.sleep(60)", preparation=0.2)["status"] == "timeout"


@LINUX
def test_a_process_that_takes_too_much_memory_is_killed(run):
    finished = run("import time; x = b'1' * (300 << 20); time.sleep(60)", memory=200 << 20)
    assert finished["status"] == "memory"
    assert finished["peak_bytes"] > 200 << 20


@LINUX
def test_the_children_of_a_killed_process_die_too(run, tmp_path):
    run(
        "import os, time; pid = os.fork(); open('child', 'w').write(str(pid)) if pid else None; time.sleep(60)",
        preparation=0.5,
    )
    state = Path(f"/proc/{(tmp_path / 'child').read_text()}/stat")
    assert not state.exists() or " Z " in state.read_text()


@LINUX
def test_a_worker_solves_a_problem_and_the_objective_is_counted_from_its_tree(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "CACHE", tmp_path)
    prepared = data.prepare("hornbeam_monk_2", "midpoints")
    fields = runner.run_once(
        Task("small", prepared.path.stem, "midpoints", 0.02, 2, 20.0), "hornbeam", prepared, 8 << 30
    )
    assert fields["status"] == "ok", fields
    assert fields["proven"]
    assert fields["objective"] == pytest.approx(fields["claimed_objective"], abs=1e-12)
    assert fields["depth"] <= 2
    assert 0 < fields["baseline_bytes"] <= fields["peak_bytes"]
    assert json.dumps(fields)


@LINUX
def test_a_classifier_of_its_own_size_is_counted_on_the_rows_held_out(monkeypatch, tmp_path):
    monkeypatch.setattr(data, "CACHE", tmp_path)
    prepared = data.prepare("sklearn_wine", "raw-fold3")
    assert (prepared.rows, prepared.columns) == (89, 13)
    fields = runner.run_once(
        Task("small", prepared.path.stem, "raw-fold3", 0.0, None, 20.0), "hornbeam_cv", prepared, 8 << 30
    )
    assert fields["status"] == "ok", fields
    with np.load(prepared.path) as archive:
        X, y, X_test, y_test = (archive[name] for name in ("X", "y", "X_test", "y_test"))
    model = GOSDTClassifierCV().fit(X, y)
    assert fields["objective"] == pytest.approx(1 - model.score(X, y), abs=1e-12)
    assert fields["test_error"] == pytest.approx(1 - model.score(X_test, y_test), abs=1e-12)
    assert fields["leaves"] == model.n_leaves_
    assert "predict" not in fields


def test_machine_commit_and_versions_are_written_once_a_run(runs):
    _, path = runs
    run_suite(path, rows=ROWS[:1])
    run_suite(path, rows=ROWS[1:])
    first, *others = path.read_text().splitlines()
    assert set(json.loads(first)) == {"suite", "machine", "commit", "date", "versions"}
    assert not any("commit" in line or "versions" in line for line in others)
    records = results.read(path).values()
    assert {(one.commit, one.versions[one.peer]) for one in records} == {("0", "hornbeam-1"), ("0", "cart-1")}
