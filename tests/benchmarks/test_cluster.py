"""The simulation of clusters, on a small problem."""

import pytest

from benchmarks import __main__, cluster, results

SMALL = cluster.Noise(120, 25, 1, 4)


def test_a_simulated_cluster_finds_the_optimum_and_its_clock_is_that_of_the_jobs(monkeypatch):
    monkeypatch.setattr(cluster.search, "_SECONDS_ALONE", 0.0)
    problem = SMALL.problem()
    one = cluster.alone(problem)
    found = cluster.simulated(problem, 3, stretch=10_000.0)
    assert (found["upper"], found["lower"]) == (one["upper"], one["lower"])
    assert found["jobs"] > 1
    assert found["lost_jobs"] == 0
    assert found["busy_seconds"] / 3 <= found["seconds"]


def test_a_worker_that_dies_reports_nothing_and_its_time_counts():
    problem = SMALL.problem()
    pool = cluster.SimulatedPool(problem, 1, latency=0.5, failures=1e12)
    job = cluster.Job(1, (), 4, None, 50, None, 1.0)
    pool.submit(job)
    assert pool.n_idle() == 0
    assert pool.wait(1.0) == [(job, None)]
    assert pool.n_idle() == 1
    assert pool.seconds == pool.busy_seconds + 0.5


def test_the_command_adds_a_line_for_each_run_and_writes_the_table(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(cluster.PROBLEMS, "tiny", SMALL)
    path = tmp_path / "cluster.jsonl"
    assert __main__.main(["cluster", "--problem", "tiny", "--workers", "2", "4", "--results", str(path)]) == 0
    lines = results.load(path)
    assert [line["workers"] for line in lines] == [2, 4]
    assert {line["cluster"] for line in lines} == {"simulated"}
    table = path.with_suffix(".md").read_text().splitlines()
    assert len([row for row in table if row.startswith("| tiny |")]) == 2
    assert capsys.readouterr().out.count("efficiency") == 2
    with pytest.raises(SystemExit):
        __main__.main(["cluster", "--problem", "none"])
