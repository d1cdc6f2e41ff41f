"""The guesses paper on compas, takeaway and spiral: exact search without guesses, with thresholds, with bounds, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from operator import ge
from pathlib import Path
from statistics import mean, median, pstdev
from typing import Any, NamedTuple

import numpy as np
import polars
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks import data
from benchmarks.papers import guesses_machines, guesses_pictures
from benchmarks.papers.guesses_pictures import predict
from benchmarks.papers.measure import Records, attributes, fit_seconds, grouped, mean_of, read_rows, write_report
from benchmarks.report.markdown import number
from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer
from hornbeam.conditions import AtMost, Condition
from hornbeam.tree import Tree

ALL, THRESHOLDS, BOTH = "all thresholds", "guessed thresholds", "guessed thresholds and bounds"
GOSDT, DL85, CART = "GOSDT", "DL8.5", "CART"
ALGORITHMS = (GOSDT, DL85)  # without a depth limit only the first
REFERENCES = ((40, 1), (30, 2), (50, 2), (20, 3))
DEPTH = 5  # of the paper's tables
TREES_FOLD = 2  # of the trees in appendix C.5, counted from 0
PUBLISHED = {
    (
        row["dataset"],
        row["algorithm"],
        row["guess"],
        (row["n_trees"], row["tree_depth"]) if row["n_trees"] else None,
    ): row
    for row in read_rows("guesses_published")
}
PUBLISHED_TREES = read_rows("guesses_trees")


class Source(NamedTuple):
    """How a data set is searched."""

    regularization: float  # leaf penalty of the tables
    references: tuple[tuple[int, int], ...]  # number and depth of boosted trees with which all depths are searched
    depths: tuple[int | None, ...]
    penalties: tuple[float, ...] = ()  # with the same references, other leaf penalties
    folds: bool = True  # five folds, or all rows


DEPTHS = (2, 3, 4, DEPTH, None)
SOURCES: dict[str, Source | None] = {
    "compas": Source(0.001, ((20, 3),), DEPTHS, (0.005, 0.002, 0.001, 0.0005, 0.0002)),
    "coupon_carryout.bin": Source(0.001, (), (DEPTH,)),
    "restaurant": Source(0.001, ((50, 2),), DEPTHS, (0.005, 0.002, 0.001, 0.0005)),
    "spiral": Source(0.01, REFERENCES, DEPTHS, folds=False),
    guesses_machines.NAME: None,
}
_NOT_ASKED = ("coupon", "car", "toCoupon_GEQ5min", "direction_opp")
NAMES = {"coupon_carryout.bin": "takeaway"}


class Part(NamedTuple):
    """Training and test rows of one form of a table."""

    X: data.Array
    y: data.Array
    X_test: data.Array
    y_test: data.Array

    def over(self, binarizer: ThresholdGuessBinarizer) -> Part:
        """Return the same rows over guessed thresholds."""
        made = [binarizer.transform(X).astype(np.uint8) if len(X) else X for X in (self.X, self.X_test)]
        return Part(made[0], self.y, made[1], self.y_test)


def records_of(name: str, limit: float) -> Iterator[dict[str, Any]]:
    """Search a data set in all ways."""
    source = SOURCES[name]
    if source is None:
        yield from guesses_machines.records(limit)
        return
    table, labels = coupons("Restaurant(<20)") if name == "restaurant" else data.read(name)
    columns = list(getattr(table, "columns", range(table.shape[1])))
    X, y = np.asarray(table, dtype=np.float64), data.codes(labels)
    every = np.arange(len(X))
    folds = KFold(5, shuffle=True, random_state=2021).split(X) if source.folds else [(every, every[:0])]
    GOSDTClassifier(0.1).fit([[0], [1]], [0, 1])  # loads what every fit loads
    for fold, (train, test) in enumerate(folds):
        part = Part(X[train], y[train], X[test], y[test])
        found = (*_unguessed(part, source, limit), *_guessed(part, source, limit, columns))
        for record in found:
            yield {"fold": fold, "rows": len(train), **record}


def coupons(place: str) -> tuple[polars.DataFrame, data.Array]:
    """Make the table of the coupons for a place from that of all coupons, as the authors' file of takeaway is made.

    It has the complete rows, and a column for each category but the last by name.
    """
    table, labels = data.read("coupon")
    chosen = table.with_columns(target=labels).filter(polars.col("coupon") == place).drop(_NOT_ASKED)
    chosen = chosen.drop_nulls()
    columns = {
        f"{column.name} = {category}": (column == category).cast(polars.UInt8)
        for column in chosen.drop("target")
        for category in sorted(column.unique().to_list(), key=str)[:-1]
    }
    return polars.DataFrame(columns), chosen["target"].to_numpy()


def _unguessed(part: Part, source: Source, limit: float) -> Iterator[dict[str, Any]]:
    for max_depth in source.depths:
        for algorithm in ALGORITHMS[:1] if max_depth is None else ALGORITHMS:
            yield {"guess": ALL, **_fit(part, algorithm, source.regularization, max_depth, limit)[1]}
        for penalty in source.penalties if max_depth else ():
            cart = DecisionTreeClassifier(max_depth=max_depth, min_samples_leaf=_support(part, penalty), random_state=0)
            seconds = fit_seconds(cart, part.X, part.y)
            leaves = {"leaves": int(cart.get_n_leaves()), "depth": int(cart.get_depth()), "user_seconds": seconds}
            setting = {"algorithm": CART, "regularization": penalty, "max_depth": max_depth}
            yield {"guess": ALL, **setting, **leaves, **_accuracies(cart, part)}


def _guessed(part: Part, source: Source, limit: float, names: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for n_trees, tree_depth in REFERENCES:
        boosting = GradientBoostingClassifier(n_estimators=n_trees, max_depth=tree_depth, random_state=2021)
        binarizer = ThresholdGuessBinarizer(boosting)
        guess_seconds = fit_seconds(binarizer, part.X, part.y)
        over = part.over(binarizer)
        reference = binarizer.reference_.predict(over.X)
        first, kept = binarizer.scores_["table"], binarizer.scores_["conditions"]
        shared = {"reference": [n_trees, tree_depth], "columns": over.X.shape[1], "guess_seconds": guess_seconds}
        shared["reference_accuracy"] = [first, kept]
        same = DecisionTreeClassifier(random_state=0).fit(over.X, reference)  # repeats the reference
        is_main = (n_trees, tree_depth) in source.references
        for max_depth in source.depths if is_main else (DEPTH,):
            for algorithm in ALGORITHMS[:1] if max_depth is None else ALGORITHMS:
                penalty = source.regularization if algorithm == GOSDT else 0.0
                tree, fields = _fit(over, algorithm, source.regularization, max_depth, limit)
                bound = 1 - first + penalty * same.get_n_leaves()
                yield {"guess": THRESHOLDS, **shared, **fields, "bound": bound}
                wrong = (tree.predict(over.X) != part.y) | (reference != part.y)
                bound = float(np.mean(wrong)) + penalty * fields["leaves"]
                for other in dict.fromkeys((source.regularization, *(source.penalties if is_main else ()))):
                    tree, fields = _fit(over, algorithm, other, max_depth, limit, reference)
                    fields["bound"] = bound if other == source.regularization else None
                    fields["tree"] = _nested(tree.tree_, binarizer.conditions_, names) if is_main else None
                    yield {"guess": BOTH, **shared, **fields}


def _fit(
    part: Part,
    algorithm: str,
    penalty: float,
    max_depth: int | None,
    limit: float,
    reference: data.Array | None = None,
) -> tuple[GOSDTClassifier, dict[str, Any]]:
    """Search for the tree of least objective, or as DL8.5: for that of fewest errors with so many rows in each leaf."""
    own: dict[str, Any] = {"regularization": penalty}
    if algorithm == DL85:
        own = {"regularization": 0, "min_samples_leaf": _support(part, penalty)}
    binarizer = None if part.X.dtype == np.uint8 else "exact"
    limits: dict[str, Any] = {
        "max_depth": max_depth,
        "time_limit": limit,
        "binarizer": binarizer,
        "reference": reference,
    }
    classifier = GOSDTClassifier(**own, **limits)
    seconds = fit_seconds(classifier, part.X, part.y)
    return classifier, {
        "algorithm": algorithm,
        "regularization": penalty,
        "max_depth": max_depth,
        **attributes(classifier, "status", "objective", "lower_bound", leaves="n_leaves"),
        "depth": classifier.tree_.depth,
        "user_seconds": seconds,
        **_accuracies(classifier, part),
    }


def _support(part: Part, penalty: float) -> int:
    """Return the rows of a leaf that the paper gives to DL8.5 and CART for a leaf penalty."""
    return ceil(round(penalty * len(part.y), 9))


def _accuracies(model: Any, part: Part) -> dict[str, float | None]:
    test = float(model.score(part.X_test, part.y_test)) if len(part.y_test) else None
    return {"accuracy": float(model.score(part.X, part.y)), "test_accuracy": test}


def _nested(tree: Tree, conditions: Sequence[Condition], names: Sequence[Any], node: int = 0) -> Any:
    """Return a tree over binary columns as in the file of published trees: [column, threshold, below, above]."""
    asked = tree.conditions[node]
    if asked is None:
        return int(tree.classes[tree.prediction[node]])
    condition = conditions[asked.column]
    yes, no = (_nested(tree, conditions, names, int(child[node])) for child in (tree.left, tree.right))
    if isinstance(condition, AtMost):
        return [str(names[condition.column]), condition.threshold, yes, no]
    return [str(names[condition.column]), 0.5, no, yes]


def report(records: Records, directory: Path) -> Path:
    """Write ``paper-guesses.md`` and its pictures."""
    searches = [run for run in records if "algorithm" in run]
    groups = grouped(searches, "dataset", "algorithm", "guess", "reference", "max_depth", "regularization")
    of_tables = {
        key[:4]: runs
        for key, runs in groups.items()
        if key[4] == DEPTH and key[1] != CART and key[5] == _source(key[0]).regularization
    }
    tables = [_table_row(key, runs) for key, runs in of_tables.items() if runs[0]["test_accuracy"] is not None]
    pictures = guesses_pictures.draw(records, directory)
    return write_report(
        directory,
        "guesses",
        records,
        tables=tables,
        agreement=_agreement(of_tables),
        depths=[_depth_row(key, runs) for key, runs in groups.items() if _is_of_depths(key)],
        bounds=[_bound_row(key, runs) for key, runs in of_tables.items() if "bound" in runs[0] and key[1] == GOSDT],
        trees=list(_tree_rows(searches)),
        machines=guesses_machines.rows([run for run in records if "thresholds" in run]),
        pictures=pictures,
    )


def _source(name: str) -> Source:
    source = SOURCES[name]
    assert source is not None
    return source


def _words(key: Sequence[Any]) -> dict[str, Any]:
    reference = f"{key[3][0]} of depth {key[3][1]}" if key[3] else None
    return {"data": NAMES.get(key[0], key[0]), "algorithm": key[1], "guess": key[2], "reference": reference}


def _spread(values: Sequence[float]) -> str:
    return f"{mean(values):.3f} ± {pstdev(values):.3f}"


def _seconds(runs: Records) -> str:
    """Return the mean seconds, after > if a search was stopped by the limit."""
    is_stopped = any(run.get("status") == "time_limit" for run in runs)
    return ("> " if is_stopped else "") + number(mean_of(runs, "user_seconds"))


def _table_row(key: tuple[Any, ...], runs: Records) -> dict[str, Any]:
    row = _words(key) | {"seconds": _seconds(runs), "columns": None, "paper_seconds": None}
    if key[3]:
        row["columns"] = mean_of(runs, "columns")
    row |= {name: _spread([run[name] for run in runs]) for name in ("accuracy", "test_accuracy")}
    paper = PUBLISHED.get(key) or {}
    for name, ours in (("train", "accuracy"), ("test", "test_accuracy")):
        value = paper.get(name)
        row[f"paper_{ours}"] = None if value is None else f"{value:.3f} ± {paper[f'deviation_{name}']:.3f}"
    seconds = paper.get("seconds")
    row["paper_seconds"] = seconds if isinstance(seconds, str) else number(seconds)
    row["table"] = paper.get("table")
    return row


def _agreement(of_tables: dict[tuple[Any, ...], Records]) -> list[dict[str, Any]]:
    """Return by data set and table how many accuracies are those published, and by how much the others differ."""
    rows = []
    shared = [(PUBLISHED[key], runs) for key, runs in of_tables.items() if key in PUBLISHED]
    for (name, number_of_table), pairs in sorted(_by_table(shared).items()):
        row: dict[str, Any] = {"data": NAMES.get(name, name), "table": number_of_table}
        for theirs, ours in (("train", "accuracy"), ("test", "test_accuracy")):
            both = [(paper[theirs], mean_of(runs, ours)) for paper, runs in pairs if paper[theirs] is not None]
            apart = [abs(round(our, 3) - their) for their, our in both]
            row |= {theirs: f"{sum(one < 5e-4 for one in apart)} of {len(apart)}", f"{theirs}_apart": max(apart)}
        rows.append(row)
    return rows


def _by_table(pairs: Sequence[tuple[dict[str, Any], Records]]) -> dict[tuple[str, int], list[Any]]:
    """Return the rows of the tables whose search ended there, by data set and number of the table."""
    by: dict[tuple[str, int], list[Any]] = {}
    for paper, runs in pairs:
        if paper["guess"] != ALL:
            by.setdefault((paper["dataset"], paper["table"]), []).append((paper, runs))
    return by


def _is_of_depths(key: tuple[Any, ...]) -> bool:
    name, algorithm, _, reference, _, penalty = key
    source = _source(name)
    is_shown = reference in source.references or reference is None
    return algorithm != CART and is_shown and bool(source.references) and penalty == source.regularization


def _depth_row(key: tuple[Any, ...], runs: Records) -> dict[str, Any]:
    row = _words(key) | {
        "max_depth": key[4],
        "seconds": _seconds(runs),
        "leaves": median(run["leaves"] for run in runs),
    }
    for name in ("accuracy", "test_accuracy"):
        row[name] = median(run[name] for run in runs) if runs[0][name] is not None else None
    return row


def _bound_row(key: tuple[Any, ...], runs: Records) -> dict[str, Any]:
    first, kept = zip(*(run["reference_accuracy"] for run in runs), strict=True)
    row = _words(key) | {"objective": mean_of(runs, "objective"), "bound": mean_of(runs, "bound")}
    premise = f"{sum(map(ge, kept, first))} of {len(runs)}" if key[2] == THRESHOLDS else None
    return row | {"first": mean(first), "kept": mean(kept), "premise": premise}


def _tree_rows(records: Records) -> Iterator[dict[str, Any]]:
    """Compare the published trees with ours on the rows of their fold."""
    found = {
        (run["algorithm"], run["max_depth"], run["regularization"]): run
        for run in records
        if run["dataset"] == "compas" and run["fold"] == TREES_FOLD and run.get("tree") is not None
    }
    if not found:
        return
    table, labels = data.read("compas")
    X, y = np.asarray(table, dtype=np.float64), data.codes(labels)
    parts = list(KFold(5, shuffle=True, random_state=2021).split(X))[TREES_FOLD]
    for paper in PUBLISHED_TREES:
        run = found[paper["algorithm"], paper["max_depth"], paper["regularization"]]
        theirs, ours = (predict(tree, X, list(table.columns)) for tree in (paper["tree"], run["tree"]))
        again = [float(np.mean((theirs == y)[rows])) for rows in parts]
        same = float(np.mean((theirs == ours)[parts[0]]))
        yield {**run, "paper": paper, "again": again, "same": same, "seconds": number(run["user_seconds"])}
