"""The priors of the appendix of the MAPTree paper on the CP4IM data: how much alpha and beta matter, over 10 folds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.papers import maptree_folds
from benchmarks.papers.maptree_folds import draw_boxes, means_of, medians, table_of
from benchmarks.papers.measure import Records, write_report
from benchmarks.papers.rivals import PRIORS

SOURCES = tuple(maptree_folds.FILES)
_LARGE = 0.03
_BASE = "CART, depth 4"
_METHODS = [*PRIORS, _BASE]


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit MAPTree with every prior, and CART, to the folds of a data set, `limit` in user CPU."""
    yield from maptree_folds.records_of_methods(name, _METHODS, limit)


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-maptree-priors.md`` and its picture."""
    means = means_of(records)
    limits = {record["dataset"]: record["limit"] for record in records}
    names = [name for name in SOURCES if name in limits]
    draw_boxes(
        directory / "paper-maptree-priors.png",
        means,
        names,
        _METHODS,
        ("accuracy", "log_likelihood", "marginal", "nodes"),
    )
    heads, rows = table_of(means, names, _METHODS, "accuracy")
    ranges = {name: _range(means["accuracy"], name) for name in names}
    return write_report(
        directory,
        "maptree-priors",
        records,
        n_sets=len(SOURCES),
        missing=[name for name in SOURCES if name not in limits],
        limits=sorted(
            {(seconds, tuple(name for name in names if limits[name] == seconds)) for seconds in limits.values()}
        ),
        ranges=ranges,
        large=[f"{name} ({value:.3f})" for name, value in ranges.items() if value > _LARGE],
        summaries=[medians(means, names, method) for method in _METHODS],
        tables=[
            ("Test accuracy", [*heads, "range"], [[*row, f"{ranges[row[0]]:.4f}"] for row in rows]),
            ("Nodes", *table_of(means, names, _METHODS, "nodes")),
        ],
    )


def _range(accuracy: dict[tuple[str, str], float], name: str) -> float:
    """Return the largest less the smallest accuracy that a prior gives."""
    values = [accuracy[name, prior] for prior in PRIORS]
    return max(values) - min(values)
