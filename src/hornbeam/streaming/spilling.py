"""Distinct rows that do not fit into memory: parts of them on disk, each merged by itself."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.streaming.files import BitFile, BitPacker, ScratchFile
from hornbeam.streaming.passes import Source

_N_PARTS = 64
_ROWS_AT_ONCE = 1 << 16
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 by the golden ratio, as in Knuth's multiplicative hashing
# A record, its copy in the order of the numbers, and its row in a counter.
_COPIES_OF_RECORD = 6


class SpilledRows:
    """Rows that counters have merged, in `_N_PARTS` files by their hash, so that equal rows are in one file.

    Each row has a number, ascending in the order in which the rows were added. The first rows of equal ones thus keep
    the order of the table.

    Parameters
    ----------
    widths : sequence of int
        Bits of the codes of each column.
    folder : str, path or None
        For the files; see `ScratchFile`.
    """

    def __init__(self, widths: Sequence[int], folder: str | os.PathLike[str] | None) -> None:
        self._widths, self._folder = list(widths), folder
        self._files = [ScratchFile(folder) for _ in range(_N_PARTS)]
        n_words = _core.RowCounter(self._widths).n_words
        self._record = np.dtype([("number", "u8"), ("count", "i8"), ("words", "u8", (n_words,))])
        self._n_rows = 0

    def add(self, counter: _core.RowCounter) -> None:
        """Write the rows of a counter with the same widths."""
        counts, n_rows = counter.counts(), counter.n_rows
        numbers = self._n_rows + np.arange(n_rows, dtype=np.uint64)
        self._n_rows += n_rows
        for first in range(0, n_rows, _ROWS_AT_ONCE):
            last = min(first + _ROWS_AT_ONCE, n_rows)
            self._write(numbers[first:last], counts[first:last], counter.words(first, last))

    def widened(self, widths: Sequence[int]) -> SpilledRows:
        """Return the same rows with more bits for the codes of some columns."""
        wider = SpilledRows(widths, self._folder)
        for file in self._files:
            part = self._merge(file.mapped(self._record))
            counter = _core.RowCounter(list(widths))
            counter.add([part.counter.codes(column) for column in range(len(widths))], part.counter.counts())
            wider._write(part.numbers, counter.counts(), counter.words(0, counter.n_rows))
        wider._n_rows = self._n_rows
        return wider

    def merged(self, source: Source) -> StoredRows:
        """Merge equal rows; return the distinct ones in the order of their first appearance.

        Raises
        ------
        MemoryError
            If the memory limit of the source has no room for one of the files.
        TimeoutError
            If its time limit is over.
        """
        parts, n_distinct = [], 0
        for number, file in enumerate(self._files):
            records = file.mapped(self._record)
            n_bytes = _COPIES_OF_RECORD * records.nbytes
            source.hold(n_bytes, "a part of the distinct rows", "Use fewer conditions, so that more rows are equal.")
            parts.append(self._in_new_file(self._merge(records)))
            source.budget.release(n_bytes)
            n_distinct += len(parts[-1])
            self._files[number] = ScratchFile(self._folder)  # the rows before they were merged are gone
            source.reached("rows merged on disk", n_distinct)
        return self._stored(parts, n_distinct)

    def _write(self, numbers: npt.NDArray[Any], counts: npt.NDArray[Any], words: npt.NDArray[np.uint64]) -> None:
        records = np.empty(len(numbers), dtype=self._record)
        records["number"], records["count"], records["words"] = numbers, counts, words
        part_of_row = _parts_of(words)
        order = np.argsort(part_of_row, kind="stable")
        ends = np.searchsorted(part_of_row[order], np.arange(_N_PARTS + 1))
        for file, first, last in zip(self._files, ends, ends[1:], strict=False):
            file.append(records[order[first:last]])

    def _merge(self, records: npt.NDArray[Any]) -> _Part:
        records = records[np.argsort(records["number"], kind="stable")]
        counter = _core.RowCounter(self._widths)
        rows = counter.add_packed(np.ascontiguousarray(records["words"]), np.ascontiguousarray(records["count"]))
        numbers = np.empty(counter.n_rows, dtype=np.uint64)
        numbers[rows[::-1]] = records["number"][::-1]  # the first of equal rows is written last
        return _Part(counter, numbers)

    def _in_new_file(self, part: _Part) -> npt.NDArray[Any]:
        file = ScratchFile(self._folder)
        records = np.empty(part.counter.n_rows, dtype=self._record)
        records["number"], records["count"] = part.numbers, part.counter.counts()
        records["words"] = part.counter.words(0, part.counter.n_rows)
        file.append(records)
        return file.mapped(self._record)

    def _stored(self, parts: Sequence[npt.NDArray[Any]], n_distinct: int) -> StoredRows:
        n_bits = sum(self._widths)
        bits = BitFile(self._folder, n_bits, (n_distinct + 7) // 8)
        packer = BitPacker(n_bits)
        counts = []
        for records in self._in_order(parts):
            counter = _core.RowCounter(self._widths)
            counter.add_packed(np.ascontiguousarray(records["words"]), np.ascontiguousarray(records["count"]))
            planes = [
                counter.codes(column) >> bit & 1 for column, width in enumerate(self._widths) for bit in range(width)
            ]
            bits.append(packer.add(np.array(planes, dtype=np.uint8).reshape(n_bits, len(records))))
            counts.append(counter.counts())
        bits.append(packer.last())
        return StoredRows(self._widths, bits.mapped(), np.concatenate(counts))

    def _in_order(self, parts: Sequence[npt.NDArray[Any]]) -> Iterator[npt.NDArray[Any]]:
        """Return the distinct rows in the order of their numbers, a block at a time."""
        done = [0] * len(parts)
        for end in range(_ROWS_AT_ONCE, self._n_rows + _ROWS_AT_ONCE, _ROWS_AT_ONCE):
            block = []
            for index, (part, first) in enumerate(zip(parts, done, strict=True)):
                most = min(len(part), first + _ROWS_AT_ONCE)
                done[index] = bisect_left(part, end, first, most, key=lambda record: record["number"])
                block.append(part[first : done[index]])
            records = np.concatenate(block)
            if len(records) > 0:
                yield records[np.argsort(records["number"])]


class StoredRows:
    """Distinct rows in a file, with the methods of a `RowCounter` that do not change it.

    Parameters
    ----------
    widths : sequence of int
        Bits of the codes of each column.
    bits : ndarray of uint8 of shape (sum of widths, ceil(n_rows / 8))
        The bits of each column in turn, the lowest first.
    counts : ndarray of int64 of shape (n_rows,)
    """

    n_bytes = 0

    def __init__(self, widths: Sequence[int], bits: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64]) -> None:
        self._ends, self._bits, self._counts = np.cumsum([0, *widths]).tolist(), bits, counts

    @property
    def n_rows(self) -> int:
        """Number of distinct rows."""
        return len(self._counts)

    def codes(self, column: int) -> npt.NDArray[np.uint32]:
        """Return the codes of a column in the distinct rows."""
        codes = np.zeros(self.n_rows, dtype=np.uint32)
        for bit, plane in enumerate(self._bits[self._ends[column] : self._ends[column + 1]]):
            codes |= np.unpackbits(plane, count=self.n_rows, bitorder="little").astype(np.uint32) << np.uint32(bit)
        return codes

    def counts(self) -> npt.NDArray[np.int64]:
        """Return how many rows each distinct row stands for."""
        return self._counts

    def totals(self, weights: npt.NDArray[np.float64] | None, n_columns: int) -> list[npt.NDArray[np.float64]]:
        """Return the total of weights by the code of each of the first columns; None: of the counts."""
        of_rows = self._counts if weights is None else weights
        totals = (np.bincount(self.codes(column), of_rows, self._n_codes(column)) for column in range(n_columns))
        return [np.asarray(total, dtype=np.float64) for total in totals]

    def _n_codes(self, column: int) -> int:
        return 1 << int(self._ends[column + 1] - self._ends[column])


class _Part(NamedTuple):
    """The distinct rows of one file, and the number of the first of the rows that each stands for."""

    counter: _core.RowCounter
    numbers: npt.NDArray[np.uint64]


def _parts_of(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Return the file that each row belongs to, from words of shape (n_rows, n_words)."""
    hashes = np.zeros(len(words), dtype=np.uint64)
    for word in words.T:
        hashes = (hashes ^ word) * _FACTOR
        hashes ^= hashes >> np.uint64(32)  # or the high bits of a word would not reach those of the next product
    return (hashes * _FACTOR >> np.uint64(64 - _N_PARTS.bit_length() + 1)).astype(np.uint8)
