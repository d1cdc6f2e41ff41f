"""Rows of a table read in batches are merged and counted, in the order of their first appearance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
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


def _streamed(rows: np.ndarray, first: int, n_chunks: int, random: np.random.Generator) -> pa.Table:
    """Return flags as a table of several batches, each of which begins at some bit."""
    n_rows = rows.shape[1]
    around = np.concatenate([random.integers(0, 2, (len(rows), first), dtype=np.uint8), rows], axis=1)
    table = pa.table({str(number): pa.array(row.astype(bool)) for number, row in enumerate(around)}).slice(first)
    ends = np.sort([0, n_rows, *random.integers(0, n_rows + 1, n_chunks - 1)]).tolist()
    return pa.concat_tables([table.slice(begin, end - begin) for begin, end in pairwise(ends)])


@given(
    st.integers(1, 5000), st.integers(0, 30), st.integers(1, 3), st.integers(1, 70), st.sampled_from([0, 1, 2]),
    st.integers(0, 2**32 - 1),
)  # fmt: skip
def test_bits_of_a_stream_are_counted_like_bytes(
    n_rows: int, first: int, n_chunks: int, n_columns: int, width: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 2, (n_columns, 7), dtype=np.uint8)[:, random.integers(0, 7, n_rows)]
    label = random.integers(0, 1 << width, n_rows).astype(np.uint8)
    expected, found = (_core.RowCounter([1] * n_columns + [width, 1]) for _ in range(2))
    names = list(map(str, range(n_columns)))
    for _ in range(2):
        expected.add([*rows, label, np.zeros(n_rows, dtype=np.uint8)], np.ones(n_rows, dtype=np.int64))  # one by one
        table = _streamed(rows, first, n_chunks, random)
        middle = int(random.integers(0, n_rows + 1))
        streams = [part.__arrow_c_stream__() for part in (table.slice(0, middle), table.slice(middle))]
        given_label = label if width or random.random() < 0.5 else None
        assert found.add_flags(streams, [*names, given_label, None])
    counts = expected.counts()
    assert found.counts().tolist() == counts.tolist()
    expected_totals = expected.totals(counts.astype(np.float64), n_columns + 2)
    for totals, expected_total in zip(found.totals(None, n_columns + 2), expected_totals, strict=True):
        assert totals.tolist() == expected_total.tolist()
    for column in range(n_columns + 2):
        assert found.codes(column).tolist() == expected.codes(column).tolist()


def test_bits_are_found_by_name_in_columns_of_any_type() -> None:
    table = pa.table({"n": [1, 2, 3], "b": [True, False, True], "a": [False, False, True], "t": ["x", "y", "z"]})
    counter = _core.RowCounter([1, 1])
    assert counter.add_flags([table.__arrow_c_stream__()], ["a", "b"])
    assert [counter.codes(column).tolist() for column in range(2)] == [[0, 0, 1], [1, 0, 1]]


def test_nothing_is_added_if_a_column_is_not_of_bits() -> None:
    counter = _core.RowCounter([1, 1])
    whole, missing = ({"a": [True], "b": [value]} for value in (True, None))
    types = pa.schema([("a", pa.bool_()), ("b", pa.bool_())])
    tables = [
        pa.concat_tables([pa.table(whole, types), pa.table(missing, types)]),
        pa.table({"a": [True], "b": [1]}),
        pa.table({"a": [True]}),
    ]
    for table in tables:
        assert not counter.add_flags([table.__arrow_c_stream__()], ["a", "b"])
    assert counter.n_rows == 0


def test_wrong_streams_are_refused() -> None:
    table, label = pa.table({"a": [True, False]}), np.zeros(2, dtype=np.uint8)
    for codes, message in [
        (["a"], "one array for each column"),
        (["a", label[:1]], "one for each row"),
        (["a", label + 2], "must be below 2"),
    ]:
        with pytest.raises(ValueError, match=message):
            _core.RowCounter([1, 1]).add_flags([table.__arrow_c_stream__()], codes)
    with pytest.raises(ValueError, match="stream"):
        _core.RowCounter([1, 1]).add_flags([table.schema.__arrow_c_schema__()], ["a", label])
    with pytest.raises(ValueError, match="must not be None"):
        _core.RowCounter([1]).add([None])


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
