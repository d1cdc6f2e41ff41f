"""How late fits end: every estimator, table and limit, each in a process of its own. Linux only.

``python -m benchmarks limits`` measures what ``benchmarks/results/limits.jsonl`` does not hold yet, and writes the
report ``limits.md``. Every column is made binary at all its thresholds. A fit may be late by a tenth of its time limit,
at least by 0.2 s, and by 1 s after Ctrl-C. Timings need an idle machine, or
``nice -n -10`` and, where the scheduler groups processes by session, -10 in ``/proc/self/autogroup``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import hornbeam
from benchmarks import results
from benchmarks.data import SHARED, Array
from benchmarks.papers.measure import grouped
from benchmarks.report.markdown import fill

ESTIMATORS: Mapping[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "GOSDT": (hornbeam.GOSDTClassifier, {}),
    "GOSDT depth 4": (hornbeam.GOSDTClassifier, {"max_depth": 4}),
    "GOSDT f1": (hornbeam.GOSDTClassifier, {"objective": "f1"}),
    "GOSDT auc": (hornbeam.GOSDTClassifier, {"objective": "auc"}),
    "OSDT": (hornbeam.OSDTClassifier, {}),
    "OSDT auc": (hornbeam.OSDTClassifier, {"objective": "auc"}),
    "SPLIT": (hornbeam.SPLITClassifier, {"binarizer": "exact"}),
    "LicketySPLIT": (hornbeam.LicketySPLITClassifier, {"binarizer": "exact"}),
    "MAPTree": (hornbeam.MAPTreeClassifier, {}),
    "Rashomon set": (hornbeam.RashomonSetClassifier, {"binarizer": "exact"}),
    "RESPLIT": (hornbeam.RashomonSetClassifier, {"binarizer": "exact", "method": "resplit"}),
    "GOSDT guess": (hornbeam.GOSDTClassifier, {"binarizer": "guess", "max_depth": 4}),
}
ONLY_TWO_CLASSES = {"GOSDT f1", "GOSDT auc", "OSDT auc"}
CTRL_C = "Ctrl-C after 0.5 s"
CASES: Mapping[str, float] = {"0.5 s": 0.5, "2 s": 2.0, CTRL_C: 0.5}
KILLED_AFTER = 30.0  # seconds beyond the limit


def read_table(file: Path) -> tuple[pandas.DataFrame, Array]:
    """Return the columns and the classes of a table; a target that is a number of many values is cut at its median."""
    frame = pandas.read_csv(file)  # polars does not work in a process that was forked
    target = frame["target"].to_numpy()
    if target.dtype.kind in "if" and len(np.unique(target)) > 50:
        target = target > np.median(target)
    return frame.drop(columns="target"), target


def _run(name: str, case: str, X: pandas.DataFrame, y: Array) -> dict[str, Any]:
    """Fit in a child of this process, which has everything in memory; kill it if it does not end."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_fit, args=(theirs, name, case, X, y))
    child.start()
    theirs.close()
    assert child.pid is not None
    ours.recv()
    begin = time.perf_counter()
    if case == CTRL_C and not ours.poll(CASES[case]):
        os.kill(child.pid, signal.SIGINT)
    try:
        if ours.poll(KILLED_AFTER + CASES[case] - (time.perf_counter() - begin)):
            return dict(ours.recv())
        return {"seconds": time.perf_counter() - begin, "status": "killed"}
    except EOFError:
        return {"seconds": time.perf_counter() - begin, "status": "crashed"}
    finally:
        child.kill()
        child.join()


def _fit(to_parent: Connection, name: str, case: str, X: pandas.DataFrame, y: Array) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    warnings.simplefilter("ignore")
    classifier, parameters = ESTIMATORS[name]
    estimator = classifier(**parameters, **({} if case == CTRL_C else {"time_limit": CASES[case]}))
    to_parent.send("begin")
    begin = time.perf_counter()
    try:
        estimator.fit(X, y)
        seconds = time.perf_counter() - begin
        found = {"status": estimator.status_, "columns": estimator.statistics_["n_binary_columns"]}
    except KeyboardInterrupt:
        seconds, found = time.perf_counter() - begin, {"status": "KeyboardInterrupt"}
    except Exception as error:
        seconds, found = time.perf_counter() - begin, {"status": f"{type(error).__name__}: {error}"}
    to_parent.send({"seconds": round(seconds, 3), **found})
    os._exit(0)


def is_late(record: Mapping[str, Any]) -> bool:
    """Return whether a fit ended too late, or did not end as it should."""
    limit = CASES[record["case"]]
    allowed = 1.0 if record["case"] == CTRL_C else max(0.2, 0.1 * limit)
    statuses = ("optimal", "complete", "heuristic", "time_limit", "memory_limit", "interrupted", "KeyboardInterrupt")
    return (record["seconds"] - limit) / allowed > 1 or record["status"] not in statuses


def run(
    path: Path,
    directory: Path | None,
    datasets: Sequence[str] | None,
    estimators: Sequence[str] | None,
    cases: Sequence[str] | None,
    again: bool,
) -> None:
    """Measure what is not in a file of results, the small tables first, and add it there.

    Parameters
    ----------
    path : Path
        The file.
    directory : Path or None
        Folder of the tables. None: ``../shared/data``.
    datasets, estimators, cases : sequence of str or None
        Only these. None: all.
    again : bool
        Whether to measure again what ended too late.
    """
    records = {(one["dataset"], one["estimator"], one["case"]): one for one in results.load(path)}
    shared = results.origin()
    for file in sorted((directory or SHARED).glob("*.csv"), key=lambda file: file.stat().st_size):
        if datasets is not None and file.stem not in datasets:
            continue
        X, y = read_table(file)
        for name, case in product(estimators or ESTIMATORS, cases or CASES):
            key = (file.stem, name, case)
            if name in ONLY_TWO_CLASSES and len(np.unique(y)) != 2:
                continue
            if key in records and not (again and is_late(records[key])):
                continue
            fields = dict(zip(("dataset", "estimator", "case"), key, strict=True))
            records[key] = one = {**fields, **_run(name, case, X, y), **shared}
            results.store(path, records.values())
            print("LATE" if is_late(one) else "    ", *key, f"{one['seconds']:.2f} s", one["status"], flush=True)


def report(path: Path) -> Path:
    """Write a table of the lateness by estimator and limit next to a file of results, and the fits that were late."""
    records = results.load(path)
    order = list(dict.fromkeys(record["estimator"] for record in records)).index
    groups = sorted(
        grouped(records, "estimator", "case").items(), key=lambda one: (order(one[0][0]), [*CASES].index(one[0][1]))
    )
    rows = [
        {"n": len(fits), "n_late": sum(map(is_late, fits)), "longest": max(fits, key=lambda one: float(one["seconds"]))}
        for _, fits in groups
    ]
    return fill(
        path.with_suffix(".md"),
        "limits",
        machine=records[-1]["machine"],
        date=max(record["date"] for record in records),
        n_tables=len({one["dataset"] for one in records}),
        rows=rows,
        late=[one for one in records if is_late(one)],
    )
