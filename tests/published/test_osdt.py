"""Table 6.2 of the OSDT thesis, and trees that rank, on the data of ``../shared`` beside the repository if present."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import auc, roc_curve

from benchmarks.papers.osdt_replay import replay
from hornbeam import GOSDTClassifier, OSDTClassifier
from published.shared import SHARED, as_is, read

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")

# Sets of leaves queued in all, and when the last tree was found. The table has no policies: the last counts are those
# of a run of the authors' program. The page of the paper has more of them, which take longer.
COUNTS = {
    "all bounds": ([], "curiosity", 241306, 18195),
    "no support bound": (["leaf_support"], "curiosity", 278868, 21232),
    "in the order found": ([], "fifo", 270273, 258291),
}
BY_GINI = [11, 8, 7, 6, 4, 5, 3, 2, 0, 1, 9, 10]
"""The columns of compas.bin in the order of the impurity that they take away at the root."""


@pytest.mark.parametrize("variant", COUNTS)
def test_the_authors_counts_come_out_to_the_last_digit(variant: str) -> None:
    without, policy, queued, to_best = COUNTS[variant]
    matrix, classes = as_is("compas.bin")
    found = replay(matrix[:, BY_GINI], classes, 0.005, policy=policy, without=without)
    assert found.is_finished
    assert found.objective == pytest.approx(2286 / len(classes) + 5 * 0.005, abs=1e-12)
    assert (found.queued, found.queued_to_best) == (queued, to_best)


@pytest.mark.parametrize("policy", ["curiosity", "objective", "lower_bound"])
def test_the_same_optimum_is_proven_with_less_than_a_hundredth_of_the_sets(policy: str) -> None:
    matrix, classes = as_is("compas.bin")
    classifier = OSDTClassifier(0.005, policy=policy, start=None, binarizer=None).fit(matrix, classes)
    assert classifier.status_ == "optimal"
    assert classifier.loss_ == pytest.approx(2286 / 6907)
    assert classifier.n_leaves_ == 5
    assert classifier.statistics_["subproblems"] < 2413


@pytest.mark.parametrize(
    ("data", "regularization"),
    [("monk1.bin", 0.025), ("monk3.bin", 0.03125), ("compas.bin", 0.0025), ("bar7.bin", 0.007), ("car.bin", 0.05)],
)
def test_both_searches_prove_the_same_optimum(data: str, regularization: float) -> None:
    matrix, classes = as_is(data)
    leaf_sets = OSDTClassifier(regularization, binarizer=None).fit(matrix, classes)
    exact = GOSDTClassifier(regularization, binarizer=None).fit(matrix, classes)
    assert leaf_sets.status_ == exact.status_ == "optimal"
    assert leaf_sets.objective_ == exact.objective_


@pytest.mark.parametrize(("regularization", "theta", "leaves"), [(0.01, None, 6), (0.001, None, 10), (0.01, 0.3, 4)])
def test_trees_that_rank_four_class_best_are_proven(regularization: float, theta: float | None, leaves: int) -> None:
    values, classes = read("fourclass")
    columns = np.array([feature <= cut for feature in values.T for cut in (50, 100, 150)], dtype=np.uint8).T
    objective = "auc" if theta is None else "partial_auc"
    tree = GOSDTClassifier(regularization, objective=objective, theta=theta, binarizer=None).fit(columns, classes)
    false, true, _ = roc_curve(classes, tree.predict_proba(columns)[:, 1], drop_intermediate=False)
    within = np.append(false[false < (theta or 1)], theta or 1)
    assert (tree.status_, tree.n_leaves_) == ("optimal", leaves)
    assert tree.loss_ == pytest.approx(1 - auc(within, np.interp(within, false, true)), abs=1e-6)
