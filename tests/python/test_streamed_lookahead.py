"""Lookahead with many thresholds per column: a table read in batches gives the tree of the same table in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hornbeam import LicketySPLITClassifier, SPLITClassifier

pl = pytest.importorskip("polars")


def _table(n_rows: int, n_values: int, n_distinct: int, seed: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    distinct = random.integers(0, n_values, (n_distinct, 2)).astype(float)
    X = distinct[random.integers(0, n_distinct, n_rows)]
    label = (X[:, 0] > n_values / 2) ^ (X.sum(axis=1) > n_values) ^ (random.random(n_rows) < 0.15)
    weight = random.choice([1.0, 2.0], n_rows)
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "weight": weight, "label": label.astype(int)})


def _assert_same_fit(model: type[Any], frame: pl.DataFrame, settings: dict[str, Any], *, weighted: bool) -> Any:
    settings = {"regularization": 0.002, "binarizer": "exact", "time_limit": None, **settings}
    in_memory = model(**settings).fit(frame.select("a", "b"), frame["label"], *([frame["weight"]] if weighted else []))
    given = frame if weighted else frame.drop("weight")
    streamed = model(**settings).fit(given.lazy(), "label", *(["weight"] if weighted else []))
    assert streamed.tree_ == in_memory.tree_
    for name in ("objective_", "lower_bound_", "status_"):
        assert getattr(streamed, name) == getattr(in_memory, name), name
    assert streamed.statistics_["subproblems"] == in_memory.statistics_["subproblems"]
    return in_memory


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("settings", [{}, {"min_samples_leaf": 20}, {"objective": "balanced"}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_exact_search_before_the_heuristics_gets_the_same_rows(
    seed: int, settings: dict[str, Any], weighted: bool
) -> None:
    frame = _table(2000, 80, 500, seed)
    settings = {"max_depth": 5, "lookahead_depth": 2, **settings}
    assert _assert_same_fit(SPLITClassifier, frame, settings, weighted=weighted).statistics_["subproblems"] > 0


def test_min_samples_leaf_with_few_thresholds_of_many_columns_counts_given_rows() -> None:
    """Where the ordered search does not suit, rows stay merged until the heuristics have them."""
    random = np.random.default_rng(0)
    X = random.integers(0, 30, (120, 20))[random.integers(0, 120, 1000)]
    label = (X[:, 0] > 14) ^ (X[:, 1] > 14) ^ (random.random(1000) < 0.15)
    frame = pl.DataFrame(X, schema=[f"c{i}" for i in range(20)]).with_columns(label=pl.Series(label.astype(int)))
    settings: dict[str, Any] = {"regularization": 0.01, "max_depth": 4, "lookahead_depth": 2, "min_samples_leaf": 9}
    settings.update(binarizer="exact", time_limit=None)
    in_memory = SPLITClassifier(**settings).fit(frame.drop("label"), frame["label"])
    streamed = SPLITClassifier(**settings).fit(frame.lazy(), "label")
    assert streamed.tree_ == in_memory.tree_
    assert streamed.statistics_["subproblems"] == in_memory.statistics_["subproblems"] > 0
    assert np.unique(in_memory.apply(frame.drop("label")), return_counts=True)[1].min() >= 9


def test_a_sample_of_many_points_is_the_same() -> None:
    frame = _table(200_000, 1000, 400_000, 0)
    assert frame.select("a", "b", "label").n_unique() > 1 << 17
    _assert_same_fit(LicketySPLITClassifier, frame, {"max_depth": 3}, weighted=False)
