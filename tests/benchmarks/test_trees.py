"""A tree in the common form is worth what counting its rows says."""

import numpy as np
import pytest

from benchmarks.trees import score

X = np.array([[0.0, 5.0], [1.0, 5.0], [2.0, 6.0], [3.0, 7.0]])
Y = np.array([0, 1, 2, 2])
STUMP = {"feature": 0, "threshold": 1.0, "left": {"class": 0}, "right": {"class": 2}}


def test_a_leaf_errs_on_the_rows_of_other_classes():
    worth = score({"class": 2}, X, Y, 0.1)
    assert (worth.errors, worth.leaves, worth.depth) == (2, 1, 0)
    assert worth.objective == pytest.approx(2 / 4 + 0.1)


def test_a_row_at_the_threshold_goes_left():
    worth = score(STUMP, X, Y, 0.0)
    assert (worth.errors, worth.leaves, worth.depth) == (1, 2, 1)


def test_depth_is_that_of_the_longest_path_in_edges():
    deeper = {"feature": 1, "threshold": 6.5, "left": STUMP, "right": {"class": 0}}
    worth = score(deeper, X, Y, 0.01)
    assert (worth.errors, worth.leaves, worth.depth) == (2, 3, 2)
    assert worth.objective == pytest.approx(2 / 4 + 0.03)


@pytest.mark.parametrize("feature", [-1, 2])
def test_a_column_that_is_not_there_is_an_error(feature):
    with pytest.raises(ValueError, match=f"feature must be from 0 to 1, got {feature}"):
        score({**STUMP, "feature": feature}, X, Y, 0.0)
