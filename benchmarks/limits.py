"""How late fits end: every estimator, table and limit, each in a process of its own. Linux only.

``python -m benchmarks limits`` measures what ``benchmarks/results/limits.jsonl`` does not hold yet, and writes the
report ``limits.md``. Every column is made binary at all its thresholds. A fit may be late by a tenth of its time limit,
at least by 0.2 s, and by 1 s after Ctrl-C. Timings need an idle machine, or
``nice -n -10`` and, where the scheduler groups processes by session, -10 in ``/proc/self/autogroup``.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pandas

import hornbeam
from benchmarks import results
from benchmarks.data import SHARED, Array
from benchmarks.report.markdown import table as write_table

ESTIMATORS: Mapping[str, Callable[..., Any]] = {
    "GOSDT": lambda **limits: hornbeam.GOSDTClassifier(**limits),
    "GOSDT depth 4": lambda **limits: hornbeam.GOSDTClassifier(max_depth=4, **limits),
    "GOSDT f1": lambda **limits: hornbeam.GOSDTClassifier(objective="f1", **limits),
    "GOSDT auc": lambda **limits: hornbeam.GOSDTClassifier(objective="auc", **limits),
    "OSDT": lambda **limits: hornbeam.OSDTClassifier(**limits),
    "OSDT auc": lambda **limits: hornbeam.OSDTClassifier(objective="auc", **limits),
    "SPLIT": lambda **limits: hornbeam.SPLITClassifier(binarizer="exact", **limits),
    "LicketySPLIT": lambda **limits: hornbeam.LicketySPLITClassifier(binarizer="exact", **limits),
    "MAPTree": lambda **limits: hornbeam.MAPTreeClassifier(**limits),
    "Rashomon set": lambda **limits: hornbeam.RashomonSetClassifier(binarizer="exact", **limits),
    "RESPLIT": lambda **limits: hornbeam.RashomonSetClassifier(binarizer="exact", method="resplit", **limits),
    "GOSDT guess": lambda **limits: hornbeam.GOSDTClassifier(binarizer="guess", max_depth=4, **limits),
}
ONLY_TWO_CLASSES = {"GOSDT f1", "GOSDT auc", "OSDT auc"}
CTRL_C = "Ctrl-C after 0.5 s"
CASES: Mapping[str, float] = {"0.5 s": 0.5, "2 s": 2.0, CTRL_C: 0.5}
KILLED_AFTER = 30.0  # seconds beyond the limit


def tables(directory: Path | None, names: Sequence[str] | None) -> list[Path]:
    """Return the files of the tables, the small ones first."""
    files = (directory or SHARED).glob("*.csv")
    return sorted((file for file in files if names is None or file.stem in names), key=lambda file: file.stat().st_size)


def read_table(file: Path) -> tuple[pandas.DataFrame, Array]:
    """Return the columns and the classes of a table; a target that is a number of many values is cut at its median."""
    frame = pandas.read_csv(file)  # polars does not work in a process that was forked
    target = frame["target"].to_numpy()
    if target.dtype.kind in "if" and len(np.unique(target)) > 50:
        target = target > np.median(target)
    return frame.drop(columns="target"), target


def measure(
    file: Path, estimators: Iterable[str], cases: Iterable[str], is_known: Callable[[str, str], bool]
) -> Iterator[dict[str, Any]]:
    """Fit every estimator to a table under every limit, but for what is known already."""
    X, y = read_table(file)
    for name in estimators:
        if name in ONLY_TWO_CLASSES and len(np.unique(y)) != 2:
            continue
        for case in cases:
            if not is_known(name, case):
                yield {"dataset": file.stem, "estimator": name, "case": case, **_run(name, case, X, y)}


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
    limits = {} if case == CTRL_C else {"time_limit": CASES[case]}
    estimator = ESTIMATORS[name](**limits)
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


def lateness(record: Mapping[str, Any]) -> float:
    """Return by how many seconds a fit was late, as a share of what is allowed: more than 1 is too late."""
    limit = CASES[record["case"]]
    allowed = 1.0 if record["case"] == CTRL_C else max(0.2, 0.1 * limit)
    return float(record["seconds"] - limit) / allowed


def is_late(record: Mapping[str, Any]) -> bool:
    """Tell whether a fit ended too late, or did not end as it should."""
    statuses = ("optimal", "complete", "heuristic", "time_limit", "memory_limit", "interrupted", "KeyboardInterrupt")
    return lateness(record) > 1 or record["status"] not in statuses


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return where and when the fits of a file were last measured, and the fits; of one fit the last line counts."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    origin, *records = map(json.loads, lines or ["{}"])
    return origin, list({(one["dataset"], one["estimator"], one["case"]): one for one in records}.values())


def _write(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def run(
    path: Path,
    directory: Path | None,
    datasets: Sequence[str] | None,
    estimators: Sequence[str] | None,
    cases: Sequence[str] | None,
    again: bool,
) -> None:
    """Measure what is not in a file of JSON lines, and add it there; the first line is the machine and the commit.

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
    records = read(path)[1]
    found = {(one["dataset"], one["estimator"], one["case"]): one for one in records}
    origin = {
        "machine": results.describe_machine(),
        "commit": results.describe_commit(),
        "time": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, [origin, *records])
    for file in tables(directory, datasets):

        def is_known(estimator: str, case: str, dataset: str = file.stem) -> bool:
            known = found.get((dataset, estimator, case))
            return known is not None and not (again and is_late(known))

        for one in measure(file, estimators or ESTIMATORS, cases or CASES, is_known):
            with path.open("a", encoding="utf-8") as lines_of_file:
                lines_of_file.write(json.dumps(one) + "\n")
            words = (one["dataset"], one["estimator"], one["case"], f"{one['seconds']:.2f} s", one["status"])
            print("LATE" if is_late(one) else "    ", *words, flush=True)
    _write(path, [origin, *read(path)[1]])


def report(path: Path) -> None:
    """Write a table of the lateness by estimator and limit next to a file of results, and the fits that were late."""
    origin, records = read(path)
    rows = []
    for name in dict.fromkeys(record["estimator"] for record in records):
        for case in CASES:
            of_case = [one for one in records if one["estimator"] == name and one["case"] == case]
            if not of_case:
                continue
            worst = max(of_case, key=lambda one: float(one["seconds"]))
            cells = (str(len(of_case)), str(sum(map(is_late, of_case))), f"{worst['seconds']:.2f}", worst["dataset"])
            rows.append((name, case, *cells))
    late = [
        (one["dataset"], one["estimator"], one["case"], f"{one['seconds']:.2f}", one["status"])
        for one in records
        if is_late(one)
    ]
    machine, n_tables = origin["machine"], len({one["dataset"] for one in records})
    text = (
        "# Limits of time and Ctrl-C\n\n"
        f"{machine['processor']}, {machine['cores']} cores; {origin['time'][:10]}. Every estimator on {n_tables} "
        'tables with all thresholds (`binarizer="exact"`). Seconds are wall clock of `fit`. A fit is late if it '
        "takes more than a tenth of its limit longer, at least 0.2 s, or more than 1 s after Ctrl-C.\n\n"
        + write_table(("estimator", "limit", "fits", "late", "longest, s", "on"), rows, 2)
        + ("\n## Late fits\n\n" + write_table(("table", "estimator", "limit", "s", "status"), late, 3) if late else "")
    )
    path.with_suffix(".md").write_text(text, encoding="utf-8")
