"""Transformers that make binary columns: each a condition on one column of the user's table."""

import warnings
from typing import Any

from hornbeam._keywords import REMOVED_IN
from hornbeam.binarizers._base import Binarizer
from hornbeam.binarizers._conditions import Conditions, Thresholds, evaluate_conditions
from hornbeam.binarizers._packing import (
    BINS_FOR_A_TREE,
    bin_conditions,
    bin_within,
    bins_of,
    pack_conditions,
    pack_within,
)
from hornbeam.binarizers._places import Place, places_of
from hornbeam.binarizers.binary import BinaryColumns
from hornbeam.binarizers.guess import ThresholdGuessBinarizer
from hornbeam.binarizers.supervised import SupervisedBinarizer
from hornbeam.binarizers.thresholds import ThresholdBinarizer

__all__ = [
    "BINS_FOR_A_TREE",
    "Binarizer",
    "BinaryColumns",
    "Conditions",
    "Place",
    "SupervisedBinarizer",
    "ThresholdBinarizer",
    "ThresholdGuessBinarizer",
    "Thresholds",
    "bin_conditions",
    "bin_within",
    "bins_of",
    "evaluate_conditions",
    "pack_conditions",
    "pack_within",
    "places_of",
]
_NAMES_OF_0_1 = {"ask": "evaluate_conditions", "rank_conditions": "bin_conditions"}


def __getattr__(name: str) -> Any:
    """Return what 0.1.0 had under another name, with a FutureWarning."""
    if name not in _NAMES_OF_0_1:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _NAMES_OF_0_1[name]
    warnings.warn(f"{name} is now {new}; hornbeam {REMOVED_IN} will remove the old name.", FutureWarning, stacklevel=2)
    return globals()[new]
