"""Counts of triples of columns are those of a loop over the rows."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hornbeam import _core


@pytest.mark.parametrize("seed", range(30))
def test_counts_are_those_of_the_rows(seed):
    random = np.random.default_rng(seed)
    n_rows, n_columns, n_targets = random.integers(0, 200), random.integers(0, 6), random.integers(1, 4)
    X = (random.random((n_columns, n_rows)) < random.random((n_columns, 1))).astype(np.uint8)
    targets = random.integers(0, n_targets, n_rows).astype(np.uint8)
    counter = _core.TripleCounter(int(n_columns), int(n_targets))
    cut = int(random.integers(0, n_rows + 1))
    for part in (slice(0, cut), slice(cut, None)):
        counter.add([np.ascontiguousarray(column[part]) for column in X], np.ascontiguousarray(targets[part]))
    assert counter.totals().tolist() == np.bincount(targets, minlength=n_targets).tolist()
    for target in range(n_targets):
        counts, rows = counter.counts(target), X[:, targets == target].astype(int)
        for i, j, k in itertools.product(range(n_columns), repeat=3):
            assert counts[i, j, k] == ((rows[i] * rows[j] * rows[k]).sum() if i <= j <= k else 0)


def test_more_rows_than_a_tile_are_all_counted():
    X = (np.random.default_rng(0).random((3, 10_001)) < 0.5).astype(np.uint8)
    counter = _core.TripleCounter(3, 1)
    counter.add(list(X), np.zeros(10_001, dtype=np.uint8))
    assert counter.counts(0)[0, 1, 2] == X.all(axis=0).sum()
    assert counter.totals().tolist() == [10_001]


def test_wrong_rows_are_refused():
    bits = np.array([0, 1], dtype=np.uint8)
    for columns, targets, message in [
        ([bits], bits, "one array for each column"),
        ([bits, bits[:1]], bits, "one byte for each row"),
        ([bits, bits * 2], bits, "must be 0 or 1"),
        ([bits, bits], bits * 2, "targets: must be below"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.TripleCounter(2, 2).add(columns, targets)
    with pytest.raises(ValueError, match="n_columns, n_targets"):
        _core.TripleCounter(1025, 2)
    with pytest.raises(ValueError, match="target: must be below"):
        _core.TripleCounter(1, 1).counts(1)
