"""What is said of runs: faults, outcomes, ratios against hornbeam."""

from __future__ import annotations

from math import nan
from typing import Any

import pytest

from benchmarks.report.comparison import sign, summary, worst_of
from benchmarks.report.faults import (
    BOUND_TOO_HIGH,
    DISAGREE,
    NO_TREE,
    TOO_DEEP,
    WRONG_CLAIM,
    WRONG_OPTIMUM,
)
from benchmarks.report.outcomes import read_runs
from benchmarks.report.sections import threads
from benchmarks.results import Record, write
from made_up_runs import MIB, comparison_of, faults_of, killed, outcomes_of, record, stopped

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
    assert [*outcomes.results["outcome"]] == ["proven", "wrong"]


def test_a_proof_without_a_tree_and_a_wrong_claim_are_faults():
    no_tree = record("gosdt", objective=None, claimed_objective=None, depth=None)
    wrong_claim = record("streed", claimed_objective=0.24)
    assert [fault.kind for fault in faults_of(no_tree, wrong_claim)] == [NO_TREE, WRONG_CLAIM]


def test_a_fault_that_repeats_is_said_once():
    repeats = [record("gosdt", claimed_objective=0.24, repeat=repeat) for repeat in range(3)]
    assert len(faults_of(*repeats)) == 1


# ---- which runs count ----


def test_of_hornbeam_the_commit_and_of_a_peer_the_version_that_ran_last_counts(tmp_path):
    old_and_new = (
        record(repeat=1, commit="a", user_seconds=8.0),
        record("gosdt", repeat=1, commit="a"),
        record("streed", repeat=1, versions={"streed": "1"}),
        record(repeat=0, commit="b", user_seconds=2.0),
        record("gosdt", repeat=0, commit="b"),
        record("streed", repeat=0, versions={"streed": "2"}),
        record("other", suite="depth"),
    )
    write(tmp_path / "exact.jsonl", old_and_new)
    kept = [(run.peer, run.repeat) for run in read_runs(tmp_path / "exact.jsonl", "exact")]
    assert kept == [("gosdt", 1), ("hornbeam", 0), ("gosdt", 0), ("streed", 0)]


def test_a_suite_without_runs_is_refused(tmp_path):
    write(tmp_path / "exact.jsonl", [record()])
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
        "rounded penalty": record("praxis", proven=False, lower_bound=None),
    }
    for outcome, run in cases.items():
        assert [*outcomes_of(run).results["outcome"]] == [outcome]
    assert [*outcomes_of(record("praxis", regularization=4 / 435)).results["outcome"]] == ["proven"]
    assert [*outcomes_of(stopped("hornbeam", seconds=19.5)).results["outcome"]] == ["timeout"]


# ---- ratios, computed by hand ----


def bounds(pairs: Any) -> list[tuple[str, float]]:
    """Of each instance that either proves, what is written before the ratio, and the ratio."""
    either = pairs[pairs["either"]]
    return [(sign(either.loc[[number]]), ratio) for number, ratio in either["time"].items()]


def test_both_prove_takes_medians_of_the_repeats_and_the_geometric_mean():
    pairs = comparison_of(
        *(record(user_seconds=seconds, repeat=repeat) for repeat, seconds in enumerate((1.0, 2.0, 9.0))),
        *(record("gosdt", user_seconds=seconds, repeat=repeat) for repeat, seconds in enumerate((4.0, 1.0, 5.0))),
        record(dataset="lymph", user_seconds=0.1),
        record("gosdt", "lymph", user_seconds=0.8),
    )
    assert sorted(pairs["time"][pairs["both"]]) == [pytest.approx(2), pytest.approx(8)]
    assert sign(pairs[pairs["either"]]) == ""


def test_who_does_not_prove_counts_with_the_limit_or_the_time_used_and_the_ratio_is_a_bound():
    pairs = comparison_of(
        record(dataset="a", user_seconds=2.0),
        killed("gosdt", "a", user_seconds=35.0),
        record(dataset="b", user_seconds=2.0),
        killed("gosdt", "b", status="memory", user_seconds=6.0),
        stopped("hornbeam", "c"),
        record("gosdt", "c", user_seconds=5.0),
        killed("hornbeam", "d"),
        killed("gosdt", "d"),
    )
    assert bounds(pairs) == [("≥ ", 10), ("≥ ", 3), ("≤ ", 0.25)]
    assert not pairs["both"].any()
    assert [(one.time, one.problem.dataset) for one in worst_of(pairs).itertuples()] == [(0.25, "c")]
    assert [problem.dataset for problem in pairs["problem"][pairs["behind"]]] == ["c"]
    assert summary(pairs)["slower"] == "1 of 1"


def test_unsupported_errors_and_wrong_optima_are_in_no_ratio():
    wrong = record("gosdt", "c", objective=0.3, claimed_objective=0.3)
    pairs = comparison_of(
        *(record(dataset=name) for name in "abcd"),
        killed("gosdt", "a", status="unsupported", message="cannot"),
        killed("gosdt", "b", status="error", message="crashed"),
        wrong,
        record("gosdt", "d", user_seconds=3.0),
    )
    assert [*pairs["time"][pairs["either"]]] == [3]
    assert summary(pairs)["slower"] == "0 of 1"


def test_a_heuristic_has_no_ratio_but_a_prover_that_gives_up_has():
    quick = stopped("cart", seconds=0.01)
    assert bounds(comparison_of(record(), quick)) == []
    assert bounds(comparison_of(record(), quick, record(dataset="b"), record("cart", "b"))) == [("", 1), ("≥ ", 0.01)]


def test_slower_within_the_spread_of_the_repeats_is_not_slower():
    def runs(own: tuple[float, ...]) -> list[Record]:
        peer = [record("gosdt", user_seconds=1.0, repeat=repeat) for repeat in range(3)]
        return [*(record(user_seconds=seconds, repeat=repeat) for repeat, seconds in enumerate(own)), *peer]

    assert [*comparison_of(*runs((1.0, 1.2, 1.3)))["behind"]] == [False]
    assert [*comparison_of(*runs((1.1, 1.2, 1.19)))["behind"]] == [True]


def test_the_worst_ratio_is_sought_among_long_runs_only():
    pairs = comparison_of(
        record(dataset="a", user_seconds=0.05),
        record("gosdt", "a", user_seconds=0.001),
        record(dataset="b", user_seconds=0.06),
        record("gosdt", "b", user_seconds=0.03),
    )
    assert [*worst_of(pairs)["time"]] == [pytest.approx(0.5)]


def test_memory_is_compared_on_runs_over_a_second():
    pairs = comparison_of(
        record(dataset="a", user_seconds=0.5, peak_bytes=90 * MIB),
        record("gosdt", "a", user_seconds=0.9),
        record(dataset="b", user_seconds=0.5, baseline_bytes=59 * MIB, peak_bytes=61 * MIB),
        record("gosdt", "b", user_seconds=1.5, baseline_bytes=100 * MIB, peak_bytes=122 * MIB),
    )
    assert (summary(pairs)["growth"], summary(pairs)["peak"]) == ("11.0x (1)", "2.00x (1)")


def test_speed_up_is_of_wall_time_where_both_prove():
    outcomes = outcomes_of(
        record(dataset="a", wall_seconds=3.0),
        record(dataset="a", wall_seconds=2.0, threads=2),
        stopped("hornbeam", "b"),
        record(dataset="b", threads=2),
    )
    rows = threads(outcomes)["rows"]
    assert [row["value"] for row in rows] == pytest.approx([1.5, nan], nan_ok=True)
    assert [row["same"] for row in rows] == ["yes", None]
    assert outcomes.labels == ["1 thread", "2 threads"]
