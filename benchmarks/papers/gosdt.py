"""Figure 1 and section I of the GOSDT paper, and the time to the proven optimum of each objective."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.papers import gosdt_buckets, gosdt_courses, gosdt_folds, gosdt_growth, gosdt_ranks
from benchmarks.papers.gosdt_fit import OBJECTIVES, OMEGA, REPEATS, THETA, fit_objective
from benchmarks.papers.measure import Records, grouped, write_report
from benchmarks.report.markdown import number
from benchmarks.report.plots import picture

TIMED = tuple(
    f"{name}.bin" for name in ("monk1", "monk2", "monk3", "tic-tac-toe", "car", "balance-scale", "compas", "bar7")
)
PARTS = (gosdt_buckets, gosdt_folds, gosdt_growth, gosdt_courses)
SOURCES = (*TIMED, gosdt_ranks.FOUR_CLASS, *(name for part in PARTS for name in part.SOURCES))
REGULARIZATIONS = (0.1, 0.05, 0.02, 0.01, 0.005)


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Measure a section on a data set, or fit all objectives to it."""
    if name == gosdt_ranks.FOUR_CLASS:
        yield from gosdt_ranks.records_of(limit)
    for part in PARTS:
        if name in part.SOURCES:
            yield from part.records_of(name, limit)
    if name in TIMED:
        X, labels = data.read(name)
        X = np.asarray(X, dtype=np.uint8)
        for objective in OBJECTIVES:
            for regularization in REGULARIZATIONS:
                _, fitted = fit_objective(X, data.codes(labels), objective, regularization, limit)
                yield {"objective_name": objective, "regularization": regularization, **fitted}


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-gosdt.md`` and its pictures."""
    trees = [one for one in records if one["dataset"] == gosdt_ranks.FOUR_CLASS]
    names = list(OBJECTIVES).index
    timed = sorted(
        (one for one in records if one["dataset"] in TIMED),
        key=lambda one: (TIMED.index(one["dataset"]), names(one["objective_name"])),
    )
    by_row = {
        key: {run["regularization"]: run for run in runs}
        for key, runs in grouped(timed, "dataset", "objective_name").items()
    }
    if timed:
        _draw_times(timed, directory)
    if trees:
        gosdt_ranks.draw(trees, directory)
    return write_report(
        directory,
        "gosdt",
        records,
        repeats=REPEATS,
        limits=_limits(timed),
        omega=OMEGA,
        theta=THETA,
        heads=["data", "objective", *(f"λ {regularization:g}" for regularization in REGULARIZATIONS)],
        seconds=[
            (*key, *_cells(runs, _time), ", ".join(_cells(runs, lambda run: str(run["searches"]))))
            for key, runs in by_row.items()
        ],
        objectives=[(*key, *_cells(runs, lambda run: f"{run['objective']:.6f}")) for key, runs in by_row.items()],
        trees=trees,
        training=gosdt_ranks.TRAINING,
        regularization=gosdt_ranks.REGULARIZATION,
        buckets=gosdt_buckets.section(records),
        courses=gosdt_courses.section(records, directory),
        **gosdt_folds.section(records, directory),
        **gosdt_growth.section(records, directory),
    )


def _draw_times(timed: Records, directory: Path) -> None:
    with picture(directory / "paper-gosdt.png", 3.6) as figure:
        axes = figure.subplots()
        for name in OBJECTIVES:
            runs = [run for run in timed if run["objective_name"] == name and run["proven"]]
            seconds = sorted(max(1e-4, run["user_seconds"]) for run in runs)
            axes.step(seconds, range(1, len(seconds) + 1), where="post", label=name)
        axes.set(xscale="log", xlabel="user CPU seconds of a fit", ylabel="fits proven within it")
        axes.legend()


def _limits(records: Records) -> str:
    """Return the limits, with their objectives if they differ."""
    names = {
        limit: dict.fromkeys(one["objective_name"] for one in of_limit)
        for (limit,), of_limit in grouped(records, "limit").items()
    }
    if len(names) == 1:
        return f"{next(iter(names)):g} s"
    return " or ".join(f"{limit:g} s ({', '.join(of)})" for limit, of in sorted(names.items()))


def _cells(runs: Mapping[float, dict[str, Any]], write: Callable[[dict[str, Any]], str]) -> list[str]:
    return [write(runs[one]) if one in runs else "" for one in REGULARIZATIONS]


def _time(run: dict[str, Any]) -> str:
    if not run["proven"]:
        return f"> {number(run['user_seconds'])} ({run['lower_bound']:.4f} to {run['objective']:.4f})"
    return f"{number(run['user_seconds'])} ({run['leaves']})"
