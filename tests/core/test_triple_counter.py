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


@pytest.mark.parametrize("first", [0, 3, 1030])
def test_flags_of_a_stream_are_counted_like_bytes(first):
    polars = pytest.importorskip("polars")
    random = np.random.default_rng(first)
    X, targets = random.integers(0, 2, (5, 9000), dtype=np.uint8), random.integers(0, 2, 9000, dtype=np.uint8)
    frame = polars.DataFrame({name: column == 1 for name, column in zip("abcde", X, strict=True)})
    parts = polars.concat([frame[:4000], frame[4000:]], rechunk=False)[first:]
    of_flags, of_bytes = _core.TripleCounter(4, 2), _core.TripleCounter(4, 2)
    assert of_flags.add_flags([parts.__arrow_c_stream__()], ["e", "a", "b", "d"], targets[first:])
    of_bytes.add([np.ascontiguousarray(X[column, first:]) for column in (4, 0, 1, 3)], targets[first:])
    for target in range(2):
        assert (of_flags.counts(target) == of_bytes.counts(target)).all()
    assert of_flags.totals().tolist() == of_bytes.totals().tolist()


def test_a_stream_with_other_columns_is_not_counted():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": [True, False], "b": [True, None], "c": [0, 1]})
    counter, targets = _core.TripleCounter(1, 2), np.zeros(2, dtype=np.uint8)
    for name in ("b", "c", "d"):
        assert not counter.add_flags([frame.__arrow_c_stream__()], [name], targets)
    assert counter.totals().tolist() == [0, 0]
    with pytest.raises(ValueError, match="targets: one for each row"):
        counter.add_flags([frame.__arrow_c_stream__()], ["a"], targets[:1])
    with pytest.raises(ValueError, match="names: one for each column"):
        counter.add_flags([frame.__arrow_c_stream__()], ["a", "a"], targets)


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


def test_merged_rows_are_counted_like_the_rows():
    rows = np.random.default_rng(0).integers(0, 2, (4, 5000), dtype=np.uint8)
    merged = _core.RowCounter([1, 1, 1, 1])
    merged.add(list(rows))
    totals = merged.totals(merged.counts().astype(np.float64), 2)
    assert [of_column.tolist() for of_column in totals] == [np.bincount(row).tolist() for row in rows[:2]]
    found, expected = _core.TripleCounter(3, 2), _core.TripleCounter(3, 2)
    found.add_merged(merged, [np.array(bits, dtype=np.uint32) for bits in ([0, 4], [1, 0], [2, 0])])
    expected.add([1 - rows[1], 1 - rows[2], rows[0]], rows[3])
    assert found.totals().tolist() == expected.totals().tolist()
    for target in range(2):
        assert found.counts(target).tolist() == expected.counts(target).tolist()


def test_wrong_merged_rows_are_refused():
    rows = _core.RowCounter([1, 17])
    rows.add([np.array([0, 1], dtype=np.uint8), np.array([0, 1], dtype=np.uint8)])
    bits = np.array([0, 1], dtype=np.uint32)
    for columns, n_targets, message in [
        ([bits, bits], 2, "a column for targets must be left"),
        ([], 1, "targets: must be below n_targets"),
        ([bits[:1]], 2, "must be at most 16 here"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.TripleCounter(1, n_targets).add_merged(rows, columns)
    rows = _core.RowCounter([1, 0])
    for columns, message in [([bits[:1]], "one number for each code"), ([bits * 2], "must be below 2")]:
        with pytest.raises(ValueError, match=message):
            _core.TripleCounter(1, 1).add_merged(rows, columns)
    with pytest.raises(ValueError, match="must be at most 24 here"):
        _core.TripleCounter(25, 1).add_merged(rows, [bits])
    with pytest.raises(ValueError, match="one for each distinct row"):
        rows.totals(np.ones(2), 1)
    with pytest.raises(ValueError, match="there must be so many columns"):
        rows.totals(np.ones(0), 3)


def test_of_pairs_only_no_other_triples_are_counted():
    random = np.random.default_rng(0)
    X, targets = random.integers(0, 2, (9, 5000), dtype=np.uint8), random.integers(0, 2, 5000, dtype=np.uint8)
    pairs, triples = _core.TripleCounter(9, 2, only_pairs=True), _core.TripleCounter(9, 2)
    pairs.add(list(X), targets)
    triples.add(list(X), targets)
    for target, (i, j, k) in itertools.product(range(2), itertools.combinations_with_replacement(range(9), 3)):
        expected = triples.counts(target)[i, j, k] if i == j or j == k else 0
        assert pairs.counts(target)[i, j, k] == expected
    costs = np.array([[0, 1], [1, 0]])
    trees = [
        _core.tree_of_triples(
            np.array([counter.counts(target) for target in range(2)]), counter.totals(), costs, 3, 1, max_depth
        )
        for max_depth in range(3)
        for counter in (pairs, triples)
    ]
    for (of_pairs, cost), (of_triples, same_cost) in zip(trees[::2], trees[1::2], strict=True):
        assert cost == same_cost
        assert {name: of_pairs[name].tolist() for name in of_pairs} == {
            name: of_triples[name].tolist() for name in of_triples
        }


def test_counts_of_a_wrong_shape_give_no_tree():
    counts, costs = np.zeros((2, 3, 3, 3), dtype=np.int64), np.eye(2, dtype=np.int64)
    for wrong, losses, max_depth, message in [
        (counts[:1], costs, 3, "counts: shape"),
        (np.ascontiguousarray(counts[:, :2]), costs, 3, "counts: shape"),
        (counts, costs[:1], 3, "losses: shape"),
        (counts, costs, 4, "max_depth: must be at most 3"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.tree_of_triples(wrong, np.ones(2, dtype=np.int64), losses, 1, 1, max_depth)
    columns = _core.PackedColumns(np.zeros((1, 1), dtype=np.uint8), 2)
    problem = _core.Problem(np.array([0, 1], dtype=np.int32), np.ones(2, dtype=np.int64), costs, 1)
    with pytest.raises(ValueError, match="triples_above: must be at least 0"):
        _core.solve(columns, problem, _core.SearchOptions(triples_above=-1))
