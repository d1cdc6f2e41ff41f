"""The model file: a tree, the search options and the proof, as JSON. Reading one executes no code."""

from __future__ import annotations

import json
from dataclasses import MISSING, asdict, dataclass, field, fields
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.tree import BaseTree, Tree

FORMAT = "hornbeam-model"
VERSION = 2
_READABLE = (1, 2)  # 1, of version 0.1.0, has models of GOSDTClassifier alone, without prior counts


@dataclass(frozen=True, slots=True)
class ProofSummary:
    """What is proven about a tree, the trees it was compared with, and the effort of the proof.

    Costs are fractions of the total weight; with a cost matrix, of the largest possible cost; for numbers and times, of
    what a single leaf loses. `regularization` is the rounded value that the search used. For a most probable tree the
    objective is minus its log posterior, and there is neither loss nor regularization.
    """

    status: str
    objective: float
    lower_bound: float
    gap: float
    loss: float | None
    regularization: float | None
    measure: str
    n_rows: int
    n_columns: int
    n_conditions: int
    thresholds: str
    max_depth: int | None
    max_leaves: int | None
    min_samples_leaf: int
    subproblems: int
    table_entries: int
    memory_bytes: int
    seconds: float
    method: str = "gosdt"
    decimals: int | None = None

    @property
    def is_proven(self) -> bool:
        """Whether no tree in the search space has a lower objective."""
        return self.status == "optimal"


@dataclass(frozen=True, slots=True)
class Model:
    """A tree, its certificate, and the format of the file that it was fitted on.

    `prior_counts` has the weight of each class that probabilities add to that of a leaf; None: they are the shares.
    """

    tree: BaseTree
    certificate: ProofSummary
    prior_counts: list[float] | None = None
    written: CsvFormat = field(default_factory=CsvFormat)

    @property
    def class_tree(self) -> Tree:
        """The tree, if it is one of classes, as that of every method but `regression`, `policy` and `survival`."""
        assert isinstance(self.tree, Tree)
        return self.tree

    def predict_proba(self, table: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class for each row, shape (n_rows, n_classes)."""
        tree = self.class_tree
        if self.prior_counts is None:
            return tree.predict_proba(table)
        counts = tree.class_weights + self.prior_counts
        return np.asarray((counts / counts.sum(axis=1, keepdims=True))[tree.apply(table)])

    def save(self, path: Path) -> None:
        """Write the model as JSON."""
        written = asdict(self.written)
        del written["encoding"], written["decimal"]  # each file may have its own
        parts = {
            "format": FORMAT,
            "version": VERSION,
            "certificate": asdict(self.certificate),
            "prior_counts": self.prior_counts,
            "csv": written,
        }
        head = json.dumps(parts, ensure_ascii=False)
        with refusals_as_command_errors():
            path.write_text(f'{head[:-1]},\n"tree": {self.tree.to_json()}}}\n', encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read what `save` wrote.

        Raises
        ------
        CommandError
            If the file is missing, is not a model, or was written by a later version.
        """
        with refusals_as_command_errors():
            raw = path.read_bytes()
        try:
            record = json.loads(raw)
        except ValueError:
            record = None
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            raise CommandError(f"{path}: is not a model file of hornbeam; `hornbeam fit ... --model FILE` writes one")
        if record.get("version") not in _READABLE:
            raise CommandError(
                f"{path}: is a model of version {record.get('version')!r}; this hornbeam reads versions 1 and {VERSION}"
            )
        try:
            # The tree goes back through its text form, whose reader checks every key, type and range.
            tree, certificate = BaseTree.from_json(json.dumps(record["tree"])), _read_certificate(record["certificate"])
            prior_counts = _read_counts(record.get("prior_counts"), len(tree.outputs))
            return cls(tree, certificate, prior_counts, _read_format(record.get("csv", {})))
        except (KeyError, TypeError, ValueError) as error:
            raise CommandError(f"{path}: is a damaged model file: {error}") from error


def read_tree(path: Path) -> BaseTree:
    """Read the tree of a model, or one that `hornbeam export` or `Tree.to_json` wrote.

    Raises
    ------
    CommandError
        If the file is missing, or is neither.
    """
    with refusals_as_command_errors():
        raw = path.read_bytes()
    try:
        return BaseTree.from_json(raw)
    except ValueError:
        return Model.load(path).tree


def _read_certificate(record: dict[str, Any]) -> ProofSummary:
    names = [field.name for field in fields(ProofSummary) if field.name in record or field.default is MISSING]
    return ProofSummary(**{name: record[name] for name in names})


def _read_counts(counts: Any, n_classes: int) -> list[float] | None:
    if counts is None:
        return None
    if not isinstance(counts, list) or len(counts) != n_classes:
        raise ValueError(f"prior_counts is {counts!r:.80}; expected a list with a number for each class.")
    read = [float(count) for count in counts]
    if not all(0 <= count < inf for count in read):
        raise ValueError(f"prior_counts is {counts!r:.80}; expected finite numbers of at least 0.")
    return read


def _read_format(record: dict[str, Any]) -> CsvFormat:
    """Read the format of the file that a model was fitted on; models of version 0.1.0 have none."""
    return CsvFormat(
        missing=tuple(map(str, record.get("missing", ()))),
        dates=dict(record.get("dates", {})),
        units=dict(record.get("units", {})),
        ignore_case=tuple(map(str, record.get("ignore_case", ()))),
        trim=bool(record.get("trim", False)),
    )
