"""Optima and examples of the OSDT and GOSDT papers, on the data of ``../shared`` beside the repository if present.

Objectives are misclassified / n + lambda * leaves without a limit of depth. They were computed with the authors'
program (gosdt 1.0.4) where that finishes, and else by an independent exact search that agrees with it.
"""

from __future__ import annotations

import numpy as np
import pytest

from published.shared import SCALE, SHARED, all_midpoints, as_is, proven_objective, read, solve

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")

OBJECTIVES = {
    "monk1.bin": {0.1: 0.466129, 0.03125: 0.24496, 0.025: 0.2},
    "monk2.bin": {0.1: 0.478698, 0.03125: 0.409948, 0.025: 0.393935, 0.007: 0.201337},
    "monk3.bin": {0.1: 0.521311, 0.03125: 0.310451, 0.025: 0.272951},
    "tic-tac-toe.bin": {
        0.1: 0.446555,
        0.03125: 0.363126,
        0.025: 0.34833,
        0.007: 0.19428,
        0.0025: 0.091701,
        0.0011: 0.047188,
    },
    "car.bin": {
        0.1: 0.399769,
        0.03125: 0.238426,
        0.025: 0.219676,
        0.007: 0.124231,
        0.0025: 0.079954,
        0.001: 0.047204,
    },
    "balance-scale.bin": {0.1: 0.1784, 0.03125: 0.10965, 0.025: 0.1034, 0.007: 0.0854, 0.0025: 0.0809, 0.0017: 0.0801},
    "compas.bin": {
        0.1: 0.561083,
        0.03125: 0.423583,
        0.025: 0.411083,
        0.007: 0.365773,
        0.005: 0.355969,
        0.0025: 0.343469,
        0.001: 0.334928,
        0.0005: 0.330809,
        0.0002: 0.32684,
    },
    "bar7.bin": {0.1: 0.511918, 0.03125: 0.405303, 0.025: 0.386553, 0.007: 0.329098, 0.0025: 0.298506, 0.001: 0.281688},
}


@pytest.mark.parametrize(
    ("data", "regularization", "objective"),
    [(data, key, value) for data, values in OBJECTIVES.items() for key, value in values.items()],
)
def test_optimum_of_the_papers_is_reproduced(data: str, regularization: float, objective: float) -> None:
    assert proven_objective(*as_is(data), regularization) == objective


@pytest.mark.parametrize(("regularization", "leaves", "accuracy"), [(0.005, 5, 66.903), (0.007, 4, 66.223)])
def test_the_optimal_tree_of_compas_is_as_large_and_as_accurate_as_osdt_prints(
    regularization: float, leaves: int, accuracy: float
) -> None:
    matrix, classes = as_is("compas.bin")
    outcome = solve(matrix, classes, regularization)
    n_leaves = int((outcome["tree"]["column"] == -1).sum())
    errors = (outcome["upper"] - n_leaves * round(regularization * len(classes) * SCALE)) // SCALE
    assert (n_leaves, round(100 * (1 - errors / len(classes)), 3)) == (leaves, accuracy)


def bucketized(data: str) -> tuple[np.ndarray, np.ndarray]:
    """Return one column ``value <= midpoint`` for each pair of neighboring values of different, unmixed class."""
    values, classes = read(data)
    columns = []
    for column in values.T:
        distinct = np.unique(column)
        labels = [set(classes[column == value]) for value in distinct]
        differs = np.array([len(a | b) > 1 for a, b in zip(labels[1:], labels[:-1], strict=True)])
        columns += [column <= cut for cut in ((distinct[1:] + distinct[:-1]) / 2)[differs]]
    return np.array(columns, dtype=np.uint8).T, classes


@pytest.mark.parametrize("limit", [{"max_depth": 2}, {"max_leaves": 4}])
@pytest.mark.parametrize(("binarize", "n_columns", "errors"), [(all_midpoints, 46, 5), (bucketized, 9, 6)])
def test_bucketization_loses_the_optimum_of_gosdt_theorem_3_1(binarize, n_columns, errors, limit) -> None:
    matrix, classes = binarize("gosdt_fig1_bucketization")
    assert matrix.shape == (77, n_columns)
    assert solve(matrix, classes, 0, **limit)["upper"] == errors * SCALE
