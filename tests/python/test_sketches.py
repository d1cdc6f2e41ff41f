"""Distinct numbers of a stream: exact where they are few, otherwise a sketch whose error is bounded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.streaming import sketches
from hornbeam.streaming.sketches import DistinctNumbers


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 3000),
    n_distinct=st.integers(1, 3000),
    size=st.sampled_from([4, 16, 64]),
    heaviest=st.sampled_from([1, 3, 1000]),
)
def test_the_weight_up_to_any_number_is_within_the_stated_error(
    seed: int, n_rows: int, n_distinct: int, size: int, heaviest: int
) -> None:
    random = np.random.default_rng(seed)
    values = random.choice(random.normal(size=n_distinct), n_rows)
    weights = random.integers(1, heaviest + 1, n_rows).astype(np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketches, "MOST_VALUES", size)
        patch.setattr(sketches, "_LEAST_PENDING", size)
        found = DistinctNumbers(is_sketch=True)
        for begin in range(0, n_rows, 7):
            found.add(values[begin : begin + 7], weights[begin : begin + 7])
        kept, weights_of_kept = found.result()
    assert np.all(np.diff(kept) > 0)
    assert weights_of_kept.sum() == weights.sum()
    wanted = np.array([weights[values <= value].sum() for value in np.unique(values)])
    got = np.concatenate([[0], np.cumsum(weights_of_kept)])[np.searchsorted(kept, np.unique(values), side="right")]
    missing = (wanted - got) / weights.sum()
    assert missing.min() >= 0
    assert missing.max() <= found.n_levels / size
    assert found.n_levels <= 1 + np.log2(max(1, n_rows / size))


def test_few_distinct_numbers_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketches, "_LEAST_PENDING", 10)
    values = np.random.default_rng(0).integers(0, 500, 5000) / 8
    found = DistinctNumbers(is_sketch=True)
    for begin in range(0, 5000, 100):
        found.add(values[begin : begin + 100], np.ones(100))
    wanted, counts = np.unique(values, return_counts=True)
    got, weights = found.result()
    assert found.n_levels == 0
    assert got.tolist() == wanted.tolist()
    assert weights.tolist() == counts.tolist()


def test_a_sketch_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sketches, "MOST_VALUES", 100)
    monkeypatch.setattr(sketches, "_LEAST_PENDING", 100)
    random = np.random.default_rng(0)
    exact, found = DistinctNumbers(is_sketch=False), DistinctNumbers(is_sketch=True)
    for _ in range(500):
        for one in (exact, found):
            one.add(random.normal(size=200), np.ones(200))
    assert exact.n_bytes() == 16 * 100_000
    assert found.n_bytes() <= 16 * 100 * (found.n_levels + 4)
    assert len(found.result()[0]) <= 100 * (found.n_levels + 4)
