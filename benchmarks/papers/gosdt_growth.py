"""Section I.7 of the GOSDT paper: how the time to a proof grows with rows and with columns, on the authors' subsets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import shuffle

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers.gosdt_fit import fit_objective
from benchmarks.papers.measure import Records, grouped, read_rows
from benchmarks.report.plots import number_decades, panels, picture
from hornbeam import ThresholdBinarizer

REGULARIZATION = 1 / 32
SHARE_OF_ROWS = 0.9  # in the series of columns
SOURCES = {"I.7 bar7.bin": "bar7.bin", "I.7 compas2016": "compas2016", "I.7 iris": "iris.bin"}
NAMES = {"bar7.bin": "bar-7", "compas2016": "compas-2016"}  # in the paper
IRIS = "I.7 iris"
PUBLISHED = read_rows("gosdt_growth_published")
LARGEST = read_rows("gosdt_largest_published")
TOLERANCE = 2e-6  # published accuracies have six digits


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit the subsets of a data set whose times are published, and the whole of it."""
    X, labels = data.read(SOURCES[name])
    if name == IRIS:
        yield from _iris(np.asarray(X, dtype=np.uint8), labels, limit)
        return
    X, y = np.asarray(X), data.codes(labels)
    order = shuffle(np.arange(len(y)), random_state=0)
    X, y = X[order], y[order]
    for row in (row for row in PUBLISHED if row["dataset"] == SOURCES[name]):
        if row["along"] == "rows":
            part = slice(0, row["size"])
            columns, labels = ThresholdBinarizer().fit_transform(X[part]), y[part]
        else:
            part = slice(0, int(SHARE_OF_ROWS * len(y)))
            columns, labels = first_columns(X, row["size"])[part], y[part]
        _, fitted = fit_objective(np.asarray(columns, dtype=np.uint8), labels, "accuracy", REGULARIZATION, limit)
        yield {"along": row["along"], "size": row["size"], **fitted}


def first_columns(X: Array, size: int) -> Array:
    """Return the columns of 0 and 1 that are among the first `size` of the authors' encoding.

    It has two columns for a column of 0 and 1, and one for each value of another: one for each threshold, and a
    constant one before them.
    """
    columns: list[Array] = []
    for column in X.T:
        values = np.unique(column)
        is_binary = np.array_equal(values, [0, 1])
        thresholds = [column > 0] * 2 if is_binary else [column >= value for value in values]
        columns += thresholds
    return data.distinct_columns(np.array(columns[:size], dtype=np.uint8).T)


def _iris(X: Array, labels: Array, limit: float) -> Iterator[dict[str, Any]]:
    order = shuffle(np.arange(len(labels)), random_state=0)[: int(SHARE_OF_ROWS * len(labels))]
    for species in np.unique(labels):
        y = (labels == species).astype(int)
        _, fitted = fit_objective(X[order], y[order], "accuracy", REGULARIZATION, limit)
        yield {"along": "columns", "size": X.shape[1], "species": str(species), **fitted}


def section(records: Records, directory: Path) -> dict[str, Any]:
    """Draw the picture, and return what the section shows."""
    runs = [run for run in records if run["dataset"] in SOURCES and run["dataset"] != IRIS]
    if not runs:
        return {"growth": [], "largest": []}
    published = {(row["dataset"], row["along"], row["size"]): row for row in PUBLISHED}
    for run in runs:
        run["source"] = SOURCES[run["dataset"]]
        run["them"] = published[run["source"], run["along"], run["size"]]
        run["their_objective"] = 1 - run["them"]["training"] / 100 + REGULARIZATION * run["them"]["leaves"]
        run["excess"] = run["their_objective"] - run["objective"]
        run["agrees"] = abs(run["excess"]) < TOLERANCE
    by_series = grouped(runs, "source", "along")
    _draw(by_series, directory)
    largest = {
        (NAMES[source], along): max(of, key=lambda run: run["size"]) for (source, along), of in by_series.items()
    }
    largest |= {
        (f"iris-{run['species']}", "columns"): {**run, "agrees": True} for run in records if run["dataset"] == IRIS
    }
    return {
        "growth": [
            {
                "source": source,
                "along": along,
                "n": len(of),
                "agree": sum(run["agrees"] for run in of),
                "proven": sum(run["proven"] for run in of),
                "longest": max(run["cpu_seconds"] for run in of),
                "slow_down": max(run["cpu_seconds"] for run in of) / min(run["cpu_seconds"] for run in of),
                "their_longest": max(run["them"]["seconds"] for run in of),
            }
            for (source, along), of in by_series.items()
        ],
        "disagreeing": [run for run in runs if not run["agrees"]],
        "largest": [
            {**row, "ours": largest[row["dataset"], row["along"]]}
            for row in LARGEST
            if (row["dataset"], row["along"]) in largest
        ],
    }


def _draw(by_series: dict[tuple[Any, ...], Records], directory: Path) -> None:
    with picture(directory / "paper-gosdt-growth.png", 5.6) as figure:
        for axes, ((source, along), runs) in zip(panels(figure, len(by_series), 2), by_series.items(), strict=True):
            sizes = [run["size"] for run in runs]
            theirs = [max(5e-4, run["them"]["seconds"]) for run in runs]
            axes.plot(sizes, theirs, "o", markersize=3.5, color="#D55E00", label="GOSDT, published")
            ours = [run["cpu_seconds"] for run in runs]
            axes.plot(sizes, ours, "-", color="#0072B2", label="hornbeam")
            axes.set(title=f"{source}, {along}", xlabel=along, ylabel="seconds", yscale="log")
            if along == "rows":
                axes.set_xscale("log")
                number_decades(axes.xaxis)
            number_decades(axes.yaxis)
        figure.axes[0].legend()
