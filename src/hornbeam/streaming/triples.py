"""The second pass over a lazy table whose rows hardly repeat: counts of triples of conditions in place of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from hornbeam import _core
from hornbeam.binarizers import Conditions
from hornbeam.fitting.training import TrainingData
from hornbeam.fitting.triples import Triples
from hornbeam.streaming.coding import ValueCoder, classes_of_labels, codes_of_labels
from hornbeam.streaming.passes import Source
from hornbeam.streaming.values import Coder
from hornbeam.table import Table

MOST_CONDITIONS = 128  # from which on the counts of all triples take more time and memory than rows do
_MOST_CLASSES = 16
_REMEDY = "Use fewer conditions."


class CountedTriples:
    """The rows of a lazy table, counted by triples of conditions.

    Parameters
    ----------
    conditions : Conditions
    coders : sequence of Coder
        Of the columns of the table.
    source : Source
        Its budget holds the memory of the counts.
    """

    def __init__(self, conditions: Conditions, coders: Sequence[Coder], source: Source) -> None:
        self._coders, self._source = coders, source
        self._labels = ValueCoder()
        self._columns = [condition.column for condition in conditions]
        self._counters: list[Any] = []

    def add(self, frame: nw.DataFrame[Any], weights: npt.NDArray[Any]) -> None:
        """Add the rows of a batch, which all weigh the same."""
        layout = self._source.layout
        labels = codes_of_labels(self._labels, frame[layout.target])
        if self._labels.n_codes > _MOST_CLASSES:
            raise MemoryError(f"X holds more than {_MOST_CLASSES} classes, and its rows hardly repeat. {_REMEDY}")
        if not self._counters or self._labels.n_codes > self._counters[-1].totals().size:
            n_bytes = 8 * self._labels.n_codes * len(self._columns) ** 3
            self._source.hold(n_bytes, "the counts of triples of conditions", _REMEDY)
            self._counters.append(_core.TripleCounter(len(self._columns), self._labels.n_codes))
        codes = [coder.codes_of(frame[name]) for name, coder in zip(layout.columns, self._coders, strict=True)]
        answers = [iter(coder.answers) for coder in self._coders]  # of each column in the order of the conditions
        self._counters[-1].add([next(answers[column])[codes[column]] for column in self._columns], labels)

    def training(self, distinct: Table, target: str) -> TrainingData:
        """Return a row for each class, which stands for all of its rows, with the counts of triples."""
        classes, class_of_code = classes_of_labels(self._labels)
        counts = np.zeros((len(classes), *[len(self._columns)] * 3), dtype=np.int64)
        totals = np.zeros(len(classes), dtype=np.int64)
        for counter in self._counters:
            for code, total in enumerate(counter.totals().tolist()):
                counts[class_of_code[code]] += counter.counts(code)
                totals[class_of_code[code]] += total
        ones = np.ones(len(classes), dtype=np.int64)
        any_values = [values[[0] * len(classes)] for values in distinct.values]
        return TrainingData(
            Table(distinct.schema, any_values, distinct.booleans, distinct.has_missing()),
            classes,
            np.arange(len(classes), dtype=np.int32),
            ones,
            classes,
            target,
            int(totals.sum()),
            slice(None),
            self._source.budget,
            counts=totals,
            triples=Triples.of_sorted(counts, totals),
        )
