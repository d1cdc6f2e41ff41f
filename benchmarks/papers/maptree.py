"""MAPTree on the CP4IM data: log posterior, its bound, time and memory, compared with the authors' program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from benchmarks import data
from benchmarks.papers import maptree_sampling
from benchmarks.papers.measure import Records, attributes, fit_seconds, read_rows, write_report
from benchmarks.report.markdown import count
from benchmarks.report.plots import panels, picture
from benchmarks.worker import peak_bytes, reset_peak, stopwatch
from hornbeam import MAPTreeClassifier, log_posterior
from hornbeam.estimators import Progress

# Where the authors' program was after some seconds, on a machine like this one: its bound below minus the log posterior
# ("cost"), and its tree.
PUBLISHED = {row["dataset"]: row for row in read_rows("maptree_published")}
_SAMPLED = ", sampled"
SOURCES = (*PUBLISHED, *(f"{name}{_SAMPLED}" for name in PUBLISHED))
_FIRST_SECONDS = 0.001  # left end of the pictures
_SOON = 1.0  # seconds that a search has for each of the 10 folds
_ROUNDING = 1e-6  # the published figures have six decimals
_SEARCH, _AUTHORS = "#0072B2", "#D55E00"


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Search for the most probable tree of a data set for `limit` seconds of user CPU, or sample trees."""
    if name.endswith(_SAMPLED):
        yield from maptree_sampling.records_of(f"cp4im_{name.removesuffix(_SAMPLED)}.bin")
        return
    # A process of its own: memory that an earlier search gave back would hide what this one uses.
    with get_context("spawn").Pool(1) as pool:
        yield pool.apply(search, (f"cp4im_{name}.bin", limit))


def search(dataset: str, limit: float) -> dict[str, Any]:
    """Search for the most probable tree of a data set of binary columns for `limit` seconds of user CPU.

    "trace" holds user CPU seconds, minus the log posterior and its lower bound at each change.
    """
    X, y = data.read_binary(dataset)
    MAPTreeClassifier().fit([[0], [1]], [0, 1])  # loads what fits load
    baseline, user_seconds = reset_peak(), stopwatch()
    clocks = [(0.0, 0.0)]

    def clock(progress: Progress) -> bool:
        clocks.append((progress.elapsed, user_seconds()))
        return clocks[-1][1] >= limit

    classifier = MAPTreeClassifier(binarizer=None, time_limit=None, callback=clock, trace=True)
    seconds, peak = fit_seconds(classifier, X, y), peak_bytes()
    clocks.append((max(classifier.trace_[-1].elapsed, clocks[-1][0]), seconds))
    wall, user = np.transpose(clocks)
    return {
        "rows": len(X),
        "columns": X.shape[1],
        "cost": -log_posterior(classifier.tree_, X, y, conditions=classifier.binarizer_.conditions_),
        "lower_bound": -classifier.upper_bound_,
        "proven": classifier.status_ == "optimal",
        "user_seconds": seconds,
        "expansions": classifier.statistics_["subproblems"],
        "search_bytes": classifier.statistics_["bytes"],
        "process_bytes": peak - baseline,
        **attributes(classifier, "depth", leaves="n_leaves"),
        "accuracy": classifier.score(X, y),
        "trace": [
            [float(np.interp(step.elapsed, wall, user)), step.objective, step.lower_bound] for step in classifier.trace_
        ],
    }


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-maptree.md`` and its pictures."""
    sampled = [
        {**record, "dataset": record["dataset"].removesuffix(_SAMPLED)} for record in records if "sampler" in record
    ]
    searches = [record for record in records if "sampler" not in record]
    searches.sort(key=lambda record: (not record["proven"], record["user_seconds"]))
    with picture(directory / "paper-maptree.png", 9.0) as figure:
        cells = panels(figure, len(searches), 3)
        for axes, record in zip(cells, searches, strict=True):
            _draw_search(axes, record, PUBLISHED[record["dataset"]])
        figure.supxlabel("seconds, of user CPU for hornbeam, logarithmic", fontsize=10)
        figure.supylabel("log posterior of the best tree and its upper bound (nats)", fontsize=10)
        figure.legend(*cells[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    rows = [{**record, "them": PUBLISHED[record["dataset"]]} for record in searches]
    for row in rows:
        them = row["them"]
        row |= {
            "log_posterior": -row["cost"],
            "upper": "proven" if row["proven"] else f"{-row['lower_bound']:.2f}",
            "nodes": 2 * row["leaves"] - 1,
            "soon": maptree_sampling.found_after(row, _SOON),
            "their_log_posterior": -them["cost"],
            "their_upper": "proven" if them["cost"] == them["lower_bound"] else f"{-them['lower_bound']:.2f}",
        }
    sampling = maptree_sampling.rows_of(searches, sampled)
    if sampling:
        maptree_sampling.draw(searches, sampled, directory)
    return write_report(
        directory,
        "maptree",
        records,
        verdict=_verdict(rows),
        rows=rows,
        sampling=sampling,
        sampling_verdict=maptree_sampling.verdict(sampling),
        sampling_seeds=len(maptree_sampling.SEEDS),
        sampling_steps=maptree_sampling.STEPS[-1],
    )


def _verdict(rows: Records) -> str:
    """Sum up the comparison with the authors' program."""

    def listed(holds: Callable[[dict[str, Any], dict[str, Any]], bool]) -> str:
        names = [one["dataset"] for one in rows if holds(one, one["them"])]
        return f"{len(names)} ({', '.join(names)})" if names else "0"

    def is_above(bound: dict[str, Any], tree: dict[str, Any]) -> bool:
        return bool(bound["lower_bound"] > tree["cost"] + _ROUNDING)

    gains = {one["dataset"]: -one["cost"] - one["soon"] for one in rows}
    late = [f"{name} ({gain:.2f} nats)" for name, gain in gains.items() if gain > _ROUNDING]
    verdict = (
        f"Of {count(len(rows), 'data set')} {listed(lambda one, _: one['proven'])} are proven (by the authors' "
        f"program {sum(one['their_upper'] == 'proven' for one in rows)}). Against the authors' tree the one found here "
        f"is better on {listed(lambda one, them: one['cost'] < them['cost'] - _ROUNDING)}, equally good on "
        f"{listed(lambda one, them: abs(one['cost'] - them['cost']) <= _ROUNDING)}, worse on "
        f"{listed(lambda one, them: one['cost'] > them['cost'] + _ROUNDING)}. The bound is the tighter one on "
        f"{sum(one['lower_bound'] > one['them']['lower_bound'] + _ROUNDING for one in rows)}. A bound contradicts a "
        f"tree of the other program on {listed(lambda one, them: is_above(one, them) or is_above(them, one))}. After "
        f"{_SOON:g} s the tree is already that of the whole time on {len(rows) - len(late)}"
    )
    return fill(f"{verdict}; it gets better after that on {', '.join(late)}." if late else f"{verdict}.", 118)


def _draw_search(axes: Axes, record: dict[str, Any], them: dict[str, Any]) -> None:
    seconds, cost, bound = np.transpose(record["trace"])
    seconds = np.maximum([*seconds, record["user_seconds"]], _FIRST_SECONDS)
    tree, limit = (np.append(-values, -values[-1]) for values in (cost, bound))
    axes.fill_between(seconds, tree, limit, step="post", color=_SEARCH, alpha=0.12, linewidth=0)
    axes.step(seconds, tree, where="post", color=_SEARCH, linewidth=2, label="hornbeam")
    axes.step(seconds, limit, where="post", color=_SEARCH, linewidth=1.2, linestyle=(0, (3, 1.5)), label="its bound")
    axes.plot(seconds[-1], tree[-1], "o" if record["proven"] else ".", color=_SEARCH)
    axes.plot(them["seconds"], -them["cost"], "o", color=_AUTHORS, label="authors' program")
    axes.plot(them["seconds"], -them["lower_bound"], "v", color=_AUTHORS, fillstyle="none", label="its bound ")
    axes.set(xscale="log", xlim=(_FIRST_SECONDS, 300), ylim=(1.05 * min(-them["cost"], tree[-1]), 0))
    axes.set_title(f"{record['dataset']}{', proven' if record['proven'] else ''}")
    axes.set_xticks([0.001, 0.1, 10], ["0.001", "0.1", "10"])
