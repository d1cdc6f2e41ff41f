"""Tables 1 and 2 of the SPLIT paper: importances from whole Rashomon sets and from those of RESPLIT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import Self

from benchmarks import data
from benchmarks.papers.measure import write_report
from benchmarks.report.markdown import render
from benchmarks.worker import stopwatch
from hornbeam import RashomonImportance, RashomonSetClassifier, rashomon_importance


class Source(NamedTuple):
    """Where the rows come from, how many boosted stumps guess their thresholds, and what the paper's tables say.

    `seconds` of the whole sets and of RESPLIT, and the `correlation` of the importances are of table 1; `within`, of
    `trees`, and their share `near` the set of table 2.
    """

    dataset: str
    stumps: int | None
    note: str
    seconds: tuple[float, float]
    correlation: float
    within: int
    trees: int
    near: float


SOURCES = {
    "compas": Source("compas_fairml.bin", None, "all rows, the authors' binary columns", (152, 18), 1.0, 27, 27, 1.0),
    "spambase": Source("spambase", 200, "all rows", (2659, 154), 0.930, 850, 1422, 0.933),
    "netherlands": Source("netherlands_part11000", 200, "11000 of the 20000 rows", (4255, 216), 0.932, 102, 112, 1.0),
    "bike": Source("bike_hour_cls", 200, "all rows", (14330, 194), 0.999, 370, 380, 1.0),
}
REGULARIZATION, EPSILON, SLACK = 0.02, 0.01, 0.01
MAX_DEPTH, LOOKAHEAD_DEPTH = 4, 2
BOOTSTRAPS, SAMPLES = 10, 1000
_EXPLANATION = """\
λ = {regularization:g}, trees within ε = {epsilon:g} of the optimum, added to it as in the paper's definition, depth at
most {depth} edges, of which RESPLIT searches {lookahead} exhaustively: the paper's "depth budget 5, lookahead depth 3",
which count nodes. Each binary column is a variable of its own, as in the paper. *Paper*: Babbar et al., "Near-Optimal
Decision Trees in a SPLIT Second", ICML 2025, with TreeFARMS for the whole sets, on an Intel Xeon Gold 6226; its binary
columns are others, so that sets can be like its own, not equal. Each search has {limit:g} s; ≥ before a figure: a
search was stopped.

## Table 1: importances

The Rashomon importance distribution over {bootstraps} bootstraps. *Seconds* of all searches for the sets; *reliance* is
what all trees, at most {samples} of a set, then take to be asked. *Trees*: the smallest and the largest set of a
bootstrap. *Correlation*: Pearson's, of the mean reliance on each column from whole sets and from RESPLIT's.
"""
_PRECISION = """\
## Table 2: trees of RESPLIT in the whole set

Sets of all rows. *Within*: how many trees of RESPLIT have an objective within the bound of the whole set; *near*:
within this bound and {slack:g}. *Found*: share of the whole set that RESPLIT has, which the paper does not give.
"""
_IMPORTANCES = """\
data = {dataset} | set = {set} | seconds = {seconds:n} | paper = {paper_seconds:n} | reliance = {reliance:n}
trees = {least:,} to {most:,} | ratio = {ratio:x} | paper = {paper_ratio:x} | correlation = {correlation}
paper = {paper_correlation}
"""
_PRECISIONS = """\
data = {dataset} | whole set = {sign}{n_whole:,} | RESPLIT = {n_resplit:,} | within = {within:.3f} ({n_within:,})
paper = {paper_within:.3f} ({source.within}/{source.trees}) | near = {near:.3f} | paper = {source.near:.3f}
found = {found:.3f}
"""
_DATA = """\
data = {dataset} | file = {source.dataset} | which rows = {source.note} | rows = {rows:,} | binary columns = {columns}
"""


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
    source = SOURCES[name]
    X, y = data.read(source.dataset)
    y = np.unique(y, return_inverse=True)[1]
    X = np.asarray(X) if source.stumps is None else data.guess(source.stumps).fit(X, y).transform(X).astype(np.uint8)
    methods = {
        method: _Timed(
            EPSILON,
            "absolute",
            regularization=REGULARIZATION,
            max_depth=MAX_DEPTH,
            method=method,
            lookahead_depth=LOOKAHEAD_DEPTH,
            binarizer=None,
            time_limit=limit,
        )
        for method in ("exact", "resplit")
    }
    record: dict[str, Any] = {"dataset": name, "rows": len(X), "columns": X.shape[1]}
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
    record["correlation"] = float(np.corrcoef(importances["exact"].mean(), importances["resplit"].mean())[0, 1])
    whole, part = (estimator.fit(X, y) for estimator in methods.values())
    objectives, counts = part.rashomon_set_.objectives()
    yield {
        **record,
        "n_whole": whole.n_trees_,
        "n_resplit": part.n_trees_,
        "n_within": _count(objectives, counts, whole.bound_),
        "n_near": _count(objectives, counts, whole.bound_ + SLACK),
        "is_complete": (whole.status_, part.status_) == ("complete", "heuristic"),
        "limit": limit,
    }


def _count(objectives: data.Array, counts: list[int], most: float) -> int:
    """Count the trees of at most an objective, which is rounded."""
    return sum(count for objective, count in zip(objectives, counts, strict=True) if objective <= most + 1e-12)


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-rashomon.md``."""
    records = sorted(records, key=lambda record: list(SOURCES).index(record["dataset"]))
    explanation = _EXPLANATION.format(
        regularization=REGULARIZATION,
        epsilon=EPSILON,
        depth=MAX_DEPTH,
        lookahead=LOOKAHEAD_DEPTH,
        bootstraps=BOOTSTRAPS,
        samples=SAMPLES,
        limit=max(record["limit"] for record in records),
    )
    records = [{**one, "source": SOURCES[one["dataset"]]} for one in records]
    return write_report(
        directory,
        "rashomon",
        "SPLIT paper, tables 1 and 2: Rashomon sets",
        records,
        explanation,
        render(_IMPORTANCES, [row for record in records for row in _importance_rows(record)], 2),
        _PRECISION.format(slack=SLACK),
        render(_PRECISIONS, map(_precision_row, records)),
        "## Data\n",
        render(_DATA, records, 3),
    )


def _importance_rows(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    source: Source = record["source"]
    compared = {
        "ratio": record["exact_seconds"] / record["resplit_seconds"],
        "paper_ratio": source.seconds[0] / source.seconds[1],
        "paper_correlation": f"{source.correlation:.3f}",
        "correlation": f"{record['correlation']:.3f}",
    }
    for place, (method, name) in enumerate({"exact": "whole", "resplit": "RESPLIT"}.items()):
        yield {
            "dataset": record["dataset"],
            "set": name,
            "seconds": record[f"{method}_seconds"],
            "paper_seconds": source.seconds[place],
            "reliance": record[f"{method}_reliance_seconds"],
            "least": min(record[f"{method}_trees"]),
            "most": max(record[f"{method}_trees"]),
            **(compared if place else dict.fromkeys(compared)),
        }


def _precision_row(record: dict[str, Any]) -> dict[str, Any]:
    source, n_trees = record["source"], record["n_resplit"]
    return {
        **record,
        "sign": "" if record["is_complete"] else "≥ ",
        "within": record["n_within"] / n_trees,
        "paper_within": source.within / source.trees,
        "near": record["n_near"] / n_trees,
        "found": record["n_within"] / record["n_whole"],
    }
