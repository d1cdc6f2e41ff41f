"""MAPTree's search against samplers on the CP4IM data: the best tree so far, after some steps or by some particles."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from benchmarks import data
from benchmarks.papers.maptree_synthetic import interval
from benchmarks.papers.measure import Records
from benchmarks.papers.samplers import Draws, Posterior, filter_particles, step
from benchmarks.report.markdown import count, number
from benchmarks.report.plots import panels, picture
from benchmarks.worker import stopwatch

SEEDS = range(42, 52)  # those of the authors' program
STEPS = (10, 30, 100, 300, 1_000, 3_000, 10_000)  # of the chain; in the paper up to 1000
PARTICLES = (10, 30, 100, 300, 1_000)
LABELS = {"chain": "Markov chain, 10 seeds", "particles": "particle filter, 10 seeds"}
COLORS = {"search": "#0072B2", "chain": "#D55E00", "particles": "#009E73"}
_ROUNDING = 1e-6  # sums in another order
_SHORT = 0.01  # seconds; in less, the search has hardly begun
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
    rows = []
    for search in searches:
        records = {one["sampler"]: one for one in sampled if one["dataset"] == search["dataset"]}
        if not records:
            continue
        points = [(sampler, *point) for sampler, record in records.items() for point in _points(record)]
        best = max(value for *_, values in points for value in values)
        reached = next((seconds for seconds, cost, _ in search["trace"] if -cost >= best - _ROUNDING), None)
        rows.append(
            {
                "dataset": search["dataset"],
                "search": -search["cost"],
                "best": best,
                "reached": reached,
                # The last point at which the mean over the seeds is better than the tree of the search at that time.
                "behind": max(
                    (
                        seconds
                        for _, _, seconds, values in points
                        if np.mean(values) > found_after(search, seconds) + _ROUNDING
                    ),
                    default=None,
                ),
                **{sampler: _end(record, -search["cost"]) for sampler, record in records.items()},
            }
        )
    return rows


def _points(record: dict[str, Any]) -> list[tuple[int, float, list[float]]]:
    """Return of each number of steps or particles the mean seconds, and the log posteriors of all seeds."""
    seconds = np.mean(record["user_seconds"], axis=0).tolist()
    by_size = np.transpose(record["log_posterior"]).tolist()
    return list(zip(record["sizes"], seconds, by_size, strict=True))


def found_after(search: dict[str, Any], seconds: float) -> float:
    """Return the log posterior of the best tree of a search after so many seconds."""
    return max((-cost for at, cost, _ in search["trace"] if at <= seconds), default=-inf)


def _end(record: dict[str, Any], search: float) -> dict[str, Any]:
    """Return what the longest runs of a sampler found."""
    _, seconds, values = _points(record)[-1]
    low, high = interval(values)
    found = sum(value >= search - _ROUNDING for value in values)
    return {"mean": np.mean(values), "low": low, "high": high, "seconds": seconds, "found": f"{found} of {len(values)}"}


def verdict(rows: Records) -> str:
    """Sum up who is ahead, and when."""

    def listed(names: list[str]) -> str:
        return f"{len(names)} ({', '.join(names)})" if names else "0"

    gains = {row["dataset"]: row["search"] - row["best"] for row in rows}
    late = [f"{row['dataset']} until {number(row['behind'])} s" for row in rows if (row["behind"] or 0) >= _SHORT]
    better, equal, worse = (
        listed([name for name, gain in gains.items() if np.sign(np.round(gain, 6)) == sign]) for sign in (1, 0, -1)
    )
    text = (
        f"Of {count(len(rows), 'data set')}, the search has a better tree than all runs of both samplers on {better}, "
        f"the same posterior as the best of them on {equal}, a worse one on {worse}. After the same seconds, the tree "
        "of the search is at least as good as the mean over the seeds of either sampler, whatever the number of steps "
        f"or particles, from {number(_SHORT)} s on, except on {listed(late)}."
    )
    return fill(text, 118)


def draw(searches: Records, sampled: Records, directory: Path) -> None:
    """Draw how far the best tree so far is from the best of all against time, a panel for each data set."""
    with picture(directory / "paper-maptree-sampling.png", 9.0) as figure:
        shown = {
            search["dataset"]: (search, [one for one in sampled if one["dataset"] == search["dataset"]])
            for search in searches
        }
        shown = {name: both for name, both in shown.items() if both[1]}
        cells = panels(figure, len(shown), 3)
        for axes, (name, both) in zip(cells, shown.items(), strict=True):
            _draw_panel(axes, *both)
            axes.set_title(name)
        figure.supxlabel("seconds of user CPU, logarithmic", fontsize=10)
        figure.supylabel("log posterior below that of the best tree found (nats), logarithmic from 1 on", fontsize=10)
        figure.legend(*cells[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)


def _draw_panel(axes: Axes, search: dict[str, Any], records: Records) -> None:
    seconds, cost, _ = np.transpose(search["trace"])
    last = max(search["user_seconds"], *(at for one in records for _, at, _ in _points(one)))
    best = max(-cost.min(), *(np.max(one["log_posterior"]) for one in records))
    for record in records:
        color = COLORS[record["sampler"]]
        axes.plot([], [], color=color, linewidth=0.7, label=LABELS[record["sampler"]])
        for times, values in zip(record["user_seconds"], record["log_posterior"], strict=True):
            axes.plot(np.maximum(times, _FIRST_SECONDS), best - np.array(values), color=color, linewidth=0.7, alpha=0.6)
    times = np.maximum([*seconds, last], _FIRST_SECONDS)
    below = best + np.append(cost, cost[-1])
    axes.step(times, below, where="post", color=COLORS["search"], linewidth=2, label="MAPTree's search", zorder=3)
    worst = max(best - np.min(one["log_posterior"]) for one in records)
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1)
    axes.set_xlim(_FIRST_SECONDS, 100)
    axes.set_xticks([0.001, 0.1, 10], ["0.001", "0.1", "10"])
    axes.set_yticks([0, 1, 10, 100, 1_000], ["0", "1", "10", "100", "1,000"])
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(2 * worst, -0.2)
