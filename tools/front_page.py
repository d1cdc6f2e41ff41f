"""Make the pictures of the front page: `python tools/front_page.py [measure]`.

Draws docs/tree.svg, the tree of README's code, and docs/accuracy.svg: test accuracy against number of leaves on three
tables, from the numbers in docs/accuracy.csv. With `measure` these are measured first, which takes some minutes.
"""

import csv
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import polars.selectors as cs
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, NotProvenWarning

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "docs/accuracy.csv"
OURS: dict[str, dict[str, Any]] = {
    "hornbeam, every threshold, depth 3": {"binarizer": "exact", "max_depth": 3},
    "hornbeam, quantiles, depth 4": {"binarizer": "quantile", "max_depth": 4},
}
REGULARIZATIONS = (0.05, 0.02, 0.01, 0.007, 0.005, 0.003, 0.002)
LEAVES = range(2, 10)  # of CART
STYLES = {
    "hornbeam, every threshold, depth 3": ("o-", "#2f6f3e"),
    "hornbeam, quantiles, depth 4": ("^-", "#7cc08c"),
    "CART": ("s:", "#D55E00"),
}
FOLDS = RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0)


class Table(NamedTuple):
    """A table; its columns as numbers, one column for each category, for the other programs; its labels."""

    columns: pl.DataFrame
    numbers: Any
    labels: Any


def read_tables() -> Iterator[tuple[str, Table]]:
    """Give each table with its name."""
    cancer = load_breast_cancer()
    columns = pl.DataFrame(cancer.data, schema=[str(name) for name in cancer.feature_names])
    yield "breast cancer", Table(columns, cancer.data, cancer.target)
    for name, file in {"credit approval": "credit_approval.csv", "recidivism (COMPAS)": "compas.csv"}.items():
        table = pl.read_csv(ROOT / "examples" / file)
        columns = table.drop("target")
        numbers = columns.to_dummies(cs.string()).cast(pl.Float64).to_numpy()
        yield name, Table(columns, numbers, table["target"].to_numpy())


def measure() -> Iterator[dict[str, object]]:
    """Give a row of docs/accuracy.csv for each table and model: its mean number of leaves and mean test accuracy."""
    warnings.simplefilter("error", NotProvenWarning)  # every tree is proven optimal
    for name, table in read_tables():
        boosting = HistGradientBoostingClassifier(random_state=0)
        yield row(name, "gradient boosting", "", try_model(boosting, table.numbers, table))
        for number in LEAVES:
            greedy = DecisionTreeClassifier(max_leaf_nodes=number, random_state=0)
            yield row(name, "CART", number, try_model(greedy, table.numbers, table))
        for model, parameters in OURS.items():
            for regularization in REGULARIZATIONS:
                ours = GOSDTClassifier(regularization, **parameters)
                yield row(name, model, regularization, try_model(ours, table.columns, table))


def row(table: str, model: str, parameter: object, found: tuple[str, str]) -> dict[str, object]:
    """Return a row of docs/accuracy.csv; the parameter is max_leaf_nodes of CART, regularization of hornbeam."""
    return {"table": table, "model": model, "parameter": parameter, "leaves": found[0], "test accuracy": found[1]}


def try_model(model: Any, X: Any, table: Table) -> tuple[str, str]:
    """Return the mean number of leaves, where the model is a tree, and the mean accuracy on held-out rows."""
    leaves, accuracies = [], []
    for rows, held_out in FOLDS.split(table.numbers, table.labels):
        model.fit(X[rows], table.labels[rows])
        accuracies.append(model.score(X[held_out], table.labels[held_out]))
        if isinstance(model, GOSDTClassifier):
            leaves.append(model.n_leaves_)
        elif isinstance(model, DecisionTreeClassifier):
            leaves.append(model.get_n_leaves())
    return f"{np.mean(leaves):.2f}" if leaves else "", f"{np.mean(accuracies):.4f}"


def draw_accuracy() -> None:
    """Draw docs/accuracy.csv."""
    with NUMBERS.open() as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(row["table"] for row in rows))
    plt.rcParams.update({"font.size": 10})
    figure, panels = plt.subplots(len(names), 1, figsize=(5, 6.4), sharex=True, layout="constrained")
    for name, axes in zip(names, panels, strict=True):
        measured = [row for row in rows if row["table"] == name]
        (boosted,) = (float(row["test accuracy"]) for row in measured if row["model"] == "gradient boosting")
        axes.axhline(boosted, color="#555555", linestyle="--", label="gradient boosting (100 trees)")
        for model, (style, color) in STYLES.items():
            points = [(float(row["leaves"]), float(row["test accuracy"])) for row in measured if row["model"] == model]
            axes.plot(*zip(*sorted(points), strict=True), style, color=color, label=model)
        axes.set_title(name, fontsize=10, loc="left")
        axes.set_ylabel("test accuracy")
        axes.spines[["top", "right"]].set_visible(False)
    panels[-1].set(xlabel="number of leaves", xlim=(1.8, 9.2))
    figure.legend(
        *panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False, fontsize=8
    )
    figure.savefig(ROOT / "docs/accuracy.svg", metadata={"Date": None})
    plt.close(figure)


def draw_tree() -> None:
    """Draw the tree of README's code."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    GOSDTClassifier(regularization=0.01, max_depth=3).fit(X, y).plot(X, y)
    plt.savefig(ROOT / "docs/tree.svg", metadata={"Date": None})
    plt.close()


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measured = []
        for each in measure():
            print(*each.values(), flush=True)
            measured.append(each)
        with NUMBERS.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(measured[-1]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(measured)
    plt.rcParams.update({"svg.hashsalt": "hornbeam"})  # the same numbers give the same bytes
    draw_tree()
    draw_accuracy()
