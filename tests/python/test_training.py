"""Labels become codes in the order of the classes, however they are stored."""

import numpy as np
import pytest

from hornbeam.fitting.training import read_training


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 1, 3, 7]),
        np.array([-128, 127, 0, -128], dtype=np.int8),
        np.array([255, 0, 3, 255], dtype=np.uint8),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, 0, 0]),
        np.array([2**63 - 1, 2**63 - 3, 2**63 - 2, 2**63 - 1]),
        np.array([0, 10**6, 5, 0]),
        np.array([True, False, False, True]),
        np.array([2.0, 0.0, 1.0, 2.0]),
        np.array(["b", "a", "c", "a"]),
    ],
)
def test_classes_are_sorted_and_coded(labels):
    training = read_training(np.zeros((len(labels), 1)), labels, None, "A")
    classes, codes = np.unique(labels, return_inverse=True)
    assert training.classes.dtype == labels.dtype
    assert training.classes.tolist() == classes.tolist()
    assert training.codes.dtype == np.int32
    assert training.codes.tolist() == codes.tolist()


def test_labels_of_rows_without_weight_are_no_classes():
    training = read_training(np.zeros((4, 1)), [5, 2, 9, 5], [1, 1, 0, 2], "A")
    assert training.classes.tolist() == [2, 5]
    assert training.codes.tolist() == [1, 0, 1]
