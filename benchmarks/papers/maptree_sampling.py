"""MAPTree's search against samplers on the CP4IM data: the best tree so far, after some steps or by some particles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes

from benchmarks import data
from benchmarks.papers.maptree_synthetic import interval
from benchmarks.papers.measure import Records, grouped
from benchmarks.papers.samplers import Draws, Posterior, filter_particles, step
from benchmarks.report.markdown import count, number
from benchmarks.report.plots import panels, picture
from benchmarks.worker import stopwatch

SEEDS = range(42, 52)  # those of the authors' program
STEPS = (10, 30, 100, 300, 1_000, 3_000, 10_000)  # of the chain; in the paper up to 1000
PARTICLES = (10, 30, 100, 300, 1_000)
COLORS = {"search": "#0072B2", "chain": "#D55E00", "particles": "#009E73"}
_ROUNDING = 1e-6  # sums in another order
_FIRST_SECONDS = 0.001  # left end of the pictures


def records_of(dataset: str) -> Iterator[dict[str, Any]]:
    """Sample trees of a data set of binary columns; seconds and the best log posterior have a list for each seed."""
    X, y = data.read_binary(dataset)
    for sampler, run, sizes in (("chain", _run_chain, STEPS), ("particles", _run_particles, PARTICLES)):
        runs = [run(X, y, seed) for seed in SEEDS]
        seconds, best = ([[point[field] for point in points] for points in runs] for field in (0, 1))
        yield {"sampler": sampler, "sizes": sizes, "user_seconds": seconds, "log_posterior": best}


def _run_chain(X: data.Array, y: data.Array, seed: int) -> list[tuple[float, float]]:
    """Return user CPU seconds and the best log posterior after numbers of steps, from a single leaf on."""
    user_seconds = stopwatch()
    posterior, draws, points = Posterior(X, y), Draws(seed), []
    tree = posterior.root
    best = tree.log_posterior
    for number_of_step in range(1, STEPS[-1] + 1):
        tree = step(posterior, tree, draws)
        best = max(best, tree.log_posterior)
        if number_of_step in STEPS:
            points.append((user_seconds(), best))
    return points


def _run_particles(X: data.Array, y: data.Array, seed: int) -> list[tuple[float, float]]:
    """Return user CPU seconds and the best log posterior of numbers of particles, each a run of its own."""
    points = []
    for n_particles in PARTICLES:
        user_seconds = stopwatch()
        trees, _, _ = filter_particles(Posterior(X, y), n_particles, Draws(seed))
        points.append((user_seconds(), max(tree.log_posterior for tree in trees)))
    return points


def rows_of(searches: Records, sampled: Records) -> Records:
    """Return what the page says of each data set that was searched and sampled, in the order of the searches."""
    samples = {name: {one["sampler"]: one for one in of} for (name,), of in grouped(sampled, "dataset").items()}
    rows = []
    for search in searches:
        if search["dataset"] not in samples:
            continue
        row = {"dataset": search["dataset"], "search": -search["cost"], "behind": []}
        best = -np.inf
        for sampler, record in samples[search["dataset"]].items():
            ends = np.array(record["log_posterior"])
            best = max(best, ends.max())
            row[sampler] = _at_end(record)
            row[f"{sampler}_found"] = f"{(ends[:, -1] >= -search['cost'] - _ROUNDING).sum()} of {len(ends)}"
            row["behind"] += _behind(search, record)
        row["chain_1000"] = float(np.mean(samples[search["dataset"]]["chain"]["log_posterior"], axis=0)[4])
        row["best"] = best
        row["reached"] = next((at for at, cost, _ in search["trace"] if -cost >= best - _ROUNDING), None)
        rows.append(row)
    return rows


def _at_end(record: dict[str, Any]) -> dict[str, Any]:
    """Return the mean over seeds with the longest run, its bootstrapped interval, and the mean seconds."""
    ends = np.array(record["log_posterior"])[:, -1]
    low, high = interval(ends)
    return {"mean": ends.mean(), "low": low, "high": high, "seconds": np.mean(record["user_seconds"], axis=0)[-1]}
