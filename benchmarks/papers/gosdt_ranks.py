"""Section I.5 of the GOSDT paper: trees for six objectives on the FourClass data, with training and test ROC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_curve
from sklearn.model_selection import train_test_split

from benchmarks import data
from benchmarks.data import Array
from benchmarks.papers.gosdt_fit import OBJECTIVES, area, fit_objective
from benchmarks.papers.measure import Records
from benchmarks.report.plots import picture
from hornbeam import ThresholdBinarizer
from hornbeam.plotting import plot_tree
from hornbeam.tree import Tree

FOUR_CLASS = "fourclass"
REGULARIZATION = 0.01
BINARIZER = ThresholdBinarizer(thresholds=dict.fromkeys(("feature1", "feature2"), (50, 100, 150)))
TRAINING = (241, 448)  # positive and negative rows of the paper's training part
N_SEEDS = 200


def records_of(limit: float) -> Iterator[dict[str, Any]]:
    """Fit each objective to 80 % of the rows, drawn by each seed that gives the paper's numbers of either class."""
    X, labels = data.read(FOUR_CLASS)
    y = data.codes(labels)
    parts = seeds_of(y)
    for name in OBJECTIVES:
        test_areas = []
        for seed, (train, test) in parts.items():
            classifier, fitted = fit_objective(X[train], y[train], name, REGULARIZATION, limit, BINARIZER)
            shares = {
                "training": classifier.predict_proba(X[train])[:, 1],
                "test": classifier.predict_proba(X[test])[:, 1],
            }
            test_areas.append(area(y[test], shares["test"]))
            if seed == min(parts):
                curves = {
                    f"{part}_roc": np.column_stack(roc_curve(y[rows], shares[part])[:2]).tolist()
                    for part, rows in (("training", train), ("test", test))
                }
                first = {**fitted, **curves, "tree": classifier.tree_.to_json(), "test_area": test_areas[0]}
        yield {
            "objective_name": name,
            "regularization": REGULARIZATION,
            "seed": min(parts),
            "n_seeds": len(parts),
            "least_test_area": min(test_areas),
            "largest_test_area": max(test_areas),
            **first,
        }


def seeds_of(y: Array) -> dict[int, tuple[Array, Array]]:
    """Return the training and test rows of the seeds with as many positive and negative training rows as the paper."""
    draws = {seed: train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed) for seed in range(N_SEEDS)}
    return {
        seed: (train, test)
        for seed, (train, test) in draws.items()
        if (int(y[train].sum()), int((1 - y[train]).sum())) == TRAINING
    }


def draw(runs: Records, directory: Path) -> None:
    """Draw the ROC curves of training and test rows, and the trees."""
    with picture(directory / "paper-gosdt-roc.png", 4.4) as figure:
        panels = figure.subplots(1, 2, sharey=True)
        dashes = ["-", (0, (6, 2)), (0, (4, 2)), (0, (2, 2)), "-", (0, (5, 1, 1, 1))]
        for axes, part, name in zip(panels, ("training", "test"), ("area", "test_area"), strict=True):
            for run, dash in zip(runs, dashes, strict=True):
                label = f"{run['objective_name']}: {run[name]:.4f}"
                axes.plot(*zip(*run[f"{part}_roc"], strict=True), linestyle=dash, label=label)
            axes.set(title=f"{part} rows", xlabel="false positive rate", box_aspect=1)
            axes.legend(loc="lower right", title="area")
        panels[0].set_ylabel("true positive rate")
    trees = [Tree.from_json(run["tree"]) for run in runs]
    with picture(directory / "paper-gosdt-fourclass.png", 1.15 * sum(1 + tree.depth for tree in trees) / 2) as figure:
        for axes, run, tree in zip(figure.subplots(3, 2).flat, runs, trees, strict=True):
            plot_tree(tree, axes, title=f"{run['objective_name']}: loss {run['loss']:.4f}")
