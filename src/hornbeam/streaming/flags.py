"""A pass over a lazy table of booleans whose rows hardly repeat: one bit for each cell, and no row is merged."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam._flags import Flags
from hornbeam.fitting.training import TrainingData
from hornbeam.streaming.coding import FlagCoder, ValueCoder, classes_of_labels, codes_of_labels
from hornbeam.streaming.passes import Source
from hornbeam.table import Kind, Table, TableSchema

# Of a row: its label, class and weight, and the two weights that a scale makes of it.
_BYTES_OF_ROW = 32


class MissingFlagError(Exception):
    """A column of booleans has missing values, for which one bit is not enough."""


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
        self._bits: list[npt.NDArray[np.uint8]] = []
        self._rest = np.empty((len(self._coders), 0), dtype=np.uint8)  # the last rows, too few to fill a byte
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
        if any(coder.n_codes > 2 for coder in self._coders):
            raise MissingFlagError
        flags = np.concatenate([self._rest, np.array(columns)], axis=1)
        n_packed = flags.shape[1] - flags.shape[1] % 8
        bits = np.packbits(flags[:, :n_packed], axis=1, bitorder="little")
        # Twice: the bits of all batches are joined at the end.
        n_bytes = 2 * bits.nbytes + _BYTES_OF_ROW * len(frame)
        self._source.hold(n_bytes, "the rows", "Use fewer columns or fewer rows.")
        self._held += n_bytes
        self._bits.append(bits)
        self._rest = flags[:, n_packed:]
        self._codes.append(codes_of_labels(self._labels, frame[layout.target]))
        self._weights.append(weights)

    def release(self) -> None:
        """Stop counting the memory of the rows, which are not used."""
        self._source.budget.release(self._held)

    def training(self) -> TrainingData:
        """Return the rows for the searches."""
        layout = self._source.layout
        classes, class_of_code = classes_of_labels(self._labels)
        codes = class_of_code[np.concatenate(self._codes)]
        bits = np.concatenate([*self._bits, np.packbits(self._rest, axis=1, bitorder="little")], axis=1)
        number: Kind = "number"
        schema = TableSchema(tuple(layout.columns), (number,) * len(layout.columns), named=True)
        return TrainingData(
            Table(schema, Flags(bits, len(codes), are_boolean=True)),
            classes[codes],
            codes,
            np.concatenate(self._weights),
            classes,
            layout.target,
            len(codes),
            slice(None),
            self._source.budget,
        )
