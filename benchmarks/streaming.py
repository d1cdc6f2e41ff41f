"""Tables larger than memory: time and memory of fits and predictions, next to what polars needs to read the file.

``python -m benchmarks streaming --rows 1e7 --columns 20`` writes random flags with a planted label to a Parquet file,
runs each step in a process of its own, adds a line for it to ``benchmarks/results/streaming.jsonl``, and writes the
table of ``streaming.md``. With ``--times 10``, the file is listed ten times, so that 10^9 rows need not be written. The
Parquet file is removed at the end. Memory is the largest resident set.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars
import pyarrow
import pyarrow.parquet

import hornbeam
from benchmarks import results
from benchmarks.regressions import add

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


def _read(paths: list[Path]) -> dict[str, Any]:
    frame = polars.scan_parquet(paths).select(polars.all().sum()).collect(engine="streaming")
    return {"rows_of_label": frame["label"].item()}


def _load(paths: list[Path]) -> dict[str, Any]:
    return {"rows": len(polars.read_parquet(paths))}


def _group(paths: list[Path]) -> dict[str, Any]:
    rows = polars.scan_parquet(paths)
    grouped = rows.group_by(rows.collect_schema().names()).len().select(polars.len())
    return {"groups": grouped.collect(engine="streaming").item()}


def _fitted(paths: list[Path], make: Callable[..., Any]) -> Any:
    classifier = make(_PENALTY, max_depth=3, binarizer=None, time_limit=None)
    return classifier.fit(polars.scan_parquet(paths), "label")


def _fit(paths: list[Path]) -> dict[str, Any]:
    classifier = _fitted(paths, hornbeam.GOSDTClassifier)
    return {"objective": classifier.objective_, "status": classifier.status_}


def _fit_lickety(paths: list[Path]) -> dict[str, Any]:
    return {"objective": _fitted(paths, hornbeam.LicketySPLITClassifier).objective_}


def _predict(paths: list[Path]) -> dict[str, Any]:
    flags = polars.scan_parquet(paths).head(10_000)
    classifier = hornbeam.GOSDTClassifier(_PENALTY, max_depth=3, binarizer=None).fit(flags, "label")
    predictions = paths[0].with_name("predictions.parquet")
    return {"rows": classifier.predict_to_parquet(polars.scan_parquet(paths), predictions)}


STEPS: Mapping[str, Callable[[list[Path]], dict[str, Any]]] = {
    "polars reads": _read,
    "polars loads": _load,
    "polars groups": _group,
    "GOSDT depth 3": _fit,
    "LicketySPLIT depth 3": _fit_lickety,
    "predictions": _predict,
}


def _measure(step: str, paths: list[Path], queue: Any) -> None:
    begin, begin_wall = time.process_time(), time.perf_counter()
    found = STEPS[step](paths)
    seconds, wall = time.process_time() - begin, time.perf_counter() - begin_wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    queue.put({"cpu_seconds": seconds, "wall_seconds": wall, "peak_bytes": peak, **found})


def _measured(step: str, paths: list[Path]) -> dict[str, Any]:
    """Measure a step in a process of its own; one that is killed for its memory is said to have failed."""
    queue = _SPAWN.Queue()
    process = _SPAWN.Process(target=_measure, args=(step, paths, queue))
    process.start()
    process.join()
    return {"exit_code": process.exitcode} if process.exitcode else dict(queue.get())


def run(
    path: Path,
    n_rows: int,
    n_columns: int,
    steps: Sequence[str],
    directory: Path | None,
    n_times: int = 1,
    n_repeats: int = 1,
) -> None:
    """Measure the steps in turn, so often; add the median of each to a file.

    Parameters
    ----------
    path : Path
        The file of results.
    n_rows, n_columns : int
        Of the Parquet file.
    steps : sequence of str
    directory : Path or None
        Where the Parquet file is; None: the folder of the system for temporary files.
    n_times : int, default=1
        How often the table has the rows of the file.
    n_repeats : int, default=1
    """
    with TemporaryDirectory(prefix="hornbeam-streaming-", dir=directory) as folder:
        file = Path(folder, "flags.parquet")
        write_table(file, n_rows, n_columns)
        found = [{step: _measured(step, [file] * n_times) for step in steps} for _ in range(n_repeats)]
        sizes = {"n_rows": n_rows * n_times, "n_columns": n_columns, "n_times": n_times, "n_repeats": n_repeats}
        for step in steps:
            runs = [each[step] for each in found]
            record = {**runs[0], **({"exit_code": 1} if any("exit_code" in one for one in runs) else _medians(runs))}
            add(path, {"step": step, **sizes, "file_bytes": file.stat().st_size, **record})


def _medians(runs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    times = {name: median(one[name] for one in runs) for name in ("cpu_seconds", "wall_seconds")}
    return {**times, "peak_bytes": max(one["peak_bytes"] for one in runs)}


def report(path: Path, page: Path) -> None:
    """Write the table of the latest run of each step for tables of each size."""
    latest = {(one["n_columns"], one["n_rows"], one["step"]): one for one in results.load(path)}
    sizes = sorted({size[:2] for size in latest})
    lines = [
        "# Tables larger than memory",
        "",
        "Random flags with a label in a Parquet file, which is listed several times where so stated. A cell has the",
        "CPU seconds of all threads, the wall time and the largest memory of the process: medians, if each step was",
        "run several times, in turn with the others. *polars reads*: the file is streamed, its columns are added up,",
        "and nothing is kept. *polars loads*: `read_parquet`, which keeps the table in memory. The last two columns",
        "are the CPU seconds of GOSDT, whose trees are proven to be optimal, over those of these two steps.",
        "",
        "| rows | flags | file | runs |" + "".join(f" {step} |" for step in STEPS) + " GOSDT / reads | GOSDT / loads |",
        "| --: | --: | --: | --: |" + " --: |" * len(STEPS) + " --: | --: |",
    ]
    for n_columns, n_rows in sizes:
        of_size = {step: latest.get((n_columns, n_rows, step)) for step in STEPS}
        one = next(record for record in of_size.values() if record)
        file = f"{one['file_bytes'] / 1e6:,.0f} MB" + (f", {one['n_times']} times" if one["n_times"] > 1 else "")
        cells = " | ".join(_cell(record) for record in of_size.values())
        fit = of_size["GOSDT depth 3"]
        ratios = " | ".join(_ratio(fit, of_size[step]) for step in ("polars reads", "polars loads"))
        lines.append(f"| {n_rows:,} | {n_columns} | {file} | {one['n_repeats']} | {cells} | {ratios} |")
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _ratio(fit: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    if not fit or not other or "exit_code" in fit or "exit_code" in other:
        return ""
    return f"{fit['cpu_seconds'] / other['cpu_seconds']:.2f}"


def _cell(record: Mapping[str, Any] | None) -> str:
    if record is None:
        return ""
    if "exit_code" in record:
        return "failed"
    times = f"{record['cpu_seconds']:.3g} s, {record['wall_seconds']:.3g} s"
    return f"{times}, {record['peak_bytes'] / 1e9:.2g} GB"
