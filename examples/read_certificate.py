"""
What a fit proves
=================

Of the trees within the limits, over the conditions of the binarizer, none beats the lower bound.
"""

import warnings

from hornbeam import GOSDTClassifier, NotProvenWarning
from hornbeam.datasets import load_tic_tac_toe

X, y = load_tic_tac_toe(return_X_y=True)


def certify(classifier: GOSDTClassifier) -> None:
    """Print what is proven about the tree."""
    print(f"{classifier.status_}: the optimum is between {classifier.lower_bound_:.5f} and {classifier.objective_:.5f}")
    print(f"  objective = loss {classifier.loss_:.5f} + {classifier.regularization_:g} x {classifier.n_leaves_} leaves")
    print(f"  gap {100 * classifier.gap_:.1f} %, {classifier.statistics_['subproblems']:,} subproblems")


certify(GOSDTClassifier(regularization=0.01, max_depth=4).fit(X, y))

# A search may be stopped: at a gap that is good enough, by time, by memory, by Ctrl-C. The interval stays true.
certify(GOSDTClassifier(regularization=0.01, gap_limit=0.5).fit(X, y))
with warnings.catch_warnings():
    warnings.simplefilter("ignore", NotProvenWarning)
    certify(GOSDTClassifier(regularization=0.001, time_limit=0.0).fit(X, y))
