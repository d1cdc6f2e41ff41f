"""Tables 7 to 9 of the SPLIT paper: training objective and time of CART, GOSDT, SPLIT and LicketySPLIT."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import train_test_split

from benchmarks import data
from benchmarks.papers.measure import Method, measure, write_report
from benchmarks.report.markdown import NOTHING, render
from benchmarks.report.plots.canvas import save
from benchmarks.trees import score
from benchmarks.worker import stopwatch

METHODS = {
    "CART": Method("cart"),
    "LicketySPLIT": Method("hornbeam_lickety", {"last_split": "gain"}),
    "LicketySPLIT by loss": Method("hornbeam_lickety", {"last_split": "loss"}),
    "SPLIT": Method("hornbeam_split", {"last_split": "gain"}),
    "SPLIT by loss": Method("hornbeam_split", {"last_split": "loss"}),
    "GOSDT": Method("hornbeam"),
}
MAX_DEPTH = 5
SPLITS = 3


class Source(NamedTuple):
    """Where the rows of a data set of the paper come from, and how many boosted stumps guess its thresholds."""

    dataset: str
    stumps: int | None
    note: str


SOURCES = {
    "bike": Source("bike_hour_cls", 200, "all rows"),
    "adult": Source("adult", 200, "all rows"),
    "covertype": Source("covertype20k", 200, "20000 of the 581012 rows, class 2 against the rest: not comparable"),
    "compas": Source("compas_fairml.bin", None, "all rows, the authors' binary columns"),
    "netherlands": Source("netherlands_part11000", 200, "11000 of the 20000 rows"),
    "spambase": Source("spambase", 200, "all rows; not in these tables"),
    "bank": Source("bank", 200, "all rows; not in these tables"),
    "hypothyroid": Source("hypothyroid", 200, "all rows and classes; not in these tables"),
}
_EXPLANATION = """\
Means over {splits} random splits of 80 to 20 per cent, ± the standard deviation. Depth at most {depth} edges,
thresholds guessed on the training part by boosted stumps. GOSDT is hornbeam's exact search with {limit:g} s; where a
run does not prove its tree, the mean of its lower bounds stands after ≥. *Excess*: of the training objective over the
best one that any method found on the same split. SPLIT searches two levels of splits; SPLIT and LicketySPLIT are those
of the paper, `last_split="gain"`, and *by loss* the last split of a greedy tree leaves the least loss, as in the
package licketysplit. CART is scikit-learn's, cut back to its best subtree for the price of a leaf;
beside it stands the paper's "Greedy", whose settings it does not give. *Paper*: Babbar et al., "Near-Optimal Decision
Trees in a SPLIT Second", ICML 2025, tables 7 to 9, on an Intel Xeon Gold 6226; its program counts depth in nodes, so
that its "depth 5" is 4 edges, of LicketySPLIT 5, and its columns are others: the objectives can be near, not equal.
On adult the paper's objectives are up to 0.025 above ours. They do not go with its own tables 10 to
12, where trees of SPLIT and LicketySPLIT have test losses from 0.148 to 0.159, much as ours, so the columns of its
tables 7 to 9 seem to be others again. Covertype is another problem here, see below, and of Netherlands a part.
"""
_TABLE = """\
λ = {regularization:g} | data = {dataset} | method = {method} | objective = {objective} | excess = {excess:.4f}
paper = {paper} | seconds = {seconds:n} | paper's seconds = {paper_seconds:n} | test loss = {test_loss}
leaves = {leaves:.1f}
"""
_DATA = """\
data = {dataset} | file = {source.dataset} | rows = {source.note} | training rows = {rows:,}
binary columns = {columns} | seconds to guess = {seconds:n}
"""


def published() -> dict[tuple[float, str, str], dict[str, float]]:
    """Return objective, deviation and seconds of the paper by regularization, data set and method."""
    with Path(__file__).with_name("split_published.tsv").open(encoding="utf-8") as file:
        return {
            (float(row["regularization"]), row["dataset"], row["method"]): {
                name: float(row[name]) for name in ("objective", "deviation", "seconds")
            }
            for row in csv.DictReader(file, delimiter="\t")
        }


def regularizations(name: str) -> list[float]:
    """Return the prices of a leaf at which the paper's tables have a data set; of the others 0.006 and 0.011."""
    return sorted({price for price, dataset, _ in published() if dataset == name}) or [0.006, 0.011]


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all methods to a data set."""
    source = SOURCES[name]
    X, y = data.read(source.dataset)
    codes = (np.asarray(y) == 2).astype(np.int64) if name == "covertype" else np.unique(y, return_inverse=True)[1]
    for split in range(SPLITS):
        train, test = train_test_split(np.arange(len(codes)), test_size=0.2, random_state=split)
        user_seconds = stopwatch()
        if source.stumps is None:
            columns = np.asarray(X, dtype=np.uint8)
            train_columns, test_columns = columns[train], columns[test]
        else:
            binarizer = data.guess(source.stumps).fit(X[train], codes[train])
            train_columns, test_columns = (binarizer.transform(X[rows]).astype(np.uint8) for rows in (train, test))
        binarize_seconds = user_seconds()
        for price in regularizations(name):
            for method in METHODS:
                outcome, fields = measure(METHODS[method], train_columns, codes[train], price, MAX_DEPTH, limit)
                worth = score(outcome.tree or {}, test_columns, codes[test], price)
                yield {
                    "dataset": name,
                    "rows": len(train),
                    "columns": train_columns.shape[1],
                    "split": split,
                    "regularization": price,
                    "method": method,
                    "limit": limit,
                    **fields,
                    "test_loss": worth.errors / len(test),
                    "binarize_seconds": binarize_seconds,
                }


def report(records: list[dict[str, Any]], directory: Path) -> Path:
    """Write ``paper-split.md`` and its picture."""
    groups: dict[tuple[float, str, str], list[dict[str, Any]]] = defaultdict(list)
    best: dict[tuple[float, str, int], float] = defaultdict(lambda: float("inf"))
    for record in records:
        groups[record["regularization"], record["dataset"], record["method"]].append(record)
        key = record["regularization"], record["dataset"], record["split"]
        best[key] = min(best[key], record["objective"])
    excess = {
        key: mean(one["objective"] - best[one["regularization"], one["dataset"], one["split"]] for one in runs)
        for key, runs in groups.items()
    }
    order = sorted(groups, key=lambda key: (key[0], list(SOURCES).index(key[1]), list(METHODS).index(key[2])))
    rows = [_row(key, groups[key], excess[key]) for key in order]
    by_source = {name: [one for one in records if one["dataset"] == name] for name in SOURCES}
    sources = [_sizes(name, runs) for name, runs in by_source.items() if runs]
    picture = _draw(groups, excess, directory / "paper-split.png")
    limit = max(record["limit"] for record in records)
    return write_report(
        directory,
        "split",
        "SPLIT paper, tables 7 to 9",
        records,
        _EXPLANATION.format(splits=SPLITS, depth=MAX_DEPTH, limit=limit),
        render(_TABLE, rows, 3),
        f"![Excess of the training objective against seconds]({picture.name})\n",
        "## Data\n",
        render(_DATA, sources, 3),
    )


def _row(key: tuple[float, str, str], runs: list[dict[str, Any]], excess: float) -> dict[str, Any]:
    paper = published().get(key)
    objective = _mean_of(runs, "objective")
    n_proven = sum(run["proven"] for run in runs)
    if key[2] == "GOSDT" and n_proven < len(runs):
        objective += f", {n_proven} of {len(runs)} proven, ≥ {mean(run['lower_bound'] for run in runs):.4f}"
    return {
        **runs[0],
        "objective": objective,
        "excess": excess,
        "paper": f"{paper['objective']:.4f} ± {paper['deviation']:.4f}" if paper else NOTHING,
        "seconds": mean(run["user_seconds"] for run in runs),
        "paper_seconds": paper["seconds"] if paper else None,
        "test_loss": _mean_of(runs, "test_loss"),
        "leaves": mean(run["leaves"] for run in runs),
    }


def _mean_of(runs: list[dict[str, Any]], name: str) -> str:
    values = [run[name] for run in runs]
    return f"{mean(values):.4f} ± {stdev(values) if len(values) > 1 else 0.0:.4f}"


def _sizes(name: str, runs: list[dict[str, Any]]) -> dict[str, Any]:
    columns = {run["columns"] for run in runs}
    return {
        **runs[0],
        "source": SOURCES[name],
        "columns": f"{min(columns)} to {max(columns)}" if len(columns) > 1 else min(columns),
        "seconds": mean({run["split"]: run["binarize_seconds"] for run in runs}.values()),
    }


def _draw(groups: dict[Any, list[dict[str, Any]]], excess: dict[Any, float], path: Path) -> Path:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for method, marker in zip(METHODS, "s^voPD", strict=True):
            keys = [key for key in groups if key[2] == method]
            seconds = [max(1e-3, mean(run["user_seconds"] for run in groups[key])) for key in keys]
            axes.plot(seconds, [excess[key] for key in keys], marker, label=method, alpha=0.7, clip_on=False)
        axes.set(xscale="log", xlabel="user CPU seconds of a fit", ylabel="excess over the best objective")
        axes.legend()

    return save(draw, 4.0, path)
