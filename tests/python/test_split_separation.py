"""The three distributions on which the SPLIT paper proves that looking ahead separates its trees from greedy ones.

In each, a share `noise` of the rows takes its class from decoys, which alone tell something about the class one by
one, so that a tree that knows the rule has accuracy 1 - noise / 2. The draws that are searched are of 200000 rows, so
that no bit without meaning is taken for one: a leaf at depth 5 has 6250 rows. Greedy is information gain, as in the
theorems.
"""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from hornbeam import LicketySPLITClassifier, SPLITClassifier
from hornbeam.datasets import make_parity_majority, make_tribes_majority

ROWS = 200_000


def accuracy_of_greedy(X, y, depth):
    """Return the accuracy of the greedy tree of some depth, not pruned."""
    return DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(X, y).score(X, y)


def accuracy(classifier, X, y):
    """Return the accuracy of a tree that pays next to nothing for its leaves."""
    return classifier.set_params(regularization=1e-6, binarizer=None).fit(X, y).score(X, y)


@pytest.mark.parametrize("depth", [4, 6])
def test_theorem_a7_licketysplit_where_greedy_follows_the_decoys(depth):
    noise = 0.1
    X, y = make_parity_majority(ROWS, depth=depth, lookahead=1, noise=noise, random_state=0)
    assert accuracy_of_greedy(X, y, depth) <= 1 / 2 + noise
    for classifier in (LicketySPLITClassifier(max_depth=depth), SPLITClassifier(lookahead_depth=1, max_depth=depth)):
        assert accuracy(classifier, X, y) == pytest.approx(1 - noise / 2, abs=0.005)


def test_theorem_a6_the_lookahead_depth_is_that_of_the_parity_and_its_copies_serve_as_well():
    noise, copy_noise, depth = 0.1, 0.05, 5
    X, y = make_parity_majority(
        ROWS, depth=depth, lookahead=2, noise=noise, n_copies=4, copy_noise=copy_noise, random_state=1
    )
    copies_of_first = [10 + j for j in range(4) if np.mean(X[:, 10 + j] == X[:, 0]) > 0.75]
    assert copies_of_first == [10, 12]
    assert accuracy_of_greedy(X, y, depth) <= 1 / 2 + noise
    # One level of lookahead does not see a parity of two bits.
    assert accuracy(LicketySPLITClassifier(max_depth=depth), X, y) <= 1 / 2 + noise
    assert accuracy(SPLITClassifier(lookahead_depth=2, max_depth=depth), X, y) == pytest.approx(1 - noise / 2, abs=5e-3)
    # The theorem's other trees split on a copy instead: without the bit itself, SPLIT must.
    without = np.delete(X, 0, axis=1)
    assert accuracy_of_greedy(without, y, depth) <= 1 / 2 + noise
    by_copy = accuracy(SPLITClassifier(lookahead_depth=2, max_depth=depth), without, y)
    assert 1 - noise - copy_noise <= by_copy < 1 - noise / 2 - copy_noise / 2


def test_theorem_6_5_split_finds_tribes_where_greedy_begins_with_the_majority():
    # The theorem is about the limit of many bits. With five (two tribes of two, one idle) a bit of Tribes still tells
    # more than a bit of a majority unless there is much noise and the majority is of three: then greedy begins with
    # the majority and has no level left for Tribes, which needs all four.
    noise, depth = 0.45, 4
    X, y = make_tribes_majority(ROWS, lookahead=5, n_majority=3, noise=noise, random_state=0)
    assert accuracy_of_greedy(X, y, depth) < 1 - noise / 2 - 0.03
    for steps in (2, 4):
        classifier = SPLITClassifier(lookahead_depth=steps, max_depth=depth)
        assert accuracy(classifier, X, y) == pytest.approx(1 - noise / 2, abs=0.005)


def test_theorem_6_5_greedy_is_no_better_than_the_noise_where_tribes_are_many():
    # What the limit means for greedy, with 64 bits of Tribes: more than the lookahead of a search could reach.
    noise, depth = 0.3, 5
    X, y = make_tribes_majority(50_000, lookahead=64, n_majority=16, noise=noise, random_state=0)
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=depth, random_state=0).fit(X, y)
    assert tree.score(X, y) <= 1 / 2 + noise
    assert tree.tree_.feature[0] >= 64
    tribes = X[:, :64].reshape(-1, 16, 4).all(axis=2).any(axis=1)
    assert np.mean(tribes == y) >= 1 - noise
