"""Tables of zeros and ones, stored as one bit per cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hornbeam import _core

BYTES_IN_CACHE = 1 << 18


class Flags(Sequence[npt.NDArray[np.bool_]]):
    """Columns of booleans of equal length, unpacked on every access.

    Parameters
    ----------
    bits : ndarray of uint8 of shape (n_columns, ceil(n_rows / 8))
        Bit ``r % 8`` (the lowest is 0) of byte ``r // 8`` is row ``r``; bits after the last row are 0.
    n_rows : int
    are_boolean : bool, default=False
        Whether the user's values were booleans instead of the numbers 0 and 1.
    """

    def __init__(self, bits: npt.NDArray[np.uint8], n_rows: int, are_boolean: bool = False) -> None:
        self.bits = bits
        self.n_rows = n_rows
        self.are_boolean = are_boolean

    @property
    def is_mapped(self) -> bool:
        """Whether the bits are in a file instead of in memory."""
        return isinstance(self.bits, np.memmap)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.bits)

    @overload
    def __getitem__(self, index: int) -> npt.NDArray[np.bool_]: ...
    @overload
    def __getitem__(self, index: slice) -> list[npt.NDArray[np.bool_]]: ...
    def __getitem__(self, index: int | slice) -> npt.NDArray[np.bool_] | list[npt.NDArray[np.bool_]]:
        """Return one column of shape (n_rows,), or the list of those of a slice."""
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        return np.unpackbits(self.bits[index], count=self.n_rows, bitorder="little").view(np.bool_)

    def take(self, rows: npt.NDArray[Any]) -> Flags:
        """Return the columns of some rows, given as indices or as a boolean mask of shape (n_rows,)."""
        packed = [np.packbits(column[rows], bitorder="little") for column in self]
        return Flags(np.array(packed), int(rows.sum()) if rows.dtype == bool else len(rows), self.are_boolean)

    def changing(self) -> list[int]:
        """Return the numbers of the columns that are not constant."""
        return _core.changing_columns(_core.PackedColumns(self.bits, self.n_rows))


def pack_flags(matrix: npt.NDArray[Any]) -> Flags | None:
    """Pack the columns of a matrix of numbers of shape (n_rows, n_columns); None if any number is neither 0 nor 1.

    The matrix is packed in blocks that fit a cache: column by column, all of it would be read from memory once for each
    column.
    """
    n_rows, n_columns = matrix.shape
    bits = np.empty((n_columns, (n_rows + 7) // 8), dtype=np.uint8)
    step = max(1, BYTES_IN_CACHE // (8 * matrix.itemsize * n_columns))
    for first in range(0, bits.shape[1], step):
        block = _as_bytes(matrix[8 * first : 8 * (first + step)])
        if block is None or not _core.pack_table(block, bits[:, first : first + step]):
            return None
    return Flags(bits, n_rows, matrix.dtype == bool)


def _as_bytes(matrix: npt.NDArray[Any]) -> npt.NDArray[np.uint8] | None:
    """Return a matrix as bytes, row by row; None if its type is wider and it holds anything but 0 and 1."""
    if matrix.dtype.kind in "biu" and matrix.dtype.itemsize == 1:
        return np.ascontiguousarray(matrix).view(np.uint8)
    ones, zeros = np.equal(matrix, True), np.equal(matrix, False)  # compared in the type of the matrix
    return np.ascontiguousarray(ones).view(np.uint8) if (ones | zeros).all() else None
