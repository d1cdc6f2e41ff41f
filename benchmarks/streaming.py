"""Tables larger than memory: time and memory of fits and predictions, next to what polars needs to read the file.

``python -m benchmarks streaming --rows 1e7 --columns 20`` writes random flags with a planted label to a Parquet file,
runs each step in a process of its own, and adds a line to ``benchmarks/results/streaming.jsonl``. The Parquet file is
removed at the end. Times are of the processor, and memory is the largest resident set.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars
import pyarrow
import pyarrow.parquet

import hornbeam

_ROWS_AT_ONCE = 1 << 20
_PENALTY = 0.001
_SPAWN = multiprocessing.get_context("spawn")  # so that a process does not begin with the memory of this one


def write_table(path: Path, n_rows: int, n_columns: int, seed: int = 0) -> None:
    """Write fair random flags; the label is a tree of three levels on four of them, wrong in a tenth of the rows."""
    random = np.random.default_rng(seed)
    writer = None
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        n = min(_ROWS_AT_ONCE, n_rows - first)
        bits = np.unpackbits(np.frombuffer(random.bytes(n_columns * ((n + 7) // 8)), np.uint8))
        flags = bits.reshape(n_columns, -1)[:, :n].view(bool)
        label = ((flags[0] & flags[1]) | (flags[2] & ~flags[3])) ^ (random.random(n) < 0.1)
        table = pyarrow.table({**{f"flag_{number}": flag for number, flag in enumerate(flags)}, "label": label})
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _read(path: Path) -> dict[str, Any]:
    frame = polars.scan_parquet(path).select(polars.all().sum()).collect(engine="streaming")
    return {"rows_of_label": frame["label"].item()}


def _group(path: Path) -> dict[str, Any]:
    rows = polars.scan_parquet(path)
    grouped = rows.group_by(rows.collect_schema().names()).len().select(polars.len())
    return {"groups": grouped.collect(engine="streaming").item()}


def _fitted(path: Path, make: Callable[..., Any]) -> Any:
    classifier = make(_PENALTY, max_depth=3, binarizer=None, time_limit=None)
    return classifier.fit(polars.scan_parquet(path), "label")


def _fit(path: Path) -> dict[str, Any]:
    classifier = _fitted(path, hornbeam.GOSDTClassifier)
    return {"objective": classifier.objective_, "status": classifier.status_}


def _fit_lickety(path: Path) -> dict[str, Any]:
    return {"objective": _fitted(path, hornbeam.LicketySPLITClassifier).objective_}


def _predict(path: Path) -> dict[str, Any]:
    flags = polars.scan_parquet(path).head(10_000)
    classifier = hornbeam.GOSDTClassifier(_PENALTY, max_depth=3, binarizer=None).fit(flags, "label")
    return {"rows": classifier.predict_to_parquet(polars.scan_parquet(path), path.with_name("predictions.parquet"))}


STEPS: Mapping[str, Callable[[Path], dict[str, Any]]] = {
    "polars reads": _read,
    "polars groups": _group,
    "GOSDT depth 3": _fit,
    "LicketySPLIT depth 3": _fit_lickety,
    "predictions": _predict,
}


def _measure(step: str, path: Path, results: Any) -> None:
    begin = time.process_time()
    found = STEPS[step](path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    results.put({"step": step, "seconds": time.process_time() - begin, "peak_bytes": peak, **found})


def run(results: Path, n_rows: int, n_columns: int, steps: list[str], directory: Path | None) -> None:
    """Measure each step, print it and add it to a file; a step that is killed for its memory is said to have failed."""
    with TemporaryDirectory(prefix="hornbeam-streaming-", dir=directory) as folder:
        path = Path(folder, "flags.parquet")
        write_table(path, n_rows, n_columns)
        for step in steps:
            queue = _SPAWN.Queue()
            process = _SPAWN.Process(target=_measure, args=(step, path, queue))
            process.start()
            process.join()
            found = {"step": step, "exit_code": process.exitcode} if process.exitcode else queue.get()
            record = {"n_rows": n_rows, "n_columns": n_columns, "file_bytes": path.stat().st_size, **found}
            print(json.dumps(record), flush=True)
            with results.open("a", encoding="utf-8") as file:
                print(json.dumps(record), file=file)
