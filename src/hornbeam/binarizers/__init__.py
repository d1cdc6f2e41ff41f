"""Transformers that make binary columns: each a condition on one column of the user's table."""

from hornbeam.binarizers._base import Binarizer
from hornbeam.binarizers._conditions import Conditions, Thresholds, ask
from hornbeam.binarizers._packing import pack_conditions, pack_within, rank_conditions, rank_within
from hornbeam.binarizers.binary import BinaryColumns
from hornbeam.binarizers.guess import ThresholdGuessBinarizer
from hornbeam.binarizers.thresholds import ThresholdBinarizer

__all__ = [
    "Binarizer",
    "BinaryColumns",
    "Conditions",
    "ThresholdBinarizer",
    "ThresholdGuessBinarizer",
    "Thresholds",
    "ask",
    "pack_conditions",
    "pack_within",
    "rank_conditions",
    "rank_within",
]
