"""Values of the guesses and SPLIT papers, on the data of ``../shared`` beside the repository if present.

They were computed with the authors' programs and by independent brute force; depths are counted in edges.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from hornbeam import GOSDTClassifier, LicketySPLITClassifier, SPLITClassifier, ThresholdGuessBinarizer
from published.shared import SHARED, as_is, read

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason=f"{SHARED} is not there")

# Objective and leaves of LicketySPLIT by depth 1 to 5, on compas_fairml.bin.
LICKETYSPLIT = {
    0.005: [(0.349274, 2), (0.346659, 3), (0.344854, 4), (0.344183, 5), (0.344647, 6)],
    0.001: [(0.341274, 2), (0.334659, 3), (0.326318, 6), (0.318110, 8), (0.318110, 8)],
    0.0001: [(0.339474, 2), (0.331959, 3), (0.320856, 7), (0.310624, 10), (0.304247, 24)],
}

# The same of the package licketysplit 0.2.1, whose greedy trees make their last split by loss.
LICKETYSPLIT_BY_LOSS = {
    0.005: [0.349274, 0.346659, 0.344854, 0.344183, 0.344647],
    0.001: [0.341274, 0.331122, 0.326318, 0.318110, 0.318110],
}

# Objective and leaves of SPLIT by (depth, splits searched); the authors' program counts one more of both.
SPLIT = {
    0.005: {(2, 1): (0.346659, 3), (3, 2): (0.344854, 4), (4, 1): (0.344183, 5), (4, 2): (0.344183, 5)},
    0.001: {(2, 1): (0.334659, 3), (3, 1): (0.326318, 6), (4, 1): (0.318110, 8), (4, 2): (0.317652, 9)},
    0.0001: {(2, 1): (0.331959, 3), (3, 1): (0.320856, 7), (4, 1): (0.309914, 11), (4, 2): (0.308718, 12)},
}

# Equation 4 by brute force, of the authors' program too: the best prefix with its greedy trees, by the same.
LOOKAHEAD_VALUES = {
    0.005: {(2, 1): 0.346659, (3, 1): 0.345178, (4, 1): 0.345178, (3, 2): 0.344854, (4, 2): 0.344183},
    0.001: {(2, 1): 0.334659, (3, 1): 0.326318, (4, 1): 0.318110, (3, 2): 0.325318, (4, 2): 0.317652},
    0.0001: {(2, 1): 0.331959, (3, 1): 0.320918, (4, 1): 0.310910, (3, 2): 0.320818, (4, 2): 0.309552},
}

# Of each fold: objective with guessed bounds, optimum, bound of theorem 4.3 with the optimal tree, columns kept.
FOLDS = {
    (40, 1): (
        [0.32591, 0.32121, 0.32406, 0.31645, 0.32748],
        [0.32583, 0.32121, 0.32406, 0.31645, 0.32748],
        [0.37452, 0.36103, 0.35518, 0.35698, 0.37380],
        [17, 9, 19, 16, 14],
    ),
    (30, 2): (
        [0.32339, 0.31760, 0.32351, 0.31600, 0.32342],
        [0.32339, 0.31760, 0.32351, 0.31582, 0.32342],
        [0.35181, 0.35090, 0.35301, 0.34043, 0.36649],
        [27, 29, 29, 24, 23],
    ),
}


@pytest.mark.parametrize("regularization", LICKETYSPLIT)
def test_licketysplit_of_the_paper(regularization):
    X, y = as_is("compas_fairml.bin")
    for depth, (objective, leaves) in enumerate(LICKETYSPLIT[regularization], start=1):
        found = LicketySPLITClassifier(regularization, max_depth=depth, binarizer=None).fit(X, y)
        assert (round(found.objective_, 6), found.n_leaves_) == (objective, leaves)


@pytest.mark.parametrize("regularization", LICKETYSPLIT_BY_LOSS)
def test_licketysplit_of_the_package(regularization):
    X, y = as_is("compas_fairml.bin")
    for depth, objective in enumerate(LICKETYSPLIT_BY_LOSS[regularization], start=1):
        found = LicketySPLITClassifier(regularization, depth, last_split="loss", binarizer=None).fit(X, y)
        assert round(found.objective_, 6) == objective


@pytest.mark.parametrize("regularization", SPLIT)
def test_split_of_the_authors(regularization):
    X, y = as_is("compas_fairml.bin")
    for (depth, steps), (objective, leaves) in SPLIT[regularization].items():
        settings = {"max_depth": depth, "binarizer": None}
        found = SPLITClassifier(regularization, steps, **settings).fit(X, y)
        if steps < depth - 1:
            assert (round(found.objective_, 6), found.n_leaves_) == (objective, leaves)
        else:  # hornbeam searches exactly there, and is no worse than the authors' program
            assert found.status_ == "optimal"
            assert round(found.objective_, 6) <= objective


def test_prefixes_with_greedy_trees_cost_what_equation_4_says():
    X, y = as_is("compas_fairml.bin")
    for regularization, values in LOOKAHEAD_VALUES.items():
        for (depth, steps), value in values.items():
            found = SPLITClassifier(regularization, steps, max_depth=depth, completion="greedy", binarizer=None).fit(
                X, y
            )
            assert round(found.objective_, 6) == value


@pytest.mark.parametrize(("n_estimators", "max_depth"), FOLDS)
def test_guesses_fold_by_fold(n_estimators, max_depth):
    X, y = read("compas")
    folds = KFold(5, shuffle=True, random_state=2021).split(X)
    for (rows, _), guessed, optimum, bound, columns in zip(folds, *FOLDS[n_estimators, max_depth], strict=True):
        table, labels = X[rows], y[rows]
        boosting = {"n_estimators": n_estimators, "max_depth": max_depth}
        binarizer = ThresholdGuessBinarizer(GradientBoostingClassifier(**boosting, random_state=2021))
        binary = binarizer.fit(table, labels).transform(table)
        reference = GradientBoostingClassifier(**boosting, random_state=42).fit(binary, labels).predict(binary)
        exact = GOSDTClassifier(0.001, max_depth=5, binarizer=None).fit(binary, labels)
        found = GOSDTClassifier(0.001, max_depth=5, binarizer=None, reference=reference).fit(binary, labels)
        assert binary.shape[1] == columns
        assert round(exact.objective_, 5) == optimum
        assert exact.objective_ <= found.objective_ <= guessed + 5e-6  # no worse than the authors' program
        errs = (reference != labels) | (exact.predict(binary) != labels)
        assert round(np.mean(errs) + 0.001 * exact.n_leaves_, 5) == bound
        assert found.objective_ <= bound


@pytest.mark.parametrize(
    ("name", "regularization", "n_estimators", "max_depth"),
    [("compas", 0.001, 40, 1), ("compas", 0.001, 30, 2), ("spiral", 0.01, 40, 1), ("spiral", 0.01, 50, 2)],
)
def test_bound_of_theorem_4_1(name, regularization, n_estimators, max_depth):
    X, y = read(name)
    reference = GradientBoostingClassifier(n_estimators=n_estimators, max_depth=max_depth, random_state=2021)
    binarizer = ThresholdGuessBinarizer(reference).fit(X, y)
    assert binarizer.scores_["conditions"] >= binarizer.scores_["table"]  # the premise, which the steps do not ensure
    binary = binarizer.transform(X)
    predictions = binarizer.reference_.predict(binary)
    same = DecisionTreeClassifier(random_state=0).fit(binary, predictions)
    assert np.array_equal(same.predict(binary), predictions)
    bound = 1 - binarizer.scores_["table"] + regularization * same.get_n_leaves()
    found = GOSDTClassifier(regularization, binarizer=None).fit(binary, y)
    assert found.objective_ <= bound
    guessed = GOSDTClassifier(regularization, binarizer=None, reference=predictions).fit(binary, y)
    assert found.objective_ <= guessed.objective_ <= bound  # corollary 4.3.1
