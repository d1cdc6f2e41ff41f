"""Survival trees: time, memory and deviance of optimal trees, next to STreeD, OSST and scikit-survival's greedy tree.

``python -m benchmarks survival`` fits each problem of `PROBLEMS` with each peer, in a process of its own, adds a line
for each to ``benchmarks/results/survival.jsonl``, and writes the table of ``survival.md``. All peers get the same
columns of 0 and 1. There is no leaf penalty, since STreeD has none for this task. The objective is the deviance of
LeBlanc and Crowley over that of a single leaf, counted from the leaves of the rows. OSST minimizes another loss, the
integrated Brier score, and scikit-survival's tree none, so their trees can only be compared by chance.

The real tables are read from scikit-survival, which is in the environment of STreeD.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import environments
from benchmarks.regressions import Numbers, add, binary, record_of, write_table


class Problem(NamedTuple):
    """A table, its thresholds, and the largest depth of its trees."""

    data: str  # a table of scikit-survival, or "generated" with the number of rows
    max_depth: int
    n_quantiles: int = 4  # of each column at most


_SIZES = ("500", "5000", "50000")
PROBLEMS: Mapping[str, Problem] = {
    **{
        f"{name}, depth {d}": Problem(name, d) for d in (3, 4, 5) for name in ("veteran", "whas500", "GBSG2", "flchain")
    },
    **{f"{int(n):,} rows, depth {d}": Problem(f"generated {n}", d) for d in (3, 4, 5) for n in _SIZES},
}
PEERS = ("hornbeam", "streed", "osst", "sksurv")
_NAMES = {"hornbeam": "hornbeam", "streed": "STreeD", "osst": "OSST", "sksurv": "scikit-survival"}
_ENVIRONMENT_OF = {"sksurv": "streed"}  # which STreeD needs
_TIMES = {
    "veteran": ("Status", "dead", "Survival_in_days"),
    "whas500": ("fstat", "1", "lenfol"),
    "GBSG2": ("cens", "1", "time"),
    "flchain": ("death", "dead", "futime"),
}
_LEFT_OUT = {"flchain": ("chapter",)}  # the cause of death


def read(data: str) -> tuple[Numbers, npt.NDArray[np.bool_], Numbers]:
    """Return columns of numbers, events and times; a category is a column of 0 and 1."""
    if data.startswith("generated"):
        return generate(int(data.split()[1]))
    from scipy.io.arff import loadarff

    library = environments.python("streed").parents[1]
    (path,) = library.glob(f"lib/*/site-packages/sksurv/datasets/data/{data}.arff")
    table, about = loadarff(str(path))
    event, seen, time = _TIMES[data]
    columns = []
    for name, kind in zip(about.names(), about.types(), strict=True):
        if name in (event, time, *_LEFT_OUT.get(data, ())):
            continue
        if kind == "nominal":
            columns += [table[name] == value for value in np.unique(table[name])]
        else:
            # What is missing is in a bin of its own.
            columns.append(np.where(np.isnan(table[name]), -np.inf, table[name]))
    return np.column_stack(columns).astype(np.float64), table[event] == seen.encode(), table[time]


def generate(n_rows: int, n_columns: int = 10) -> tuple[Numbers, npt.NDArray[np.bool_], Numbers]:
    """Return independent normal columns, and times with the hazards of eight leaves, of which a third are censored."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n_rows, n_columns)).round(2)
    left = 0.8 + 0.6 * (X[:, 1] > 0.5) + 0.4 * (X[:, 2] > 0)
    right = 0.5 * (X[:, 3] > -0.5) - 0.5 * (X[:, 4] > 0)
    times = draw.exponential(np.exp(-np.where(X[:, 0] > 0, left, right)))
    last_seen = draw.uniform(0, 2, n_rows)
    return X, times <= last_seen, np.minimum(times, last_seen).round(4)


def run(path: Path, names: Sequence[str], peers: Sequence[str], limit: float) -> None:
    """Fit each problem with each peer, print it and add it to a file; a run that ends with an error says so."""
    with TemporaryDirectory(prefix="hornbeam-survival-") as folder:
        for name in names:
            problem = PROBLEMS[name]
            numbers, events, times = read(problem.data)
            # A row that is censored before the first event says nothing, but STreeD gives it a hazard of its own.
            kept = times >= times[events == 1].min()
            X = binary(numbers[kept], problem.n_quantiles)
            archive = Path(folder, "table.npz")
            np.savez(archive, X=X, events=events[kept], times=times[kept])
            for peer in peers:
                command = [str(environments.python(_ENVIRONMENT_OF.get(peer, peer))), "-m", "benchmarks.survival_peers"]
                command += [peer, str(archive), str(problem.max_depth), str(limit)]
                sizes = {"n_rows": len(X), "n_columns": X.shape[1]}
                known = {"problem": name, "peer": peer, **problem._asdict(), **sizes, "penalty": 0.0, "limit": limit}
                add(path, {**known, **record_of(command, limit)})


def report(path: Path, page: Path) -> None:
    """Write the table of the latest run of each problem and peer."""
    head = [
        "# Survival trees",
        "",
        "Deviance of LeBlanc and Crowley over that of a single leaf, over the same columns of 0 and 1 for all peers.",
        "OSST minimizes the integrated Brier score instead, and scikit-survival's tree is greedy; their deviance is",
        "only for orientation.",
    ]
    write_table(path, page, head, _NAMES)
