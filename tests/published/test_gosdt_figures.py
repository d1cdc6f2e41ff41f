"""Figures of the GOSDT paper, as its authors published their numbers, on the data of ``../shared`` if present."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold

from benchmarks import data
from benchmarks.papers import gosdt_folds, gosdt_growth
from hornbeam import GOSDTClassifier
from published.shared import SHARED

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")


@pytest.mark.parametrize("name", ["monk1", "monk2", "monk3"])
def test_medians_of_leaves_and_training_accuracy_are_the_published_ones(name: str) -> None:
    X, y = data.read_binary(f"{name}.bin")
    rows = [row for row in gosdt_folds.PUBLISHED if (row["dataset"], row["method"]) == (name, "GOSDT")]
    assert len(rows) == 29
    for row in rows:
        found = []
        for train, _ in KFold(5).split(X):
            tree = GOSDTClassifier(row["setting"], binarizer=None).fit(X[train], y[train])
            assert tree.status_ == "optimal"
            found.append((tree.n_leaves_, 100 * tree.score(X[train], y[train])))
        leaves, training = np.median(found, axis=0)
        assert (leaves, f"{training:.2f}") == (row["leaves"], f"{row['training']:.2f}")


@pytest.mark.parametrize("name", gosdt_folds.PRINTED_TREES)
def test_a_printed_tree_is_as_accurate_as_printed_and_none_of_its_size_is_better(name: str) -> None:
    printed = gosdt_folds.PRINTED_TREES[name]
    X, y = data.read_binary(f"{name}.bin")
    columns = list(data.read(f"{name}.bin")[0].columns)
    predicted = gosdt_folds.predict(printed["tree"], columns, X)
    train, test = list(KFold(5).split(X))[2]
    accuracies = [round(100 * float(np.mean(predicted[rows] == y[rows])), 1) for rows in (train, test)]
    assert accuracies == [printed["training"], printed["test"]]
    best = GOSDTClassifier(0, max_leaves=gosdt_folds.count_leaves(printed["tree"]), binarizer=None)
    best.fit(X[train], y[train])
    assert best.status_ == "optimal"
    assert best.score(X[train], y[train]) == np.mean(predicted[train] == y[train])


@pytest.mark.parametrize(("name", "n_above"), [("I.7 bar7.bin", 0), ("I.7 compas2016", 8)])
def test_no_published_tree_of_a_growing_subset_is_better_than_the_optimum(name: str, n_above: int) -> None:
    records = list(gosdt_growth.records_of(name, 10.0))
    published = [row for row in gosdt_growth.PUBLISHED if row["dataset"] == gosdt_growth.SOURCES[name]]
    assert len(records) == len(published)
    excesses = [
        1 - row["training"] / 100 + gosdt_growth.REGULARIZATION * row["leaves"] - record["objective"]
        for row, record in zip(published, records, strict=True)
    ]
    assert all(record["proven"] for record in records)
    assert min(excesses) > -gosdt_growth.TOLERANCE
    assert sum(excess > gosdt_growth.TOLERANCE for excess in excesses) == n_above
