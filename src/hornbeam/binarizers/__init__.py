"""Transformers that make binary columns: each a condition on one column of the user's table."""

from hornbeam.binarizers._base import Binarizer, pack_conditions, rank_conditions, threshold_runs
from hornbeam.binarizers.binary import BinaryColumns
from hornbeam.binarizers.thresholds import ThresholdBinarizer

__all__ = ["Binarizer", "BinaryColumns", "ThresholdBinarizer", "pack_conditions", "rank_conditions", "threshold_runs"]
