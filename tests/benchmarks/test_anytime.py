"""The reports of the suites with targets: who had which tree by then, integrals, errors by leaves, verdicts."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import data, results, runner, worker
from benchmarks.report import anytime
from benchmarks.suites import Row, Suite
from benchmarks.trees import prune, score
from tests.made_up_runs import faults_of, outcomes_of, record, report_of, row_of, stopped

TRACE = {"trace": True}


def at(limit, peer="hornbeam", **fields):
    usual = {"suite": "anytime", "limit": float(limit), "seconds": float(limit), "max_depth": None, "options": TRACE}
    return stopped(peer, **{**usual, **fields})


def verdicts(suite, *records):
    return [(one["verdict"], one["figure"]) for one in anytime.targets(suite, outcomes_of(*records))]


def test_integrals_are_those_of_the_steps_and_without_a_tree_the_gap_is_one():
    # No tree for 1 s, 0.4 for 2 s, then the best one, 0.2, with a bound of 0.1 and after 6 s of 0.2.
    steps = [(1.0, 0.4, 0.0), (3.0, 0.2, 0.1), (6.0, 0.2, 0.2)]
    assert anytime.integrals(steps, 0.2, 10.0) == pytest.approx((1 + 2 * 0.5, 1 + 2 * 1 + 3 * 0.5))
    assert anytime.integrals([], 0.2, 10.0) == (10.0, 10.0)


def test_integrals_end_at_the_horizon_and_keep_the_best_tree_and_bound():
    steps = [(0.0, 0.4, None), (2.0, 0.8, 0.2), (4.0, None, 0.1), (9.0, 0.2, 0.2)]
    assert anytime.integrals(steps, 0.2, 5.0) == pytest.approx((5 * 0.5, 2 * 1 + 3 * 0.5))


def test_a_perfect_tree_has_no_gap():
    assert anytime.integrals([(0.0, 0.0, 0.0)], 0.0, 5.0) == (0.0, 0.0)


def test_a_run_counts_from_its_end_and_for_longer_limits_only_if_it_ended_by_itself():
    values = anytime.at_limits(
        [
            at(1, objective=0.4),
            at(10, objective=0.3),
            at(1, "cart", seconds=0.1, objective=0.35),
            at(1, "gosdt", seconds=3.0, objective=0.31),
        ]
    ).set_index(["peer", "limit"])["objective"]
    assert values["hornbeam"].to_dict() == {1.0: 0.4, 10.0: 0.3}
    assert values["cart"].to_dict() == {1.0: 0.35, 10.0: 0.35}
    assert np.isnan(values["gosdt", 1.0])  # it was late
    assert ("gosdt", 10.0) not in values


def test_the_numbers_and_their_quantiles_are_one_problem():
    records = [at(1, objective=0.3), at(1, "gosdt", binarization="quantiles8", objective=0.2)]
    verdict, figure = verdicts("anytime", *records)[0]
    assert verdict == "missed so far"
    assert figure == "worse in 1 of 1 comparisons; most by 0.1000 than gosdt at 1 s on vote, λ 0.01, any depth"


def test_no_tree_is_worse_than_any_and_what_was_not_run_is_not_compared():
    none = {"objective": None, "leaves": None, "depth": None}
    [row] = anytime.peers_at_limits(outcomes_of(at(1), at(1, "gosdt", **none), at(10, "gosdt")))
    assert (row["limit"], row["n"], row["none"], row["better"], row["worse"]) == (1.0, 1, 1, 1, 0)


def test_a_target_that_part_of_the_suite_meets_is_met_so_far_and_what_was_not_measured_is_named():
    found = verdicts("anytime", at(1, dataset="adult", objective=0.2), at(1, "cart", dataset="adult", objective=0.21))
    assert found[0] == ("met so far", "worse in 0 of 1 comparisons")
    assert found[-2:] == [("**missed**", "0.200000"), ("not measured", "-")]


def test_gaps_are_compared_with_those_of_0_1_0_where_it_proves_nothing():
    old = {"peer": anytime.BEFORE, "objective": 0.4, "lower_bound": 0.2}
    found = verdicts(
        "anytime",
        *(at(60, dataset="near", objective=0.4, lower_bound=0.35), at(60, dataset="near", **old)),
        *(at(60, dataset="done", objective=0.4, proven=True), at(60, dataset="done", **old)),
        *(at(60, dataset="easy", objective=0.4), at(60, dataset="easy", **{**old, "lower_bound": 0.4})),
        *(at(10, dataset="short", objective=0.4), at(10, dataset="short", **old)),
    )
    # A quarter of the gap, and no gap, which counts as 0.001, in place of 0.5.
    assert found[1] == ("met so far", "0.0224x")
    assert verdicts("anytime", at(60), at(60, "cart"))[1] == ("not measured", "-")


def test_the_report_shows_integrals_against_hornbeams_and_all_objectives(tmp_path):
    own = at(10, trace=[[0.0, 0.5, 0.0], [5.0, 0.25, 0.0]], objective=0.25, lower_bound=0.125)
    text = report_of(tmp_path, own, at(10, "cart", seconds=1.0, objective=0.5, lower_bound=None), suite="anytime")
    assert row_of(text, "## Integrals", "cart") == ["cart", "1", "5.50", "2.50", "10.00", "10.00"]
    assert row_of(text, "## All problems", "vote, λ 0.01, any depth")[1:] == ["10", "0.25000", "0.12500", "0.50000"]


def by_leaves(peer, size, train, test=0.0, **fields):
    usual = {"suite": "leaves", "objective": train, "test_error": test, "options": {"max_leaves": size}}
    return record(peer, **{**usual, "rows": 1000, "proven": False, "lower_bound": None, **fields})


def test_errors_are_compared_at_equal_numbers_of_leaves(tmp_path):
    records = [
        *(by_leaves("hornbeam", 4, 0.2, 0.3), by_leaves("cart", 4, 0.25, 0.3)),
        *(by_leaves("hornbeam", 8, 0.16, 0.3), by_leaves("cart", 8, 0.15, 0.2)),
        by_leaves("hornbeam", 16, 0.1, 0.1),  # without CART's it is not compared
    ]
    found = verdicts("leaves", *records)
    assert found[0] == ("missed so far", "higher in 1 of 2; most by 0.0100 on vote with 8 leaves")
    assert found[1] == ("met so far", "7.6 % lower")
    assert found[2][0] == "missed so far"
    assert "| vote | 1,000 | 8 | 0.1600 | 0.1500 | 0.3000 | 0.2000 |" in report_of(tmp_path, *records, suite="leaves")


def test_proofs_with_different_numbers_of_leaves_do_not_disagree():
    proven = {"proven": True, "test_error": 0.3}
    own, other = by_leaves("hornbeam", 4, 0.2, **proven), by_leaves("hornbeam", 8, 0.1, **proven)
    assert faults_of(own, other) == []
    [fault, _] = faults_of(own, by_leaves("cart", 4, 0.1, **proven))
    assert fault.problem.name == "vote / binary (1000 x 48), λ 0.01, depth 3, 4 leaves"


def test_an_error_of_zero_counts_as_one_row():
    assert verdicts("leaves", by_leaves("hornbeam", 4, 0.0, 0.0), by_leaves("cart", 4, 0.004, 0.0))[1][1] == (
        "75.0 % lower"
    )


def test_without_a_peer_the_targets_are_not_measured():
    assert {verdict for verdict, _ in verdicts("leaves", by_leaves("hornbeam", 4, 0.2, 0.3))} == {"not measured"}
    assert verdicts("frontier", record(suite="frontier"))[0][0] == "not measured"


@pytest.mark.parametrize("suite", ["frontier", "border"])
def test_what_0_1_0_proves_does_not_count(suite):
    old = anytime.BEFORE
    found = verdicts(
        suite,
        *(record("hornbeam", "easy"), record(old, "easy")),
        *(record("hornbeam", "proven"), stopped(old, "proven")),
        *(stopped("hornbeam", "open", objective=0.4), stopped(old, "open", objective=0.4, lower_bound=0.1)),
    )
    assert found[0] == ("met so far", "1 of 2")
    # 0.2 of 0.4 is left, but for `stopped`, which has a bound of 0.2; before it was 0.3 of 0.4.
    assert found[1] == ("missed so far", "0.667x (1)")


def test_a_stratified_quarter_is_held_out_and_scored(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "CACHE", tmp_path)
    prepared = data.prepare("hornbeam_balance_scale", "raw-train")
    with np.load(prepared.path) as archive:
        assert (prepared.rows, len(archive["y_test"])) == (468, 157)
        assert not prepared.binary
        shares = [np.bincount(archive[name]) / len(archive[name]) for name in ("y", "y_test")]
        test_shares = shares[1]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    job = {"peer": "hornbeam", "data": str(prepared.path), "binary": False, "regularization": 1.0, "max_depth": 0}
    found = worker.solve({**job, "time_limit": 5.0, "threads": 1, "options": {}}, tmp_path / "started")
    assert found["test_error"] == pytest.approx(1 - test_shares.max(), abs=0.01)


def test_string_columns_are_a_column_for_each_string(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "SHARED", tmp_path)
    (tmp_path / "colors.csv").write_text("color,size,target\nred,1.5,yes\nblue,2,no\n")
    assert data.binarize(data.read("colors")[0], "raw").tolist() == [[0, 1, 1.5], [1, 0, 2]]


def test_pruning_keeps_only_splits_that_are_worth_the_penalty():
    leaf = [{"class": code} for code in (0, 1)]
    stump = {"feature": 1, "threshold": 0.5, "left": leaf[0], "right": leaf[1]}
    tree = {"feature": 0, "threshold": 0.5, "left": stump, "right": stump}
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 0], [1, 0], [1, 1]])
    y = np.array([0, 1, 1, 1, 1, 1])
    kept = prune(tree, X, y, 0.05)
    assert kept == {**tree, "right": {"class": 1}}
    assert score(kept, X, y, 0.05).objective == pytest.approx(0.15)
    assert prune(tree, X, y, 0.2) == {"class": 1}


def test_what_ended_by_itself_is_not_run_with_a_longer_limit_and_peers_get_their_binarization(monkeypatch, tmp_path):
    asked = []

    def run_once(task, peer, prepared, memory):
        asked.append((task.limit, task.binarization, peer))
        seconds = 0.5 if peer == "cart" else task.limit
        return {"status": "ok", "objective": 0.25, "user_seconds": seconds, "wall_seconds": seconds}

    monkeypatch.setattr(runner, "run_once", run_once)
    monkeypatch.setattr(runner.environments, "is_ready", lambda peer: True)
    monkeypatch.setattr(results, "describe_commit", lambda: "0")
    monkeypatch.setattr(data, "prepare", lambda *names: data.Prepared(Path("none"), 100, 9, 2, binary=True))
    rows = (Row("one", "raw+quantiles8", 0.01, 2),)
    suite = Suite("anytime", rows, ("hornbeam", "gosdt", "cart"), limits=(1.0, 10.0), repeats=1, ended_is_final=True)
    path = tmp_path / "anytime.jsonl"
    runner.run_suite(suite, path)
    both = [("raw", "hornbeam"), ("quantiles8", "gosdt")]
    assert asked == [*((1.0, *one) for one in both), (1.0, "raw", "cart"), *((10.0, *one) for one in both)]
    runner.run_suite(replace(suite, limits=(0.7,)), path)
    assert asked[5:] == [(0.7, *one) for one in both]
