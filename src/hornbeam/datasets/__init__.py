"""Data sets that are made from their rules instead of being downloaded.

``load_`` functions return the one data set of that name, ``make_`` functions draw samples from a distribution.
"""

from hornbeam.datasets.balance import load_balance_scale
from hornbeam.datasets.dataset import Dataset
from hornbeam.datasets.lookahead import make_parity_majority, make_tribes_majority
from hornbeam.datasets.monk import load_monk
from hornbeam.datasets.parity import make_parity
from hornbeam.datasets.random_trees import TrainTest, make_random_trees
from hornbeam.datasets.tic_tac_toe import load_tic_tac_toe

__all__ = [
    "Dataset",
    "TrainTest",
    "load_balance_scale",
    "load_monk",
    "load_tic_tac_toe",
    "make_parity",
    "make_parity_majority",
    "make_random_trees",
    "make_tribes_majority",
]
