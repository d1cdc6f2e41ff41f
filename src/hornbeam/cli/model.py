"""The model file: a tree, the search options and the proof, as JSON. Reading one executes no code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from hornbeam.cli.errors import CommandError, refusals_as_command_errors
from hornbeam.cli.text_columns import CsvFormat
from hornbeam.tree import Tree

FORMAT = "hornbeam-model"
VERSION = 1


@dataclass(frozen=True, slots=True)
class ProofSummary:
    """What is proven about a tree, the trees it was compared with, and the effort of the proof.

    Costs are fractions of the total weight (with a cost matrix, of the largest possible cost). `regularization` is the
    rounded value that the search used.
    """

    status: str
    objective: float
    lower_bound: float
    gap: float
    loss: float
    regularization: float
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

    @property
    def is_proven(self) -> bool:
        """Whether no tree in the search space has a lower objective."""
        return self.status == "optimal"


@dataclass(frozen=True, slots=True)
class Model:
    """A tree, its certificate, and the format of the file that it was fitted on."""

    tree: Tree
    certificate: ProofSummary
    written: CsvFormat = field(default_factory=CsvFormat)

    def save(self, path: Path) -> None:
        """Write the model as JSON."""
        written = asdict(self.written)
        del written["encoding"], written["decimal"]  # each file may have its own
        parts = {"format": FORMAT, "version": VERSION, "certificate": asdict(self.certificate), "csv": written}
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
        if record.get("version") != VERSION:
            raise CommandError(
                f"{path}: is a model of version {record.get('version')!r}; this hornbeam reads version {VERSION}"
            )
        try:
            # The tree goes back through its text form, whose reader checks every key, type and range.
            tree, certificate = Tree.from_json(json.dumps(record["tree"])), _read_certificate(record["certificate"])
            return cls(tree, certificate, _read_format(record.get("csv", {})))
        except (KeyError, TypeError, ValueError) as error:
            raise CommandError(f"{path}: is a damaged model file: {error}") from error


def _read_certificate(record: dict[str, Any]) -> ProofSummary:
    return ProofSummary(**{field.name: record[field.name] for field in fields(ProofSummary)})


def _read_format(record: dict[str, Any]) -> CsvFormat:
    """Read the format of the file that a model was fitted on; models of version 0.1.0 have none."""
    return CsvFormat(
        missing=tuple(map(str, record.get("missing", ()))),
        dates=dict(record.get("dates", {})),
        units=dict(record.get("units", {})),
        ignore_case=tuple(map(str, record.get("ignore_case", ()))),
        trim=bool(record.get("trim", False)),
    )
