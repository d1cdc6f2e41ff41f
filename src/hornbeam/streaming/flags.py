"""A pass over a lazy table of booleans whose rows hardly repeat: one bit for each cell, in memory or in a file."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam._flags import Flags
from hornbeam.fitting.training import TrainingData
from hornbeam.streaming.coding import FlagCoder, MissingFlagError, ValueCoder, classes_of_labels, codes_of_labels
from hornbeam.streaming.files import BitFile, BitPacker, ScratchFile
from hornbeam.streaming.passes import Source
from hornbeam.table import Kind, Table, TableSchema

# Of a row: its label, class and weight, and the two weights that a scale makes of it.
_BYTES_OF_ROW = 32
_COPIES_OF_BITS = 2  # those of all batches are joined at the end


class PackedFlags:
    """The rows of a lazy table of booleans, as a table in memory has them.

    Parameters
    ----------
    source : Source
        Its budget holds the memory of the rows.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._coders = [FlagCoder(name) for name in source.layout.columns]
        self._labels = ValueCoder()
        self._packer = BitPacker(len(self._coders))
        self._bits: list[npt.NDArray[np.uint8]] = []
        self._file: ScratchFile | None = None  # once they do not fit into memory
        self._sizes: list[int] = []  # how many bytes of each column a batch has
        self._codes: list[npt.NDArray[Any]] = []
        self._weights: list[npt.NDArray[Any]] = []
        self._held = 0

    def add(self, frame: nw.DataFrame[Any], weights: npt.NDArray[Any]) -> None:
        """Add the rows of a batch.

        Raises
        ------
        MissingFlagError
            If a value is missing.
        """
        layout = self._source.layout
        columns = [coder.codes_of(frame[name]) for name, coder in zip(layout.columns, self._coders, strict=True)]
        if any(coder.has_missing for coder in self._coders):
            raise MissingFlagError
        self._keep(self._packer.add(np.array(columns)), len(frame))
        self._codes.append(codes_of_labels(self._labels, frame[layout.target]))
        self._weights.append(weights)

    def release(self) -> None:
        """Stop counting the memory of the rows, which are not used."""
        self._source.budget.release(self._held)

    def _keep(self, bits: npt.NDArray[np.uint8], n_rows: int) -> None:
        """Keep the bits of a batch: in memory, or in a file from the first batch on that does not fit."""
        n_bytes = _COPIES_OF_BITS * bits.nbytes if self._file is None else 0
        if not self._source.budget.fits(n_bytes + _BYTES_OF_ROW * n_rows) and self._file is None:
            n_bytes = -_COPIES_OF_BITS * sum(part.nbytes for part in self._bits)
            self._file = ScratchFile(self._source.temporary_folder)
            for part in self._bits:
                self._file.append(part)
            self._bits = []
        self._source.hold(n_bytes + _BYTES_OF_ROW * n_rows, "the rows", "Use fewer rows.")
        self._held += n_bytes + _BYTES_OF_ROW * n_rows
        self._sizes.append(bits.shape[1])
        if self._file is None:
            self._bits.append(bits)
        else:
            self._file.append(bits)

    def _joined(self) -> npt.NDArray[np.uint8]:
        """Return the bits of all rows, of shape (n_columns, ceil(n_rows / 8)); from a file, if they are there."""
        last = self._packer.last()
        if self._file is None:
            return np.concatenate([*self._bits, last], axis=1)
        written = self._file.mapped(np.uint8)
        joined = BitFile(self._source.temporary_folder, len(last), sum(self._sizes) + last.shape[1])
        begin = 0
        for size in self._sizes:
            end = begin + size * len(last)
            joined.append(written[begin:end].reshape(len(last), size))
            begin = end
        joined.append(last)
        return joined.mapped()

    def training(self) -> TrainingData:
        """Return the rows for the searches."""
        layout = self._source.layout
        classes, class_of_code = classes_of_labels(self._labels)
        codes = class_of_code[np.concatenate(self._codes)]
        number: Kind = "number"
        schema = TableSchema(tuple(layout.columns), (number,) * len(layout.columns), named=True)
        return TrainingData(
            Table(schema, Flags(self._joined(), len(codes), are_boolean=True)),
            classes[codes],
            codes,
            np.concatenate(self._weights),
            classes,
            layout.target,
            len(codes),
            slice(None),
            self._source.budget,
        )
