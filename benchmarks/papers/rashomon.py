"""Tables 1, 2 and 18, figures 2, 16, 17 and 23 of the SPLIT paper: whole Rashomon sets and those of RESPLIT."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from typing_extensions import Self

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers.measure import Records, grouped, read_rows, write_report
from benchmarks.report.markdown import NOTHING
from benchmarks.report.plots import legend_above, panels, picture
from benchmarks.worker import stopwatch
from hornbeam import (
    RashomonImportance,
    RashomonSet,
    RashomonSetClassifier,
    ThresholdBinarizer,
    greedy_splits,
    rashomon_importance,
)
from hornbeam.binarizers import Binarizer

# Where the rows come from, how many boosted stumps guess their thresholds, and what the paper's tables show: of table 1
# the seconds of the whole sets and of RESPLIT, and the correlation of the importances; of table 2 how many `trees` are
# `within` the set, and what share is `near` it; of table 18 the mean variance over the whole set and over RESPLIT's.
SOURCES = {row["name"]: row for row in read_rows("rashomon_published")}
REGULARIZATION, SLACK = 0.02, 0.01
EPSILONS = {"absolute": 0.01, "multiplier": 0.05}  # of the paper's definition, and TreeFARMS' default
MAX_DEPTH, LOOKAHEAD_DEPTH = 4, 2
BOOTSTRAPS, SAMPLES = 10, 1000
TOP, SHOWN = 20, 5  # columns that the paper's correlation is over, and that figures 16 and 17 show
QUANTILES = 3  # thresholds of each column in figure 17
_OF_COLUMNS = ("reliance", "relying")  # what is measured of each column: mean reliance, and trees that rely on it
# Figure 2 has fewer columns.
FEW_STUMPS = 40
GREEDY_PENALTIES, GREEDY_EPSILONS = (0.005, 0.01, 0.02), (0.005, 0.01, 0.02)


class _Timed(RashomonSetClassifier):
    """Remembers the user CPU seconds of all fits, of clones too."""

    seconds: list[float] = []  # noqa: RUF012 (shared on purpose)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        user_seconds = stopwatch()
        super().fit(X, y, sample_weight)
        self.seconds.append(user_seconds())
        return self


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Measure all tables and figures on a data set."""
    stumps = SOURCES[name]["stumps"]
    X, y, names = _columns(name, stumps and data.guess(stumps))
    size = {"rows": len(X), "columns": X.shape[1]}
    yield {"part": "importance", **size, "names": names, **_importances(X, y, limit)}
    for epsilon_is in EPSILONS:
        yield {"part": "precision", **size, "epsilon_is": epsilon_is, **_precision(X, y, epsilon_is, limit)}
    if stumps:
        X, y, names = _columns(name, ThresholdBinarizer("quantile", n_thresholds=QUANTILES))
        yield {"part": "quantiles", "columns": X.shape[1], "names": names, **_importances(X, y, limit)}
    X, y, _ = _columns(name, stumps and data.guess(FEW_STUMPS))
    for penalty, epsilon in product(GREEDY_PENALTIES, GREEDY_EPSILONS):
        trees = RashomonSetClassifier(
            epsilon, "absolute", regularization=penalty, max_depth=MAX_DEPTH, binarizer=None, time_limit=limit
        ).fit(X, y)
        indices = None if trees.n_trees_ <= SAMPLES else trees.rashomon_set_.sample(SAMPLES, random_state=0)
        found = greedy_splits(trees.rashomon_set_, indices)
        fields = {"trees": trees.n_trees_, "status": trees.status_, "shares": found.shares.tolist()}
        yield {"part": "greedy", "columns": X.shape[1], "regularization": penalty, "epsilon": epsilon, **fields}


def _columns(name: str, binarizer: Binarizer | None) -> tuple[Array, Array, list[str]]:
    """Return the binary columns, the classes and the conditions of a data set; without a binarizer it is binary."""
    X, labels = data.read(SOURCES[name]["dataset"])
    y = data.codes(labels)
    columns = list(getattr(X, "columns", range(X.shape[1])))
    if binarizer is None:
        return np.asarray(X), y, columns
    binary = binarizer.fit(X, y).transform(X).astype(np.uint8)
    return binary, y, [condition.text(f"{columns[condition.column]}") for condition in binarizer.conditions_]


def _methods(epsilon_is: Any, limit: float) -> dict[str, _Timed]:
    shared: dict[str, Any] = {
        "max_depth": MAX_DEPTH,
        "lookahead_depth": LOOKAHEAD_DEPTH,
        "binarizer": None,
        "time_limit": limit,
    }
    return {
        method: _Timed(EPSILONS[epsilon_is], epsilon_is, regularization=REGULARIZATION, method=method, **shared)
        for method in ("exact", "resplit")
    }


def _importances(X: Array, y: Array, limit: float) -> dict[str, Any]:
    """Return table 1 and figure 16 or 17: importances over bootstraps, from whole sets and from those of RESPLIT."""
    record: dict[str, Any] = {}
    importances: dict[str, RashomonImportance] = {}
    for method, estimator in _methods("absolute", limit).items():
        _Timed.seconds.clear()
        user_seconds = stopwatch()
        found = rashomon_importance(
            estimator, X, y, n_bootstraps=BOOTSTRAPS, n_samples=SAMPLES, random_state=0, n_jobs=1
        )
        record[f"{method}_seconds"] = sum(_Timed.seconds)
        record[f"{method}_reliance_seconds"] = user_seconds() - sum(_Timed.seconds)
        record[f"{method}_trees"] = list(found.n_trees)
        record[f"{method}_reliance"] = found.mean().tolist()
        shares = [np.mean(reliances != 0, axis=0) for reliances in found.reliances]
        record[f"{method}_relying"] = np.rint(np.array(found.n_trees) @ shares).astype(int).tolist()
        importances[method] = found
    whole, part = (importances[method].mean() for method in ("exact", "resplit"))
    top = np.argsort(-whole, kind="stable")[:TOP]
    correlation, correlation_of_top = (
        float(np.corrcoef(whole[columns], part[columns])[0, 1]) for columns in (slice(None), top)
    )
    return {**record, "correlation": correlation, "correlation_of_top": correlation_of_top}


def _precision(X: Array, y: Array, epsilon_is: str, limit: float) -> dict[str, Any]:
    """Return tables 2 and 18: how many trees of RESPLIT are in the whole set, and how much the predictions differ."""
    whole, part = (estimator.fit(X, y) for estimator in _methods(epsilon_is, limit).values())
    objectives, counts = part.rashomon_set_.objectives()

    def n_within(most: float) -> int:
        return sum(count for objective, count in zip(objectives, counts, strict=True) if objective <= most + 1e-12)

    variances = {}
    for name, trees in {"whole": whole.rashomon_set_, "resplit": part.rashomon_set_}.items():
        variances[f"{name}_across_trees"], variances[f"{name}_across_rows"] = _variances(trees, X)
    return {
        "epsilon": EPSILONS[epsilon_is],
        "n_whole": whole.n_trees_,
        "n_resplit": part.n_trees_,
        "n_within": n_within(whole.bound_),
        "n_near": n_within(whole.bound_ + SLACK),
        "is_complete": (whole.status_, part.status_) == ("complete", "heuristic"),
        **variances,
    }


def _variances(trees: RashomonSet, X: Array) -> tuple[float, float]:
    """Return the variance of the predictions (0 or 1) across trees, mean over the rows, and the other way round."""
    indices = range(trees.n_trees) if trees.n_trees <= SAMPLES else trees.sample(SAMPLES, random_state=0)
    positive = trees.votes(X, indices)[:, 1]
    shares = np.array([trees.votes(X, [index])[:, 1].mean() for index in indices])
    return float(np.mean(positive * (1 - positive))), float(np.mean(shares * (1 - shares)))


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-rashomon.md`` and its pictures."""
    records = sorted(records, key=lambda record: list(SOURCES).index(record["dataset"]))
    names = ("importance", "quantiles", "precision", "greedy")
    parts = {part: [one for one in records if one["part"] == part] for part in names}
    _draw_reliances(parts["importance"], directory / "paper-rashomon.png")
    _draw_greedy(parts["greedy"], directory / "paper-rashomon-greedy.png")
    deep = [record["shares"] for record in parts["greedy"] if len(record["shares"]) > 1]
    precisions = [_precision_row(record, SOURCES[record["dataset"]]) for record in parts["precision"]]
    return write_report(
        directory,
        "rashomon",
        records,
        regularization=REGULARIZATION,
        epsilon=EPSILONS["absolute"],
        slack=SLACK,
        depth=MAX_DEPTH,
        lookahead=LOOKAHEAD_DEPTH,
        bootstraps=BOOTSTRAPS,
        samples=SAMPLES,
        top=TOP,
        shown=SHOWN,
        quantiles=QUANTILES,
        stumps=FEW_STUMPS,
        importances=[row for one in parts["importance"] for row in _importance_rows(one, SOURCES[one["dataset"]])],
        quantile_importances=[row for one in parts["quantiles"] for row in _set_rows(one)],
        relied=[row for one in parts["importance"] for row in _relied_rows(one, "exact")],
        relied_on_quantiles=[row for one in parts["quantiles"] for row in _relied_rows(one, "resplit")],
        precisions=precisions,
        tables=[row for row in precisions if row["epsilon_is"] == "absolute"],
        greedy=[_greedy_row(record) for record in parts["greedy"]],
        deep=len(deep),
        rising=sum(max(shares) == shares[-1] for shares in deep),
    )


def _importance_rows(record: dict[str, Any], source: dict[str, Any]) -> Iterator[dict[str, Any]]:
    compared = {
        "paper_ratio": source["whole_seconds"] / source["resplit_seconds"],
        "paper_correlation": f"{source['correlation']:.3f}",
    }
    for row in _set_rows(record):
        is_part = row["set"] == "RESPLIT"
        paper = {"paper_seconds": source[f"{row['set'].lower()}_seconds"]}
        yield row | paper | (compared if is_part else dict.fromkeys(compared))


def _set_rows(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return a row for the whole sets and one for those of RESPLIT."""
    compared = {
        "ratio": record["exact_seconds"] / record["resplit_seconds"],
        "correlation": f"{record['correlation']:.3f}",
        "correlation_of_top": f"{record['correlation_of_top']:.3f}",
    }
    for method, name in {"exact": "whole", "resplit": "RESPLIT"}.items():
        yield {
            "dataset": record["dataset"],
            "columns": record["columns"],
            "set": name,
            "seconds": record[f"{method}_seconds"],
            "reliance": record[f"{method}_reliance_seconds"],
            "least": min(record[f"{method}_trees"]),
            "most": max(record[f"{method}_trees"]),
            **(compared if method == "resplit" else dict.fromkeys(compared)),
        }


def _relied_rows(record: dict[str, Any], method: str) -> Iterator[dict[str, Any]]:
    """Return a row for each of the columns that the sets of a method rely on most, without those of no reliance."""
    for column in _most_relied_on(record, method):
        if record[f"{method}_reliance"][column] == 0:
            continue
        own = {f"{part}_{of}": record[f"{part}_{of}"][column] for part in ("exact", "resplit") for of in _OF_COLUMNS}
        yield {"dataset": record["dataset"], "column": column, "name": record["names"][column], **own}


def _most_relied_on(record: dict[str, Any], method: str) -> Array:
    return np.argsort(-np.array(record[f"{method}_reliance"]), kind="stable")[:SHOWN]


def _precision_row(record: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    n_trees = record["n_resplit"]
    return {
        **record,
        "source": source,
        "epsilon": f"{record['epsilon']:g} {'added' if record['epsilon_is'] == 'absolute' else 'of the optimum'}",
        "sign": "" if record["is_complete"] else "≥ ",
        "within": record["n_within"] / n_trees,
        "paper_within": source["within"] / source["trees"],
        "near": record["n_near"] / n_trees,
        "found": record["n_within"] / record["n_whole"],
    }


def _greedy_row(record: dict[str, Any]) -> dict[str, Any]:
    shares = [f"{share:.2f}" for share in record["shares"]]
    cells = dict(zip("abcd", [*shares, *[NOTHING] * MAX_DEPTH], strict=False))
    return {**record, **cells, "sign": "" if record["status"] == "complete" else "≥ "}


def _draw_reliances(records: Records, path: Path) -> None:
    """Draw the reliance on the columns that whole sets rely on most, from both kinds of sets."""
    with picture(path, 2.6) as figure:
        for axes, record in zip(panels(figure, len(records), 4), records, strict=True):
            top = _most_relied_on(record, "exact")
            for shift, (method, label) in enumerate({"exact": "whole set", "resplit": "RESPLIT"}.items()):
                heights = np.array(record[f"{method}_reliance"])[top]
                axes.bar(np.arange(len(top)) + 0.4 * shift - 0.2, heights, 0.4, label=label)
            axes.set(title=record["dataset"], xlabel="column", xticks=range(len(top)))
            axes.set_xticklabels(top.tolist())
        figure.axes[0].set_ylabel("mean reliance")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)


def _draw_greedy(records: Records, path: Path) -> None:
    """Draw the share of greedy splits by level, a line for each leaf penalty and epsilon."""
    by_name = grouped(records, "dataset")
    colors = dict(zip(GREEDY_PENALTIES, ("#0072B2", "#D55E00", "#009E73"), strict=False))
    styles = dict(zip(GREEDY_EPSILONS, ("-", "--", ":"), strict=False))
    with picture(path, 3.4) as figure:
        for axes, ((name,), runs) in zip(panels(figure, len(by_name), 4, sharey=True), by_name.items(), strict=True):
            for run in runs:
                penalty, epsilon = run["regularization"], run["epsilon"]
                label = f"λ {penalty:g}, ε {epsilon:g}"
                axes.plot(run["shares"], styles[epsilon], color=colors[penalty], label=label, marker="o", markersize=3)
            axes.set(title=name, xlabel="level", xticks=range(MAX_DEPTH), ylim=(-0.03, 1.03))
        figure.axes[0].set_ylabel("share of greedy splits")
        legend_above(figure, 3)
