"""A row that stands for several equal ones gives the result of the table that holds them all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.calls import call
from core.solving import arguments
from hornbeam import _core
from oracles.problems import Problem

SEARCHES: dict[str, tuple[Any, dict[str, Any]]] = {
    "exact": (_core.solve, {}),
    "lookahead": (_core.solve_lookahead, {"lookahead_depth": 1, "recursive": True}),
    "leaf sets": (_core.solve_leaf_sets, {}),
}


def _problem(seed: int) -> tuple[Problem, np.ndarray[Any, np.dtype[np.int64]]]:
    random = np.random.default_rng(seed)
    n_rows, n_columns = random.integers((4, 2), (15, 6))
    rows = np.unique(random.integers(0, 2, (n_rows, n_columns)), axis=0)
    classes = random.integers(0, 3, len(rows)).tolist()
    costs = (1 - np.eye(3, dtype=int)).tolist()
    weights = random.integers(1, 4, len(rows)).tolist()
    problem = Problem(
        rows.tolist(), classes, weights, costs, 1, max_depth=3, min_samples_leaf=int(random.integers(2, 9))
    )
    return problem, random.integers(1, 5, len(rows))


def _repeated(problem: Problem, counts: Any) -> dict[str, Any]:
    given = arguments(problem)
    rows = np.repeat(np.arange(len(problem.rows)), counts)
    bits = np.unpackbits(given["columns"], axis=1, count=given["n_rows"], bitorder="little")[:, rows]
    columns = np.ascontiguousarray(np.packbits(bits, axis=1, bitorder="little"))
    of_rows = {name: given[name][rows] for name in ("class_codes", "weights")}
    return given | of_rows | {"columns": columns, "n_rows": len(rows)}


@pytest.mark.parametrize("name", SEARCHES)
def test_counted_rows_give_the_result_of_repeated_ones(name: str) -> None:
    function, how = SEARCHES[name]
    n_limited = 0
    for seed in range(60):
        problem, counts = _problem(seed)
        given = arguments(problem)
        merged = given | {"weights": given["weights"] * counts}
        of_repeated = call(function, **_repeated(problem, counts), **how)
        of_counted = call(function, **merged, row_counts=counts, **how)
        of_single = call(function, **merged, **how)
        assert of_counted["upper"] == of_repeated["upper"], seed
        assert of_counted["lower"] == of_repeated["lower"], seed
        for array in ("column", "left", "right", "prediction"):
            assert of_counted["tree"][array].tolist() == of_repeated["tree"][array].tolist(), seed
        n_limited += of_single["upper"] != of_counted["upper"]
    assert n_limited > 5  # otherwise the counts would not have mattered


def test_counts_of_the_heuristics_limit_their_trees() -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        bins = random.integers(0, 4, (2, 12)).astype(np.uint32)
        counts, codes = random.integers(1, 4, 12), random.integers(0, 2, 12).astype(np.int32)
        rows = np.repeat(np.arange(12), counts)
        shared = {
            "n_thresholds": np.array([3, 3], dtype=np.uint32),
            "costs": np.array([[0, 1], [1, 0]]),
            "leaf_cost": 1,
        }
        options = {"max_depth": 3, "min_samples_leaf": 6, "idle_rounds": 2}
        of_repeated = call(
            _core.near_optimal,
            bins=np.ascontiguousarray(bins[:, rows]),
            class_codes=codes[rows],
            weights=np.ones(len(rows), dtype=np.int64),
            **shared,
            **options,
        )
        of_counted = call(
            _core.near_optimal, bins=bins, class_codes=codes, weights=counts, row_counts=counts, **shared, **options
        )
        assert of_counted["upper"] == of_repeated["upper"], seed
        assert of_counted["tree"]["column"].tolist() == of_repeated["tree"]["column"].tolist()


def test_no_exact_search_that_counts_rows_once_proves_a_tree_of_counted_rows() -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        bins = random.integers(0, 6, (3, 24)).astype(np.uint32)
        counts, codes = random.integers(1, 6, 24), random.integers(0, 2, 24).astype(np.int32)
        rows = np.repeat(np.arange(24), counts)
        shared = {
            "n_thresholds": np.full(3, 5, dtype=np.uint32),
            "costs": np.array([[0, 1], [1, 0]]),
            "leaf_cost": 1,
            "max_depth": 3,
            "min_samples_leaf": 5,
        }
        repeated = {"bins": np.ascontiguousarray(bins[:, rows]), "class_codes": codes[rows]}
        optimum = call(_core.solve, **repeated, weights=np.ones(len(rows), dtype=np.int64), **shared)["upper"]
        merged = {"bins": bins, "class_codes": codes, "weights": counts, "row_counts": counts}
        found = call(_core.near_optimal, **merged, **shared, idle_rounds=0, exact_if_small=True)
        assert found["lower"] <= optimum <= found["upper"], seed


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([1, 2], "row_counts: one for each row is needed"),
        ([1, 2, 0], "row_counts: must be greater than 0"),
        ([1, 2, 2**52], "row_counts: their total must stay below"),
    ],
)
def test_wrong_counts_are_refused(counts: list[int], message: str) -> None:
    problem = Problem([[0], [1], [1]], [0, 1, 1], [1, 1, 1], [[0, 1], [1, 0]], 0)
    with pytest.raises(ValueError, match=message):
        call(_core.solve, **arguments(problem), row_counts=np.array(counts, dtype=np.int64))


def test_the_ordered_search_refuses_counts_that_limit_leaves() -> None:
    given = {
        "bins": np.array([[0, 1, 1]], dtype=np.uint32),
        "n_thresholds": np.array([1], dtype=np.uint32),
        "class_codes": np.array([0, 1, 1], dtype=np.int32),
        "weights": np.array([1, 2, 1]),
        "costs": np.array([[0, 1], [1, 0]]),
        "leaf_cost": 0,
        "row_counts": np.array([1, 2, 1]),
    }
    assert call(_core.solve, **given)["upper"] == 0
    with pytest.raises(ValueError, match="row_counts: must be 1"):
        call(_core.solve, **given, min_samples_leaf=2)
