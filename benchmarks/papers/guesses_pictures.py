"""Pictures of the guesses paper: accuracy against leaves, and the regions of trees on the spiral."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks import data
from benchmarks.papers import guesses_machines
from benchmarks.papers.measure import Records, grouped
from benchmarks.report.plots import panels, picture
from hornbeam import GOSDTClassifier, ThresholdGuessBinarizer

_COLORS = ("#0072B2", "#D55E00")
_LOOKS = (("o", "#0072B2"), ("s", "#D55E00"), ("^", "#555555"))
_REGULARIZATION, _DEPTH = 0.01, 5


def predict(tree: Any, X: data.Array, names: Sequence[str]) -> data.Array:
    """Return the classes that a tree ``[column, threshold, below, above]`` predicts; a leaf is a class."""
    if not isinstance(tree, list):
        return np.full(len(X), tree)
    name, threshold, below, above = tree
    is_below = X[:, names.index(name)] <= threshold
    return np.where(is_below, predict(below, X, names), predict(above, X, names))


def draw(records: Records, directory: Path) -> list[str]:
    """Draw what the records allow; return the names of the pictures."""
    drawn = []
    sized = [run for run in records if run.get("algorithm") == "CART" or run.get("tree") is not None]
    for name, source, runs, field in (
        ("paper-guesses.png", "compas", sized, "algorithm"),
        ("paper-guesses-restaurant.png", "restaurant", sized, "algorithm"),
        ("paper-guesses-machine.png", guesses_machines.NAME, records, "thresholds"),
    ):
        runs = [run for run in runs if run["dataset"] == source]
        if runs:
            _draw_sizes(runs, field, source.partition(",")[0], directory / name)
            drawn.append(name)
    if any(run["dataset"] == "spiral" for run in records):
        _draw_spiral(directory / "paper-guesses-spiral.png")
        drawn.append("paper-guesses-spiral.png")
    return drawn


def _draw_sizes(runs: Records, field: str, source: str, path: Path) -> None:
    """Draw accuracy against leaves, a color for each value of a field."""
    groups = grouped(runs, field, "max_depth", "regularization")
    with picture(path, 3.6) as figure:
        cells = panels(figure, 2, 2)
        for axes, name, title in zip(cells, ("accuracy", "test_accuracy"), ("training", "test"), strict=True):
            for label, (marker, color) in zip(sorted({key[0] for key in groups}, reverse=True), _LOOKS, strict=False):
                chosen = [of for key, of in groups.items() if key[0] == label]
                leaves = [median(run["leaves"] for run in of) for of in chosen]
                worth = [median(run[name] for run in of) for of in chosen]
                axes.plot(leaves, worth, marker, color=color, label=label, alpha=0.6, clip_on=False)
            axes.set(title=f"{source}, {title} rows", xlabel="leaves", ylabel="accuracy, median of 5 folds")
        figure.legend(*cells[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)


def _draw_spiral(path: Path) -> None:
    """Draw the regions of figure 6: both algorithms with all guesses and without, CART, and the reference."""
    table, labels = data.read("spiral")
    X, y = np.asarray(table, dtype=np.float64), data.codes(labels)
    boosting = GradientBoostingClassifier(n_estimators=20, max_depth=3, random_state=2021)
    few = ThresholdGuessBinarizer(boosting)
    dl85: dict[str, Any] = {"regularization": 0.0, "min_samples_leaf": 1, "max_depth": _DEPTH}
    models: dict[str, Any] = {
        "GOSDT, all guesses, depth 5": GOSDTClassifier(_REGULARIZATION, _DEPTH, binarizer=few, reference="binarizer"),
        "GOSDT, no guesses, no depth limit": GOSDTClassifier(_REGULARIZATION),
        "CART, depth 5": DecisionTreeClassifier(max_depth=_DEPTH, random_state=0),
        "DL8.5, all guesses, depth 5": GOSDTClassifier(**dl85, binarizer=few, reference="binarizer"),
        "DL8.5, no guesses, depth 5": GOSDTClassifier(**dl85),
        "the reference: 20 trees of depth 3": boosting,
    }
    with picture(path, 5.4) as figure:
        cells = panels(figure, len(models), 3, sharex=True, sharey=True)
        for axes, (title, model) in zip(cells, models.items(), strict=True):
            model.fit(X, y)
            _draw_regions(axes, model.predict, X, y)
            leaves = getattr(model, "n_leaves_", None) or getattr(model, "get_n_leaves", lambda: None)()
            size = f"{leaves} leaves, " if leaves else ""
            axes.set_title(f"{title}\n{size}accuracy {model.score(X, y):.2f}", fontsize=9)


def _draw_regions(axes: Axes, predict_rows: Callable[[data.Array], data.Array], X: data.Array, y: data.Array) -> None:
    lows, highs = X.min(axis=0) - 0.05, X.max(axis=0) + 0.05
    sides = [np.linspace(low, high, 300) for low, high in zip(lows, highs, strict=True)]
    grid = np.stack(np.meshgrid(*sides), axis=-1)
    regions = predict_rows(grid.reshape(-1, 2)).reshape(300, 300)
    axes.pcolormesh(*sides, regions, cmap=ListedColormap(_COLORS), alpha=0.25, vmin=0, vmax=1, rasterized=True)
    for code, marker in enumerate("os"):
        axes.plot(*X[y == code].T, marker, color=_COLORS[code], markersize=3)
    axes.set(box_aspect=1, xticks=[], yticks=[])
