from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.report import performance_table, write
from benchmarks.report.comparison import compare
from benchmarks.report.faults import (
    BOUND_TOO_HIGH,
    DISAGREE,
    NO_TREE,
    TOO_DEEP,
    WRONG_CLAIM,
    WRONG_OPTIMUM,
    Fault,
    find_faults,
)
from benchmarks.report.markdown import number, table
from benchmarks.report.outcomes import Outcomes
from benchmarks.report.plots.cactus import draw_cactus
from benchmarks.report.plots.courses import draw_courses
from benchmarks.report.runs import read_runs, run_of
from benchmarks.report.settings_section import speed_ups
from benchmarks.results import Record, append

MIB = 2**20


def record(peer: str = "hornbeam", dataset: str = "vote", **fields: Any) -> Record:
    """A run that proved the objective 0.25 in a second, unless told otherwise."""
    seconds = fields.get("user_seconds", 1.0)
    usual: dict[str, Any] = {
        "suite": "exact",
        "dataset": dataset,
        "binarization": "binary",
        "rows": 435,
        "columns": 48,
        "classes": 2,
        "regularization": 0.01,
        "max_depth": 3,
        "limit": 20.0,
        "peer": peer,
        "peer_version": f"{peer}-1",
        "threads": 1,
        "options": {},
        "repeat": 0,
        "status": "ok",
        "proven": True,
        "lower_bound": 0.25,
        "claimed_objective": 0.25,
        "objective": 0.25,
        "leaves": 4,
        "depth": 3,
        "user_seconds": seconds,
        "wall_seconds": seconds,
        "baseline_bytes": 50 * MIB,
        "peak_bytes": 60 * MIB,
        "extra": {},
        "trace": [],
        "machine": {"processor": "P", "cores": 2, "memory": 8 << 30, "system": "L", "python": "3"},
        "commit": "c0ffee",
        "time": "2025-01-02T03:04:05+00:00",
    }
    return Record(**{**usual, **fields})


def killed(peer: str, dataset: str = "vote", **fields: Any) -> Record:
    nothing = dict.fromkeys(("lower_bound", "claimed_objective", "objective", "leaves", "depth"))
    usual = {"status": "timeout", "proven": False, "user_seconds": 30.0, **nothing}
    return record(peer, dataset, **{**usual, **fields})


def stopped(peer: str, dataset: str = "vote", seconds: float = 20.0, **fields: Any) -> Record:
    return record(peer, dataset, proven=False, lower_bound=0.2, user_seconds=seconds, **fields)


def outcomes_of(*records: Record) -> Outcomes:
    return Outcomes(run_of(one) for one in records)


def faults_of(*records: Record) -> list[Fault]:
    outcomes = outcomes_of(*records)
    return find_faults(outcomes.runs, outcomes.label)


def comparison_of(*records: Record) -> Any:
    outcomes = outcomes_of(*records)
    return compare(outcomes, outcomes.contenders[1])


def report_of(folder: Path, *records: Record, suite: str = "exact") -> str:
    path = folder / f"{suite}.jsonl"
    for one in records:
        append(path, one)
    return write(suite, path, folder).read_text(encoding="utf-8")


def row_of(text: str, heading: str, first: str) -> list[str]:
    """The cells of the first line after a heading whose first cell is as given."""
    lines = text[text.index(heading) :].splitlines()
    return [cell.strip() for cell in next(line for line in lines if line.startswith(f"| {first} |")).split("|")[1:-1]]


# ---- what cannot be true ----


def test_runs_that_agree_have_no_fault():
    assert faults_of(record(), record("gosdt", objective=0.25 + 1e-10, claimed_objective=0.25), killed("streed")) == []


def test_two_proofs_that_differ_by_more_than_the_tolerance_disagree_and_the_worse_is_a_wrong_optimum():
    worse = record("gosdt", objective=0.25 + 2e-9, claimed_objective=0.25 + 2e-9, lower_bound=0.25)
    disagreement, wrong = faults_of(record(), worse)
    assert (disagreement.kind, disagreement.of_hornbeam) == (DISAGREE, True)
    assert disagreement.text == "0.25: hornbeam; 0.250000002: gosdt"
    assert (wrong.kind, wrong.of_hornbeam) == (WRONG_OPTIMUM, False)
    assert wrong.text == "gosdt: claims 0.250000002 proven; known is a tree of 0.25 by hornbeam"


def test_a_wrong_optimum_of_hornbeam_is_said_to_be_hornbeams_even_against_an_unproven_tree():
    (wrong,) = faults_of(record(), stopped("cart", objective=0.24, claimed_objective=0.24, seconds=0.1))
    assert (wrong.kind, wrong.of_hornbeam, wrong.excess) == (WRONG_OPTIMUM, True, pytest.approx(0.01))


def test_proofs_of_different_problems_do_not_disagree():
    other = {"objective": 0.3, "claimed_objective": 0.3, "lower_bound": 0.3}
    changed: list[dict[str, Any]] = [
        {"dataset": "lymph"},
        {"binarization": "midpoints"},
        {"regularization": 0.02},
        {"max_depth": None},
    ]
    for change in changed:
        assert faults_of(record(), record(**{"peer": "gosdt", **other, **change})) == []


def test_proofs_in_different_settings_and_limits_are_about_the_same_problem():
    other = {"objective": 0.3, "claimed_objective": 0.3, "lower_bound": 0.25}
    for change in ({"threads": 2}, {"options": {"a": 1}}, {"limit": 60.0}):
        assert [fault.kind for fault in faults_of(record(), record(**other, **change))] == [DISAGREE, WRONG_OPTIMUM]


def test_a_lower_bound_above_a_known_tree_is_a_fault():
    unfinished = record("gosdt", proven=False, objective=0.3, claimed_objective=0.3, lower_bound=0.26)
    (fault,) = faults_of(record(), unfinished)
    assert (fault.kind, fault.text) == (BOUND_TOO_HIGH, "gosdt: bound 0.26; known is a tree of 0.25 by hornbeam")


def test_a_tree_that_is_too_deep_is_a_fault_and_refutes_nobody():
    deep = record("gosdt", objective=0.2, claimed_objective=0.2, lower_bound=0.2, depth=4)
    assert [fault.kind for fault in faults_of(record(), deep)] == [DISAGREE, TOO_DEEP]
    outcomes = outcomes_of(record(), deep)
    assert [one.outcome for contender in outcomes.contenders for one in outcomes.results_of(contender).values()] == [
        "proven",
        "wrong",
    ]


def test_a_proof_without_a_tree_and_a_wrong_claim_are_faults():
    no_tree = record("gosdt", objective=None, claimed_objective=None, depth=None)
    wrong_claim = record("streed", claimed_objective=0.24)
    assert [fault.kind for fault in faults_of(no_tree, wrong_claim)] == [NO_TREE, WRONG_CLAIM]


def test_a_fault_that_repeats_is_said_once():
    repeats = [record("gosdt", claimed_objective=0.24, repeat=repeat) for repeat in range(3)]
    assert len(faults_of(*repeats)) == 1


# ---- which runs count ----


def test_of_hornbeam_the_commit_and_of_a_peer_the_version_that_ran_last_counts(tmp_path):
    old, new = "2025-01-01T00:00:00+00:00", "2025-02-01T00:00:00+00:00"
    for one in (
        record(repeat=0, commit="b", time=new, user_seconds=2.0),
        record(repeat=1, commit="a", time=old, user_seconds=8.0),
        record("gosdt", repeat=0, commit="b", time=new),
        record("gosdt", repeat=1, commit="a", time=old),
        record("streed", repeat=0, peer_version="2", time=new),
        record("streed", repeat=1, peer_version="1", time=old),
        record("other", suite="depth"),
    ):
        append(tmp_path / "exact.jsonl", one)
    kept = [(run.contender.peer, run.record.repeat) for run in read_runs(tmp_path / "exact.jsonl", "exact")]
    assert kept == [("hornbeam", 0), ("gosdt", 0), ("gosdt", 1), ("streed", 0)]


def test_a_suite_without_runs_is_refused(tmp_path):
    append(tmp_path / "exact.jsonl", record())
    with pytest.raises(ValueError, match="holds no run of 'depth'"):
        read_runs(tmp_path / "exact.jsonl", "depth")


def test_outcomes_are_told_apart():
    cases = {
        "proven": record(user_seconds=20.9),
        "timeout": record(user_seconds=21.1),
        "no proof": stopped("hornbeam", seconds=1.0),
        "unsupported": killed("hornbeam", status="unsupported"),
        "error": killed("hornbeam", message="before fitting began"),
        "memory": killed("hornbeam", status="memory"),
        "rounded price": record("praxis", proven=False, lower_bound=None),
    }
    for outcome, run in cases.items():
        outcomes = outcomes_of(run)
        assert outcomes.results_of(outcomes.contenders[0])[outcomes.instances[0]].outcome == outcome
    outcomes = outcomes_of(record("praxis", regularization=4 / 435))
    assert outcomes.results_of(outcomes.contenders[0])[outcomes.instances[0]].outcome == "proven"
    outcomes = outcomes_of(stopped("hornbeam", seconds=19.5))
    assert outcomes.results_of(outcomes.contenders[0])[outcomes.instances[0]].outcome == "timeout"


# ---- ratios, computed by hand ----


def test_both_prove_takes_medians_of_the_repeats_and_the_geometric_mean():
    comparison = comparison_of(
        *(record(user_seconds=seconds, repeat=repeat) for repeat, seconds in enumerate((1.0, 2.0, 9.0))),
        *(record("gosdt", user_seconds=seconds, repeat=repeat) for repeat, seconds in enumerate((4.0, 1.0, 5.0))),
        record(dataset="lymph", user_seconds=0.1),
        record("gosdt", "lymph", user_seconds=0.8),
    )
    assert sorted(ratio.value for ratio in comparison.both) == [pytest.approx(2), pytest.approx(8)]
    assert not any(ratio.sign for ratio in comparison.either)


def test_who_does_not_prove_counts_with_the_limit_or_the_time_used_and_the_ratio_is_a_bound():
    comparison = comparison_of(
        record(dataset="a", user_seconds=2.0),
        killed("gosdt", "a", user_seconds=35.0),
        record(dataset="b", user_seconds=2.0),
        killed("gosdt", "b", status="memory", user_seconds=6.0),
        stopped("hornbeam", "c"),
        record("gosdt", "c", user_seconds=5.0),
        killed("hornbeam", "d"),
        killed("gosdt", "d"),
    )
    assert [(ratio.sign, ratio.value) for ratio in comparison.either] == [("≥ ", 10), ("≥ ", 3), ("≤ ", 0.25)]
    assert comparison.both == ()
    assert (comparison.worst.value, comparison.worst.instance.problem.dataset) == (0.25, "c")
    assert [instance.problem.dataset for instance in comparison.slower] == ["c"]
    assert comparison.n_proven == 1


def test_unsupported_errors_and_wrong_optima_are_in_no_ratio():
    wrong = record("gosdt", "c", objective=0.3, claimed_objective=0.3)
    comparison = comparison_of(
        *(record(dataset=name) for name in "abcd"),
        killed("gosdt", "a", status="unsupported", message="cannot"),
        killed("gosdt", "b", status="error", message="crashed"),
        wrong,
        record("gosdt", "d", user_seconds=3.0),
    )
    assert [ratio.value for ratio in comparison.either] == [3]
    assert (comparison.slower, comparison.n_proven) == ((), 1)


def test_a_heuristic_has_no_ratio_but_a_prover_that_gives_up_has():
    quick = stopped("cart", seconds=0.01)
    assert comparison_of(record(), quick).either == ()
    comparison = comparison_of(record(), quick, record(dataset="b"), record("cart", "b"))
    assert [(ratio.sign, ratio.value) for ratio in comparison.either] == [("", 1), ("≥ ", 0.01)]


def test_slower_within_the_spread_of_the_repeats_is_not_slower():
    def runs(own: tuple[float, ...]) -> list[Record]:
        peer = [record("gosdt", user_seconds=1.0, repeat=repeat) for repeat in range(3)]
        return [*(record(user_seconds=seconds, repeat=repeat) for repeat, seconds in enumerate(own)), *peer]

    assert comparison_of(*runs((1.0, 1.2, 1.3))).slower == ()
    assert len(comparison_of(*runs((1.1, 1.2, 1.19))).slower) == 1


def test_the_worst_ratio_is_sought_among_long_runs_only():
    comparison = comparison_of(
        record(dataset="a", user_seconds=0.05),
        record("gosdt", "a", user_seconds=0.001),
        record(dataset="b", user_seconds=0.06),
        record("gosdt", "b", user_seconds=0.03),
    )
    assert comparison.worst.value == pytest.approx(0.5)


def test_memory_is_compared_on_runs_over_a_second():
    comparison = comparison_of(
        record(dataset="a", user_seconds=0.5, peak_bytes=90 * MIB),
        record("gosdt", "a", user_seconds=0.9),
        record(dataset="b", user_seconds=0.5, baseline_bytes=59 * MIB, peak_bytes=61 * MIB),
        record("gosdt", "b", user_seconds=1.5, baseline_bytes=100 * MIB, peak_bytes=122 * MIB),
    )
    assert [ratio.value for ratio in comparison.growth] == [11]
    assert [ratio.value for ratio in comparison.peak] == [2]


def test_speed_up_is_of_wall_time_where_both_prove():
    outcomes = outcomes_of(
        record(dataset="a", wall_seconds=3.0),
        record(dataset="a", wall_seconds=2.0, threads=2),
        stopped("hornbeam", "b"),
        record(dataset="b", threads=2),
    )
    assert [(pair.value, pair.agree) for pair in speed_ups(outcomes)] == [(1.5, True), (None, None)]
    assert [outcomes.label(contender) for contender in outcomes.contenders] == ["1 thread", "2 threads"]


# ---- the report ----


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
    for one in (
        record(),
        record("hornbeam_lickety", objective=0.26, user_seconds=0.5, **without),
        record("cart", objective=0.29, user_seconds=1.0, **without),
        record(dataset="zoo"),
        record("hornbeam_lickety", dataset="zoo", objective=0.25, user_seconds=0.5, **without),
        record("cart", dataset="zoo", objective=0.25, user_seconds=4.0, **without),
    ):
        append(path, one)
    text = write("exact", path, tmp_path).read_text()
    assert "| cart | 2 | 1 | 0.02000 | 0.04000 | 2.00 | 4.00 | 4.00x (2.00x) | 0, 1, 1 |" in text
    assert "| hornbeam_lickety | 2 | 1 | 0.00500 | 0.01000 | 0.500 | 0.500 | 1.00x (1.00x) | 0, 2, 0 |" in text


def test_trees_of_a_rounded_price_are_in_no_ratio_and_those_that_are_not_optimal_are_listed(tmp_path):
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
    assert comparison_of(*records).either == ()
    text = report_of(tmp_path, *records)
    assert row_of(text, "## Prices rounded", "praxis") == ["praxis", "4", "3", "1", "1", "1"]
    assert row_of(text, "Where they are not optimal", "b / binary (435 x 48), λ 0.01, depth 3") == [
        "b / binary (435 x 48), λ 0.01, depth 3",
        "praxis",
        "4.35",
        "0.260000",
        "0.250000",
        "0.0100",
    ]
    assert "## Prices rounded" not in report_of(tmp_path / "whole", record(), record("praxis", regularization=4 / 435))


def test_the_ablation_report_gives_factors_of_time_and_subproblems(tmp_path):
    plain = record(suite="ablation", extra={"subproblems": 100})
    without = record(
        suite="ablation", options={"switches": {"lookahead": False}}, user_seconds=3.0, extra={"subproblems": 700}
    )
    text = report_of(tmp_path, plain, without, suite="ablation")
    assert row_of(text, "## Ablation", "no lookahead")[1:4] == ["3.00x (1)", "3.00x (1)", "7.00x (1)"]
    assert row_of(text, "## Ablation", "no lookahead")[-1] == "1 of 1"


def test_the_rows_report_shows_growth_and_the_course_of_searches(tmp_path):
    trace = [[0.001, 0.4, 0.1], [0.5, 0.25, None], [1.0, 0.25, 0.25]]
    runs = [record(dataset=f"rows_{n}", suite="rows", rows=n, trace=trace) for n in (1000, 10000)]
    text = report_of(tmp_path, *runs, suite="rows")
    assert row_of(text, "## Growth with the number of rows", "hornbeam")[2:] == ["1,000", "1.00", "10.0", "60.0"]
    assert (tmp_path / "rows-growth.png").exists()
    assert (tmp_path / "rows-course.png").exists()


def test_runs_that_do_not_tell_their_course_are_points_of_it(tmp_path):
    trace = [[0.001, 0.4, 0.1], [0.5, 0.25, None], [1.0, 0.25, 0.25]]
    told = [record(trace=trace, limit=limit) for limit in (1.0, 20.0)]
    points = [stopped("gosdt", seconds=limit, limit=limit) for limit in (1.0, 20.0)]
    pictures = []
    for order, runs in enumerate((told, [*told, points[0]], [*told, *points], [*told, *points, killed("imodels")])):
        path = draw_courses(outcomes_of(*runs), tmp_path / f"{order}.png")
        assert path is not None
        pictures.append(path.read_bytes())
    assert len(set(pictures)) == 3
    assert draw_courses(outcomes_of(*points), tmp_path / "none.png") is None


def test_a_picture_is_the_same_twice(tmp_path):
    outcomes = outcomes_of(record(), record("gosdt", user_seconds=3.0))
    first, second = (draw_cactus(outcomes, tmp_path / f"{number}.png") for number in "12")
    assert first is not None
    assert second is not None
    assert first.read_bytes() == second.read_bytes()


def test_the_performance_table_has_a_row_for_each_suite_and_peer_with_a_ratio(tmp_path):
    for one in (
        record(dataset="a", user_seconds=0.5),
        record("gosdt", "a", user_seconds=0.25),
        record(dataset="b", user_seconds=0.004),
        record("gosdt", "b", user_seconds=0.008),
        stopped("cart", "a", seconds=0.01),
    ):
        append(tmp_path / "exact.jsonl", one)
    append(tmp_path / "threads.jsonl", record(suite="threads"))
    (tmp_path / "paper-split.jsonl").write_text('{"paper": "split"}\n')  # of no suite
    text = performance_table(tmp_path)
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
    append(tmp_path / "exact.jsonl", record())
    with pytest.raises(ValueError, match="no suite with hornbeam and a peer"):
        performance_table(tmp_path)


def test_figures_have_three_digits_that_count():
    values = (None, 0.0, 0.00000123, 0.01234, 1.5, 12.345, 1234.5)
    assert [number(value) for value in values] == ["-", "0", "1.23e-06", "0.0123", "1.50", "12.3", "1,234"]
    assert table(("a", "b"), [("x|y", "1")]) == "| a | b |\n| :-- | --: |\n| x\\|y | 1 |\n"
