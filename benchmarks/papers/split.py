"""Tables 7 to 9 of the SPLIT paper: training objective and time of CART, GOSDT, SPLIT and LicketySPLIT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import stdev
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers.measure import Records, grouped, mean_of, measure, read_rows, write_report
from benchmarks.report.markdown import NOTHING
from benchmarks.report.plots import picture
from benchmarks.trees import score
from benchmarks.worker import stopwatch

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "CART": ("cart", {}),
    "LicketySPLIT": ("hornbeam_lickety", {"last_split": "gain"}),
    "LicketySPLIT by loss": ("hornbeam_lickety", {"last_split": "loss"}),
    "SPLIT": ("hornbeam_split", {"last_split": "gain"}),
    "SPLIT by loss": ("hornbeam_split", {"last_split": "loss"}),
    "GOSDT": ("hornbeam", {}),
}
MAX_DEPTH = 5
SPLITS = 3
# Where the rows of a data set come from, and how many boosted stumps guess its thresholds.
SOURCES = {row["name"]: row for row in read_rows("split_sources")}
PUBLISHED = {(row["regularization"], row["dataset"], row["method"]): row for row in read_rows("split_published")}


def regularizations(name: str) -> list[float]:
    """Return the leaf penalties at which the paper's tables have a data set; of the others 0.006 and 0.011."""
    return sorted({penalty for penalty, dataset, _ in PUBLISHED if dataset == name}) or [0.006, 0.011]


class Split(NamedTuple):
    """The training and test rows of one draw, as binary columns, with their numbers in the table."""

    X: Array
    X_test: Array
    y: Array
    y_test: Array
    rows: Array
    test_rows: Array
    shared: dict[str, Any]  # fields of all its records


def splits_of(name: str, n_splits: int, n_stumps: int | None) -> Iterator[Split]:
    """Split a data set 80 to 20 per cent and guess thresholds on the training rows; without stumps it is binary."""
    X, labels = data.read(SOURCES[name]["dataset"])
    y = (np.asarray(labels) == 2).astype(np.int64) if name == "covertype" else data.codes(labels)
    for split in range(n_splits):
        train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=split)
        user_seconds = stopwatch()
        if n_stumps is None:
            X_train, X_test = (np.asarray(X, dtype=np.uint8)[rows] for rows in (train, test))
        else:
            binarizer = data.guess(n_stumps).fit(X[train], y[train])
            X_train, X_test = (binarizer.transform(X[rows]).astype(np.uint8) for rows in (train, test))
        shared = {"split": split, "rows": len(train), "columns": X_train.shape[1], "binarize_seconds": user_seconds()}
        yield Split(X_train, X_test, y[train], y[test], train, test, shared)


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all methods to a data set."""
    for split in splits_of(name, SPLITS, SOURCES[name]["stumps"]):
        for penalty in regularizations(name):
            for method, (peer, options) in METHODS.items():
                outcome, fields = measure(peer, split.X, split.y, penalty, MAX_DEPTH, limit, options)
                errors = score(outcome.tree or {}, split.X_test, split.y_test, penalty).errors
                fields |= {"regularization": penalty, "method": method, "test_loss": errors / len(split.y_test)}
                yield {**split.shared, **fields}


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-split.md`` and its picture."""
    for runs in grouped(records, "regularization", "dataset", "split").values():
        best = min(run["objective"] for run in runs)
        for run in runs:
            run["excess"] = run["objective"] - best
    names, methods = list(SOURCES), list(METHODS)
    records = sorted(
        records, key=lambda one: (one["regularization"], names.index(one["dataset"]), methods.index(one["method"]))
    )
    rows = [
        _row(PUBLISHED.get(key), runs) for key, runs in grouped(records, "regularization", "dataset", "method").items()
    ]
    with picture(directory / "paper-split.png", 4.0) as figure:
        axes = figure.subplots()
        for method, marker in zip(METHODS, "s^voPD", strict=True):
            chosen = [row for row in rows if row["method"] == method]
            points = [max(1e-3, row["seconds"]) for row in chosen], [row["excess"] for row in chosen]
            axes.plot(*points, marker, label=method, alpha=0.7, clip_on=False)
        axes.set(xscale="log", xlabel="user CPU seconds of a fit", ylabel="excess over the best objective")
        axes.legend()
    by_source = grouped(sorted(records, key=lambda one: names.index(one["dataset"])), "dataset")
    sources = [_source(SOURCES[name], runs) for (name,), runs in by_source.items()]
    return write_report(directory, "split", records, splits=SPLITS, depth=MAX_DEPTH, rows=rows, sources=sources)


def _row(paper: dict[str, Any] | None, runs: Records) -> dict[str, Any]:
    objective, n_proven = _mean_and_deviation(runs, "objective"), sum(run["proven"] for run in runs)
    if runs[0]["method"] == "GOSDT" and n_proven < len(runs):
        objective += f", {n_proven} of {len(runs)} proven, ≥ {mean_of(runs, 'lower_bound'):.4f}"
    return {
        **runs[0],
        "objective": objective,
        "excess": mean_of(runs, "excess"),
        "paper": f"{paper['objective']:.4f} ± {paper['deviation']:.4f}" if paper else NOTHING,
        "seconds": mean_of(runs, "user_seconds"),
        "paper_seconds": paper["seconds"] if paper else None,
        "test_loss": _mean_and_deviation(runs, "test_loss"),
        "leaves": mean_of(runs, "leaves"),
    }


def _mean_and_deviation(runs: Records, name: str) -> str:
    return f"{mean_of(runs, name):.4f} ± {stdev(run[name] for run in runs) if len(runs) > 1 else 0.0:.4f}"


def _source(source: dict[str, Any], runs: Records) -> dict[str, Any]:
    least, most = (choose(run["columns"] for run in runs) for choose in (min, max))
    columns = f"{least} to {most}" if least < most else least
    by_split = [of_split[-1] for of_split in grouped(runs, "split").values()]
    return {**runs[0], "source": source, "columns": columns, "seconds": mean_of(by_split, "binarize_seconds")}
