"""The library of this repository: LicketySPLIT.

Option: "last_split", see the classifier; "loss", as the package licketysplit, where it is not given.
"""

from functools import partial

from benchmarks.peers import hornbeam
from hornbeam import LicketySPLITClassifier

prepare = partial(hornbeam.prepare_lookahead, classifier=LicketySPLITClassifier)
read = hornbeam.read
