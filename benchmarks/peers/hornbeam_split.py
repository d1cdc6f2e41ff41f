"""The library of this repository: SPLIT, two levels of splits searched.

Option: "last_split", see the classifier; "loss" where it is not given.
"""

from functools import partial

from benchmarks.peers import hornbeam
from hornbeam import SPLITClassifier

prepare = partial(hornbeam.prepare_lookahead, classifier=SPLITClassifier, lookahead_depth=2)
read = hornbeam.read
