"""The report of the suite `held_out` counts, tests and lists what the runs say."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.report.held_out import DESCRIPTIONS, N_FOLDS, f_test, tables
from benchmarks.results import Record
from benchmarks.suites import SUITES
from made_up_runs import record, report_of, row_of


def folds(peer: str, dataset: str, accuracies: list[float], leaves: int | None = 4, **fields: Any) -> list[Record]:
    usual: dict[str, Any] = {
        "suite": "held_out",
        "proven": False,
        "lower_bound": None,
        "regularization": 0.0,
        "limit": 10.0,
    }
    return [
        record(
            peer,
            dataset,
            **{**usual, "test_error": 1 - one, "leaves": leaves, "binarization": f"raw-fold{fold}", **fields},
        )
        for fold, one in enumerate(accuracies)
    ]


ALIKE = [0.8, 0.82] * 5
RUNS = [
    *folds("hornbeam_cv", "better", [0.9, 0.91] * 5, 3),
    *folds("cart_cv", "better", ALIKE, 6),
    *folds("hornbeam_cv", "worse", [0.7, 0.71] * 5, 2, wall_seconds=10.0),
    *folds("cart_cv", "worse", ALIKE, 8),
    *folds("hornbeam_cv", "equal", ALIKE),
    *folds("cart_cv", "equal", ALIKE),
    *folds("lightgbm", "equal", [0.95] * 10, None),
]


def test_the_f_test_is_that_of_the_published_table():
    # With halves of d + e and d - e the statistic is (d² / e² + 1) / 2; 4.7351 is critical at 5 % for 10 and 5 degrees.
    d = (2 * 4.7351 - 1) ** 0.5
    assert f_test([d + 1, d - 1] * 5) == pytest.approx(0.05, abs=1e-5)
    assert f_test([0.0] * N_FOLDS) == 1.0
    assert f_test([0.1] * N_FOLDS) == 0.0
    assert f_test([0.1, -0.1] * 5) > 0.4


def test_wins_ties_and_losses_are_counted_table_by_table(tmp_path):
    text = report_of(tmp_path, *RUNS, suite="held_out")
    assert row_of(text, "## Compared", "hornbeam_cv") == [
        *("hornbeam_cv", "all", "3", "2 (67%)", "1", "1", "1", "-0.0033", "1", "0.50"),
    ]
    assert row_of(text, "## Where", "worse") == [
        "worse",
        *("0.7050", "0.8100", "-0.1050"),
        "5.6e-06",
        "2.0",
        "8.0",
        "yes",
    ]
    assert "| better |" not in text[text.index("## Where") : text.index("## Classifiers")]
    assert row_of(text, "## All tables", "equal") == ["equal", "435 x 48", "0.8100 (4.0)", "0.8100 (4.0)", "0.9500"]
    assert row_of(text, "## All tables", "better")[-1] == "-"
    assert (tmp_path / "held_out.png").stat().st_size > 1000


def test_a_table_with_a_failed_half_does_not_count_and_is_listed(tmp_path):
    failed = {"status": "error", "test_error": None}
    runs = [*RUNS, *folds("ebm", "equal", ALIKE[1:]), *folds("ebm", "equal", [0.5], **failed, repeat=1)]
    found = tables(runs)
    assert "ebm" not in found["peers"]
    assert found["failures"] == [{"peer": "ebm", "runs": 1, "tables": "equal"}]


def test_no_peer_with_all_halves_is_an_error():
    with pytest.raises(ValueError, match="run more of the suite"):
        tables(folds("cart_cv", "equal", ALIKE[1:]))


def test_every_classifier_of_the_suite_is_described_and_those_not_measured_are_named(tmp_path):
    assert set(DESCRIPTIONS) == set(SUITES["held_out"].peers)
    text = report_of(tmp_path, *RUNS, suite="held_out")
    measured = ("hornbeam_cv", "cart_cv", "lightgbm")
    assert all(f"* `{peer}`: {DESCRIPTIONS[peer]}\n" in text for peer in measured)
    missing = "`, `".join(peer for peer in DESCRIPTIONS if peer not in measured)
    assert f"are not measured on all ten halves of any table yet: `{missing}`." in text
