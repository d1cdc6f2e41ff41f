"""The reports say what the runs say."""

from __future__ import annotations

import pytest

from benchmarks.report.document import write, write_performance
from benchmarks.report.faults import (
    BOUND_TOO_HIGH,
    WRONG_CLAIM,
)
from benchmarks.report.markdown import number, table
from benchmarks.report.plots import draw_cactus, draw_convergence, draw_scatter
from benchmarks.results import Record
from benchmarks.results import write as write_results
from made_up_runs import comparison_of, killed, outcomes_of, record, report_of, row_of, stopped


def test_the_report_says_errors_first_and_that_hornbeam_is_party(tmp_path):
    text = report_of(tmp_path, record(objective=0.3, claimed_objective=0.3), record("gosdt"))
    assert (
        text.index("## Errors") < text.index("## Setting") < text.index("## Summary") < text.index("## All instances")
    )
    assert "2 errors (proofs disagree: 1, wrong optimum: 1); **hornbeam is party to 2 of them**" in text
    assert row_of(text, "## Errors", "wrong optimum")[1:] == [
        "**yes**",
        "vote / binary (435 x 48), λ 0.01, depth 3",
        "hornbeam: claims 0.3 proven; known is a tree of 0.25 by gosdt",
        "0.0500",
    ]
    assert row_of(text, "## Summary", "hornbeam") == ["hornbeam", "1", "0", "0", "0", "0", "1", "0", "0", "0"]


def test_the_report_gathers_claims_and_roundings_of_peers_and_lists_all_of_hornbeam(tmp_path):
    text = report_of(
        tmp_path,
        *(record(dataset=name, claimed_objective=0.25 + 2e-9, lower_bound=0.25 + 3e-9) for name in "ab"),
        *(record("gosdt", name, claimed_objective=0.26, lower_bound=0.25 + 3e-8) for name in "ab"),
        record("streed", "a", lower_bound=0.251),
    )
    listed, gathered = text[: text.index("## Setting")].split("Claims, and bounds")
    assert [
        line.split(" | ")[3].split(":")[0] for line in listed.splitlines() if line.startswith(("| lower", "| cl"))
    ] == [
        "hornbeam",
        "hornbeam",
        "streed",
        "hornbeam",
        "hornbeam",
    ]
    assert row_of(gathered, "error", BOUND_TOO_HIGH)[1:3] == [
        "2",
        "gosdt: bound 0.25000003; known is a tree of 0.25 by hornbeam",
    ]
    assert row_of(gathered, "error", WRONG_CLAIM)[1:3] == ["2", "gosdt: claims 0.26; its tree has 0.25"]


def test_the_report_counts_compares_and_lists(tmp_path):
    text = report_of(
        tmp_path,
        record(dataset="a", user_seconds=0.5),
        record("gosdt", "a", user_seconds=2.0),
        record(dataset="b", user_seconds=0.25),
        killed("gosdt", "b"),
        stopped("hornbeam", "c"),
        record("gosdt", "c", user_seconds=5.0),
        record(dataset="d"),
        killed("gosdt", "d", status="unsupported", message="no | such\nproblem"),
    )
    assert "No errors" in text
    assert row_of(text, "## Summary", "gosdt") == ["gosdt", "4", "2", "1", "0", "0", "0", "0", "1", "0"]
    assert "Of 4 instances hornbeam proves 3, all other peers together 2; 2 only hornbeam, 1 only another." in text
    # 4, 80 and 0.25: their product is 80, its cube root 4.31.
    assert row_of(text, "| contender | both prove", "gosdt") == [
        "gosdt",
        "4.00x (1)",
        "≈ 4.31x (3)",
        "≈ 4.31x (3)",
        "≤ 0.250x",
        "c / binary (435 x 48), λ 0.01, depth 3",
        "1 of 2",
        "1.00x (1)",
        "1.00x (1)",
    ]
    assert row_of(text, "## Where hornbeam is behind", "c / binary (435 x 48), λ 0.01, depth 3")[1:] == [
        "gosdt",
        "5.00",
        "timeout",
    ]
    assert row_of(text, "## All instances", "c / binary")[4:] == ["0.250000", "> 20, gap 20 %", "5.00 ✓"]
    assert row_of(text, "## All instances", "d / binary")[-1] == "-"
    assert r"unsupported: no \| such problem" in text
    assert (tmp_path / "exact-cactus.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "exact-scatter.png").exists()


def test_trees_without_a_proof_are_compared_with_those_of_hornbeam_that_have_none_either(tmp_path):
    without = {"proven": False, "lower_bound": None, "claimed_objective": None}
    path = tmp_path / "results.jsonl"
    runs = (
        record(),
        record("hornbeam_lickety", objective=0.26, user_seconds=0.5, **without),
        record("cart", objective=0.29, user_seconds=1.0, **without),
        record(dataset="zoo"),
        record("hornbeam_lickety", dataset="zoo", objective=0.25, user_seconds=0.5, **without),
        record("cart", dataset="zoo", objective=0.25, user_seconds=4.0, **without),
    )
    write_results(path, runs)
    text = write("exact", path, tmp_path).read_text()
    assert "| cart | 2 | 1 | 0.02000 | 0.04000 | 2.00 | 4.00 | 4.00x (2.00x) | 0, 1, 1 |" in text
    assert "| hornbeam_lickety | 2 | 1 | 0.00500 | 0.01000 | 0.500 | 0.500 | 1.00x (1.00x) | 0, 2, 0 |" in text


def test_trees_of_a_rounded_penalty_are_in_no_ratio_and_those_that_are_not_optimal_are_listed(tmp_path):
    def rounded(dataset: str, objective: float) -> Record:
        return record("praxis", dataset, proven=False, lower_bound=None, claimed_objective=None, objective=objective)

    records = (
        *(record(dataset=name) for name in "abd"),
        stopped("hornbeam", "c"),
        rounded("a", 0.25),
        rounded("b", 0.26),
        rounded("c", 0.25),
        killed("praxis", "d"),
    )
    assert not comparison_of(*records)["either"].any()
    text = report_of(tmp_path, *records, record("gosdt", "a"))
    assert "Of 1 instance hornbeam proves 1, all other peers together 1;" in text
    assert row_of(text, "## Leaf penalties rounded", "praxis") == ["praxis", "4", "3", "1", "1", "1"]
    assert row_of(text, "Where they are not optimal", "b / binary (435 x 48), λ 0.01, depth 3") == [
        "b / binary (435 x 48), λ 0.01, depth 3",
        "praxis",
        "4.35",
        "0.260000",
        "0.250000",
        "0.0100",
    ]
    assert "## Leaf penalties rounded" not in report_of(
        tmp_path / "whole", record(), record("praxis", regularization=4 / 435)
    )


def test_the_ablation_report_gives_factors_of_time_and_subproblems(tmp_path):
    plain = record(suite="ablation", subproblems=100)
    without = record(suite="ablation", options={"switches": {"lookahead": False}}, user_seconds=3.0, subproblems=700)
    text = report_of(tmp_path, plain, without, suite="ablation")
    assert row_of(text, "## Ablation", "no lookahead")[1:4] == ["3.00x (1)", "3.00x (1)", "7.00x (1)"]
    assert row_of(text, "## Ablation", "no lookahead")[-1] == "1 of 1"


def test_the_rows_report_shows_growth_and_the_convergence_of_searches(tmp_path):
    trace = [[0.001, 0.4, 0.1], [0.5, 0.25, None], [1.0, 0.25, 0.25]]
    runs = [record(dataset=f"rows_{n}", suite="rows", rows=n, trace=trace) for n in (1000, 10000)]
    text = report_of(tmp_path, *runs, suite="rows")
    assert row_of(text, "## Growth with the number of rows", "hornbeam")[2:] == ["1,000", "1.00", "10.0", "60.0"]
    assert (tmp_path / "rows-growth.png").exists()
    assert (tmp_path / "rows-convergence.png").exists()


def test_runs_without_a_trace_are_points(tmp_path):
    trace = [[0.001, 0.4, 0.1], [0.5, 0.25, None], [1.0, 0.25, 0.25]]
    told = [record(trace=trace, limit=limit) for limit in (1.0, 20.0)]
    points = [stopped("gosdt", seconds=limit, limit=limit) for limit in (1.0, 20.0)]
    for draw in (draw_cactus, draw_scatter):
        assert not draw(outcomes_of(*told, *points), tmp_path / "several_limits.png")
    pictures = []
    for order, runs in enumerate((told, [*told, points[0]], [*told, *points], [*told, *points, killed("imodels")])):
        path = tmp_path / f"{order}.png"
        assert draw_convergence(outcomes_of(*runs), path)
        pictures.append(path.read_bytes())
    assert len(set(pictures)) == 3
    assert not draw_convergence(outcomes_of(*points), tmp_path / "none.png")


def test_a_picture_is_the_same_twice(tmp_path):
    outcomes = outcomes_of(record(), record("gosdt", user_seconds=3.0))
    first, second = (tmp_path / f"{number}.png" for number in "12")
    assert draw_cactus(outcomes, first)
    assert draw_cactus(outcomes, second)
    assert first.read_bytes() == second.read_bytes()


def test_the_performance_table_has_a_row_for_each_suite_and_peer_with_a_ratio(tmp_path):
    runs = (
        record(dataset="a", user_seconds=0.5),
        record("gosdt", "a", user_seconds=0.25),
        record(dataset="b", user_seconds=0.004),
        record("gosdt", "b", user_seconds=0.008),
        stopped("cart", "a", seconds=0.01),
    )
    write_results(tmp_path / "exact.jsonl", runs)
    write_results(tmp_path / "threads.jsonl", [record(suite="threads")])
    (tmp_path / "paper-split.jsonl").write_text('{"dataset": "bike"}\n')  # of no suite
    text = write_performance(tmp_path, tmp_path / "performance.md").read_text(encoding="utf-8")
    assert row_of(text, "| suite", "exact")[1:] == [
        "gosdt",
        "1.00x (2)",
        "1.00x (2)",
        "0.500x (1)",
        "1 of 2",
        "0.500x (a, λ 0.01, depth 3)",
    ]
    assert "cart" not in text
    assert "threads" not in text
    assert "* exact: Of 2 instances hornbeam proves 2, all other peers together 2" in text


def test_a_performance_table_without_peers_is_refused(tmp_path):
    write_results(tmp_path / "exact.jsonl", [record()])
    with pytest.raises(ValueError, match="no suite with hornbeam and a peer"):
        write_performance(tmp_path, tmp_path / "performance.md")


def test_figures_have_three_digits_that_count():
    values = (None, 0.0, 0.00000123, 0.01234, 1.5, 12.345, 1234.5)
    assert [number(value) for value in values] == ["-", "0", "1.23e-06", "0.0123", "1.50", "12.3", "1,234"]
    assert table(("a", "b"), [("x|y", "1")]) == "| a | b |\n| :-- | --: |\n| x\\|y | 1 |"
