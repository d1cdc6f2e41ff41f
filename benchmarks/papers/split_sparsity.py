"""Frontiers of the SPLIT paper: loss, number of leaves and time of all trees of a grid of parameters.

Tables 5, 6 and 10 to 17, figures 3 to 7, 20 and 21.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator
from sklearn.tree import DecisionTreeClassifier

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers import split as tables
from benchmarks.papers.measure import Records, fit_seconds, grouped, mean_of, read_rows, write_report
from benchmarks.papers.split import SPLITS, Split
from benchmarks.report.markdown import NOTHING
from benchmarks.report.plots import legend_above, panels, picture
from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier

# Those of tables 7 to 9 but covertype, which is another problem here; half the stumps.
SOURCES = {
    name: {**tables.SOURCES[name], "stumps": tables.SOURCES[name]["stumps"] and 100}
    for name in ("compas", "bank", "netherlands", "spambase", "bike", "adult", "hypothyroid")
}
PENALTIES = (1e-5, 1e-4, 3e-4, *(number / 1000 for number in range(1, 21)))
FEW_PENALTIES = (0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.011, 0.016, 0.02)
LEAST_SHARES = tuple(np.geomspace(0.0003, 0.3, 24).tolist())  # of the rows, in a leaf of CART
DEPTH = 5
BANDS = {"3 to 6": (3, 6), "7 to 10": (7, 10), "11 to 14": (11, 14), "15 to 30": (15, 30)}
NON_SPARSE = 1e-5
COLORS = {"LicketySPLIT": "#0072B2", "SPLIT": "#D55E00", "GOSDT": "#000000", "CART": "#009E73"}
BAND_PUBLISHED = {(row["dataset"], row["band"], row["method"]): row for row in read_rows("split-sparsity_published")}
BEST_PUBLISHED = {row["dataset"]: row for row in read_rows("split-best_published")}


class Method(NamedTuple):
    """A classifier with one free parameter; the values of that parameter and the depths that are tried."""

    make: Callable[..., Any]
    values: tuple[float, ...]
    depths: tuple[int, ...] = (DEPTH,)
    takes_table: bool = False  # numbers as they are, and a binary column for each category


def _cart(max_depth: int, limit: float, share: float, n_rows: int) -> DecisionTreeClassifier:
    """Return CART as the paper varies it, by the least number of rows of a leaf."""
    return DecisionTreeClassifier(max_depth=max_depth, min_samples_leaf=max(1, round(share * n_rows)), random_state=0)


def _searched(classifier: Any, max_depth: int, limit: float, penalty: float, n_rows: int) -> Any:
    return classifier(penalty, max_depth=max_depth, binarizer=None, time_limit=limit)


METHODS = {
    "LicketySPLIT": Method(partial(_searched, LicketySPLITClassifier), PENALTIES, (4, DEPTH, 6)),
    "SPLIT": Method(partial(_searched, SPLITClassifier), PENALTIES, (4, DEPTH, 6)),
    "GOSDT": Method(partial(_searched, GOSDTClassifier), FEW_PENALTIES),
    "CART": Method(_cart, LEAST_SHARES, (4, DEPTH, 6), takes_table=True),
    "CART, binary columns": Method(_cart, LEAST_SHARES),
}


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Fit all methods with all values of their parameters; a record has a list of each figure over the values."""
    stumps = SOURCES[name]["stumps"]
    table = None if stumps is None else data.binarize(data.read(SOURCES[name]["dataset"])[0], "raw")
    for split in tables.splits_of(name, SPLITS, stumps):
        for title, method in METHODS.items():
            rows = split
            if method.takes_table:
                if table is None:
                    continue
                rows = split._replace(X=table[split.rows], X_test=table[split.test_rows])
            for max_depth in method.depths:
                fields = _fit_all(method, max_depth, limit, rows)
                yield {**split.shared, "method": title, "max_depth": max_depth, **fields}


def _fit_all(method: Method, max_depth: int, limit: float, split: Split) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in ("value", "loss", "test_loss", "leaves", "seconds", "stopped")}
    for value in method.values:
        model = method.make(max_depth, limit, value, len(split.y))
        seconds = fit_seconds(model, split.X, split.y)
        loss, test_loss = (
            float(np.mean(model.predict(X) != y)) for X, y in ((split.X, split.y), (split.X_test, split.y_test))
        )
        leaves = int(model.get_n_leaves()) if isinstance(model, DecisionTreeClassifier) else model.n_leaves_
        stopped = getattr(model, "status_", None) == "time_limit"
        for name, figure in zip(found, (value, loss, test_loss, leaves, seconds, stopped), strict=True):
            found[name].append(figure)
    return found


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-split-sparsity.md`` and its pictures."""
    names = [name for name in SOURCES if any(record["dataset"] == name for record in records)]
    records = sorted(records, key=lambda one: (names.index(one["dataset"]), list(METHODS).index(one["method"])))
    by_name = {name: [one for one in records if one["dataset"] == name] for name in names}
    for depth in METHODS["SPLIT"].depths:
        _draw_frontiers(by_name, depth, directory / f"paper-split-sparsity-{depth}.png")
    _draw_times(by_name, directory / "paper-split-sparsity-time.png")
    groups = grouped([record for record in records if record["max_depth"] == DEPTH], "dataset", "method")
    bands = [row for (name, method), runs in groups.items() for row in _band_rows(name, method, runs)]
    compared = [row["difference"] for row in bands if row["difference"] is not None]
    return write_report(
        directory,
        "split-sparsity",
        records,
        splits=SPLITS,
        depth=DEPTH,
        penalties=len(PENALTIES),
        shares=len(LEAST_SHARES),
        few=", ".join(f"{penalty:g}" for penalty in FEW_PENALTIES),
        stopped=sum(sum(record["stopped"]) for record in records),
        searches=sum(len(record["value"]) for record in records if not record["method"].startswith("CART")),
        bands=bands,
        compared=len(compared),
        inside=compared.count(0),
        below=sum(difference < 0 for difference in compared),
        non_sparse=[_non_sparse_row(name, runs) for (name, method), runs in groups.items() if method == "LicketySPLIT"],
        best=[_best_row(name, runs) for (name, method), runs in groups.items() if method == "LicketySPLIT"],
    )


def _band_rows(dataset: str, method: str, runs: Records) -> Iterator[dict[str, Any]]:
    """Return a row for each range of leaves: of each split, the tree of the range with the least training loss."""
    for band, (least, most) in BANDS.items():
        chosen = []
        for run in runs:
            within = [index for index, leaves in enumerate(run["leaves"]) if least <= leaves <= most]
            if within:
                best = min(within, key=lambda index: (run["loss"][index], run["leaves"][index]))
                chosen.append({name: run[name][best] for name in ("test_loss", "leaves", "seconds")})
        published = BAND_PUBLISHED.get((dataset, band, method))
        if chosen or published:
            loss = mean_of(chosen, "test_loss") if chosen else None
            yield {
                "difference": _difference(loss, published) if "SPLIT" in method else None,
                "dataset": dataset,
                "band": band,
                "method": method,
                "trees": f"{len(chosen)} of {len(runs)}",
                "leaves": mean_of(chosen, "leaves") if chosen else None,
                "test_loss": _with_deviation([one["test_loss"] for one in chosen]),
                "published": _interval(published),
                "seconds": mean_of(chosen, "seconds") if chosen else None,
            }


def _non_sparse_row(dataset: str, runs: Records) -> dict[str, Any]:
    at = runs[0]["value"].index(NON_SPARSE)
    published = BAND_PUBLISHED.get((dataset, "λ = 0.00001", "LicketySPLIT"))
    return {
        "dataset": dataset,
        "leaves": mean(run["leaves"][at] for run in runs),
        "paper_leaves": published["leaves"] if published else NOTHING,
        "test_loss": _with_deviation([run["test_loss"][at] for run in runs]),
        "published": _interval(published),
        "seconds": mean(run["seconds"][at] for run in runs),
    }


def _best_row(dataset: str, runs: Records) -> dict[str, Any]:
    """Return the penalty whose mean test loss is least, which the paper's table 5 shows, and what it gives."""
    losses = np.array([run["test_loss"] for run in runs])
    at = int(np.argmin(losses.mean(axis=0)))
    published = BEST_PUBLISHED.get(dataset, {})
    return {
        "dataset": dataset,
        "penalty": runs[0]["value"][at],
        "test_loss": _with_deviation(losses[:, at].tolist()),
        "published": _interval(published or None),
        "leaves": mean(run["leaves"][at] for run in runs),
        "paper_leaves": published.get("leaves"),
        "seconds": mean(run["seconds"][at] for run in runs),
        "paper_seconds": published.get("seconds"),
        "blossom_loss": published.get("blossom_loss"),
        "blossom_seconds": published.get("blossom_seconds"),
    }


def _difference(loss: float | None, published: dict[str, Any] | None) -> float | None:
    """Return how far a loss is outside a published interval: below 0 if it is less, 0 inside."""
    if loss is None or published is None:
        return None
    return float(min(loss - published["low"], 0.0) + max(loss - published["high"], 0.0))


def _with_deviation(values: list[float]) -> str:
    if not values:
        return NOTHING
    return f"{mean(values):.4f} ± {stdev(values) if len(values) > 1 else 0.0:.4f}"


def _interval(published: dict[str, Any] | None) -> str:
    return f"{published['low']:g} to {published['high']:g}" if published else NOTHING


def _draw_frontiers(by_name: dict[str, Records], depth: int, path: Path) -> None:
    """Draw test loss against leaves: the mean over the splits, and a band of its standard error."""
    with picture(path, 2.3 * -(-len(by_name) // 4) + 0.6) as figure:
        for axes, (name, records) in zip(panels(figure, len(by_name), 4), by_name.items(), strict=True):
            for method, color in COLORS.items():
                runs = [run for run in records if run["method"] == method and run["max_depth"] == depth]
                if runs:
                    leaves, low, middle, high = _frontier(runs)
                    axes.plot(leaves, middle, color=color, label=method, linewidth=1.3)
                    axes.fill_between(leaves, low, high, color=color, alpha=0.2, linewidth=0)
            axes.set(title=name, xlim=(1, 32))
        figure.supxlabel("leaves", fontsize=10)
        figure.supylabel("test loss", fontsize=10)
        legend_above(figure, 4)


def _frontier(runs: Records) -> tuple[Array, Array, Array, Array]:
    """Return leaves, and the test loss of the tree of least training loss up to so many: mean and standard error."""
    least = max(min(run["leaves"]) for run in runs)
    most = min(max(run["leaves"]) for run in runs)
    leaves = np.arange(least, most + 1)
    curves = np.array(
        [
            [
                min(
                    (loss, count, test)
                    for loss, count, test in zip(run["loss"], run["leaves"], run["test_loss"], strict=True)
                    if count <= at
                )[2]
                for at in leaves
            ]
            for run in runs
        ]
    )
    error = curves.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else np.zeros(len(leaves))
    return leaves, curves.mean(axis=0) - error, curves.mean(axis=0), curves.mean(axis=0) + error


def _draw_times(by_name: dict[str, Records], path: Path) -> None:
    """Draw the regularized test loss against the seconds of a fit, a point for each leaf penalty."""
    with picture(path, 2.3 * -(-len(by_name) // 4) + 0.6) as figure:
        for axes, (name, records) in zip(panels(figure, len(by_name), 4, sharey=True), by_name.items(), strict=True):
            for method in ("LicketySPLIT", "SPLIT", "GOSDT"):
                runs = [run for run in records if run["method"] == method and run["max_depth"] == DEPTH]
                value, test_loss, leaves, seconds = (
                    np.array([run[field] for run in runs]) for field in ("value", "test_loss", "leaves", "seconds")
                )
                chosen = value[0] >= min(FEW_PENALTIES)
                objective = (test_loss + value * leaves).mean(axis=0)[chosen]
                axes.plot(objective, seconds.mean(axis=0)[chosen], "o", color=COLORS[method], label=method, ms=3.5)
            axes.set(title=name, yscale="log")
            axes.xaxis.set_major_locator(MaxNLocator(3))
        figure.supxlabel("regularized test loss", fontsize=10)
        figure.supylabel("seconds of a fit", fontsize=10)
        legend_above(figure, 4)
