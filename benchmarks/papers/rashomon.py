"""Tables 1 and 2 of the SPLIT paper: importances from whole Rashomon sets and from those of RESPLIT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import Self

from benchmarks import data
from benchmarks.papers.measure import Records, read_rows, write_report
from benchmarks.worker import stopwatch
from hornbeam import RashomonImportance, RashomonSetClassifier, rashomon_importance

# Where the rows come from, how many boosted stumps guess their thresholds, and what the paper's tables show: of table 1
# the seconds of the whole sets and of RESPLIT, and the correlation of the importances; of table 2 how many `trees` are
# `within` the set, and what share is `near` it.
SOURCES = {row["name"]: row for row in read_rows("rashomon_published")}
REGULARIZATION, EPSILON, SLACK = 0.02, 0.01, 0.01
MAX_DEPTH, LOOKAHEAD_DEPTH = 4, 2
BOOTSTRAPS, SAMPLES = 10, 1000


class _Timed(RashomonSetClassifier):
    """Remembers the user CPU seconds of all fits, of clones too."""

    seconds: list[float] = []  # noqa: RUF012 (shared on purpose)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        user_seconds = stopwatch()
        super().fit(X, y, sample_weight)
        self.seconds.append(user_seconds())
        return self


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Measure both tables on a data set."""
    stumps = SOURCES[name]["stumps"]
    X, labels = data.read(SOURCES[name]["dataset"])
    y = data.codes(labels)
    X = np.asarray(X) if stumps is None else data.guess(stumps).fit(X, y).transform(X).astype(np.uint8)
    shared: dict[str, Any] = {
        "max_depth": MAX_DEPTH,
        "lookahead_depth": LOOKAHEAD_DEPTH,
        "binarizer": None,
        "time_limit": limit,
    }
    methods = {
        method: _Timed(EPSILON, "absolute", regularization=REGULARIZATION, method=method, **shared)
        for method in ("exact", "resplit")
    }
    record: dict[str, Any] = {"rows": len(X), "columns": X.shape[1]}
    importances: dict[str, RashomonImportance] = {}
    for method, estimator in methods.items():
        _Timed.seconds.clear()
        user_seconds = stopwatch()
        found = rashomon_importance(
            estimator, X, y, n_bootstraps=BOOTSTRAPS, n_samples=SAMPLES, random_state=0, n_jobs=1
        )
        record[f"{method}_seconds"] = sum(_Timed.seconds)
        record[f"{method}_reliance_seconds"] = user_seconds() - sum(_Timed.seconds)
        record[f"{method}_trees"] = list(found.n_trees)
        importances[method] = found
    whole, part = (estimator.fit(X, y) for estimator in methods.values())
    objectives, counts = part.rashomon_set_.objectives()

    def n_within(most: float) -> int:
        return sum(count for objective, count in zip(objectives, counts, strict=True) if objective <= most + 1e-12)

    yield {
        **record,
        "correlation": float(np.corrcoef(importances["exact"].mean(), importances["resplit"].mean())[0, 1]),
        "n_whole": whole.n_trees_,
        "n_resplit": part.n_trees_,
        "n_within": n_within(whole.bound_),
        "n_near": n_within(whole.bound_ + SLACK),
        "is_complete": (whole.status_, part.status_) == ("complete", "heuristic"),
    }


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-rashomon.md``."""
    records = sorted(records, key=lambda record: list(SOURCES).index(record["dataset"]))
    return write_report(
        directory,
        "rashomon",
        records,
        regularization=REGULARIZATION,
        epsilon=EPSILON,
        slack=SLACK,
        depth=MAX_DEPTH,
        lookahead=LOOKAHEAD_DEPTH,
        bootstraps=BOOTSTRAPS,
        samples=SAMPLES,
        importances=[row for record in records for row in _importance_rows(record, SOURCES[record["dataset"]])],
        precisions=[_precision_row(record, SOURCES[record["dataset"]]) for record in records],
    )


def _importance_rows(record: dict[str, Any], source: dict[str, Any]) -> Iterator[dict[str, Any]]:
    compared = {
        "ratio": record["exact_seconds"] / record["resplit_seconds"],
        "paper_ratio": source["whole_seconds"] / source["resplit_seconds"],
        "paper_correlation": f"{source['correlation']:.3f}",
        "correlation": f"{record['correlation']:.3f}",
    }
    for method, name in {"exact": "whole", "resplit": "RESPLIT"}.items():
        yield {
            "dataset": record["dataset"],
            "set": name,
            "seconds": record[f"{method}_seconds"],
            "paper_seconds": source[f"{name.lower()}_seconds"],
            "reliance": record[f"{method}_reliance_seconds"],
            "least": min(record[f"{method}_trees"]),
            "most": max(record[f"{method}_trees"]),
            **(compared if method == "resplit" else dict.fromkeys(compared)),
        }


def _precision_row(record: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    n_trees = record["n_resplit"]
    return {
        **record,
        "source": source,
        "sign": "" if record["is_complete"] else "≥ ",
        "within": record["n_within"] / n_trees,
        "paper_within": source["within"] / source["trees"],
        "near": record["n_near"] / n_trees,
        "found": record["n_within"] / record["n_whole"],
    }
