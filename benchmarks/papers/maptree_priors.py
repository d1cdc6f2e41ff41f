"""The priors of the appendix of the MAPTree paper on the CP4IM data: how much alpha and beta matter, over 10 folds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.papers import maptree_folds
from benchmarks.papers.measure import Records
from benchmarks.papers.rivals import PRIORS

SOURCES = tuple(maptree_folds.FILES)
_BASE = "CART, depth 4"


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit MAPTree with every prior, and CART, to the folds of a data set, `limit` in user CPU."""
    yield from maptree_folds.records_of_methods(name, [*PRIORS, _BASE], limit)


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-maptree-priors.md`` and its picture."""
    raise NotImplementedError
