"""Rows of a table read in batches are merged and counted, in the order of their first appearance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam import _core


def _as_codes(column: np.ndarray, width: int) -> np.ndarray:
    return column.astype(np.uint8 if width <= 8 else np.uint32)


_WIDTHS = st.lists(st.sampled_from([0, 1, 1, 1, 2, 7, 8, 9, 20, 32]), min_size=1, max_size=90)


@given(_WIDTHS, st.lists(st.integers(0, 200), max_size=3), st.booleans(), st.integers(0, 2**32 - 1))
def test_rows_are_counted_in_the_order_of_first_appearance(widths, sizes, has_counts, seed):
    random = np.random.default_rng(seed)
    most = 2 ** np.array(widths)
    # Of the first few rows, so that many are equal; with the largest codes that fit.
    known = np.concatenate([random.integers(0, most, (6, len(widths))), [most - 1]])
    counter = _core.RowCounter(widths)
    expected: dict[tuple[int, ...], int] = {}
    for size in sizes:
        rows, counts = known[random.integers(0, len(known), size)], random.integers(1, 9, size)
        codes = [_as_codes(column, width) for column, width in zip(rows.T, widths, strict=True)]
        counter.add(codes, counts if has_counts else None)
        for row, count in zip(map(tuple, rows.tolist()), counts.tolist(), strict=True):
            expected[row] = expected.get(row, 0) + (count if has_counts else 1)
    assert counter.n_rows == len(expected)
    assert counter.counts().tolist() == list(expected.values())
    found = [counter.codes(column).tolist() for column in range(len(widths))]
    assert list(zip(*found, strict=True)) == list(expected)


@given(_WIDTHS, st.integers(0, 200), st.integers(0, 2**32 - 1))
def test_packed_rows_are_merged_like_their_codes(widths: list[int], n_rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    known = random.integers(0, 2 ** np.array(widths), (9, len(widths)))
    parts = [_core.RowCounter(widths) for _ in range(2)]
    merged, expected = _core.RowCounter(widths), _core.RowCounter(widths)
    for part in parts:
        rows = known[random.integers(0, len(known), n_rows)]
        codes = [_as_codes(column, width) for column, width in zip(rows.T, widths, strict=True)]
        part.add(codes)
        expected.add(codes)
        middle = part.n_rows // 2
        words = np.concatenate([part.words(0, middle), part.words(middle, part.n_rows)])
        assert words.shape == (part.n_rows, part.n_words)
        numbers = merged.add_packed(words, part.counts())
        for column in range(len(widths)):
            assert merged.codes(column)[numbers].tolist() == part.codes(column).tolist()
            assert merged.codes(column).tolist() == expected.codes(column)[: merged.n_rows].tolist()
    assert merged.counts().tolist() == expected.counts().tolist()


def test_wrong_words_are_refused() -> None:
    counter, ones = _core.RowCounter([1, 2]), np.ones(1, dtype=np.int64)
    for words, counts, message in [
        (np.zeros((1, 2), dtype=np.uint64), ones, "words: must be those of a counter"),
        (np.full((1, 1), 8, dtype=np.uint64), ones, "words: must be those of a counter"),
        (np.zeros((2, 1), dtype=np.uint64), ones, "counts: one for each row"),
    ]:
        with pytest.raises(ValueError, match=message):
            counter.add_packed(words, counts)
    assert counter.n_rows == 0
    with pytest.raises(ValueError, match="first, last: must be ascending"):
        counter.words(0, 1)


@given(st.integers(1, 200), st.integers(0, 30), st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_bits_are_counted_like_bytes(n_rows: int, first: int, n_columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 2, (n_columns, 7), dtype=np.uint8)[:, random.integers(0, 7, n_rows)]
    label, counts = random.integers(0, 3, n_rows).astype(np.uint8), random.integers(1, 5, n_rows)
    expected, found = (_core.RowCounter([1] * n_columns + [2]) for _ in range(2))
    expected.add([*rows, label], counts)
    around = random.integers(0, 2, (n_columns, first + n_rows + 3), dtype=np.uint8)
    around[:, first : first + n_rows] = rows
    bits = np.packbits(around, axis=1, bitorder="little")
    codes = [(line, first) if column % 3 else rows[column] for column, line in enumerate(bits)]
    found.add([*codes, label], counts)
    assert found.counts().tolist() == expected.counts().tolist()
    for column in range(n_columns + 1):
        assert found.codes(column).tolist() == expected.codes(column).tolist()


@given(st.integers(1, 700), st.integers(0, 9), st.integers(1, 22), st.integers(0, 2**32 - 1))
def test_few_flags_are_counted_alike_with_and_without_counts(n_rows: int, first: int, n_flags: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 2, (n_flags, first + n_rows), dtype=np.uint8)
    bits = np.packbits(rows, axis=1, bitorder="little")
    flags = [(bits[column], first) if random.random() < 0.7 else row[first:] for column, row in enumerate(rows)]
    zeros = np.zeros(n_rows, dtype=np.uint8)
    place = int(random.integers(0, n_flags + 1))  # of a column that takes no bits
    codes = [*flags[:place], zeros, *flags[place:]]
    found, expected = (_core.RowCounter([1] * place + [0] + [1] * (n_flags - place)) for _ in range(2))
    for _ in range(2):
        found.add(codes)
        expected.add(codes, np.ones(n_rows, dtype=np.int64))  # counted one by one
    assert found.counts().tolist() == expected.counts().tolist()
    for column in range(n_flags + 1):
        assert found.codes(column).tolist() == expected.codes(column).tolist()


def test_wrong_bits_are_refused() -> None:
    bits, label = np.zeros(2, dtype=np.uint8), np.zeros(10, dtype=np.uint8)
    for codes, message in [
        ([(bits, 7), label], "one bit for each row"),
        ([(bits, 17), label[:0]], "one bit for each row"),
        ([(bits, 0), (bits, 0)], "at least one column must not be of bits"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.RowCounter([1, 1]).add(codes)
    with pytest.raises(ValueError, match="below 2"):
        _core.RowCounter([0, 1]).add([(bits, 0), label])


def test_many_rows_need_more_memory() -> None:
    counter = _core.RowCounter([20])
    before = counter.n_bytes
    counter.add([np.arange(100_000, dtype=np.uint32)])
    assert counter.n_bytes - before > 8 * 100_000


def _add(codes: list[np.ndarray], counts: np.ndarray | None = None) -> None:
    _core.RowCounter([1, 2]).add(codes, counts)


def test_wrong_codes_are_refused() -> None:
    bits = np.array([0, 1], dtype=np.uint8)
    for codes, message in [
        ([bits], "one array for each column"),
        ([bits, bits[:1]], "one for each row"),
        ([bits * 2, bits], "must be below 2"),
        ([bits, bits * 4], "must be below 2"),
        ([bits, (bits * 4).astype(np.uint32)], "must be below 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            _add(codes)
    with pytest.raises(ValueError, match="counts: one for each row"):
        _add([bits, bits], np.array([1]))
    with pytest.raises(ValueError, match="counts: must be greater than 0"):
        _add([bits, bits], np.array([1, 0]))
    with pytest.raises(ValueError, match="widths"):
        _core.RowCounter([33])
    with pytest.raises(ValueError, match="column: must be below"):
        _core.RowCounter([1]).codes(1)
