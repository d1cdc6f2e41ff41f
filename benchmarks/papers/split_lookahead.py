"""What looking ahead costs and gains in the SPLIT paper: figures 9 to 15."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.papers import split as tables
from benchmarks.papers.measure import Records, fit_seconds, grouped, write_report
from benchmarks.papers.split import SOURCES as ALL_SOURCES
from benchmarks.report.plots import legend_above, panels, picture
from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier, ThresholdBinarizer

# The data sets of the figures that are at hand, with so few stumps that 20 to 25 columns are left, as in the paper.
SOURCES = {name: ALL_SOURCES[name] for name in ("compas", "netherlands", "bike", "spambase", "bank", "covertype")}
FEW_STUMPS = 40
DEPTH, PENALTY = 5, 0.001
DEPTHS = (1, 2, 3, 4)
PENALTIES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
FULL_ROWS, FULL_PENALTY, FULL = 2000, 0.01, ("netherlands", "covertype", "bike")
GROWING = ("bike", "spambase")
QUANTILES = (1, 2, 4, 8, 16, 32, 64)
MOST_COLUMNS_OF_SPLIT = 250  # its time grows with the third power of their number


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Measure all figures on a data set."""
    source = SOURCES[name]
    split = next(tables.splits_of(name, 1, None if source["stumps"] is None else FEW_STUMPS))
    for fields in (*_depths(split, limit), *_penalties(split, limit)):
        yield {**split.shared, **fields}
    if name in FULL:
        yield from _full_binarization(name, limit)
    if name in GROWING:
        yield from _growing_columns(name, limit)


def _fitted(model: Any, split: tables.Split) -> dict[str, Any]:
    """Fit a model and return objective, regularized test loss, leaves, seconds and status."""
    seconds = fit_seconds(model, split.X, split.y)
    errors = float(np.mean(model.predict(split.X_test) != split.y_test))
    test_objective = errors + model.regularization * model.n_leaves_
    return {
        "objective": model.objective_,
        "test_objective": test_objective,
        "leaves": model.n_leaves_,
        "seconds": seconds,
        "status": model.status_,
    }


def _depths(split: tables.Split, limit: float) -> Iterator[dict[str, Any]]:
    """Yield figures 9 to 11: SPLIT and the prefix with its greedy trees, by levels searched, and the exact search."""
    settings: dict[str, Any] = {"max_depth": DEPTH, "binarizer": None, "time_limit": limit}
    for depth in DEPTHS:
        for completion in ("greedy", "optimal"):
            model = SPLITClassifier(PENALTY, depth, completion=completion, **settings)
            yield {"part": "depth", "method": completion, "lookahead": depth, **_fitted(model, split)}
    yield {
        "part": "depth",
        "method": "exact",
        "lookahead": DEPTH,
        **_fitted(GOSDTClassifier(PENALTY, **settings), split),
    }


def _penalties(split: tables.Split, limit: float) -> Iterator[dict[str, Any]]:
    """Yield figures 12 and 14: what the trees lose against the optimum, and against greedy completion."""
    settings: dict[str, Any] = {"max_depth": DEPTH, "binarizer": None, "time_limit": limit}
    for penalty in PENALTIES:
        models = {
            "GOSDT": GOSDTClassifier(penalty, **settings),
            "SPLIT": SPLITClassifier(penalty, 2, **settings),
            "LicketySPLIT": LicketySPLITClassifier(penalty, **settings),
            "greedy completion, 2 levels": SPLITClassifier(penalty, 2, completion="greedy", **settings),
            "greedy completion, 1 level": SPLITClassifier(penalty, 1, completion="greedy", **settings),
        }
        for method, model in models.items():
            yield {"part": "penalty", "method": method, "regularization": penalty, **_fitted(model, split)}


def _full_binarization(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Yield figure 13: every threshold against guessed ones, on some rows; hornbeam searches the former by order."""
    X, labels = data.read(SOURCES[name]["dataset"])
    y = (np.asarray(labels) == 2).astype(np.int64) if name == "covertype" else data.codes(labels)
    rows = np.sort(np.random.default_rng(0).choice(len(y), FULL_ROWS, replace=False))
    X, y = X[rows], y[rows]
    binarizers = {"every": ThresholdBinarizer(), "guessed": data.guess(SOURCES[name]["stumps"])}
    for kind, binarizer in binarizers.items():
        columns = len(binarizer.fit(X, y).conditions_)
        for classifier in (SPLITClassifier, LicketySPLITClassifier):
            model = classifier(FULL_PENALTY, max_depth=DEPTH, binarizer=binarizer, time_limit=limit)
            seconds = fit_seconds(model, X, y)
            method = classifier.__name__.removesuffix("Classifier")
            found = {"objective": model.objective_, "leaves": model.n_leaves_, "seconds": seconds}
            yield {"part": "full", "method": method, "thresholds": kind, "columns": columns, **found}


def _growing_columns(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Yield figure 15: seconds by number of binary columns, which are quantiles here."""
    X, labels = data.read(SOURCES[name]["dataset"])
    y = data.codes(labels)
    n_columns = 0
    for n_thresholds in QUANTILES:
        binarizer = ThresholdBinarizer("quantile", n_thresholds=n_thresholds)
        binary = data.distinct_columns(binarizer.fit_transform(X).astype(np.uint8))
        if binary.shape[1] == n_columns:
            break
        n_columns = binary.shape[1]
        for classifier in (SPLITClassifier, LicketySPLITClassifier):
            if classifier is LicketySPLITClassifier or n_columns <= MOST_COLUMNS_OF_SPLIT:
                model = classifier(PENALTY, max_depth=DEPTH, binarizer=None, time_limit=limit)
                seconds = fit_seconds(model, binary, y)
                method = classifier.__name__.removesuffix("Classifier")
                found = {"seconds": seconds, "objective": model.objective_, "status": model.status_}
                yield {"part": "columns", "method": method, "columns": n_columns, "rows": len(y), **found}


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-split-lookahead.md`` and its pictures."""
    records = sorted(records, key=lambda one: list(SOURCES).index(one["dataset"]))
    parts = {part: [one for one in records if one["part"] == part] for part in ("depth", "penalty", "full", "columns")}
    by_penalty = grouped(parts["penalty"], "dataset", "regularization")
    gaps = [
        _gap_row(name, penalty, {one["method"]: one for one in runs}) for (name, penalty), runs in by_penalty.items()
    ]
    by_lookahead = grouped(parts["depth"], "dataset", "lookahead")
    by_method = grouped(parts["full"], "dataset", "method")
    _draw_depths(parts["depth"], directory / "paper-split-lookahead.png")
    _draw_gaps(gaps, directory / "paper-split-lookahead-gaps.png")
    return write_report(
        directory,
        "split-lookahead",
        records,
        depth=DEPTH,
        penalty=PENALTY,
        stumps=FEW_STUMPS,
        full_rows=FULL_ROWS,
        full_penalty=FULL_PENALTY,
        most=MOST_COLUMNS_OF_SPLIT,
        depths=[_depth_row(name, lookahead, runs) for (name, lookahead), runs in by_lookahead.items()],
        gaps=gaps,
        proven=sum(row["is_proven"] for row in gaps),
        largest={name: max(row[name] for row in gaps) for name in ("split", "lickety", "split_gain", "lickety_gain")},
        full=[_full_row(name, method, runs) for (name, method), runs in by_method.items()],
        columns=[{**one, "status": one["status"].replace("_", " ")} for one in parts["columns"]],
    )


def _depth_row(dataset: str, lookahead: int, runs: Records) -> dict[str, Any]:
    by_method = {run["method"]: run for run in runs}
    last = by_method.get("optimal") or by_method["exact"]
    greedy = by_method.get("greedy", {})
    return {
        **last,
        "dataset": dataset,
        "lookahead": lookahead if "greedy" in by_method else "exact search",
        "greedy_seconds": greedy.get("seconds"),
        "greedy_objective": greedy.get("objective"),
        "status": last["status"].replace("_", " "),
    }


def _gap_row(dataset: str, penalty: float, by_method: dict[str, dict[str, Any]]) -> dict[str, Any]:
    value = {method: run["objective"] for method, run in by_method.items()}
    return {
        "dataset": dataset,
        "penalty": penalty,
        "is_proven": by_method["GOSDT"]["status"] == "optimal",
        "optimum": value["GOSDT"],
        "split": value["SPLIT"] - value["GOSDT"],
        "lickety": value["LicketySPLIT"] - value["GOSDT"],
        "split_gain": value["greedy completion, 2 levels"] - value["SPLIT"],
        "lickety_gain": value["greedy completion, 1 level"] - value["LicketySPLIT"],
    }


def _full_row(dataset: str, method: str, runs: Records) -> dict[str, Any]:
    every, guessed = ({one["thresholds"]: one for one in runs}[kind] for kind in ("every", "guessed"))
    difference = every["objective"] - guessed["objective"]
    return {"dataset": dataset, "method": method, "every": every, "guessed": guessed, "difference": difference}


def _draw_depths(records: Records, path: Path) -> None:
    """Draw seconds by lookahead depth: with greedy completion, of `SPLITClassifier`, and of the exact search."""
    by_name = grouped(records, "dataset")
    with picture(path, 4.6) as figure:
        for axes, ((name,), runs) in zip(panels(figure, len(by_name), 3, sharey=True), by_name.items(), strict=True):
            for method, label, style in (
                ("greedy", "prefix with greedy trees", "o-"),
                ("optimal", "SPLITClassifier", "s-"),
            ):
                points = [(one["lookahead"], one["seconds"]) for one in runs if one["method"] == method]
                axes.plot(*zip(*points, strict=True), style, label=label, markersize=4)
            exact = next(one["seconds"] for one in runs if one["method"] == "exact")
            axes.axhline(exact, color="black", linestyle="--", linewidth=1, label="exact search")
            axes.set(title=name, yscale="log", xticks=DEPTHS)
        figure.supxlabel("lookahead depth", fontsize=10)
        figure.supylabel("seconds of a fit", fontsize=10)
        legend_above(figure, 3)


def _draw_gaps(gaps: Records, path: Path) -> None:
    """Draw by leaf penalty how far the trees are above the optimum, and below their greedy completion."""
    titles = {"split": "SPLIT", "lickety": "LicketySPLIT"}
    with picture(path, 4.6) as figure:
        cells = panels(figure, 4, 2, sharex=True)
        fields = [(field + end, title) for end in ("", "_gain") for field, title in titles.items()]
        for axes, (field, title) in zip(cells, fields, strict=True):
            for (name,), rows in grouped(gaps, "dataset").items():
                axes.plot([row["penalty"] for row in rows], [100 * row[field] for row in rows], "o-", label=name, ms=3)
            label = "below greedy completion" if field.endswith("_gain") else "above the optimum"
            axes.set(title=f"{title}: {label}", xscale="log")
        for axes in cells[2:]:
            axes.set_xlabel("λ")
        figure.supylabel("percentage points of the objective", fontsize=10)
        legend_above(figure, len(SOURCES))
