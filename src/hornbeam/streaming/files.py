"""Temporary files for what does not fit into memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam._checks import shown


def check_folder(folder: Any) -> None:
    """Raise TypeError or ValueError unless `folder` is None or a folder."""
    if folder is None:
        return
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(f"temporary_folder must be a path or None, got {shown(folder)}.")
    if not os.path.isdir(folder):
        raise ValueError(f"temporary_folder={os.fspath(folder)!r} is not a folder. Create it, or set another one.")


class ScratchFile:
    """A file without a name: the system removes it when nothing uses it anymore, also where the process is killed.

    Parameters
    ----------
    folder : str, path or None
        Where its contents are stored; None: the folder for temporary files of the system.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._folder = os.fspath(tempfile.gettempdir() if folder is None else folder)
        with self._naming_folder():
            # Closed when neither this object nor an array that is mapped from it exists any longer.
            self._file = tempfile.TemporaryFile(prefix="hornbeam-", dir=self._folder)  # noqa: SIM115

    def append(self, values: npt.NDArray[Any]) -> None:
        """Write values at the end.

        Raises
        ------
        OSError
            If they cannot be written, as on a full disk.
        """
        self._write(values, 0, os.SEEK_END)

    def write_at(self, place: int, values: npt.NDArray[Any]) -> None:
        """Write values so many bytes after the beginning.

        Raises
        ------
        OSError
            If they cannot be written, as on a full disk.
        """
        self._write(values, place, os.SEEK_SET)

    def mapped(self, dtype: Any, shape: tuple[int, ...] | None = None) -> npt.NDArray[Any]:
        """Return what was written as an array that is read from the file when it is used."""
        with self._naming_folder():
            self._file.flush()
        if self._file.seek(0, os.SEEK_END) == 0:  # which cannot be mapped
            return np.empty(0 if shape is None else shape, dtype)
        return np.memmap(self._file, dtype, "r", shape=shape)

    def _write(self, values: npt.NDArray[Any], place: int, whence: int) -> None:
        with self._naming_folder():
            self._file.seek(place, whence)
            self._file.write(np.ascontiguousarray(values).data)

    @contextmanager
    def _naming_folder(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OSError(
                error.errno,
                f"{error.strerror}: rows that memory_limit has no room for cannot be written to this folder. Make room "
                "there, or set temporary_folder to a folder of another disk, or a larger memory_limit",
                self._folder,
            ) from error


class BitPacker:
    """Packs columns of zeros and ones that come in parts of any number of rows, eight rows to a byte."""

    def __init__(self, n_columns: int) -> None:
        self._rest = np.empty((n_columns, 0), dtype=np.uint8)  # the last rows, too few to fill a byte

    def add(self, flags: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Add flags of shape (n_columns, n_rows); return the bytes that are full, of shape (n_columns, n_bytes)."""
        flags = np.concatenate([self._rest, flags], axis=1)
        n_packed = flags.shape[1] - flags.shape[1] % 8
        self._rest = flags[:, n_packed:].copy()
        return np.packbits(flags[:, :n_packed], axis=1, bitorder="little")

    def last(self) -> npt.NDArray[np.uint8]:
        """Return the byte of the last rows, of shape (n_columns, 0 or 1)."""
        return np.packbits(self._rest, axis=1, bitorder="little")


class BitFile:
    """A matrix of bits of shape (n_columns, n_bytes) in a temporary file, written from its first byte to its last."""

    def __init__(self, folder: str | os.PathLike[str] | None, n_columns: int, n_bytes: int) -> None:
        self._file = ScratchFile(folder)
        self._shape, self._n_written = (n_columns, n_bytes), 0

    def append(self, bits: npt.NDArray[np.uint8]) -> None:
        """Write the next bytes of each column."""
        for column, part in enumerate(bits):
            self._file.write_at(column * self._shape[1] + self._n_written, part)
        self._n_written += bits.shape[1]

    def mapped(self) -> npt.NDArray[np.uint8]:
        """Return the matrix, which is read when it is used."""
        return self._file.mapped(np.uint8, self._shape)
