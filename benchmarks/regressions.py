"""Regression trees: time, memory and objective of optimal trees, next to STreeD, OSRT and scikit-learn's pruned tree.

``python -m benchmarks regression`` fits each problem of `PROBLEMS` with each peer, in a process of its own, adds a line
for each to ``benchmarks/results/regression.jsonl``, and writes the table of ``regression.md``. All peers get the same
columns of 0 and 1: whether a number is at most one of its quantiles. The objective is the squared error over that of a
single leaf plus a penalty for each leaf, counted from the predictions; so CART, which proves nothing, can be compared.

Problems without quantiles are the numbers themselves, with every threshold. They are those of Quant-BnB
(arXiv 2206.11844), a program in Julia that is in no package registry: `PUBLISHED` has another group's run of it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks import environments, results

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_PATIENCE, _GRACE = 2, 30  # a peer that does not end after so many times the limit, and seconds more, is killed
_SAME = 1e-9  # objectives differ by more than rounding
Numbers = npt.NDArray[np.float64]


class Problem(NamedTuple):
    """A table, its thresholds, and the trees that are compared."""

    data: str  # a file of ../shared/data, "diabetes", or "generated" with the number of rows
    penalty: float
    max_depth: int | None
    n_quantiles: int | None = 8  # of each column at most; None for the numbers themselves


PROBLEMS: Mapping[str, Problem] = {
    "diabetes, depth 3": Problem("diabetes", 0.01, 3),
    "fish, depth 3": Problem("qbnb_fish", 0.01, 3),
    "concrete, depth 3": Problem("qbnb_concrete", 0.01, 3),
    "bike_hour, depth 3": Problem("bike_hour", 0.01, 3),
    "diabetes, depth 4": Problem("diabetes", 0.01, 4),
    "fish, depth 4": Problem("qbnb_fish", 0.01, 4),
    "concrete, depth 4": Problem("qbnb_concrete", 0.005, 4),
    "bike_hour, depth 4": Problem("bike_hour", 0.01, 4),
    "fish, depth 5": Problem("qbnb_fish", 0.01, 5, 4),
    "concrete, depth 5": Problem("qbnb_concrete", 0.01, 5, 4),
    "diabetes, any depth": Problem("diabetes", 0.03, None, 4),
    "concrete, any depth": Problem("qbnb_concrete", 0.02, None, 4),
    "1,000 rows, depth 3": Problem("generated 1000", 0.005, 3),
    "10,000 rows, depth 3": Problem("generated 10000", 0.005, 3),
    "100,000 rows, depth 3": Problem("generated 100000", 0.005, 3),
    "1,000,000 rows, depth 3": Problem("generated 1000000", 0.005, 3),
    "fish, all thresholds, depth 2": Problem("qbnb_fish", 0, 2, None),
    "fish, all thresholds, depth 3": Problem("qbnb_fish", 0, 3, None),
    "concrete, all thresholds, depth 2": Problem("qbnb_concrete", 0, 2, None),
    "concrete, all thresholds, depth 3": Problem("qbnb_concrete", 0, 3, None),
}


class Published(NamedTuple):
    """What Quant-BnB takes, and the share of the variance that its proven tree explains."""

    seconds: float
    r2: float


# From results/quantbnb_regression_10m.json of github.com/mimvdb/codt-experiments, commit 66c9c2c: runs on all rows.
PUBLISHED: Mapping[str, Published] = {
    "fish, all thresholds, depth 2": Published(0.030, 0.45325748802162136),
    "fish, all thresholds, depth 3": Published(19.96, 0.5507900765610246),
    "concrete, all thresholds, depth 2": Published(0.046, 0.49084337189279936),
    "concrete, all thresholds, depth 3": Published(75.94, 0.6581684610773748),
}
PEERS = ("hornbeam", "streed", "osrt", "cart")
_NAMES = {"hornbeam": "hornbeam", "streed": "STreeD", "osrt": "OSRT", "cart": "CART, pruned"}
_BINARY_ONLY = ("streed", "osrt")
_SOURCE = {"cart": "hornbeam"}  # scikit-learn is in the environment of the benchmarks


def read(data: str) -> tuple[Numbers, Numbers]:
    """Return columns of numbers and the target."""
    if data == "diabetes":
        from sklearn.datasets import load_diabetes

        X, y = load_diabetes(return_X_y=True, scaled=False)
        return np.asarray(X), np.asarray(y)
    if data.startswith("generated"):
        return generate(int(data.split()[1]))
    table = np.loadtxt(_DATA / f"{data}.csv", delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def generate(n_rows: int, n_columns: int = 10) -> tuple[Numbers, Numbers]:
    """Return independent normal columns, and a target that a tree of eight leaves explains to about a half."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n_rows, n_columns)).round(2)
    rule = np.where(X[:, 0] > 0, 2 * (X[:, 1] > 0.5) + (X[:, 2] > 0), (X[:, 3] > -0.5) - 1.0 * (X[:, 4] > 0))
    return X, (rule + draw.normal(size=n_rows)).round(3)


def binary(X: Numbers, n_quantiles: int) -> npt.NDArray[np.uint8]:
    """Return whether each number is at most each of its quantiles, without columns that are equal or constant."""
    shares = np.arange(1, n_quantiles + 1) / (n_quantiles + 1)
    columns = []
    for column in X.T:
        values = np.unique(column)
        # Of few values, all but the largest one are thresholds.
        thresholds = values[:-1] if len(values) <= n_quantiles + 1 else np.unique(np.quantile(column, shares))
        columns += [column <= threshold for threshold in thresholds if threshold < values[-1]]
    return np.unique(np.array(columns, dtype=np.uint8), axis=0).T


def run(path: Path, names: Sequence[str], peers: Sequence[str], limit: float) -> None:
    """Fit each problem with each peer, print it and add it to a file; a run that ends with an error says so."""
    with TemporaryDirectory(prefix="hornbeam-regression-") as folder:
        for name in names:
            problem = PROBLEMS[name]
            numbers, y = read(problem.data)
            X = numbers if problem.n_quantiles is None else binary(numbers, problem.n_quantiles)
            archive = Path(folder, "table.npz")
            np.savez(archive, X=X, y=y)
            for peer in peers:
                if peer in _BINARY_ONLY and problem.n_quantiles is None:
                    continue
                command = [str(environments.python(_SOURCE.get(peer, peer))), "-m", "benchmarks.regression_peers"]
                command += [peer, str(archive), str(problem.penalty), str(problem.max_depth), str(limit)]
                sizes = {"n_rows": len(y), "n_columns": X.shape[1]}
                known = {"problem": name, "peer": peer, **problem._asdict(), **sizes, "limit": limit}
                add(path, {**known, **record_of(command, limit)})


def add(path: Path, record: Mapping[str, Any]) -> None:
    """Print a record, and add it to a file with the machine and the commit."""
    print(json.dumps(record), flush=True)
    results.store(path, [*results.load(path), {**results.origin(), **record}])


def record_of(command: Sequence[str], limit: float) -> dict[str, Any]:
    """Run a peer; return the fields that it prints, or the error that it ends with."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE * limit + _GRACE)
    except subprocess.TimeoutExpired:
        return {"error": f"killed after {_PATIENCE * limit + _GRACE:g} s"}
    if done.returncode:
        return {"error": (done.stderr.splitlines() or [f"ended with {done.returncode}"])[-1]}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(path: Path, page: Path) -> None:
    """Write the table of the latest run of each problem and peer."""
    head = [
        "# Regression trees",
        "",
        "Squared error over that of a single leaf, plus a penalty for each leaf, over the same columns of 0 and 1 for",
        "all peers. Problems with all thresholds are over numbers; the last column has the seconds of another group's",
        "run of Quant-BnB, on another machine.",
    ]
    published = {name: f"{one.seconds:g} s" for name, one in PUBLISHED.items()}
    write_table(path, page, head, _NAMES, ("Quant-BnB, published", published))
    latest = {one["problem"]: one for one in results.load(path) if one["peer"] == "hornbeam" and "objective" in one}
    pairs = [(latest[name], one) for name, one in PUBLISHED.items() if name in latest]
    same = sum(abs(1 - mine["objective"] - its.r2) < _SAME for mine, its in pairs)
    with page.open("a", encoding="utf-8") as file:
        file.write(f"* Quant-BnB, published: the same objective in {same} of {len(pairs)} problems.\n")


def write_table(
    path: Path,
    page: Path,
    head: Sequence[str],
    known: Mapping[str, str],
    published: tuple[str, Mapping[str, str]] | None = None,
) -> None:
    """Write a heading and the table of the latest run of each problem and peer.

    `known` has the names of peers, `published` the name and the cells of a last column.
    """
    latest = {(one["problem"], one["peer"]): one for one in results.load(path)}
    names = {peer: name for peer, name in known.items() if any(other == peer for _, other in latest)}
    heads = [*names.values(), *published[:1]] if published else [*names.values()]
    limits = " and ".join(f"{limit:g} s" for limit in sorted({one["limit"] for one in latest.values()}))
    lines = [
        *head,
        "A cell has the user CPU seconds of `fit`, and the objective if the tree is not proven. Limit:",
        f"{limits} of wall clock.",
        "",
        f"| problem | rows x columns | penalty | {' | '.join(heads)} |",
        f"| :-- | --: | --: |{' --: |' * len(heads)}",
    ]
    for problem in dict.fromkeys(problem for problem, _ in latest):
        cells = [cell(latest.get((problem, peer)), _figures) for peer in names]
        cells += [published[1].get(problem, "")] if published else []
        one = next(latest[problem, peer] for peer in names if (problem, peer) in latest)
        size = f"{one['n_rows']:,} x {one['n_columns']}"
        lines.append(f"| {problem} | {size} | {one['penalty']:g} | {' | '.join(cells)} |")
    lines += ["", *(line for peer in names if peer != "hornbeam" for line in _summary(latest, peer, names[peer]))]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


def cell(record: Mapping[str, Any] | None, figures: Callable[[Mapping[str, Any]], str]) -> str:
    """Return the text of a run, by `figures` if it has a tree."""
    if record is None:
        return ""
    return "no tree" if "error" in record else figures(record)


def _figures(record: Mapping[str, Any]) -> str:
    seconds = f"{record['user_seconds']:.3g} s"
    return seconds if record["proven"] else f"{seconds}, {record['objective']:.5f}"


def _summary(latest: Mapping[tuple[str, str], Mapping[str, Any]], peer: str, called: str) -> list[str]:
    """Return sentences that compare a peer with hornbeam on the problems that both have run."""
    names = [name for name, other in latest if other == peer and (name, "hornbeam") in latest]
    pairs = [(latest[name, "hornbeam"], latest[name, peer]) for name in names]
    both = [(mine, its) for mine, its in pairs if mine.get("proven") and its.get("proven")]
    lines = []
    if both:
        lines.append(f"* {called}: both prove {len(both)} of {len(pairs)} problems; {ratios(both)}.")
    mine_only = sum(bool(mine.get("proven")) and not its.get("proven") for mine, its in pairs)
    its_only = sum(bool(its.get("proven")) and not mine.get("proven") for mine, its in pairs)
    with_trees = [(mine, its) for mine, its in pairs if "objective" in mine and "objective" in its]
    worse = sum(mine["objective"] > its["objective"] + _SAME for mine, its in with_trees)
    better = sum(mine["objective"] < its["objective"] - _SAME for mine, its in with_trees)
    if any(its.get("proven") for _, its in pairs):
        lines.append(f"* {called} alone proves {its_only} problems, hornbeam alone {mine_only}.")
    lines.append(
        f"* {called}: the tree of hornbeam is better for {better} and worse for {worse} of {len(with_trees)} problems."
    )
    return lines


def ratios(pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """Return the geometric means of its time and memory over those of hornbeam."""

    def ratio(field: str, least: float) -> float:
        return float(np.exp(np.mean([np.log(max(its[field], least) / max(mine[field], least)) for mine, its in pairs])))

    seconds, memory = ratio("user_seconds", 1e-4), ratio("bytes", 2**20)
    return f"it takes {seconds:.3g} times the time and {memory:.3g} times the memory of hornbeam (geometric means)"
